"""What would be published: a wheel and an sdist of the right files, which install and run by themselves."""

from __future__ import annotations

import email
import os
import shutil
import subprocess
import sys
import sysconfig
import tarfile
import venv
import zipfile
from pathlib import Path

import pytest

from truerank._support.version import __version__

ROOT = Path(__file__).resolve().parents[2]
NEEDED = ("pyproject.toml", "MANIFEST.in", "README.md", "LICENSE", "CHANGELOG.md", "CITATION.cff")
"""Of the project, beside `src`, what is built from."""

SDIST_ONLY = {"PKG-INFO", "setup.cfg", *NEEDED}

# The environment that runs the tests lends its packages, but neither its truerank nor its Python path.
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}


def run(*command: str | Path, cwd: Path) -> subprocess.CompletedProcess[bytes]:
    done = subprocess.run(command, cwd=cwd, env=CLEAN, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode(errors="replace")
    return done


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist and the wheel that was built from it, both without a network."""
    pytest.importorskip("build")
    place = tmp_path_factory.mktemp("release")
    tree = place / "tree"
    strange = shutil.ignore_patterns("__pycache__", "*.egg-info")
    shutil.copytree(ROOT / "src", tree / "src", ignore=strange)
    for name in NEEDED:
        shutil.copy(ROOT / name, tree / name)
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", place, tree, cwd=place)
    return place


def package_files() -> set[str]:
    """All files of the package and its plug-ins, as the project has them."""
    found = [*(ROOT / "src" / "truerank").rglob("*"), *(ROOT / "src").glob("*_truerank.py")]
    kept = (path for path in found if path.is_file() and "__pycache__" not in path.parts)
    return {path.relative_to(ROOT / "src").as_posix() for path in kept}


def contents(wheel: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(wheel) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def test_wheel_holds_the_package_and_nothing_else(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    assert wheel.name == f"truerank-{__version__}-py3-none-any.whl"
    found = contents(wheel)
    about = f"truerank-{__version__}.dist-info/"
    ours = {name for name in found if not name.startswith(about)}
    assert ours == package_files()
    for name in (
        "py.typed",
        "simulation/embedded/web2010-ap.json",
        "report/templates/page.html",
        "report/static/page.css",
    ):
        assert f"truerank/{name}" in ours
    for name in ours:
        assert found[name] == (ROOT / "src" / name).read_bytes(), name
    assert found[about + "licenses/LICENSE"] == (ROOT / "LICENSE").read_bytes()
    written = email.message_from_bytes(found[about + "METADATA"])
    assert (written["Version"], written["Requires-Python"]) == (__version__, ">=3.11")
    assert written["License-Expression"] == "Apache-2.0"
    assert "truerank = truerank.__main__:main" in found[about + "entry_points.txt"].decode()


def test_installed_bare_it_pulls_no_package_of_an_extra(built: Path) -> None:
    (wheel,) = built.glob("*.whl")
    written = email.message_from_bytes(contents(wheel)[f"truerank-{__version__}.dist-info/METADATA"])
    assert not {"dev", "docs", "release"} & set(written.get_all("Provides-Extra", []))
    needs = [one for one in written.get_all("Requires-Dist", []) if "extra ==" not in one]
    assert {one.partition(">")[0] for one in needs} == {
        *("numpy", "scipy", "ir_measures", "rich", "filelock", "jinja2", "markupsafe", "orjson"),
        "threadpoolctl",
    }


def test_sdist_holds_what_the_wheel_is_built_from(built: Path) -> None:
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames() if not archive.getmember(name).isdir()}
    kept = {name for name in names if not name.startswith("src/truerank.egg-info/")}
    assert kept == SDIST_ONLY | {f"src/{name}" for name in package_files()}


def test_an_installed_wheel_runs_the_demo(built: Path, tmp_path: Path) -> None:
    """In an empty environment, outside the project."""
    pytest.importorskip("pip")
    (wheel,) = built.glob("*.whl")
    base = tmp_path / "empty"
    venv.create(base)
    paths = sysconfig.get_paths("venv", {"base": str(base), "platbase": str(base)})
    scripts, packages = Path(paths["scripts"]), Path(paths["purelib"])
    python = scripts / Path(sys.executable).name
    install = ("install", "--quiet", "--no-compile", "--no-deps", "--no-index", "--disable-pip-version-check")
    run(sys.executable, "-m", "pip", "--python", python, *install, wheel, cwd=tmp_path)
    lent = dict.fromkeys(sysconfig.get_path(kind) for kind in ("purelib", "platlib"))
    (packages / "lent.pth").write_text("\n".join(lent) + "\n", encoding="utf-8")

    where = run(python, "-c", "import truerank; print(truerank.__file__)", cwd=tmp_path).stdout.decode()
    assert Path(where.strip()).is_relative_to(packages)
    version = run(python, "-m", "truerank", "--version", cwd=tmp_path).stdout.decode()
    assert version.split() == ["truerank", __version__]
    demo = run(scripts / "truerank", "demo", cwd=tmp_path)
    assert b"is expected to agree with" in demo.stdout
    assert len([path for path in (tmp_path / "truerank-demo").rglob("*") if path.is_file()]) > 10
