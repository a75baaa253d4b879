"""The same topics again, with new runs: would this order come back, and is it the true one there?

The next mean of a pair, in true standard errors, is normal around ``aζ + b·zu`` with variance s², where ζ is
the true difference and zu the observed one. Which a, b and s² says what is asked (docs/methods/noise.md).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from truerank._support.types import Matrix, Vector
from truerank.reliability.estimators import eb

STATISTICS = eb.STATISTICS[::2]
"""Values of z at which expectations are tabulated."""


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
    z = found.statistics[np.triu_indices(len(found.statistics), 1)]
    known = np.isfinite(z)
    if not known.any():
        return 1.0
    if asked.variance <= 0 and asked.against == "observed":
        return 1.0
    curve = _curve(found, degrees, _missed(asked))
    wrong = np.where(known, np.interp(np.where(known, z, 0.0), STATISTICS, curve), 0.0)
    return float(1 - 2 * wrong.mean())


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


def _curve(found: eb.Posterior, degrees: float, missed: Missed) -> Vector:
    """The probability of the other order at each of `STATISTICS`, over the hyperparameters, ζ and u."""
    middles = (eb.EDGES[1:] + eb.EDGES[:-1]) / 2
    above, below = (kernel[::2] for kernel in eb.kernels(degrees)[:2])
    priors = eb._prior(found.topics, eb.FAR_SHARE)
    densities = priors @ (above + below).T
    mixture = (found.weights[:, None] / densities).T @ priors
    total = np.zeros(len(STATISTICS))
    nodes, weights = (array[::2] for array in eb._scale_nodes(degrees))
    for u, weight in zip(nodes, weights / weights.sum(), strict=True):
        center = (STATISTICS * u)[:, None]
        if_up, if_down = missed(middles, center)
        right = np.diff(_normal(eb.EDGES - center), axis=1)
        wrong = -np.diff(_normal(-eb.EDGES - center), axis=1)
        total += weight * u * np.einsum("zs,zs->z", mixture, right * if_up + wrong * if_down)
    return np.minimum.accumulate(np.clip(total, 0.0, 1.0))


def _normal(values: Matrix) -> Matrix:
    from scipy.special import ndtr

    return ndtr(values)
