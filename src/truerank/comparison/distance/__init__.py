"""Rank distance: do two rankings really differ, given the topics behind one of them?"""

from truerank.comparison.distance.baseline import Baseline, aligned
from truerank.comparison.distance.bootstrap import BootstrapDistribution
from truerank.comparison.distance.rank_distance import (
    RankDistance,
    RankDistanceTest,
    rank_distance,
    rank_distance_test,
)

__all__ = [
    "Baseline",
    "BootstrapDistribution",
    "RankDistance",
    "RankDistanceTest",
    "aligned",
    "rank_distance",
    "rank_distance_test",
]
