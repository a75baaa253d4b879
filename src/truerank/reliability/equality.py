"""Whether the scores rule out that all systems are equal, and what is claimed of an order if they do not.

The prior of `eb` is learned from collections whose systems differ. Where it expects little agreement with the
true ranking, a test that needs no prior has to show first that the systems differ. If it does not, a ranking
at random is not ruled out either: intervals reach as low as one, and systems may have any rank.
docs/methods/empirical-bayes.md has what was measured.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank._support.notes import Note
from truerank._support.types import Matrix
from truerank.coefficients import TAU, Coefficient
from truerank.numerics import special
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.numerics.pairs import doubly_centered, sphericity
from truerank.reliability.dependence import OWN
from truerank.reliability.diagnostics import alike_warnings, nearly_equal_warnings
from truerank.reliability.estimators import Fit, PairEstimator
from truerank.reliability.means import Means
from truerank.reliability.predictive import Predictive
from truerank.reliability.results import Estimate
from truerank.reliability.swaps import SwapModel

CLOSE = 0.5
"""Expected τ by `eb` below which the systems are tested."""

ALPHA = 0.05
"""Level of the test."""


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


def undetected_note(p: float, unit: str, plan: bool = False) -> Note:
    """That a test did not show any difference between systems, and what follows, of a plan if it is one."""
    return Note("close-systems", {"p_value": p, "plan": plan, "unit": unit}, "alert")


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


def may_be_equal(predictive: Predictive, estimator: PairEstimator, dependence: str) -> MayBeEqual | None:
    """What holds if no difference was detected, else ``None``."""
    model = predictive.model(estimator, "shrunk" if dependence == OWN else dependence)
    p = undetected(predictive.sample.means, model.expectation(TAU))
    if p is None:
        return None
    return MayBeEqual(p, replace(model, probabilities=np.triu(np.full_like(model.probabilities, 0.5), 1)))


def eb_warnings(means: Means, fit: Fit, equal: MayBeEqual | None, unit: str) -> list[Note]:
    """What to know of probabilities by `eb`."""
    close = nearly_equal_warnings(means) if equal is None else [undetected_note(equal.p_value, unit)]
    return [*alike_warnings(means, fit), *close]
