"""What truerank takes on the disk: its wheel, and every package that comes with it, without extras.

As the environment that runs this holds them: the files that each installed package says are its own.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
from importlib.metadata import PackageNotFoundError, distribution
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
NAME = re.compile(r"[\w.-]+")


def needed(name: str = "truerank") -> set[str]:
    """All that is installed with a package: what it requires, and what that requires; itself left out."""
    found: set[str] = set()
    waiting = [name]
    while waiting:
        for requirement in distribution(waiting.pop()).requires or []:
            wanted = NAME.match(requirement)
            if wanted is None or "extra ==" in requirement or wanted[0] in found:
                continue
            try:
                distribution(wanted[0])
            except PackageNotFoundError:  # for another system or another Python
                continue
            found.add(wanted[0])
            waiting.append(wanted[0])
    return found


def megabytes(name: str) -> float:
    """The files of one package, without what Python compiled: it may or may not be kept."""
    files = distribution(name).files or []
    return sum(Path(str(f.locate())).stat().st_size for f in files if f.suffix != ".pyc") / 1e6


def installed() -> float:
    """Truerank's own files and those of every package that it needs, MB."""
    own = sum(f.stat().st_size for f in (ROOT / "src" / "truerank").rglob("*") if f.suffix != ".pyc") / 1e6
    return own + sum(megabytes(name) for name in needed())


def wheel() -> float:
    """The wheel, MB."""
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run(
            [sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", folder, ROOT],
            check=True,
            capture_output=True,
        )
        return next(Path(folder).glob("*.whl")).stat().st_size / 1e6


def run() -> None:
    """Print the largest first."""
    print(f"{'wheel':34} {wheel():8.2f} MB")
    print(f"{'installed without extras':34} {installed():8.1f} MB")
    for size, name in sorted(((megabytes(name), name) for name in needed()), reverse=True):
        print(f"{name:34} {size:8.1f} MB")


if __name__ == "__main__":
    run()
