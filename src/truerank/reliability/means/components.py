"""Components of variance of scores at all levels of one or several facets, crossed with the topics.

A cell is one combination of a topic and of levels of facets, and every system has a score in every cell. Each
effect is a crossing of factors (topics, prompts, judges …). Equations are numbered in docs/methods/facets.md.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics import special

LEAST_VARIANCE = 1e-5
"""Floor of a system's variance in the shrinkage, as a fraction of the mean variance."""

TOPIC = "topic"
"""The first factor: its levels are the rows of a mean."""


@dataclass(frozen=True, eq=False)
class Cells:
    """Scores of m systems, topics × levels of each facet × m.

    Attributes:
        values: means over runs and over fixed facets.
        factors: names of the factors, one for each axis but the last: the topics, then facets.
        run_variance: W, what the runs of each system leave in the score of a cell.
        runs: how many, their harmonic mean.
    """

    values: NDArray[np.float64]
    factors: tuple[str, ...]
    run_variance: float = 0.0
    runs: float = 1.0

    @property
    def systems(self) -> int:
        """m."""
        return self.values.shape[-1]


@dataclass(frozen=True)
class Effect:
    """A crossing of factors: each of its levels moves systems by amounts of its own."""

    factors: tuple[str, ...]
    levels: int

    @property
    def label(self) -> str:
        """Its name in output: ``topic × judge``."""
        return " × ".join(self.factors)


@dataclass(frozen=True, eq=False)
class Components:
    """The variance of each effect, and what it leaves in a difference of means.

    Attributes:
        cells: the scores.
        effects: coarse ones before finer ones.
        variances: σ², by effect; 0 where one was dropped because its estimate was below 0.
        remaining: h, the part of each σ² that is left in a mean: 1/levels.
        expected: a, effects × effects: E Q_u = Σ_v a_uv σ²_v.
        squares: Q, effects × m: sums of squares of the influences of its levels.
        reduced: R, the squares over h less those of all coarser effects.
        reduction: B, effects × effects, with E R = B σ².
        degrees: ν, degrees of freedom of each R.
        rows: influences of the levels of single factors, levels × m, by factor.
    """

    cells: Cells
    effects: tuple[Effect, ...]
    variances: Vector
    remaining: Vector
    expected: Matrix
    squares: Matrix
    reduced: Vector
    reduction: Matrix
    degrees: Vector
    rows: dict[str, Matrix]

    @classmethod
    def of(cls, cells: Cells) -> Components:
        """Estimate them from mean squares. O(C·m·E) for C cells, m systems and E effects."""
        factors, m = cells.factors, cells.systems
        axes = range(len(factors))
        size = dict(zip(axes, cells.values.shape, strict=False))
        kept = [one for r in range(1, len(factors) + 1) for one in combinations(axes, r)]
        count = {one: int(np.prod([size[axis] for axis in one])) for one in [(), *kept]}
        kept.sort(key=lambda one: (count[one], sum(1 << axis for axis in one)))
        effects = tuple(Effect(tuple(factors[axis] for axis in one), count[one]) for one in kept)
        remaining = np.array([1 / one.levels for one in effects])
        # Levels that two effects share are those of the crossing of their common factors.
        shared = np.array([[count[tuple(a for a in u if a in v)] for v in kept] for u in kept])
        expected = (shared - 1) * np.outer(remaining, remaining)
        centered = cells.values - cells.values.mean(axis=-1, keepdims=True)
        centered -= centered.mean(axis=tuple(axes))
        squares, rows = np.empty((len(effects), m)), {}
        for u, one in enumerate(kept):
            row = centered.mean(axis=tuple(axis for axis in axes if axis not in one)).reshape(-1, m)
            row *= remaining[u]
            squares[u] = np.einsum("ls,ls->s", row, row)
            if len(one) == 1:
                rows[factors[one[0]]] = row
        reduced = squares.sum(axis=1) / max(m - 1, 1) / remaining
        reduction, degrees = expected / remaining[:, None], 1 / remaining - 1
        for u, one in enumerate(kept):
            for v, other in enumerate(kept):
                if set(other) < set(one):
                    reduced[u] -= reduced[v]
                    reduction[u] -= reduction[v]
                    degrees[u] -= degrees[v]
        variances = _solved(reduced, reduction, degrees)
        return cls(cells, effects, variances, remaining, expected, squares, reduced, reduction, degrees, rows)

    @cached_property
    def parts(self) -> Vector:
        """σ²_u h_u: what each effect leaves in half the variance of a difference of two means."""
        return self.variances * self.remaining

    @cached_property
    def variance(self) -> float:
        """V, the sum of the parts."""
        return float(self.parts.sum())

    @cached_property
    def run_part(self) -> float:
        """What runs leave: a piece of the part of the finest effect."""
        return min(self.cells.run_variance * float(self.remaining[-1]), float(self.parts[-1]))

    @property
    def shares(self) -> Vector:
        """The parts over V."""
        return self.parts / self.variance if self.variance > 0 else np.zeros(len(self.parts))

    def place(self, factor: str) -> int:
        """The place of the effect of that factor alone."""
        return [one.factors for one in self.effects].index((factor,))

    def redrawn(self, factor: str) -> float:
        """φ, the share of V that new levels of a factor would draw anew (eq. 10)."""
        return float(self.shares[[factor in one.factors for one in self.effects]].sum())

    def gain(self, factor: str, times: float) -> float:
        """V over what would be left of it with so many times the levels of a factor."""
        left = 1 - self.redrawn(factor) * (1 - 1 / times)
        return 1 / left if self.variance > 0 else times

    def kappa(self, factor: str) -> float:
        """κ, what brings the squares of a factor's rows to its target (eq. 6, 7).

        Crossings with topics are the topics' own; others are split between their facets.
        """
        target = 0.0
        for one, part in zip(self.effects, self.parts.tolist(), strict=True):
            owners = (TOPIC,) if TOPIC in one.factors else one.factors
            target += part / len(owners) if factor in owners else 0.0
        seen = float(self.expected[self.place(factor)] @ self.variances)
        return target / seen if seen > 0 else 0.0

    def drawn(self, draws: int, rng: Generator) -> Matrix:
        """Draws × effects: σ² as they may be, from the mean squares of a balanced design (eq. 12).

        Systems that go together, and those whose noise differs, leave a mean square fewer degrees of freedom.
        """
        topics = self.place(TOPIC)
        directions = _directions(self.rows[TOPIC], self.effects[topics].levels - 1.0)
        found = np.empty((draws, len(self.effects)))
        for u, one in enumerate(self.effects):
            added = shrunken_variances(self.squares[u], one.levels - 1.0)[1]
            freedom = self.degrees[u] * directions / (1 + 2 / max(added - 4, 0.5))
            found[:, u] = self.reduced[u] * freedom / rng.chisquare(freedom, draws)
        return np.maximum(np.linalg.solve(self.reduction, found.T).T, 0.0)


def _solved(reduced: Vector, reduction: Matrix, degrees: Vector) -> Vector:
    """σ² of ``B σ² = R``; while one is below 0, the least certain of these goes with its equation (eq. 5)."""
    found = np.zeros(len(reduced))
    kept = np.arange(len(reduced))
    while len(kept):
        b = reduction[np.ix_(kept, kept)]
        solved = np.linalg.solve(b, reduced[kept])
        if not (solved < 0).any():
            found[kept] = solved
            break
        spread = np.abs(b) @ np.maximum(solved, 0.0)
        scale = np.sqrt(np.maximum(degrees[kept], 0.0)) / np.maximum(spread, 1e-300)
        z = np.where(solved < 0, solved * np.diag(b) * scale, np.inf)
        kept = np.delete(kept, int(np.argmin(z)))
    return found


def _directions(rows: Matrix, degrees: float) -> float:
    """r, independent directions of the noise of m systems, in [1, m − 1]: (tr Σ)²/tr Σ², unbiased parts."""
    covariance = rows.T @ rows / degrees
    trace, squared = float(np.trace(covariance)), float(np.sum(covariance**2))
    rest = (squared - trace**2 / degrees) / (1 + 1 / degrees - 2 / degrees**2) if degrees > 1 else squared
    above = trace**2 - 2 * rest / degrees
    most = max(len(covariance) - 1.0, 1.0)
    return float(min(max(above / rest, 1.0), most)) if rest > 0 else most


def shrunken_variances(variances: Vector, degrees: float) -> tuple[Vector, float]:
    """Variances drawn towards a common one, and the degrees of freedom that this adds (Smyth 2004)."""
    told = variances[variances > 0]
    if not len(told):
        return np.zeros_like(variances), float("inf")
    mean = float(told.mean())
    logs = np.log(np.maximum(told, LEAST_VARIANCE * mean))
    away = logs - special.digamma(degrees / 2) + np.log(degrees / 2)
    spread = float(away.var(ddof=1)) - float(special.polygamma(1, degrees / 2)) if len(told) > 1 else 0.0
    if spread <= 0:
        return np.full_like(variances, mean), float("inf")
    half = _trigamma_inverse(spread)
    common = float(np.exp(away.mean() + special.digamma(half) - np.log(half)))
    added = 2 * half
    return (added * common + degrees * variances) / (added + degrees), added


def _trigamma_inverse(value: float) -> float:
    """x with ψ′(x) = value, by Newton’s method on 1/ψ′."""
    x = 0.5 + 1 / value
    for _ in range(50):
        found = float(special.polygamma(1, x))
        step = found * (1 - found / value) / float(special.polygamma(2, x))
        x += step
        if abs(step) < 1e-12 * x:
            break
    return float(x)
