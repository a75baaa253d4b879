"""Kernel margins, continuous and discrete; and all families of margins by name, fitting, and JSON."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.registry import Entry, Registry
from truerank._support.types import Matrix, Vector
from truerank.errors import unknown_name
from truerank.numerics.kernel_density import plug_in_bandwidth
from truerank.scores import TIE
from truerank.simulation.margins import (
    SHAPES,
    BetaBinomialMargin,
    BetaMargin,
    ContinuousMargin,
    DiscreteMargin,
    Margin,
    MovedMargin,
    PointMargin,
    TruncatedNormalMargin,
    counts_on,
    interior,
)

MOST_CENTERS = 2_000  # the most kernels of a margin; with more scores each is for several neighbors
BLOCK_VALUES = 1 << 17  # values of kernels in memory at a time (1 MB)


def kernel_centers(scores: Vector) -> Vector:
    """The sorted scores, or `MOST_CENTERS` means of equally many neighbors, which bound time and memory."""
    x = np.sort(scores)
    if len(x) <= MOST_CENTERS:
        return x
    edges = np.linspace(0, len(x), MOST_CENTERS + 1)
    # The integral of the empirical quantile function up to each edge, which may be between two scores.
    total = np.interp(edges, np.arange(len(x) + 1), np.concatenate([[0.0], np.cumsum(x)]))
    means: Vector = np.diff(total) / np.diff(edges)
    return np.clip(means, x[0], x[-1])


def mixed(kernel: Callable[[Matrix], Vector], x: ArrayLike, centers: Vector, bandwidth: float) -> Vector:
    """`kernel` of ``(x − centers)/bandwidth``, in blocks that fit into `BLOCK_VALUES`; O(centers) a score."""
    flat = np.asarray(x, dtype=np.float64).ravel()
    step = max(1, BLOCK_VALUES // len(centers))
    result = np.empty(len(flat))
    for start in range(0, len(flat), step):
        result[start : start + step] = kernel((flat[start : start + step, None] - centers) / bandwidth)
    return result.reshape(np.shape(x))


def gaussian_bandwidth(scores: Vector) -> float:
    """Plug-in bandwidth (Wand & Jones 1995), or Silverman's where most are tied; at least 1e-4."""
    bandwidth = float(plug_in_bandwidth(scores[None, :])[0])
    if bandwidth == 0.0:
        bandwidth = 0.9 * float(scores.std(ddof=1)) * len(scores) ** -0.2
    return max(bandwidth, 1e-4)


def effective_degrees(kernels: Matrix, counts: Vector | None = None) -> float:
    """Σ_i K_i(x_i) / Σ_j K_j(x_i), from 1 to n: how much each density owes to the score itself."""
    times = np.ones(len(kernels)) if counts is None else counts
    own = np.sum(times * np.diag(kernels) / (kernels @ times))
    return float(np.clip(own, 1.0, times.sum()))


@dataclass(frozen=True)
class KernelMargin(ContinuousMargin):
    """A mean of kernels, one for each score or, of more than 2,000, for each of as many means of neighbors.

    Bandwidths come from the plug-in of Wand & Jones (1995); see docs/methods/simulation.md.
    """

    centers: tuple[float, ...]  # increasing, inside (0, 1)
    bandwidth: float
    degrees: float = field(default=0.0)  # effective degrees of freedom, for AIC and BIC; between 1 and n

    @classmethod
    def fit(cls, scores: ArrayLike, support: Vector | None = None) -> Self:
        """Plug-in bandwidth; effective degrees of freedom from kernels' own weights. O(n·min(n, 2,000))."""
        del support
        every = np.sort(interior(scores))
        bandwidth, x = cls.bandwidth_of(every), kernel_centers(every)
        return cls(tuple(x.tolist()), bandwidth, effective_degrees(cls.kernels(x, bandwidth)))

    @staticmethod
    @abstractmethod
    def bandwidth_of(scores: Vector) -> float:
        """The bandwidth for sorted scores."""

    @staticmethod
    @abstractmethod
    def kernels(x: Vector, bandwidth: float) -> Matrix:
        """The kernel of each center (columns) at each center (rows), up to a factor."""

    @cached_property
    def weighted(self) -> tuple[Vector, Vector]:
        centers, counts = np.unique(self.centers, return_counts=True)
        return centers, counts / counts.sum()


@dataclass(frozen=True)
class GaussianKernelMargin(KernelMargin):
    """The mean of N(x_i, h²) truncated to [0, 1], one for each score.

    Every kernel keeps its weight 1/n. Truncating their sum instead would take half of the weight
    from scores of exactly 0, which measures of retrieval are full of.
    """

    family: ClassVar[str] = "gaussian-kernel"

    @staticmethod
    def bandwidth_of(scores: Vector) -> float:
        """The plug-in h, the standard deviation of a kernel before it is cut."""
        return gaussian_bandwidth(scores)

    @staticmethod
    def kernels(x: Vector, bandwidth: float) -> Matrix:
        return np.exp(-0.5 * ((x[:, None] - x) / bandwidth) ** 2)

    @cached_property
    def _points(self) -> tuple[Vector, Vector, Vector]:
        """Distinct centers, the mass of their kernels below 0, and their weights over masses in [0, 1]."""
        from truerank.numerics.special import ndtr

        centers, weights = self.weighted
        below = ndtr(-centers / self.bandwidth)
        inside = ndtr((1 - centers) / self.bandwidth) - below
        return centers, below, weights / inside

    def density(self, x: ArrayLike) -> Vector:
        centers, _, weights = self._points
        x, width = np.asarray(x, dtype=np.float64), self.bandwidth * np.sqrt(2 * np.pi)
        values = mixed(lambda z: np.exp(-0.5 * z**2) @ weights / width, x, centers, self.bandwidth)
        return np.where((x >= 0) & (x <= 1), values, 0.0)

    def cdf(self, x: ArrayLike) -> Vector:
        from truerank.numerics.special import ndtr

        centers, below, weights = self._points
        x = np.clip(x, 0.0, 1.0)
        return np.clip(mixed(lambda z: (ndtr(z) - below) @ weights, x, centers, self.bandwidth), 0.0, 1.0)


@dataclass(frozen=True)
class BetaKernelMargin(KernelMargin):
    """The mean of Beta(x_i/b + 1, (1 − x_i)/b + 1), one for each score (after Chen 1999).

    Chen's estimator puts the point of evaluation where this one has the score. This one is a mixture, so it
    integrates to 1, its CDF is exact, and no score of exactly 0 is lost.
    """

    family: ClassVar[str] = "beta-kernel"

    @staticmethod
    def bandwidth_of(scores: Vector) -> float:
        """b, at most 1, with which the mean kernel variance ``b·x(1 − x)`` is the plug-in h²."""
        return min(gaussian_bandwidth(scores) ** 2 / float(np.mean(scores * (1 - scores))), 1.0)

    @staticmethod
    def kernels(x: Vector, bandwidth: float) -> Matrix:
        return np.stack([_beta(center, bandwidth).density(x) for center in x], axis=1)

    @cached_property
    def _kernels(self) -> tuple[tuple[float, BetaMargin], ...]:
        centers, weights = self.weighted
        pairs = zip(weights.tolist(), centers.tolist(), strict=True)
        return tuple((weight, _beta(center, self.bandwidth)) for weight, center in pairs)

    def density(self, x: ArrayLike) -> Vector:
        x = np.asarray(x, dtype=np.float64)
        return np.asarray(sum(weight * kernel.density(x) for weight, kernel in self._kernels))

    def cdf(self, x: ArrayLike) -> Vector:
        x = np.asarray(x, dtype=np.float64)
        return np.clip(sum(weight * kernel.cdf(x) for weight, kernel in self._kernels), 0.0, 1.0)


def _beta(center: float, bandwidth: float) -> BetaMargin:
    return BetaMargin(center / bandwidth + 1, (1 - center) / bandwidth + 1)


@dataclass(frozen=True)
class DiscreteKernelMargin(DiscreteMargin):
    """Each score keeps ``1 − λ`` of its weight and gives ``½(1 − λ)λᵈ`` to points d steps away.

    Wang & van Ryzin (1981). On a finite support each kernel is divided by its sum, so that a score
    at the end does not lose the half that would fall off.
    """

    support: tuple[float, ...]
    counts: tuple[float, ...]  # of the fitted scores on each point
    bandwidth: float  # λ, in [0, 1]; 0 leaves the counts as they are
    degrees: float = field(default=0.0)
    family: ClassVar[str] = "discrete-kernel"

    @classmethod
    def fit(
        cls, scores: ArrayLike, support: Vector | None = None, multiplier: float = 1
    ) -> DiscreteKernelMargin:
        """λ by least-squares cross-validation, times the multiplier, at most 1. O(n + k²)."""
        from scipy.optimize import minimize_scalar

        counts, points = counts_on(scores, support)
        n = counts.sum()

        def loss(bandwidth: float) -> float:
            weights = _kernels(len(points), bandwidth)
            masses = weights @ counts / n
            left_out = (weights @ counts - np.diag(weights)) / max(n - 1, 1)
            return float(masses @ masses - 2 * counts @ left_out / n)

        # The criterion may have several dips: look along a grid first.
        grid = np.linspace(0.0, 1.0, 21)
        best = int(np.argmin([loss(b) for b in grid]))
        ends = (grid[max(best - 1, 0)], grid[min(best + 1, len(grid) - 1)])
        result = minimize_scalar(loss, bounds=ends, method="bounded", options={"xatol": 1e-6})
        chosen = float(result.x) if result.fun < loss(grid[best]) else float(grid[best])
        bandwidth = min(multiplier * chosen, 1.0)
        seen = counts > 0
        weights = _kernels(len(points), bandwidth)[np.ix_(seen, seen)]
        return cls(points, tuple(counts.tolist()), bandwidth, effective_degrees(weights, counts[seen]))

    @cached_property
    def masses(self) -> Vector:
        counts = np.asarray(self.counts)
        return _kernels(len(self.support), self.bandwidth) @ (counts / counts.sum())


def _kernels(points: int, bandwidth: float) -> Matrix:
    steps = np.abs(np.subtract.outer(np.arange(points), np.arange(points)))
    weights = np.where(steps == 0, 1.0, 0.5 * np.power(bandwidth, steps))
    return weights / weights.sum(axis=0)


Fit = Callable[[Vector, Vector | None], Margin]


@dataclass(frozen=True)
class MarginFamily(Entry):
    """A family of margins, or one way of fitting it.

    Attributes:
        discrete: whether it needs a finite support.
        fit: from n scores and the support (``None`` for continuous measures) to a margin.
        rebuild: called with a margin's `parameters()` as keywords when a model is loaded, usually the
            margin's class; ``None`` for a second way of fitting a family that has another name.
        fit_bounded: like `fit`, with shapes of 1 or more; ``None`` for a family without shapes.

    Example:
        A uniform margin of one's own, which :func:`register_margin` would make known by name:

        >>> from truerank.simulation.margins import BetaMargin
        >>> uniform = MarginFamily(
        ...     "uniform", "uniform", False, fit=lambda scores, support: BetaMargin(1.0, 1.0)
        ... )
        >>> uniform.fit([0.2, 0.9], None).mean
        0.5
    """

    discrete: bool
    fit: Fit
    rebuild: Callable[..., Margin] | None = None
    fit_bounded: Fit | None = None

    def fit_with(self, shapes: str) -> Fit:
        """The way of fitting that keeps to one of `SHAPES`; a family without shapes has only one.

        Raises:
            UnknownNameError: not one of `SHAPES`.
        """
        if shapes not in SHAPES:
            raise unknown_name("kind of shapes", shapes, SHAPES)
        return self.fit_bounded if shapes == "bounded" and self.fit_bounded else self.fit


def _own(margin: Any, label: str, *references: str, **bounded: float) -> MarginFamily:
    """The family of a class of margins; `bounded` are arguments of its fit with shapes of 1 or more."""
    return MarginFamily(
        margin.family,
        label,
        discrete=issubclass(margin, DiscreteMargin),
        fit=margin.fit,
        rebuild=margin,
        fit_bounded=partial(margin.fit, **bounded) if bounded else None,
        references=("urbano-nagler-2018", *references),
    )


def _discrete_kernel(multiplier: int) -> MarginFamily:
    return MarginFamily(
        "discrete-kernel" if multiplier == 1 else f"discrete-kernel-{multiplier}",
        f"discrete kernel, bandwidth × {multiplier}",
        discrete=True,
        fit=partial(DiscreteKernelMargin.fit, multiplier=multiplier),
        rebuild=DiscreteKernelMargin if multiplier == 1 else None,
        references=("urbano-nagler-2018", "wang-van-ryzin-1981"),
    )


FAMILIES: Registry[MarginFamily] = Registry(
    "margin family",
    _own(TruncatedNormalMargin, "truncated normal"),
    _own(BetaMargin, "beta", smallest=1.0),
    _own(GaussianKernelMargin, "Gaussian kernel density", "wand-jones-1995"),
    _own(BetaKernelMargin, "beta kernel density", "chen-1999"),
    _own(BetaBinomialMargin, "beta-binomial", least=0.0),
    *map(_discrete_kernel, (1, 2, 5, 10)),
)
"""The families of margins by name.

Example:
    >>> from truerank.simulation import FAMILIES
    >>> "beta" in FAMILIES
    True
"""
register_margin = FAMILIES.register
"""Make a family of margins known by its name, to fits and to saved models (docs/methods/simulation.md).

A continuous one is then among those that a fit chooses from by default.

Example:
    >>> from truerank.simulation import FAMILIES, register_margin
    >>> register_margin(FAMILIES["beta"])
    Traceback (most recent call last):
    truerank.errors.InputError: margin family 'beta' exists already; choose another name
"""

DEFAULT_SHAPES = "free"  # one of `SHAPES`: free ones predict new topics better (docs/methods/simulation.md)

# Selection criteria, the smaller the better: from log-likelihood, degrees of freedom and n.
CRITERIA: dict[str, Callable[[float, float, int], float]] = {
    "loglik": lambda loglik, degrees, n: -loglik,
    "aic": lambda loglik, degrees, n: 2 * degrees - 2 * loglik,
    "bic": lambda loglik, degrees, n: math.log(n) * degrees - 2 * loglik,
}


def fit_margin(
    scores: ArrayLike,
    families: Sequence[str] | None = None,
    criterion: str = "aic",
    support: Vector | None = None,
    shapes: str = DEFAULT_SHAPES,
) -> Margin:
    """The best margin for one system's scores.

    A constant column gets a `PointMargin`, whatever the families.
    """
    x = np.asarray(scores, dtype=np.float64)
    if criterion not in CRITERIA:
        raise unknown_name("criterion", criterion, CRITERIA)
    chosen = [FAMILIES.find(name) for name in families or ()]
    chosen = chosen or [one for one in FAMILIES.values() if one.discrete == (support is not None)]
    fits = [family.fit_with(shapes) for family in chosen]
    if np.ptp(x) <= TIE:
        return PointMargin(float(x[0]))

    def cost(margin: Margin) -> float:
        return CRITERIA[criterion](margin.log_likelihood(x), margin.degrees, len(x))

    return min((fit(x, support) for fit in fits), key=cost)


def margin_to_json(margin: Margin) -> dict[str, Any]:
    """A margin as a JSON object: ``family``, its parameters and, where it was moved, ``moved`` with those."""
    if isinstance(margin, MovedMargin):
        return {**margin_to_json(margin.base), "moved": margin.parameters()}
    return {"family": margin.family, **margin.parameters()}


def margin_from_json(document: dict[str, Any]) -> Margin:
    values = dict(document)
    moved = values.pop("moved", None)
    family = str(values.pop("family"))
    # The margin of a constant column is not one of the families to choose from.
    known = {item.name: item.rebuild for item in FAMILIES.values() if item.rebuild}
    known[PointMargin.family] = PointMargin
    if family not in known:
        raise unknown_name("margin family", family, known)
    base = known[family](**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return base if moved is None else MovedMargin(base, **moved)
