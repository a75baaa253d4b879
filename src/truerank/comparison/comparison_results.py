"""The results of a comparison of a ranking with a reference: coefficients, rank distance, swaps, warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.display import Shown
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.tables import Column, Name, Number, PValue
from truerank._support.types import (
    Correlation,
    Fraction,
    Inlined,
    Level,
    Matrix,
    Nullable,
    OrNaN,
    Unwritten,
    Whole,
    WrittenAs,
)
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank._support.wording import p_equation
from truerank.comparison.distance import RankDistanceTest
from truerank.numerics.intervals import Ends, Interval
from truerank.numerics.paired_t import paired_t
from truerank.scores import ScoreMatrix

ALPHA = 0.05  # rankings whose p-value is below it are said to differ


@dataclass(frozen=True)
class Swap:
    """A pair of systems that the other ranking orders the other way.

    Attributes:
        reference_above: the system that the reference has above.
        other_above: the system that the other ranking has above.
        difference: of their means in the reference, > 0.
        t: paired t statistic of that difference, which no ranking with this swap can be nearer than
            (without λ); infinite for a constant difference.
        p_value: of the paired t-test, two-sided.
    """

    reference_above: Annotated[str, Column("Above in the reference", Name())]
    other_above: Annotated[str, Column("Above in the other", Name())]
    difference: Annotated[float, Column("Difference", Number(digits=4))]
    t: Annotated[OrNaN, Column("t", Number(digits=2))]
    p_value: Annotated[float, Column("p", PValue())]


@dataclass(frozen=True, eq=False)
class Comparison(Noted, Written, Shown):
    """One ranking against reference scores.

    Attributes:
        other: the name of the other ranking: the file as it was given.
        name: its short name.
        reference: the reference's scores of the systems that both have.
        values: the other ranking's values of those systems, higher is better; m.
        tau: Kendall's τ, in [−1, 1]; ties in either broken by the reference's column order.
        kendall_interval: of τ at 95%, over systems (Carterette 2009, eq. 1).
        tau_b: τ corrected for ties, in [−1, 1]; NaN where a ranking is all ties.
        tau_ap: τ_AP with the reference as the truth, in [−1, 1]; ties as in τ.
        rbo: rank-biased overlap, in [0, 1].
        rbo_p: its persistence, in (0, 1).
        distance: the rank distance from the reference, with its test.
        significant_agreement: of the pairs that differ in the reference (paired t-test, p < 0.05), the
            share in that order in the other ranking, in [0, 1]; NaN where no pair does.
        discordant: how many pairs the two order differently.
        swaps: the pairs with the most evidence against them, by t, most first.
        missing: systems of the reference that the other ranking lacks; left out.
        extra: systems of the other ranking that the reference lacks; left out.
        notes: what to know before quoting a number.
        version: of truerank.

    Example:
        >>> import truerank
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> result = truerank.compare(ap, [.5, .75, .7])
        >>> result.summary().split(":")[0]
        'No evidence that the rankings differ'
        >>> result.to_dict()["rank_distance"] == result.distance.distance
        True
    """

    other: str
    name: Unwritten[str]
    reference: Annotated[ScoreMatrix, WrittenAs("measure")]
    values: Unwritten[Matrix]
    tau: Correlation
    kendall_interval: Annotated[Interval, WrittenAs(kendall_interval="kendall_ends")]
    tau_b: Annotated[Correlation, Nullable()]
    tau_ap: Correlation
    rbo: Fraction
    rbo_p: Level
    distance: Annotated[RankDistanceTest, Inlined()]
    significant_agreement: Annotated[Fraction, Nullable()]
    discordant: Annotated[Whole, WrittenAs(discordant_pairs="discordant")]
    swaps: tuple[Swap, ...]
    missing: Annotated[tuple[str, ...], WrittenAs(missing_systems="missing")]
    extra: Annotated[tuple[str, ...], WrittenAs(extra_systems="extra")]
    notes: Notes
    version: str = __version__

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.reference.noun

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.other} on {self.reference.n} topics × {self.reference.m} systems: "
            f"tau {self.tau:.3f}, tau_ap {self.tau_ap:.3f}, rank distance {self.distance.distance:.3f}, "
            f"{p_equation(self.distance.p_value, self.distance.least_p)}>"
        )

    @property
    def measure(self) -> str:
        """The measure of the reference; empty when unknown."""
        return self.reference.measure

    @property
    def kendall_ends(self) -> Ends:
        """Ends of the interval of τ at 95%, over systems (Carterette 2009)."""
        return Ends(*self.kendall_interval)

    def evidence(self) -> Matrix:
        """Paired t statistics |t| of all pairs in the reference, m × m, symmetric."""
        upper = np.abs(paired_t(self.reference.values))
        return upper + upper.T
