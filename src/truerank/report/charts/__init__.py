"""The charts, one a file: each takes a result and a size and returns an Altair chart.

They are imported when they are drawn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank.report.charts.arena import arena_chart
    from truerank.report.charts.closing import closing_chart
    from truerank.report.charts.critical_difference import critical_difference_chart
    from truerank.report.charts.data_sets import data_sets_chart
    from truerank.report.charts.differences import differences_chart
    from truerank.report.charts.documents import error_chart, topic_chart
    from truerank.report.charts.estimates import estimates_chart
    from truerank.report.charts.leader import leader_chart
    from truerank.report.charts.machine import machine_chart
    from truerank.report.charts.measures import measures_chart
    from truerank.report.charts.noise import noise_chart, sources_chart
    from truerank.report.charts.plan import plan_chart
    from truerank.report.charts.power import power_chart
    from truerank.report.charts.ranking import ranking_chart
    from truerank.report.charts.reduction import reduction_chart
    from truerank.report.charts.swaps import swap_chart
    from truerank.report.charts.tau_by_runs import spending_chart
    from truerank.report.charts.topic_differences import topic_differences_chart
    from truerank.report.charts.topics import topics_chart

__all__ = [
    "arena_chart",
    "closing_chart",
    "critical_difference_chart",
    "data_sets_chart",
    "differences_chart",
    "error_chart",
    "estimates_chart",
    "leader_chart",
    "machine_chart",
    "measures_chart",
    "noise_chart",
    "plan_chart",
    "power_chart",
    "ranking_chart",
    "reduction_chart",
    "sources_chart",
    "spending_chart",
    "swap_chart",
    "topic_chart",
    "topic_differences_chart",
    "topics_chart",
]

__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "report.charts.arena": "arena_chart",
        "report.charts.closing": "closing_chart",
        "report.charts.critical_difference": "critical_difference_chart",
        "report.charts.data_sets": "data_sets_chart",
        "report.charts.differences": "differences_chart",
        "report.charts.documents": "error_chart topic_chart",
        "report.charts.estimates": "estimates_chart",
        "report.charts.leader": "leader_chart",
        "report.charts.machine": "machine_chart",
        "report.charts.measures": "measures_chart",
        "report.charts.noise": "noise_chart sources_chart",
        "report.charts.plan": "plan_chart",
        "report.charts.power": "power_chart",
        "report.charts.ranking": "ranking_chart",
        "report.charts.reduction": "reduction_chart",
        "report.charts.swaps": "swap_chart",
        "report.charts.tau_by_runs": "spending_chart",
        "report.charts.topic_differences": "topic_differences_chart",
        "report.charts.topics": "topics_chart",
    },
)
