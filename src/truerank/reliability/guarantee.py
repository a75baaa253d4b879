"""What holds without a prior: a guarantee for all pairs together, and whether all systems may be equal.

The guarantee: the chance that any two systems are put in the wrong order is below α. It holds whatever the
truth is, also when all systems are equal, which no posterior promises. Every difference in standard errors is
compared, step-down, with the largest in samples of normal scores with the shrunken covariance. Each sample is
studentized by its own variances. docs/methods/ranks.md has what was measured of this and of other methods.

Equal systems: the prior of `eb` is learned from collections whose systems differ. Where it expects little
agreement with the true ranking, a test that needs no prior has to show first that the systems differ. If it
does not, a ranking at random is not ruled out either: intervals reach as low as one, and systems may have any
rank. docs/methods/empirical-bayes.md has what was measured.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.random import Generator

from truerank._support.notes import Note
from truerank._support.types import Matrix, Vector
from truerank._support.wording import p_equation
from truerank.coefficients import TAU, Coefficient
from truerank.numerics import special
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.numerics.matrices import doubly_centered, root_of, sphericity
from truerank.numerics.max_t import step_down_p_values
from truerank.numerics.paired_t import absolute_t_of_samples
from truerank.reliability.dependence import OWN
from truerank.reliability.estimators import PairEstimator
from truerank.reliability.means import Means
from truerank.reliability.predictive import Predictive
from truerank.reliability.results import Estimate
from truerank.reliability.swaps import SwapModel

SAMPLES = 2_000
"""Samples of the largest difference; a p-value near 0.05 is known to 0.005."""

SURE = 1e12
"""Statistics beyond it count as this: pairs that differ by the same on every topic."""

BLOCK_VALUES = 1 << 22
"""Covariances, or scores, in memory at a time (32 MB)."""

CLOSE = 0.5
"""Expected τ by `eb` below which the systems are tested."""

ALPHA = 0.05
"""Level of the test."""


@dataclass(frozen=True)
class Guarantee:
    """All pairs of m systems, tested at once, m × m each; p-values are adjusted, 1 for identical systems.

    The ends are those of simultaneous intervals of the differences, row minus column.
    """

    p_values: Matrix
    low: Matrix
    high: Matrix


def guarantee(
    means: Means, covariance: Matrix, level: float, rng: Generator, samples: int = SAMPLES
) -> Guarantee:
    """Step-down p-values of all pairs by the largest studentized difference, and simultaneous intervals."""
    m = len(means.theta)
    upper = np.triu_indices(m, 1)
    differences, errors = means.differences[upper], means.deviations[upper]
    common = max(round(means.common_degrees), 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        t = np.where(differences == 0, 0.0, np.minimum(np.abs(differences / errors), SURE))
    observed = _carried(t, means.degrees[upper], common)
    largest = np.empty(0)

    def null() -> Iterator[Matrix]:
        nonlocal largest
        for block in _statistics(covariance, common, samples, rng):
            largest = np.append(largest, block.max(axis=1))
            yield block

    p = step_down_p_values(observed, null())
    # The interval excludes 0 where the test separates the pair in its first step.
    rank = int(np.ceil((1 + samples) * level - 1e-9))
    critical = np.sort(largest)[rank - 1] if rank <= samples else np.inf
    half = _carried(np.full(len(p), critical), np.full(len(p), common), means.degrees[upper]) * errors
    half[errors == 0] = 0.0
    adjusted, low, high = np.ones((m, m)), np.zeros((m, m)), np.zeros((m, m))
    adjusted[upper] = adjusted.T[upper] = p
    low[upper], high[upper] = differences - half, differences + half
    low.T[upper], high.T[upper] = -high[upper], -low[upper]
    return Guarantee(adjusted, low, high)


def _carried(t: Vector, degrees: Vector, to: Vector | int) -> Vector:
    """The t of other degrees of freedom with the same p-value; the same t where there is no p left."""
    if np.all(np.asarray(degrees) == to):
        return t
    tail = special.stdtr(degrees, -t)
    return np.where((tail > 0) & np.isfinite(t), -special.stdtrit(to, np.maximum(tail, 1e-300)), t)


def _statistics(covariance: Matrix, degrees: int, samples: int, rng: Generator) -> Iterator[Matrix]:
    """|t| of all pairs in samples of normal scores of equal systems: blocks of rows of B × m(m−1)/2."""
    m = len(covariance)
    root = root_of(covariance / max(float(np.diag(covariance).max()), 1e-300))
    step = max(1, BLOCK_VALUES // (m * max(m, degrees)))
    for start in range(0, samples, step):
        rows = min(step, samples - start)
        yield absolute_t_of_samples(rng.standard_normal((rows, degrees + 1, m)) @ root)


def undetected(means: Means, tau: float) -> float | None:
    """The p-value of equal true means where `eb` expects so low a τ and they are not rejected.

    It is of the F test with the correction of Greenhouse and Geisser (1959, doi:10.1007/BF02289823).
    F is the sum of squared differences of all pairs over that of their standard errors. Both degrees of
    freedom are multiplied by ε.
    """
    if tau >= CLOSE or not means.linear:
        return None
    unit = float(means.deviations.max())
    if unit == 0:
        return None
    f = float(np.sum((means.differences / unit) ** 2) / np.sum((means.deviations / unit) ** 2))
    residuals = doubly_centered(means.rows if means.values is None else means.values)
    degrees = (len(means.theta) - 1) * sphericity(residuals / np.abs(residuals).max())
    p = float(special.fdtrc(degrees, degrees * means.common_degrees, f))
    return p if p > ALPHA else None


def undetected_note(p: float, units: str, meaning: str) -> Note:
    """That a test did not show any difference between systems, and what follows."""
    said = f"these {units} do not show that the systems differ (F test, {p_equation(p)})"
    return Note("close-systems", f"{said}: {meaning}", level="alert")


@dataclass(frozen=True)
class MayBeEqual:
    """That the test did not show any difference; in the model each pair is swapped with probability 1/2."""

    p_value: float
    model: SwapModel

    @property
    def p_values(self) -> Matrix:
        """Of the pairs, m × m, all 1: no pair is tested once all systems may be equal."""
        return np.ones_like(self.model.probabilities)

    def lowered(self, estimates: Sequence[Estimate], predictive: Predictive) -> list[Estimate]:
        """The estimates; intervals of the model's estimator reach as low as those of a ranking at random."""
        draws = self.model.count(predictive.t_draws_of(self.model.dependence), predictive.coefficients)

        def wider(interval: Interval, coefficient: Coefficient) -> Interval:
            least = quantile_interval(draws.coefficient(coefficient), interval.level).low
            return replace(interval, low=min(interval.low, least))

        of_name = {c.name: c for c in predictive.coefficients}
        return [
            replace(one, intervals=tuple(wider(i, of_name[one.coefficient]) for i in one.intervals))
            if one.estimator == self.model.estimator
            else one
            for one in estimates
        ]

    def note(self, units: str) -> Note:
        """What to know of these topics."""
        meaning = "any rank is possible. If they are all but equal, τ is up to 0.3 lower than expected"
        return undetected_note(self.p_value, units, meaning)


def may_be_equal(predictive: Predictive, estimator: PairEstimator, dependence: str) -> MayBeEqual | None:
    """What holds if no difference was detected, else ``None``."""
    model = predictive.model(estimator, "shrunk" if dependence == OWN else dependence)
    p = undetected(predictive.sample.means, model.expectation(TAU))
    if p is None:
        return None
    return MayBeEqual(p, replace(model, probabilities=np.triu(np.full_like(model.probabilities, 0.5), 1)))
