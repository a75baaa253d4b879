"""How good systems are once selection is allowed for: posterior means of their contrasts, and the leader's.

A leader was picked for being first, so its observed lead is too large on average. The empirical-Bayes
posterior of every pair (:mod:`truerank.reliability.estimators.eb`) gives the expected true difference; a
system's mean over all others is its shrunken contrast to the average system (docs/methods/leader.md).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.numerics.pairs import mirror
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means


@dataclass(frozen=True)
class Contrasts:
    """Every system beside the average one, in ranking order.

    Attributes:
        observed: a, the score minus the mean score of all systems, m.
        errors: s, its standard error, m.
        shrunken: ã, its posterior mean, m.
        spread: r, the posterior variance of its differences in units of s², m.
        gap: the posterior mean of the first system's lead over the second.
        effects: E[δ], the posterior mean of every difference, row minus column, m × m.
    """

    observed: Vector
    errors: Vector
    shrunken: Vector
    spread: Vector
    gap: float
    effects: Matrix | None = None

    @property
    def limited(self) -> Vector:
        """The shrunken contrasts, each moved by at most one standard error (Efron & Morris 1972).

        A system in a class of its own would otherwise be pulled in as if it were like the others.
        """
        return np.clip(self.shrunken, self.observed - self.errors, self.observed + self.errors)


def contrasts(means: Means, found: eb.Posterior | None = None) -> Contrasts:
    """The contrasts of all systems, observed and shrunken. O(m²)."""
    found = eb.posterior(means) if found is None else found
    expected, spread = _moments(found)
    expected *= means.deviations
    for s, row in enumerate(found.statistics):
        sure = np.flatnonzero(np.isinf(row))  # the same difference on every topic is the true one
        expected[s, sure] = means.contrasts[s] - means.contrasts[sure]
    mirror(expected)
    for s, row in enumerate(expected):
        np.negative(row[:s], out=row[:s])  # below the diagonal the other way round
    return Contrasts(
        observed=means.theta - means.theta.mean(),
        errors=_errors(means),
        shrunken=expected.mean(axis=1),
        spread=spread,
        gap=float(expected[0, 1]),
        effects=expected,
    )


def expected_effects(found: eb.Posterior, statistics: Vector, degrees: Vector) -> Vector:
    """E[δ/s] of pairs with these statistics, by a posterior that was fitted already."""
    total = np.zeros(len(statistics))
    for at, share in eb.nodes(degrees):
        total += share * np.interp(statistics, eb.STATISTICS, _curve(found, at))
    return total


def _curve(found: eb.Posterior, degrees: float) -> Vector:
    curve: Vector = found.weights @ _moment_tables(degrees, found.topics)[0]
    return curve


def _errors(means: Means) -> Vector:
    """Standard errors of the contrasts: those of the same means with influence rows that are centered."""
    assert means.influences is not None
    centered = means.influences - means.influences.mean(axis=1, keepdims=True)
    errors, _ = replace(means, influences=centered, values=None).system_errors()
    return errors


def _moments(found: eb.Posterior) -> tuple[Matrix, Vector]:
    """E[δ/s], m × m above the diagonal, 0 for equal systems; and the mean variance of δ/s, m."""
    z = found.statistics
    upper = np.isfinite(z)
    upper &= ~np.tri(len(z), dtype=np.bool_)
    seen = z[upper]
    first, second = np.zeros_like(seen), np.zeros_like(seen)
    for at, share in eb.nodes(eb.picked(found.degrees, upper)):
        curves = [found.weights @ table for table in _moment_tables(at, found.topics)]
        for here in eb.blocks(len(seen)):
            for total, curve in zip((first, second), curves, strict=True):
                total[here] += share[here] * np.interp(seen[here], eb.STATISTICS, curve)
    # One m × m matrix for both: of thousands of systems each takes hundreds of megabytes.
    second -= first**2
    full = np.zeros_like(z)
    full[upper] = second
    spread = (full.sum(axis=1) + full.sum(axis=0)) / (len(z) - 1)
    full[upper] = first
    return full, spread


@lru_cache(maxsize=16)
def _moment_tables(degrees: float, topics: float) -> tuple[Matrix, Matrix]:
    """E[(ζ/u)^k | z] for k = 1, 2 at each hyperparameter and z, H × Z each."""
    prior = eb._prior(topics, eb.FAR_SHARE)
    above, below, *powers = (prior @ kernel.T for kernel in eb.kernels(degrees))
    return powers[0] / (above + below), powers[1] / (above + below)
