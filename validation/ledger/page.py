"""Writes docs/how-right.md from the ledger: `python -m validation.ledger.page`."""

from __future__ import annotations

import textwrap
from pathlib import Path

import numpy as np

from validation.ledger.entries import Entry, entries, measured, warned
from validation.ledger.measuring import Cell

PAGE = Path(__file__).resolve().parents[2] / "docs" / "how-right.md"

HEAD = """# How right is every number?

*For everyone who quotes a number of truerank: what each statement promises, and what was measured of it.*

Every statement with a probability was checked where the truth is known: in the JSON of tables of 20 and 50
topics. These came from models of test collections, from public boards, and from populations made to be hard.
`python -m validation ledger` measures all of it anew in half an hour of one core (`--quick`: three minutes).

- **promise**: what the words of the output say. *At least* and *at most* may be kept with room to spare.
- **measured**: how often it was so, on average over populations. For an expected value: how far it was too
  high (+) or too low (−).
- **worst**: the population where it held least, with its standard error; part of it is chance, as it is the
  worst of many. *Cautious*: on the safe side.
- **tables**: how many made the statement. Systems that are all equal have no true order and are left out.
"""

SHORT = """## Not kept on average

These miss their promise by more than 5 points, or 0.02 of a value; all others are within.
"""

TABLE = """
## All statements

| statement | promise | measured | worst | tables |
| --- | --- | --- | --- | ---: |
"""

CLAIMS = "## What is claimed, and when it fails"

FAR = 0.05
"""Of a promise, beyond which it is said where it is missed."""

WARNS = " The output says so."

OTHERS = "## Measured by separate studies"


def page() -> str:
    """The whole page."""
    rows, others = [], []
    alike: dict[str, list[str]] = {}  # entries of one claim, by its text
    for name, entry in entries().items():
        if entry.page:
            figures = f"[figures]({entry.page.removeprefix('docs/')})"
            others.append(_wrapped(f"{entry.words} ({_promise(entry)}): {figures}. {entry.fails}".strip()))
        elif cells := measured()[name]:
            row, worst = _row(entry, cells)
            rows.append(row)
            warns = ""
            if (share := warned(entry, worst)) >= 0.5 and abs(entry.off(worst)) > 2 * FAR:
                warns = " The output warned in the worst tables." if share < 1 else WARNS
            text = " ".join(f"{entry.claim}. {entry.fails}{warns}".split())
            alike.setdefault(text, []).append(f"**{entry.words}**")
    missed: dict[str, list[str]] = {}
    for entry in (one for one in entries().values() if one.short):
        missed.setdefault(entry.short, []).append(f"**{entry.words}**")
    short = "\n".join(_wrapped(f"{'; '.join(names)}. {why}") for why, names in missed.items())
    leads = {text: "; ".join(names) + (". Each:" if len(names) > 1 else ":") for text, names in alike.items()}
    claims = [_wrapped(f"{lead} {text}") for text, lead in leads.items()]
    parts = [
        HEAD,
        SHORT,
        short,
        TABLE + "\n".join(rows),
        CLAIMS,
        "\n".join(claims),
        OTHERS,
        "\n".join(others),
    ]
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _row(entry: Entry, cells: list[Cell]) -> tuple[str, Cell]:
    """The row of a statement, and the cell where it holds worst."""
    weights = [cell.collections for cell in cells]
    few = min(20, max(weights) / 2)
    enough = [cell for cell in cells if cell.collections >= few]
    side = -1 if entry.holds == "most" else 1
    worst = max(enough, key=lambda cell: (abs(entry.off(cell)), side * (cell.said - cell.happened)))
    if entry.holds == "value":
        mean = _signed(np.average([cell.said - cell.happened for cell in cells], weights=weights))
        edge = f"{_signed(worst.said - worst.happened)} ± {worst.error:.3f}"
    else:
        mean = f"{100 * np.average([cell.happened for cell in cells], weights=weights):.1f}%"
        edge = f"{100 * worst.happened:.1f}% ± {100 * entry.error(worst):.1f}"
        safe = {"5%": worst.happened < worst.said, "95%": worst.happened > worst.said}
        if entry.holds == "about" and safe.get(entry.level):
            edge += " (cautious)"
    return f"| {entry.words} | {_promise(entry)} | {mean} | {edge} | {sum(weights):,} |", worst


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
