"""`analyze`: which systems differ by one measure, by one test, with all that belongs to it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Annotated, Any

import numpy as np

from truerank._support.display import Shown
from truerank._support.notes import Note, Noted, Notes
from truerank._support.plain import Written
from truerank._support.registry import Explanation, explained
from truerank._support.types import Fraction, Inlined, LeftOut, Level, Matrix, Unwritten, Whole, WrittenAs
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank.coefficients import tied_ranks
from truerank.comparison.distance.rank_distance import refuse_swapped
from truerank.comparison.distance.reference import aligned
from truerank.comparison.significance.significance_test import (
    CORRECTIONS,
    PERMUTATIONS,
    TESTS,
    Anova,
    PairwiseTests,
    anova,
    check_alpha,
    friedman,
    pairwise_tests,
    table_to_test,
)
from truerank.errors import InputError, at
from truerank.numerics.pairs import over_pairs
from truerank.readers import as_scores
from truerank.readers.missing import Filled
from truerank.reading import Reading
from truerank.reliability.noise import seeds_together
from truerank.reliability.pair.comparing import largest_difference
from truerank.reliability.pair.contrast import few_differ, p_value, plain_contrast
from truerank.scores import TIE, ScoreMatrix, unknown_system

MOST = 12  # the most systems whose mean ranks a note lists
AGAINST = 3  # the most pairs against the order of means that a note names
MOST_SYSTEMS = 800  # tested in all pairs: of 800 there are 319,600


@dataclass(frozen=True)
class AgainstBaseline:
    """A system against the baseline.

    Attributes:
        system: its name.
        difference: its mean less the baseline's.
        direction: 1 where it is the better one by what is tested, −1 where the baseline is, else 0. Rank
            tests may point against the difference of means.
        p_value: two-sided, adjusted for the m − 1 comparisons with the baseline, in [0, 1].
        unadjusted: two-sided p-value without a correction, in [0, 1]. For the t-test it is what a gate of the
            two says: by the exact bound where so few topics differ that a gate uses it.
        p_t: the paired t-test's, where the exact bound decides.
    """

    system: str
    difference: float
    direction: int
    p_value: Annotated[Fraction, WrittenAs(p="unadjusted", p_adjusted="p_value")]
    unadjusted: Unwritten[Fraction]
    p_t: LeftOut[Fraction] = None

    def significant(self, alpha: float) -> bool:
        return self.p_value < alpha


@dataclass(frozen=True)
class Method:
    """A test or a correction, and what it says of itself.

    Attributes:
        name: its name.
        about: what it says.
    """

    name: str
    about: Annotated[Explanation, Inlined()]


@dataclass(frozen=True)
class TestedSystem:
    """A system and the systems that it is better than.

    Attributes:
        rank: from 1.
        system: its name.
        mean: its mean score.
        better_than: the systems that it is significantly better than.
    """

    rank: Whole
    system: str
    mean: float
    better_than: tuple[str, ...]


@dataclass(frozen=True)
class TestedPair:
    """Two systems.

    Attributes:
        above: the better one by what is tested; where that says neither, the one with the higher mean.
        below: the other.
        difference: of their means, above less below; below 0 where a rank test points against the means.
        p: two-sided p-value, in [0, 1].
        p_adjusted: the same, adjusted, in [0, 1].
    """

    above: str
    below: str
    difference: float
    p: Fraction
    p_adjusted: Fraction


@dataclass(frozen=True)
class AnovaDocument:
    """The table of a two-way analysis of variance, and the F test of the systems.

    Attributes:
        table: the table.
        least_significant_difference: Fisher's: the least difference of two means with p below alpha.
    """

    table: Annotated[Anova, Inlined()]
    least_significant_difference: float


@dataclass(frozen=True, eq=False)
class Significance(Noted, Written, Shown):
    """The significant differences between systems by one measure.

    Attributes:
        scores: with the systems in ranking order, best first.
        tests: p-values of all pairs, in the same order.
        alpha: a p-value below it is significant, in (0, 1).
        seed: of everything random.
        baseline: the system that every other one is compared with; ``None`` without one.
        against: these comparisons, in ranking order; empty without a baseline.
        anova: the analysis of variance, with the F test of all systems.
        notes: what to know before quoting a number.
        version: of truerank.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> found = analyze(ap, "tukey", baseline="sys1")
        >>> found.scores.systems, [found.better_than(s) for s in range(3)]
        (('sys3', 'sys2', 'sys1'), [[2], [2], []])
        >>> [(one.system, round(one.p_value, 3)) for one in found.against]
        [('sys3', 0.004), ('sys2', 0.006)]
    """

    scores: Annotated[ScoreMatrix, WrittenAs("measure", "topics", "reading")]
    tests: Annotated[
        PairwiseTests,
        WrittenAs(
            *("test", "correction", "permutations", "exact"),
            pairs_tested="pairs",
            pairs_significant="significant_pairs",
            discriminative_power="discriminative_power",
            systems="tested_systems",
            pairs="tested_pairs",
        ),
    ]
    alpha: Level
    seed: Whole
    baseline: str | None
    against: Annotated[tuple[AgainstBaseline, ...], WrittenAs(against_baseline="against")]
    anova: Annotated[Anova, WrittenAs(anova="anova_of_systems")]
    notes: Notes
    version: str = __version__

    @property
    def reading(self) -> LeftOut[Reading]:
        """What was taken for topics, systems and scores, and which scores are better; of tables."""
        return self.scores.reading

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.scores.noun

    @property
    def measure(self) -> str:
        """Its name; empty when unknown."""
        return self.scores.measure

    @property
    def topics(self) -> Whole:
        """How many."""
        return self.scores.n

    @property
    def test(self) -> Method:
        """The test, and what it says of itself."""
        return Method(self.tests.test, explained(TESTS[self.tests.test], self.sampled))

    @property
    def correction(self) -> Method:
        """The correction, and what it says of itself."""
        return Method(self.tests.correction, explained(CORRECTIONS[self.tests.correction], self.sampled))

    @property
    def permutations(self) -> Whole | None:
        """Sign vectors, permutations or resamples behind the p-values; ``None`` where there are none."""
        return self.tests.permutations

    @property
    def exact(self) -> bool:
        """Whether a randomization test took all sign vectors."""
        return self.tests.exact

    @property
    def pairs(self) -> Whole:
        """How many pairs there are, m(m − 1)/2."""
        return self.scores.m * (self.scores.m - 1) // 2

    @property
    def significant_pairs(self) -> Whole:
        """How many of them differ significantly, after the correction."""
        return int(np.triu(self.tests.significant(self.alpha), 1).sum())

    @property
    def discriminative_power(self) -> Fraction:
        """Share of the pairs with p below alpha without the correction, in [0, 1] (Sakai 2006)."""
        below = np.triu(self.tests.unadjusted < self.alpha, 1)
        return float(below.sum() / self.pairs)

    @cached_property
    def directions(self) -> Unwritten[Matrix]:
        """m × m: 1 where the row's system is the better one by what is tested, −1 where it is the other."""
        return TESTS[self.tests.test].directions(self.scores)

    def better_than(self, system: int) -> list[int]:
        """The systems that each is significantly better than; both as places in the ranking, from 0."""
        found = self.tests.significant(self.alpha)[system] & (self.directions[system] > 0)
        return [int(other) for other in np.flatnonzero(found)]

    @property
    def tested_systems(self) -> tuple[TestedSystem, ...]:
        """Best first."""
        names = self.scores.systems
        return tuple(
            TestedSystem(place + 1, name, mean, tuple(names[s] for s in self.better_than(place)))
            for place, (name, mean) in enumerate(zip(names, self.scores.means, strict=True))
        )

    @property
    def tested_pairs(self) -> tuple[TestedPair, ...]:
        """All pairs."""
        names, means, tests = self.scores.systems, self.scores.means, self.tests
        return tuple(
            TestedPair(names[i], names[j], means[i] - means[j], tests.unadjusted[i, j], tests.p_values[i, j])
            for i, j in (
                (j, i) if self.directions[i, j] < 0 else (i, j)
                for i, j in zip(*np.triu_indices(self.scores.m, 1), strict=True)
            )
        )

    @property
    def anova_of_systems(self) -> AnovaDocument:
        """The analysis of variance, with the F test of all systems."""
        return AnovaDocument(self.anova, self.anova.least_significant_difference(self.alpha))


def analyze(
    scores: Any,
    test: str = "t",
    correction: str | None = None,
    *,
    alpha: float = 0.05,
    baseline: str | None = None,
    permutations: int = PERMUTATIONS,
    seed: int = 0,
    measure: str | None = None,
    missing: Filled = "error",
) -> Significance:
    """Test all pairs of systems, and each system against a baseline; with ANOVA beside it.

    Comparisons with a baseline are one family, corrected for m − 1 tests and not for all pairs. A test that
    corrects for all pairs by itself is the exception.

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2 systems.
        test: as in :func:`pairwise_tests`.
        correction: as there; by default ``holm``, or ``none`` for a test that is corrected by itself.
        alpha: p below it is significant, in (0, 1).
        baseline: the name of the system to compare every other one with.
        permutations: sign vectors, permutations within topics, or resamples of max-t; at least 1.
        seed: the same seed gives the same digits.
        measure: which measure, where a file holds several.
        missing: what to do about missing scores in tables.

    Returns:
        The differences. Cost: as the test's.

    Raises:
        InputError: something cannot be read, fewer than two topics or systems, or an argument out of
            range.
        UnknownNameError: no such test, correction, measure or system.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> found = analyze(ap, "tukey")
        >>> found.significant_pairs, found.pairs, round(found.anova.f, 2)
        (2, 3, 18.2)
    """
    check_alpha(alpha)
    chosen = TESTS.find(test)
    if correction is None:
        correction = "none" if chosen.simultaneous else "holm"
    table = table_to_test(scores, measure, missing)
    if baseline is not None and baseline not in table.systems:
        raise unknown_system(table, baseline)
    if table.m > MOST_SYSTEMS:
        raise InputError(
            f"{at(table.source)}{table.m:,} systems have {table.m * (table.m - 1) // 2:,} pairs; at most "
            f"{MOST_SYSTEMS:,} systems are tested. Keep those that matter in the table, or compare two with "
            "truerank gate --baseline SYSTEM --candidate SYSTEM"
        )
    table = table.ranked()
    tests = pairwise_tests(table, chosen.name, correction, permutations=permutations, seed=seed)
    against = () if baseline is None else _against(table, tests, baseline, permutations, seed)
    variances = anova(table)
    notes = (*table.notes, *_notes(table, tests, variances, alpha))
    return Significance(table, tests, float(alpha), seed, baseline, against, variances, notes)


def _against(
    table: ScoreMatrix, tests: PairwiseTests, baseline: str, permutations: int, seed: int
) -> tuple[AgainstBaseline, ...]:
    """Every other system's comparison with the baseline, as a family of m − 1 tests."""
    base = table.systems.index(baseline)
    others = np.delete(np.arange(table.m), base)
    p = tests.unadjusted[base, others]
    differences = table.values[:, others] - table.values[:, [base]]
    by_t: list[float | None] = [None] * len(others)
    if tests.test == "t" and (largest := largest_difference(table)) is not None:
        differing = np.count_nonzero(np.abs(differences) > TIE, axis=0)
        for k in np.flatnonzero(few_differ(differing, table.n)).tolist():  # the exact bound of gates
            by_t[k], p[k] = float(p[k]), p_value(plain_contrast(differences[:, k], largest))
    test, adjust = TESTS[tests.test], CORRECTIONS[tests.correction].adjust
    if adjust is not None:
        adjusted = adjust(p)
    else:
        assert test.max_t is not None  # pairwise_tests refuses the correction otherwise
        adjusted = np.maximum(test.max_t(differences, permutations, seed).p_values, p)
    gaps, directions = table.means[others] - table.means[base], test.directions(table)[others, base]
    columns = (one.tolist() for one in (gaps, directions.astype(int), adjusted, p))
    names = (table.systems[s] for s in others)
    return tuple(AgainstBaseline(*row) for row in zip(names, *columns, by_t, strict=True))


def _notes(table: ScoreMatrix, tests: PairwiseTests, found: Anova, alpha: float) -> Iterator[Note]:
    unit, n, m, names = table.unit.one, table.n, table.m, table.systems
    yield from seeds_together(table, "test")
    if identical := int(np.triu(over_pairs(table.values, lambda d: np.abs(d).max(axis=1) <= TIE), 1).sum()):
        yield Note("identical", {"case": "pairs", "tested": identical, "unit": unit})
    if tests.permutations is not None:
        least = 1 / (tests.permutations + (not tests.exact))
        times = m * (m - 1) // 2 if tests.correction in ("bonferroni", "holm") else 1
        needed = math.ceil(times / alpha)
        if least * times >= alpha:
            more = None if tests.exact and 2 ** (n - 1) <= needed else needed
            facts = {"permutations": tests.permutations, "least": least, "pairs": times, "needed": more}
            yield Note("few-resamples", {"case": "permutations", **facts, "unit": unit})
    # Significant pairs in which the better system by a rank test has the lower mean.
    directions, significant = TESTS[tests.test].directions(table), tests.significant(alpha)
    lower = (directions > 0) & (table.means[:, None] - table.means < -TIE) & significant
    if pairs := [(names[i], names[j]) for i, j in np.argwhere(lower)]:
        better = tuple(dict.fromkeys(one for one, _ in pairs))
        named = {"pairs": pairs[:AGAINST], "more": max(len(pairs) - AGAINST, 0)}
        yield Note("tests-disagree", {"case": "means", **named}, "alert", better)
    if tests.test in ("friedman", "nemenyi"):
        test = friedman(table.values)
        ranks = [[s, float(r)] for s, r in zip(names[:MOST], test.ranks, strict=False)]
        of_test = {"statistic": test.statistic, "degrees": m - 1, "p_value": test.p_value}
        yield Note("friedman", {**of_test, "ranks": ranks, "more": m > MOST}, "info")
    elif found.p_value >= alpha and np.triu(significant, 1).any():
        yield Note("tests-disagree", {"case": "f-test", "p_value": found.p_value})


def significant_agreement(scores: Any, y: Any, alpha: float = 0.05) -> float:
    """The share of the pairs that differ significantly in the baseline which y orders the same way.

    This is what Carterette (2009, §3.1) calls the discriminative power of a ranking, by paired t-test
    at p < 0.05. A pair that y ties is not in the same order.

    Args:
        scores: the baseline, as in :func:`pairwise_tests`.
        y: the ranking, as in :func:`truerank.rank_distance`.
        alpha: p below it is significant.

    Returns:
        The share, in [0, 1]; NaN where no pair is significant.

    Raises:
        InputError: as :func:`pairwise_tests` and :func:`truerank.rank_distance`, or y before the scores.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> significant_agreement(ap, [2, 3, 1])
        0.5
    """
    refuse_swapped("significant_agreement", scores, y)
    table = as_scores(scores)
    found = pairwise_tests(table).significant(alpha)
    base, other = tied_ranks(table.means), tied_ranks(aligned(table, y))
    same = np.sign(base[:, None] - base[None, :]) == np.sign(other[:, None] - other[None, :])
    pairs = np.triu(found, 1)
    return float(np.sum(same & pairs) / pairs.sum()) if pairs.any() else math.nan
