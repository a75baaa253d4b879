"""The same topics again, with new runs: would this order come back, and is it the true one there?

The next mean of a pair, in true standard errors, is normal around ``aζ + b·zu`` with variance s², where ζ is
the true difference and zu the observed one. Which a, b and s² says what is asked (docs/methods/noise.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU
from truerank.reliability.estimators import eb
from truerank.reliability.means.run_noise import LARGEST_SHARE, RunNoise
from truerank.reliability.swaps import SwapModel

STATISTICS = eb.STATISTICS[::2]
"""Values of z at which expectations are tabulated."""

STEPS = 6
"""Values of φ, equally probable, over which a rerun is drawn."""

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
        """New runs of today's topics; infinitely many show the truth of these topics (eq. 9).

        Args:
            share: φ.
            runs: K of today.
            again: K′.
        """
        return cls(share, 1 - share, share * (1 - share + runs / again))

    @classmethod
    def new_topics(cls, times: float) -> NextMean:
        """So many times the effective topics, all of them new, beside the truth (eq. 8)."""
        return cls(float(np.sqrt(times)), 0.0, 1.0, "truth")

    @classmethod
    def more(cls, share: float, runs: float, added: float) -> NextMean:
        """Today's runs and k more of each topic together, beside the truth (eq. 10).

        Args:
            share: φ.
            runs: K.
            added: k.
        """
        w = 1.0 if np.isinf(added) else added / (runs + added)
        variance = w * w * share * (1 - share + runs / added)
        return cls(share * w, 1 - share * w, variance, "truth")

    def with_new_topics(self, share: float, runs: float, times: float, again: float) -> NextMean:
        """These topics as they will be, and new ones with K′ runs, together (eq. 24).

        Every topic counts once, so the mean is that of both, weighted by their numbers.

        Args:
            share: φ.
            runs: K of today.
            times: new topics, over today's.
            again: K′.
        """
        if times <= 0:
            return self
        old, new = 1 / (1 + times), times / (1 + times)
        # Of one topic's variance φ is of K runs; with K′ it is φK/K′.
        of_new = (1 - share + share * runs / again) / times
        variance = old**2 * self.variance + new**2 * of_new
        return NextMean(old * self.truth + new, old * self.seen, variance, "truth")


def expected_tau(found: eb.Posterior, degrees: float, asked: NextMean) -> float:
    """τ between the next order and the observed (or true) one, expected by eb's posterior. O(m²).

    Args:
        found: the posterior of all pairs.
        degrees: of freedom of their standard errors.
        asked: what is compared.
    """
    swapped = next(swap_probabilities(found, degrees, [asked]))
    return float(1 - 2 * swapped[np.triu_indices(len(swapped), 1)].mean())


def swap_probabilities(found: eb.Posterior, degrees: float, asked: Sequence[NextMean]) -> Iterator[Matrix]:
    """The probability of each pair to be in the other order, m × m above the diagonal, for each question.

    Args:
        found: the posterior of all pairs.
        degrees: of freedom of their standard errors.
        asked: what is compared.
    """
    upper = np.triu_indices(len(found.statistics), 1)
    z = found.statistics[upper]
    known = np.isfinite(z)
    z = np.where(known, z, 0.0)
    curves = _curves(found, degrees, [_missed(one) for one in asked], float(z.max(initial=0.0)))
    for one, curve in zip(asked, curves, strict=True):
        swapped = np.zeros_like(found.statistics)
        if one.variance > 0 or one.against == "truth":
            swapped[upper] = np.where(known, np.interp(z, STATISTICS[: len(curve)], curve), 0.0)
        yield swapped


@dataclass(frozen=True)
class RerunDraws:
    """What the τ between a ranking and a rerun of its topics may be.

    Attributes:
        found: eb's posterior.
        degrees: of freedom of the standard errors.
        noise: of the runs.
    """

    found: eb.Posterior
    degrees: float
    noise: RunNoise

    def of(self, draws: int, rng: Generator) -> Vector:
        """Draws of it, over φ and over what new runs show; NaN where the error of φ is unknown.

        What separates a rerun from this ranking is run noise, which systems do not share: pairs go together
        as far as they have a system in common. O(draws·m²).
        """
        from scipy.special import stdtrit

        noise = self.noise
        if not np.isfinite(noise.log_error):
            return np.full(1, np.nan)
        at = stdtrit(max(noise.units - noise.strata, 1), (np.arange(STEPS) + 0.5) / STEPS)
        shares = np.minimum(noise.share * np.exp(at * noise.log_error), LARGEST_SHARE)
        asked = [NextMean.rerun(float(share), 1, 1) for share in shares]
        own, each = np.diag(noise.errors), -(-draws // STEPS)
        return np.concatenate(
            [
                SwapModel("eb", "runs", one, own, NORMAL).draws(each, rng).coefficient(TAU)
                for one in swap_probabilities(self.found, self.degrees, asked)
            ]
        )


Missed = Callable[[Vector, Matrix], tuple[Matrix, Matrix]]
"""From |ζ| and zu to the probabilities of the other order where ζ > 0, and where ζ < 0."""


def _missed(asked: NextMean) -> Missed:
    from scipy.special import ndtr

    scale = max(np.sqrt(asked.variance), 1e-12)

    def missed(sizes: Vector, seen: Matrix) -> tuple[Matrix, Matrix]:
        up = (asked.truth * sizes + asked.seen * seen) / scale
        down = (-asked.truth * sizes + asked.seen * seen) / scale
        return ndtr(-up), ndtr(-down if asked.against == "observed" else down)

    return missed


def _curves(found: eb.Posterior, degrees: float, asked: Sequence[Missed], furthest: float) -> list[Vector]:
    """The probability of the other order at the `STATISTICS` needed, over the hyperparameters, ζ and u."""
    nodes, weights = (array[::2] for array in eb._scale_nodes(degrees))
    points = int(np.searchsorted(STATISTICS, furthest)) + 1
    statistics = STATISTICS[:points]
    # No true size is further off than what was seen of it, but for the last of the tails.
    slices = int(np.searchsorted(eb.EDGES, statistics[-1] * nodes[-1] + eb.REACH)) + 1
    edges = eb.EDGES[: slices + 1]
    middles = (edges[1:] + edges[:-1]) / 2
    above, below = (kernel[::2][:points] for kernel in eb.kernels(degrees)[:2])
    priors = eb._prior(found.topics, eb.FAR_SHARE)
    densities = priors @ (above + below).T
    mixture = ((found.weights[:, None] / densities).T @ priors)[:, : len(middles)]
    totals = [np.zeros(points) for _ in asked]
    for u, weight in zip(nodes, weights / weights.sum(), strict=True):
        center = (statistics * u)[:, None]
        right = np.diff(_normal(edges - center), axis=1)
        wrong = -np.diff(_normal(-edges - center), axis=1)
        for total, missed in zip(totals, asked, strict=True):
            if_up, if_down = missed(middles, center)
            total += weight * u * np.einsum("zs,zs->z", mixture, right * if_up + wrong * if_down)
    return [np.minimum.accumulate(np.clip(total, 0.0, 1.0)) for total in totals]


def _normal(values: Matrix) -> Matrix:
    from scipy.special import ndtr

    return ndtr(values)
