"""What can change digits besides arguments and data: versions of what computes them, and its very code."""

from __future__ import annotations

import hashlib
import platform
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")
"""Whose versions can change digits."""


def versions() -> dict[str, str]:
    """The versions here, by name; of what is installed."""
    found = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            continue
    return found


@cache
def code() -> str:
    """A digest of truerank's own files, which differ between two checkouts of one version."""
    import truerank

    folder = Path(truerank.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()
