"""The three panels of carterette-2009's Figure 4: τ, distance and p as judgments grow."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank.experiments.shared.agreement import ALPHA, GOOD

if TYPE_CHECKING:
    from pandas import DataFrame

PANELS = (("tau", "Kendall's τ"), ("distance", "Rank distance"), ("p", "p"))


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Any:
    """One line a measure; dashed: τ = 0.9, each measure's critical distance, p = 0.05.

    Args:
        rows: one a point, with ``measure``, ``tau``, ``distance``, ``critical`` and ``p``.
        x: field across.
        x_title: its axis.
        data: name of the data.
    """
    from truerank.report.charts.panels import lines, panels

    titles = dict(PANELS)
    rules = {
        "tau": [GOOD],
        "distance": sorted(set(rows["critical"])),
        "p": [ALPHA],
    }
    long = rows.melt(
        id_vars=[x, "measure"], value_vars=list(titles), var_name="what", value_name="value"
    ).assign(data=data)
    long["panel"] = long["what"].map(titles)

    def panel(frame: DataFrame, series: Any) -> Any:
        what = frame["what"].iloc[0]
        return lines(frame, x, "value", "measure", x_title, titles[what], series, rules=rules[what])

    return panels(long, rows="data", columns="panel", panel=panel, series="measure", title="Measure")
