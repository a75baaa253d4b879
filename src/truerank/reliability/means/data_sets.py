"""Averages over data sets: of new topics, each is a stratum of topics; of new data sets, each is a unit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.resampling import balanced_counts
from truerank.reliability.means.aggregates import Aggregate
from truerank.reliability.means.least_squares import Additive, additive, connected, usable
from truerank.reliability.means.means import Means, effective_number, plain_means, summed

CHUNK_VALUES = 1 << 21
"""Means of data sets held at a time while votes are resampled (16 MB)."""


@dataclass(frozen=True, eq=False)
class DataSetMeans:
    """The systems' means on one data set, m, with their influence rows, one per topic or cluster.

    NaN, and rows of 0, for a system that has too few topics. Each cluster counts as one in the size.
    The variances are m × m, of scores of variance 1; ``None`` where all systems have all topics: 1/size each.
    """

    means: Vector
    contrasts: Vector
    influences: Matrix
    size: float
    variances: Matrix | None


def _fitted(values: Matrix) -> tuple[NDArray[np.bool_], NDArray[np.bool_], Additive | None]:
    """Masks of the topics and systems that least squares can use, and the fit to them, if there are any."""
    cells = usable(~np.isnan(values))
    topics, systems = np.asarray(cells.any(axis=1)), np.asarray(cells.any(axis=0))
    if not systems.any():
        return topics, systems, None
    kept = np.where(cells, values, np.nan)[np.ix_(topics, systems)]
    return topics, systems, additive(kept, np.full(len(kept), 1 / len(kept)))


def means_alone(values: Matrix) -> Vector:
    """The means of :func:`data_set_means`, without what their errors need."""
    if not np.isnan(values).any():
        return np.asarray(values.mean(axis=0))
    _, systems, fit = _fitted(values)
    means = np.full(values.shape[1], np.nan)
    if fit is not None:
        means[systems] = fit.theta
    return means


def data_set_means(values: Matrix, clusters: NDArray[np.intp] | None = None) -> DataSetMeans:
    """The means of n × m scores, NaN in empty cells, that count alike. O(n·m), O(n·m² + m³) with holes."""
    n, m = values.shape
    variances: Matrix | None = None
    if not np.isnan(values).any():
        plain = plain_means(values)
        assert plain.influences is not None
        means, contrasts, influences = plain.theta, plain.contrasts, plain.influences
        topics = np.ones(n, np.bool_)
    else:
        topics, systems, fit = _fitted(values)
        means, contrasts = np.full(m, np.nan), np.full(m, np.nan)
        influences, variances = np.zeros((int(topics.sum()), m)), np.zeros((m, m))
        if fit is not None:
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
    """The weighted average of the means on K data sets. O(N·m²) where systems lack data sets, else O(N·m).

    ``θ̂ = Σ w_k x̄_k`` and ``U_t = w_k U_t⁽ᵏ⁾``. Where a system has no mean on a data set, θ̂ is from
    additive least squares over the K × m means, which is linear in them too.
    """
    means = np.array([one.means for one in sets])
    contrasts = np.array([one.contrasts for one in sets])
    rows_each = [len(one.influences) for one in sets]
    strata, counts = np.repeat(np.arange(len(sets)), rows_each), np.maximum(rows_each, 1.0)
    sizes = np.array([max(one.size, 1.0) for one in sets])
    m, lacking = means.shape[1], bool(np.isnan(means).any())
    maps: Sequence[Matrix | float]
    if not lacking:
        theta, contrast = weights @ means, weights @ contrasts
        rows = [w * one.influences for w, one in zip(weights, sets, strict=True)]
        maps = weights.tolist()
    else:
        fit = additive(means, weights)
        theta, contrast = fit.theta, fit.contrasts
        present = ~np.isnan(means)
        share = present / np.maximum(present.sum(axis=1), 1)[:, None]
        used = np.where(present.sum(axis=1) >= 2, weights, 0.0)
        used = used / used.sum()
        by_set = [
            w * fit.weighted @ (np.diag(here.astype(np.float64)) - np.outer(here, part))
            for w, here, part in zip(used, present, share, strict=True)
        ]
        # A topic's effect on all systems alike, which cancels in every difference.
        common = used @ share
        rows = [
            one.influences @ a.T + (w * one.influences @ part - one.influences @ a.T @ common)[:, None]
            for w, one, a, part in zip(used, sets, by_set, share, strict=True)
        ]
        maps = by_set
    total = np.zeros((m, m))
    for k, (a, one) in enumerate(zip(maps, sets, strict=True)):
        total += _variances(a, one, sizes[k])
    holes = lacking or any(one.variances is not None for one in sets)

    def sizes_of(k: int) -> tuple[Matrix, Matrix] | None:
        if sets[k].variances is None and not lacking:
            return None
        return _carried(maps[k], np.eye(m)), _variances(maps[k], sets[k], sizes[k])

    return Means(
        theta=theta,
        contrasts=contrast,
        influences=np.concatenate(rows),
        strata=strata,
        factors=counts / np.maximum(counts - 1, 1.0),
        stratum_degrees=np.maximum(counts - 1, 1.0),
        effective=effective_topics(total),
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


def _variances(a: Matrix | float, one: DataSetMeans, size: float) -> Matrix:
    """``A G Aᵀ``: what scores of variance 1 on a data set leave in θ̂."""
    m = len(one.means)
    return _carried(a, np.eye(m)) / size if one.variances is None else _carried(a, one.variances)


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
    members = [np.flatnonzero(strata == s) for s in range(k)]

    def table(counts: Sequence[Matrix]) -> Matrix:
        """T × K × m means from T × n_k counts of each data set."""
        means = np.empty((len(counts[0]), k, values.shape[1]))
        for s, c in enumerate(counts):
            with np.errstate(invalid="ignore", divide="ignore"):
                means[:, s] = (c @ filled[members[s]]) / (c @ present[members[s]].astype(np.float64))
        return means

    def resample(resamples: int, rng: Generator) -> Matrix:
        counts = []
        for topics in members:
            groups, of_topic = np.unique(units[topics], return_inverse=True)
            drawn = balanced_counts(len(groups), resamples, rng).astype(np.float64)
            counts.append(drawn[:, of_topic.ravel()])
        step = max(1, CHUNK_VALUES // (k * values.shape[1]))
        parts = [
            total_points(table([c[start : start + step] for c in counts]), weights, aggregate)
            for start in range(0, resamples, step)
        ]
        return np.concatenate(parts).T

    theta = total_points(table([np.ones((1, len(topics))) for topics in members]), weights, aggregate)[0]
    sizes = np.array([len(np.unique(units[topics])) for topics in members], dtype=np.float64)
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
    if aggregate.total:
        return np.asarray(sums * len(weights), dtype=np.float64)
    return np.asarray(sums / np.einsum("k,...km->...m", weights, there.astype(np.float64)), dtype=np.float64)


def sampled(
    table: Matrix,
    weights: Vector,
    families: NDArray[np.intp] | None = None,
    total: bool = False,
    own_means: bool = False,
    unit: str = "data set",
) -> Means:
    """The weighted average over K data sets, taken as a sample. O(K·m), O(K·m² + m³) with empty cells.

    ``U_k = w_k (x_k − θ̂)`` are added up within families of weight W. With ``A = Σ W²`` and ``B = Σ W³`` the
    factor is ``A/(A − 2B + A²)``. The effective number of data sets is 1/A: K where weights are equal.
    """
    k = len(table)
    holes = bool(np.isnan(table).any())
    equal = np.ptp(weights) <= 1e-12 and families is None
    if equal and not holes:
        return plain_means(table * (k if total else 1), unit)
    variances = None
    if not holes:
        theta = weights @ table
        contrasts = weights @ (table - table.mean(axis=1, keepdims=True))
        influences = weights[:, None] * (table - theta)
    elif own_means:
        there = ~np.isnan(table)
        shares = weights[:, None] * there
        shares = shares / shares.sum(axis=0)
        theta = np.sum(shares * np.where(there, table, 0.0), axis=0)
        contrasts = theta
        influences = shares * np.where(there, table - theta, 0.0)
    else:
        fit = additive(table, weights)
        theta, contrasts, influences = fit.theta, fit.contrasts, fit.influences
        variances = fit.variances
    if families is None:
        units = weights
    else:
        influences = summed(influences, families)
        units = np.asarray(np.bincount(families, weights), dtype=np.float64)
    a, b = float(np.sum(units**2)), float(np.sum(units**3))
    effective, sizes = 1 / a, None
    if variances is not None:
        variances = variances * (a / float(np.sum(weights**2)))
        effective = effective_topics(variances)
        forms = (np.eye(table.shape[1]), variances)
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
