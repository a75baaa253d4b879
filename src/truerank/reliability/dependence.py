"""Dependence between swaps: the covariance of the systems' scores over topics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.registry import Entry, Registry
from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.numerics.pairs import doubly_centered


@dataclass(frozen=True)
class Dependence(Entry):
    """A dependence between swaps.

    Attributes:
        covariance: from n × m scores, or influence rows, to the m × m covariance that couples the pairs;
            ``None`` where an estimator brings its own joint draws.
    """

    covariance: Callable[[Matrix], Matrix] | None


def covariance(values: Matrix, dependence: str) -> Matrix:
    """The m × m covariance that couples pairs, from n × m scores or influence rows. O(n·m²).

    ``sample`` is the plain covariance (bavdaz-2018): from few topics it has low rank and makes
    swaps look far more tied together than they are. ``shrunk``, the default everywhere, shrinks
    the correlations of the scores without their topic effect.
    """
    found = DEPENDENCES.find(dependence)
    if found.covariance is None:
        raise InputError(f"the dependence {found.name!r} has no covariance")
    return found.covariance(values)


def find_dependence(name: str) -> Dependence:
    """The dependence of that name, an estimator's own joint draws among them."""
    if name == OWN:
        return OWN_DRAWS
    if name not in DEPENDENCES:
        raise unknown_name("dependence", name, (*DEPENDENCES, OWN))
    return DEPENDENCES[name]


def sample_covariance(values: Matrix) -> Matrix:
    """The plain covariance of the systems' scores, divisor n − 1; m × m."""
    return np.atleast_2d(np.cov(values, rowvar=False))


def shrunk_covariance(values: Matrix, shrink: Callable[[Matrix], Matrix] | None = None) -> Matrix:
    """Ledoit–Wolf shrinkage of the correlations of doubly centered scores, with their own variances.

    E is the column-centered X minus its row means (the topic effect, which cancels in every difference and is
    not put back), and Z = E/sd. The Ledoit–Wolf estimate of Z is rescaled to a unit diagonal and given E's
    standard deviations again (docs/methods/intervals.md). Only its covariances of differences mean anything.
    """
    residuals = doubly_centered(values)
    deviations = residuals.std(axis=0, ddof=1)
    deviations[deviations < 1e-14 * np.abs(values).max(initial=0.0)] = 0.0
    standard = np.divide(residuals, deviations, out=np.zeros_like(residuals), where=deviations > 0)
    shrunk = (shrink or ledoit_wolf)(standard)
    scale = np.sqrt(np.diag(shrunk))
    for row, own, deviation in zip(shrunk, scale, deviations, strict=True):  # in place: it may be large
        scales = own * scale
        row[:] = np.divide(row, scales, out=np.zeros_like(row), where=scales > 0)
        row *= deviation * deviations
    np.fill_diagonal(shrunk, deviations**2)
    return shrunk


def ledoit_wolf(centered: Matrix) -> Matrix:
    """Covariance of n × m centered data, shrunk to a multiple of the identity (Ledoit & Wolf 2004)."""
    n, m = centered.shape
    sample = centered.T @ centered
    sample /= n
    mean_variance = float(np.trace(sample)) / m
    diagonal = np.diag(sample).copy()
    squares = float(np.vdot(sample, sample))
    np.fill_diagonal(sample, diagonal - mean_variance)
    distance = float(np.vdot(sample, sample))
    if distance > 0.0:
        squared_norms = np.einsum("ts,ts->t", centered, centered)
        error = (float(np.sum(squared_norms**2)) / n - squares) / n
        intensity = min(max(error, 0.0) / distance, 1.0)
        sample *= 1.0 - intensity
        diagonal = intensity * mean_variance + (1.0 - intensity) * diagonal
    np.fill_diagonal(sample, diagonal)
    return np.asarray(sample)


SHRUNK = Dependence("shrunk", "shrunken correlations", shrunk_covariance, references=("ledoit-wolf-2004",))

SAMPLE = Dependence("sample", "sample covariance", sample_covariance, references=("bavdaz-2018",))

DEPENDENCES: Registry[Dependence] = Registry("dependence", SHRUNK, SAMPLE)
"""The dependences by name that any estimator can be joined to; the first is the default."""

register = DEPENDENCES.register

OWN = "own"
"""The dependence of an estimator that brings its own joint draws (`res`: its replicates)."""

OWN_DRAWS = Dependence(OWN, "the estimator's own joint draws", covariance=None)
