"""What docs/methods/preferences.md says of arenas at equal style: are strengths, effects and errors right?

Arenas with a known truth: longer answers win more often, better systems write longer answers, and battles of
one prompt, or one voter, hang together. The truth is what infinitely many prompts of this kind would give.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.random import Generator
from scipy.special import stdtrit

from truerank import assess
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.battles import Battles, Covariates
from truerank.errors import InputError
from truerank.reliability.means import Means
from truerank.reliability.means.bradley_terry import (
    bradley_terry,
    clustered,
    fitted,
    of_contrasts,
    win_table,
)
from truerank.reliability.means.equal_style import Styled, at_equal_style
from validation.checks import Checks
from validation.studies.simulated_arenas import _chances, arena_table

ARENAS = 300
EACH_MODEL = 60
"""Arenas of one model; then another is drawn."""

LIMIT = 400_000
"""Battles of different prompts, each with its chances for outcomes, whose fit is the truth."""

EFFECTS = np.array([1.2, 0.5])
"""What ``(a − b)/(a + b)`` of length, and of list items, adds to the logit."""


@dataclass(frozen=True)
class Design:
    """An arena of m systems; `tastes`: standard deviation of the effects from prompt to prompt."""

    name: str
    systems: int
    prompts: int
    each: int
    voters: int = 0
    unequal: bool = False
    interaction: float = 0.7
    tastes: float = 0.5


DESIGNS = (
    Design("15 systems, 50 prompts × 20 battles", 15, 50, 20),
    Design("15 systems, 200 × 50", 15, 200, 50),
    Design("15 systems, 1,000 × 5", 15, 1000, 5),
    Design("15 systems, 30 × 300", 15, 30, 300),
    Design("40 systems, 200 × 50", 40, 200, 50),
    Design("15 systems, 200 × 50, unequal pairs", 15, 200, 50, unequal=True),
    Design("15 systems, 200 × 50, 100 voters", 15, 200, 50, voters=100),
)


@dataclass(frozen=True)
class Model:
    """Strengths, how long each system's answers are, and which pairs meet how often."""

    design: Design
    theta: Vector
    long: Vector
    pairs: Matrix

    @classmethod
    def drawn(cls, design: Design, rng: Generator) -> Model:
        m = design.systems
        theta = rng.normal(0, 0.5, m)
        weight = np.ones(m)
        pairs = np.ones((m, m))
        if design.unequal:
            weight[rng.permutation(m)[: m // 5]] = 0.1
            pairs = np.outer(weight, weight) * np.exp(-(((theta[:, None] - theta) / 0.5) ** 2) / 2)
        long = 0.5 * theta + rng.normal(0, 0.3, m)
        return cls(design, theta, long, pairs)

    def battles(self, rng: Generator, prompts: int, each: int, chances: bool = False) -> Battles:
        """Battles on these prompts; with `chances`, shares of wins in the place of outcomes."""
        d, m = self.design, self.design.systems
        c = np.repeat(np.arange(prompts), each)
        upper = np.triu_indices(m, 1)
        share = self.pairs[upper] / self.pairs[upper].sum()
        k = rng.choice(len(share), len(c), p=share)
        swapped = rng.uniform(size=len(c)) < 0.5
        a, b = np.where(swapped, upper[1][k], upper[0][k]), np.where(swapped, upper[0][k], upper[1][k])
        asked = rng.normal(0, 0.4, (prompts, 2))
        amounts = [
            np.exp(self.long[side, None] * [1, 1] + asked[c] + rng.normal(0, 0.5, (len(c), 2)))
            for side in (a, b)
        ]
        lists = [rng.poisson(3 * one[:, 1]) for one in amounts]
        x = np.stack([_relative(amounts[0][:, 0], amounts[1][:, 0]), _relative(*lists)], axis=1)
        own = rng.normal(0, d.interaction, (prompts, m))
        effects = EFFECTS + rng.normal(0, d.tastes, (prompts, 2))
        voters = None
        lead = self.theta[a] - self.theta[b] + own[c, a] - own[c, b] + np.sum(x * effects[c], axis=1)
        if d.voters:
            voters = rng.integers(0, len(c) if chances else d.voters, len(c))
            lead += np.sum(x * rng.normal(0, d.tastes, (int(voters.max()) + 1, 2))[voters], axis=1)
            taste = rng.normal(0, 0.4, (int(voters.max()) + 1, m))
            lead += taste[voters, a] - taste[voters, b]
        win, loss = _chances(lead, 0.55)
        y = (1 + win - loss) / 2
        if not chances:
            u = rng.uniform(size=len(c))
            y = np.where(u < win, 1.0, np.where(u < win + loss, 0.0, 0.5))
        covariates = Covariates(x, ("length", "lists"), (True, True))
        voters = None if chances else voters
        names = () if voters is None else [f"voter {v}" for v in range(d.voters)]
        return Battles.build(a, b, y, c, voters, voter_names=names, covariates=covariates)

    def truth(self, rng: Generator) -> tuple[Vector, Vector]:
        """Strengths and effects of one whole ``(a − b)/(a + b)`` over very many prompts."""
        endless = self.battles(rng, LIMIT, 1, chances=True)
        theta, beta = at_equal_style(Styled(endless, self.design.systems))
        assert endless.covariates is not None
        return theta, beta / endless.covariates.scales


def _relative(a: Vector, b: Vector) -> Vector:
    return np.divide(a - b, a + b, out=np.zeros(len(a)), where=a + b > 0)


WAYS = ("equal style", "without covariates", "each battle independent")
MEASURED = ("slope", "pairs in 95%", "systems in 95%", "length", "its bias", "lists", "its bias ")


def run(checks: Checks, designs: Sequence[Design] = DESIGNS) -> None:
    """Bias and coverage: at equal style, without covariates, and with each battle independent."""
    for design in designs:
        rows, ranges = [], []
        rng = stream(0, "style", design.name)
        for k in range(ARENAS):
            if k % EACH_MODEL == 0:
                model = Model.drawn(design, rng)
                truth = model.truth(rng)
            battles = model.battles(rng, design.prompts, design.each)
            try:
                rows.append([_against(way, battles, design.systems, *truth) for way in WAYS])
                ranges.append(_ranges(battles, truth[0]))
            except InputError:
                continue
        table = np.array(rows)
        mean, error = table.mean(axis=0), table.std(axis=0, ddof=1) / math.sqrt(len(table))
        checks.note(f"  {design.name}: {len(table)} arenas")
        for way, means, errors in zip(WAYS, mean, error, strict=True):
            said = zip(MEASURED, means, errors, strict=True)
            checks.note(
                f"    {way}: " + ", ".join(f"{name.strip()} {x:.3f} ± {e:.3f}" for name, x, e in said)
            )
        for name in ("pairs in 95%", "systems in 95%", "length", "lists"):
            at = MEASURED.index(name)
            held, of_held = mean[0][at], error[0][at]
            checks.that(
                f"{name} holds", abs(held - 0.95) <= 0.02 + 2 * of_held, f"{held:.3f} ± {of_held:.3f}"
            )
        found = np.array(ranges)
        center, spread = found.mean(axis=0), found.std(axis=0, ddof=1) / math.sqrt(len(found))
        checks.that(
            "E τ is right", abs(center[0]) <= 0.02 + 2 * spread[0], f"{center[0]:+.3f} ± {spread[0]:.3f}"
        )
        checks.that(
            "rank ranges hold", center[1] >= 0.93 - 2 * spread[1], f"{center[1]:.3f} ± {spread[1]:.3f}"
        )


def _against(way: str, battles: Battles, m: int, theta: Vector, effects: Vector) -> list[float]:
    """What is :data:`MEASURED`, by one way; effects are NaN without covariates."""
    if way == "each battle independent":
        return _independent(battles, m, theta, effects)
    means = bradley_terry(battles.plain if way == "without covariates" else battles, list(map(str, range(m))))
    upper = np.triu_indices(m, 1)
    true = (theta[:, None] - theta)[upper]
    reach = stdtrit(means.degrees[upper], 0.975) * means.deviations[upper]
    errors, degrees = means.system_errors()
    own = np.abs(means.theta - theta) <= stdtrit(degrees, 0.975) * errors
    found = means.differences[upper]
    return [
        float(found @ true / (true @ true)),
        float(np.mean(np.abs(found - true) <= reach)),
        float(np.mean(own)),
        *_effects(means, effects),
    ]


def _independent(battles: Battles, m: int, theta: Vector, effects: Vector) -> list[float]:
    """The same with the sandwich of single battles and normal intervals, as arena-rank has them."""
    fit = fitted(battles, win_table(battles, m))
    squares = clustered(battles, fit, np.arange(len(battles.first)), counted=False).squares
    upper = np.triu_indices(m, 1)
    true, found = ((one[:, None] - one)[upper] for one in (theta, fit.theta))
    assert battles.covariates is not None
    off = fit.coefficients / battles.covariates.scales - effects
    errors = np.sqrt(np.diag(squares))
    held = np.abs(off) <= 1.96 * errors[m:] / battles.covariates.scales
    return [
        float(found @ true / (true @ true)),
        float(np.mean(np.abs(found - true) <= 1.96 * np.sqrt(of_contrasts(squares[:m, :m])[upper]))),
        float(np.mean(np.abs(fit.theta - theta) <= 1.96 * errors[:m])),
        *(float(one) for pair in zip(held, off, strict=True) for one in pair),
    ]


def _effects(means: Means, effects: Vector) -> list[float]:
    """Whether each effect is in its interval, and by how much it is off."""
    assert means.played is not None
    played, found = means.played, []
    if not len(played.scales):
        return [math.nan] * 4
    each = zip(effects, played.fit.coefficients, played.errors, played.degrees, played.scales, strict=True)
    for true, coefficient, error, degree, scale in each:
        off = coefficient / scale - true
        found += [float(abs(off) <= stdtrit(degree, 0.975) * error / scale), float(off)]
    return found


def _ranges(battles: Battles, theta: Vector) -> list[float]:
    """How much E τ is off, and whether all rank ranges hold."""
    names = tuple(f"sys{s}" for s in range(len(theta)))
    found = assess(arena_table(battles, names), "eb", "tau", draws=1_000)
    values = np.array([theta[names.index(one.system)] for one in found.ranking])
    ahead = np.sign(values[:, None] - values)[np.triu_indices(len(values), 1)]
    ranks = 1 + (values[None, :] > values[:, None]).sum(axis=1)
    held = [
        (s.rank_low or 1) <= r <= (s.rank_high or len(ranks))
        for r, s in zip(ranks, found.ranking, strict=True)
    ]
    return [found.estimate("tau").estimate - float(ahead.mean()), float(all(held))]
