"""`normexp`: normal scores for relevant documents, exponential ones for the others (Arampatzis 2001)."""

from __future__ import annotations

import numpy as np

from truerank._support.types import Vector
from truerank.documents.collection import DocumentList
from truerank.documents.models.continuous import RelevantScores, ShareAbove, fit_scores
from truerank.documents.models.model import ABOUT, DocumentModel, Sampler


def fit(documents: DocumentList) -> Sampler:
    """Both fits on a list's scores. O(N)."""

    def normal(scores: Vector) -> RelevantScores:
        mean, sd = float(scores.mean()), float(scores.std(ddof=1))
        return lambda size, rng: rng.normal(mean, sd, size)

    def exponential(scores: Vector) -> ShareAbove:
        """``S(x) = exp(−(x − lowest)/(mean − lowest))``, 1 below the lowest."""
        lowest = float(scores.min())
        scale = float(scores.mean()) - lowest
        return lambda at: np.exp(np.minimum(lowest - at, 0.0) / scale)

    return fit_scores(documents, normal, exponential)


NORMEXP = DocumentModel("normexp", fit=fit, **ABOUT["normexp"])
