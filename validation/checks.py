"""What validations share: printing, counting what holds and what fails, finding the data."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"


class NoDataError(Exception):
    """The data folder is not beside the project."""


def data_folder() -> Path:
    """The folder of real TREC data beside the project."""
    if not DATA.is_dir():
        raise NoDataError("no data folder beside the project")
    return DATA


@dataclass
class Checks:
    """The outcome of a validation: each check is printed when made."""

    passed: int = 0
    failed: list[str] = field(default_factory=list)

    def note(self, text: str) -> None:
        """Print something that is not checked."""
        print(text, flush=True)

    def that(self, what: str, holds: bool, measured: str = "") -> None:
        """Print whether something holds, with what was measured."""
        print(f"  {'ok  ' if holds else 'FAIL'} {what}: {measured}", flush=True)
        if holds:
            self.passed += 1
        else:
            self.failed.append(what)
