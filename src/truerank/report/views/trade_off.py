"""The trade-off in the view of an assessment: which systems may be on the frontier of quality and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Table
from truerank._support.wording import level_text, listed
from truerank.reliability.frontier import TradeOff, TradeOffRow
from truerank.reliability.results import Assessment
from truerank.report import charts
from truerank.report.sampled import score_title, score_word
from truerank.report.view import Figure, Section

NAMED = 8
"""Systems on the frontier that a sentence names."""

WIDTH, HEIGHT, MARGIN = 640, 360, 12


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
        f"{len(found.observed)} of {m} systems {on} on the observed frontier of "
        f"{a.measure or score_word(a)} and {found.measure}; {inside} may be on the true one "
        f"({level}){names}{others}."
    ]


def trade_off_section(a: Assessment) -> Section | None:
    """The table and the picture."""
    found = a.pareto
    if found is None:
        return None
    score, level = score_word(a), level_text(found.level)
    better = "lower" if found.lower_is_better else "higher"
    table = Table.of(
        "trade_off",
        f"The frontier of {a.measure or score} and {found.measure} at {level}",
        TradeOffRow,
        found.rows,
        {"measure": found.measure, "score": score.capitalize()},
        note=f"{found.measure}: {better} is better. On the frontier: the chance that no other system "
        "dominates this one. In the set: whether it may be on the true frontier. Observed: whether it is on "
        "the observed one. Dominated by: the system that does so in the most draws, and in how many.",
    )
    digits = 2 - math.floor(math.log10(np.median([abs(row.value) for row in found.rows]) or 1))
    exact = Bounded(low="low", high="high", digits=min(max(digits, 0), 12))
    columns = (replace(one, kind=exact) if one.key == "value" else one for one in table.columns)
    text = [
        "A system is dominated by another that is at least as good by both, and better by one. With "
        f"{level} confidence every system on the true frontier is in the set."
    ]
    figure = Figure(
        "trade-off",
        f"Bars: {level} intervals. Filled: may be on the true frontier. Line: the observed frontier.",
        f"{score.capitalize()} of every system against {found.measure}. A table has the same numbers.",
        lambda size: charts.frontier_chart(found, score_title(a), size),
        subject=f"{score.capitalize()} and {printable(found.measure)}.",
    )
    return Section(
        "trade-off",
        "Trade-off",
        text,
        [figure],
        tables=[replace(table, columns=tuple(columns))],
        picture=lambda: frontier_picture(found, score),
    )


def frontier_picture(found: TradeOff, score: str) -> Markup:
    """Quality against the second criterion, with intervals both ways; the observed frontier as steps."""
    from truerank.report.outputs.page import fill

    values = [end for row in found.rows for end in (*row.ends, row.value)]
    across = _axis(values, WIDTH, math.log10 if found.logged else float)
    up = _axis([end for row in found.rows for end in (row.mean_low, row.mean, row.mean_high)], HEIGHT, float)

    def x(value: float) -> float:
        return round(across(value), 1)

    def y(mean: float) -> float:
        return round(HEIGHT - up(mean), 1)

    dots = [
        {
            "system": row.system,
            "x": x(row.value),
            "y": y(row.mean),
            "across": [x(end) for end in row.ends],
            "up": [y(row.mean_low), y(row.mean_high)],
            "in_set": row.in_set,
        }
        for row in found.rows
    ]
    corners = sorted((x(row.value), y(row.mean)) for row in found.rows if row.observed)
    steps = "".join(
        f"M{right} {top}" if k == 0 else f"H{right}V{top}" if found.lower_is_better else f"V{top}H{right}"
        for k, (right, top) in enumerate(corners)
    )
    return Markup(
        fill(
            "frontier.html",
            dots=dots,
            steps=steps,
            measure=found.measure,
            score=score,
            logged=found.logged,
            low=f"{min(values):.3g}",
            high=f"{max(values):.3g}",
            width=WIDTH,
            height=HEIGHT,
        )
    )


def _axis(values: Sequence[float], length: int, scale: Callable[[float], float]) -> Callable[[float], float]:
    """Where values stand along an axis."""
    low, high = scale(min(values)), scale(max(values))
    span = (high - low) or 1.0
    return lambda value: MARGIN + (length - 2 * MARGIN) * (scale(value) - low) / span
