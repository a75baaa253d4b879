"""Figures that several studies draw, and the panels of carterette-2009's Figure 4."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank.experiments.shared.agreement import ALPHA, GOOD

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Draw
    from truerank.report.charts.style import Size


def by_topics(
    table: DataFrame,
    value: str,
    title: str,
    *,
    rows: str = "data",
    columns: str = "coefficient",
    series: str = "estimator",
) -> Draw:
    """A value by number of topics, one panel per data and coefficient, one line per estimator.

    All panels have the same limits, with zero between them; bars are standard errors, where they are known.
    """
    from truerank.report.charts.panels import lines, panels

    error = f"{value}_se" if f"{value}_se" in table else None
    ends = [table[value] - table[error], table[value] + table[error]] if error else [table[value]] * 2
    domain = (min(0.0, float(ends[0].min())), max(0.0, float(ends[1].max())))
    rules = [0.0] if domain[0] < 0 else []

    def panel(frame: DataFrame, names: Any) -> Any:
        return lines(frame, "topics", value, "Topics", title, names, rules, domain=domain, error=error)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)


def against_each(
    table: DataFrame,
    values: tuple[str, str],
    titles: tuple[str, str],
    *,
    rows: str,
    columns: str,
    series: str = "estimator",
) -> Draw:
    """One value against another, with the line where they are equal; all panels have the same limits."""
    from truerank.report.charts.panels import against, panels

    both = table[list(values)].to_numpy(dtype=float)
    # An unbiased estimate of a variance may be negative.
    domain = (1.05 * min(0.0, float(both.min())), 1.05 * float(both.max()))

    def panel(frame: DataFrame, names: Any) -> Any:
        return against(frame, *values, names, titles, domain)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Draw:
    """τ, distance and p, one line per measure; dashed: τ = 0.9, each critical distance, p = 0.05."""
    titles = {"tau": "Kendall's τ", "distance": "Rank distance", "p": "p"}

    def draw(size: Size) -> TopLevelMixin:
        from truerank.report.charts.panels import lines, panels

        rules = {"tau": [GOOD], "distance": sorted(set(rows["critical"])), "p": [ALPHA]}
        long = rows.melt(
            id_vars=[x, "measure"], value_vars=list(titles), var_name="what", value_name="value"
        ).assign(data=data)
        long["panel"] = long["what"].map(titles)

        def panel(frame: DataFrame, series: Any) -> Any:
            what = frame["what"].iloc[0]
            return lines(frame, x, "value", x_title, titles[what], series, rules=rules[what])

        return panels(
            long, size, rows="data", columns="panel", panel=panel, series="measure", title="Measure"
        )

    return draw
