"""What the battles of an arena are like, what its ranking rests on beside them, and what may be wrong.

Numbers in parentheses are those of the equations in docs/methods/arena-checks.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Annotated, Any, Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.tables import Bounded, Column, Name, Shares, Word
from truerank._support.types import Fraction, Matrix, Nullable, OrNaN, Vector, Whole
from truerank.battles import POSITION, Battles
from truerank.coefficients.between_rankings import tau
from truerank.kinds import InBattles
from truerank.numerics import special
from truerank.numerics.intervals import t_half
from truerank.reliability.means.bradley_terry import (
    finite_strengths,
    influence_rows,
    theta_alone,
    win_rates,
    win_table,
)
from truerank.reliability.means.means import BattleFit, Means, Played
from truerank.scores import ScoreMatrix

ERROR = 0.05  # chance of any clear result in the wrong direction

# Units that are left out one at a time in a new fit; where more may decide, the lead is just small.
REFITTED = 3


@dataclass(frozen=True)
class Cycles:
    """Triads of systems that beat each other in a circle: A beats B, B beats C, and C beats A.

    Attributes:
        triads: triads in which each pair has a winner, by the number of its battles won; ties aside.
        cyclic: how many are circles.
        expected: expected share of circles among them, where the fitted strengths explain all battles.
        clear: circles of which all three results are beyond chance, at 5% for all pairs together.
        example: three systems of a clear circle, each of which beats the next; empty without one.
    """

    triads: Whole
    cyclic: Whole
    expected: Fraction
    clear: Whole
    example: tuple[str, ...] = ()


def cycles_of(battles: Battles, fit: BattleFit, systems: tuple[str, ...]) -> Cycles:
    """The circles among the results of pairs, and how many are expected (1). O(N + m³)."""
    m, y = len(systems), battles.outcomes
    shape, pair, turned = (m, m), battles.first * m + battles.second, battles.second * m + battles.first
    decided = battles.only(y != 0.5).alike()
    wins = win_table(decided, m) if len(decided.first) else np.zeros(shape)
    chance = y - fit.residuals / battles.each_counts
    met = (np.bincount(pair, minlength=m * m) + np.bincount(turned, minlength=m * m)).reshape(shape)
    summed = np.bincount(pair, chance, m * m) + np.bincount(turned, 1 - chance, m * m)
    p = np.divide(summed.reshape(shape), met, out=np.full(shape, 0.5), where=met > 0)
    # Ties are likeliest between equals: so many of each pair that all are as many as there were.
    tied = float(np.sum(y == 0.5)) / max(float(np.sum(4 * chance * (1 - chance))), 1e-300)
    ties = np.minimum(tied * 4 * p * (1 - p), 2 * np.minimum(p, 1 - p))
    of_decided = np.divide(p - ties / 2, 1 - ties, out=np.full(shape, 0.5), where=ties < 1 - 1e-12)
    total = (wins + wins.T).astype(np.intp)
    ahead = special.bdtrc((total // 2).astype(np.float64), total, np.clip(of_decided, 0, 1))
    ahead = np.where(total > 0, ahead, 0.0)
    beats, sure = (wins > wins.T).astype(float), _clear(battles, m).astype(float)
    expected = _triads(ahead + ahead.T)
    example: list[int] = []
    if len(clear := np.argwhere((sure * (sure @ sure).T) > 0)):  # of the systems that come first
        i, j = clear[0].tolist()
        example = [i, j, int(np.flatnonzero(sure[j] * sure[:, i])[0])]
    return Cycles(
        round(_triads(beats + beats.T)),
        round(_circles(beats)),
        _circles(ahead) / expected if expected > 0 else 0.0,
        round(_circles(sure)),
        tuple(systems[s] for s in example),
    )


def _circles(beats: Matrix) -> float:
    """``tr B³/3``: the circles of a table of who beats whom, or of the chances that they do."""
    return float(np.sum((beats @ beats) * beats.T)) / 3


def _triads(met: Matrix) -> float:
    """``tr M³/6``: the triads whose three pairs all met."""
    return _circles(met) / 2


def _clear(battles: Battles, m: int) -> NDArray[np.bool_]:
    """Whether the row beats the column beyond chance (2), m × m, by sums of prompts, or of voters."""
    a, b, y = battles.first, battles.second, battles.outcomes - 0.5
    pair, y = np.minimum(a, b) * m + np.maximum(a, b), np.where(a < b, y, -y)
    least = np.full(m * m, np.inf)
    for groups in (battles.clusters, battles.voters):
        if groups is None:
            continue
        count = int(groups.max()) + 1
        cells, place = np.unique(pair * count + groups, return_inverse=True)
        sums, of_pair = np.bincount(place, y), cells // count
        total, squares = (np.bincount(of_pair, one, m * m) for one in (sums, sums**2))
        size = np.divide(np.abs(total), np.sqrt(squares), out=np.zeros(m * m), where=squares > 0)
        least = np.minimum(least, size)
    beyond = (least >= math.sqrt(2 * math.log(len(np.unique(pair)) / ERROR))) & np.isfinite(least)
    first = np.bincount(pair, y, m * m) > 0
    return np.asarray((beyond & first).reshape(m, m) | (beyond & ~first).reshape(m, m).T)


@dataclass(frozen=True)
class Decider:
    """A voter or a prompt without which another system leads, where no other one does that.

    Attributes:
        unit: ``voter`` or ``prompt``.
        name: which one.
        battles: how many battles are its own.
        leader: who leads without them.
    """

    unit: str
    name: str
    battles: Whole
    leader: str


def decides_of(
    battles: Battles, fit: BattleFit, systems: tuple[str, ...], units: tuple[str, ...]
) -> tuple[Decider, ...]:
    """The voter and prompt that alone decide who leads: influence rows say which may, new fits which do."""
    ways = [] if battles.unit == "battle" else [(battles.unit, battles.clusters, units)]
    if battles.voters is not None and battles.voter_names:
        ways.append(("voter", battles.voters, battles.voter_names))
    found, m = [], len(systems)
    for unit, groups, names in ways:
        sizes = np.bincount(groups)
        # The lead of the first over the best other one, without each group, to first order.
        rest = sizes.sum() / np.maximum(sizes.sum() - sizes, 1)
        theta = fit.theta - influence_rows(battles, fit, groups)[:, :m] * rest[:, None]
        left = (theta[:, :1] - theta[:, 1:]).min(axis=1)
        if len(sizes) <= REFITTED or np.count_nonzero(left < 0) > REFITTED:
            continue
        others = []
        for c in np.argsort(left, kind="stable")[:REFITTED].tolist():
            if left[c] < (fit.theta[0] - fit.theta[1]) / 2:
                without = finite_strengths(battles.only(groups != c), m)
                leader = 0 if without is None else int(np.argmax(without))
                others += [(c, leader)] if leader else []
        if len(others) == 1:
            ((c, s),) = others
            found.append(Decider(unit, names[c], int(sizes[c]), systems[s]))
    return tuple(found)


def arena_warnings(cycles: Cycles, decides: tuple[Decider, ...], battles: int) -> Iterator[Note]:
    """Warnings on clear circles, and on the voter or prompt that alone decides who leads."""
    if cycles.clear:
        circle = list(cycles.example)
        yield Note("clear-cycles", {"clear": cycles.clear, "circle": circle}, systems=cycles.example)
    for one in decides:
        facts = {"kind": one.unit, "name": one.name, "share": one.battles / battles}
        yield Note("decides-alone", facts, systems=(one.leader,))


@dataclass(frozen=True)
class Arena:
    """The battles behind a ranking by strengths.

    Attributes:
        battles: how many.
        unit: what errors are estimated from: ``prompt``, ``voter`` or ``battle``.
        units: how many of these.
        voters: how many voters beside prompts; null where they do not matter.
        ties: share of battles that were ties.
        scale: of strengths: ``logit``, or ``elo`` points.
        pairs_alike: whether every pair that met counted alike.
        draw_prior: drawn battles that were added for each system.
        dispersion: φ, the variance of an outcome over that of the model; ties make it small.
        interaction: σ², the variance of a unit's own strengths, in logits.
        enough: battles a unit beyond which more of them buy less than half of what more units do; null where
            units have no strengths.
        share_battles: part of the variance of a typical difference that single battles add.
        share_units: part that the units' own strengths add; more battles on the same units leave it.
        share_voters: part that the voters' own strengths add; null without voters beside prompts.
        tau_pairs_alike: τ between the rankings with all battles and with all pairs counting alike; null where
            one of the two has no finite strengths.
        tau_without_ties: τ between the rankings with ties and without; null without ties, or where the
            others leave no finite strengths.
        cycles: triads of systems that beat each other in a circle.
        decides: the voter and the prompt that alone decide who leads; mostly none.
        win_rates: m, the chance of each system to beat another of these, drawn at random.
    """

    battles: Whole
    unit: Literal["prompt", "voter", "battle"]
    units: Whole
    voters: Whole | None
    ties: Fraction
    scale: Literal["logit", "elo"]
    pairs_alike: bool
    draw_prior: float
    dispersion: float
    interaction: float
    enough: OrNaN
    share_battles: Fraction
    share_units: Fraction
    share_voters: Annotated[Fraction, Nullable()]
    tau_pairs_alike: OrNaN
    tau_without_ties: OrNaN
    cycles: Cycles
    decides: tuple[Decider, ...]
    win_rates: tuple[float, ...]


def arena_of(scores: ScoreMatrix, means: Means) -> Arena | None:
    """What the battles are like; ``None`` where there are none. O(N + m³)."""
    kind = scores.kind
    if not isinstance(kind, InBattles):
        return None
    assert means.played is not None
    battles, fit = kind.battles, means.played.fit
    noise, tied = arena_noise(battles, means.played), battles.outcomes == 0.5
    # With all battles where pairs count alike, else with pairs that count alike.
    otherwise = battles.alike() if battles.pairs_alike else battles.counting(True, battles.draw_prior)
    return Arena(
        battles=len(battles.first),
        unit=battles.unit,
        units=battles.units,
        voters=None if battles.voters is None else int(battles.voters.max()) + 1,
        ties=float(np.mean(tied)),
        scale=battles.scale,
        pairs_alike=battles.pairs_alike,
        draw_prior=battles.draw_prior,
        dispersion=fit.dispersion,
        interaction=noise.by_prompt / 2,
        enough=noise.by_battle / noise.by_prompt if noise.by_prompt > 0 else math.nan,
        share_battles=noise.share((noise.by_battle - noise.by_voter) / noise.battles_each),
        share_units=noise.share(noise.by_prompt),
        share_voters=math.nan if battles.voters is None else noise.share(noise.by_voter / noise.battles_each),
        tau_pairs_alike=_tau(otherwise, fit.theta),
        tau_without_ties=_tau(battles.only(~tied), fit.theta) if tied.any() else math.nan,
        cycles=cycles_of(battles, fit, scores.systems),
        decides=decides_of(battles, fit, scores.systems, scores.topics),
        win_rates=tuple(win_rates(fit.theta).tolist()),
    )


def _tau(other: Battles, theta: Vector) -> float:
    found = finite_strengths(other, len(theta)) if len(other.first) else None
    return math.nan if found is None else tau(theta, found)


@dataclass(frozen=True)
class ArenaNoise:
    """What battles, units and voters add to the variance of a typical difference, in squared logits.

    n prompts of k battles have the variance ``(by_battle/k + by_prompt)/n`` (9).
    """

    by_battle: float  # of a battle by itself, with the voter's part where votes grow with battles
    by_prompt: float  # of a prompt's (unit's) own strengths
    battles_each: float
    by_voter: float = 0.0

    def of_prompt(self, battles: float) -> float:
        """The variance times the number of prompts, with so many battles on each."""
        return self.by_battle / battles + self.by_prompt

    def share(self, part: float) -> float:
        """That of a part of it, as things are."""
        now = self.of_prompt(self.battles_each)
        return part / now if now > 0 else 0.0


def arena_noise(battles: Battles, played: Played) -> ArenaNoise:
    """The noise of a typical difference by what it comes from. O(N + m³)."""
    fit = played.fit
    m, count = len(fit.theta), len(battles.first)
    alone = (fit.bread.T @ fit.total @ fit.bread)[:m, :m]
    # The mean over pairs of aᵀ(…)a.
    typical = 2 * (float(np.trace(alone)) - float(alone.sum()) / m) / (m - 1)
    shared, by_voter = 2 * played.interaction, 0.0
    if battles.voters is not None and played.by_voter is not None:
        by_voter = 2 * played.by_voter * count / (int(battles.voters.max()) + 1)
    by_battle = max(fit.dispersion * count * typical - shared, 0.0)
    return ArenaNoise(by_battle + by_voter, shared, count / battles.units, by_voter)


TWICE = 1 / 3  # ``(a − b)/(a + b)`` of an answer with twice as much as the other


@dataclass(frozen=True)
class StyleEffect:
    """What one covariate is worth, whichever system wrote the answers.

    Attributes:
        name: of the covariate.
        coefficient: what one root mean square of its difference adds to the logit of winning.
        low: lower end of its t interval.
        high: upper end.
        unit: root mean square of the differences, which is one unit of the coefficient.
        step: what `win_share` is about: ``twice`` as much as the other answer has, one ``unit`` more, or to
            stand ``first``.
        win_share: share that an answer one step ahead wins against one of an equal system, a tie as half a
            win.
        win_low: lower end of its interval.
        win_high: upper end.
    """

    name: Annotated[str, Column("Covariate", Name())]
    coefficient: Annotated[
        float,
        Column("Coefficient ({level} interval)", Bounded(low="low", high="high", sign=True), details=True),
    ]
    low: float
    high: float
    unit: float
    step: Annotated[
        Literal["twice", "unit", "first"],
        Column(
            "Step",
            Word(shown={"twice": "twice as much", "unit": "one root mean square more", "first": "first"}),
        ),
    ]
    win_share: Annotated[Fraction, Column("Wins ({level} interval)", Shares(low="win_low", high="win_high"))]
    win_low: Fraction
    win_high: Fraction


def style_effects(scores: ScoreMatrix, means: Means, level: float) -> tuple[StyleEffect, ...]:
    """The effect of each covariate, with t intervals of that level; none without covariates."""
    found, played = None if scores.battles is None else scores.battles.covariates, means.played
    if found is None or played is None:
        return ()
    half, middle = t_half(played.degrees, level) * played.errors, played.fit.coefficients
    ends = np.array([middle, middle - half, middle + half])
    shares = special.expit(ends * np.where(found.relative, TWICE / played.scales, 1.0))
    numbers = (one.tolist() for one in (ends.T, shares.T, played.scales))
    rows = []
    for name, relative, own, won, unit in zip(found.names, found.relative, *numbers, strict=True):
        first = name == POSITION and abs(unit - 1) < 1e-12
        step: Literal["twice", "unit", "first"] = "twice" if relative else "first" if first else "unit"
        row: list[Any] = [name, *own, unit, step, *won]
        rows.append(StyleEffect(*row))
    return tuple(rows)


def without_style(battles: Battles, systems: tuple[str, ...]) -> tuple[Vector, list[int]]:
    """Strengths as if nothing else had decided battles, and ranks by them."""
    theta = theta_alone(battles.plain, systems)
    order = np.argsort(-theta, kind="stable")
    return theta, (np.argsort(order) + 1).tolist()
