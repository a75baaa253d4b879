"""`rank_distance` and `rank_distance_test`: how far a ranking is, and whether that is far."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Annotated, Any

import numpy as np

from truerank._support.arguments import keywords_checked
from truerank._support.files import PathLike
from truerank._support.plain import Written
from truerank._support.resources import Progress
from truerank._support.types import Fraction, Level, Unwritten, Vector, Whole, WrittenAs
from truerank.comparison.distance.bootstrap import (
    RESAMPLES,
    BootstrapDistribution,
    bootstrap_distribution,
    find_distribution,
)
from truerank.comparison.distance.reference import Reference, Regularize, aligned
from truerank.errors import InputError

LEVELS = (0.1, 0.05, 0.01)  # levels whose critical values stand beside every p-value


@dataclass(frozen=True, eq=False)
class RankDistance(Written):
    """How far a ranking y is from the reference X.

    Attributes:
        distance: how far the ranking is from the reference, d(y | X), 0 or more, as a t statistic.
        ridge: λ, what was added to the variances, 0 or more, in squared units of the measure.
        ridge_reason: why it is what it is.
        regularize: what it was added to.
        topics: of the reference.
        systems: their names, best first by y.
        differences: μ_Δ, what each of them is above the next by the means of X; m − 1.
        nearest: θ, the same at the point nearest to X that ranks as y does; m − 1, each ≥ 0.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> found = rank_distance(ap, [.5, .75, .7])
        >>> found.systems, found.blocks
        (('sys2', 'sys3', 'sys1'), (('sys2', 'sys3'),))
    """

    topics: Whole
    systems: Annotated[tuple[str, ...], WrittenAs(systems="m")]
    distance: Annotated[float, WrittenAs(rank_distance="distance")]
    ridge: float
    ridge_reason: str
    regularize: Regularize
    differences: Unwritten[Vector]
    nearest: Unwritten[Vector]

    @property
    def m(self) -> Whole:
        """How many systems both have."""
        return len(self.systems)

    @property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """Runs of y's ranking whose means must become equal for X to rank as y does.

        This is where the distance comes from; empty where it is zero. Systems whose means are
        equal in X already can stand in a block too.
        """
        if self.distance == 0:
            return ()
        equal_to_next = np.append(self.nearest <= 0, False)
        blocks, start = [], 0
        for place, joined in enumerate(equal_to_next):
            if not joined:
                if place > start:
                    blocks.append(self.systems[start : place + 1])
                start = place + 1
        return tuple(blocks)


@dataclass(frozen=True)
class CriticalValue:
    """A distance that few resamples are beyond.

    Attributes:
        alpha: the share of resamples, in (0, 1).
        distance: above it p is at most that.
    """

    alpha: Level
    distance: float


@dataclass(frozen=True, eq=False)
class RankDistanceTest(RankDistance):
    """A rank distance with its bootstrap p-value.

    Attributes:
        p_value: share of resamples of the topics whose ranking is at least as far, in [0, 1].
        resamples: behind it, all there are where exact.
        exact: whether all resamples were enumerated.
        seed: of everything random.
        distribution: the bootstrap distribution, to keep for other rankings of the same systems.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> test = rank_distance_test(ap, [.5, .75, .7])
        >>> again = rank_distance_test(ap, [.5, .7, .75], distribution=test.distribution)
        >>> again.p_value, round(again.critical_value(0.05), 4)
        (1.0, 0.6508)
    """

    p_value: Fraction
    resamples: Whole
    exact: bool
    seed: Whole
    distribution: Annotated[BootstrapDistribution, WrittenAs("critical_values")]

    @property
    def critical_values(self) -> tuple[CriticalValue, ...]:
        """At 0.1, 0.05 and 0.01."""
        return tuple(CriticalValue(*one) for one in self.distribution.table(LEVELS))

    @property
    def least_p(self) -> float:
        """The least p-value that these resamples can tell from 0, for printing."""
        return 0.001 if self.exact else max(0.001, 1 / self.resamples)

    def critical_value(self, alpha: float = 0.05) -> float:
        """The distance above which p ≤ α; :meth:`BootstrapDistribution.critical_value`.

        Raises:
            InputError: α outside (0, 1).
        """
        return self.distribution.critical_value(alpha)


@keywords_checked
def rank_distance(
    scores: Any, y: Any, *, ridge: float | None = None, regularize: str = "differences"
) -> RankDistance:
    """The rank distance from reference scores X to a ranking y (Carterette 2009, eq. 2).

    ``d² = min_θ n (θ − μ_Δ)ᵀ Σ_Δ⁻¹ (θ − μ_Δ)`` over θ ≥ 0. Here μ_Δ and Σ_Δ are the mean and covariance (n −
    1, plus λI) of the differences between neighbors in y's order. Zero if and only if X's means are in y's
    order. No ranking is nearer than the largest paired |t| among the pairs that it swaps (where λ = 0). With
    two systems the distance is that |t|. With more it is greater wherever undoing the swaps would move other
    pairs too. Not symmetric: X's topics set the scale. Invariant to scaling X where λ = 0 (else λ must be
    scaled by the square). See docs/methods/rank-distance.md.

    Ties in y (1e-12) are ordered as X orders them, so they cost nothing. About 1 ms at 110 systems.

    Args:
        scores: X, a ScoreMatrix or anything :func:`truerank.read_scores` takes; or a
            :class:`Reference` prepared from it, for many y.
        y: one value a system, higher is better, in the order of X's systems; or by name: a mapping, a
            pandas series, or scores, of which the means count.
        ridge: λ ≥ 0, in squared units of the measure; by default 1e-5 where there are as many systems as
            topics or more, else 0. With copies of systems 0 is the limit λ → 0.
        regularize: ``differences`` adds λI to Σ_Δ as the paper does, which makes the metric depend on
            y's order; ``scores`` adds λ/2·I to the covariance of the scores, which does not.

    Returns:
        The distance, ≥ 0, in units of a t statistic, with λ and the nearest means that rank as y does.

    Raises:
        InputError: fewer than two systems or topics, systems missing in y, values not finite,
            λ = 0 for a singular covariance, or y before the scores.
        UnknownNameError: no such way to regularize.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> p10 = [.5, .75, .7]
        >>> round(rank_distance(ap, p10).distance, 4)
        0.6508
    """
    refuse_swapped("rank_distance", scores, y)
    return _measure(_reference(scores, ridge, regularize), y)


@keywords_checked
def rank_distance_test(
    scores: Any,
    y: Any,
    resamples: int = RESAMPLES,
    seed: int = 0,
    *,
    ridge: float | None = None,
    regularize: str = "differences",
    exact: bool | None = None,
    distribution: BootstrapDistribution | PathLike | None = None,
    progress: Progress | None = None,
) -> RankDistanceTest:
    """Test whether a ranking y is further from reference scores X than X's own topics make likely.

    The p-value is the share of resamples of the topics whose own ranking is at least as far from X's
    means as y is (Carterette 2009, Algorithm 2). That is all it tests. A ranking by as many *other* topics is
    rejected far more often than p says, and so is the true ranking where many systems are close. The shares
    are in docs/methods/rank-distance.md. 10,000 resamples at 249 × 110: 3 s of processor time, spread over
    all cores.

    Args:
        scores: as in :func:`rank_distance`.
        y: as in :func:`rank_distance`.
        resamples: bootstrap resamples of the topics, at least 1.
        seed: the same seed gives the same digits.
        ridge: as in :func:`rank_distance`.
        regularize: as in :func:`rank_distance`.
        exact: enumerate all resamples; by default where there are no more different ones than
            `resamples` (up to 8 topics for 10,000).
        distribution: one made before from the same scores and λ, or where it was saved (see
            :func:`find_distribution`); then nothing is drawn.
        progress: called with (done, total, label).

    Returns:
        The distance with its p-value, in [0, 1], and critical values.

    Raises:
        InputError: as :func:`rank_distance`; no resamples; too many topics to enumerate; or a
            distribution of other scores.
        UnknownNameError: no such way to regularize.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> test = rank_distance_test(ap, [.5, .75, .7])
        >>> test.p_value, test.exact
        (0.2109375, True)
    """
    refuse_swapped("rank_distance_test", scores, y)
    reference = _reference(scores, ridge, regularize)
    measured = _measure(reference, y)
    if distribution is None:
        distribution = bootstrap_distribution(reference, resamples, seed, exact, progress)
    elif isinstance(distribution, BootstrapDistribution):
        distribution.check(reference)
    else:
        distribution = find_distribution(distribution, reference)
    return RankDistanceTest(
        **{field.name: getattr(measured, field.name) for field in fields(measured)},
        p_value=distribution.p_value(measured.distance),
        resamples=distribution.resamples,
        exact=distribution.exact,
        seed=distribution.seed,
        distribution=distribution,
    )


def refuse_swapped(function: str, scores: Any, y: Any) -> None:
    """Refuse a ranking in place of the reference scores, where that can be seen."""
    if is_ranking(scores) or _is_scores(y):
        raise InputError(f"the reference scores come first, then the ranking: {function}(scores, y)")


def is_ranking(given: Any) -> bool:
    """Whether it has one value per system, rather than scores of topics × systems."""
    if isinstance(given, Mapping):
        values = given.values()
        return not any(isinstance(one, (Mapping, list, tuple)) or getattr(one, "ndim", 0) for one in values)
    return _dimensions(given) == 1


def _is_scores(given: Any) -> bool:
    """Whether it is a table of scores rather than a ranking."""
    nested = isinstance(given, Mapping) and not is_ranking(given)
    return nested or isinstance(given, Reference | str | os.PathLike) or _dimensions(given) == 2


def _dimensions(given: Any) -> int | None:
    """Dimensions of an array, a data frame, a series or nested sequences of numbers; else ``None``."""
    if hasattr(given, "ndim"):
        return int(given.ndim)
    try:
        array = np.asarray(given)
    except ValueError:  # rows of different lengths
        return None
    return array.ndim if array.dtype.kind in "biuf" else None


def _reference(scores: Any, ridge: float | None, regularize: str) -> Reference:
    if not isinstance(scores, Reference):
        return Reference.of(scores, ridge, regularize)
    if ridge is not None or regularize != "differences":
        raise InputError("the reference is prepared already; give ridge and regularize to Reference.of")
    return scores


def _measure(reference: Reference, y: Any) -> RankDistance:
    order = reference.orders(aligned(reference.scores, y))[0]
    distance, nearest = reference.nearest(order)
    return RankDistance(
        distance=distance,
        ridge=reference.ridge,
        ridge_reason=reference.ridge_reason,
        regularize=reference.regularize,
        topics=reference.scores.n,
        systems=tuple(reference.systems[s] for s in order),
        differences=reference.mean_differences(order[None, :])[0],
        nearest=nearest,
    )
