"""The trade-off in the view of an assessment: which systems may be on the frontier of quality and cost."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace

import numpy as np
from markupsafe import Markup

from truerank._support.escaping import printable
from truerank._support.tables import Bounded, Table
from truerank._support.wording import level_text
from truerank.reliability.frontier import TradeOff, TradeOffRow
from truerank.reliability.results import Assessment
from truerank.report import charts
from truerank.report.view import Figure, Section
from truerank.report.words import Words, score_title, score_word

WIDTH, HEIGHT, MARGIN = 640, 360, 12


def trade_off_section(a: Assessment, said: Words) -> Section | None:
    """The table and the picture."""
    found = a.pareto
    if found is None:
        return None
    score, level = score_word(a), level_text(found.level)
    table = Table.of(
        "trade_off",
        f"The frontier of {a.measure or score} and {found.measure} at {level}",
        TradeOffRow,
        found.rows,
        {"measure": found.measure, "score": score.capitalize()},
        note=said("trade_off_note"),
    )
    digits = 2 - math.floor(math.log10(np.median([abs(row.value) for row in found.rows]) or 1))
    exact = Bounded(low="low", high="high", digits=min(max(digits, 0), 12))
    columns = (replace(one, kind=exact) if one.key == "value" else one for one in table.columns)
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
        said.all("trade_off_text"),
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
