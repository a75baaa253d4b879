"""A board on a fixed test set with many submissions (docs/methods/looking.md)."""

from __future__ import annotations

from dataclasses import dataclass

from truerank._support.types import Level, OrNaN, Whole


@dataclass(frozen=True)
class Tried:
    """The leader of so many submissions, none of which was built on the board's scores.

    Attributes:
        submissions: how many there were, those that are not on the board among them.
        system: the leader's name.
        score: its score.
        low: what its true score is above at the level, whichever of the submissions leads; null where scores
            have no standard error.
        level: of that bound, one-sided.
    """

    submissions: Whole
    system: str
    score: float
    low: OrNaN
    level: Level


def tried_bound(
    system: str, score: float, error: float, degrees: float, submissions: int, level: float
) -> Tried:
    """Bonferroni's lower bound of the leader's true score, for submissions that were not adaptive.

    >>> round(tried_bound("a", 0.6, 0.02, 99, 200, 0.95).low, 3)
    0.528
    """
    from scipy.special import stdtrit

    low = score - float(stdtrit(degrees, 1 - (1 - level) / submissions)) * error
    return Tried(submissions, system, score, low, level)
