"""Discriminative power: the p-values of all pairs of systems in decreasing order, one line per measure."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import printable
from truerank._support.wording import percent
from truerank.comparison.significance import TESTS
from truerank.comparison.significance.power import achieved_levels
from truerank.report.charts.style import (
    COLUMN,
    DASHES,
    Size,
    by_series,
    chart,
    finished,
    guide,
    layered,
    noted,
)
from truerank.report.palette import SERIES

if TYPE_CHECKING:
    from truerank.comparison.significance import Significance

WINDOW = 3.0
"""Highest p-value shown, in units of α: above, no pair is near to being separated."""

HEIGHT = 130
"""Of the panel, points."""

BESIDE = 32
"""Points that axis and labels take."""


def power_chart(found: Sequence[Significance], size: Size = COLUMN) -> Any:
    """The curves of achieved significance levels of one or several measures (Sakai 2006).

    Pairs above `WINDOW` · α are beyond the upper edge. A dashed rule is at α: the pairs to the right of
    where a curve crosses it are those that the measure separates.
    """
    import altair as alt

    alpha = found[0].alpha
    top = min(1.0, WINDOW * alpha)
    names, records = [], []
    for place, one in enumerate(found, 1):
        label = printable(one.measure) or ("scores" if len(found) == 1 else f"scores {place}")
        name = f"{label}, {percent(one.discriminative_power, 1)}"
        while name in names:
            name += " "
        names.append(name)
        levels = achieved_levels(one.tests)
        records += [
            {"pair": pair, "p": float(p), "measure": name} for pair, p in enumerate(levels, 1) if p <= top
        ]
        if above := int((levels > top).sum()):  # where the curve comes in from above
            records.append({"pair": above, "p": top, "measure": name})
    title = "Measure, and share of pairs below the rule"
    last = max(one.pairs for one in found)
    drawn = chart(records).mark_line(strokeWidth=1.1, clip=True)
    curves = drawn.encode(
        x=alt.X(
            "pair:Q",
            title="Pairs of systems, by decreasing p",
            scale=alt.Scale(domain=[0, last], nice=False),
        ),
        y=alt.Y("p:Q", title="Achieved significance level p", scale=alt.Scale(domain=[0, top], nice=False)),
        order="pair:Q",
        color=by_series(alt.Color, "measure", title, names, SERIES, size),
        strokeDash=by_series(alt.StrokeDash, "measure", title, names, DASHES, size),
    )
    rule = guide([{"alpha": alpha}], size, y="alpha:Q")
    made = layered(rule, curves, width=size.width - BESIDE, height=HEIGHT)
    test = TESTS[found[0].tests.test]
    alone = "for all pairs" if test.simultaneous else "uncorrected"
    key = (
        f"p: the chance of a difference as large between two equally good systems ({test.label}, {alone}); "
        f"dashed: α = {alpha:g}."
    )
    return finished(noted(made, "" if size.on_page else key, size), size, framed=True)
