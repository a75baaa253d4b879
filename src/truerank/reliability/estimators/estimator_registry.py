"""The estimators by name, and what each is given: one sample of topics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, partial

from numpy.random import Generator

from truerank._support.registry import Registry
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.reliability.estimators import split_half
from truerank.reliability.estimators.bootstrap import replicate_means
from truerank.reliability.estimators.eb import eb
from truerank.reliability.estimators.kd import kd
from truerank.reliability.estimators.ml import ml
from truerank.reliability.estimators.msqd import msqd
from truerank.reliability.estimators.res import res
from truerank.reliability.estimators.split_half import SplitHalfEstimate


@dataclass(frozen=True)
class TopicSample:
    """What an estimator sees: scores in ranking order, and bootstrap replicates when it asks.

    Attributes:
        values: n × m scores, columns in ranking order.
        resamples: T of the bootstrap that `res` and `kd` share; ``None`` for as many as its
            Monte Carlo error asks for.
        seed: seed of everything random.
    """

    values: Matrix
    resamples: int | None = None
    seed: int = 0

    @cached_property
    def replicates(self) -> Matrix:
        """m × T means over balanced bootstrap resamples of the topics, the same for every estimator."""
        return replicate_means(self.values, self.resamples, stream(self.seed, "bootstrap"))


@dataclass(frozen=True)
class PairEstimator:
    """An estimator of the swap probability of every pair of systems.

    Attributes:
        name: what users type.
        label: what users read.
        probabilities: from a topic sample to an m × m matrix, p_ij above the diagonal.
        resampled: whether it uses the bootstrap replicates, so that T is to be stated.
        replicates: m × T true means drawn by the estimator itself, where it has its own joint draws.
    """

    name: str
    label: str
    probabilities: Callable[[TopicSample], Matrix]
    resampled: bool = False
    replicates: Callable[[TopicSample], Matrix] | None = None


@dataclass(frozen=True)
class SplitHalfEstimator:
    """An estimator that goes straight to the coefficients and has no swap probabilities.

    Attributes:
        name: what users type.
        label: what users read.
        estimates: from scores (n × m), coefficients and a generator to one estimate a coefficient.
        fewest_topics: with fewer topics there is no estimate.
    """

    name: str
    label: str
    estimates: Callable[[Matrix, Sequence[Coefficient], Generator], dict[str, SplitHalfEstimate]]
    fewest_topics: int = 2


Estimator = PairEstimator | SplitHalfEstimator

ESTIMATORS: Registry[Estimator] = Registry("estimator")
register = ESTIMATORS.register


def _extrapolated(
    replacement: bool, values: Matrix, coefficients: Sequence[Coefficient], rng: Generator
) -> dict[str, SplitHalfEstimate]:
    return split_half.extrapolated(values, coefficients, replacement, rng)


register(PairEstimator("eb", "empirical Bayes", lambda sample: eb(sample.values)))
register(PairEstimator("ml", "maximum likelihood", lambda sample: ml(sample.values)))
register(PairEstimator("msqd", "minimum squared quantile deviation", lambda sample: msqd(sample.values)))
register(
    PairEstimator(
        "res",
        "resampling of topics",
        lambda sample: res(sample.replicates),
        resampled=True,
        replicates=lambda sample: sample.replicates,
    )
)
register(
    PairEstimator("kd", "kernel density", lambda sample: kd(sample.values, sample.replicates), resampled=True)
)
register(SplitHalfEstimator("sh-w", "split-half, with replacement", partial(_extrapolated, True), 4))
register(SplitHalfEstimator("sh-wo", "split-half, without replacement", partial(_extrapolated, False), 4))
register(SplitHalfEstimator("sh", "split-half at full size", split_half.full_size))
