"""What may be wrong with a ranking by strengths: results in a circle, and one voter or prompt that decides.

Numbers in parentheses are those of the equations in docs/methods/arena-checks.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.types import Fraction, Matrix, Vector, Whole
from truerank.battles import Battles
from truerank.numerics import special
from truerank.reliability.means.bradley_terry import finite_strengths, influence_rows, win_table
from truerank.reliability.means.equal_style import Fit

ERROR = 0.05
"""Chance of any clear result in the wrong direction."""

REFITTED = 3
"""Units that are left out one at a time in a new fit; where more may decide, the lead is just small."""


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


def cycles_of(battles: Battles, fit: Fit, systems: tuple[str, ...]) -> Cycles:
    """The circles among the results of pairs, and how many are expected (1). O(N + m³)."""
    m, shape = len(systems), (len(systems),) * 2
    a, b, y = battles.first, battles.second, battles.outcomes
    decided = battles.only(y != 0.5).alike()
    wins = win_table(decided, m) if len(decided.first) else np.zeros(shape)
    chance = y - fit.residuals / battles.each_counts
    met = np.bincount(a * m + b, minlength=m * m).reshape(shape)
    met = met + met.T
    summed = np.bincount(a * m + b, chance, m * m) + np.bincount(b * m + a, 1 - chance, m * m)
    p = np.divide(summed.reshape(shape), met, out=np.full(shape, 0.5), where=met > 0)
    # Ties are likeliest between equals: so many of each pair that all are as many as there were.
    tied = float(np.sum(y == 0.5)) / max(float(np.sum(4 * chance * (1 - chance))), 1e-300)
    ties = np.minimum(tied * 4 * p * (1 - p), 2 * np.minimum(p, 1 - p))
    of_decided = np.divide(p - ties / 2, 1 - ties, out=np.full(shape, 0.5), where=ties < 1 - 1e-12)
    total = wins + wins.T
    ahead = np.where(
        total > 0, special.bdtrc(total // 2, total.astype(np.intp), np.clip(of_decided, 0, 1)), 0.0
    )
    beats, sure = (wins > wins.T).astype(float), _clear(battles, m).astype(float)
    cyclic, triads = _circles(beats), _triads(beats + beats.T)
    expected = _triads(ahead + ahead.T)
    return Cycles(
        round(triads),
        round(cyclic),
        _circles(ahead) / expected if expected > 0 else 0.0,
        round(_circles(sure)),
        tuple(systems[s] for s in _first_circle(sure)),
    )


def _circles(beats: Matrix) -> float:
    """``tr B³/3``: the circles of a table of who beats whom, or of the chances that they do."""
    return float(np.sum((beats @ beats) * beats.T)) / 3


def _triads(met: Matrix) -> float:
    """``tr M³/6``: the triads whose three pairs all met."""
    return float(np.sum((met @ met) * met.T)) / 6


def _first_circle(beats: Matrix) -> list[int]:
    """The circle of the systems that come first; nothing without one."""
    found = np.argwhere((beats * (beats @ beats).T) > 0)
    if not len(found):
        return []
    i, j = found[0].tolist()
    return [i, j, int(np.flatnonzero(beats[j] * beats[:, i])[0])]


def _clear(battles: Battles, m: int) -> NDArray[np.bool_]:
    """Whether the row beats the column beyond chance (2), m × m.

    The sums of prompts, or voters, are symmetric around 0 between equals, so that few of them suffice.
    """
    a, b, y = battles.first, battles.second, battles.outcomes - 0.5
    low, high, y = np.minimum(a, b), np.maximum(a, b), np.where(a < b, y, -y)
    pair, least = low * m + high, np.full(m * m, np.inf)
    pairs = len(np.unique(pair))
    for groups in (battles.clusters, battles.voters):
        if groups is None:
            continue
        cells, place = np.unique(pair * (int(groups.max()) + 1) + groups, return_inverse=True)
        sums = np.bincount(place, y)
        of_pair = cells // (int(groups.max()) + 1)
        total, squares = (np.bincount(of_pair, one, m * m) for one in (sums, sums**2))
        size = np.divide(np.abs(total), np.sqrt(squares), out=np.zeros(m * m), where=squares > 0)
        least = np.minimum(least, size)
    beyond = (least >= math.sqrt(2 * math.log(pairs / ERROR))) & np.isfinite(least)
    first = np.bincount(pair, y, m * m) > 0
    found = (beyond & first).reshape(m, m)
    return np.asarray(found | (beyond & ~first).reshape(m, m).T)


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
    battles: Battles, fit: Fit, systems: tuple[str, ...], units: tuple[str, ...]
) -> tuple[Decider, ...]:
    """The voter and the prompt that alone decide who leads. Systems are in the order of their ranks.

    Influence rows say which may; a new fit without these says which do.
    """
    ways = [] if battles.unit == "battle" else [(battles.unit, battles.clusters, units)]
    if battles.voters is not None and battles.voter_names:
        ways.append(("voter", battles.voters, battles.voter_names))
    found = []
    for unit, groups, names in ways:
        sizes = np.bincount(groups)
        if len(sizes) <= REFITTED:
            continue
        left = _lead_without(fit, influence_rows(battles, fit, groups), sizes)
        if np.count_nonzero(left < 0) > REFITTED:
            continue
        lead = float(fit.theta[0] - fit.theta[1])
        tried = [c for c in np.argsort(left, kind="stable")[:REFITTED].tolist() if left[c] < lead / 2]
        others = [(c, s) for c in tried if (s := _leader(battles.only(groups != c), len(systems)))]
        if len(others) == 1:
            ((c, s),) = others
            found.append(Decider(unit, names[c], int(sizes[c]), systems[s]))
    return tuple(found)


def _lead_without(fit: Fit, influences: Matrix, sizes: NDArray[np.intp]) -> Vector:
    """The lead of the first system over the best other one, without each group, to first order."""
    m = len(fit.theta)
    rest = sizes.sum() / np.maximum(sizes.sum() - sizes, 1)
    theta = fit.theta - influences[:, :m] * rest[:, None]
    return np.asarray((theta[:, :1] - theta[:, 1:]).min(axis=1))


def _leader(battles: Battles, m: int) -> int:
    """The place of the system that leads; 0 where strengths cannot be told."""
    found = finite_strengths(battles, m)
    return 0 if found is None else int(np.argmax(found))


def arena_warnings(cycles: Cycles, decides: tuple[Decider, ...], battles: int) -> Iterator[Note]:
    """Warnings on clear circles, and on the voter or prompt that alone decides who leads."""
    if cycles.clear:
        circle = list(cycles.example)
        yield Note("clear-cycles", {"clear": cycles.clear, "circle": circle}, systems=cycles.example)
    for one in decides:
        facts = {"kind": one.unit, "name": one.name, "share": one.battles / battles}
        yield Note("decides-alone", facts, systems=(one.leader,))
