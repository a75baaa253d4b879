"""What a comparison of a ranking with a baseline gives: coefficients, rank distance, swaps, warnings."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.display import Shown
from truerank._support.plain import plain
from truerank._support.types import Matrix
from truerank._support.wording import p_text
from truerank.comparison.comparison_warnings import ALPHA
from truerank.comparison.distance import RankDistanceTest
from truerank.numerics.intervals import Interval
from truerank.numerics.paired_t import paired_t
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class Swap:
    """A pair of systems that the other ranking orders the other way.

    Attributes:
        base_above: the system that the baseline has above.
        other_above: the system that the other ranking has above.
        difference: of their means in the baseline, > 0.
        t: paired t statistic of that difference, which no ranking with this swap can be nearer than
            (without λ); infinite for a constant difference.
        p_value: of the paired t-test, two-sided.

    Example:
        >>> import truerank
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> (swap,) = truerank.compare(ap, [.5, .75, .7]).swaps
        >>> swap.base_above, swap.other_above, round(swap.t, 4)
        ('sys3', 'sys2', 0.6508)
    """

    base_above: str
    other_above: str
    difference: float
    t: float
    p_value: float

    def to_dict(self) -> dict[str, Any]:
        """The swap as JSON-ready data; ``None`` for an infinite t."""
        document: dict[str, Any] = plain(asdict(self))
        return document


def _share(p: float) -> str:
    """A share as a percentage; never 0."""
    return f"{p:.0%}" if p >= 0.1 else f"{p:.1%}" if p >= 0.001 else "<0.1%"


@dataclass(frozen=True, eq=False)
class Comparison(Shown):
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
        kendall_interval: of τ at 95%, over systems (Carterette 2009, eq. 1).
        distance: the rank distance from the baseline, with its test.
        significant_agreement: of the pairs that differ in the baseline (paired t-test, p < 0.05), the
            share in the same order in the other ranking; NaN where no pair does.
        discordant: how many pairs the two order differently.
        swaps: those pairs with most evidence against them, by t, most first.
        missing: systems of the baseline that the other ranking lacks; left out.
        extra: systems of the other ranking that the baseline lacks; left out.
        warnings: what to know before quoting a number, one sentence each.

    Example:
        >>> import truerank
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> result = truerank.compare(ap, [.5, .75, .7])
        >>> result.answer().split(".")[0]
        'The rankings can’t be told apart'
        >>> result.to_dict()["rank_distance"] == result.distance.distance
        True
    """

    other: str
    base: ScoreMatrix
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

    def __repr__(self) -> str:
        return (
            f"<Comparison of {self.other} on {self.base.n} topics × {self.base.m} systems: "
            f"tau {self.tau:.3f}, tau_ap {self.tau_ap:.3f}, rank distance {self.distance.distance:.3f}, "
            f"p {self.p_text()}>"
        )

    def evidence(self) -> Matrix:
        """Paired t statistics |t| of all pairs in the baseline, m × m, symmetric."""
        upper = np.abs(paired_t(self.base.values))
        return upper + upper.T

    def answer(self) -> str:
        """Whether the other ranking differs from the baseline by more than its resampled topics do."""
        d = self.distance
        if d.distance == 0:
            return "The rankings agree: no pair of systems is the other way round."
        text = self.p_text()
        p = f"p < {text[1:]}" if text.startswith("<") else f"p = {text}"
        distance = f"Their rank distance is {d.distance:.2f}."
        if d.p_value < ALPHA:
            drawn = f"{'all ' if d.exact else ''}{d.resamples:,} rankings by resampled topics of the baseline"
            share = "none is" if d.p_value == 0 else f"{_share(d.p_value)} are"
            return (
                f"The rankings differ by more than chance in the topics explains. {distance} Of {drawn} "
                f"{share} that far from it ({p}); at most 5% are farther than {d.critical_value(ALPHA):.2f}."
            )
        return (
            f"The rankings can’t be told apart. {distance} Of the rankings by resampled topics of the "
            f"baseline {_share(d.p_value)} are at least that far from it ({p}). That is no proof that they "
            "are equal."
        )

    def to_frame(self) -> DataFrame:
        """The coefficients and the rank distance as a data frame of one row, to be put under others'.

        Example:
            >>> import pandas as pd, truerank
            >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
            >>> found = truerank.compare_all(ap, [[.5, .75, .7], [.1, .2, .3]], labels=["P@10", "cost"])
            >>> pd.concat([one.to_frame() for one in found])["tau_b"].round(4).tolist()
            [0.3333, 1.0]
        """
        import pandas as pd

        return pd.DataFrame(
            {
                "other": [self.other],
                "tau": [self.tau],
                "tau_low": [self.kendall_interval.low],
                "tau_high": [self.kendall_interval.high],
                "tau_b": [self.tau_b],
                "tau_ap": [self.tau_ap],
                "rbo": [self.rbo],
                "rank_distance": [self.distance.distance],
                "p_value": [self.distance.p_value],
            }
        )

    def p_text(self) -> str:
        """The p-value to print; never 0 where it is a share of random samples."""
        d = self.distance
        if d.p_value == 0 and d.exact:
            return "0"
        return p_text(d.p_value, least=max(0.001, 1 / d.resamples))

    def to_dict(self) -> dict[str, Any]:
        """The comparison as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        document: dict[str, Any] = plain(
            {
                "other": self.other,
                "measure": self.base.measure,
                "topics": self.base.n,
                "systems": self.base.m,
                "tau": self.tau,
                "kendall_interval": {"low": self.kendall_interval.low, "high": self.kendall_interval.high},
                "tau_b": self.tau_b,
                "tau_ap": self.tau_ap,
                "rbo": self.rbo,
                "rbo_p": self.rbo_p,
                **self.distance.to_dict(),
                "significant_agreement": self.significant_agreement,
                "discordant_pairs": self.discordant,
                "swaps": [swap.to_dict() for swap in self.swaps],
                "missing_systems": self.missing,
                "extra_systems": self.extra,
                "warnings": self.warnings,
            }
        )
        return document
