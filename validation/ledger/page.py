"""Writes docs/how-right.md from the ledger: `python -m validation.ledger.page`."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

from validation.ledger.entries import Entry, entries, measured
from validation.ledger.measuring import Cell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-right.md"

HEAD = """# How right is every number?

*For everyone who quotes a number of truerank: what each statement promises, and what was measured of it.*

Every statement that truerank makes with a probability was checked where the truth is known. Tables of 20 and
50 topics came from models of test collections, from public leaderboards, and from populations made to be
hard. Some have empty cells or clusters. truerank assessed each table. The numbers that it wrote as JSON were
compared with the truth, in 50 tables of each population.

A row shows the promise, what was measured on average over all populations, and the worst population with
its standard error. *At least* and *at most* are promises that may be kept with room to spare. For an
expected value the row shows how far it is too high (+) or too low (−) on average. Systems that are all
equal have no true order, so statements about one are not measured there.

To measure all of it anew: `python -m validation ledger`. It takes some two hours on two cores, and goes
on where it stopped.
"""

TABLE = """
| statement | promise | measured | worst |
| --- | --- | --- | --- |
"""

CLAIMS = "## What is claimed, and when it fails"

FAR = 0.05
"""Of a promise, beyond which it is said where it is missed."""

OTHERS = "## Measured by separate studies"


def page() -> str:
    """The whole page."""
    rows, others = [], []
    alike: dict[str, list[str]] = {}  # entries of one claim, by its text
    for name, entry in entries().items():
        if entry.study:
            figures = f"[figures]({entry.page.removeprefix('docs/')})"
            others.append(_wrapped(f"{entry.words} ({_promise(entry)}): {figures}. {entry.fails}".strip()))
        elif cells := measured()[name]:
            row, worst = _row(entry, cells)
            rows.append(row)
            unit = "battles" if worst.kind == "arena" else "topics"
            far = abs(entry.off(worst)) > FAR
            where = f"Worst: {worst.population}, {worst.topics} {unit}." if far else ""
            text = " ".join(f"{entry.claim}. {where} {entry.fails}".split())
            alike.setdefault(text, []).append(f"**{entry.words}**")
    claims = [_wrapped(f"{'; '.join(names)}: {text}") for text, names in alike.items()]
    parts = [HEAD, TABLE + "\n".join(rows), CLAIMS, "\n".join(claims), OTHERS, "\n".join(others)]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _row(entry: Entry, cells: list[Cell]) -> tuple[str, Cell]:
    """The row of a statement, and the cell where it holds worst."""
    weights = [cell.collections for cell in cells]
    enough = [cell for cell in cells if cell.collections >= 20] or cells
    worst = max(enough, key=lambda cell: (abs(entry.off(cell)), cell.said - cell.happened))
    if entry.holds == "value":
        mean = _signed(np.average([cell.said - cell.happened for cell in cells], weights=weights))
        edge = f"{_signed(worst.said - worst.happened)} ± {worst.error:.3f}"
    else:
        mean = f"{100 * np.average([cell.happened for cell in cells], weights=weights):.1f}%"
        edge = f"{100 * worst.happened:.1f}% ± {100 * worst.error:.1f}"
    return f"| {entry.words} | {_promise(entry)} | {mean} | {edge} |", worst


def _wrapped(text: str) -> str:
    return textwrap.fill(
        text, 118, initial_indent="- ", subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
    )


def _promise(entry: Entry) -> str:
    words = {
        "least": f"at least {entry.level}",
        "most": f"at most {entry.level}",
        "value": f"{entry.level} said".replace("a ", "the ", 1),
    }
    return words.get(entry.holds, entry.level)


def _signed(number: float) -> str:
    return f"{number:+.3f}".replace("-", "−")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
