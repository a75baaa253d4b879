"""New topics of the same data sets: a weighted average of data sets, each a stratum of topics."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.resampling import balanced_counts
from truerank.reliability.means.aggregates import Aggregate
from truerank.reliability.means.least_squares import additive
from truerank.reliability.means.means import Means
from truerank.reliability.means.one_data_set import DataSetMeans


def averaged(sets: Sequence[DataSetMeans], weights: Vector, unit: str = "topic") -> Means:
    """The weighted average of the means on K data sets. O(N·m²) where systems lack data sets, else O(N·m).

    ``θ̂ = Σ w_k x̄_k`` and ``U_t = w_k U_t⁽ᵏ⁾``. Where a system has no mean on a data set, θ̂ is from
    additive least squares over the K × m means, which is linear in them too.
    """
    means = np.array([one.means for one in sets])
    contrasts = np.array([one.contrasts for one in sets])
    strata = np.repeat(np.arange(len(sets)), [len(one.influences) for one in sets])
    counts = np.array([max(one.count, 1) for one in sets], dtype=np.float64)
    sizes = np.array([max(one.size, 1.0) for one in sets])
    m = means.shape[1]
    maps: Sequence[Matrix | float]
    if not np.isnan(means).any():
        theta, contrast = weights @ means, weights @ contrasts
        rows = [w * one.influences for w, one in zip(weights, sets, strict=True)]
        maps = weights.tolist()
    else:
        fit = additive(means, weights)
        theta, contrast = fit.contrasts + fit.level, fit.contrasts
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
    holes = any(one.variances is not None for one in sets) or bool(np.isnan(means).any())

    def sizes_of(k: int) -> tuple[Matrix, Matrix] | None:
        if sets[k].variances is None and not np.isnan(means).any():
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


def averaged_theta(means: Matrix, weights: Vector) -> Vector:
    """θ̂ of :func:`averaged`, from the K × m means alone."""
    if not np.isnan(means).any():
        return np.asarray(weights @ means)
    fit = additive(means, weights)
    return fit.contrasts + fit.level


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


CHUNK_VALUES = 1 << 21
"""Means of data sets held at a time while votes are resampled (16 MB)."""


def total_points(scores: Matrix, weights: Vector, aggregate: Aggregate) -> Matrix:
    """From … × K × m scores to … × m weighted totals or means of the points, over the sets with points."""
    assert aggregate.points is not None
    points = aggregate.points(scores)
    there = ~np.isnan(points)
    sums = np.einsum("k,...km->...m", weights, np.where(there, points, 0.0))
    if aggregate.total:
        return np.asarray(sums * len(weights), dtype=np.float64)
    return np.asarray(sums / np.einsum("k,...km->...m", weights, there.astype(np.float64)), dtype=np.float64)
