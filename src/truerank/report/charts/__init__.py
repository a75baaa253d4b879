"""The charts: each takes a result and a size and gives a Vega-Lite specification. Imported to be drawn."""

from __future__ import annotations

from typing import Any

from truerank._support.imports import opened_when_used

_opened, _ = opened_when_used(
    __name__,
    {
        "report.charts.critical_difference": "critical_difference_chart",
        "report.charts.forest": "ranking_chart",
        "report.charts.pairs": "drawing",
        "report.charts.plots": "closing_chart error_chart frontier_chart plan_chart "
        "topic_chart topic_differences_chart",
    },
)


def __getattr__(name: str) -> Any:
    return _opened(name)
