"""Figures that several studies draw, and the panels of carterette-2009's Figure 4."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from truerank.experiments.shared.agreement import ALPHA, GOOD

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame


def by_topics(
    table: DataFrame,
    value: str,
    title: str,
    *,
    rows: str = "data",
    columns: str = "coefficient",
    series: str = "estimator",
) -> Callable[[], TopLevelMixin]:
    """A value by number of topics, one panel per data and coefficient, one line per estimator."""
    from truerank.report.charts.panels import lines, panels

    def panel(frame: DataFrame, names: Any) -> Any:
        return lines(frame, "topics", value, series, "Topics", title, names)

    return lambda: panels(table, rows=rows, columns=columns, panel=panel, series=series)


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Callable[[], TopLevelMixin]:
    """τ, distance and p, one line per measure; dashed: τ = 0.9, each critical distance, p = 0.05."""
    titles = {"tau": "Kendall's τ", "distance": "Rank distance", "p": "p"}

    def draw() -> TopLevelMixin:
        from truerank.report.charts.panels import lines, panels

        rules = {"tau": [GOOD], "distance": sorted(set(rows["critical"])), "p": [ALPHA]}
        long = rows.melt(
            id_vars=[x, "measure"], value_vars=list(titles), var_name="what", value_name="value"
        ).assign(data=data)
        long["panel"] = long["what"].map(titles)

        def panel(frame: DataFrame, series: Any) -> Any:
            what = frame["what"].iloc[0]
            return lines(frame, x, "value", "measure", x_title, titles[what], series, rules=rules[what])

        return panels(long, rows="data", columns="panel", panel=panel, series="measure", title="Measure")

    return draw
