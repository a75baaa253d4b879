"""Swaps between an observed and a true ranking: their probabilities, dependence and joint draws.

An estimator gives the probability p_ij that the systems at ranks i < j are swapped in truth; a
dependence says how swaps go together. A :class:`SwapModel` is the two joined (docs/methods/intervals.md).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.numerics.matrices import root_of, times_root
from truerank.scores import TIE

Counts = NDArray[np.int32]
Draws = NDArray[np.floating] | NDArray[np.unsignedinteger]

TILE_BYTES = 1 << 19
"""Differences handled at a time, to stay in a core's own cache."""

MOST_DRAWS, MOST_COUNTS = 2040, 1 << 23
"""Draws at a time: at most eight times 255, and so few that m × them are at most the second number."""


ORDERED = 200
"""Systems from which on putting each draw in order saves more than it takes."""

BLOCK_VALUES = 1 << 17
"""Numbers of an m × m table handled at a time (1 MB)."""


STEPS, FURTHEST_STEP = 8, 400
"""Quantiles below which no draw comes are looked up in steps of 1/8, down to −50."""


@dataclass(frozen=True)
class SwapDraws:
    """k joint draws of all swaps of m systems, kept as counts (never as k × m² bits).

    Attributes:
        gained: k × m; of the systems ranked above, how many the system truly beats.
        lost: k × m; of the systems ranked below, how many truly beat it.
        sums: Σ w_ij D_ij for each coefficient asked for whose weights differ within a column; k each.
        pairs: m × m, how often each pair was swapped; ``None`` unless asked for.
    """

    gained: Counts
    lost: Counts
    sums: dict[str, Matrix] = field(default_factory=dict)
    pairs: NDArray[np.int64] | None = None

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
    """Count the swaps ``D_ij = [values_i − values_j < threshold_ij]`` in every draw, i < j.

    Resamples of few topics repeat each other: each different one is compared once.
    """
    once = None if np.ndim(thresholds) else _different(values)
    times = None
    if once is not None:
        values, times = values[:, once[0]], np.bincount(once[1])
    m, draws = values.shape
    limits = np.broadcast_to(np.asarray(thresholds, dtype=values.dtype), (m, m))
    last = _last(limits, Reach.of(values))
    general = {c.name: w for c in coefficients if _column_weights(w := c.weights(m)) is None}
    sums = {name: np.zeros(draws) for name in general}
    pairs = np.zeros((m, m), dtype=np.int64) if count_pairs else None
    gained, lost = (np.zeros((draws, m), dtype=np.int32) for _ in range(2))
    step = min(MOST_DRAWS, max(16, MOST_COUNTS // m))
    for start in range(0, draws, step):
        here = slice(start, min(start + step, draws))
        some = {name: total[here] for name, total in sums.items()}
        ordered = m >= ORDERED and np.ndim(thresholds) == 0
        places = _places(values[:, here], float(limits[0, 0])) if ordered else None
        drawn, below = (values[:, here], limits) if places is None else (places, None)
        repeated = None if times is None else times[here]
        gained[here], lost[here] = _below_limits(drawn, below, last, general, some, pairs, repeated)
    if once is not None:
        at = once[1]
        return SwapDraws(gained[at], lost[at], {name: total[at] for name, total in sums.items()}, pairs)
    return SwapDraws(gained, lost, sums, pairs)


def _different(values: NDArray[np.floating]) -> tuple[NDArray[np.intp], NDArray[np.intp]] | None:
    """The first of each group of equal columns, and the group of each; ``None`` where most differ."""
    sums = np.random.default_rng(0).random(len(values)) @ values
    if 2 * len(np.unique(sums)) > len(sums):
        return None
    _, first, group = np.unique(sums, return_index=True, return_inverse=True)
    return (first, group) if np.array_equal(values[:, first[group]], values) else None


def _places(values: NDArray[np.floating], threshold: float) -> NDArray[np.unsignedinteger] | None:
    """The place of each system in each draw, m × k: lower than another's where the difference is below.

    ``None`` where no places say that: of three numbers each may be near the next, but not the last the first.
    """
    rows = np.ascontiguousarray(values.T)
    order = np.argsort(rows, axis=1)
    ordered = np.take_along_axis(rows, order, axis=1)
    above = ordered[:, :-1] - ordered[:, 1:] < threshold
    first = np.maximum.accumulate(np.where(above, ordered[:, 1:], ordered[:, :1]), axis=1)
    if threshold > 0 or np.any(first - ordered[:, 1:] < threshold):
        return None
    places = np.zeros(rows.shape, dtype=np.uint16 if len(values) < 1 << 16 else np.uint32)
    np.put_along_axis(places, order[:, 1:], np.cumsum(above, axis=1, dtype=places.dtype), axis=1)
    return np.ascontiguousarray(places.T)


def _below_limits(
    values: Draws,
    limits: NDArray[np.floating] | None,
    last: NDArray[np.intp],
    general: dict[str, Matrix],
    sums: dict[str, Vector],
    pairs: NDArray[np.int64] | None,
    times: NDArray[np.int64] | None,
) -> tuple[Counts, Counts]:
    """What :func:`count_swaps` counts in some draws; sums and pairs are added to, the latter that many times.

    Without limits the values are places.
    """
    scratch = np.empty(tile_shape(values), dtype=values.dtype)

    def swapped(i: int, at: slice, tile: Draws, out: NDArray[np.bool_]) -> None:
        if limits is not None:
            differences = scratch[: len(tile)]
            np.subtract(values[i], tile, out=differences)
            np.less(differences, limits[i, at, None], out=out)
        else:
            np.less(values[i], tile, out=out)
        for name, weights in general.items():
            sums[name] += weights[i, at] @ out

    return tally(values, swapped, last, pairs, times)


@dataclass(frozen=True)
class Reach:
    """How low the difference of each pair of systems can come in any of some draws: ``low_i − high_j``.

    What all systems of a draw share counts for nothing; rounding of the differences is allowed for.

    Attributes:
        low: m, the lowest value of each system.
        high: m, the highest.
    """

    low: Vector
    high: Vector

    @classmethod
    def of(cls, values: NDArray[np.floating]) -> Reach:
        """The reach of m × k draws."""
        low, high = np.full(len(values), np.inf), np.full(len(values), -np.inf)
        step = max(1, BLOCK_VALUES // len(values))
        largest = 0.0
        for start in range(0, values.shape[1], step):
            some = values[:, start : start + step].astype(np.float64)
            largest = max(largest, float(np.abs(some).max()))
            some -= some.mean(axis=0)
            np.minimum(low, some.min(axis=1), out=low)
            np.maximum(high, some.max(axis=1), out=high)
        rounding = 4 * float(np.finfo(values.dtype).eps) * largest
        return cls(low - rounding, high + rounding)

    def least(self, start: int, stop: int) -> Matrix:
        """The lowest difference of some systems from others, from the first of them on."""
        return self.low[start:stop, None] - self.high[start:]


def _last(limits: NDArray[np.floating], reach: Reach) -> NDArray[np.intp]:
    """The last system that each one may be swapped with in any draw, itself where there is none."""
    m = len(limits)
    last = np.arange(m)
    for i in range(m - 1):
        below = np.flatnonzero(limits[i, i + 1 :] > reach.low[i] - reach.high[i + 1 :])
        if len(below):
            last[i] += 1 + below[-1]
    return last


def tile_shape(values: Draws) -> tuple[int, int]:
    """Systems and draws of a tile of m × draws values: it fits the cache, and a byte counts its systems."""
    m, draws = values.shape
    return max(1, min(m - 1, 255, TILE_BYTES // (values.itemsize * draws))), draws


def tally(
    values: Draws,
    swapped: Callable[[int, slice, Any, NDArray[np.bool_]], None],
    last: NDArray[np.intp],
    pairs: NDArray[np.int64] | None = None,
    times: NDArray[np.int64] | None = None,
) -> tuple[Counts, Counts]:
    """How many systems above each one gains, and below loses, in every draw; two draws × m.

    `swapped` marks in which draws system i is swapped with those of a tile, and none is beyond `last[i]`.
    """
    m, draws = values.shape
    rows, _ = tile_shape(values)
    gained = np.zeros((draws, m), dtype=np.int32)
    lost = np.zeros((m, draws), dtype=np.int32)
    # Eight bytes are summed as one number where pairs are counted, so rows are whole eights.
    marks = np.zeros((rows, -(-draws // 8) * 8), dtype=np.bool_)
    for first in range(1, m, rows):
        tile = np.ascontiguousarray(values[first : first + rows])
        stop = first + len(tile)
        up = np.zeros(tile.shape, dtype=np.int32)
        for begin in range(0, stop - 1, 255):
            some = np.arange(begin, min(begin + 255, stop - 1))
            reaching = some[last[some] >= np.maximum(first, some + 1)].tolist()
            few = np.zeros(tile.shape if reaching else (0, draws), dtype=np.uint8)
            for i in reaching:
                skip, end = max(i + 1 - first, 0), min(last[i] + 1, stop) - first
                whole = marks[: end - skip]
                here = whole[:, :draws]
                swapped(i, slice(first + skip, first + end), tile[skip:end], here)
                ones = here.view(np.uint8)
                few[skip:end] += ones
                lost[i] += np.einsum("td->d", ones)  # in half the time of a sum, and at most 255
                if pairs is not None and times is not None:
                    repeated = here.astype(np.float32) @ times.astype(np.float32)  # exact: all below 2²⁴
                    pairs[i, first + skip : first + end] += repeated.astype(np.int64)
                elif pairs is not None:
                    eights = np.add.reduce(whole.view(np.uint64), axis=1)
                    pairs[i, first + skip : first + end] += (
                        eights.view(np.uint8).reshape(-1, 8).sum(axis=1, dtype=np.int64)
                    )
            up[: len(few)] += few
        gained[:, first:stop] = up.T
    return gained, lost.T


@dataclass(frozen=True)
class SwapModel:
    """What is believed about the swaps D of m ranked systems.

    Attributes:
        estimator: name of the estimator that the probabilities come from.
        dependence: ``shrunk``, ``sample`` or ``own`` (the estimator's own joint draws).
        probabilities: m × m in ranking order; p_ij above the diagonal, 0 elsewhere.
        covariance: m × m covariance of the systems' scores that couples the pairs.
        degrees: degrees of freedom of the coupling t distribution; n − 1 for a plain mean.
        replicates: m × T true means drawn by the estimator itself, for the dependence ``own``.
    """

    estimator: str
    dependence: str
    probabilities: Matrix
    covariance: Matrix
    degrees: float
    replicates: Matrix | None = None

    def expectation(self, coefficient: Coefficient) -> float:
        """E = 1 − Σ w p, in closed form."""
        return coefficient.of_swaps(self.probabilities)

    def thresholds(self) -> tuple[Matrix, Matrix]:
        """For each pair, where its standardized difference counts as swapped, and the difference's sd.

        Both m × m: ``T⁻¹_{n−1}(p_ij)``, −inf where p or the sd is 0, and
        ``s_ij = √(C_ii + C_jj − 2 C_ij)``.
        """
        from truerank.numerics.special import stdtrit

        possible, deviations = self._possible(0, len(self.probabilities))
        quantiles = np.full_like(deviations, -np.inf)
        quantiles[possible] = stdtrit(self.degrees, self.probabilities[possible])
        return quantiles, deviations

    def _possible(
        self, start: int, stop: int, reach: Reach | None = None
    ) -> tuple[NDArray[np.bool_], Matrix]:
        """Of some rows, from the column of the first on: which pairs may be swapped, and all deviations.

        Pairs whose draws, in :func:`unit_of`, cannot come as low may not.
        """
        deviations = difference_deviations(self.covariance, start, stop)
        probabilities = self.probabilities[start:stop, start:]
        possible = (probabilities > 0) & (deviations > 0)
        possible &= ~np.tri(*possible.shape, dtype=np.bool_)
        if reach is not None:
            possible &= probabilities >= self._least(reach.least(start, stop), deviations)
        return possible, deviations

    def _least(self, lowest: Matrix, deviations: Matrix) -> Matrix:
        """The probability of differences no higher than the lowest drawn, rounded down by a table."""
        from truerank.numerics.special import stdtr

        lowest *= unit_of(self.covariance)
        quantiles = np.divide(lowest, deviations, out=np.zeros_like(lowest), where=deviations > 0)
        place = np.clip(np.floor(quantiles * STEPS), -FURTHEST_STEP, 0).astype(np.intp) + FURTHEST_STEP
        table = stdtr(self.degrees, np.arange(-FURTHEST_STEP, 1) / STEPS)
        table[0] = 0.0
        found: Matrix = table[place]
        return found

    def limits(self, reach: Reach | None = None) -> NDArray[np.float32]:
        """Below which difference of two t draws a pair counts as swapped, m × m; −inf for never.

        Given the reach of the draws to be compared, also where none of them can be as low.
        """
        from truerank.numerics.special import stdtrit

        m, unit = len(self.probabilities), unit_of(self.covariance)
        found = np.full((m, m), -np.inf, dtype=np.float32)
        step = max(1, BLOCK_VALUES // m)
        for start in range(0, m, step):
            possible, deviations = self._possible(start, start + step, reach)
            block = slice(start, start + step), slice(start, None)
            quantiles = stdtrit(self.degrees, self.probabilities[block][possible])
            found[block][possible] = np.maximum(quantiles * deviations[possible] / unit, -FURTHEST)
        return found

    def draws(self, k: int, rng: Generator, coefficients: Sequence[Coefficient] = ()) -> SwapDraws:
        """k joint draws of all swaps (docs/methods/intervals.md): a vector of correlated t variables a draw.

        ``W = Z/√(χ²_{n−1}/(n−1))``, Z ~ N(0, C), one χ² for all systems, and
        ``D_ij = [W_i − W_j < s_ij T⁻¹_{n−1}(p_ij)]``. The dependence ``own`` counts the
        estimator's own T replicates instead and draws nothing. O(k·m²) time, O(k·m) memory.
        """
        if self.replicates is not None:
            return self.count(self.replicates, coefficients)
        return self.count(t_draws(self.covariance, self.degrees, k, rng), coefficients)

    def count(
        self, values: NDArray[np.floating] | None, coefficients: Sequence[Coefficient] = ()
    ) -> SwapDraws:
        """The swaps in given draws: the estimator's own replicates, or t draws with the covariance."""
        if values is None:
            raise InputError(f"{self.estimator} has no joint draws; choose shrunk or sample")
        limits = -TIE if values is self.replicates else self.limits(Reach.of(values))
        return count_swaps(values, limits, coefficients)


def difference_deviations(covariance: Matrix, start: int = 0, stop: int | None = None) -> Matrix:
    """Standard deviation of every pair's difference, m × m; 0 where rounding is all there is.

    Or of some rows from the column of the first of them on.
    """
    variances = np.diag(covariance)
    total = variances[start:stop, None] + variances[start:]
    squared = total - 2 * covariance[start:stop, start:]
    return np.sqrt(np.where(squared > 1e-14 * total, squared, 0.0))


FURTHEST = 1e30
"""Draws and limits lie within it, whatever the scores' unit: they are kept in single precision."""


def unit_of(covariance: Matrix) -> float:
    """The unit of t draws: the largest standard deviation of any system, so that any scores fit."""
    return float(np.sqrt(max(float(np.diag(covariance).max()), 1e-300)))


def unit_root(covariance: Matrix) -> Matrix:
    """The root of a covariance in :func:`unit_of` it."""
    return np.asarray(root_of(covariance / unit_of(covariance) ** 2, overwrite=True), dtype=np.float64)


def t_draws(
    covariance: Matrix, degrees: float, k: int, rng: Generator, root: Matrix | None = None
) -> NDArray[np.float32]:
    """k draws of the m-variate t with that scale matrix, m × k, in :func:`unit_of` it, single precision.

    The root is its :func:`unit_root`, where that is known.
    """
    m = len(covariance)
    root = unit_root(covariance) if root is None else root
    scale = np.sqrt(degrees / rng.chisquare(degrees, k))
    values = np.empty((m, k), dtype=np.float32)
    step = max(1, (1 << 22) // m)
    for start in range(0, k, step):
        stop = min(start + step, k)
        normal = rng.standard_normal((stop - start, m))
        drawn = times_root(normal, root)
        drawn *= scale[start:stop, None]
        values[:, start:stop] = np.clip(drawn, -FURTHEST, FURTHEST).T
    return values
