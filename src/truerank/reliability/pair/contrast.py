"""The difference of two systems: an estimate and its influence rows, for any kind of means."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Vector
from truerank.scores import TIE

if TYPE_CHECKING:
    from truerank.reliability.means import Means


@dataclass(frozen=True, eq=False)
class Contrast:
    """How far the candidate is above the baseline, and each unit's (topic's or cluster's) influence on it.

    Attributes:
        estimate: the difference of means, candidate minus baseline, in units of the score.
        rows: N influence rows; the sum of their squares is the squared standard error. For n differences d
            of a plain mean they are ``(d − d̄)/√(n(n − 1))``.
        strata: N integers, the data set of each row.
        degrees: degrees of freedom of the standard error, above 0.
        units: the effective number of units; n for a plain mean.
        differing: how many of these are not ties.
        differences: n, where the estimate is their mean; ``None`` where it is not.
        weights: n, of the differences in that mean; ``None`` where all are equal.
        largest: the largest difference that scores can have; ``None`` where their range is not known.
        guaranteed: whether the exact bound alone decides.
        levels: how many of the strata, the last ones, are of levels of facets: too few to show a skewness,
            so theirs counts as 0.
    """

    estimate: float
    rows: Vector
    strata: NDArray[np.intp]
    degrees: float
    units: float
    differing: float
    differences: Vector | None = None
    weights: Vector | None = None
    largest: float | None = None
    guaranteed: bool = False
    levels: int = 0

    @cached_property
    def error(self) -> float:
        """The standard error of the estimate; exactly 0 where all units differ by the same amount."""
        largest = float(np.abs(self.rows).max(initial=0.0))
        return 0.0 if largest <= TIE else float(np.sqrt(np.sum(self.rows**2)))

    @cached_property
    def skewness(self) -> float:
        """The skewness of the estimate: that of a unit over √n; 0 where there is no spread.

        The third cumulant adds up over strata; in each ``√(n(n−1))/(n−2)`` takes its bias from the sum of the
        cubed rows, as it does in the usual sample skewness.
        """
        if self.error == 0:
            return 0.0
        sizes = np.bincount(self.strata).astype(np.float64)
        cubes = np.bincount(self.strata, weights=self.rows**3)
        factors = np.where(sizes > 2, np.sqrt(sizes * np.maximum(sizes - 1, 0)) / np.maximum(sizes - 2, 1), 0)
        factors[len(sizes) - self.levels :] = 0
        return float(np.sum(factors * cubes)) / self.error**3

    @property
    def share_of_levels(self) -> float:
        """The share of levels of facets in the squared standard error."""
        of_levels = self.rows[self.strata > self.strata.max() - self.levels]
        return float(np.sum(of_levels**2)) / self.error**2 if self.error > 0 else 0.0

    @property
    def unit_skewness(self) -> float:
        """The sample skewness of the units' differences."""
        return self.skewness * math.sqrt(self.units)

    @property
    def deviation(self) -> float:
        """The standard deviation of a unit's difference."""
        return self.error * math.sqrt(self.units)

    def reversed(self) -> Contrast:
        """How far the baseline is above the candidate."""
        differences = None if self.differences is None else -self.differences
        return replace(self, estimate=-self.estimate, rows=-self.rows, differences=differences)


def plain_contrast(differences: Vector, largest: float | None = None, guaranteed: bool = False) -> Contrast:
    """The contrast of the plain mean of n ≥ 2 paired differences."""
    d = np.asarray(differences, dtype=np.float64)
    n = len(d)
    return Contrast(
        estimate=float(d.mean()),
        rows=(d - d.mean()) / math.sqrt(n * (n - 1)) if np.ptp(d) > TIE else np.zeros(n),
        strata=np.zeros(n, dtype=np.intp),
        degrees=n - 1.0,
        units=float(n),
        differing=float(np.count_nonzero(np.abs(d) > TIE)),
        differences=d,
        largest=largest,
        guaranteed=guaranteed,
    )


def contrast_of(means: Means, share: float, first: int = 0, second: int = 1) -> Contrast:
    """The contrast of the second of two systems with the first, for any kind of means."""
    parts = means.components
    of_base = len(means.factors)
    if parts is not None:
        of_base = 1 if parts.cells.strata is None else int(parts.cells.strata.max()) + 1
    return Contrast(
        estimate=float(means.contrasts[second] - means.contrasts[first]),
        rows=means.rows[:, second] - means.rows[:, first],
        strata=means.strata,
        degrees=float(means.degrees[second, first]),
        units=float(means.effective),
        differing=float(means.effective) * share,
        levels=len(means.factors) - of_base,
    )
