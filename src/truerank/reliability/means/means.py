"""Means: the estimates ``θ̂`` of m systems, and an influence row a topic, ``U_t``: ``θ̂ − θ ≈ Σ_t U_t``."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.types import Matrix, Vector
from truerank.numerics.intervals import t_half
from truerank.numerics.pairs import MANY, distance_blocks, mirror, squared_distances
from truerank.numerics.resampling import balanced_sums
from truerank.scores import TIE

if TYPE_CHECKING:
    from truerank.reliability.means.facets import Components

Sizes = Callable[[int], tuple[Matrix, Matrix] | None]
"""Two m × m forms of one contrast of a stratum: ``a aᵀ``, and its variance from scores of variance 1."""


@dataclass(frozen=True, eq=False)
class Known:
    """Errors that do not follow from the influence rows alone: of differences, m × m, and of estimates."""

    deviations: Matrix
    degrees: Matrix
    errors: Vector
    error_degrees: Vector


@dataclass(frozen=True, eq=False)
class BattleFit:
    """The fit of N battles of m systems with K covariates; P = m + K."""

    theta: Vector  # m strengths, which add up to 0
    coefficients: Vector  # K, of the covariates in units of their root mean squares
    design: Matrix  # K × N, the covariates in these units
    inverse: Matrix  # P × P, the pseudo-inverse H⁺ of the information; with drawn battles added, its inverse
    bread: Matrix  # P × P, from a sum of residuals to its influence: H⁺, less the row means of the strengths
    residuals: Vector  # N, r = w(y − p)
    information: Vector  # N, q = w p(1 − p)
    variances: Vector  # N, w q, the variance of a residual but for the dispersion
    total: Matrix  # P × P, Σ w q d̃ d̃ᵀ; d̃ has d and the covariates
    dispersion: float  # φ, the variance of an outcome over that of the model; ties make it small


@dataclass(frozen=True, eq=False)
class Played:
    """What battles say beside the strengths; (4) is of docs/methods/preferences.md."""

    fit: BattleFit
    interaction: float  # σ² (4) of the units, in logits
    by_voter: float | None  # that of voters beside prompts
    scales: Vector  # K, root mean squares of the covariates: the units of the coefficients
    rows: Matrix  # G × K, influence rows of the coefficients, with K errors and degrees of freedom
    errors: Vector
    degrees: Vector


@dataclass(frozen=True, eq=False)
class Means:
    """Estimates of m systems, and what each topic adds to them.

    Attributes:
        theta: m estimates, in the unit of the scores.
        contrasts: the same but for a common constant, exact where differences are tiny beside the scores.
        influences: N × m, one row per topic (cluster, data set); each column adds up to 0 within each
            stratum. ``None`` where the estimates are not nearly linear in the topics.
        strata: N, the stratum of each row.
        factors: K, what makes a stratum's sum of squares unbiased: n/(n − 1).
        stratum_degrees: K, degrees of freedom of each stratum's variance: n − 1.
        effective: effective number of topics: as many, counting alike, would leave the same error.
        unit: what a row stands for: ``topic``, ``cluster`` or ``data set``.
        values: N × m scores of which `theta` is the plain mean; ``None`` where it is not.
        sizes: for pairs of systems that do not share all topics of a stratum, see :data:`Sizes`.
        resample: from T and a generator to m × T resampled estimates, where there are no influence rows.
        notes: what to know about them.
        known: errors and degrees of freedom of pairs and systems, where the rows alone do not tell them.
        run_share: the share of run noise, by which the effective topics are fewer than the topics.
        by_pairs: whether common degrees of freedom follow from those of the pairs alone.
        usual_spread: usual standard deviation of true values of systems, in the unit of `theta`; ``None``
            where it is known in standard deviations of one topic only.
        components: what each source of noise adds, where levels of facets are a sample.
        played: what battles say beside the strengths.

    Example:
        >>> from truerank.reliability.means.means import plain_means
        >>> means = plain_means(np.array([[0.2, 0.5], [0.4, 0.5], [0.6, 0.8]]))
        >>> means.theta.round(3).tolist(), means.effective, float(means.degrees[0, 1])
        ([0.4, 0.6], 3.0, 2.0)
    """

    theta: Vector
    contrasts: Vector
    influences: Matrix | None
    strata: NDArray[np.intp]
    factors: Vector
    stratum_degrees: Vector
    effective: float
    unit: str = "topic"
    values: Matrix | None = None
    sizes: Sizes | None = None
    resample: Callable[[int, Generator], Matrix] | None = None
    notes: tuple[Note, ...] = ()
    known: Known | None = None
    run_share: float = 0.0
    by_pairs: bool = False
    usual_spread: float | None = None
    components: Components | None = None
    played: Played | None = None

    @property
    def of_data_sets(self) -> bool:
        """Whether a row stands for a data set, or a family of them, so that these are what is sampled."""
        return self.unit.endswith("data set") or self.unit.endswith("data sets")

    @property
    def linear(self) -> bool:
        return self.influences is not None

    @cached_property
    def rows(self) -> Matrix:
        """N × m: the covariance of `theta` is ``rowsᵀ rows``, but for :attr:`sizes`."""
        assert self.influences is not None
        return self.influences * np.sqrt(self.factors)[self.strata][:, None]

    @property
    def beside_average(self) -> Matrix:
        """N × m: the rows of what each system has beyond the average of all."""
        return self.rows - self.rows.mean(axis=1, keepdims=True)

    @property
    def differences(self) -> Matrix:
        """m × m, ``θ̂_i − θ̂_j``; recomputed each time, as thousands of systems take much memory."""
        return self.contrasts[:, None] - self.contrasts[None, :]

    @property
    def deviations(self) -> Matrix:
        """m × m, standard errors of the differences; 0 where the pair differs by the same on every topic."""
        return self._pairs[0]

    def deviation_blocks(self) -> Iterator[tuple[int, Matrix]]:
        """The deviations above the diagonal, some rows after the other, from the first of them on."""
        if not self._alike or len(self.theta) < MANY or "_pairs" in vars(self):
            yield 0, self.deviations
            return
        unit = self._unit
        for start, part in distance_blocks(self.rows / unit, self._equal):
            np.sqrt(part, out=part)
            part *= unit
            yield start, part

    @property
    def degrees(self) -> Matrix:
        """m × m, degrees of freedom of those (Welch 1938, Satterthwaite 1946); 1 at least."""
        if self._alike:
            return np.broadcast_to(self.pair_degrees, (len(self.theta),) * 2)
        return self._pairs[1]

    @property
    def pair_degrees(self) -> float | Matrix:
        """Like `degrees`, but one number where it is equal for all pairs."""
        return max(float(self.stratum_degrees[0]), 1.0) if self._alike else self._pairs[1]

    @cached_property
    def common_degrees(self) -> float:
        """Those of one scale: the geometric mean of the pairs' median and the effective topics less one."""
        if len(self.theta) < 2 or not self.linear:
            return float(self.stratum_degrees.sum())
        if self._alike:
            median = float(self.degrees[0, 1])
        else:
            median = float(np.median(self.degrees[np.triu_indices(len(self.theta), 1)]))
        if self.by_pairs:
            return median
        # Run noise leaves fewer effective topics, but the errors are known from all of them.
        topics = self.effective / (1 - self.run_share)
        return float(np.sqrt(median * max(topics - 1, 1.0)))

    @cached_property
    def _pairs(self) -> tuple[Matrix, Matrix]:
        """Standard errors and degrees of freedom of all pairs. O(N·m²), memory m²."""
        if self.known is not None:
            return self.known.deviations, self.known.degrees
        m = len(self.theta)
        unit = self._unit
        if self._alike:
            found = squared_distances(self.rows / unit, self._equal)
            np.sqrt(found, out=found)
            found *= unit
            mirror(found)
            return found, self.degrees
        # Rounding of equal differences must not count as spread.
        variance, full = self._added(
            lambda rows: squared_distances(rows, TIE / max(len(rows), 1) / unit),
            lambda squares, variances: _ratio(of_contrasts(squares), of_contrasts(variances)),
        )
        deviations = np.sqrt(variance + variance.T) * unit  # one of the two is 0
        upper = np.triu_indices(m, 1)
        full.T[upper] = full[upper]
        return deviations, full

    def _added(
        self, square: Callable[[Matrix], Matrix], size: Callable[[Matrix, Matrix], Matrix]
    ) -> tuple[Matrix, Matrix]:
        """Variances that add up over strata, in squares of :attr:`_unit`, and their degrees of freedom."""
        variance: Any = 0.0
        spread: Any = 0.0
        for k, places in enumerate(self._members):
            part = square(self.rows[places] / self._unit)
            degrees: float | Matrix = float(self.stratum_degrees[k])
            if self.sizes is not None and (forms := self.sizes(k)) is not None:
                n = np.maximum(size(*forms), 2.0)
                part *= n / (n - 1) / self.factors[k]
                degrees = n - 1
            variance += part
            spread += part**2 / degrees
        full = np.full_like(variance, float(self.stratum_degrees.sum()))
        known = spread > 0
        full[known] = np.maximum(variance[known] ** 2 / spread[known], 1.0)
        return variance, full

    @property
    def _equal(self) -> float:
        """Rows that differ by less are equal, in :attr:`_unit`: rounding must not count as spread."""
        return TIE / max(len(self.rows), 1) / self._unit

    @property
    def _alike(self) -> bool:
        """Whether all pairs have the same degrees of freedom, which then are one number in memory."""
        return len(self.factors) == 1 and self.sizes is None and self.known is None

    def system_errors(self) -> tuple[Vector, Vector]:
        """Standard error of each system's estimate, and its degrees of freedom; m each."""
        if self.known is not None:
            return self.known.errors, self.known.error_degrees
        variance, degrees = self._added(
            lambda rows: np.sum(rows**2, axis=0),
            lambda squares, variances: _ratio(np.diag(squares), np.diag(variances)),
        )
        return np.sqrt(variance) * self._unit, degrees

    @cached_property
    def _members(self) -> list[NDArray[np.intp]]:
        """The rows of each stratum. O(N log N), where a look through all rows for each is O(K·N)."""
        return members(self.strata, len(self.factors))

    @cached_property
    def _unit(self) -> float:
        """The largest of the rows: fourth powers of what is divided by it cannot overflow."""
        return max(float(np.abs(self.rows).max(initial=0.0)), 1e-300)

    def half_widths(self, level: float) -> Vector:
        """Half-widths of the systems' t intervals at that level, m; NaN without influence rows."""
        if not self.linear:
            return np.full(len(self.theta), np.nan)
        errors, degrees = self.system_errors()
        return np.asarray(t_half(degrees, level) * errors)

    def replicates(self, resamples: int, rng: Generator) -> Matrix:
        """m × T estimates from balanced bootstrap resamples of the rows, within strata. O(T·N·m)."""
        if self.influences is None:
            assert self.resample is not None
            return self.resample(resamples, rng)
        found = np.repeat(self.theta[:, None], resamples, axis=1)
        for k in range(len(self.factors)):
            part = self.influences[self._members[k]]
            if len(part):
                found += balanced_sums(part, resamples, rng)
        return found


def members(strata: NDArray[np.intp], count: int) -> list[NDArray[np.intp]]:
    """The places of each of `count` strata, rising."""
    ends = np.cumsum(np.bincount(strata, minlength=count))
    return np.split(np.argsort(strata, kind="stable"), ends[:-1])


def of_contrasts(form: Matrix) -> Matrix:
    """``(e_i − e_j)ᵀ form (e_i − e_j)`` of all pairs."""
    diagonal = np.diag(form)
    return np.maximum(diagonal[:, None] + diagonal[None, :] - 2 * form, 0.0)


def _ratio(above: Matrix, below: Matrix) -> Matrix:
    return np.divide(above, below, out=np.zeros_like(above), where=below > 1e-300)


def plain_means(values: Matrix, unit: str = "topic") -> Means:
    """Means of n × m complete scores of topics that count alike: ``U_t = (x_t − x̄)/n``. O(n·m)."""
    n = len(values)
    theta = values.mean(axis=0)
    # Differences between systems are exact from scores without what all systems share on a topic.
    within = values - values.mean(axis=1, keepdims=True)
    return Means(
        theta=theta,
        contrasts=within.mean(axis=0),
        influences=(values - theta) / n,
        strata=np.zeros(n, dtype=np.intp),
        factors=np.array([n / max(n - 1, 1)]),
        stratum_degrees=np.array([max(n - 1.0, 1.0)]),
        effective=float(n),
        unit=unit,
        values=values,
    )


def summed(rows: Matrix, groups: NDArray[np.intp]) -> Matrix:
    """The sum of the rows of each group, in the order of the groups' numbers. O(N·m)."""
    order = np.argsort(groups, kind="stable")
    starts = np.flatnonzero(np.diff(groups[order], prepend=-1))
    return np.add.reduceat(rows[order], starts, axis=0)


def effective_number(groups: NDArray[np.intp]) -> float:
    """``n²/Σ n_g²``: how many groups of equal size would leave the same error as these of n topics."""
    sizes = np.unique(groups, return_counts=True)[1].astype(np.float64)
    return float(sizes.sum() ** 2 / (sizes**2).sum())
