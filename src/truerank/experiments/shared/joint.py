"""Joint draws of the coefficients of one simulated collection, and what an interval from them did."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.numerics.intervals import Interval
from truerank.reliability.dependence import OWN, covariance
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.swaps import SwapDraws, SwapModel, count_swaps, t_draws
from truerank.scores import TIE


class JointDraws:
    """As in :func:`truerank.assess`, but each dependence's t draws are taken once for all estimators."""

    def __init__(
        self,
        sample: TopicSample,
        coefficients: Sequence[Coefficient],
        draws: int,
        known: Mapping[str, Matrix] | None = None,
    ) -> None:
        """For one collection; `known` has covariances that are not estimated from it, by name."""
        self.sample, self.coefficients, self.draws = sample, coefficients, draws
        self.covariances = dict(known or {})
        self.values: dict[str, Any] = {}

    def model(self, method: PairEstimator, dependence: str, probabilities: Matrix) -> SwapModel:
        """As :func:`~truerank.reliability.assessment.swap_model`; the probabilities are given."""
        replicates = method.replicates(self.sample) if dependence == OWN and method.replicates else None
        coupling = self._covariance("shrunk" if dependence == OWN else dependence)
        degrees = len(self.sample.values) - 1
        return SwapModel(method.name, dependence, probabilities, coupling, degrees, replicates)

    def swaps(self, method: PairEstimator, dependence: str, probabilities: Matrix) -> SwapDraws:
        """Joint draws of all swaps."""
        model = self.model(method, dependence, probabilities)
        if model.replicates is not None:
            return count_swaps(model.replicates, -TIE, self.coefficients)
        return count_swaps(self._t_draws(dependence), model.limits(), self.coefficients)

    def _covariance(self, dependence: str) -> Matrix:
        if dependence not in self.covariances:
            self.covariances[dependence] = covariance(self.sample.values, dependence)
        return self.covariances[dependence]

    def _t_draws(self, dependence: str) -> Any:
        """As in :meth:`SwapModel.draws`."""
        if dependence not in self.values:
            rng = stream(self.sample.seed, "draws")
            degrees = len(self.sample.values) - 1
            self.values[dependence] = t_draws(self._covariance(dependence), degrees, self.draws, rng)
        return self.values[dependence]


def outcome(interval: Interval | None, actual: float) -> tuple[float, float]:
    """Whether the interval holds the actual coefficient (1.0 or 0.0), and its width; NaN for none."""
    if interval is None:
        return np.nan, np.nan
    return float(interval.low <= actual <= interval.high), interval.high - interval.low
