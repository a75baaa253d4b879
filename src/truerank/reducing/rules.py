"""From scores on the kept topics to the full mean: plain, or with weights learned from known systems."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.reducing.choosing import Places

# g: the penalty, as a multiple of the mean squared length of the systems' scores on the kept topics.
PENALTIES = 10.0 ** np.arange(-3, 5.5, 0.5)


@dataclass(frozen=True)
class Rule:
    """The full mean as a linear function of scores on the kept topics."""

    topics: Places  # k, rows of the table
    weights: Vector  # k
    intercept: float = 0.0
    penalty: float = 0.0  # g; 0 for plain means
    error: float = np.nan  # root mean square of leave-family-out errors; NaN for plain means

    def __call__(self, values: Matrix) -> Vector:
        """The full mean expected of each system, from n × s scores."""
        means: Vector = self.intercept + self.weights @ values[self.topics]
        return means


def plain(topics: Places) -> Rule:
    """The mean over the kept topics."""
    return Rule(topics, np.full(len(topics), 1 / len(topics)))


def weighted(values: Matrix, topics: Places, families: Places) -> Rule:
    """Ridge regression of the full mean on the kept topics, towards the plain mean.

    ``p = ȳ + bᵀ(x_S − a_S)``, ``b = 1/k + (A_S A_Sᵀ + λI)⁻¹A_S r``; the penalty has the least error over
    families that are left out, by the exact ``e_F = (I − H_FF)⁻¹e``.
    """
    k, m = len(topics), values.shape[1]
    full, centers = values.mean(axis=0), values[topics].mean(axis=1)
    kept = values[topics] - centers[:, None]
    rest = full - full.mean() - kept.mean(axis=0)
    left, lengths, right = np.linalg.svd(kept, full_matrices=False)
    penalties = PENALTIES * (np.sum(lengths**2) / m or 1.0)
    shares = lengths**2 / (lengths**2 + penalties[:, None])
    errors = np.sqrt(np.mean(_left_out(rest, right, shares, families) ** 2, axis=1))
    best = int(np.argmin(errors))
    slopes = lengths / (lengths**2 + penalties[best])
    weights = 1 / k + left @ (slopes * (right @ rest))
    intercept = float(full.mean() - weights @ centers)
    return Rule(topics, weights, intercept, float(PENALTIES[best]), float(errors[best]))


def _left_out(rest: Vector, right: Matrix, shares: Matrix, families: Places) -> Matrix:
    """penalties × m: errors of systems whose family is left out; H = 11ᵀ/m + V diag(shares) Vᵀ."""
    errors = rest - (shares * (right @ rest)) @ right  # the mean of `rest` is 0
    alone = np.bincount(families)[families] == 1
    errors[:, alone] /= 1 - 1 / len(rest) - shares @ right[:, alone] ** 2
    for family in np.unique(families[~alone]):
        own = np.flatnonzero(families == family)
        seen = 1 / len(rest) + (right[:, own].T * shares[:, None]) @ right[:, own]
        errors[:, own] = np.linalg.solve(np.eye(len(own)) - seen, errors[:, own, None])[:, :, 0]
    return errors
