"""`kde`: scores from a Gaussian kernel density of each set (yang-2018 §3.1), with Scott's bandwidth.

Non-relevant scores are not drawn at all: only their distribution function is needed.
"""

from __future__ import annotations

import numpy as np
from numpy.random import Generator

from truerank._support.types import Vector
from truerank.documents.collection import DocumentList
from truerank.documents.models.continuous import RelevantScores, ShareAbove, fit_scores
from truerank.documents.models.model import ABOUT, DocumentModel, Sampler

STEPS = 8
"""Grid points of the tabulated distribution function per bandwidth.

Cubic Hermite interpolation with steps of h/8 errs by less than max|φ‴|·(1/8)⁴/384 < 1e-6 in
probability: a thousandth of a document in a list of a thousand.
"""

REACH = 6  # bandwidths from a score beyond which its kernel counts as 0 or 1 (an error under 1e-9)


def bandwidth(scores: Vector) -> float:
    """Scott's bandwidth of one set of scores."""
    return float(scores.std(ddof=1) * len(scores) ** -0.2)


def relevant_scores(scores: Vector) -> RelevantScores:
    """Draws from the kernel density: a score, and noise."""
    h = bandwidth(scores)

    def draw(size: int, rng: Generator) -> Vector:
        noise = rng.standard_normal(size)
        noise *= h
        noise += scores[rng.integers(0, len(scores), size)]
        return noise

    return draw


def share_above(scores: Vector) -> ShareAbove:
    """``S(x) = mean Φ((x_i − x)/h)``, tabulated with its slope: O(1) a score, absolute error under 1e-6."""
    h = bandwidth(scores)
    step = h / STEPS
    start = scores.min() - (REACH + 1) * h
    size = int((np.ptp(scores) + 2 * (REACH + 1) * h) / step) + 2
    value, slope = _on_grid((scores - start) / step, size)
    # Hermite's cubic in each cell, by powers of the position in it.
    rise = np.diff(value)
    second = 3 * rise - 2 * slope[:-1] - slope[1:]
    third = slope[:-1] + slope[1:] - 2 * rise
    cubic = np.column_stack([value[:-1], slope[:-1], second, third])

    def look_up(at: Vector) -> Vector:
        place = np.clip((at - start) / step, 0.0, size - 1.000001)
        cell = place.astype(np.intp)
        place -= cell
        result = cubic[cell]
        tail = result[:, 3] * place
        for power in (2, 1):
            tail += result[:, power]
            tail *= place
        tail += result[:, 0]
        return np.clip(tail, 0.0, 1.0, out=tail)

    return look_up


def _on_grid(scores: Vector, size: int) -> tuple[Vector, Vector]:
    """S and its slope at grid points 0 … size − 1, with scores and slope in units of the step."""
    from truerank.numerics.special import ndtr

    near = np.arange(-REACH * STEPS, REACH * STEPS + 1)
    nearest = np.round(scores).astype(np.intp)
    points = nearest[:, None] + near
    z = (scores[:, None] - points) / STEPS  # in bandwidths
    n = len(scores)
    value = np.bincount(points.ravel(), ndtr(z).ravel(), size) / n
    density = np.bincount(points.ravel(), np.exp(-0.5 * z * z).ravel(), size) / (
        n * STEPS * np.sqrt(2 * np.pi)
    )
    # A kernel entirely to the right of a grid point is above it with probability 1.
    passed = np.bincount(nearest - REACH * STEPS - 1, minlength=size)[::-1].cumsum()[::-1] / n
    return value + passed, -density


def fit(documents: DocumentList) -> Sampler:
    """Two kernel densities on a list's scores. O(N)."""
    return fit_scores(documents, relevant_scores, share_above)


KDE = DocumentModel("kde", fit=fit, **ABOUT["kde"])
