"""`compare`: how close other rankings of the same systems are to a baseline, by every coefficient."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.types import Matrix, Progress
from truerank.coefficients import kendall_interval, rbo, tau, tau_ap, tau_b, tied_ranks
from truerank.comparison.distance import (
    Baseline,
    BootstrapDistribution,
    RankDistanceTest,
    aligned,
    rank_distance,
    rank_distance_test,
)
from truerank.comparison.distance.baseline import named_values
from truerank.comparison.distance.bootstrap import SAMPLES, bootstrap_distribution
from truerank.comparison.significance.pairwise import paired_t
from truerank.comparison.significance.power import significant_agreement
from truerank.errors import InputError, at
from truerank.readers import as_scores
from truerank.readers.missing import Missing
from truerank.readers.ranking_files import read_scores_or_ranking
from truerank.scores import ScoreMatrix

SWAPS = 10
"""Swaps named unless asked otherwise."""

RBO_P = 0.9
"""Persistence of RBO unless asked otherwise."""


@dataclass(frozen=True)
class Swap:
    """A pair of systems that the other ranking orders the other way.

    Attributes:
        base_above: the system that the baseline has above.
        other_above: the system that the other ranking has above.
        difference: of their means in the baseline, > 0.
        t: paired t statistic of that difference, the rank distance that this swap alone would cost
            (without λ); infinite for a constant difference.
        p_value: of the paired t-test, two-sided.
    """

    base_above: str
    other_above: str
    difference: float
    t: float
    p_value: float


@dataclass(frozen=True, eq=False)
class Comparison:
    """One ranking against the baseline.

    Attributes:
        other: what the other ranking is called.
        base: the baseline's scores of the systems that both have.
        values: the other ranking's values of those systems, higher is better; m.
        tau: Kendall's τ; ties in either broken by the baseline's column order.
        tau_b: τ corrected for ties; NaN where a ranking is all ties.
        tau_ap: τ_AP with the baseline as the truth; ties as in τ.
        rbo: rank-biased overlap.
        rbo_p: its persistence.
        kendall_interval: of τ at 95%, over systems (carterette-2009, eq. 1).
        distance: the rank distance from the baseline, with its test.
        significant_agreement: of the pairs that differ in the baseline (paired t-test, p < 0.05), the
            share in the same order in the other ranking; NaN where no pair does.
        discordant: how many pairs the two order differently.
        swaps: those pairs with most evidence against them, by t, most first.
        missing: systems of the baseline that the other ranking lacks; left out.
        extra: systems of the other ranking that the baseline lacks; left out.
        warnings: what to know before quoting a number, one sentence each.
    """

    other: str
    base: ScoreMatrix
    values: Matrix
    tau: float
    tau_b: float
    tau_ap: float
    rbo: float
    rbo_p: float
    kendall_interval: tuple[float, float]
    distance: RankDistanceTest
    significant_agreement: float
    discordant: int
    swaps: tuple[Swap, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    warnings: tuple[str, ...]

    def evidence(self) -> Matrix:
        """Paired t statistics |t| of all pairs in the baseline, m × m, symmetric."""
        upper = np.abs(paired_t(self.base.values))
        return upper + upper.T

    def answer(self) -> str:
        """Whether the other ranking differs from the baseline by more than its resampled topics do."""
        d = self.distance
        limit = dict(d.critical_values)[0.05]
        if d.distance == 0:
            return "The rankings agree: no pair of systems is the other way round."
        if d.p_value < 0.05:
            return (
                f"The rankings differ: rank distance {d.distance:.2f}, when fewer than 5% of the rankings by "
                f"resampled topics of the baseline are as far (5% critical value {limit:.2f})."
            )
        return (
            f"The rankings can't be told apart: rank distance {d.distance:.2f}, and {d.p_value:.0%} of the "
            f"rankings by resampled topics of the baseline are at least as far. That is no proof that they "
            "are equal."
        )

    def p_text(self) -> str:
        """The p-value to print; never 0 where it is a share of random samples."""
        d = self.distance
        if d.p_value == 0 and not d.exact:
            return f"< {1 / d.samples:.1g}" if d.samples < 10_000 else "< 0.0001"
        return f"{d.p_value:.4f}"

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        from truerank._support.plain import plain

        d = self.distance
        document: dict[str, Any] = plain(
            {
                "other": self.other,
                "measure": self.base.measure,
                "topics": self.base.n,
                "systems": self.base.m,
                "tau": self.tau,
                "kendall_interval": {"low": self.kendall_interval[0], "high": self.kendall_interval[1]},
                "tau_b": self.tau_b,
                "tau_ap": self.tau_ap,
                "rbo": self.rbo,
                "rbo_p": self.rbo_p,
                "rank_distance": d.distance,
                "lambda": d.lam,
                "lambda_reason": d.lam_reason,
                "regularise": d.regularise,
                "p_value": d.p_value,
                "bootstrap": d.samples,
                "exact": d.exact,
                "seed": d.seed,
                "critical_values": [{"alpha": a, "distance": value} for a, value in d.critical_values],
                "significant_agreement": self.significant_agreement,
                "discordant_pairs": self.discordant,
                "swaps": [vars(swap) for swap in self.swaps],
                "missing_systems": self.missing,
                "extra_systems": self.extra,
                "warnings": self.warnings,
            }
        )
        return document


def compare(
    base: Any,
    other: Any,
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    lam: float | None = None,
    regularise: str = "differences",
    distribution: BootstrapDistribution | None = None,
    rbo_p: float = RBO_P,
    swaps: int = SWAPS,
    measure: str | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> Comparison:
    """Compare one ranking with a baseline; see :func:`compare_all`.

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
        samples=samples,
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


def compare_all(
    base: Any,
    others: Sequence[Any],
    *,
    samples: int = SAMPLES,
    seed: int = 0,
    lam: float | None = None,
    regularise: str = "differences",
    distribution: BootstrapDistribution | None = None,
    rbo_p: float = RBO_P,
    swaps: int = SWAPS,
    measure: str | None = None,
    missing: Missing = "error",
    progress: Progress | None = None,
) -> list[Comparison]:
    """Compare rankings with a baseline, on the systems that it and each of them share.

    The bootstrap is made once for every set of shared systems, as a rule once in all.

    Args:
        base: the baseline's scores, a ScoreMatrix or anything :func:`truerank.read_scores` takes.
        others: each a ScoreMatrix, a mapping or pandas series from system to value, a vector in
            the order of the baseline's systems, or the path of a score table or a ranking file
            (one system a line, best first, a score behind it or not).
        samples: bootstrap samples behind the p-values.
        seed: the same seed gives the same digits.
        lam: λ of the rank distance; by default as :func:`truerank.rank_distance` chooses.
        regularise: what λ is added to, ``differences`` or ``scores``.
        distribution: a bootstrap distribution made before from the same scores and λ.
        rbo_p: persistence of RBO.
        swaps: how many swaps to name.
        measure: which measure, where files hold several.
        missing: what to do about missing scores in tables.
        progress: called with (done, total, label).

    Raises:
        InputError: something cannot be read, or fewer than two systems are shared.
        UnknownNameError: an unknown measure or way to regularise.
    """
    if swaps < 0:
        raise InputError(f"the number of swaps to name must be 0 or more, not {swaps}")
    table = as_scores(base, measure, missing)
    made: dict[tuple[str, ...], tuple[Baseline, BootstrapDistribution]] = {}
    comparisons = []
    for place, other in enumerate(others, 1):
        name, found = _read(other, place, table, measure, missing)
        shared, values = _shared(table, found, name)
        if shared.systems not in made:
            baseline = Baseline.of(shared, lam, regularise)
            known = distribution or bootstrap_distribution(baseline, samples, seed, progress=progress)
            made[shared.systems] = baseline, known
        baseline, known = made[shared.systems]
        test = rank_distance_test(values, baseline, distribution=known)
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
    return f"ranking {place}", other


def _shared(base: ScoreMatrix, other: Any, name: str) -> tuple[ScoreMatrix, Matrix]:
    """The baseline cut to the systems that both have, and the other's values of them."""
    named = named_values(other)
    if named is None:
        return base, aligned(other, base, name)
    columns = [s for s, system in enumerate(base.systems) if system in named]
    if len(columns) < 2:
        what = "no system" if not columns else f"only one system ({base.systems[columns[0]]!r})"
        raise InputError(
            f"{at(name)}shares {what} with the baseline, whose first is {base.systems[0]!r}; "
            f"here the first is {next(iter(named), '')!r}: use the same names in both"
        )
    shared = base if len(columns) == base.m else base.select(columns)
    return shared, aligned(named, shared, name)


def _compare(
    name: str,
    base: ScoreMatrix,
    other: Any,
    shared: ScoreMatrix,
    values: Matrix,
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
        significant_agreement=significant_agreement(values, shared),
        discordant=discordant,
        swaps=strongest,
        missing=missing,
        extra=extra,
        warnings=(
            *_names_warnings(missing, extra),
            *_data_warnings(base, other, means, values),
            *_lambda_warnings(values, baseline, test),
        ),
    )


def _swaps(base: ScoreMatrix, values: Matrix, most: int) -> tuple[int, tuple[Swap, ...]]:
    """The number of discordant pairs, and those with the largest t statistics in the baseline."""
    from scipy.special import stdtr

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
                p_value=float(2 * stdtr(base.n - 1, -abs(t[place]))),
            )
        )
    return len(first), tuple(named)


def _names_warnings(missing: Sequence[str], extra: Sequence[str]) -> list[str]:
    found = []
    if missing:
        found.append(f"left out, as the other ranking lacks them: {_some(missing)}")
    if extra:
        found.append(f"left out, as the baseline lacks them: {_some(extra)}")
    return found


def _data_warnings(base: ScoreMatrix, other: Any, means: Matrix, values: Matrix) -> list[str]:
    found = list(base.notes)
    if isinstance(other, ScoreMatrix):
        found += [note for note in other.notes if note not in base.notes]
        if set(other.topics) != set(base.topics):
            both = len(set(other.topics) & set(base.topics))
            found.append(
                f"the other ranking is of {other.n} topics, {both} of them among the baseline's {base.n}: "
                "the p-value allows for the baseline's topics only"
            )
    for what, scores in (("the baseline", means), ("the other ranking", values)):
        sizes = np.bincount(tied_ranks(scores))
        if sizes.max() > 1:
            found.append(
                f"{int(sizes[sizes > 1].sum())} systems are tied in {what}: τ and τ_AP break ties by the "
                "baseline's column order, τ_b corrects for them, the rank distance counts them as agreement"
            )
    return found


def _lambda_warnings(values: Matrix, baseline: Baseline, test: RankDistanceTest) -> list[str]:
    """Where λ decides, say by how much."""
    if baseline.scores.m <= baseline.scores.n or test.lam == 0 or test.distance == 0:
        return []
    smaller, larger = (
        rank_distance(values, baseline.scores, lam=test.lam * factor, regularise=test.regularise).distance
        for factor in (0.1, 10.0)
    )
    return [
        f"more systems ({baseline.scores.m}) than topics ({baseline.scores.n}): lambda decides the rank "
        f"distance; with {test.lam / 10:g} it is {smaller:.2f}, with {test.lam * 10:g} {larger:.2f}"
    ]


def _some(names: Sequence[str], most: int = 5) -> str:
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return ", ".join(names[:most]) + more
