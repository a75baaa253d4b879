"""How far sampled scores are from the raw ones on the whole: whether the document model fits."""

from __future__ import annotations

import numpy as np

from truerank.documents.summaries.summary import (
    ABOUT,
    DocumentSummary,
    SummarizedSamples,
    SummaryNumber,
    SummaryNumbers,
)


def compute(given: SummarizedSamples) -> SummaryNumbers:
    """Mean absolute difference of a topic's mean sampled score from the raw one. O(n·m)."""
    value = float(np.abs(given.samples.topic_means - given.scores.values).mean())
    return SummaryNumbers((SummaryNumber("topic_error", "|sampled − raw| of a topic", value, digits=4),))


TOPIC_ERROR = DocumentSummary("topic_error", compute=compute, **ABOUT["topic_error"])
