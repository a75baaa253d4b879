"""Classical designs: how many topics a test or an interval takes (Sakai 2016).

Each answers a different question (docs/methods/planning.md). A paired t test is about *one* pair of systems,
an F test about whether *any* of m systems differ, an interval of a given width about *one* difference. None
is about the ranking.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

from truerank._support.plain import Written
from truerank._support.types import WholeOrInfinite
from truerank.errors import InputError
from truerank.numerics.fewest import fewest


@dataclass(frozen=True)
class ClassicalDesign(Written):
    """How many topics one classical design asks for.

    Attributes:
        design: ``paired t``, ``one-way ANOVA`` or ``interval width``.
        question: what it answers, as a clause.
        topics: the fewest; infinite beyond a million.
    """

    design: str
    question: str
    topics: WholeOrInfinite


def classical_designs(
    residual: float, systems: int, difference: float, alpha: float = 0.05, power: float = 0.8
) -> tuple[ClassicalDesign, ...]:
    """The three designs of Sakai (2016) for one error variance."""
    check_power(power, alpha)
    if not (difference > 0 and math.isfinite(difference)):
        raise InputError(f"a difference to be found must be above 0, not {difference:g}")
    effect = difference / math.sqrt(2 * residual) if residual > 0 else math.inf
    return (
        ClassicalDesign(
            "paired t",
            f"to find one true difference of {difference:g} by a paired t-test",
            fewest(lambda n: paired_t_power(n, effect, alpha), power, 2),
        ),
        ClassicalDesign(
            "one-way ANOVA",
            f"to find by an F test that {systems} systems with a range of {difference:g} are not all alike",
            fewest(lambda n: anova_power(n, systems, difference, residual, alpha), power, 2),
        ),
        ClassicalDesign(
            "interval width",
            f"for a {1 - alpha:.0%} interval of one difference no wider than {difference:g}",
            fewest(lambda n: -interval_width(n, residual, alpha), -difference, 2),
        ),
    )


def check_power(power: float, alpha: float) -> None:
    """Refuse a power or a significance level that no design can have."""
    if not 0 < alpha < 1:
        raise InputError(f"the significance level must be between 0 and 1, not {alpha:g}")
    if not alpha < power < 1:
        raise InputError(f"power must be above the significance level {alpha:g} and below 1, not {power:g}")


def paired_t_power(topics: float, effect: Any, alpha: float = 0.05) -> Any:
    """Probability that a two-sided paired t test finds an effect (in standard deviations) by its sign."""
    import numpy as np

    from truerank.numerics.special import nctdtr, ndtr, stdtrit

    shift = np.sqrt(topics) * np.abs(effect)
    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    near = np.minimum(shift, 30.0)
    found = 1 - nctdtr(topics - 1, near, critical)
    # Far out the noncentral t cannot be computed, and its normal approximation is exact.
    found = np.where(shift > 30.0, ndtr(shift - critical), found)
    return float(found) if np.ndim(effect) == 0 else found


def anova_power(
    topics: float, systems: int, difference: float, residual: float, alpha: float = 0.05
) -> float:
    """Probability that the F test rejects the equality of m systems whose means have this range.

    For the least favorable means: two at the ends, the others in the middle. As published (Sakai 2016), with
    the degrees of freedom of the one-way analysis, m − 1 and m(n − 1), and the residual of the two-way one.
    """
    from truerank.numerics.special import fdtri, ncfdtr

    if residual <= 0:
        return 1.0
    u, v = systems - 1, systems * (topics - 1)
    squared = difference**2 / (2 * systems * residual)
    found = float(ncfdtr(u, v, squared * (u + v + 1), float(fdtri(u, v, 1 - alpha))))
    return 1 - found if math.isfinite(found) else 1.0


def interval_width(topics: float, residual: float, alpha: float = 0.05) -> float:
    """Expected width of the t interval of one difference of two systems, level 1 − α."""
    from truerank.numerics.special import gammaln, stdtrit

    degrees = topics - 1
    expected_s = math.sqrt(2 / degrees) * math.exp(gammaln(topics / 2) - gammaln(degrees / 2))
    t = float(stdtrit(degrees, 1 - alpha / 2))
    return 2 * t * math.sqrt(2 * residual / topics) * expected_s
