"""KRCC: Kendall's τ between the raw ranking and that of a sample.

Algorithm 2 of yang-2018: the mean over samples. Systems that a sample ties are not swapped, and
systems tied in the raw ranking keep their input order, as everywhere in truerank.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from truerank._support.types import Matrix
from truerank.coefficients import TAU
from truerank.documents.summaries.summary import (
    ABOUT,
    DocumentSummary,
    Spread,
    SummarizedSamples,
    SummaryNumber,
    SummaryResult,
    Weights,
)
from truerank.numerics.intervals import Interval, quantile_interval
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE


@dataclass(frozen=True)
class RankCorrelation(SummaryResult):
    """KRCC, the mean τ over samples, with its Monte Carlo interval and where τ itself falls."""

    mean: float
    samples: int
    interval: Interval
    spread: Interval

    def numbers(self) -> tuple[SummaryNumber, ...]:
        """The mean."""
        spread = Spread("tau", "τ with the raw ranking", self.spread)
        return (SummaryNumber("krcc", "KRCC: mean τ", self.mean, self.interval, spread, "krcc"),)


def sampled_tau(means: Matrix) -> Matrix:
    """τ of each sample with the raw ranking, length B; columns of `means` in that ranking. O(B·m²)."""
    return count_swaps(np.ascontiguousarray(means.T), -TIE).coefficient(TAU)


def rank_correlation(means: Matrix, weights: Weights, level: float) -> RankCorrelation:
    """KRCC from B × m means, columns in raw ranking order, and replicates of the samples."""
    tau = sampled_tau(means)
    replicates = (weights @ tau / len(tau)).astype(np.float64)
    return RankCorrelation(
        mean=float(tau.mean()),
        samples=len(tau),
        interval=quantile_interval(replicates, level),
        spread=quantile_interval(tau, level),
    )


def compute(given: SummarizedSamples) -> RankCorrelation:
    """KRCC of the first samples."""
    settings = given.settings
    return rank_correlation(given.samples.means[: settings.rank_samples], given.rank_weights, settings.level)


KRCC = DocumentSummary("krcc", compute=compute, **ABOUT["krcc"])
