"""How far sampled scores are from the raw ones on the whole: whether the document model fits."""

from __future__ import annotations

import numpy as np

from truerank.documents.summaries.summary import (
    DocumentSummary,
    SummarisedSamples,
    SummaryNumber,
    SummaryNumbers,
)


def compute(given: SummarisedSamples) -> SummaryNumbers:
    """Mean absolute difference of a topic's mean sampled score from the raw one. O(n·m)."""
    value = float(np.abs(given.samples.topic_means - given.scores.values).mean())
    return SummaryNumbers((SummaryNumber("topic_error", "|sampled − raw| of a topic", value, digits=4),))


TOPIC_ERROR = DocumentSummary(
    "topic_error",
    "Distance from the raw scores",
    compute,
    explanation=r"""
    How far the mean over samples of a system's score on a topic, $\bar x^{*}_{ts}$, is from the raw score
    $x_{ts}$, on average over topics and systems. Where it is large, the document model does not fit, and
    what it says of rankings does not hold. Yang and others read their Figure 1 this way [@yang-2018].
    """,
    formula=r"\frac{1}{nm} \sum_{t=1}^{n} \sum_{s=1}^{m} \left|\bar x^{*}_{ts} - x_{ts}\right|",
    references=("yang-2018",),
    brief="|sampled − raw|: how far a topic’s mean sampled score is from the score here, on average.",
)
