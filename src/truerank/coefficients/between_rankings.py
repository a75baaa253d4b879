"""Correlation between two given rankings of the same systems, with and without ties.

Every function takes two vectors of scores of the same m systems, higher is better, in the same
order; two pandas series, or two mappings, are matched by name. Values closer than 1e-12 are tied. The
truth, or the baseline, comes first. All are O(m²) in time and memory. See docs/methods/coefficients.md.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.types import Matrix
from truerank.errors import InputError
from truerank.numerics.intervals import Interval
from truerank.scores import TIE, real_numbers

Ranks = NDArray[np.int64]


def tied_ranks(scores: ArrayLike) -> Ranks:
    """Dense ranks, equal where neighbors in the sorted scores are within 1e-12. O(m log m).

    Args:
        scores: of m ≥ 2 systems, higher is better.

    Returns:
        m whole numbers, 0 for the best.

    Raises:
        InputError: not a vector, fewer than two systems, or values not finite.

    Example:
        >>> tied_ranks([0.3, 0.5, 0.3]).tolist()
        [1, 0, 1]
    """
    try:
        values = real_numbers(scores)
    except (TypeError, ValueError) as error:
        raise InputError(f"a ranking needs numbers ({error})") from None
    if values.ndim != 1 or len(values) < 2:
        raise InputError("a ranking needs the scores of at least two systems, as one vector")
    if not np.isfinite(values).all():
        raise InputError("a ranking needs finite scores")
    order = np.argsort(-values, kind="stable")
    ranks = np.empty(len(values), dtype=np.int64)
    ranks[order] = np.cumsum(np.diff(values[order], prepend=values[order[0]]) < -TIE)
    return ranks


def values_by_name(values: Any) -> dict[str, Any] | None:
    """The values of a mapping or a pandas series by name, as text; ``None`` where there are no names."""
    if not (isinstance(values, Mapping) or (hasattr(values, "index") and hasattr(values, "to_dict"))):
        return None
    named: dict[str, Any] = {}
    for name, value in values.items():
        if str(name) in named:
            raise InputError(f"a ranking has two values for {str(name)!r}; keep one")
        named[str(name)] = value
    return named


def _pair_of_ranks(x: Any, y: Any) -> tuple[Ranks, Ranks]:
    of_x, of_y = values_by_name(x), values_by_name(y)
    if of_x is not None and of_y is not None:
        strange = of_x.keys() ^ of_y.keys()
        if strange:
            name = next(name for name in (*of_x, *of_y) if name in strange)
            raise InputError(f"only one of the two rankings has {name!r}; give both the same systems")
        x, y = list(of_x.values()), [of_y[name] for name in of_x]
    elif isinstance(x, Mapping) or isinstance(y, Mapping):
        raise InputError("one ranking has names and the other has none; give both names, or neither")
    rx, ry = tied_ranks(x), tied_ranks(y)
    if len(rx) != len(ry):
        raise InputError(f"two rankings of the same systems are needed, not of {len(rx)} and {len(ry)}")
    return rx, ry


def _break_ties(ranks: Ranks) -> Ranks:
    """Ranks 0 … m−1 without ties: tied systems keep their input order."""
    broken = np.empty_like(ranks)
    broken[np.argsort(ranks, kind="stable")] = np.arange(len(ranks))
    return broken


def _kendall_counts(rx: Ranks, ry: Ranks) -> tuple[int, int]:
    """Concordant minus discordant pairs, and all pairs."""
    m = len(rx)
    one, other = (np.sign(ranks[None, :] - ranks[:, None]) for ranks in (rx, ry))
    return int(np.sum(one * other)) // 2, m * (m - 1) // 2


def tau(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's τ, ties in either ranking broken by input order (as the estimators do).

    ``1 − 4 · discordant / (m (m − 1))`` (Urbano & Marrero 2016, eq. 1). With ties that mean something
    use :func:`tau_a` or :func:`tau_b`.

    Args:
        x: scores of m ≥ 2 systems by the truth or the baseline, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the estimate.

    Returns:
        τ, in [−1, 1].

    Raises:
        InputError: not two vectors of the same number of systems, at least two, all finite.

    Example:
        >>> tau([3, 2, 1], [3, 1, 2])
        0.3333333333333333
    """
    balance, pairs = _kendall_counts(*map(_break_ties, _pair_of_ranks(x, y)))
    return balance / pairs


def tau_a(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's τ_a: (concordant − discordant) / all pairs; a tied pair counts for neither.

    Args:
        x: scores of m ≥ 2 systems by one ranking, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the other.

    Returns:
        τ_a, in [−1, 1].

    Raises:
        InputError: not two vectors of the same number of systems, at least two, all finite.

    Example:
        >>> tau_a([3, 2, 2], [3, 2, 1])
        0.6666666666666666
    """
    balance, pairs = _kendall_counts(*_pair_of_ranks(x, y))
    return balance / pairs


def tau_b(x: ArrayLike, y: ArrayLike) -> float:
    """Kendall's τ_b, corrected for ties in both rankings (Kendall 1945).

    Args:
        x: scores of m ≥ 2 systems by one ranking, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the other.

    Returns:
        τ_b, in [−1, 1]; NaN where a ranking is all ties.

    Raises:
        InputError: not two vectors of the same number of systems, at least two, all finite.

    Example:
        >>> round(tau_b([3, 2, 2], [3, 2, 1]), 6)
        0.816497
    """
    rx, ry = _pair_of_ranks(x, y)
    balance, pairs = _kendall_counts(rx, ry)
    untied_x, untied_y = (pairs - _tied_pairs(r) for r in (rx, ry))
    if untied_x == 0 or untied_y == 0:
        return math.nan
    return balance / math.sqrt(untied_x * untied_y)


def _tied_pairs(ranks: Ranks) -> int:
    sizes = np.bincount(ranks)
    return int(np.sum(sizes * (sizes - 1)) // 2)


def tau_ap(x: ArrayLike, y: ArrayLike) -> float:
    """Yilmaz's τ_AP of the estimate `y` with the truth `x`; swaps at the top weigh more.

    ``2/(m−1) Σ_{i≥2} (concordant above i)/(i−1) − 1`` over y's order (Yilmaz, Aslam & Robertson 2008;
    Urbano & Marrero 2016, eq. 2). Not symmetric. Ties in either ranking are broken by input order; for
    ties that mean something use :func:`tau_ap_a` or :func:`tau_ap_b`.

    Args:
        x: scores of m ≥ 2 systems by the truth or the baseline, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the estimate.

    Returns:
        τ_AP, in [−1, 1].

    Raises:
        InputError: not two vectors of the same number of systems, at least two, all finite.

    Example:
        >>> tau_ap([3, 2, 1], [3, 1, 2])
        0.5
        >>> tau_ap([3, 2, 1], [2, 3, 1])
        0.0
    """
    rx, ry = map(_break_ties, _pair_of_ranks(x, y))
    in_y_order = rx[np.argsort(ry)]
    concordant_above = np.sum(np.triu(in_y_order[:, None] < in_y_order[None, :], 1), axis=0)[1:]
    positions = np.arange(1, len(rx))
    return float(2 * np.mean(concordant_above / positions) - 1)


def tau_ap_a(x: ArrayLike, y: ArrayLike) -> float:
    """τ_AP,a: the truth `x` has no ties, the estimate `y` may (Urbano & Marrero 2017).

    The expectation of τ_AP over all orders of the systems that `y` ties. A system whose tie group has t
    members can take t positions. The systems above the group are compared under each of them, and each pair
    inside the group is concordant in half of the orders.

    Args:
        x: scores of m ≥ 2 systems by the truth or the baseline, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the estimate.

    Returns:
        τ_AP,a, in [−1, 1].

    Raises:
        InputError: `x` has ties; or not two vectors of the same number of systems, at least two, all
            finite.

    Example:
        >>> tau_ap_a([3, 2, 1], [3, 2, 2])
        0.75
    """
    rx, ry = _pair_of_ranks(x, y)
    if _tied_pairs(rx):
        raise InputError("τ_AP,a takes a truth without ties; use tau_ap_b where both may have them")
    starts, sizes = _group_starts_and_sizes(ry)
    above_group = ry[None, :] < ry[:, None]
    concordant = np.sum(above_group & (rx[None, :] < rx[:, None]), axis=1)
    total = 0.0
    for c, p, t in zip(concordant, starts, sizes, strict=True):
        # At offset o in its group a system stands at 0-based rank p + o, below o of its group,
        # each concordant with probability one half; every offset has probability 1/t.
        total += sum((c + o / 2) / (p + o) for o in range(t) if p + o > 0) / t
    return float(2 * total / (len(rx) - 1) - 1)


def _group_starts_and_sizes(ranks: Ranks) -> tuple[Ranks, Ranks]:
    """For each system its tie group's first 0-based position and its size."""
    sizes = np.bincount(ranks)
    starts = np.cumsum(sizes) - sizes
    return starts[ranks], sizes[ranks]


def tau_ap_b(x: ArrayLike, y: ArrayLike) -> float:
    """τ_AP,b: both rankings may have ties (Urbano & Marrero 2017). Symmetric.

    One direction takes the systems below the first tie group as pivots. Each is compared with the systems
    above its own group; a pair is concordant when the other ranking strictly orders it the same way. The
    result is the mean of both directions.

    Args:
        x: scores of m ≥ 2 systems by one ranking, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the other.

    Returns:
        τ_AP,b, in [−1, 1]; NaN where a ranking is all ties.

    Raises:
        InputError: not two vectors of the same number of systems, at least two, all finite.

    Example:
        >>> tau_ap_b([3, 2, 1], [3, 1, 2])
        0.5
    """
    rx, ry = _pair_of_ranks(x, y)
    return (_tau_ap_b_one_way(rx, ry) + _tau_ap_b_one_way(ry, rx)) / 2


def _tau_ap_b_one_way(rx: Ranks, ry: Ranks) -> float:
    pivots = ry > 0
    if not pivots.any():
        return math.nan
    above = ry[None, :] < ry[:, None]
    concordant = np.sum(above & (rx[None, :] < rx[:, None]), axis=1)
    return float(2 * np.mean(concordant[pivots] / above.sum(axis=1)[pivots]) - 1)


def rbo(x: ArrayLike, y: ArrayLike, p: float = 0.9) -> float:
    """Rank-biased overlap of two rankings of the same systems, extrapolated.

    ``RBO_ext = A_m p^m + (1 − p)/p Σ_d A_d p^d`` (Webber, Moffat & Zobel 2010, eq. 32, for lists of
    equal length m), with agreement A_d = overlap of the two top-d sets / d. Ties enter by the
    expected overlap over all orders of the tied systems, each ranking's drawn independently.

    Args:
        x: scores of m ≥ 2 systems by one ranking, higher is better.
        y: scores of the same systems, in the same order or matched by name, by the other.
        p: persistence in (0, 1); the smaller, the more the top counts.

    Returns:
        The overlap, in [0, 1].

    Raises:
        InputError: p outside (0, 1); or not two vectors of the same number of systems, at least two,
            all finite.

    Example:
        >>> rbo([3, 2, 1], [3, 2, 1])
        1.0
    """
    if not 0 < p < 1:
        raise InputError(f"the persistence of RBO must be between 0 and 1, not {p}")
    rx, ry = _pair_of_ranks(x, y)
    depth = np.arange(1, len(rx) + 1)
    agreement = np.sum(_chance_in_top(rx, depth) * _chance_in_top(ry, depth), axis=0) / depth
    return float(agreement[-1] * p ** len(rx) + (1 - p) / p * np.sum(agreement * p**depth))


def _chance_in_top(ranks: Ranks, depth: Ranks) -> Matrix:
    """m × m: probability that a system is among the first d when its ties are ordered at random."""
    starts, sizes = _group_starts_and_sizes(ranks)
    return np.clip((depth[None, :] - starts[:, None]) / sizes[:, None], 0.0, 1.0)


def kendall_interval(tau: float, systems: int, level: float = 0.95) -> Interval:
    """Kendall's confidence interval of τ over a *sample of systems* (Carterette 2009, eq. 1).

    It treats the systems as the random sample and the pairs as independent, which rankings of
    retrieval systems are not; it stands beside the rank distance for contrast.

    Args:
        tau: the coefficient, in [−1, 1].
        systems: number of systems, at least 2.
        level: confidence level in (0, 1).

    Returns:
        The interval, its ends in [−1, 1]; ``low, high = interval`` gives them.

    Raises:
        InputError: an argument out of range.

    Example:
        >>> low, high = kendall_interval(0.9, 25)
        >>> round(low, 3), round(high, 3)
        (0.389, 0.987)
    """
    from truerank.numerics.special import ndtri

    if not -1 <= tau <= 1 or systems < 2 or not 0 < level < 1:
        raise InputError("Kendall's interval needs τ in [−1, 1], two or more systems and a level in (0, 1)")
    z = float(ndtri((1 + level) / 2))
    shrink = 1 + 2 * z * z / systems
    half = z * math.sqrt(2 / systems) * math.sqrt(shrink - tau * tau)
    return Interval(level, (tau - half) / shrink, (tau + half) / shrink, "kendall")
