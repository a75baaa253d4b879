"""The share of the error of the means that comes from runs (equations of docs/methods/noise.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.numerics.intervals import t_half
from truerank.reliability.means.means import Means, summed
from truerank.repeats import Repeats
from truerank.scores import ScoreMatrix

LARGEST_SHARE = 0.95  # Larger shares of run noise count as this: beyond it nothing would be left for topics


@dataclass(frozen=True)
class RunNoise:
    """The noise of runs in the means of m systems."""

    share: float  # φ, the share of run noise in the variance of a difference of means, in [0, 1]
    errors: Vector  # R_s, what runs leave in the variance of each mean
    variances: Vector  # σ² of one run of each system
    variance_errors: Vector  # its standard error over topics; 0 where it is borrowed
    borrowed: NDArray[np.bool_]  # systems without repeats, whose noise is that of the others
    log_error: float  # standard error of log φ, by the jackknife; NaN where it is unknown
    units: int  # topics (or clusters) that the jackknife left out in turn
    strata: int  # data sets that they are of
    run_variance: float  # σ²_run, that of one run of the average system
    topic_variance: float  # σ²_topic, what topics alone would leave
    runs: float  # K, as many runs of each system on each topic would leave the same noise
    averaged: bool = True  # whether cells are means of their runs: more runs leave less noise in proportion

    @property
    def capped(self) -> float:
        """φ as it is used: 0.95 at most."""
        return min(self.share, LARGEST_SHARE)

    @property
    def ratio(self) -> float:
        """q = σ²_run/σ²_topic."""
        return self.run_variance / self.topic_variance if self.topic_variance > 0 else np.inf

    def interval(self, level: float) -> tuple[float, float]:
        """The interval of φ, cut at 1 (eq. 6)."""
        if not (self.share > 0 and np.isfinite(self.log_error)):
            return (0.0, 1.0)
        half = t_half(max(self.units - self.strata, 1), level) * self.log_error
        return float(self.share * np.exp(-half)), float(min(self.share * np.exp(half), 1.0))

    def system_interval(self, level: float) -> tuple[Vector, Vector]:
        """The interval of each system's σ² (eq. 7), m each; NaN where it is borrowed."""
        t = t_half(max(self.units - self.strata, 1), level)
        with np.errstate(divide="ignore", invalid="ignore"):
            factor = np.exp(t * self.variance_errors / self.variances)
        factor[self.borrowed | ~(self.variances > 0)] = np.nan
        return self.variances / factor, self.variances * factor


def run_noise(scores: ScoreMatrix, means: Means) -> RunNoise | None:
    """The noise of the runs behind these scores; None where it cannot be estimated."""
    runs = scores.repeats
    if runs is None or not means.linear or not scores.complete or np.isfinite(runs.variances).sum() < 2:
        return None
    design = _Design(scores)
    filled = FilledRuns(runs, scores.values)
    errors = (filled.cells * design.counts[:, None] ** 2).sum(axis=0)
    squares = _unit_squares(scores.values, design)
    total = float(squares.sum())
    if not total > 0:
        return None
    of_runs = max(float(errors.mean()), 0.0)
    total = max(total, of_runs)  # the variance includes run noise, so the topics' part is at least 0
    share = of_runs / total
    left = of_runs * design.effective  # W
    even = (filled.weights * design.counts[:, None] ** 2).sum(axis=0).mean() * design.effective
    variance = float(np.mean(filled.variances))
    return RunNoise(
        share=share,
        errors=np.maximum(errors, 0.0),
        variances=np.maximum(filled.variances, 0.0),
        variance_errors=filled.errors,
        borrowed=filled.borrowed,
        log_error=_log_error(scores, runs.binary, design, filled, squares) if share > 0 else np.nan,
        units=len(design.unit_strata),
        strata=scores.k,
        run_variance=variance,
        topic_variance=(1 - min(share, LARGEST_SHARE)) * total * design.effective,
        runs=float(variance / left if left > 0 else 1 / even),  # without noise, as if all had the same
        averaged=runs.measure == "mean",
    )


class _Design:
    """What each topic counts, ``w_k/n_k``, and its unit (a cluster or itself); these are left out in turn."""

    def __init__(self, scores: ScoreMatrix) -> None:
        self.strata, self.counts = scores.stratum_of_each, scores.topic_weights
        self.sizes = np.bincount(self.strata, minlength=scores.k)
        self.units = np.arange(scores.n) if scores.clusters is None else scores.clusters
        self.unit_strata = np.zeros(int(self.units.max()) + 1, np.intp)
        self.unit_strata[self.units] = self.strata
        self.effective = 1 / float(np.sum(scores.set_weights**2 / self.sizes))


def _unit_squares(values: Matrix, design: _Design) -> Vector:
    """What each unit adds to half the mean variance of a difference; together MS/n (eq. 4)."""
    m = values.shape[1]
    centered: Matrix = values - values.mean(axis=1, keepdims=True)
    for k in range(len(design.sizes)):
        here = design.strata == k
        centered[here] -= centered[here].mean(axis=0)
    centered *= design.counts[:, None]
    rows = summed(centered, design.units)
    g = np.bincount(design.unit_strata)[design.unit_strata]
    squares: Vector = np.sum(rows**2, axis=1) / max(m - 1, 1) * g / np.maximum(g - 1, 1)
    return squares


def _log_error(
    scores: ScoreMatrix, binary: bool, design: _Design, filled: FilledRuns, squares: Vector
) -> float:
    """Standard error of log φ: the jackknife over topics or clusters, within data sets (eq. 5). O(n·m)."""
    strata, count = design.unit_strata, len(design.unit_strata)
    g = np.bincount(strata)[strata]
    total = np.bincount(strata, squares)
    less = np.maximum(total[strata] - g / np.maximum(g - 1, 1) * squares, 0.0)
    spread = total.sum() - total[strata] + less * (g - 1) / np.maximum(g - 2, 1)
    runs = _runs_without(scores, binary, design, filled)
    kept = 1 - np.bincount(design.units, minlength=count) / design.sizes[strata]
    own = runs[np.arange(count), strata]
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log((runs.sum(axis=1) - own + own / kept) / spread)
    if not np.isfinite(logs).all():
        return float("nan")
    sizes = np.bincount(strata)
    away = logs - (np.bincount(strata, logs) / sizes)[strata]
    return float(np.sqrt(np.sum((sizes - 1) / sizes * np.bincount(strata, away**2))))


def _runs_without(scores: ScoreMatrix, binary: bool, design: _Design, filled: FilledRuns) -> Matrix:
    """Units × data sets: Σ of what runs leave in the means without that unit, what is filled in anew."""
    count, m = len(design.unit_strata), scores.m
    known_cells: Matrix = filled.known.astype(np.float64)
    gone = [summed(x, design.units) for x in (filled.per_run, known_cells, scores.values)]
    known = filled.known.sum(axis=0) - gone[1]
    own = (filled.per_run.sum(axis=0) - gone[0]) / np.maximum(known, 1)
    if filled.borrowed.any():
        left = scores.n - np.bincount(design.units, minlength=count)
        theta = (scores.values.sum(axis=0) - gone[2]) / left[:, None]
        own = np.where(filled.borrowed, _lent(own, filled.borrowed, theta, binary), own)
    squared = design.counts[:, None] ** 2
    sure = np.where(filled.known, filled.cells, 0.0).sum(axis=1, keepdims=True) * squared
    empty = np.where(filled.known, 0.0, filled.weights) * squared
    found = np.zeros((count, scores.k))
    for k in range(scores.k):
        here = (design.strata == k)[:, None]
        of_sure, of_empty = np.where(here, sure, 0.0), np.where(here, empty, 0.0)
        found[:, k] = of_sure.sum() - summed(of_sure, design.units)[:, 0]
        found[:, k] += ((of_empty.sum(axis=0) - summed(of_empty, design.units)) * own).sum(axis=1)
    return found / m


class FilledRuns:
    """Run variances with a value in every cell (eq. 3): cells of one run by the system's other cells.

    Systems without repeats borrow theirs from the others.
    """

    def __init__(self, runs: Repeats, values: Matrix) -> None:
        self.known = np.isfinite(runs.variances)  # n × m, cells whose runs show their own variance
        self.weights: Matrix = 1.0 / np.maximum(runs.counts, 1)  # of a run's variance in the cell's
        self.per_run: Matrix = np.where(self.known, runs.variances, 0.0) / self.weights
        counts = self.known.sum(axis=0)
        self.borrowed = counts == 0
        own = self.per_run.sum(axis=0) / np.maximum(counts, 1)
        spread = np.where(self.known, self.per_run - own, 0.0)
        with np.errstate(invalid="ignore", divide="ignore"):
            errors = np.sqrt((spread**2).sum(axis=0) / np.maximum(counts - 1, 1) / np.maximum(counts, 1))
        lent = _lent(own, self.borrowed, values.mean(axis=0), runs.binary)
        self.variances: Vector = np.where(self.borrowed, lent, own)  # σ² of one run of each system
        # n × m, variance that runs leave in each cell
        self.cells: Matrix = np.where(self.known, runs.variances, self.variances * self.weights)
        # Standard errors of the systems' σ² over topics.
        self.errors: Vector = np.where(self.borrowed, 0.0, errors) if len(values) > 1 else np.zeros_like(own)


def _lent(own: Any, borrowed: NDArray[np.bool_], theta: Any, binary: bool) -> Any:
    """σ² of systems without repeats: the mean of the others’; of binary runs in proportion to θ(1 − θ)."""
    others = ~borrowed
    if not binary:
        return own[..., others].mean(axis=-1, keepdims=True)
    room = theta * (1 - theta)
    of_others = np.maximum(room[..., others].sum(axis=-1, keepdims=True), 1e-300)
    return own[..., others].sum(axis=-1, keepdims=True) / of_others * room
