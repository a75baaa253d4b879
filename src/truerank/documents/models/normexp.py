"""`normexp`: normal scores for relevant documents, exponential ones for the others (Arampatzis 2001)."""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.documents.collection import DocumentList
from truerank.documents.models.continuous import RelevantScores, ShareAbove, fit_scores
from truerank.documents.models.model import ABOUT, DocumentModel, Sampler


def normal_scores(scores: Vector) -> RelevantScores:
    """Draws from the normal distribution with the scores' mean and sd (n − 1)."""
    mean, sd = float(scores.mean()), float(scores.std(ddof=1))

    def draw(size: int, rng: Generator) -> Vector:
        return rng.normal(mean, sd, size)

    return draw


def exponential_share_above(scores: Vector) -> ShareAbove:
    """``S(x) = exp(−(x − lowest)/(mean − lowest))``, 1 below the lowest."""
    lowest = float(scores.min())
    scale = float(scores.mean()) - lowest
    return lambda at: np.exp(np.minimum(lowest - at, 0.0) / scale)


def fit(documents: DocumentList) -> Sampler:
    """Both fits on a list's scores. O(N)."""
    return fit_scores(documents, normal_scores, exponential_share_above)


NORMEXP = DocumentModel("normexp", fit=fit, **ABOUT["normexp"])
