"""Additive least squares: scores with empty cells as a system's part plus a topic's part.

A plain mean rewards a system for skipping hard topics. Least squares compares systems only on topics that
they share, directly or through others (docs/methods/data-sets.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.errors import InputError

FEWEST = 2
"""Fewest topics from which a system’s variance can be estimated."""


@dataclass(frozen=True)
class Additive:
    """Least squares of ``x_ti = θ_i + topic effect`` over the n × m cells that are there.

    Attributes:
        contrasts: m, θ̂, adding up to 0.
        level: what the mean over all systems would be had each run on every row.
        weights: n, ω_t.
        residuals: n × m, ``P_t (x_t − θ̂)``.
        effects: n, each row's own.
        regular: M with an eigenvalue, which is `scale`, in its null direction too, m × m.
    """

    contrasts: Vector
    level: float
    weights: Vector
    present: NDArray[np.bool_]
    residuals: Matrix
    effects: Vector
    regular: Matrix
    scale: float

    @property
    def theta(self) -> Vector:
        """m, θ̂ at the level of the scores."""
        return self.contrasts + self.level

    @cached_property
    def weighted(self) -> Matrix:
        """M⁺, m × m."""
        inverse = np.linalg.inv(self.regular) - 1 / (self.scale * len(self.regular))
        return np.asarray((inverse + inverse.T) / 2, dtype=np.float64)

    @cached_property
    def influences(self) -> Matrix:
        """n × m, of ``contrasts + level``."""
        own = self.residuals @ self.weighted + (self.effects - self.level)[:, None]
        return np.asarray(self.weights[:, None] * own)

    @cached_property
    def variances(self) -> Matrix:
        """m × m, the covariance of θ̂ from independent scores of variance 1."""
        used = self.weights[self.weights > 0]
        if np.ptp(used) == 0:  # M⁺ M M⁺ = M⁺
            return self.weighted * used[0]
        return self.weighted @ _laplacian(self.present, self.weights**2) @ self.weighted


def additive(values: Matrix, weights: Vector) -> Additive:
    """Fit the additive model to n × m scores with NaN in empty cells. O(n·m² + m³).

    S_t are the systems of row t, ``P_t`` centers over S_t, and the weights ω_t add up to 1. Then ``M = Σ ω_t
    P_t``, ``θ̂ = M⁺ Σ ω_t P_t x_t`` and ``U_t = ω_t M⁺ P_t (x_t − θ̂)``, plus each row's effect, the same for
    all systems. Complete rows give the weighted mean.
    """
    present = ~np.isnan(values)
    counts = present.sum(axis=1)
    weights = np.where(counts >= 2, weights, 0.0)  # a row with one system contains no comparison
    weights = weights / weights.sum()
    sizes = np.maximum(counts, 1)
    filled = np.where(present, values, 0.0)
    row_means = filled.sum(axis=1) / sizes
    centered = np.where(present, filled - row_means[:, None], 0.0)

    regular, scale = _regular(_laplacian(present, weights))
    contrasts = np.asarray(np.linalg.solve(regular, weights @ centered), dtype=np.float64)
    fitted = (present @ contrasts) / sizes
    residuals = np.where(present, centered - (contrasts - fitted[:, None]), 0.0)
    effects = row_means - fitted
    return Additive(contrasts, float(weights @ effects), weights, present, residuals, effects, regular, scale)


def _laplacian(present: NDArray[np.bool_], weights: Vector) -> Matrix:
    """``Σ ω_t (diag(1_S) − 1_S 1_Sᵀ/|S|)``, m × m."""
    sizes = np.maximum(present.sum(axis=1), 1)
    cells = present.astype(np.float64)
    return np.diag(weights @ cells) - (cells * (weights / sizes)[:, None]).T @ cells


def _regular(laplacian: Matrix) -> tuple[Matrix, float]:
    """The matrix with an eigenvalue, which is given, in its null direction too: all systems alike."""
    m = len(laplacian)
    scale = max(float(np.trace(laplacian)) / m, 1e-300)
    return laplacian + scale / m, scale


def connected(present: NDArray[np.bool_]) -> list[list[int]]:
    """Groups of systems (columns) that share rows, directly or through others; the largest first. O(n·m)."""
    left = np.ones(present.shape[1], dtype=np.bool_)
    groups = []
    while left.any():
        group = np.zeros_like(left)
        group[int(left.argmax())] = True
        reached = 0
        while int(group.sum()) > reached:
            reached = int(group.sum())
            group |= present[present[:, group].any(axis=1)].any(axis=0)
        groups.append(np.flatnonzero(group).tolist())
        left &= ~group
    return sorted(groups, key=len, reverse=True)


def usable(present: NDArray[np.bool_]) -> NDArray[np.bool_]:
    """The cells of an n × m table that least squares can use, for systems with at least two usable rows."""
    cells = present.copy()
    while True:
        before = int(cells.sum())
        cells[cells.sum(axis=1) < 2] = False
        cells[:, cells.sum(axis=0) < FEWEST] = False
        groups = [group for group in connected(cells) if cells[:, group].any()]
        for group in groups[1:]:
            cells[:, group] = False
        if int(cells.sum()) == before:
            return cells


def refuse_disconnected(present: NDArray[np.bool_], systems: Sequence[str], where: str, unit: str) -> None:
    """Refuse tables whose systems are not connected by shared rows."""
    groups = connected(present & (present.sum(axis=1) >= 2)[:, None])
    if len(groups) < 2:
        return
    named = "; ".join(some([repr(systems[s]) for s in group], 4) for group in groups[:4])
    more = f"; and {len(groups) - 4} more groups" if len(groups) > 4 else ""
    raise InputError(
        f"{where}the systems fall into {len(groups)} groups that share no {unit}, so they cannot be "
        f"compared: {named}{more}. Give scores on {unit}s that they share, or assess one group"
    )
