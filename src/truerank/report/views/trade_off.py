"""The trade-off in the view of an assessment: which systems may be on the frontier of quality and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from markupsafe import Markup

from truerank._support.tables import Table
from truerank._support.wording import level_text, listed, number
from truerank.reliability.results import Assessment
from truerank.reliability.trade_off import LOG_SPAN, TradeOff, TradeOffRow
from truerank.report.sampled import score_word
from truerank.report.view import Section

NAMED = 8
"""Systems on the frontier that a sentence names."""

WIDTH, HEIGHT = 640, 360


def trade_off_answer(a: Assessment) -> list[str]:
    """How many systems are on the observed frontier, and how many may be on the true one."""
    found = a.pareto
    if found is None:
        return []
    m, inside, level = len(found.rows), len(found.systems), level_text(found.level)
    names = f": {listed(found.systems)}" if inside <= NAMED else ""
    on = "is" if len(found.observed) == 1 else "are"
    rest = m - inside
    others = f"; the other {rest} {'is' if rest == 1 else 'are'} dominated" if rest else ""
    return [
        f"{len(found.observed)} of {m} systems {on} on the observed frontier of {score_word(a)} and "
        f"{found.measure}; {inside} may be on the true one ({level}){names}{others}."
    ]


def trade_off_section(a: Assessment) -> Section | None:
    """The table and the picture."""
    found = a.pareto
    if found is None:
        return None
    better = "lower" if found.lower_is_better else "higher"
    table = Table.of(
        "trade_off",
        f"The frontier of {score_word(a)} and {found.measure} at {level_text(found.level)}",
        TradeOffRow,
        found.rows,
        {"measure": found.measure, "score": score_word(a).capitalize()},
        note=f"{found.measure}: {better} is better. On the frontier: the chance that no other system is at "
        f"least as good by both. Dominated by: the system that most often is, with the chance of it.",
    )
    text = [
        "A system is dominated by another that is at least as good and costs no more, one of the two strictly. "
        f"With {level_text(found.level)} confidence every system on the true frontier is among those that may be "
        "on it."
    ]
    score = score_word(a)
    return Section(
        "trade-off", "Trade-off", text, tables=[table], picture=lambda: frontier_picture(found, score)
    )


def frontier_picture(found: TradeOff, score: str) -> Markup:
    """Quality against the second criterion, with intervals both ways; the observed frontier as steps."""
    from truerank.report.outputs.page import fill

    values = [end for row in found.rows for end in (row.low, row.value, row.high)]
    logged = min(values) > 0 and max(values) > LOG_SPAN * min(values)
    across = _axis(values, WIDTH, math.log10 if logged else float)
    up = _axis([end for row in found.rows for end in (row.mean_low, row.mean, row.mean_high)], HEIGHT, float)

    def place(value: float, mean: float) -> tuple[float, float]:
        return round(across(value), 1), round(HEIGHT - up(mean), 1)

    dots = [
        {
            "system": row.system,
            "at": place(row.value, row.mean),
            "across": (place(row.low, row.mean)[0], place(row.high, row.mean)[0]),
            "up": (place(row.value, row.mean_low)[1], place(row.value, row.mean_high)[1]),
            "in_set": row.in_set,
        }
        for row in found.rows
    ]
    steps = sorted((place(row.value, row.mean) for row in found.rows if row.observed))
    path = "".join(
        f"M{x} {y}" if k == 0 else f"H{x}V{y}" if found.lower_is_better else f"V{y}H{x}"
        for k, (x, y) in enumerate(steps)
    )
    ends = (min(values), max(values))
    return Markup(
        fill(
            "frontier.html",
            dots=dots,
            path=path,
            measure=found.measure,
            score=score,
            logged=logged,
            low=number(ends[0], 3),
            high=number(ends[1], 3),
            width=WIDTH,
            height=HEIGHT,
        )
    )


def _axis(
    values: Sequence[float], length: int, scale: Callable[[float], float]
) -> Callable[[float], float]:
    """Where values stand along an axis."""
    low, high = scale(min(values)), scale(max(values))
    span = (high - low) or 1.0
    return lambda value: 12 + (length - 24) * (scale(value) - low) / span
