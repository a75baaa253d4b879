"""New data sets like these: a data set, or a family of them, is the unit."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.means.fixed import effective_topics
from truerank.reliability.means.least_squares import additive
from truerank.reliability.means.means import Means, plain_means, summed


def sampled(
    table: Matrix,
    weights: Vector,
    families: NDArray[np.intp] | None = None,
    total: bool = False,
    own_means: bool = False,
    unit: str = "data set",
) -> Means:
    """The weighted average over K data sets, taken as a sample. O(K·m), O(K·m² + m³) with empty cells.

    ``U_k = w_k (x_k − θ̂)`` are added up within families of weight W. With ``A = Σ W²`` and ``B = Σ W³`` the
    factor is ``A/(A − 2B + A²)``. The effective number of data sets is 1/A: K where weights are equal.
    """
    k = len(table)
    holes = bool(np.isnan(table).any())
    equal = np.ptp(weights) <= 1e-12 and families is None
    if equal and not holes:
        return plain_means(table * (k if total else 1), unit)
    variances = None
    if not holes:
        theta = weights @ table
        contrasts = weights @ (table - table.mean(axis=1, keepdims=True))
        influences = weights[:, None] * (table - theta)
    elif own_means:
        there = ~np.isnan(table)
        shares = weights[:, None] * there
        shares = shares / shares.sum(axis=0)
        theta = np.sum(shares * np.where(there, table, 0.0), axis=0)
        contrasts = theta
        influences = shares * np.where(there, table - theta, 0.0)
    else:
        fit = additive(table, weights)
        theta, contrasts, influences = fit.contrasts + fit.level, fit.contrasts, fit.influences
        variances = fit.variances
    if families is None:
        units = weights
    else:
        influences = summed(influences, families)
        units = np.asarray(np.bincount(families, weights), dtype=np.float64)
    a, b = float(np.sum(units**2)), float(np.sum(units**3))
    alone = float(np.sum(weights**2))
    effective = 1 / a
    sizes = None
    if variances is not None:
        variances = variances * (a / alone)
        effective = effective_topics(variances)
        forms = (np.eye(table.shape[1]), variances)
        sizes = lambda _: forms  # noqa: E731 - one stratum
    scale = float(k) if total else 1.0
    return Means(
        theta=theta * scale,
        contrasts=contrasts * scale,
        influences=influences * scale,
        strata=np.zeros(len(influences), dtype=np.intp),
        factors=np.array([a / (a - 2 * b + a**2)]),
        stratum_degrees=np.array([max(1 / a - 1, 1.0)]),
        effective=effective,
        unit=unit,
        sizes=sizes,
    )
