"""What share of the noise comes from each source: of each system from topics and runs, or from facets too."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import vega_key
from truerank._support.wording import percent
from truerank.report.charts.style import PAGE, Size, chart, finished
from truerank.report.lettering import fitted, in_passing
from truerank.report.palette import ACCENT, SOFT

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truerank.reliability.results import Assessment

SHOWN = 25
"""Systems that are drawn."""


def noise_chart(a: Assessment, size: Size = PAGE, shown: Sequence[str] | None = None) -> Any:
    """A bar for each system, in ranking order: the percentages of the variance of its score, by source.

    Args:
        a: an assessment with repeats.
        size: for a page or a paper.
        shown: the systems that are drawn; by default the first ones.
    """
    import altair as alt

    assert a.noise is not None
    wanted = {s.system for s in a.ranking} if shown is None else set(shown)
    systems = [one for one in a.noise.systems if one.system in wanted][:SHOWN]
    short = fitted([in_passing(one.system) for one in systems], 0.3 * size.width, size.text)
    names = [vega_key(short[in_passing(one.system)]) for one in systems]
    units = a.sampled.many
    source = "runs"
    records = [
        {"name": name, "source": label, "share": value, "order": order, "about": in_passing(one.system)}
        for name, one in zip(names, systems, strict=True)
        for order, (label, value) in enumerate(((units, 1 - one.share), (source, one.share)))
    ]
    made = (
        chart(records)
        .mark_bar(height={"band": 0.7})
        .encode(
            x=alt.X(
                "share:Q",
                title="share of the variance of the score",
                scale=alt.Scale(domain=[0, 1]),
                axis=alt.Axis(orient="top", tickCount=4, format=".0%"),
            ),
            y=alt.Y("name:N", sort=names, title=None, axis=alt.Axis(labelLimit=0, grid=False)),
            color=alt.Color(
                "source:N",
                sort=[units, source],
                scale=alt.Scale(domain=[units, source], range=[SOFT, ACCENT]),
                legend=alt.Legend(title=None, orient="bottom"),
            ),
            order=alt.Order("order:Q"),
            description=alt.Description("about:N"),
        )
        .properties(width=0.6 * size.width, height=len(names) * min(size.row, 2 * size.font))
    )
    return finished(made, size)


def sources_chart(a: Assessment, size: Size = PAGE) -> Any:
    """A bar for each source of noise, with the interval of its share where it is known.

    Args:
        a: an assessment with facets.
        size: for a page or a paper.
    """
    import altair as alt

    assert a.noise is not None
    sources = {one.source: re.sub(r"\btopic\b", a.sampled.one, one.source) for one in a.noise.by_share}
    names = fitted([in_passing(one) for one in sources.values()], 0.45 * size.width, size.text)
    records = [
        {"name": vega_key(names[in_passing(sources[one.source])]), "share": one.share}
        | ({} if one.low != one.low else {"low": one.low, "high": one.high})
        | {"about": f"{in_passing(sources[one.source])}: {percent(one.share)}"}
        for one in a.noise.by_share
    ]
    y = alt.Y(
        "name:N",
        sort=[str(one["name"]) for one in records],
        title=None,
        axis=alt.Axis(labelLimit=0, grid=False),
    )
    axis = alt.Axis(orient="top", tickCount=4, format=".0%")
    x = alt.X("share:Q", title="share of the noise", scale=alt.Scale(domain=[0, 1]), axis=axis)
    bars = chart(records).mark_bar(height={"band": 0.6}, color=SOFT)
    layers = [bars.encode(x=x, y=y, description=alt.Description("about:N"))]
    known = [one for one in records if "low" in one]
    if known:
        rules = chart(known).mark_rule(color=ACCENT, strokeWidth=2)
        layers.append(rules.encode(x=alt.X("low:Q"), x2="high:Q", y=y))
    made = alt.layer(*layers).properties(
        width=0.5 * size.width, height=len(records) * min(size.row, 2 * size.font)
    )
    return finished(made, size)
