"""How systems are scored: estimates with influence rows, whatever the scores are made of.

A plain mean of topics, an average over data sets, least squares over empty cells, points of votes: each
gives a :class:`Means`, and nothing behind it knows which.
"""

from truerank.reliability.means.aggregates import AGGREGATES, Aggregate, find_aggregate
from truerank.reliability.means.corrected import Corrected, corrected
from truerank.reliability.means.means import Means
from truerank.reliability.means.means_of import (
    QUESTIONS,
    Question,
    means_of,
    per_data_set,
    question_of,
    table_of,
    topics_of,
    weights_of,
)
from truerank.reliability.means.plain import plain_means

__all__ = [
    "AGGREGATES",
    "QUESTIONS",
    "Aggregate",
    "Corrected",
    "Means",
    "Question",
    "corrected",
    "find_aggregate",
    "means_of",
    "per_data_set",
    "plain_means",
    "question_of",
    "table_of",
    "topics_of",
    "weights_of",
]
