"""A budget of judgments: more topics, or more documents judged for each?

The decomposition of scores over sampled documents (:mod:`truerank.documents`) splits the noise of a
comparison. One part comes from topics, the other from the documents that a topic happens to have. It says
what a larger *collection* of documents would give, judged as this one was, and nothing of deeper judging of
the same documents.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.planning.beliefs import Beliefs

MULTIPLES = (0.25, 0.5, 1.0, 2.0, 4.0)
"""Documents of a topic, over those of the pilot, that are looked at."""

CANNOT = Note(
    "other-pools",
    "the budget compares topics with documents of a larger or smaller collection, judged as this one was. "
    "It says nothing of deeper pools: the scores do not have documents that nobody judged",
)
"""What has to be said with such designs."""


@dataclass(frozen=True)
class Judging:
    """What judgments cost, and what a comparison of systems gains by them.

    Attributes:
        budget: judgments that can be paid.
        per_topic: judgments a topic of the pilot.
        by_topics: variance of system × topic.
        by_documents: variance of system × documents.

    Example:
        >>> judging = Judging(10_000, 100, 0.01, 0.005)
        >>> judging.topics(1.0), round(judging.effective(1.0)), round(judging.effective(2.0))
        (100, 100, 60)
    """

    budget: float
    per_topic: float
    by_topics: float
    by_documents: float

    def topics(self, documents: float) -> int:
        """Topics that the budget pays when each has that many times the documents."""
        return int(self.budget / (self.per_topic * documents))

    def effective(self, documents: float) -> float:
        """Topics of the pilot's kind that would separate systems as well as those."""
        now = self.by_topics + self.by_documents
        then = self.by_topics + self.by_documents / documents
        return self.topics(documents) * (now / then if then > 0 else 1.0)


@dataclass(frozen=True)
class BudgetDesign:
    """One way to spend a budget of judgments.

    Attributes:
        documents: of a topic, over those of the pilot.
        topics: that the budget pays then.
        judgments: that they take.
        estimate: τ expected.

    Example:
        >>> BudgetDesign(2.0, 50, 10_000, 0.85).topics
        50
    """

    documents: float
    topics: int
    judgments: int
    estimate: float


def budget_designs(beliefs: Beliefs, judging: Judging) -> tuple[BudgetDesign, ...]:
    """What the budget gives for few and for many documents per topic, where it pays for two topics."""
    if judging.per_topic <= 0:
        raise InputError("no topic has a judgment, so there is nothing to budget for")
    if not (math.isfinite(judging.budget) and judging.topics(MULTIPLES[0]) >= 2):
        raise InputError(
            f"a budget of {judging.budget:,.0f} judgments does not pay two topics of {judging.per_topic:,.0f}"
        )
    found = []
    for documents in MULTIPLES:
        topics = judging.topics(documents)
        if topics >= 2:
            share = float(beliefs.wrong([judging.effective(documents)])[0])
            judgments = round(topics * judging.per_topic * documents)
            found.append(BudgetDesign(documents, topics, judgments, 1 - 2 * share))
    return tuple(found)
