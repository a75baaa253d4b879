"""What `truerank experiment` and `truerank compare` print with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank.cli.console import console, longest_word, printable
from truerank.cli.tables import show_table, table
from truerank.report.words import level_text, number, p_text, share, span, symbol

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

    from truerank.reliability.machine_judge import MachineJudge

__all__ = [
    "console",
    "level_text",
    "longest_word",
    "number",
    "p_text",
    "printable",
    "share",
    "show_machine",
    "show_table",
    "span",
    "symbol",
    "table",
]

MIDDLE = 76
"""Columns from which on the table of a machine judge also shows the intervals of its bias."""

SHOWN = 25
"""Systems that it shows; the files have them all."""


def show_machine(judge: MachineJudge, out: Console, of: str = "") -> None:
    """Print a machine judge's bias for every system, or those that stick out where there are many."""
    show_table(out, f"{of}The machine judge", _machine(judge, out.width), _about_machine(judge, out.width))


def _machine(judge: MachineJudge, width: int) -> Table:
    """The systems that stick out first, as far as rows go; all others in the files."""
    level, roomy = level_text(judge.level), width >= MIDDLE
    made = table(
        ("system", "name"),
        ("bias", "right"),
        *[(f"{level} interval", "right")] * roomy,
        ("beyond mean", "right"),
        (f"{level} interval", "right"),
        ("", "left"),
    )
    order = sorted(judge.systems, key=lambda one: -one.relative)
    for one in order if len(order) <= SHOWN else [*order[: SHOWN // 2], *order[-SHOWN // 2 :]]:
        made.add_row(
            printable(one.system),
            number(one.bias, sign=True),
            *[span(one.low, one.high, sign=True)] * roomy,
            number(one.relative, sign=True),
            span(one.relative_low, one.relative_high, sign=True),
            {"over-scored": "↑", "under-scored": "↓"}.get(one.verdict, ""),
        )
    return made


def _about_machine(judge: MachineJudge, width: int) -> str:
    """How the columns are to be read."""
    left = len(judge.systems) - SHOWN
    more = f" … and {left} more in between (--csv DIR or --json FILE has all)." if left > 0 else ""
    narrow = f" Intervals of the bias show from {MIDDLE} columns on." if width < MIDDLE else ""
    return (
        f"Bias: the machine’s mean score less people’s, on the {judge.human_topics} topics that both judged. "
        "Beyond mean: the bias less that of all systems on average, which is what moves a ranking. "
        f"↑ over-scored, ↓ under-scored. Intervals hold for all systems at once.{narrow}{more}"
    )
