"""A board on a fixed test set with many submissions (docs/methods/looking.md)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import numpy as np

from truerank._support.tables import Column, Count, Name, Number, Word
from truerank._support.types import Level, OrNaN, Whole
from truerank.errors import InputError, at
from truerank.scores import TIE, ScoreMatrix


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


@dataclass(frozen=True)
class LadderStep:
    """A submission, and what the Ladder shows of it.

    Attributes:
        submission: its number, in the order of the columns.
        system: its name.
        score: its mean score.
        lead: its score minus the leader's at that time; null of the first.
        se: standard error of the lead; null of the first.
        accepted: whether it became the leader.
        shown: the score that is shown: its own if it was accepted, else the leader's.
    """

    submission: Annotated[int, Column("Submission", Count())]
    system: Annotated[str, Column("System", Name())]
    score: Annotated[float, Column("Score", Number())]
    lead: Annotated[OrNaN, Column("Lead", Number(digits=4, sign=True))]
    se: Annotated[OrNaN, Column("SE of the lead", Number(digits=4))]
    accepted: Annotated[bool, Column("New leader", Word(shown={"True": "yes", "False": "no"}))]
    shown: Annotated[float, Column("Shown", Number())]


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


def ladder_of(scores: ScoreMatrix, step: float) -> tuple[LadderStep, ...]:
    """The Ladder (Blum and Hardt 2015): a new leader, and a new score, only where it is ahead by enough.

    Args:
        scores: complete, one column per submission in the order in which they came.
        step: standard errors by which a submission must be ahead.

    Raises:
        InputError: an empty cell, several data sets, or a step below 0.
    """
    if not (np.isfinite(step) and step >= 0):
        raise InputError(f"the step of the Ladder is a number of standard errors, 0 or more, not {step:g}")
    if scores.k > 1 or np.isnan(scores.values).any() or scores.n < 2:
        raise InputError(f"{at(scores.source)}the Ladder needs one complete table of one data set")
    x = scores.values
    found: list[LadderStep] = []
    leader = 0
    for s, name in enumerate(scores.systems):
        mean, lead, error = float(x[:, s].mean()), float("nan"), float("nan")
        if s:
            d = x[:, s] - x[:, leader]
            lead, error = float(d.mean()), float(d.std(ddof=1) / np.sqrt(len(d)))
        accepted = s == 0 or lead > step * error + TIE
        leader = s if accepted else leader
        shown = mean if accepted else found[-1].shown
        found.append(LadderStep(s + 1, name, mean, lead, error, accepted, shown))
    return tuple(found)
