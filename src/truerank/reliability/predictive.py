"""What is believed about all swaps of one sample: probabilities, a dependence between them, and joint draws.

Intervals of coefficients rest on one stream of draws, true ranks on another; the experiments use both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.registry import Entry, Registry
from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.pairs import doubly_centered
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


@dataclass(frozen=True)
class Dependence(Entry):
    """A dependence between swaps: from n × m scores, or influence rows, to what couples the pairs."""

    covariance: Callable[[Matrix], Matrix]


def covariance(values: Matrix, dependence: str) -> Matrix:
    """The m × m covariance that couples pairs, from n × m scores or influence rows. O(n·m²)."""
    return DEPENDENCES.find(dependence).covariance(values)


def sample_covariance(values: Matrix) -> Matrix:
    """The plain covariance of the systems' scores, divisor n − 1; m × m."""
    return np.atleast_2d(np.cov(values, rowvar=False))


def shrunk_covariance(values: Matrix, shrink: Callable[[Matrix], Matrix] | None = None) -> Matrix:
    """Ledoit–Wolf shrinkage of the correlations of doubly centered scores (docs/methods/intervals.md).

    The topic effect cancels in every difference, and is not put back.
    """
    residuals = doubly_centered(values)
    deviations = residuals.std(axis=0, ddof=1)
    deviations[deviations < 1e-14 * np.abs(values).max(initial=0.0)] = 0.0
    standard = np.divide(residuals, deviations, out=np.zeros_like(residuals), where=deviations > 0)
    shrunk = (shrink or ledoit_wolf)(standard)
    scale = np.sqrt(np.diag(shrunk))
    for row, own, deviation in zip(shrunk, scale, deviations, strict=True):  # in place: it may be large
        scales = own * scale
        row[:] = np.divide(row, scales, out=np.zeros_like(row), where=scales > 0)
        row *= deviation * deviations
    np.fill_diagonal(shrunk, deviations**2)
    return shrunk


def ledoit_wolf(centered: Matrix) -> Matrix:
    """Covariance of n × m centered data, shrunk to a multiple of the identity (Ledoit & Wolf 2004)."""
    n, m = centered.shape
    sample = centered.T @ centered
    sample /= n
    mean_variance = float(np.trace(sample)) / m
    diagonal = np.diag(sample).copy()
    squares = float(np.vdot(sample, sample))
    np.fill_diagonal(sample, diagonal - mean_variance)
    distance = float(np.vdot(sample, sample))
    if distance > 0.0:
        squared_norms = np.einsum("ts,ts->t", centered, centered)
        error = (float(np.sum(squared_norms**2)) / n - squares) / n
        intensity = min(max(error, 0.0) / distance, 1.0)
        sample *= 1.0 - intensity
        diagonal = intensity * mean_variance + (1.0 - intensity) * diagonal
    np.fill_diagonal(sample, diagonal)
    return np.asarray(sample)


SHRUNK = Dependence("shrunk", "shrunken correlations", shrunk_covariance, references=("ledoit-wolf-2004",))

SAMPLE = Dependence("sample", "sample covariance", sample_covariance, references=("bavdaz-2018",))

DEPENDENCES: Registry[Dependence] = Registry("dependence", SHRUNK, SAMPLE)
"""The dependences by name that any estimator can be joined to; the first is the default."""

register = DEPENDENCES.register

OWN = "own"
"""The dependence of an estimator that brings its own joint draws (`res`: its replicates)."""


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
        method, means, replicates = _with_probabilities(estimator), self.sample.means, None
        if dependence == OWN:
            if method.replicates is None:
                raise InputError(f"{method.name} has no joint draws; choose shrunk or sample")
            replicates = method.replicates(self.sample)
        coupling = np.full((len(means.theta),) * 2, np.nan)  # where its own draws need none
        if means.linear:
            coupling = self.covariance("shrunk" if dependence == OWN else dependence)
        probabilities, degrees = self.fit(method).probabilities, means.common_degrees
        return SwapModel(method.name, dependence, probabilities, coupling, degrees, replicates)

    def draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> SwapDraws:
        """Joint draws of all swaps, from which coefficients are read."""
        # First, while the probabilities take no memory yet.
        values: NDArray[np.floating] | None = None if dependence == OWN else self.t_draws_of(dependence)
        model = self.model(estimator, dependence)
        if values is None:
            assert model.replicates is not None
            values = model.replicates
        return model.count(values, self.coefficients)

    def rank_draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> SwapDraws:
        """Joint draws of all swaps, from which rank ranges are read (docs/methods/ranks.md)."""
        if dependence == OWN:
            return self.draws(estimator, dependence)
        return self.pair_draws(estimator, dependence).swaps()

    def pair_draws(self, estimator: str | Estimator, dependence: str = "shrunk") -> PairDraws:
        """Which pairs are swapped in which draw, with a scale for each system."""
        name = _with_probabilities(estimator).name, dependence
        if name not in self._pairs:
            means = self.sample.means
            degrees = means.common_degrees + (MORE_DEGREES if means.of_data_sets else 0)
            rng, rounding = (stream(self.sample.seed, task) for task in ("rank draws", "rank shares"))
            covariance, root = self.covariance(dependence), self._root(dependence)
            values = scaled_draws(covariance, root, degrees, self.size, rng)
            self._pairs[name] = PairDraws.by_share(values, self.fit(estimator).probabilities, rounding)
        return self._pairs[name]

    def covariance(self, dependence: str) -> Matrix:
        """The m × m covariance of a dependence."""
        if dependence not in self._covariances:
            means = self.sample.means
            rows = means.rows if means.values is None else means.values
            self._covariances[dependence] = covariance(rows, dependence)
        return self._covariances[dependence]

    def t_draws_of(self, dependence: str) -> NDArray[np.float32]:
        """The correlated t draws behind :meth:`draws`, m × k (:func:`truerank.reliability.swaps.t_draws`)."""
        if dependence not in self._values:
            degrees, rng = self.sample.means.common_degrees, stream(self.sample.seed, "draws")
            self._values[dependence] = t_draws(self._root(dependence), degrees, self.size, rng)
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
