"""What is said of a machine judge beside people, wherever one is shown."""

from __future__ import annotations

from collections.abc import Sequence

from truerank._support.escaping import printable
from truerank._support.units import Unit
from truerank._support.wording import level_text, number, shortened
from truerank.reliability.machine_judge import MachineBias, MachineJudge

NAMED = 5
"""Systems that a sentence names."""


def gain_sentence(judge: MachineJudge, unit: Unit, judged: str = "scores") -> str:
    """What the machine's scores (or battles) on that unit add to the human ones."""
    kept = "means" if judged == "scores" else "strengths"
    n, weight = judge.human_topics, f"λ = {number(judge.scale, 2)}, of at most 1"
    if judge.machine_topics == n:
        return f"The machine judged the same {n} {unit.many} as people, so the human {kept} stay as they are."
    if not judge.helps:
        return f"The machine’s {judged} add next to nothing to the {n} human {unit.many} ({weight})."
    worth = f"{judge.effective_topics:,.0f} ({weight})"
    return f"With the machine’s {judged}, {n} human {unit.many} count as {worth}."


def bias_sentence(judge: MachineJudge, digits: int = 3) -> str:
    """Which systems the machine judge over-scores and under-scores."""
    sure = f"with {level_text(judge.level)} confidence for all systems together"
    parts = []
    if judge.over_scored:
        parts.append(f"over-scores {_listed(judge.over_scored, digits)}")
    if judge.under_scored:
        parts.append(f"under-scores {_listed(judge.under_scored, digits)}")
    if not parts:
        none = f"No system is over-scored or under-scored beyond doubt, {sure}"
        return f"{none}; that does not prove that none is."
    return f"Relative to its average, the machine {' and '.join(parts)}, {sure}."


def _listed(systems: Sequence[MachineBias], digits: int) -> str:
    shown = [
        f"{shortened(printable(one.system), most=60)} ({number(one.relative, digits, sign=True)})"
        for one in systems[:NAMED]
    ]
    left = len(systems) - len(shown)
    last = f"{left} more" if left else shown.pop()
    return f"{', '.join(shown)} and {last}" if shown else last
