"""The same topics again, with new runs: would this order come back, and is it the true one there?

The next mean of a pair, in true standard errors, is normal around ``aζ + b·zu`` with variance s², where ζ is
the true difference and zu the observed one. The question decides a, b and s², given the share of run noise of
the pair (docs/methods/noise.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Literal

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU
from truerank.numerics import special
from truerank.reliability.estimators import eb
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.reliability.swaps import SwapModel

STATISTICS = eb.STATISTICS[::2]
"""Values of z at which expectations are tabulated."""

STEPS = 6
"""Values of φ, equally probable, over which a rerun is drawn."""

APART = 0.16
"""Largest distance between the values of √φ at which probabilities are tabulated; linear between them."""

NORMAL = 1e6
"""Degrees of freedom that couple the pairs of a rerun: the probabilities have those of the errors already,
and how large run noise is comes in with φ. One t draw for all systems would count both again."""


@dataclass(frozen=True)
class NextMean:
    """The next mean of a pair given the true and the observed difference.

    Attributes:
        truth: a, the weight of the true difference.
        seen: b, that of the observed one.
        variance: s².
        against: whether the next order is compared with the observed or with the true one.
    """

    truth: float
    seen: float
    variance: float
    against: Literal["observed", "truth"] = "observed"

    @classmethod
    def rerun(cls, share: float, runs: float, again: float = np.inf) -> NextMean:
        """New runs of today's topics; infinitely many show the truth of these topics (eq. 9)."""
        return cls(share, 1 - share, share * (1 - share + runs / again))

    @classmethod
    def new_topics(cls, times: float) -> NextMean:
        """So many times the effective topics, all of them new, beside the truth (eq. 8)."""
        return cls(float(np.sqrt(times)), 0.0, 1.0, "truth")

    @classmethod
    def more(cls, share: float, runs: float, added: float) -> NextMean:
        """Today's runs and k more of each topic together, beside the truth (eq. 10)."""
        w = 1.0 if np.isinf(added) else added / (runs + added)
        variance = w * w * share * (1 - share + runs / added)
        return cls(share * w, 1 - share * w, variance, "truth")

    def with_new_topics(self, share: float, runs: float, times: float, again: float) -> NextMean:
        """These topics as they will be, and new ones with K′ runs, together (eq. 24).

        Every topic counts once, so the mean is that of both, weighted by their numbers.
        """
        if times <= 0:
            return self
        old, new = 1 / (1 + times), times / (1 + times)
        # φ is the share of K runs in one topic's variance; with K′ runs it is φK/K′.
        of_new = (1 - share + share * runs / again) / times
        variance = old**2 * self.variance + new**2 * of_new
        return NextMean(old * self.truth + new, old * self.seen, variance, "truth")


Question = Callable[[float], NextMean]
"""From the φ of a pair to its next mean."""


def expected_tau(
    found: eb.Posterior, degrees: float, question: Question, shares: Matrix | float, pooled: bool = False
) -> float:
    """τ between the next order and the observed (or true) one, expected by eb's posterior. O(m²)."""
    swapped = next(swap_probabilities(found, degrees, question, [shares], pooled))
    return float(1 - 2 * swapped[np.triu_indices(len(swapped), 1)].mean())


def swap_probabilities(
    found: eb.Posterior,
    degrees: float,
    question: Question,
    shares: Sequence[Matrix | float],
    pooled: bool = False,
) -> Iterator[Matrix]:
    """The probability that each pair is in the other order, m × m above the diagonal, for each set of φ."""
    upper = np.triu_indices(len(found.statistics), 1)
    z = found.statistics[upper]
    known = np.isfinite(z)
    z = np.where(known, z, 0.0)
    roots = [np.sqrt(np.broadcast_to(share, found.statistics.shape)[upper]) for share in shares]
    least, most = min(root.min() for root in roots), max(root.max() for root in roots)
    nodes, step = np.linspace(least, most, int(np.ceil((most - least) / APART)) + 1, retstep=True)
    curves = _curves(found, degrees, question, nodes**2, float(z.max(initial=0.0)), pooled)
    come_again = question(0.0).variance <= 0 and question(0.0).against == "observed"
    for root in roots:
        swapped = np.zeros_like(found.statistics)
        for node, curve in zip(nodes, curves, strict=True):
            weight = np.maximum(1 - np.abs(root - node) / step, 0.0) if len(nodes) > 1 else 1.0
            swapped[upper] += weight * np.interp(z, STATISTICS[: len(curve)], curve)
        swapped[upper] *= known & ((root > 0) | (not come_again))
        yield swapped


def rerun_draws(
    found: eb.Posterior, degrees: float, noise: RunNoise, shares: Matrix, draws: int, rng: Generator
) -> Vector:
    """Draws of the τ between a ranking and a rerun of its topics; NaN where the error of φ is unknown.

    They are over the level of all φ (m × m) and over what new runs show. What separates a rerun from this
    ranking is run noise, which systems do not share: pairs go together as far as they have a system in
    common. O(draws·m²).
    """
    if not np.isfinite(noise.log_error):
        return np.full(1, np.nan)
    at = special.stdtrit(max(noise.units - noise.strata, 1), (np.arange(STEPS) + 0.5) / STEPS)
    of_levels = [np.minimum(shares * factor, LARGEST_SHARE) for factor in np.exp(at * noise.log_error)]
    own, each = np.diag(noise.errors), -(-draws // STEPS)
    again = partial(NextMean.rerun, runs=1, again=1)
    return np.concatenate(
        [
            SwapModel("eb", "runs", one, own, NORMAL).draws(each, rng).coefficient(TAU)
            for one in swap_probabilities(found, degrees, again, of_levels)
        ]
    )


def _missed(asked: NextMean, sizes: Vector, seen: Matrix) -> tuple[Matrix, Matrix]:
    """From |ζ| and zu to the probabilities of the other order where ζ > 0, and where ζ < 0."""
    scale = max(np.sqrt(asked.variance), 1e-12)
    up = (asked.truth * sizes + asked.seen * seen) / scale
    down = (-asked.truth * sizes + asked.seen * seen) / scale
    return special.ndtr(-up), special.ndtr(-down if asked.against == "observed" else down)


def _curves(
    found: eb.Posterior, degrees: float, question: Question, shares: Vector, furthest: float, pooled: bool
) -> list[Vector]:
    """The probability of the other order at the `STATISTICS` needed, over the hyperparameters, ζ and u.

    A share of the estimated variance is φu² of the true one, for u is the estimated error over the true one.
    """
    nodes, weights = (array[::2] for array in eb._scale_nodes(degrees))
    points = int(np.searchsorted(STATISTICS, furthest)) + 1
    statistics = STATISTICS[:points]
    # Beyond the observed size the true size has only a negligible tail.
    slices = int(np.searchsorted(eb.EDGES, statistics[-1] * nodes[-1] + eb.REACH)) + 1
    edges = eb.EDGES[: slices + 1]
    middles = (edges[1:] + edges[:-1]) / 2
    above, below = (kernel[::2][:points] for kernel in eb.kernels(degrees)[:2])
    priors = eb._prior(found.topics, eb.FAR_SHARE)
    densities = priors @ (above + below).T
    mixture = ((found.weights[:, None] / densities).T @ priors)[:, : len(middles)]
    totals = [np.zeros(points) for _ in shares]
    for u, weight in zip(nodes, weights / weights.sum(), strict=True):
        center = (statistics * u)[:, None]
        right = np.diff(special.ndtr(edges - center), axis=1)
        wrong = -np.diff(special.ndtr(-edges - center), axis=1)
        for total, share in zip(totals, shares, strict=True):
            asked = question(min(float(share * (1.0 if pooled else u * u)), LARGEST_SHARE))
            if_up, if_down = _missed(asked, middles, center)
            total += weight * u * np.einsum("zs,zs->z", mixture, right * if_up + wrong * if_down)
    return [np.minimum.accumulate(np.clip(total, 0.0, 1.0)) for total in totals]
