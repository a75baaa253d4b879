"""What would be published, installed as users do it: bare, with extras, by one-off runners (over the net)."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

from validation.checks import Checks

ROOT = Path(__file__).resolve().parents[1]
CLEAN = {name: value for name, value in os.environ.items() if not name.startswith("PYTHON")}
TOOLS = ("build", "twine", "check-jsonschema", "cffconvert", "uv", "pipx")
BARE_MOST, ALL_MOST = 450, 1000
"""Megabytes, with the environment itself, that an installation may take."""


def run(checks: Checks) -> None:
    """Build, check the metadata, install into empty environments, and run the demo from each."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        # Each tool in an environment of its own: some ask for versions that others refuse.
        tools = {name: _environment(place / f"tool-{name}", name) for name in TOOLS}
        _out(tools["build"], "-m", "build", "--outdir", place / "dist", ROOT)
        (wheel,), (sdist,) = (place / "dist").glob("*.whl"), (place / "dist").glob("*.tar.gz")
        checks.note(f"  {wheel.name}: {_kilobytes(wheel)} kB, {sdist.name}: {_kilobytes(sdist)} kB")
        said = _out(tools["twine"], "-m", "twine", "check", "--strict", wheel, sdist)
        checks.that(
            "twine finds nothing to complain of", said.count("PASSED") == 2, f"{said.count('PASSED')} of 2"
        )
        _citation(checks, tools["cffconvert"])
        _workflows(checks, tools["check-jsonschema"])
        bare = _installed(checks, place, wheel, "", BARE_MOST)
        _installed(checks, place, wheel, "plots", ALL_MOST)
        whole = _installed(checks, place, wheel, "all", ALL_MOST)
        checks.that("the demo prints the same bare and with everything", bare == whole)
        one_off = {
            "uvx": (tools["uv"].parent / "uv", "tool", "run", "--from", wheel, "truerank"),
            "pipx run": (tools["pipx"].parent / "pipx", "run", "--spec", wheel, "truerank"),
        }
        for name, command in one_off.items():
            there = place / name.replace(" ", "-")
            there.mkdir()
            printed = _out(*command, "demo", cwd=there)
            checks.that(f"{name} runs the demo", _assessment(printed) == bare)


def _environment(place: Path, *packages: str | Path) -> Path:
    """The Python of a new environment with these packages."""
    venv.create(place, with_pip=True)
    python = place / ("Scripts" if os.name == "nt" else "bin") / "python"
    _out(python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *packages)
    return python


def _installed(checks: Checks, place: Path, wheel: Path, extra: str, most: int) -> str:
    """What the demo of the wheel with an extra prints, after checks of size, version and files."""
    name = f"truerank[{extra}]" if extra else "truerank"
    began = time.perf_counter()
    python = _environment(place / f"installed-{extra}", f"{wheel}[{extra}]" if extra else wheel)
    seconds = time.perf_counter() - began
    size = sum(path.lstat().st_size for path in (place / f"installed-{extra}").rglob("*")) / 1e6
    checks.that(f"{name} takes at most {most} MB", size <= most, f"{size:.0f} MB, {seconds:.0f} s to install")
    started = {word: _seconds(python, "-m", "truerank", word) for word in ("--version", "--help")}
    checks.note(f"  {name}: " + ", ".join(f"{word} in {took:.2f} s" for word, took in started.items()))
    there = place / f"demo-{extra}"
    there.mkdir()
    began = time.perf_counter()
    printed = _out(python.parent / "truerank", "demo", cwd=there)
    checks.note(f"  {name}: demo in {time.perf_counter() - began:.1f} s")
    page = there / "truerank-demo" / "report.html"
    if extra:
        checks.that(f"{name} writes the page", page.read_text(encoding="utf-8").startswith("<!doctype html>"))
    else:
        checks.that("truerank alone says what the page needs", "pip install 'truerank[plots]'" in printed)
        wanted = [python, "-m", "truerank", "assess", "truerank-demo/scores.csv", "--html", "page.html"]
        refused = subprocess.run(wanted, cwd=there, env=CLEAN, capture_output=True, text=True, check=False)
        checks.that("and refuses --html with exit code 2", refused.returncode == 2, refused.stderr.strip())
    return _assessment(printed)


def _assessment(printed: str) -> str:
    return printed.partition("Written to")[0]


def _citation(checks: Checks, python: Path) -> None:
    said = _out(python.parent / "cffconvert", "--validate", "-i", ROOT / "CITATION.cff")
    checks.that("the citation file is valid", "valid according to schema" in said, said.strip())


def _workflows(checks: Checks, python: Path) -> None:
    files = sorted((ROOT / ".github" / "workflows").glob("*.yml"))
    schema = ("--builtin-schema", "vendor.github-workflows")
    said = _out(python.parent / "check-jsonschema", *schema, *files)
    checks.that("the workflows fit their schema", bool(re.search("ok", said)), f"{len(files)} files")


def _seconds(*command: str | Path) -> float:
    """The quickest of three runs."""
    taken = []
    for _ in range(3):
        began = time.perf_counter()
        _out(*command)
        taken.append(time.perf_counter() - began)
    return min(taken)


def _out(*command: str | Path, cwd: Path | None = None) -> str:
    done = subprocess.run(
        command,
        cwd=cwd or ROOT.parent,
        env=CLEAN,
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
    )
    if done.returncode != 0:
        sys.stderr.write(done.stdout + done.stderr)
        raise RuntimeError(f"failed: {' '.join(map(str, command))}")
    return done.stdout


def _kilobytes(path: Path) -> str:
    return f"{path.stat().st_size / 1000:.0f}"
