"""Writes docs/how-right.md from the ledger: `python -m validation.ledger.page`."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from validation.ledger.entries import Entry, entries, measured
from validation.ledger.measuring import Cell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-right.md"

HEAD = """# How right is every number?

*For everyone who quotes a number of truerank: what each statement promises, and what was measured of it.*

Every statement with a probability was held against a known truth. Tables of 20 and 50 topics were drawn
from models of test collections, from public leaderboards, and from populations made to be hard. truerank
assessed each table, and the numbers it wrote as JSON were compared with the truth.

A row shows the promise, what was measured on average over all populations, and the worst population with
its standard error. *At least* and *at most* are promises that may be kept with room to spare. For an
expected value the row shows how far it is too high (+) or too low (−) on average.

To measure all of it anew: `python -m validation ledger`. It takes some two hours on two cores, and goes on
where it stopped.
"""

OTHERS = "## Measured by studies of their own"


def page() -> str:
    """The whole page."""
    rows, others = [], []
    for name, entry in entries().items():
        if entry.study:
            figures = f"[figures]({entry.page.removeprefix('docs/')})"
            others.append(f"| {entry.words} | {_promise(entry)} | {entry.claim} | {figures} |")
        elif cells := measured()[name]:
            rows.append(_row(entry, cells))
    return "\n".join(
        [
            HEAD,
            "| statement | promise | measured | worst | what is claimed, and when it fails |",
            "| --- | --- | --- | --- | --- |",
            *rows,
            "",
            OTHERS,
            "",
            "| statement | promise | what is claimed | figures |",
            "| --- | --- | --- | --- |",
            *others,
            "",
        ]
    )


def _row(entry: Entry, cells: list[Cell]) -> str:
    weights = [cell.collections for cell in cells]
    known = [cell for cell in cells if cell.collections >= 20]
    worst = max(known or cells, key=lambda cell: (abs(entry.off(cell)), cell.said - cell.happened))
    where = f"{worst.population}, {worst.topics} {'battles a system' if worst.kind == 'arena' else 'topics'}"
    if entry.holds == "value":
        mean = f"{_signed(np.average([cell.said - cell.happened for cell in cells], weights=weights))}"
        edge = f"{_signed(worst.said - worst.happened)} ± {worst.error:.3f}"
    else:
        mean = f"{100 * np.average([cell.happened for cell in cells], weights=weights):.1f}%"
        edge = f"{100 * worst.happened:.1f}% ± {100 * worst.error:.1f}"
    claim = f"{entry.claim}. {entry.fails}".strip()
    return f"| {entry.words} | {_promise(entry)} | {mean} | {edge} ({where}) | {claim} |"


def _promise(entry: Entry) -> str:
    words = {"least": f"at least {entry.level}", "most": f"at most {entry.level}", "value": "the value said"}
    return words.get(entry.holds, entry.level)


def _signed(number: float) -> str:
    return f"{number:+.3f}".replace("-", "−")


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
