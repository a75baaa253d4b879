"""From scores on the kept topics to the full mean: plain, or with weights learned from known systems."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reducing.choosing import Places

PENALTIES = 10.0 ** np.arange(-3, 5.5, 0.5)
"""g: the penalty, as a multiple of the mean squared length of the systems' scores on the kept topics."""


@dataclass(frozen=True)
class Rule:
    """The full mean as a linear function of scores on the kept topics.

    Attributes:
        topics: k, rows of the table.
        weights: k.
        intercept: what is added.
        penalty: g; 0 for plain means.
        error: root mean square of the leave-family-out errors of known systems; NaN for plain means.
    """

    topics: Places
    weights: Vector
    intercept: float = 0.0
    penalty: float = 0.0
    error: float = np.nan

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
    size = np.sum(lengths**2) / m or 1.0
    groups = [np.flatnonzero(families == one) for one in np.unique(families)]
    errors = [np.sqrt(_error(rest, right, _shares(lengths, g * size), groups)) for g in PENALTIES]
    best = int(np.argmin(errors))
    slopes = lengths / (lengths**2 + PENALTIES[best] * size)
    weights = 1 / k + left @ (slopes * (right @ rest))
    intercept = float(full.mean() - weights @ centers)
    return Rule(topics, weights, intercept, float(PENALTIES[best]), float(errors[best]))


def _shares(lengths: Vector, penalty: float) -> Vector:
    shares: Vector = lengths**2 / (lengths**2 + penalty)
    return shares


def _error(rest: Vector, right: Matrix, shares: Vector, groups: list[Places]) -> float:
    """Mean squared error of systems whose family is left out; H = 11ᵀ/m + V diag(shares) Vᵀ."""
    errors = rest - rest.mean() - (shares * (right @ rest)) @ right
    return float(np.mean(np.concatenate([*_left_out(errors, right, shares, groups)]) ** 2))


def _left_out(
    errors: Vector, right: Matrix, shares: Vector, groups: list[Places]
) -> Iterator[NDArray[np.floating[Any]]]:
    m = len(errors)
    alone = np.array([one[0] for one in groups if len(one) == 1], dtype=np.intp)
    yield errors[alone] / (1 - 1 / m - shares @ right[:, alone] ** 2)
    for one in groups:
        if len(one) > 1:
            seen = 1 / m + (right[:, one].T * shares) @ right[:, one]
            yield np.linalg.solve(np.eye(len(one)) - seen, errors[one])
