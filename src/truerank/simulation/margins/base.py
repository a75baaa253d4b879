"""What every margin can do: the distribution of one system's score over the population of topics."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector
from truerank.errors import InputError

TOLERANCE = 5e-7  # error, in probability, in the middle of a cell; elsewhere in it a few times as much
ROUNDS = 25  # halvings of a cell before it is left as it is (a CDF may be almost a step there)

EDGE = 1e-4
"""Continuous families are fitted to scores pulled this far inside [0, 1].

A density may be infinite at 0 and 1, while real scores of exactly 0 are common; scores are published
with four decimals, so 0 means less than that.
"""


def interior(scores: ArrayLike) -> Vector:
    """Scores no nearer than `EDGE` to 0 and 1."""
    return np.clip(np.asarray(scores, dtype=np.float64), EDGE, 1 - EDGE)


@dataclass(frozen=True)
class QuantileTable:
    """Monotone cubic interpolation of an inverse CDF between points chosen by its own error."""

    nodes: Vector
    values: Vector

    @classmethod
    def build(cls, cdf: Callable[[Vector], Vector], low: float, high: float) -> QuantileTable:
        """Tabulate a continuous CDF on [low, high], halving cells until each is right to `TOLERANCE`."""
        ends = 2.0 ** -np.arange(7.0, 31.0)
        start = np.concatenate([[0.0], ends[::-1], np.arange(1, 64) / 64, 1 - ends, [1.0]])
        nodes = low + (high - low) * np.unique(start)
        values = cdf(nodes)
        open_cells = np.ones(len(nodes) - 1, dtype=bool)
        for _ in range(ROUNDS):
            kept = _increasing(values)
            inverse = _inverse(nodes[kept], values[kept])
            middle = (values[:-1] + values[1:]) / 2
            test = np.flatnonzero(open_cells & (np.diff(values) > TOLERANCE))
            guess = inverse(middle[test])
            wrong = test[np.abs(cdf(guess) - middle[test]) > TOLERANCE]
            wrong = wrong[nodes[wrong + 1] - nodes[wrong] > 1e-13 * (high - low)]
            if len(wrong) == 0:
                break
            between = (nodes[wrong] + nodes[wrong + 1]) / 2
            # From here on only the new cells and their neighbors can be wrong.
            touched = np.zeros(len(open_cells), dtype=bool)
            for shift in (-2, -1, 0, 1, 2):
                touched[np.clip(wrong + shift, 0, len(touched) - 1)] = True
            open_cells = np.insert(touched, wrong + 1, True)
            nodes = np.insert(nodes, wrong + 1, between)
            values = np.insert(values, wrong + 1, cdf(between))
        kept = _increasing(values)
        values = values.copy()
        values[kept[-1]] = 1.0
        return cls(nodes[kept], values[kept])

    @cached_property
    def _interpolant(self) -> Any:
        return _inverse(self.nodes, self.values)

    def __call__(self, u: ArrayLike) -> Vector:
        """Quantiles of probabilities in [0, 1]."""
        return self._interpolant(np.clip(np.asarray(u, dtype=np.float64), self.values[0], 1.0))

    @cached_property
    def quadrature(self) -> tuple[Vector, Vector]:
        """Probabilities u and weights ``Q′(u) du``: ``Σ weights · H(u)`` is ``∫ H(F(x)) dx``."""
        points, weights = np.polynomial.legendre.leggauss(6)
        ends = 2.0 ** -np.arange(1.0, 41.0)
        edges = np.unique(np.concatenate([self.values, ends, 1 - ends]))
        half = np.diff(edges)[:, None] / 2
        u = (edges[1:] + edges[:-1])[:, None] / 2 + half * points
        slopes = half * weights * np.maximum(self._interpolant.derivative()(u), 0.0) + 1e-300
        # The weights of a panel sum to its width in x exactly, even where it is so thin in u that its slopes
        # round to 0 (the far tail of a narrow distribution).
        shares = slopes / slopes.sum(axis=1, keepdims=True)
        return u.ravel(), (shares * np.diff(self(edges))[:, None]).ravel()


def _increasing(values: Vector) -> NDArray[np.intp]:
    """Indices along which the values grow strictly; the last of them has the greatest value."""
    highest = np.maximum.accumulate(values)
    return np.flatnonzero(np.diff(highest, prepend=-1.0) > 1e-15)


def _inverse(nodes: Vector, values: Vector) -> Any:
    from scipy.interpolate import PchipInterpolator

    return PchipInterpolator(values, nodes)


class Margin(ABC):
    """A distribution on [0, 1]: that of one system's score on a random topic (docs/methods/simulation.md).

    Methods take and return arrays of any shape. Margins are immutable; what is worked out once is
    kept.

    Attributes:
        family: the name under which it is registered and saved.
        degrees: number of parameters, or effective degrees of freedom, for AIC and BIC.

    Example:
        >>> from truerank.simulation.margins.margin_registry import fit_margin
        >>> scores = np.random.default_rng(1).beta(1, 3, 500)
        >>> margin = fit_margin(scores, ["beta", "truncated-normal"])
        >>> margin.family, round(margin.mean, 2)
        ('beta', 0.26)
        >>> margin.quantile(margin.cdf([0.1, 0.5])).round(6)
        array([0.1, 0.5])
        >>> margin.sample(3, np.random.default_rng(2)).shape
        (3,)
    """

    family: ClassVar[str]
    degrees: float

    @abstractmethod
    def density(self, x: ArrayLike) -> Vector:
        """Density of a continuous margin, mass of a discrete one."""

    @abstractmethod
    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""

    @abstractmethod
    def quantile(self, u: ArrayLike) -> Vector:
        """The smallest x with ``cdf(x) ≥ u``."""

    @property
    @abstractmethod
    def mean(self) -> float:
        """E[X]."""

    @property
    @abstractmethod
    def variance(self) -> float:
        """Var[X]."""

    @abstractmethod
    def log_likelihood(self, scores: ArrayLike) -> float:
        """Σ log density; −inf where a score is impossible."""

    @abstractmethod
    def expectation_panels(self) -> tuple[float, Vector, Vector]:
        """What E[X] under ``H ∘ F`` is a sum of, for any increasing H from [0, 1] onto itself.

        The least score, CDF values u and weights w: ``E = least + Σ w (1 − H(u))``, which is
        ``least + ∫ (1 − H(F(x))) dx``.
        """

    def parameters(self) -> dict[str, Any]:
        """What rebuilds the margin through its class's constructor, for JSON: a dataclass's fields."""
        values = {field.name: getattr(self, field.name) for field in fields(self)}  # type: ignore[arg-type]
        return {name: list(value) if isinstance(value, tuple) else value for name, value in values.items()}

    def sample(self, k: int, rng: Generator) -> Vector:
        """k independent draws."""
        return self.quantile(rng.random(k))


class ContinuousMargin(Margin):
    """A margin with a density: subclasses give density and CDF, the rest is numerical."""

    @cached_property
    def table(self) -> QuantileTable:
        """The tabulated quantile function."""
        return QuantileTable.build(self.cdf, 0.0, 1.0)

    def quantile(self, u: ArrayLike) -> Vector:
        """The score below which a share u of topics lies; accurate to 4e-6 in u."""
        return self.table(u)

    @cached_property
    def mean(self) -> float:
        """E[X] = ∫ (1 − F)."""
        least, values, weights = self.expectation_panels()
        return least + float(weights @ (1 - values))

    @cached_property
    def variance(self) -> float:
        """Var[X] = least² + ∫ 2x (1 − F) dx − E[X]²."""
        least, values, weights = self.expectation_panels()
        square = least**2 + float(2 * (weights * self.table(values)) @ (1 - values))
        return max(0.0, square - self.mean**2)

    def expectation_panels(self) -> tuple[float, Vector, Vector]:
        """See :meth:`Margin.expectation_panels`."""
        return float(self.table.nodes[0]), *self.table.quadrature

    def log_likelihood(self, scores: ArrayLike) -> float:
        """Σ log density of the scores pulled inside by `EDGE`; O(distinct scores × kernels)."""
        distinct, counts = np.unique(interior(scores), return_counts=True)
        with np.errstate(divide="ignore"):
            return float(np.sum(counts * np.log(self.density(distinct))))


class DiscreteMargin(Margin):
    """A margin on finitely many scores: subclasses give the masses, the rest follows."""

    support: tuple[float, ...]

    @property
    @abstractmethod
    def masses(self) -> Vector:
        """The mass of each point of the support."""

    @cached_property
    def points(self) -> Vector:
        """The support as an array, increasing."""
        return np.asarray(self.support, dtype=np.float64)

    @cached_property
    def cumulative(self) -> Vector:
        """P(X ≤ s) at each point of the support; the last is exactly 1."""
        sums = np.cumsum(self.masses)
        return np.minimum(sums / sums[-1], 1.0)

    def density(self, x: ArrayLike) -> Vector:
        """The mass at x, 0 off the support."""
        index, inside = positions(x, self.points)
        return np.where(inside, self.masses[index], 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        """P(X ≤ x)."""
        below = np.searchsorted(self.points, np.asarray(x, dtype=np.float64) + 1e-9, side="right")
        return np.append(0.0, self.cumulative)[below]

    def quantile(self, u: ArrayLike) -> Vector:
        """The smallest point of the support whose CDF reaches u."""
        index = np.searchsorted(self.cumulative, np.asarray(u, dtype=np.float64) - 1e-15)
        return self.points[np.minimum(index, len(self.points) - 1)]

    @property
    def mean(self) -> float:
        """E[X]."""
        return float(self.masses @ self.points)

    @property
    def variance(self) -> float:
        """Var[X]."""
        return float(self.masses @ (self.points - self.mean) ** 2)

    def expectation_panels(self) -> tuple[float, Vector, Vector]:
        """See :meth:`Margin.expectation_panels`."""
        return float(self.points[0]), self.cumulative[:-1], np.diff(self.points)

    def log_likelihood(self, scores: ArrayLike) -> float:
        """Σ log mass; −inf for a score off the support."""
        with np.errstate(divide="ignore"):
            return float(np.sum(np.log(self.density(scores))))


def positions(scores: ArrayLike, support: Vector) -> tuple[NDArray[np.intp], NDArray[np.bool_]]:
    """The index of the nearest point of the support, and whether the score equals it up to rounding."""
    x = np.asarray(scores, dtype=np.float64)
    if len(support) == 1:
        return np.zeros(x.shape, dtype=np.intp), np.abs(x - support[0]) <= EDGE
    right = np.clip(np.searchsorted(support, x), 1, len(support) - 1)
    index = np.where(x - support[right - 1] <= support[right] - x, right - 1, right)
    gaps = np.diff(support)
    nearest_gap = np.minimum(np.append(gaps, np.inf), np.append(np.inf, gaps))
    tolerance = np.minimum(EDGE, nearest_gap / 4)[index]
    return index, np.abs(x - support[index]) <= tolerance


def counts_on(scores: ArrayLike, support: Vector | None) -> tuple[Vector, tuple[float, ...]]:
    """How many of the scores lie on each point of the support, and these points."""
    if support is None:
        raise InputError("a discrete margin needs a support; give the scores that can occur")
    x = np.asarray(scores, dtype=np.float64)
    index, inside = positions(x, support)
    if not inside.all():
        raise InputError(
            f"the score {x[~inside][0]:g} is not on the support ({len(support)} values, "
            f"{support[0]:g} to {support[-1]:g}); give the right support, or none for a continuous measure"
        )
    return np.bincount(index, minlength=len(support)).astype(np.float64), tuple(support.tolist())


@dataclass(frozen=True)
class PointMargin(DiscreteMargin):
    """The same score on every topic: what is fitted to a constant column."""

    value: float
    family: ClassVar[str] = "point"
    degrees: ClassVar[float] = 1.0  # type: ignore[misc]

    @property
    def support(self) -> tuple[float, ...]:  # type: ignore[override]
        """The one value."""
        return (self.value,)

    @property
    def masses(self) -> Vector:
        """All at the value."""
        return np.ones(1)
