"""Means over tables with empty cells, and averages over data sets: strata of topics, or units themselves.

A plain mean rewards a system for skipping hard topics. Least squares compares systems only on topics that
they share, directly or through others (docs/methods/data-sets.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank._support.wording import some
from truerank.errors import InputError
from truerank.numerics.resampling import balanced_counts
from truerank.reliability.means.aggregates import Aggregate
from truerank.reliability.means.means import Means, effective_number, members, plain_means, summed

CHUNK_VALUES = 1 << 21  # means of data sets held at a time while votes are resampled (16 MB)


@dataclass(frozen=True)
class Additive:
    """Least squares of ``x_ti = θ_i + topic effect`` over the n × m cells that are there."""

    contrasts: Vector  # m, θ̂, adding up to 0
    level: float  # what the mean over all systems would be had each run on every row
    weights: Vector  # n, ω_t
    present: NDArray[np.bool_]
    residuals: Matrix  # n × m, P_t (x_t − θ̂)
    effects: Vector  # n, each row's own
    regular: Matrix  # M with an eigenvalue, which is `scale`, in its null direction too, m × m
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
    """``θ̂ = M⁺ Σ ω_t P_t x_t`` of scores with NaN in empty cells, ``M = Σ ω_t P_t``. O(n·m² + m³)."""
    # P_t centers over the systems of row t; influence rows are ω_t M⁺ P_t (x_t − θ̂), plus each row's effect.
    present = ~np.isnan(values)
    counts = present.sum(axis=1)
    weights = np.where(counts >= 2, weights, 0.0)  # a row with one system contains no comparison
    weights = weights / weights.sum()
    sizes = np.maximum(counts, 1)
    filled = np.where(present, values, 0.0)
    row_means = filled.sum(axis=1) / sizes
    centered = np.where(present, filled - row_means[:, None], 0.0)

    laplacian, m = _laplacian(present, weights), present.shape[1]
    scale = max(float(np.trace(laplacian)) / m, 1e-300)
    regular = laplacian + scale / m
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
        cells[:, cells.sum(axis=0) < 2] = False
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


@dataclass(frozen=True, eq=False)
class DataSetMeans:
    """The systems' means on one data set; NaN, and rows of 0, for a system that has too few topics."""

    means: Vector
    contrasts: Vector
    influences: Matrix  # one row per topic or cluster
    size: float  # effective topics or clusters
    variances: Matrix | None  # m × m, of scores of variance 1; None where all have all topics: 1/size each

    def carried(self, a: Matrix | float) -> Matrix:
        """``A G Aᵀ``: what scores of variance 1 on the data set leave in θ̂."""
        if self.variances is None:
            return _carried(a, np.eye(len(self.means))) / max(self.size, 1.0)
        return _carried(a, self.variances)


def data_set_means(values: Matrix, clusters: NDArray[np.intp] | None = None) -> DataSetMeans:
    """The means of n × m scores, NaN in empty cells, that count alike. O(n·m), O(n·m² + m³) with holes."""
    n, m = values.shape
    variances: Matrix | None = None
    topics = np.ones(n, np.bool_)
    if not np.isnan(values).any():
        plain = plain_means(values)
        means, contrasts, influences = plain.theta, plain.contrasts, plain.influences
        assert influences is not None
    else:
        cells = usable(~np.isnan(values))
        topics, systems = np.asarray(cells.any(axis=1)), np.asarray(cells.any(axis=0))
        means, contrasts = np.full(m, np.nan), np.full(m, np.nan)
        influences, variances = np.zeros((int(topics.sum()), m)), np.zeros((m, m))
        if systems.any():
            kept = np.where(cells, values, np.nan)[np.ix_(topics, systems)]
            fit = additive(kept, np.full(len(kept), 1 / len(kept)))
            means[systems], contrasts[systems] = fit.theta, fit.contrasts
            influences[:, systems] = fit.influences
            variances[np.ix_(systems, systems)] = fit.variances
    if clusters is None:
        return DataSetMeans(means, contrasts, influences, float(len(influences)), variances)
    groups = clusters[topics]
    influences = summed(influences, groups)
    size = effective_number(groups) if len(groups) else 0.0
    if variances is not None:
        variances = variances * (len(groups) / max(size, 1.0))
    return DataSetMeans(means, contrasts, influences, size, variances)


def averaged(sets: Sequence[DataSetMeans], weights: Vector, unit: str = "topic") -> Means:
    """``θ̂ = Σ w_k x̄_k`` with rows ``U_t = w_k U_t⁽ᵏ⁾``; least squares where one is lacking. O(N·m²)."""
    means = np.array([one.means for one in sets])
    rows_each = [len(one.influences) for one in sets]
    counts, present, m = np.maximum(rows_each, 1.0), ~np.isnan(means), means.shape[1]
    maps: Sequence[Matrix | float]
    if lacking := not present.all():
        fit = additive(means, weights)
        theta, contrasts = fit.theta, fit.contrasts
        share = present / np.maximum(present.sum(axis=1), 1)[:, None]
        by_set = [
            w * fit.weighted @ (np.diag(here.astype(np.float64)) - np.outer(here, part))
            for w, here, part in zip(fit.weights, present, share, strict=True)
        ]
        # A topic's effect on all systems alike, which cancels in every difference.
        common = fit.weights @ share
        rows = [
            one.influences @ a.T + (w * one.influences @ part - one.influences @ a.T @ common)[:, None]
            for w, one, a, part in zip(fit.weights, sets, by_set, share, strict=True)
        ]
        maps = by_set
    else:
        theta, contrasts = weights @ means, weights @ np.array([one.contrasts for one in sets])
        rows = [w * one.influences for w, one in zip(weights, sets, strict=True)]
        maps = weights.tolist()
    total = sum(one.carried(a) for a, one in zip(maps, sets, strict=True))
    holes = lacking or any(one.variances is not None for one in sets)

    def sizes_of(k: int) -> tuple[Matrix, Matrix] | None:
        if sets[k].variances is None and not lacking:
            return None
        return _carried(maps[k], np.eye(m)), sets[k].carried(maps[k])

    return Means(
        theta=theta,
        contrasts=contrasts,
        influences=np.concatenate(rows),
        strata=np.repeat(np.arange(len(sets)), rows_each),
        factors=counts / np.maximum(counts - 1, 1.0),
        stratum_degrees=np.maximum(counts - 1, 1.0),
        effective=effective_topics(np.asarray(total)),
        unit=unit,
        sizes=sizes_of if holes else None,
    )


def averaged_rest(means: Matrix, weights: Vector) -> Vector | None:
    """θ̂ but for a constant, once something was left out; ``None`` where the rest does not connect systems."""
    present = ~np.isnan(means)
    if present.all():
        return np.asarray(weights @ means)
    if not present.any(axis=0).all() or len(connected(present)) > 1:
        return None
    return additive(means, weights).contrasts


def _carried(a: Matrix | float, variances: Matrix) -> Matrix:
    """``A V Aᵀ``, where A may be a number times the identity."""
    return np.asarray(a * a * variances if isinstance(a, float) else a @ variances @ a.T)


def effective_topics(variances: Matrix) -> float:
    """Harmonic mean over the pairs of 2/Var(θ̂_i − θ̂_j), for scores of variance 1."""
    m = len(variances)
    of_differences = float(np.trace(variances) - variances.sum() / m) / max(m - 1, 1)
    return 1 / max(of_differences, 1e-300)


def voted(
    values: Matrix,
    strata: NDArray[np.intp],
    clusters: NDArray[np.intp] | None,
    weights: Vector,
    aggregate: Aggregate,
) -> Means:
    """An aggregate of points over data sets: a step function of the topics, without influence rows."""
    k = len(weights)
    present = ~np.isnan(values)
    filled = np.where(present, values, 0.0)
    units = np.arange(len(values)) if clusters is None else clusters
    of_set = members(strata, k)

    def table(counts: Sequence[Matrix]) -> Matrix:
        """T × K × m means from T × n_k counts of each data set."""
        means = np.empty((len(counts[0]), k, values.shape[1]))
        for s, c in enumerate(counts):
            with np.errstate(invalid="ignore", divide="ignore"):
                means[:, s] = (c @ filled[of_set[s]]) / (c @ present[of_set[s]].astype(np.float64))
        return means

    def resample(resamples: int, rng: Generator) -> Matrix:
        counts = []
        for topics in of_set:
            groups, of_topic = np.unique(units[topics], return_inverse=True)
            drawn = balanced_counts(len(groups), resamples, rng).astype(np.float64)
            counts.append(drawn[:, of_topic.ravel()])
        step = max(1, CHUNK_VALUES // (k * values.shape[1]))
        parts = ([c[start : start + step] for c in counts] for start in range(0, resamples, step))
        return np.concatenate([total_points(table(part), weights, aggregate) for part in parts]).T

    theta = total_points(table([np.ones((1, len(topics))) for topics in of_set]), weights, aggregate)[0]
    sizes = np.array([len(np.unique(units[topics])) for topics in of_set], dtype=np.float64)
    return Means(
        theta=theta,
        contrasts=theta,
        influences=None,
        strata=np.zeros(0, dtype=np.intp),
        factors=np.ones(0),
        stratum_degrees=np.maximum(sizes - 1, 1.0),
        effective=float(1 / np.sum(weights**2 / sizes)),
        unit="topic" if clusters is None else "cluster",
        resample=resample,
    )


def total_points(scores: Matrix, weights: Vector, aggregate: Aggregate) -> Matrix:
    """From … × K × m scores to … × m weighted totals or means of the points, over the sets with points."""
    assert aggregate.points is not None
    points = aggregate.points(scores)
    there = ~np.isnan(points)
    sums = np.einsum("k,...km->...m", weights, np.where(there, points, 0.0))
    counted = (
        1 / len(weights) if aggregate.total else np.einsum("k,...km->...m", weights, there.astype(float))
    )
    return np.asarray(sums / counted, dtype=np.float64)


def sampled(
    table: Matrix,
    weights: Vector,
    families: NDArray[np.intp] | None = None,
    total: bool = False,
    own_means: bool = False,
    unit: str = "data set",
) -> Means:
    """The weighted average over K data sets as a sample, ``U_k = w_k (x_k − θ̂)``. O(K·m² + m³)."""
    # Rows are added up within families of weight W: with A = Σ W² and B = Σ W³ the factor is A/(A − 2B + A²).
    k = len(table)
    holes = bool(np.isnan(table).any())
    equal = np.ptp(weights) <= 1e-12 and families is None
    if equal and not holes:
        return plain_means(table * (k if total else 1), unit)
    variances, units = None, weights
    if not holes:
        theta = weights @ table
        contrasts = weights @ (table - table.mean(axis=1, keepdims=True))
        influences = weights[:, None] * (table - theta)
    elif own_means:
        there = ~np.isnan(table)
        shares = weights[:, None] * there
        shares = shares / shares.sum(axis=0)
        theta = contrasts = np.sum(shares * np.where(there, table, 0.0), axis=0)
        influences = shares * np.where(there, table - theta, 0.0)
    else:
        fit = additive(table, weights)
        theta, contrasts, influences, variances = fit.theta, fit.contrasts, fit.influences, fit.variances
    if families is not None:
        influences = summed(influences, families)
        units = np.asarray(np.bincount(families, weights), dtype=np.float64)
    a, b = float(np.sum(units**2)), float(np.sum(units**3))
    effective, sizes = 1 / a, None
    if variances is not None:
        variances = variances * (a / float(np.sum(weights**2)))
        effective, forms = effective_topics(variances), (np.eye(table.shape[1]), variances)
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
