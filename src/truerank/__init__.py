"""truerank: how close is this leaderboard to the true ranking?

>>> import truerank
>>> truerank.tau([0.31, 0.28, 0.25], [0.30, 0.22, 0.26])
0.3333333333333333
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.display import shown_by
from truerank._support.imports import opened_when_used
from truerank._support.version import __version__
from truerank.errors import InputError, TruerankError, UnknownNameError

if TYPE_CHECKING:
    from truerank.coefficients import (
        kendall_interval,
        rbo,
        tau,
        tau_a,
        tau_ap,
        tau_ap_a,
        tau_ap_b,
        tau_b,
    )
    from truerank.comparison import Comparison, compare
    from truerank.comparison.distance import rank_distance, rank_distance_test
    from truerank.comparison.gate import Decision, Gate, gate
    from truerank.comparison.sequential import Monitor
    from truerank.numerics.intervals import Interval
    from truerank.planning import Plan, plan
    from truerank.readers import evaluate, read_scores, write_scores
    from truerank.reliability.assessment import assess
    from truerank.reliability.leaderboard import Leaderboard, board
    from truerank.reliability.one_system import MeanScore, mean_score
    from truerank.reliability.results import Assessment
    from truerank.reliability.topics import Topics, topics
    from truerank.scores import ScoreMatrix

__all__ = [
    "Assessment",
    "Comparison",
    "Decision",
    "Gate",
    "InputError",
    "Interval",
    "Leaderboard",
    "MeanScore",
    "Monitor",
    "Plan",
    "ScoreMatrix",
    "Topics",
    "TruerankError",
    "UnknownNameError",
    "__version__",
    "assess",
    "board",
    "compare",
    "evaluate",
    "gate",
    "kendall_interval",
    "mean_score",
    "plan",
    "rank_distance",
    "rank_distance_test",
    "rbo",
    "read_scores",
    "tau",
    "tau_a",
    "tau_ap",
    "tau_ap_a",
    "tau_ap_b",
    "tau_b",
    "topics",
    "write_scores",
]


def _report() -> Any:
    from truerank.report import shown

    return shown


shown_by(_report)

# Imported when first used, so that `import truerank` costs nothing and the command line starts at once.
__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "coefficients": "kendall_interval rbo tau tau_a tau_ap tau_ap_a tau_ap_b tau_b",
        "comparison": "Comparison compare",
        "comparison.distance": "rank_distance rank_distance_test",
        "comparison.gate": "Decision Gate gate",
        "comparison.sequential": "Monitor",
        "numerics.intervals": "Interval",
        "planning": "Plan plan",
        "readers": "evaluate read_scores write_scores",
        "reliability.assessment": "assess",
        "reliability.leaderboard": "Leaderboard board",
        "reliability.one_system": "MeanScore mean_score",
        "reliability.results": "Assessment",
        "reliability.topics": "Topics topics",
        "scores": "ScoreMatrix",
    },
    "coefficients comparison distance documents estimators experiments planning readers reliability report "
    "significance simulation",
)
