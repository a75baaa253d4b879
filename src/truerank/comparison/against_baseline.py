"""`compare`: how close other rankings of the same systems are to a baseline, by every coefficient."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

import numpy as np

from truerank._support.arguments import keywords_checked
from truerank._support.files import PathLike
from truerank._support.progress import Progress
from truerank._support.types import Vector
from truerank.coefficients import kendall_interval, rbo, tau, tau_ap, tau_b, tied_ranks
from truerank.comparison.comparison_results import Comparison, Swap
from truerank.comparison.comparison_warnings import data_warnings, lambda_warnings, left_out_warnings
from truerank.comparison.distance import (
    Baseline,
    BootstrapDistribution,
    RankDistanceTest,
    aligned,
    find_distribution,
    rank_distance_test,
)
from truerank.comparison.distance.baseline import named_values
from truerank.comparison.distance.bootstrap import RESAMPLES, bootstrap_distribution
from truerank.comparison.distance.rank_distance import is_ranking
from truerank.comparison.significance import significant_agreement
from truerank.errors import InputError, at
from truerank.numerics.paired_t import paired_t, two_sided_p
from truerank.readers import as_scores
from truerank.readers.missing import FILLED, Missing
from truerank.readers.ranking_files import read_scores_or_ranking
from truerank.scores import ScoreMatrix

SWAPS = 10
"""Swaps named unless asked otherwise."""

RBO_P = 0.9
"""Persistence of RBO unless asked otherwise."""


@keywords_checked
def compare(
    base: Any,
    other: Any,
    *,
    resamples: int = RESAMPLES,
    seed: int = 0,
    lam: float | None = None,
    regularise: str = "differences",
    distribution: BootstrapDistribution | PathLike | None = None,
    rbo_p: float = RBO_P,
    swaps: int = SWAPS,
    measure: str | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Comparison:
    """Compare one ranking with a baseline, by every coefficient.

    Args:
        base: the baseline's scores, a ScoreMatrix or anything :func:`truerank.read_scores` takes.
        other: a ScoreMatrix, a mapping or pandas series from system to value, a vector in the order of
            the baseline's systems, or the path of a score table or a ranking file (one system a line,
            best first, a score behind it or not), or anything else that :func:`truerank.read_scores` takes.
        resamples: bootstrap resamples of the topics behind the p-value, at least 1.
        seed: the same seed gives the same digits.
        lam: λ of the rank distance; by default as :func:`truerank.rank_distance` chooses.
        regularise: what λ is added to, ``differences`` or ``scores``.
        distribution: a bootstrap distribution made before from the same scores and λ, or where it was
            saved: a file, a folder, or the name of one that comes along
            (:func:`truerank.comparison.distance.find_distribution`).
        rbo_p: persistence of RBO, in (0, 1).
        swaps: how many swaps to name.
        measure: which measure, where files hold several.
        missing: what to do about missing scores in tables.
        progress: called with (done, total, label).

    Returns:
        The comparison; see docs/methods/rank-distance.md. Cost as :func:`truerank.rank_distance_test`.

    Raises:
        InputError: something cannot be read, fewer than two systems are shared, or an argument is out
            of range.
        UnknownNameError: an unknown measure or way to regularise.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> result = compare(ap, [.5, .75, .7])
        >>> round(result.tau, 4), round(result.distance.distance, 4), result.distance.p_value
        (0.3333, 0.6508, 0.2109375)
        >>> result.swaps[0].base_above, result.swaps[0].other_above
        ('sys3', 'sys2')
    """
    return compare_all(
        base,
        [other],
        resamples=resamples,
        seed=seed,
        lam=lam,
        regularise=regularise,
        distribution=distribution,
        rbo_p=rbo_p,
        swaps=swaps,
        measure=measure,
        missing=missing,
        progress=progress,
    )[0]


@keywords_checked
def compare_all(
    base: Any,
    others: Sequence[Any],
    *,
    labels: Sequence[str] | None = None,
    resamples: int = RESAMPLES,
    seed: int = 0,
    lam: float | None = None,
    regularise: str = "differences",
    distribution: BootstrapDistribution | PathLike | None = None,
    rbo_p: float = RBO_P,
    swaps: int = SWAPS,
    measure: str | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> list[Comparison]:
    """Compare several rankings with a baseline, on the systems that it and each of them share.

    The bootstrap is made once for every set of shared systems, as a rule once in all.

    Args:
        base: the baseline's scores, a ScoreMatrix or anything :func:`truerank.read_scores` takes.
        others: each a ScoreMatrix, a mapping or pandas series from system to value, a vector in
            the order of the baseline's systems, or the path of a score table or a ranking file
            (one system a line, best first, a score behind it or not), or anything else that
            :func:`truerank.read_scores` takes.
        labels: what each of `others` is called; by default by its path or measure.
        resamples: bootstrap resamples of the topics behind the p-values, at least 1.
        seed: the same seed gives the same digits.
        lam: λ of the rank distance; by default as :func:`truerank.rank_distance` chooses.
        regularise: what λ is added to, ``differences`` or ``scores``.
        distribution: a bootstrap distribution made before from the same scores and λ, or where it was
            saved: a file, a folder, or the name of one that comes along
            (:func:`truerank.comparison.distance.find_distribution`).
        rbo_p: persistence of RBO.
        swaps: how many swaps to name.
        measure: which measure, where files hold several.
        missing: what to do about missing scores in tables.
        progress: called with (done, total, label).

    Returns:
        One comparison for each of `others`, in their order.

    Raises:
        InputError: something cannot be read, fewer than two systems are shared, or an argument is out
            of range.
        UnknownNameError: an unknown measure or way to regularise.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> careful, partial = compare_all(ap, [[.5, .75, .9], {"sys1": 3, "sys2": 2, "sys3": 1}])
        >>> careful.tau, careful.distance.distance
        (1.0, 0.0)
        >>> partial.tau, partial.distance.p_value
        (-1.0, 0.0)
    """
    if is_ranking(base):
        raise InputError("the trusted scores come first, then the rankings: compare(scores, ranking)")
    if swaps < 0:
        raise InputError(f"the number of swaps to name must be 0 or more, not {swaps}")
    table = as_scores(base, measure, missing, ways=FILLED)
    made: dict[tuple[str, ...], tuple[Baseline, BootstrapDistribution]] = {}
    if labels is not None and len(labels) != len(others):
        raise InputError(f"{len(labels)} labels for {len(others)} rankings; give one to each")
    comparisons = []
    for place, other in enumerate(others):
        name, found = _read(other, place + 1, table, measure, missing)
        name = name if labels is None else labels[place]
        shared, values = _shared(table, found, name)
        if shared.systems not in made:
            baseline = Baseline.of(shared, lam, regularise)
            if distribution is None:
                known = bootstrap_distribution(baseline, resamples, seed, progress=progress)
            elif isinstance(distribution, BootstrapDistribution):
                known = distribution
            else:
                known = find_distribution(distribution, baseline)
            made[shared.systems] = baseline, known
        baseline, known = made[shared.systems]
        test = rank_distance_test(baseline, values, distribution=known)
        comparisons.append(_compare(name, table, found, shared, values, baseline, test, rbo_p, swaps))
    return comparisons


def _read(
    other: Any, place: int, base: ScoreMatrix, measure: str | None, missing: Missing
) -> tuple[str, Any]:
    """What the other ranking is called, and what it is."""
    if isinstance(other, (str, os.PathLike)):
        return str(other), read_scores_or_ranking(other, base.systems, measure, missing)
    if isinstance(other, ScoreMatrix):
        return other.source or other.measure or f"ranking {place}", other
    if is_ranking(other):
        return f"ranking {place}", other
    scores = as_scores(other, measure, missing, one_table="", ways=FILLED)
    return scores.measure or f"ranking {place}", scores


def _shared(base: ScoreMatrix, other: Any, name: str) -> tuple[ScoreMatrix, Vector]:
    """The baseline cut to the systems that both have, and the other's values of them."""
    named = named_values(other)
    if named is None:
        return base, aligned(base, other, name)
    columns = [s for s, system in enumerate(base.systems) if system in named]
    if len(columns) < 2:
        what = "no system" if not columns else f"only one system ({base.systems[columns[0]]!r})"
        raise InputError(
            f"{at(name)}shares {what} with the baseline, whose first is {base.systems[0]!r}; "
            f"here the first is {next(iter(named), '')!r}: use the same names in both"
        )
    shared = base if len(columns) == base.m else base.select(columns)
    return shared, aligned(shared, named, name)


def _compare(
    name: str,
    base: ScoreMatrix,
    other: Any,
    shared: ScoreMatrix,
    values: Vector,
    baseline: Baseline,
    test: RankDistanceTest,
    rbo_p: float,
    swaps: int,
) -> Comparison:
    means = shared.means
    named = named_values(other)
    missing = tuple(system for system in base.systems if system not in set(shared.systems))
    extra = tuple(system for system in named or () if system not in set(base.systems))
    kendall = tau(means, values)
    discordant, strongest = _swaps(shared, values, swaps)
    return Comparison(
        other=name,
        base=shared,
        values=values,
        tau=kendall,
        tau_b=tau_b(means, values),
        tau_ap=tau_ap(means, values),
        rbo=rbo(means, values, rbo_p),
        rbo_p=rbo_p,
        kendall_interval=kendall_interval(kendall, shared.m),
        distance=test,
        significant_agreement=significant_agreement(shared, values),
        discordant=discordant,
        swaps=strongest,
        missing=missing,
        extra=extra,
        warnings=(
            *left_out_warnings(missing, extra),
            *data_warnings(base, other, means, values),
            *lambda_warnings(values, baseline, test),
        ),
    )


def _swaps(base: ScoreMatrix, values: Vector, most: int) -> tuple[int, tuple[Swap, ...]]:
    """The number of discordant pairs, and those with the largest t statistics in the baseline."""
    ours, theirs = tied_ranks(base.means), tied_ranks(values)
    upper = np.triu((ours[:, None] - ours[None, :]) * (theirs[:, None] - theirs[None, :]) < 0, 1)
    first, second = np.nonzero(upper)
    t = paired_t(base.values)[first, second]
    strongest = np.argsort(-np.abs(t), kind="stable")[:most]
    named = []
    for place in strongest:
        pair = (int(first[place]), int(second[place]))
        above, below = pair if t[place] > 0 else pair[::-1]
        named.append(
            Swap(
                base_above=base.systems[above],
                other_above=base.systems[below],
                difference=float(base.means[above] - base.means[below]),
                t=float(abs(t[place])),
                p_value=float(two_sided_p(t[place], base.n)),
            )
        )
    return len(first), tuple(named)
