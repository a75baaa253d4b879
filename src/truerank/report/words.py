"""What the report says beyond plain numbers: symbols of coefficients, kinds of intervals."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from truerank._support.escaping import printable
from truerank._support.units import Unit
from truerank._support.wording import level_text, listed, number, shortened
from truerank.coefficients import COEFFICIENTS

if TYPE_CHECKING:
    from truerank.reliability.machine_judge import MachineBias, MachineJudge
    from truerank.reliability.results import Settings


def style_words(names: Sequence[str]) -> str:
    """Covariates that strengths are freed of: ``length``, or ``style`` where they are many."""
    return listed(list(map(printable, names))) if len(names) < 3 else "style"


def at_equal(names: Sequence[str] | None) -> str:
    """At which equal style strengths are: `` at equal length``; empty without covariates."""
    return f" at equal {style_words(names)}" if names else ""


PAIRS_ALIKE = "every pair counted alike"
"""What a method line says of battles that are weighted so."""

CITED = re.compile(r"\[@([^\s\[\]]+)\]")
"""A reference in a text, by its key."""

_SYMBOL = re.compile(r"(?<!\w)(τ|ρ|d)_(AP|rank|a|b|τ)(?!\w)|Eρ²")


def with_symbols(text: str, plain: Callable[[str], str], symbol: Callable[[str, str], str]) -> str:
    """A text with its symbols set by `symbol` (base and index), and what is between them by `plain`."""
    made, end = [], 0
    for found in _SYMBOL.finditer(text):
        made.append(plain(text[end : found.start()]))
        made.append(symbol(found[1] or found[0], found[2] or ""))
        end = found.end()
    return "".join([*made, plain(text[end:])])


def difference_interval(settings: Settings) -> str:
    """What the interval of a difference to the baseline is called: simultaneous with the guarantee."""
    together = "simultaneous " if settings.guarantee else ""
    return f"{level_text(settings.levels[0])} {together}interval"


def symbol(coefficient: str) -> str:
    """The symbol of a coefficient as plain text, e.g. ``τ_AP``."""
    found = COEFFICIENTS.get(coefficient)
    return found.label if found else printable(coefficient)


NAMED = 5
"""Systems that a sentence names."""


def gain_sentence(judge: MachineJudge, unit: Unit) -> str:
    """What the machine's scores on that unit add to the human ones."""
    n = f"{judge.human_topics:,}"
    weight = f"their weight λ is {number(judge.scale, 2)}; 0 is none, 1 full"
    if judge.same_topics:
        return f"The machine judged the same {n} {unit.many} as people, so the human means stay as they are."
    if not judge.helps:
        return f"The machine’s scores add next to nothing to the {n} human {unit.many} ({weight})."
    worth = f"{judge.effective_topics:,.0f} ({weight})"
    return f"The machine’s scores make {n} human {unit.many} count as {worth}."


def bias_sentence(judge: MachineJudge, digits: int = 3) -> Iterator[str]:
    """Which systems the machine judge over-scores and under-scores; nothing where its scale is another."""
    if not judge.systems:
        return
    sure = f"with {level_text(judge.level)} confidence for all systems together"
    parts = []
    if judge.over_scored:
        parts.append(f"over-scores {_listed(judge.over_scored, digits)}")
    if judge.under_scored:
        parts.append(f"under-scores {_listed(judge.under_scored, digits)}")
    if not parts:
        none = f"No system is over-scored or under-scored beyond doubt, {sure}"
        yield f"{none}; that does not prove that none is."
        return
    yield f"Compared with the average system, the machine {' and '.join(parts)}, {sure}."


def _listed(systems: Sequence[MachineBias], digits: int) -> str:
    shown = [
        f"{shortened(printable(one.system), most=60)} ({number(one.relative, digits, sign=True)})"
        for one in systems[:NAMED]
    ]
    left = len(systems) - len(shown)
    last = f"{left} more" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last
