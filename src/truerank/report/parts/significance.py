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
        f"Discriminative power, uncorrected: {percent(found.discriminative_power, 1)}."
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
        f"mean, has the same sign on as many others in {kept} of cases or more."
    )
