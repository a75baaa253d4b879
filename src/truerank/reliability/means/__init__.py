"""How systems are scored: estimates with influence rows, whatever the scores are made of.

A plain mean of topics, an average over data sets, least squares over empty cells, points of votes: each
gives a :class:`Means`, and nothing behind it knows which.
"""

from truerank.reliability.means.aggregates import AGGREGATES, Aggregate
from truerank.reliability.means.means import Means
from truerank.reliability.means.means_of import Question, means_of

__all__ = ["AGGREGATES", "Aggregate", "Means", "Question", "means_of"]
