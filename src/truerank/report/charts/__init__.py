"""The charts: each takes a result and a size and returns an Altair chart. They are imported to be drawn."""

from __future__ import annotations

from typing import Any

from truerank._support.imports import opened_when_used

_opened, _ = opened_when_used(
    __name__,
    {
        "report.charts.arena": "arena_chart",
        "report.charts.closing": "closing_chart",
        "report.charts.critical_difference": "critical_difference_chart",
        "report.charts.data_sets": "data_sets_chart",
        "report.charts.documents": "error_chart topic_chart",
        "report.charts.estimates": "estimates_chart",
        "report.charts.measures": "measures_chart",
        "report.charts.noise": "noise_chart sources_chart",
        "report.charts.plan": "plan_chart spending_chart",
        "report.charts.power": "power_chart",
        "report.charts.ranking": "leader_chart moves_chart ranking_chart",
        "report.charts.reduction": "reduction_chart",
        "report.charts.signed": "differences_chart machine_chart verdicts_chart",
        "report.charts.swaps": "swap_chart",
        "report.charts.topic_differences": "topic_differences_chart",
        "report.charts.topics": "topics_chart",
    },
)


def __getattr__(name: str) -> Any:
    return _opened(name)
