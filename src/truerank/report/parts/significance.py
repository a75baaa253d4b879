"""What an analysis of significance says, in sentences."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from truerank.comparison.significance import CORRECTIONS, TESTS
from truerank.report.words import NONE, listed, number, p_equation, percent, printable

if TYPE_CHECKING:
    from collections.abc import Sequence

    from truerank.comparison.significance import AgainstBaseline, Significance


def sentences(found: Significance) -> list[str]:
    """How many pairs differ, who is better than the baseline, and what the whole collection shows."""
    said = [_pairs(found)]
    if found.baseline is not None:
        said.append(_against(found))
    return [*said, _f(found), _sensitivity(found)]


def explained(found: Significance) -> list[str]:
    """The terms of these sentences in plain words, one a sentence."""
    alpha = f"{100 * found.alpha:g}%"
    test, correction = TESTS[found.tests.test], found.tests.correction
    if correction == "none" and not test.simultaneous:
        said = [
            f"Significantly: two equally good systems would differ as much with less than {alpha} chance."
        ]
    elif correction == "bh":
        said = [f"Significantly: of the pairs called so, at most {alpha} are expected to be false alarms."]
    else:
        said = [
            f"Significantly: the chance that any two equally good systems are called so is at most {alpha}, "
            "for all pairs together."
        ]
    alone = "by this test" if test.simultaneous else "each by itself, without correction"
    return [
        *said,
        "F test: could all systems be equally good? Least significant difference: how far apart two means "
        "must be to differ significantly by themselves, with one error variance for all systems.",
        f"Discriminative power: the share of all pairs that differ significantly, {alone}. The more of it, "
        "the better the measure tells systems apart on these topics, be it right or wrong.",
    ]


def how(found: Significance) -> str:
    """Test and correction in a few words."""
    test, correction = TESTS[found.tests.test], CORRECTIONS[found.tests.correction]
    if test.simultaneous:
        return f"{test.label}, corrected for all pairs"
    return f"{test.label}, {correction.label}" if correction.name != "none" else f"{test.label}, uncorrected"


def _pairs(found: Significance) -> str:
    count = found.significant_pairs
    by = f" in {printable(found.measure)}" if found.measure else ""
    differ = "differs" if count == 1 else "differ"
    return (
        f"{count:,} of {found.pairs:,} pairs of systems {differ} significantly{by} "
        f"(p < {f'{found.alpha:g}'.removeprefix('0')}; {how(found)}; {found.scores.n} topics)."
    )


def _against(found: Significance) -> str:
    sure = [one for one in found.against if one.significant(found.alpha)]
    better = [one for one in sure if one.difference > 0]
    worse = [one for one in sure if one.difference <= 0]
    rest = len(found.against) - len(sure)
    told = f"{rest:,} cannot be told from it" if rest else "none is left in doubt"
    return (
        f"Significantly better than the baseline {printable(found.baseline or '')}: {_names(better)}; "
        f"worse: {_names(worse)}; {told}."
    )


def _names(some: Sequence[AgainstBaseline]) -> str:
    return listed([one.system for one in some]) if some else "none"


def _f(found: Significance) -> str:
    table = found.anova
    if math.isnan(table.f):
        return "F test of two-way ANOVA: no two systems differ at all."
    f = "∞" if math.isinf(table.f) else number(table.f, 2)
    least = number(table.least_significant_difference(found.alpha), 4)
    return (
        f"F test of all systems (two-way ANOVA): F({table.df_systems}, {table.df_error}) = {f}, "
        f"{p_equation(table.p_value)}; least significant difference {least}. "
        f"Discriminative power: {percent(found.discriminative_power, 1)}."
    )


def _sensitivity(found: Significance) -> str:
    s = found.sensitivity
    kept = percent(1 - s.rate)
    absolute, relative = number(s.absolute, 4), percent(s.relative, 1)
    topics = "topic" if s.half == 1 else "topics"
    if absolute == NONE:
        return f"Sensitivity: no difference seen on {s.half} {topics} holds on others in {kept} of cases."
    return (
        f"Sensitivity: a difference of {absolute} seen on {s.half} {topics}, or of {relative} of the better "
        f"mean, has the same sign on {s.half} other {topics} in {kept} of cases or more."
    )
