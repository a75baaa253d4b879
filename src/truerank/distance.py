"""Rank distance: do two rankings really differ, given the topics behind one of them?"""

from truerank.comparison.distance import *  # noqa: F403
from truerank.comparison.distance import __all__ as __all__
