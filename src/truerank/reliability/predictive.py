"""The predictive layer: what is believed about all swaps of one sample, and joint draws of them.

Intervals, true ranks and the experiments all rest on the same draws; they are made here and
nowhere else.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.reliability.dependence import OWN, covariance, find_dependence
from truerank.reliability.estimators import ESTIMATORS, Estimator, Fit, PairEstimator, TopicSample
from truerank.reliability.swaps import PairDraws, SwapDraws, SwapModel, scaled_draws, t_draws, unit_root

DRAWS = 10_000
"""Joint draws behind every variance and quantile interval, unless there are many systems."""

FEWEST_DRAWS, MOST_COMPARISONS = 500, 2_000_000_000
"""Fewest draws by default, however many systems; and the draws × m² that larger tables get."""


MORE_DEGREES = 3.0
"""Degrees of freedom that other boards add to variances over a few data sets."""


def default_draws(m: int) -> int:
    """Default number of joint draws for m systems: their cost grows with m²."""
    return min(DRAWS, max(FEWEST_DRAWS, MOST_COMPARISONS // m**2))


class Predictive:
    """Joint draws of all swaps of one sample, for any estimator and any dependence."""

    def __init__(
        self,
        sample: TopicSample,
        coefficients: Sequence[Coefficient] = (),
        draws: int = DRAWS,
        known: Mapping[str, Matrix] | None = None,
    ) -> None:
        self.sample = sample
        self.coefficients = tuple(coefficients)
        self.size = draws
        self._covariances = dict(known or {})
        self._values: dict[str, NDArray[np.float32]] = {}
        self._roots: dict[str, Matrix] = {}
        self._pairs: dict[tuple[str, str], PairDraws] = {}
        self._fits: dict[PairEstimator, Fit] = {}

    def fit(self, estimator: str | Estimator) -> Fit:
        """The estimator's swap probabilities for the sample, and what it learned in its fit."""
        method = _with_probabilities(estimator)
        if method not in self._fits:
            self._fits[method] = method.fit(self.sample)
        return self._fits[method]

    def model(self, estimator: str | Estimator, dependence: str = "shrunk") -> SwapModel:
        """The estimator's probabilities joined to a dependence."""
        method = _with_probabilities(estimator)
        replicates = None
        if dependence == OWN:
            if method.replicates is None:
                raise InputError(f"{method.name} has no joint draws; choose shrunk or sample")
            replicates = method.replicates(self.sample)
        if dependence == OWN and not self.sample.means.linear:
            coupling = np.full((len(self.sample.means.theta),) * 2, np.nan)  # its own draws need none
        else:
            coupling = self.covariance("shrunk" if dependence == OWN else dependence)
        probabilities, degrees = self.fit(method).probabilities, self.sample.means.common_degrees
        return SwapModel(method.name, dependence, probabilities, coupling, degrees, replicates)

    def draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> SwapDraws:
        """Joint draws of all swaps, from which coefficients are read."""
        if dependence != OWN:
            self.t_draws_of(dependence)  # first, while the probabilities take no memory yet
        model = self.model(estimator, dependence)
        values = model.replicates if dependence == OWN else self.t_draws_of(dependence)
        return model.count(values, self.coefficients)

    def rank_draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> SwapDraws:
        """Joint draws of all swaps, from which rank ranges are read (docs/methods/ranks.md)."""
        if dependence == OWN:
            return self.draws(estimator, dependence)
        return self.pair_draws(estimator, dependence).swaps()

    def pair_draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> PairDraws:
        """Which pairs are swapped in which of the draws behind rank ranges.

        The same probabilities as in :meth:`draws`, tied together with a scale of each system's own. Where
        data sets are the units there are :data:`MORE_DEGREES` more degrees of freedom: without them a handful
        of data sets would leave no system a range.
        """
        name = _with_probabilities(estimator).name, dependence
        if name not in self._pairs:
            means = self.sample.means
            degrees = means.common_degrees + (MORE_DEGREES if means.of_data_sets else 0)
            rng, rounding = (stream(self.sample.seed, task) for task in ("rank draws", "rank shares"))
            covariance, root = self.covariance(dependence), self._root(dependence)
            values = scaled_draws(covariance, degrees, self.size, rng, root)
            self._pairs[name] = PairDraws.by_share(values, self.fit(estimator).probabilities, rounding)
        return self._pairs[name]

    def covariance(self, dependence: str) -> Matrix:
        """The m × m covariance of a dependence."""
        if dependence not in self._covariances:
            find_dependence(dependence)
            means = self.sample.means
            rows = means.rows if means.values is None else means.values
            self._covariances[dependence] = covariance(rows, dependence)
        return self._covariances[dependence]

    def t_draws_of(self, dependence: str) -> NDArray[np.float32]:
        """The correlated t draws behind :meth:`draws`, m × k (:func:`truerank.reliability.swaps.t_draws`)."""
        if dependence not in self._values:
            degrees, rng = self.sample.means.common_degrees, stream(self.sample.seed, "draws")
            covariance, root = self.covariance(dependence), self._root(dependence)
            self._values[dependence] = t_draws(covariance, degrees, self.size, rng, root)
        return self._values[dependence]

    def _root(self, dependence: str) -> Matrix:
        """One root for these and for the draws behind rank ranges."""
        if dependence not in self._roots:
            self._roots[dependence] = unit_root(self.covariance(dependence))
        return self._roots[dependence]


def swap_model(estimator: str | Estimator, sample: TopicSample, dependence: str = "shrunk") -> SwapModel:
    """An estimator's probabilities for a sample, joined to a dependence; see :meth:`Predictive.model`."""
    return Predictive(sample).model(estimator, dependence)


def _with_probabilities(estimator: str | Estimator) -> PairEstimator:
    method = ESTIMATORS.find(estimator)
    if not isinstance(method, PairEstimator):
        raise InputError(f"{method.name} has no swap probabilities")
    return method
