"""What style is worth in an arena: how often an answer with more of it wins against an equal one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from truerank._support.tables import Bounded, Column, Name, Share
from truerank._support.types import Fraction, Vector
from truerank.battles import Battles
from truerank.reliability.means import Means
from truerank.reliability.means.bradley_terry import theta_alone
from truerank.scores import ScoreMatrix

TWICE = 1 / 3
"""``(a − b)/(a + b)`` of an answer with twice as much as the other."""


@dataclass(frozen=True)
class StyleEffect:
    """What one covariate is worth, whichever system wrote the answers.

    Attributes:
        name: of the covariate.
        coefficient: what one unit of its difference adds to the logit of winning.
        low: lower end of its t interval.
        high: upper end.
        unit: root mean square of the differences, which is one unit of the coefficient.
        step: what `win_share` is about: ``twice`` as much as the other answer has, or one ``unit`` more.
        win_share: share of battles that such an answer wins against an equal one, a tie as half a win.
        win_low: lower end of its interval.
        win_high: upper end.
    """

    name: Annotated[str, Column("Covariate", Name())]
    coefficient: Annotated[
        float,
        Column(
            "Coefficient ({level} interval)",
            Bounded(low="low", high="high", sign=True),
            meaning="what one root mean square of the difference adds to the logit",
        ),
    ]
    low: float
    high: float
    unit: float
    step: Literal["twice", "unit"]
    win_share: Annotated[
        Fraction,
        Column("Wins", Share(), meaning="share that an answer with twice as much, or a unit more, wins"),
    ]
    win_low: Fraction
    win_high: Fraction


def style_effects(scores: ScoreMatrix, means: Means, level: float) -> tuple[StyleEffect, ...]:
    """The effect of each covariate, with t intervals of that level; none without covariates."""
    from scipy.special import expit, stdtrit

    found, played = None if scores.battles is None else scores.battles.covariates, means.played
    if found is None or played is None:
        return ()
    half = stdtrit(played.degrees, (1 + level) / 2) * played.errors
    rows = []
    each = zip(found.names, found.relative, played.scales, played.fit.coefficients, half, strict=True)
    for name, relative, unit, coefficient, width in each:
        low, high = coefficient - width, coefficient + width
        share, least, most = expit(np.array([coefficient, low, high]) * (TWICE / unit if relative else 1.0))
        step: Literal["twice", "unit"] = "twice" if relative else "unit"
        ends = float(coefficient), float(low), float(high)
        rows.append(StyleEffect(name, *ends, float(unit), step, float(share), float(least), float(most)))
    return tuple(rows)


def without_style(battles: Battles, systems: tuple[str, ...]) -> tuple[Vector, list[int]] | None:
    """Strengths as if nothing else had decided battles, and ranks by them; ``None`` without covariates."""
    if battles.covariates is None:
        return None
    theta = theta_alone(battles.plain, systems)
    order = np.argsort(-theta, kind="stable")
    return theta, (np.argsort(order) + 1).tolist()
