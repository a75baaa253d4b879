"""Two-way analysis of variance of scores, systems × topics, and the F test with its contrasts of pairs."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Any

from truerank._support.plain import Written
from truerank._support.types import Fraction, OrNaN, Whole, WrittenAs
from truerank.comparison.significance.significance_test import (
    check_alpha,
    table_to_test,
)
from truerank.numerics.matrices import doubly_centered, sphericity, two_way_squares
from truerank.numerics.pairs import critical_t
from truerank.planning.generalizability import VarianceComponents


@dataclass(frozen=True)
class Anova(Written):
    """The table of a two-way analysis of variance, and the F test of the systems.

    Attributes:
        topics: how many, n.
        systems: how many, m.
        ss_systems: sum of squares between the systems' means.
        ss_topics: between the topics' means.
        ss_error: what is left, the interaction of systems and topics among it.
        f: MS of the systems over that of the error; infinite where no error is left, NaN where nothing
            differs.
        p_value: in [0, 1], of F with m − 1 and (m − 1)(n − 1) degrees of freedom; 1 where nothing differs. It
            holds if the differences of all pairs vary alike over topics.
        epsilon: how nearly they do, from 1/(m − 1) to 1 (Greenhouse and Geisser 1959).
        p_corrected: in [0, 1], of F with ε times both degrees of freedom: it holds where they do not.

    Example:
        >>> table = anova([[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]])
        >>> table.df_systems, table.df_error, round(table.f, 3), round(table.p_value, 4)
        (2, 6, 18.199, 0.0028)
        >>> round(table.epsilon, 3), round(table.p_corrected, 4)
        (0.729, 0.0088)
        >>> round(table.least_significant_difference(0.05), 3)
        0.157
    """

    topics: Whole
    systems: Whole
    ss_systems: float
    ss_topics: float
    ss_error: float
    f: OrNaN
    p_value: Annotated[
        Fraction,
        WrittenAs(
            "p_value",
            *("df_systems", "df_topics", "df_error", "ms_systems", "ms_topics", "ms_error"),
            "variance_components",
        ),
    ]
    epsilon: Fraction
    p_corrected: Fraction

    @property
    def df_systems(self) -> Whole:
        """Degrees of freedom of the systems, m − 1."""
        return self.systems - 1

    @property
    def df_topics(self) -> Whole:
        """Degrees of freedom of the topics, n − 1."""
        return self.topics - 1

    @property
    def df_error(self) -> Whole:
        """Degrees of freedom of the error, (m − 1)(n − 1)."""
        return self.df_systems * self.df_topics

    @property
    def ms_systems(self) -> float:
        """Mean square of the systems."""
        return self.ss_systems / self.df_systems

    @property
    def ms_topics(self) -> float:
        """Mean square of the topics."""
        return self.ss_topics / self.df_topics

    @property
    def ms_error(self) -> float:
        """Mean square of the error."""
        return self.ss_error / self.df_error

    @property
    def variance_components(self) -> dict[str, float]:
        """Variances of ``systems``, ``topics`` and ``error``; a negative estimate counts as 0."""
        squares = (self.ms_systems, self.ms_topics, self.ms_error)
        found = VarianceComponents(*squares, self.topics, self.systems, self.df_error)
        return {"systems": found.system, "topics": found.topic, "error": found.residual}

    def least_significant_difference(self, alpha: float = 0.05) -> float:
        """Fisher's: the least difference of two means whose contrast has p < α, ``t_{1−α/2} √(2 MS_e/n)``."""
        check_alpha(alpha)
        return critical_t(alpha, self.df_error + 1) * math.sqrt(2 * self.ms_error / self.topics)


def anova(scores: Any) -> Anova:
    """Two-way analysis of variance without replication, and the F test of equal systems. O(n·m).

    Args:
        scores: a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 2 topics, m ≥ 2 systems.

    Returns:
        The table.

    Raises:
        InputError: the scores cannot be read, or fewer than two topics or systems.
        UnknownNameError: as :func:`truerank.read_scores`.

    Example:
        >>> round(anova([[0.2, 0.4], [0.3, 0.6], [0.1, 0.2]]).f, 6)
        12.0
    """
    from truerank.numerics.special import fdtrc

    table = table_to_test(scores)
    n, m = table.values.shape
    systems, topics, error = two_way_squares(table.values)
    if error == 0:
        f, p = (math.inf, 0.0) if systems else (math.nan, 1.0)
        return Anova(n, m, systems, topics, error, f, p, 1.0, p)
    f = systems / (m - 1) / (error / ((m - 1) * (n - 1)))
    epsilon = sphericity(doubly_centered(table.values))
    p, corrected = (float(fdtrc(share * (m - 1), share * (m - 1) * (n - 1), f)) for share in (1.0, epsilon))
    return Anova(n, m, systems, topics, error, f, p, epsilon, corrected)
