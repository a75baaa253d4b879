"""How swaps go together: the covariance of the systems' scores over topics (METHODS §3)."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from truerank._support.types import Matrix
from truerank.errors import unknown_name
from truerank.numerics.centring import doubly_centred

DEPENDENCES = ("shrunk", "sample")


def covariance(values: Matrix, dependence: str) -> Matrix:
    """The m × m covariance that couples pairs, from n × m scores. O(n·m²).

    ``sample`` is the plain covariance (bavdaz-2018): from few topics it has low rank and makes
    swaps look far more tied together than they are. ``shrunk``, the default everywhere, shrinks
    the correlations of the scores without their topic effect.

    Raises:
        UnknownNameError: another name.
    """
    if dependence == "sample":
        return np.atleast_2d(np.cov(values, rowvar=False))
    if dependence == "shrunk":
        return shrunk_covariance(values)
    raise unknown_name("dependence", dependence, DEPENDENCES)


def shrunk_covariance(values: Matrix, shrink: Callable[[Matrix], Matrix] | None = None) -> Matrix:
    """Ledoit–Wolf shrinkage of the correlations of doubly centred scores, with their own variances.

    E is the column-centred X minus its row means (the topic effect, which cancels in every
    difference and is not put back), Z = E/sd; the Ledoit–Wolf estimate of Z, rescaled to a unit
    diagonal, is given E's standard deviations again (METHODS §3). Only its covariances of
    differences mean anything.

    Args:
        values: n × m scores.
        shrink: another way from the n × m matrix Z to an m × m covariance.
    """
    residuals = doubly_centred(values)
    deviations = residuals.std(axis=0, ddof=1)
    deviations[deviations < 1e-14 * np.abs(values).max(initial=0.0)] = 0.0
    standard = np.divide(residuals, deviations, out=np.zeros_like(residuals), where=deviations > 0)
    shrunk = (shrink or ledoit_wolf)(standard)
    scale = np.sqrt(np.diag(shrunk))
    scales = np.outer(scale, scale)
    correlations = np.divide(shrunk, scales, out=np.zeros_like(shrunk), where=scales > 0)
    np.fill_diagonal(correlations, 1.0)
    scaled: Matrix = correlations * np.outer(deviations, deviations)
    return scaled


def ledoit_wolf(centred: Matrix) -> Matrix:
    """Covariance of n × m centred data, shrunk to a multiple of the identity (Ledoit & Wolf 2004).

    Divisor n; the data are taken as centred. The intensity is ``b²/d²`` with d² the squared
    distance of the sample covariance S from its target and b² the estimated error of S, at most
    d². O(n·m²).
    """
    n, m = centred.shape
    sample = centred.T @ centred / n
    mean_variance = float(np.trace(sample)) / m
    target = mean_variance * np.eye(m)
    distance = float(np.sum((sample - target) ** 2))
    if distance == 0.0:
        return target
    squared_norms = np.sum(centred**2, axis=1)
    error = (float(np.sum(squared_norms**2)) / n - float(np.sum(sample**2))) / n
    intensity = min(max(error, 0.0) / distance, 1.0)
    return intensity * target + (1.0 - intensity) * sample
