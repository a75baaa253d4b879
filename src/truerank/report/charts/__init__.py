"""The charts: each takes a result and a size and gives a Vega-Lite specification. Imported to be drawn."""

from __future__ import annotations

from typing import Any

from truerank._support.imports import opened_when_used

_opened, _ = opened_when_used(
    __name__,
    {
        "report.charts.comparison": "crossings_chart",
        "report.charts.critical_difference": "critical_difference_chart",
        "report.charts.curves": "closing_chart plan_chart",
        "report.charts.data_sets": "data_sets_chart",
        "report.charts.documents": "error_chart topic_chart",
        "report.charts.frontier": "frontier_chart",
        "report.charts.ranking": "ranking_chart",
        "report.charts.signed": "differences_chart machine_chart verdicts_chart",
        "report.charts.swaps": "swap_chart",
        "report.charts.topics": "topic_differences_chart topics_chart",
    },
)


def __getattr__(name: str) -> Any:
    return _opened(name)
