"""A quantile function as a table, built once from a CDF and a thousand times faster to evaluate."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Vector

TOLERANCE = 5e-7  # error, in probability, in the middle of a cell; elsewhere in it a few times as much
ROUNDS = 25  # halvings of a cell before it is left as it is (a CDF may be almost a step there)


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
