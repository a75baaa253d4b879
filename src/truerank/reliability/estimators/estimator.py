"""What an estimator is, what it is given (the means of one sample of topics), and what it gives."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal

import numpy as np
from numpy.random import Generator

from truerank._support.registry import Entry, explained_from
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU, TAU_AP, Coefficient
from truerank.errors import InputError, TruerankError
from truerank.reliability.means import Means
from truerank.reliability.means.means import plain_means
from truerank.reliability.swaps import SwapDraws, count_swaps
from truerank.scores import TIE

ABOUT = explained_from(__file__)
"""What the estimators of the package say of themselves, by name."""

BATCH = 1_000
"""Replicates drawn, and balanced, at a time."""

FEWEST, MOST, MOST_WORK = 1_000, 2_000_000, 4_000_000_000
"""Replicates, unless asked for; but of replicates × m², or × 20 topics, at most the last number."""

TARGET_ERROR = 0.00045
"""Monte Carlo standard error of E[τ] and E[τ_AP] that the default number of replicates aims for."""


def replicate_means(
    draw: Callable[[int, Generator], Matrix], resamples: int | None, rng: Generator, topics: int = 1
) -> Matrix:
    """Means over T balanced bootstrap resamples, m × T; T depends on the Monte Carlo error, and the work."""
    first = draw(min(BATCH, resamples or BATCH), rng)
    batches = [first]
    total = enough(first, topics) if resamples is None else resamples
    for done in range(first.shape[1], total, BATCH):
        batches.append(draw(min(BATCH, total - done), rng))
    return np.concatenate(batches, axis=1)


def enough(replicates: Matrix, topics: int = 1) -> int:
    """How many replicates the target error needs: (sd of the coefficient / target)², in batches."""
    most = min(MOST, max(FEWEST, MOST_WORK // max(len(replicates) ** 2, 20 * topics)))
    if most <= BATCH:
        return BATCH
    wanted = max(1, (monte_carlo_error(count_swaps(replicates, -TIE)) / TARGET_ERROR) ** 2)
    return BATCH * math.ceil(min(wanted, most) / BATCH)


def resampled(replicates: Matrix) -> tuple[Matrix, float]:
    """The share of m × T replicates in which each pair is swapped, and their Monte Carlo error. O(T·m²)."""
    swaps = count_swaps(replicates, -TIE, count_pairs=True)
    assert swaps.pairs is not None
    return swaps.pairs / len(swaps.gained), monte_carlo_error(swaps) / math.sqrt(len(swaps.gained))


def monte_carlo_error(swaps: SwapDraws) -> float:
    """Standard error of E[τ] or E[τ_AP], the larger, of one replicate."""
    return float(max(swaps.coefficient(c).std() for c in (TAU, TAU_AP)))


@dataclass(frozen=True)
class TopicSample:
    """What an estimator sees: systems in ranking order, how they are scored, and bootstrap replicates.

    Attributes:
        values: n × m scores, columns in ranking order, of which the systems' scores are the plain mean; no
            rows where they are not, and only :attr:`means` tells.
        resamples: T of the bootstrap that `res` counts; ``None`` for as many as its error asks for.
        seed: seed of everything random.
        means: how the systems are scored; the plain mean of `values` unless given.

    Example:
        >>> import numpy as np
        >>> sample = TopicSample(np.random.default_rng(1).uniform(size=(10, 3)), resamples=200, seed=1)
        >>> sample.replicates.shape
        (3, 200)
    """

    values: Matrix
    resamples: int | None = None
    seed: int = 0
    means: Means = None  # type: ignore[assignment] # set below where it is not given

    def __post_init__(self) -> None:
        if self.means is None:
            object.__setattr__(self, "means", plain_means(self.values))

    @classmethod
    def of(cls, means: Means, resamples: int | None = None, seed: int = 0) -> TopicSample:
        """The sample behind means of systems in ranking order."""
        values = np.empty((0, len(means.theta))) if means.values is None else means.values
        return cls(values, resamples, seed, means)

    @cached_property
    def replicates(self) -> Matrix:
        """m × T means over balanced bootstrap resamples of the topics, the same for every estimator."""
        rng = stream(self.seed, "bootstrap")
        units = int(np.sum(self.means.stratum_degrees + 1))
        return replicate_means(self.means.replicates, self.resamples, rng, units)

    @cached_property
    def resampled(self) -> tuple[Matrix, float]:
        """m × m swap probabilities by the replicates, and the Monte Carlo error of their coefficients."""
        return resampled(self.replicates)


Needs = Literal["scores", "rows", "replicates"]
"""What an estimator works from: scores whose plain mean ranks the systems; any means with influence rows; or
any means. All means can be resampled: T of the bootstrap is then stated."""


@dataclass(frozen=True)
class Fit:
    """What an estimator found in one sample.

    Attributes:
        probabilities: m × m, p_ij above the diagonal, 0 elsewhere.
        learned: numbers that it learned on the way, by name.

    Example:
        >>> import numpy as np
        >>> Fit(np.zeros((2, 2)), {"shape": 4.7}).learned["shape"]
        4.7
    """

    probabilities: Matrix
    learned: Mapping[str, float] = field(default_factory=dict)


@dataclass(frozen=True)
class PairEstimator(Entry):
    """An estimator of the swap probability of every pair of systems.

    Attributes:
        probabilities: from a topic sample to an m × m matrix, or to a :class:`Fit` of it and of what was
            learned. Above the diagonal is p_ij in [0, 1], the probability that the systems at ranks i < j are
            truly swapped; the rest is 0.
        replicates: m × T true means drawn by the estimator itself, where it has its own joint draws.
        needs: what it works from, so that it is left out where that is not there.

    Example:
        >>> import numpy as np
        >>> def halves(sample):
        ...     m = sample.values.shape[1]
        ...     return np.triu(np.full((m, m), 0.5), 1)
        >>> coin = PairEstimator("coin", "a fair coin", halves)
        >>> float(coin.fit(TopicSample(np.ones((5, 2)))).probabilities[0, 1])
        0.5
    """

    probabilities: Callable[[TopicSample], Matrix | Fit]
    replicates: Callable[[TopicSample], Matrix] | None = None
    needs: Needs = "scores"

    def defined_for(self, means: Means) -> bool:
        """Whether the estimator is defined for means of that kind."""
        return {"scores": means.values is not None, "rows": means.linear, "replicates": True}[self.needs]

    def fit(self, sample: TopicSample) -> Fit:
        """The swap probabilities of a sample, and what was learned on the way.

        Raises:
            InputError: the estimator fails, or what it gives are not probabilities of pairs.
        """
        try:
            found = self.probabilities(sample)
        except Exception as error:
            own = str(getattr(self.probabilities, "__module__", "")).startswith("truerank.")
            if own or isinstance(error, TruerankError):
                raise
            what = f"{type(error).__name__}: {error}"
            raise InputError(f"the estimator {self.name!r} failed: {what}") from error
        fit = found if isinstance(found, Fit) else Fit(found)
        _check(self.name, fit.probabilities, len(sample.means.theta))
        return fit


def _check(name: str, probabilities: Matrix, m: int) -> None:
    """Refuse what a user's own estimator may give by mistake: it would pass for numbers to quote."""
    if np.shape(probabilities) != (m, m):
        raise InputError(
            f"the estimator {name!r} must give {m} × {m} swap probabilities, not {np.shape(probabilities)}"
        )
    for s, row in enumerate(np.asarray(probabilities)):
        above = row[s + 1 :]
        for wrong in above[~((above >= 0) & (above <= 1))][:1]:
            raise InputError(f"the estimator {name!r} gave {wrong:g}, which is not a probability of a swap")
        if row[: s + 1].any():
            raise InputError(f"the estimator {name!r} must give 0 on and below the diagonal")


@dataclass(frozen=True)
class SplitHalfEstimate:
    """A split-half estimate of one coefficient.

    Attributes:
        estimate: the coefficient expected at n topics; NaN where nothing could be fitted.
        observations: the coefficients observed (for `sh-w` and `sh-wo`, each carried to n topics
            along the fitted curve); intervals are their quantiles.

    Example:
        >>> import numpy as np
        >>> SplitHalfEstimate(0.8, np.array([0.7, 0.9])).estimate
        0.8
    """

    estimate: float
    observations: Vector = field(repr=False)


@dataclass(frozen=True)
class SplitHalfEstimator(Entry):
    """An estimator that goes straight to the coefficients and has no swap probabilities.

    Attributes:
        estimates: from scores (n × m), coefficients and a generator to one estimate a coefficient.
        fewest_topics: with fewer topics there is no estimate.

    Example:
        >>> import numpy as np
        >>> from truerank.coefficients import TAU
        >>> from truerank.reliability.estimators import ESTIMATORS
        >>> values = np.random.default_rng(1).normal([3, 2, 1], 0.1, (20, 3))
        >>> ESTIMATORS["sh"].estimates(values, [TAU], np.random.default_rng(1))["tau"].estimate
        1.0
    """

    estimates: Callable[[Matrix, Sequence[Coefficient], Generator], dict[str, SplitHalfEstimate]]
    fewest_topics: int = 2

    def defined_for(self, means: Means) -> bool:
        """Whether there are scores whose plain mean ranks the systems, on enough topics."""
        return means.values is not None and len(means.values) >= self.fewest_topics


Estimator = PairEstimator | SplitHalfEstimator
"""Either kind of estimator.

Example:
    >>> from truerank.reliability.estimators import ESTIMATORS, Estimator
    >>> isinstance(ESTIMATORS["eb"], Estimator)
    True
"""
