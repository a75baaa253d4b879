"""What a comparison of a ranking with a reference gives: coefficients, rank distance, swaps, warnings."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np

from truerank._support.display import Shown
from truerank._support.plain import plain
from truerank._support.tables import Column, Name, Number, PValue
from truerank._support.types import Correlation, Fraction, Level, Matrix, Nullable, OrNaN, Whole
from truerank._support.units import Noun
from truerank._support.version import __version__
from truerank._support.wording import p_equation
from truerank.comparison.distance import RankDistanceTest
from truerank.numerics.intervals import Ends, Interval
from truerank.numerics.paired_t import paired_t
from truerank.scores import ScoreMatrix


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

    Example:
        >>> import truerank
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> (swap,) = truerank.compare(ap, [.5, .75, .7]).swaps
        >>> swap.reference_above, swap.other_above, round(swap.t, 4)
        ('sys3', 'sys2', 0.6508)
    """

    reference_above: Annotated[str, Column("Above in the reference", Name())]
    other_above: Annotated[str, Column("Above in the other", Name())]
    difference: Annotated[float, Column("Difference", Number(digits=4))]
    t: Annotated[OrNaN, Column("t", Number(digits=2))]
    p_value: Annotated[float, Column("p", PValue())]


@dataclass(frozen=True)
class CriticalValue:
    """A distance that few resamples are beyond.

    Attributes:
        alpha: the share of resamples, in (0, 1).
        distance: above it p is at most that.
    """

    alpha: Level
    distance: float


@dataclass(frozen=True)
class ComparisonDocument:
    """One ranking against the reference.

    Attributes:
        other: what the other ranking is called: the file as it was given.
        measure: of the reference; empty when unknown.
        topics: of the reference.
        systems: that both have.
        tau: Kendall's τ, in [−1, 1]; ties in either broken by the reference's column order.
        kendall_interval: of τ at 95%, over systems (Carterette 2009).
        tau_b: τ corrected for ties, in [−1, 1]; NaN where a ranking is all ties.
        tau_ap: τ_AP with the reference as the truth, in [−1, 1].
        rbo: rank-biased overlap, in [0, 1].
        rbo_p: its persistence, in (0, 1).
        rank_distance: how far the other ranking is from the reference, 0 or more, as a t statistic.
        ridge: λ, what was added to the variances, 0 or more, in squared units of the measure.
        ridge_reason: why it is what it is.
        regularize: what it was added to.
        p_value: share of resamples of the topics whose ranking is at least as far, in [0, 1].
        resamples: behind it, all there are where exact.
        exact: whether all resamples were enumerated.
        seed: of everything random.
        critical_values: at 0.1, 0.05 and 0.01.
        significant_agreement: of the pairs that differ significantly in the reference, the share in that
            order in the other ranking, in [0, 1]; NaN where no pair does.
        discordant_pairs: how many pairs the two order differently.
        swaps: those pairs with most evidence against them, most first.
        missing_systems: systems of the reference that the other ranking lacks; left out.
        extra_systems: systems of the other ranking that the reference lacks; left out.
        warnings: what to know before quoting a number, a sentence each.
        version: of truerank.
    """

    other: str
    measure: str
    topics: Whole
    systems: Whole
    tau: Correlation
    kendall_interval: Ends
    tau_b: Annotated[Correlation, Nullable()]
    tau_ap: Correlation
    rbo: Fraction
    rbo_p: Level
    rank_distance: float
    ridge: float
    ridge_reason: str
    regularize: Literal["differences", "scores"]
    p_value: Fraction
    resamples: Whole
    exact: bool
    seed: Whole
    critical_values: tuple[CriticalValue, ...]
    significant_agreement: Annotated[Fraction, Nullable()]
    discordant_pairs: Whole
    swaps: tuple[Swap, ...]
    missing_systems: tuple[str, ...]
    extra_systems: tuple[str, ...]
    warnings: tuple[str, ...]
    version: str


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
    """One ranking against reference scores.

    Attributes:
        other: what the other ranking is called: its path, as it was given.
        name: the same in short.
        reference: the reference's scores of the systems that both have.
        values: the other ranking's values of those systems, higher is better; m.
        tau: Kendall's τ; ties in either broken by the reference's column order.
        tau_b: τ corrected for ties; NaN where a ranking is all ties.
        tau_ap: τ_AP with the reference as the truth; ties as in τ.
        rbo: rank-biased overlap.
        rbo_p: its persistence.
        kendall_interval: of τ at 95%, over systems (Carterette 2009, eq. 1).
        distance: the rank distance from the reference, with its test.
        significant_agreement: of the pairs that differ in the reference (paired t-test, p < 0.05), the
            share in the same order in the other ranking; NaN where no pair does.
        discordant: how many pairs the two order differently.
        swaps: those pairs with most evidence against them, by t, most first.
        missing: systems of the reference that the other ranking lacks; left out.
        extra: systems of the other ranking that the reference lacks; left out.
        warnings: what to know before quoting a number, one sentence each.

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
    name: str
    reference: ScoreMatrix
    values: Matrix
    tau: float
    tau_b: float
    tau_ap: float
    rbo: float
    rbo_p: float
    kendall_interval: Interval
    distance: RankDistanceTest
    significant_agreement: float
    discordant: int
    swaps: tuple[Swap, ...]
    missing: tuple[str, ...]
    extra: tuple[str, ...]
    warnings: tuple[str, ...]

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

    def evidence(self) -> Matrix:
        """Paired t statistics |t| of all pairs in the reference, m × m, symmetric."""
        upper = np.abs(paired_t(self.reference.values))
        return upper + upper.T

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        document: dict[str, Any] = plain(
            ComparisonDocument(
                other=self.other,
                measure=self.reference.measure,
                tau=self.tau,
                kendall_interval=Ends(*self.kendall_interval),
                tau_b=self.tau_b,
                tau_ap=self.tau_ap,
                rbo=self.rbo,
                rbo_p=self.rbo_p,
                **self.distance.to_dict(),
                significant_agreement=self.significant_agreement,
                discordant_pairs=self.discordant,
                swaps=self.swaps,
                missing_systems=self.missing,
                extra_systems=self.extra,
                warnings=self.warnings,
                version=__version__,
            )
        )
        return document
