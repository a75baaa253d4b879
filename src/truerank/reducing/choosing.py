"""Which topics to keep, one of each stratum of difficulty, and how the full mean follows from them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.scores import TIE

Places = NDArray[np.intp]  # rows of a table, or the group of each
ALIKE = 1e-9  # relative difference up to which two topics are equally good, and the first is taken


@dataclass(frozen=True)
class Covariance:
    """The covariance of topics over systems, its off-diagonal shrunk towards 0; never formed as a whole."""

    rows: Matrix  # A, n × m: scores less the mean of their topic
    shrinkage: float  # ρ, in [0, 1]
    variances: Vector  # n, the diagonal

    @classmethod
    def of(cls, values: Matrix) -> Covariance:
        """S = AAᵀ/m, and ρ = Σ var(S_st)/Σ S_st² over s ≠ t, from sums that need no n × n matrix."""
        a = values - values.mean(axis=1, keepdims=True)
        m, squares = a.shape[1], a**2
        variances = squares.mean(axis=1)
        found = np.sum((a.T @ a) ** 2) / m**2 - np.sum(variances**2)
        products = np.mean(squares.sum(axis=0) ** 2) - np.mean(np.sum(squares**2, axis=0))
        shrinkage = np.clip((products - found) / m / found, 0, 1) if found > TIE**2 else 1.0
        return cls(a, float(shrinkage), variances)

    def column(self, topic: int) -> Vector:
        """n, the covariance of all topics with one."""
        column: Vector = (1 - self.shrinkage) * (self.rows @ self.rows[topic]) / self.rows.shape[1]
        column[topic] = self.variances[topic]
        return column

    def with_mean(self) -> Vector:
        """n, the covariance of all topics with the full mean."""
        n = len(self.rows)
        shared = (1 - self.shrinkage) * (self.rows @ self.rows.mean(axis=0)) / self.rows.shape[1]
        covariance: Vector = shared + self.shrinkage * self.variances / n
        return covariance


def strata(values: Matrix, keep: int) -> Places:
    """The stratum of each topic: `keep` strata whose sizes differ by one at most, from difficult to easy."""
    n = len(values)
    order = np.argsort(np.round(values.mean(axis=1) / TIE), kind="stable")
    groups = np.empty(n, dtype=np.intp)
    groups[order] = np.arange(n) * keep // n
    return groups


def drawn(groups: Places, rng: Generator) -> Places:
    """One random topic of each stratum."""
    order = rng.permutation(len(groups))
    return order[np.unique(groups[order], return_index=True)[1]]


def chosen(values: Matrix, groups: Places, keep: int) -> Places:
    """The topics that explain most variance of the full mean, at most one of each group, in that order.

    Each step takes the topic with the largest c_t²/C_tt, where c is the covariance with the full mean, and
    conditions C on it: a pivoted Cholesky decomposition. O(n·m² + n·m·k + n·k²).
    """
    start = Covariance.of(values)
    with_mean, variances, closed = (
        start.with_mean(),
        start.variances.copy(),
        np.zeros(len(values), dtype=bool),
    )
    factors, taken = np.zeros((len(values), keep)), np.zeros(keep, dtype=np.intp)
    for step in range(keep):
        left = variances > TIE
        gains = np.where(left, with_mean**2 / np.where(left, variances, 1), 0)
        gains[closed] = -1
        topic = int(np.argmax(gains >= gains.max() * (1 - ALIKE)))
        taken[step] = topic
        closed |= groups == groups[topic]
        if left[topic]:
            column = start.column(topic) - factors[:, :step] @ factors[topic, :step]
            factor = factors[:, step] = column / np.sqrt(variances[topic])
            with_mean = with_mean - factor * factor.mean()
            variances = variances - factor**2
    return taken


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
