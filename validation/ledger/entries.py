"""The ledger's entries, each with what was measured of it."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import numpy as np

from validation.ledger.measuring import Cell, stored
from validation.ledger.statements import NOTE

ALWAYS = "always"
LEDGER = Path(__file__).with_name("ledger.toml")


@dataclass(frozen=True, kw_only=True)
class Entry:
    """One statement.

    Attributes:
        words: it is made in.
        claim: what happens if it holds, or, of an error, what must be rare.
        level: how often, for readers; or a value, or a probability.
        holds: about, at least or at most as often as it says; or by its value.
        says: where it stands, as Record.key of JSON.
        built: what makes its sentences and columns, as package.module.function.
        warns: codes of notes that say in the output when it does not hold; ALWAYS where its own words do.
        fails: when it does not hold.
        unwarned: populations where it fails in outputs that mostly have none of these notes.
        short: why it is missed by more than 5 points on average, or 0.02 of a value.
        study: a module of validation or of its studies that measures it where the ledger does not.
        page: shows the figures of what the ledger does not measure.
    """

    words: str
    claim: str
    level: str
    holds: Literal["about", "least", "most", "value"]
    says: Sequence[str]
    built: Sequence[str] = ()
    warns: Sequence[str] = ()
    unwarned: Sequence[str] = ()
    fails: str = ""
    short: str = ""
    study: str = ""
    page: str = ""

    def off(self, cell: Cell) -> float:
        """By how much a cell misses what is said; 0 on the safe side of an inequality."""
        difference = cell.happened - cell.said
        if self.holds == "least":
            return min(difference, 0.0)
        return max(difference, 0.0) if self.holds == "most" else difference

    def error(self, cell: Cell) -> float:
        """The standard error of a cell; where all of its tables agree, of as many at the promised level."""
        if cell.error > 0 or self.holds == "value":
            return cell.error
        return float(np.sqrt(cell.said * (1 - cell.said) / cell.collections))

    def mean(self, cells: Sequence[Cell]) -> tuple[float, float]:
        """By how much all cells miss what is said, on average, and the standard error."""
        weights = np.array([cell.collections for cell in cells])
        errors = np.nan_to_num([cell.error for cell in cells])
        off = float(np.average([self.off(cell) for cell in cells], weights=weights))
        return off, float(np.sqrt(np.sum((errors * weights) ** 2)) / weights.sum())

    def missed(self, cells: Sequence[Cell]) -> bool:
        """Whether it is missed on average, by more than 5 points or 0.02 of a value, and chance."""
        off, error = self.mean(cells)
        return abs(off) > (0.02 if self.level == "a value" else 0.05) + 2 * error


@cache
def entries() -> Mapping[str, Entry]:
    """All entries by name."""
    return {name: Entry(**one) for name, one in tomllib.loads(LEDGER.read_text(encoding="utf-8")).items()}


def measured() -> Mapping[str, list[Cell]]:
    """The stored cells of every entry."""
    found: dict[str, list[Cell]] = {name: [] for name in entries()}
    for cell in (one for one in stored() if not one.statement.startswith(NOTE)):
        found.setdefault(cell.statement, []).append(cell)
    return found


def warned(entry: Entry, cell: Cell) -> float:
    """The least share of a cell's outputs that warn of the statement; NaN where it is not known."""
    if ALWAYS in entry.warns:
        return 1.0
    outputs = {
        one.statement.removeprefix(NOTE): one.collections
        for one in stored()
        if one.statement.startswith(NOTE) and (one.kind, one.population, one.topics) == cell.place
    }
    return max((outputs.get(code, 0) for code in entry.warns), default=0) / outputs.get("", np.nan)
