"""Rank distance: do two rankings really differ, given the topics behind one of them?"""

from truerank._support.imports import no_function
from truerank.comparison.distance import *  # noqa: F403
from truerank.comparison.distance import __all__ as __all__

no_function(__name__, "rank_distance(scores, y)")
