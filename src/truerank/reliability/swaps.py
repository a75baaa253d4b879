"""Swaps between an observed and a true ranking: their probabilities, dependence, joint draws and variance.

An estimator gives the probability p_ij that the systems at ranks i < j are swapped in truth; a dependence
says how swaps go together. A :class:`SwapModel` is the two joined (docs/methods/intervals.md).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.bivariate_t import NODES, bivariate_t_cdf
from truerank.numerics.pairs import LARGE, root_of, times_root
from truerank.scores import TIE

Counts = NDArray[np.int32]

TILE_BYTES = 1 << 19
"""Differences handled at a time, to stay in a core's own cache."""

MOST_DRAWS, MOST_COUNTS = 2040, 1 << 23
"""Draws at a time: at most eight times 255, and so few that m × them are at most the second number."""

BLOCK_VALUES, BLOCK_PAIRS = 1 << 17, 1 << 20
"""Numbers of a table, and pairs of systems, handled at a time (1 MB and 8 MB)."""

FURTHEST = 1e30
"""Draws and limits lie within it, whatever the scores' unit: they are kept in single precision."""

KURTOSIS = 6.0
"""Kurtosis of scores without system and topic effects, at the upper end of real ones (docs/methods/ranks.md).

A variance estimated from ν + 1 scores of kurtosis κ varies as a χ² of 2ν/(κ − 1) degrees of freedom would.
"""

FARTHEST, STEP = 6.0, 0.004
"""Scales are tabulated at standard normal quantiles from minus to plus the first number, this far apart."""


@dataclass(frozen=True)
class SwapDraws:
    """k joint draws of all swaps of m systems, kept as counts (never as k × m² bits)."""

    gained: Counts  # k × m; of the systems ranked above, how many the system truly beats
    lost: Counts  # k × m; of the systems ranked below, how many truly beat it
    sums: dict[str, Matrix] = field(default_factory=dict)  # Σ w_ij D_ij, k; if weights differ in a column
    pairs: NDArray[np.int64] | None = None  # m × m, how often each pair was swapped, if it was counted

    def coefficient(self, coefficient: Coefficient) -> Matrix:
        """The coefficient in each draw, length k."""
        if coefficient.name in self.sums:
            return 1.0 - self.sums[coefficient.name]
        weights = coefficient.weights(self.gained.shape[1])
        by_column = _column_weights(weights)
        if by_column is None:
            raise InputError(f"these draws were not taken for the coefficient {coefficient.name!r}")
        return 1.0 - self.gained @ by_column

    def ranks(self) -> NDArray[np.int64]:
        """The rank of each system in each draw, k × m, 1 the best."""
        positions = np.arange(1, self.gained.shape[1] + 1)
        return positions - self.gained + self.lost


def _column_weights(weights: Matrix) -> Matrix | None:
    """The weight of each column where it is the same for all pairs above the diagonal, else None."""
    columns = weights[0].copy()
    columns[0] = 0.0
    constant = all(np.array_equal(row[i + 1 :], columns[i + 1 :]) for i, row in enumerate(weights))
    return columns if constant else None


def count_swaps(
    values: NDArray[np.floating],
    thresholds: NDArray[np.floating] | float,
    coefficients: Sequence[Coefficient] = (),
    count_pairs: bool = False,
) -> SwapDraws:
    """Count the swaps ``D_ij = [values_i − values_j < threshold_ij]`` in every draw, i < j. O(k·m²)."""
    m, draws = values.shape
    limits = np.broadcast_to(np.asarray(thresholds, dtype=values.dtype), (m, m))
    weights = {c.name: w for c in coefficients if _column_weights(w := c.weights(m)) is None}
    gained, lost = (np.zeros((draws, m), dtype=np.int32) for _ in range(2))
    pairs = np.zeros((m, m), dtype=np.int64) if count_pairs else None
    found = SwapDraws(gained, lost, {name: np.zeros(draws) for name in weights}, pairs)
    last = _last(values, limits)
    step = min(MOST_DRAWS, max(16, MOST_COUNTS // m))
    for start in range(0, draws, step):
        here = slice(start, start + step)
        sums = {name: total[here] for name, total in found.sums.items()}
        _count(values[:, here], limits, last, weights, SwapDraws(gained[here], lost[here], sums, pairs))
    return found


def _count(
    values: NDArray[np.floating],
    limits: NDArray[np.floating],
    last: NDArray[np.intp],
    weights: dict[str, Matrix],
    found: SwapDraws,
) -> None:
    """Count some draws, a tile of systems after the other: it fits the cache, and a byte counts it."""
    m, draws = values.shape
    rows = max(1, min(m - 1, 255, TILE_BYTES // (values.itemsize * draws)))
    lost = np.zeros((m, draws), dtype=np.int32)
    differences, marks = np.empty((rows, draws), dtype=values.dtype), np.empty((rows, draws), dtype=np.bool_)
    for first in range(1, m, rows):
        tile = np.ascontiguousarray(values[first : first + rows])
        stop = first + len(tile)
        gained = np.zeros(tile.shape, dtype=np.int32)
        for begin in range(0, stop - 1, 255):
            some = np.arange(begin, min(begin + 255, stop - 1))
            reaching = some[last[some] >= np.maximum(first, some + 1)].tolist()
            few = np.zeros(tile.shape if reaching else (0, draws), dtype=np.uint8)
            for i in reaching:
                skip, end = max(i + 1 - first, 0), min(last[i] + 1, stop) - first
                at, swapped = slice(first + skip, first + end), marks[: end - skip]
                np.subtract(values[i], tile[skip:end], out=differences[: end - skip])
                np.less(differences[: end - skip], limits[i, at, None], out=swapped)
                ones = swapped.view(np.uint8)
                few[skip:end] += ones
                lost[i] += np.einsum("td->d", ones)  # in half the time of a sum, and at most 255
                for name, weight in weights.items():
                    found.sums[name][:] += weight[i, at] @ swapped
                if found.pairs is not None:
                    bits = np.packbits(swapped, axis=1)
                    found.pairs[i, at] += np.bitwise_count(bits).sum(axis=1, dtype=np.int64)
            gained[: len(few)] += few
        found.gained[:, first:stop] = gained.T
    found.lost[:] = lost.T


def _last(values: NDArray[np.floating], limits: NDArray[np.floating]) -> NDArray[np.intp]:
    """The last system that each one may be swapped with in any draw, itself where there is none."""
    m = len(values)
    low, high, largest = np.full(m, np.inf), np.full(m, -np.inf), 0.0
    step = max(1, BLOCK_VALUES // m)
    for start in range(0, values.shape[1], step):
        some = values[:, start : start + step].astype(np.float64)
        largest = max(largest, float(np.abs(some).max()))
        some -= some.mean(axis=0)  # what all systems of a draw share
        np.minimum(low, some.min(axis=1), out=low)
        np.maximum(high, some.max(axis=1), out=high)
    high += 8 * float(np.finfo(values.dtype).eps) * largest
    last = np.arange(m)
    for i in range(m - 1):
        below = np.flatnonzero(limits[i, i + 1 :] > low[i] - high[i + 1 :])
        if len(below):
            last[i] += 1 + below[-1]
    return last


@dataclass(frozen=True)
class SwapModel:
    """What is believed about the swaps D of m ranked systems."""

    estimator: str
    dependence: str
    probabilities: Matrix  # m × m in ranking order; p_ij above the diagonal, 0 elsewhere
    covariance: Matrix  # m × m, of the systems' scores, which couples the pairs
    degrees: float  # of freedom of the coupling t distribution; n − 1 for a plain mean
    replicates: Matrix | None = None  # m × T true means drawn by the estimator itself, for `own`

    def expectation(self, coefficient: Coefficient) -> float:
        """E = 1 − Σ w p, in closed form."""
        return coefficient.of_swaps(self.probabilities)

    def limits(self) -> NDArray[np.float32]:
        """``s_ij T⁻¹_ν(p_ij)`` in :func:`unit_of` it, below which t draws are swapped; −inf for never."""
        from truerank.numerics.special import stdtrit

        m, unit = len(self.probabilities), unit_of(self.covariance)
        found = np.full((m, m), -np.inf, dtype=np.float32)
        step = max(1, BLOCK_VALUES // m)
        for start in range(0, m, step):
            block = slice(start, start + step), slice(start, None)
            deviations = difference_deviations(self.covariance, start, start + step)
            possible = (self.probabilities[block] > 0) & (deviations > 0)
            possible &= ~np.tri(*possible.shape, dtype=np.bool_)
            quantiles = stdtrit(self.degrees, self.probabilities[block][possible])
            found[block][possible] = np.maximum(quantiles * deviations[possible] / unit, -FURTHEST)
        return found

    def draws(self, k: int, rng: Generator, coefficients: Sequence[Coefficient] = ()) -> SwapDraws:
        """k joint draws of all swaps (docs/methods/intervals.md), or the estimator's own. O(k·m²)."""
        if self.replicates is not None:
            return self.count(self.replicates, coefficients)
        return self.count(t_draws(unit_root(self.covariance), self.degrees, k, rng), coefficients)

    def count(self, values: NDArray[np.floating], coefficients: Sequence[Coefficient] = ()) -> SwapDraws:
        """The swaps in given draws: the estimator's own replicates, or t draws with the covariance."""
        limits = -TIE if values is self.replicates else self.limits()
        return count_swaps(values, limits, coefficients)


def difference_deviations(covariance: Matrix, start: int = 0, stop: int | None = None) -> Matrix:
    """Standard deviation of every pair's difference, m × m, or of some rows on; 0 where all is rounding."""
    variances = np.diag(covariance)
    total = variances[start:stop, None] + variances[start:]
    squared = total - 2 * covariance[start:stop, start:]
    return np.sqrt(np.where(squared > 1e-14 * total, squared, 0.0))


def unit_of(covariance: Matrix) -> float:
    """The unit of t draws: the largest standard deviation of any system, so that any scores fit."""
    return float(np.sqrt(max(float(np.diag(covariance).max()), 1e-300)))


def unit_root(covariance: Matrix) -> Matrix:
    """The root of a covariance in :func:`unit_of` it."""
    return np.asarray(root_of(covariance / unit_of(covariance) ** 2, overwrite=True), dtype=np.float64)


def t_draws(root: Matrix, degrees: float, k: int, rng: Generator) -> NDArray[np.float32]:
    """k draws of the m-variate t, ``Z/√(χ²_ν/ν)``, m × k, from the :func:`unit_root` of a covariance."""
    scale = np.sqrt(degrees / rng.chisquare(degrees, k))
    drawn = times_root(rng.standard_normal((k, len(root))), root)
    drawn *= scale[:, None]
    return np.ascontiguousarray(np.clip(drawn, -FURTHEST, FURTHEST).T, dtype=np.float32)


def scaled_draws(
    covariance: Matrix, root: Matrix, degrees: float, k: int, rng: Generator
) -> NDArray[np.float32]:
    """k draws of ``W_i = Z_i √(ν'/χ²_i)``, Z ~ N(0, C), ν' = 2ν/(κ − 1); m × k, as :func:`t_draws`.

    A statement about all systems together depends on the one whose variance happens to be too small. So here
    every system's is uncertain by itself (docs/methods/ranks.md). The χ²_i of two systems are as correlated
    as their sample variances: by the square of the correlation of their scores. O(m³ + k·m²).
    """
    from truerank.numerics.special import gammaincinv, ndtr

    m = len(covariance)
    normal, others = np.empty((2, k, m), dtype=np.float32)
    step = max(1, BLOCK_VALUES // m)
    for start in range(0, k, step):
        for part in (normal, others):
            rng.standard_normal(dtype=np.float32, out=part[start : start + step])
    squared = _squared_correlations(covariance)
    of_scales = root_of(squared.astype(np.float32) if m >= LARGE else squared, overwrite=True)
    normal, others = (
        times_root(part, one.astype(np.float32, copy=False))
        for part, one in ((normal, root), (others, of_scales))
    )
    half = degrees / (KURTOSIS - 1)
    points = np.arange(-FARTHEST, FARTHEST + STEP, STEP)
    scales = np.sqrt(half / gammaincinv(half, ndtr(points))).astype(np.float32)
    place = np.rint((others + FARTHEST) / STEP)
    normal *= scales[np.clip(place, 0, len(points) - 1).astype(np.intp)]
    return np.ascontiguousarray(np.clip(normal, -FURTHEST, FURTHEST).T)


def _squared_correlations(covariance: Matrix) -> Matrix:
    """ρ² of every pair of systems; 0 with one of no variance, and 1 on the diagonal."""
    deviations = np.sqrt(np.diag(covariance))
    inverse = np.divide(1.0, deviations, out=np.zeros_like(deviations), where=deviations > 0)
    found: Matrix = covariance * inverse
    found *= inverse[:, None]
    found *= found
    np.fill_diagonal(found, 1.0)
    return found


@dataclass(frozen=True, eq=False)
class PairDraws:
    """Every pair of m systems, best first, swapped in the share of k draws that its probability asks for."""

    values: NDArray[np.floating]  # m × k
    thresholds: NDArray[np.floating]  # m × m above the diagonal; swapped where the difference is at most this

    @classmethod
    def by_share(cls, values: NDArray[np.floating], probabilities: Matrix, rng: Generator) -> PairDraws:
        """Swap every pair in the share p_ij of the draws in which its difference is lowest. O(k·m²)."""
        m, k = values.shape
        thresholds = np.full((m, m), -np.inf, dtype=values.dtype)
        some, most = max(1, BLOCK_PAIRS // m), max(1, BLOCK_VALUES // k)
        for start in range(0, m, some):
            likely = probabilities[start : start + some]
            counts = np.minimum(likely * k + rng.random(likely.shape), k).astype(np.int32)
            counts[likely <= 0] = 0
            first, second = np.nonzero(counts)
            lowest = counts[first, second]
            order = np.argsort(lowest, kind="stable")
            first, second, lowest = first[order] + start, second[order], lowest[order]
            ends = np.flatnonzero(np.diff(lowest, prepend=0, append=0)).tolist()
            for begin, end in pairwise(ends):  # all pairs of one count at once
                for at in (slice(b, min(b + most, end)) for b in range(begin, end, most)):
                    rows, place = values[first[at]] - values[second[at]], lowest[begin] - 1
                    rows.partition(place, axis=1)
                    thresholds[first[at], second[at]] = rows[:, place]
        return cls(values, thresholds)

    def swaps(self) -> SwapDraws:
        """How many better systems each falls behind, and how many worse ones it lets past, in each draw."""
        return count_swaps(self.values, np.nextafter(self.thresholds, np.inf))

    def better_than(self, i: int, rows: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether these systems, in ascending order, are truly better than system i, rows × k."""
        above = int(np.searchsorted(rows, i))
        first, last = rows[:above], rows[above:]
        better = np.empty((len(rows), self.values.shape[1]), dtype=bool)
        np.greater(self.values[first] - self.values[i], self.thresholds[first, i, None], out=better[:above])
        np.less_equal(self.values[i] - self.values[last], self.thresholds[i, last, None], out=better[above:])
        return better

    def ever_better(self, i: int) -> NDArray[np.bool_]:
        """Whether each system is truly better than system i in any draw; length m."""
        ever = self.thresholds[i] > -np.inf
        ever[:i] = True
        return ever


Index = NDArray[np.intp]

NEVER = 1e-12
"""If one of two swaps is less likely than this, they are assumed never to occur together."""

REPLICATES = 1_024
"""Replicates compared at a time: pairs × this many differences are held."""

SAMPLED_NODES = 24
"""Quadrature nodes for sampled pairs of pairs: 1e-4 of the variance, where sampling leaves a few percent."""


def both_swapped(model: SwapModel, a: Index, b: Index, nodes: int = NODES) -> Vector:
    """E[D_a D_b] of pairs a and b, which are counted row by row above the diagonal."""
    from truerank.numerics.special import stdtrit

    upper = first, second = np.triu_indices(len(model.probabilities), 1)
    p, joint = model.probabilities[upper], np.zeros(len(a))
    possible = np.flatnonzero(np.minimum(p[a], p[b]) >= NEVER)
    a, b = a[possible], b[possible]
    if model.replicates is not None:
        draws = model.replicates.shape[1]
        for start in range(0, draws, REPLICATES):
            part = model.replicates[:, start : start + REPLICATES]
            bits = np.packbits(part[first] - part[second] < -TIE, axis=1)
            joint[possible] += np.bitwise_count(bits[a] & bits[b]).sum(axis=1) / draws
        return joint
    deviations = difference_deviations(model.covariance)[upper]
    limits = np.where((p > 0) & (deviations > 0), stdtrit(model.degrees, p), -np.inf)
    i, j, k, l = first[a], second[a], first[b], second[b]  # noqa: E741
    c, scale = model.covariance, deviations[a] * deviations[b]
    covariance = c[i, k] - c[i, l] - c[j, k] + c[j, l]
    correlation = np.clip(np.divide(covariance, scale, out=np.zeros_like(scale), where=scale > 0), -1, 1)
    joint[possible] = bivariate_t_cdf(limits[a], limits[b], correlation, model.degrees, nodes)
    return joint


def full_variance(model: SwapModel, coefficient: Coefficient) -> float:
    """The variance by summing every pair of pairs, ``Σ w_a w_b (E[D_a D_b] − p_a p_b)``; O(m⁴)."""
    upper = np.triu_indices(len(model.probabilities), 1)
    p, weights = model.probabilities[upper], coefficient.weights(len(model.probabilities))[upper]
    everything, total = np.arange(len(p)), 0.0
    for a in everything:
        joint = both_swapped(model, np.full_like(everything, a), everything)
        joint[a] = p[a]
        total += float(weights[a] * (weights @ (joint - p[a] * p)))
    return total


@dataclass(frozen=True)
class SampledTerms:
    """``X₂ − X₁`` and, over samples, ``N(N−1) w_a w_b E[D_a D_b]``, whose mean is added."""

    constant: float
    terms: Matrix

    def variance(self) -> float:
        """The sampled variance; just the constant where there is only one pair."""
        return self.constant + (float(self.terms.mean()) if len(self.terms) else 0.0)


def sampled_terms(
    model: SwapModel, coefficients: Sequence[Coefficient], samples: int, rng: Generator
) -> dict[str, SampledTerms]:
    """The thesis's variance from sampled pairs of pairs (bavdaz-2018 §4.2.4; docs/methods/intervals.md).

    Several coefficients are computed from the same pairs of pairs.
    """
    m = len(model.probabilities)
    upper = np.triu_indices(m, 1)
    count = len(upper[0])
    a = b = np.zeros(0, dtype=np.intp)
    if count > 1:
        a = rng.integers(0, count, samples)
        b = (a + rng.integers(1, count, samples)) % count
    joint = both_swapped(model, a, b, SAMPLED_NODES)
    found = {}
    for c in coefficients:
        weights = c.weights(m)[upper]
        weighted = weights * model.probabilities[upper]
        constant = float(weights @ weighted) - float(weighted.sum()) ** 2
        found[c.name] = SampledTerms(constant, count * (count - 1) * weights[a] * weights[b] * joint)
    return found
