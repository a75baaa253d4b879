"""The effects simulator: system, topic and residual effects of the logit scores (Urbano 2016)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import Generator
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Matrix, Vector
from truerank.errors import InputError, unknown_name
from truerank.numerics.kernel_density import cdf_bandwidth
from truerank.scores import TIE, ScoreMatrix
from truerank.simulation.copulas import (
    cholesky,
    correlated_normals,
    distinct_columns,
    from_lower_triangle,
    lower_triangle,
    nearest_correlation,
)
from truerank.simulation.margin_families import mixed
from truerank.simulation.margins import QuantileTable
from truerank.simulation.model import ABOUT, Origin, SimulationModel, Simulator, check_unit_range, common

SHIFT = 0.05  # a in the logit `log((x + a)/(1 − x + a))`, which keeps 0 and 1 finite
# Biased topics are chosen among this many random ones, or this many times the topics wanted.
POOL, POOL_FACTOR = 200, 4
QUADRATURE = 256  # points a side of the grid of (topic, residual) over which a model's own mean is taken


def logit(x: ArrayLike) -> Vector:
    """``log((x + a)/(1 − x + a))``."""
    x = np.asarray(x, dtype=np.float64)
    return np.log((x + SHIFT) / (1 - x + SHIFT))


def inverse_logit(y: Matrix) -> Matrix:
    from truerank.numerics.special import expit

    return np.clip((1 + 2 * SHIFT) * expit(y) - SHIFT, 0.0, 1.0)


@dataclass(frozen=True)
class SmoothedEffect:
    """The mean of N(e_i, h²) over observed effects, confined to an interval."""

    effects: Vector
    bandwidth: float
    low: float
    high: float

    @classmethod
    def fit(cls, effects: Vector, reach: float) -> SmoothedEffect:
        """Smooth on [−reach, reach], wider for effects beyond it. O(n²)."""
        low, high = min(-reach, float(effects.min())), max(reach, float(effects.max()))
        return cls(effects, cdf_bandwidth(effects), low, high)

    def cdf(self, x: ArrayLike) -> Vector:
        from truerank.numerics.special import ndtr

        return mixed(lambda z: np.mean(ndtr(z), axis=-1), x, self.effects, self.bandwidth)

    @cached_property
    def _table(self) -> QuantileTable:
        return QuantileTable.build(self.cdf, self.low, self.high)

    def quantile(self, u: ArrayLike) -> Vector:
        if self.bandwidth == 0.0:
            return np.full(np.shape(u), self.effects[0])
        return self._table(u)


@dataclass(frozen=True)
class EffectsModel(SimulationModel):
    """``y_ts = level_s + topic effect_t + residual_ts`` on the logit scale (Urbano 2016).

    Attributes:
        systems: m names.
        measure: what the scores are.
        origin: the fit that it comes from.
        levels: m; the grand mean and the system's effect together.
        original_means: m; the means of the scores that the model was fitted to.
        topic_effects: n observed topic effects.
        residuals: n × d observed residuals of the distinct systems.
        correlations: (d + 1) × (d + 1), of the residuals and, last, the topic effects.
        dimensions: for each system its column of residuals.
        normal: no logit, and normal residuals.
        topics: ``random``, or ``biased``: an uneven choice whose shape is drawn for each collection.
        truth: which means count as true: ``original`` or ``model``.

    Example:
        The two truths differ a little, as the logit is not linear (docs/methods/simulation.md):

        >>> values = np.random.default_rng(1).beta(1, 3, (40, 1)) * [0.9, 0.7, 0.8]
        >>> model = fit_effects(ScoreMatrix.build(values))
        >>> bool(0 < abs(model.model_means - model.original_means).max() < 0.01)
        True
        >>> model.draw(500, np.random.default_rng(1)).shape
        (500, 3)
    """

    systems: tuple[str, ...]
    measure: str
    origin: Origin
    levels: tuple[float, ...]
    original_means: tuple[float, ...]
    topic_effects: Vector
    residuals: Matrix
    correlations: Matrix
    dimensions: tuple[int, ...]
    normal: bool = False
    topics: str = "random"
    truth: str = "original"
    simulator: ClassVar[str] = "effects"

    @property
    def true_means(self) -> Vector:
        return np.array(self.original_means) if self.truth == "original" else self.model_means

    @cached_property
    def model_means(self) -> Vector:
        """The expected score of each system on a random topic under the model itself, m.

        By quadrature over the topic effect and the residual given it, QUADRATURE² points a system;
        accurate to about 1e-5. `original_means` differ, as the logit is not linear.
        """
        of_systems = zip(self.levels, map(self._deviations, self.dimensions), strict=True)
        return np.array([np.mean(self._score(level + deviations)) for level, deviations in of_systems])

    def _deviations(self, column: int) -> Matrix:
        """Topic effect plus residual at equally likely points of the two."""
        from truerank.numerics.special import ndtr, ndtri

        u = (np.arange(QUADRATURE) + 0.5) / QUADRATURE
        z = ndtri(u)
        shared = float(self.correlations[-1, column])
        own = math.sqrt(max(0.0, 1 - shared**2))
        residual = self._residual(column, ndtr(shared * z[:, None] + own * z))
        return self._topic.quantile(u)[:, None] + residual

    @cached_property
    def _reach(self) -> float:
        return 1.0 if self.normal else 2 * float(logit(1.0))

    @cached_property
    def _topic(self) -> SmoothedEffect:
        return SmoothedEffect.fit(self.topic_effects, self._reach)

    @cached_property
    def _smoothed(self) -> tuple[SmoothedEffect, ...]:
        return tuple(SmoothedEffect.fit(column, self._reach) for column in self.residuals.T)

    @cached_property
    def _root(self) -> Matrix:
        return cholesky(self.correlations)

    def _residual(self, column: int, u: Matrix) -> Matrix:
        if self.normal:
            from truerank.numerics.special import ndtri

            deviation = float(self.residuals[:, column].std(ddof=1))
            return deviation * ndtri(np.clip(u, 1e-16, 1 - 1e-16))
        return self._smoothed[column].quantile(u)

    def _score(self, y: Matrix) -> Matrix:
        return np.clip(y, 0.0, 1.0) if self.normal else inverse_logit(y)

    def draw(self, topics: int, rng: Generator) -> Matrix:
        """New topics: correlated normals → uniforms → effects → scores. O(topics·m²)."""
        from truerank.numerics.special import ndtr

        pool = topics if self.topics == "random" else max(POOL, POOL_FACTOR * topics)
        uniforms = ndtr(correlated_normals(self._root, pool, rng))
        if self.topics != "random":
            uniforms = uniforms[self._biased(uniforms[:, -1], topics, rng)]
        topic = self._topic.quantile(uniforms[:, -1])
        residuals = [self._residual(d, uniforms[:, d]) for d in range(self.residuals.shape[1])]
        scores = np.empty((topics, len(self.systems)))
        for s, d in enumerate(self.dimensions):
            scores[:, s] = self._score(self.levels[s] + topic + residuals[d])
        return scores

    def _biased(self, topic: Vector, wanted: int, rng: Generator) -> NDArray[np.intp]:
        """Topics chosen without replacement, with chances by a Beta density over their effect's rank."""
        from truerank.numerics.special import xlog1py, xlogy

        # Mostly from one end: one shape is below 2 and the other above, in random order.
        shapes = (rng.uniform(0.01, 2.0), rng.uniform(2.0, 8.0))
        shapes = shapes if rng.random() < 0.5 else shapes[::-1]
        place = np.arange(1, len(topic) + 1) / (len(topic) + 1)
        logs = xlogy(shapes[0] - 1, place) + xlog1py(shapes[1] - 1, -place)
        chances = np.exp(logs - logs.max())
        by_effect = np.argsort(topic, kind="stable")
        return by_effect[rng.choice(len(topic), wanted, replace=False, p=chances / chances.sum())]

    def with_means(self, means: Mapping[str, float]) -> Self:
        """The model with other true means for some systems, their levels moved until it has them.

        The model's own means count as true from here on.
        """
        from scipy.optimize import brentq

        levels = list(self.levels)
        for system, mean in means.items():
            s = self.index(system)
            if not 0 < mean < 1:
                raise InputError(f"system {system!r}: a true mean must lie between 0 and 1, not at {mean:g}")

            def too_high(level: float, deviations: Matrix, mean: float) -> float:
                return float(np.mean(self._score(level + deviations))) - mean

            given = self._deviations(self.dimensions[s]), mean
            levels[s] = float(brentq(too_high, -30.0, 30.0, given, xtol=1e-12))
        return replace(self, levels=tuple(levels), truth="model", origin=self.origin.with_means(means))

    def body(self) -> dict[str, Any]:
        return {
            "levels": list(self.levels),
            "original_means": list(self.original_means),
            "topic_effects": self.topic_effects.tolist(),
            "residuals": self.residuals.T.tolist(),
            "correlations": lower_triangle(self.correlations),
            "dimensions": list(self.dimensions),
            "normal": self.normal,
            "topics": self.topics,
            "truth": self.truth,
        }

    @classmethod
    def read(cls, model: dict[str, Any]) -> EffectsModel:
        return cls(
            **common(model),
            levels=tuple(model["levels"]),
            original_means=tuple(model["original_means"]),
            topic_effects=np.array(model["topic_effects"]),
            residuals=np.array(model["residuals"]).T,
            correlations=from_lower_triangle(model["correlations"]),
            dimensions=tuple(model["dimensions"]),
            **{name: model[name] for name in ("normal", "topics", "truth")},
        )


def fit_effects(
    scores: ScoreMatrix,
    *,
    seed: int = 0,
    normal: bool = False,
    homoscedastic: bool = False,
    uncorrelated: bool = False,
    topics: Literal["random", "biased"] = "random",
    truth: Literal["original", "model"] = "original",
) -> EffectsModel:
    """Decompose the scores into effects (Urbano 2016). O(n·m² + m³).

    The four switches are the assumptions that the paper drops one at a time.
    """
    check_unit_range(scores)
    if scores.n < 3 or scores.m < 2:
        raise InputError(
            f"an effects model needs at least 3 topics and 2 systems, not {scores.n} and {scores.m}"
        )
    if truth not in ("original", "model"):
        raise unknown_name("truth", truth, ("original", "model"))
    if topics not in ("random", "biased"):
        raise unknown_name("choice of topics", topics, ("random", "biased"))
    y = scores.values if normal else logit(scores.values)
    levels = y.mean(axis=0)
    topic_effects = y.mean(axis=1) - y.mean()
    first, dimensions = distinct_columns(scores.values)
    residuals = (y - levels - topic_effects[:, None])[:, first]
    deviations = residuals.std(axis=0, ddof=1)
    residuals[:, deviations <= TIE] = 0.0
    if homoscedastic:
        pooled = math.sqrt(float(np.mean(deviations[dimensions] ** 2)))
        residuals *= np.divide(pooled, deviations, out=np.zeros_like(deviations), where=deviations > TIE)
    options = {"normal": normal, "homoscedastic": homoscedastic, "uncorrelated": uncorrelated}
    return EffectsModel(
        systems=scores.systems,
        measure=scores.measure,
        origin=Origin.of(scores, seed, options),
        levels=tuple(levels.tolist()),
        original_means=tuple(scores.means.tolist()),
        topic_effects=topic_effects,
        residuals=residuals,
        correlations=_correlations(residuals, topic_effects, uncorrelated),
        dimensions=tuple(int(d) for d in dimensions),
        normal=normal,
        topics=topics,
        truth=truth,
    )


def _correlations(residuals: Matrix, topic_effects: Vector, uncorrelated: bool) -> Matrix:
    """Correlations of the residuals and the topic effects, the nearest that are positive definite."""
    effects = np.column_stack([residuals, topic_effects])
    if uncorrelated:
        return np.eye(effects.shape[1])
    deviations = effects.std(axis=0)
    centered = effects - effects.mean(axis=0)
    standard = np.divide(centered, deviations, out=np.zeros_like(effects), where=deviations > TIE)
    matrix = standard.T @ standard / len(effects)
    np.fill_diagonal(matrix, 1.0)
    return nearest_correlation(matrix)


EFFECTS = Simulator("effects", fit=fit_effects, read=EffectsModel.read, **ABOUT["effects"])
