"""`rank_distance` and `rank_distance_test`: how far a ranking is, and whether that is far."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Any

import numpy as np

from truerank._support.types import Matrix, Progress
from truerank.comparison.distance.baseline import Baseline, aligned
from truerank.comparison.distance.bootstrap import SAMPLES, BootstrapDistribution, bootstrap_distribution
from truerank.errors import InputError

LEVELS = (0.1, 0.05, 0.01)
"""Levels whose critical values stand beside every p-value."""


@dataclass(frozen=True, eq=False)
class RankDistance:
    """How far a ranking y is from the baseline X.

    Attributes:
        distance: d(y | X) ≥ 0, in units of a t statistic.
        lam: λ, what was added to the variances.
        lam_reason: why λ is what it is.
        regularise: what λ was added to, ``differences`` or ``scores``.
        topics: n of X.
        systems: their names, best first by y.
        differences: μ_Δ, what each of them is above the next by the means of X; m − 1.
        nearest: θ, the same at the point nearest to X that ranks as y does; m − 1, each ≥ 0.
    """

    distance: float
    lam: float
    lam_reason: str
    regularise: str
    topics: int
    systems: tuple[str, ...]
    differences: Matrix
    nearest: Matrix

    @property
    def blocks(self) -> tuple[tuple[str, ...], ...]:
        """Runs of y's ranking whose means must become equal for X to rank as y does.

        This is where the distance comes from; empty where it is zero. Systems whose means are
        equal in X already can stand in a block too.
        """
        if self.distance == 0:
            return ()
        pressed = np.append(self.nearest <= 0, False)
        blocks, start = [], 0
        for place, joined in enumerate(pressed):
            if not joined:
                if place > start:
                    blocks.append(self.systems[start : place + 1])
                start = place + 1
        return tuple(blocks)


@dataclass(frozen=True, eq=False)
class RankDistanceTest(RankDistance):
    """A rank distance with its bootstrap p-value.

    Attributes:
        p_value: share of resamples of the topics whose ranking is at least as far.
        critical_values: pairs of level α and the distance above which p ≤ α.
        samples: resamples behind it; nⁿ where all were enumerated.
        exact: whether they were.
        seed: of the resampling.
        distribution: the bootstrap distribution, to keep for other rankings of the same systems.
    """

    p_value: float
    critical_values: tuple[tuple[float, float], ...]
    samples: int
    exact: bool
    seed: int
    distribution: BootstrapDistribution


def rank_distance(
    y: Any, scores: Any, *, lam: float | None = None, regularise: str = "differences"
) -> RankDistance:
    """The rank distance from scores X to a ranking y (carterette-2009, eq. 2).

    ``d² = min_θ n (θ − μ_Δ)ᵀ Σ_Δ⁻¹ (θ − μ_Δ)`` over θ ≥ 0, with μ_Δ and Σ_Δ the mean and
    covariance (n − 1, plus λI) of the differences between neighbours in y's order. Zero if and only
    if X's means are in y's order; one swap alone costs the paired t statistic of its two systems, and
    no ranking is nearer than the largest t among the pairs that it swaps. Not symmetric: X's topics
    set the scale. Invariant to scaling X where λ = 0 (else λ must be scaled by the square).

    Ties in y (1e-12) are ordered as X orders them, so they cost nothing. About 1 ms at 110 systems.

    Args:
        y: one value a system, higher is better, in the order of X's systems; or by name: a mapping, a
            pandas series, or scores, of which the means count.
        scores: X, a ScoreMatrix or anything :func:`truerank.read_scores` takes; or a
            :class:`Baseline` prepared from it, for many y.
        lam: λ ≥ 0; by default 1e-5 where there are as many systems as topics or more, or copies of
            systems, else 0.
        regularise: ``differences`` adds λI to Σ_Δ as the paper does, which makes the metric depend on
            y's order; ``scores`` adds λ/2·I to the covariance of the scores, which does not.

    Raises:
        InputError: fewer than two systems or topics, systems missing in y, values not finite, or
            λ = 0 for a singular covariance.
        UnknownNameError: no such way to regularise.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> p10 = [.5, .75, .7]
        >>> round(rank_distance(p10, ap).distance, 4)
        0.6508
    """
    baseline = _baseline(scores, lam, regularise)
    return _measure(y, baseline)


def rank_distance_test(
    y: Any,
    scores: Any,
    samples: int = SAMPLES,
    seed: int = 0,
    *,
    lam: float | None = None,
    regularise: str = "differences",
    exact: bool | None = None,
    distribution: BootstrapDistribution | None = None,
    progress: Progress | None = None,
) -> RankDistanceTest:
    """Test whether a ranking y is further from the baseline X than X's own topics make likely.

    The p-value is the share of resamples of the topics whose own ranking is at least as far from X's
    means as y is (carterette-2009, Algorithm 2). It asks no more than that: a ranking by as many *other*
    topics is rejected far more often than p says, and so is the true ranking where many systems are
    close (docs/rank-distance.md has the shares). 10,000 samples at 249 × 110: 3 s of processor
    time, spread over all cores.

    Args:
        y: as in :func:`rank_distance`.
        scores: as in :func:`rank_distance`.
        samples: bootstrap samples.
        seed: the same seed gives the same digits.
        lam: as in :func:`rank_distance`.
        regularise: as in :func:`rank_distance`.
        exact: enumerate all resamples; by default where there are no more different ones than
            `samples` (up to 8 topics for 10,000).
        distribution: one made before from the same scores and λ; then nothing is drawn.
        progress: called with (done, total, label).

    Raises:
        InputError: as :func:`rank_distance`; no samples; too many topics to enumerate; or a
            distribution of other scores.
        UnknownNameError: no such way to regularise.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> test = rank_distance_test([.5, .75, .7], ap)
        >>> test.p_value, test.exact
        (0.2109375, True)
    """
    baseline = _baseline(scores, lam, regularise)
    measured = _measure(y, baseline)
    if distribution is None:
        distribution = bootstrap_distribution(baseline, samples, seed, exact, progress)
    else:
        distribution.check(baseline)
    return RankDistanceTest(
        **{field.name: getattr(measured, field.name) for field in fields(measured)},
        p_value=distribution.p_value(measured.distance),
        critical_values=distribution.table(LEVELS),
        samples=distribution.samples,
        exact=distribution.exact,
        seed=distribution.seed,
        distribution=distribution,
    )


def _baseline(scores: Any, lam: float | None, regularise: str) -> Baseline:
    if not isinstance(scores, Baseline):
        return Baseline.of(scores, lam, regularise)
    if lam is not None or regularise != "differences":
        raise InputError("the baseline is prepared already; give lambda and regularise to Baseline.of")
    return scores


def _measure(y: Any, baseline: Baseline) -> RankDistance:
    order = baseline.orders(aligned(y, baseline.scores))[0]
    distance, nearest = baseline.nearest(order)
    return RankDistance(
        distance=distance,
        lam=baseline.lam,
        lam_reason=baseline.lam_reason,
        regularise=baseline.regularise,
        topics=baseline.scores.n,
        systems=tuple(baseline.systems[s] for s in order),
        differences=baseline.mean_differences(order[None, :])[0],
        nearest=nearest,
    )
