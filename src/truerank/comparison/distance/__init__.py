"""Rank distance: do two rankings really differ, given the topics behind one of them?"""

from truerank.comparison.distance.rank_distance import (
    BootstrapDistribution,
    RankDistance,
    RankDistanceTest,
    rank_distance,
    rank_distance_test,
)
from truerank.comparison.distance.reference import Reference

__all__ = [
    "BootstrapDistribution",
    "RankDistance",
    "RankDistanceTest",
    "Reference",
    "rank_distance",
    "rank_distance_test",
]
