"""Scores at all levels of facets that are crossed with the topics: components of variance, and means.

A cell is one combination of a topic and of levels of facets, such as prompts or judges; every system has a
score in every cell. Equations are numbered in docs/methods/facets.md.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Matrix, Vector
from truerank._support.wording import listed
from truerank.errors import InputError, at, unknown_name
from truerank.numerics import special
from truerank.reliability.means.aggregates import Aggregate
from truerank.repeats import Facets
from truerank.scores import TIE, ScoreMatrix

FEWEST_LEVELS = 3  # of a facet, from which anything follows about other levels
SURE = 0.05  # below this p a seed that all topics share counts as a further source of noise
# Below this p a note says that runs with the same label vary together, where the label may not be a seed.
TOGETHER = 0.01
# Degrees of freedom of all systems together below which variances are not shrunken: 4, but for rounding.
FEWEST_TO_SHRINK = 4 - 1e-9
# Names of facets that may be people beside a machine.
JUDGES = frozenset({"judge", "rater", "annotator", "grader", "evaluator"})
FEWEST_EFFECTIVE = 2.0  # fewest effective topics
LEAST_VARIANCE = 1e-5  # floor of a system's variance in the shrinkage, as a fraction of the mean variance
TOPIC = "topic"  # the first factor: its levels are the rows of a mean


@dataclass(frozen=True, eq=False)
class Cells:
    """Scores, topics × levels of each facet × systems, and the names of all axes but the last."""

    values: NDArray[np.float64]
    factors: tuple[str, ...]
    run_variance: float = 0.0  # W, what the runs of each system leave in the score of a cell
    runs: float = 1.0  # how many, their harmonic mean

    @classmethod
    def of(cls, facets: Facets, names: Sequence[str]) -> Cells | None:
        """The cells of topics and levels of these facets; None where one is missing."""
        values = facets.array(names)
        if values is None:
            return None
        of_cell = facets.run_variance / facets.runs * values[..., 0].size / len(facets.topics)
        factors = (TOPIC, *(name for name in facets.names if name in names))
        return cls(values, factors, 0.0 if np.isnan(of_cell) else of_cell, facets.runs)

    @property
    def systems(self) -> int:
        return self.values.shape[-1]

    @property
    def theta(self) -> Vector:
        return np.asarray(self.values.mean(axis=tuple(range(len(self.factors)))))


@dataclass(frozen=True)
class Effect:
    """A crossing of factors: each of its levels moves systems by amounts of its own."""

    factors: tuple[str, ...]
    levels: int

    @property
    def label(self) -> str:
        return " × ".join(self.factors)


@dataclass(frozen=True, eq=False)
class Components:
    """The variance of each effect, and what it leaves in a difference of means."""

    cells: Cells
    effects: tuple[Effect, ...]  # coarse ones before finer ones
    variances: Vector  # σ², by effect; 0 where one was dropped because its estimate was below 0
    remaining: Vector  # h, the part of each σ² that is left in a mean: 1/levels
    expected: Matrix  # a, effects × effects: E Q_u = Σ_v a_uv σ²_v
    squares: Matrix  # Q, effects × m: sums of squares of the influences of its levels
    reduced: Vector  # R, the squares over h less those of all coarser effects
    reduction: Matrix  # B, effects × effects, with E R = B σ²
    degrees: Vector  # ν, degrees of freedom of each R
    rows: dict[str, Matrix]  # influences of the levels of single factors, levels × m

    @classmethod
    def of(cls, cells: Cells) -> Components:
        """Estimate them from mean squares. O(C·m·E) for C cells, m systems and E effects."""
        factors, m = cells.factors, cells.systems
        axes = range(len(factors))
        size = dict(zip(axes, cells.values.shape, strict=False))
        kept = [one for r in range(1, len(factors) + 1) for one in combinations(axes, r)]
        count = {one: int(np.prod([size[axis] for axis in one])) for one in [(), *kept]}
        kept.sort(key=lambda one: (count[one], sum(1 << axis for axis in one)))
        effects = tuple(Effect(tuple(factors[axis] for axis in one), count[one]) for one in kept)
        remaining = np.array([1 / one.levels for one in effects])
        # Levels that two effects share are those of the crossing of their common factors.
        shared = np.array([[count[tuple(a for a in u if a in v)] for v in kept] for u in kept])
        expected = (shared - 1) * np.outer(remaining, remaining)
        centered = cells.values - cells.values.mean(axis=-1, keepdims=True)
        centered -= centered.mean(axis=tuple(axes))
        squares, rows = np.empty((len(effects), m)), {}
        for u, one in enumerate(kept):
            row = centered.mean(axis=tuple(axis for axis in axes if axis not in one)).reshape(-1, m)
            row *= remaining[u]
            squares[u] = np.einsum("ls,ls->s", row, row)
            if len(one) == 1:
                rows[factors[one[0]]] = row
        reduced = squares.sum(axis=1) / max(m - 1, 1) / remaining
        reduction, degrees = expected / remaining[:, None], 1 / remaining - 1
        for u, one in enumerate(kept):
            for v, other in enumerate(kept):
                if set(other) < set(one):
                    reduced[u] -= reduced[v]
                    reduction[u] -= reduction[v]
                    degrees[u] -= degrees[v]
        variances = _solved(reduced, reduction, degrees)
        return cls(cells, effects, variances, remaining, expected, squares, reduced, reduction, degrees, rows)

    @cached_property
    def parts(self) -> Vector:
        """σ²_u h_u: what each effect leaves in half the variance of a difference of two means."""
        return self.variances * self.remaining

    @cached_property
    def variance(self) -> float:
        return float(self.parts.sum())

    @cached_property
    def run_part(self) -> float:
        """What runs leave: a piece of the part of the finest effect."""
        return min(self.cells.run_variance * float(self.remaining[-1]), float(self.parts[-1]))

    @property
    def shares(self) -> Vector:
        return self.parts / self.variance if self.variance > 0 else np.zeros(len(self.parts))

    def place(self, factor: str) -> int:
        """The place of the effect of that factor alone."""
        return [one.factors for one in self.effects].index((factor,))

    def redrawn(self, factor: str) -> float:
        """φ, the share of V that new levels of a factor would draw anew (eq. 10)."""
        return float(self.shares[[factor in one.factors for one in self.effects]].sum())

    def gain(self, factor: str, times: float) -> float:
        """V over what would be left of it with so many times the levels of a factor."""
        left = 1 - self.redrawn(factor) * (1 - 1 / times)
        return 1 / left if self.variance > 0 else times

    def kappa(self, factor: str) -> float:
        """κ, what brings the squares of a factor's rows to its target (eq. 6, 7)."""
        target = 0.0  # crossings with topics are the topics' own; others are split between their facets
        for one, part in zip(self.effects, self.parts.tolist(), strict=True):
            owners = (TOPIC,) if TOPIC in one.factors else one.factors
            target += part / len(owners) if factor in owners else 0.0
        seen = float(self.expected[self.place(factor)] @ self.variances)
        return target / seen if seen > 0 else 0.0

    def drawn(self, draws: int, rng: Generator) -> Matrix:
        """Draws × effects: σ² as they may be, from the mean squares of a balanced design (eq. 12)."""
        topics = self.place(TOPIC)
        directions = _directions(self.rows[TOPIC], self.effects[topics].levels - 1.0)
        found = np.empty((draws, len(self.effects)))
        for u, one in enumerate(self.effects):
            added = shrunken_variances(self.squares[u], one.levels - 1.0)[1]
            freedom = self.degrees[u] * directions / (1 + 2 / max(added - 4, 0.5))
            found[:, u] = self.reduced[u] * freedom / rng.chisquare(freedom, draws)
        return np.maximum(np.linalg.solve(self.reduction, found.T).T, 0.0)


def _solved(reduced: Vector, reduction: Matrix, degrees: Vector) -> Vector:
    """σ² of ``B σ² = R``; while one is below 0, the least certain of these goes with its equation (eq. 5)."""
    found = np.zeros(len(reduced))
    kept = np.arange(len(reduced))
    while len(kept):
        b = reduction[np.ix_(kept, kept)]
        solved = np.linalg.solve(b, reduced[kept])
        if not (solved < 0).any():
            found[kept] = solved
            break
        spread = np.abs(b) @ np.maximum(solved, 0.0)
        scale = np.sqrt(np.maximum(degrees[kept], 0.0)) / np.maximum(spread, 1e-300)
        z = np.where(solved < 0, solved * np.diag(b) * scale, np.inf)
        kept = np.delete(kept, int(np.argmin(z)))
    return found


def _directions(rows: Matrix, degrees: float) -> float:
    """r, independent directions of the noise of m systems, in [1, m − 1]: (tr Σ)²/tr Σ², unbiased parts."""
    covariance = rows.T @ rows / degrees
    trace, squared = float(np.trace(covariance)), float(np.sum(covariance**2))
    rest = (squared - trace**2 / degrees) / (1 + 1 / degrees - 2 / degrees**2) if degrees > 1 else squared
    above = trace**2 - 2 * rest / degrees
    most = max(len(covariance) - 1.0, 1.0)
    return float(min(max(above / rest, 1.0), most)) if rest > 0 else most


def shrunken_variances(variances: Vector, degrees: float) -> tuple[Vector, float]:
    """Variances drawn towards a common one, and the degrees of freedom that this adds (Smyth 2004)."""
    told = variances[variances > 0]
    if not len(told):
        return np.zeros_like(variances), float("inf")
    mean = float(told.mean())
    logs = np.log(np.maximum(told, LEAST_VARIANCE * mean))
    away = logs - special.digamma(degrees / 2) + np.log(degrees / 2)
    spread = float(away.var(ddof=1)) - float(special.polygamma(1, degrees / 2)) if len(told) > 1 else 0.0
    if spread <= 0:
        return np.full_like(variances, mean), float("inf")
    from scipy.optimize import brentq

    # ψ′(x) lies between 1/x + 1/(2x²) and 1/x + 1/x², so its inverse between where these two are the spread.
    low, high = ((1 + float(np.sqrt(1 + k * spread))) / (2 * spread) for k in (2, 4))
    half = float(brentq(lambda x: float(special.polygamma(1, x)) - spread, low, high, xtol=1e-14))
    common = float(np.exp(away.mean() + special.digamma(half) - np.log(half)))
    added = 2 * half
    return (added * common + degrees * variances) / (added + degrees), added


def facets_named(scores: ScoreMatrix, names: Sequence[str]) -> Facets:
    """The scores by facets of these names, or by runs with the same labels on every topic."""
    labeled = None if scores.repeats is None else scores.repeats.labeled
    known = [one for one in (scores.facets, labeled) if one is not None]
    for one in known:
        if set(names) <= set(one.names):
            return one
    if known:
        there = [name for one in known for name in one.names]
        raise unknown_name("facet", next((name for name in names if name not in there), names[0]), there)
    what, where = listed([repr(name) for name in names]), at(scores.source)
    fixed = setting("generalize_to", "topics")
    if scores.machine:
        raise InputError(
            f"{where}no method generalizes over {what} beside a machine judge that people correct. Its "
            f"scores are means over these levels: {fixed}"
        )
    raise InputError(
        f"{where}generalizing over {what} needs scores at its levels: a table with one row per score and a "
        f"column of it, named with {setting('facet', 'COLUMN')}. Without one, use {fixed}"
    )


def facet_cells(scores: ScoreMatrix, question: str, rule: Aggregate) -> Cells | None:
    """The cells of a question such as ``topics,prompt,judge``; None where it names no facet."""
    names = question.split(",")[1:]
    if not names:
        fixed = scores.facets  # means would be over different levels where some topics lack one
        if fixed is not None and not fixed.crossed_over(fixed.nested):
            raise _incomplete(scores, fixed)
        return None
    found, where = facets_named(scores, names), at(scores.source)
    names = [name for name in names if name not in found.nested]  # drawn anew with the topics
    if not names:
        return None
    for name in names:
        if name not in found.several:
            raise InputError(
                f"{where}column {name!r} has one level, so nothing shows what other levels would do; leave "
                "it out"
            )
    if refused := no_method(scores, rule):
        fixed_to = setting("generalize_to", "data_sets" if scores.k == scores.n > 1 else "topics")
        over = listed([repr(name) for name in names])
        raise InputError(
            f"{where}no method generalizes over {over} {refused}. Keep the levels fixed: {fixed_to}"
        )
    cells = Cells.of(found, names)
    if cells is None:
        raise _incomplete(scores, found)
    return cells


def no_method(scores: ScoreMatrix, rule: Aggregate) -> str:
    """Why no method treats levels as a sample; empty where one does."""
    reasons = {
        "beside several data sets": scores.k > 1,
        "beside clusters of topics": scores.clusters is not None,
        "beside a machine judge that people correct": scores.machine is not None,
        f"by {rule.label}": rule.points is not None,
    }
    return next((reason for reason, holds in reasons.items() if holds), "")


def sampled_warnings(facets: Facets, names: Sequence[str], systems: int) -> list[Note]:
    """Notes on facets whose levels are a sample."""
    found = []
    for name in names:
        f = len(facets.levels[facets.names.index(name)])
        found.append(Note("facet-levels", {"case": "sampled", "facet": name, "levels": f}))
        if f == 2 or (systems - 1) * (f - 1) < FEWEST_TO_SHRINK:
            found.append(Note("few-levels", {"facet": name, "levels": f, "m": systems}, "alert"))
    return found


def level_test(scores: ScoreMatrix, facets: Facets, name: str) -> float | None:
    """p of no effect of a facet's levels on the order of systems (eq. 13); None where it cannot be tested."""
    cells = None if scores.k > 1 or name not in facets.several else Cells.of(facets, [name])
    if cells is None:
        return None
    found, m = Components.of(cells), scores.m
    place, rest = found.place(name), len(found.effects) - 1
    above, below = (found.reduced[u] / found.degrees[u] for u in (place, rest))
    rounding = (TIE * float(np.abs(cells.values).max())) ** 2
    if below <= rounding:
        return 0.0 if above > rounding else 1.0
    return float(special.fdtrc((m - 1) * found.degrees[place], (m - 1) * found.degrees[rest], above / below))


def question_of_seeds(scores: ScoreMatrix) -> str | None:
    """``topics,seed`` where runs share a seed over all topics, and the seeds show an effect."""
    runs = scores.repeats
    if runs is None or runs.labeled is None or not runs.shared or scores.machine:
        return None
    if scores.k > 1 or scores.clusters is not None or not scores.complete:
        return None
    p = level_test(scores, runs.labeled, runs.column)
    return f"topics,{runs.column}" if p is not None and p < SURE else None


def _incomplete(scores: ScoreMatrix, facets: Facets) -> InputError:
    """The refusal of levels that have to be the same everywhere, and are not."""
    names = [name for name in facets.several if name not in facets.nested] or list(facets.several)
    every = listed(list(map(repr, names)))
    judges, beside = [name for name in names if name.casefold() in JUDGES], ""
    if judges:
        file = setting("machine", "FILE")
        beside = (
            f" If {judges[0]!r} is people and a machine, put the rows of the machine into a file for {file}."
        )
    return InputError(
        f"{at(scores.source)}not every {scores.unit.one} has every level of {every}, so a mean is not over "
        "the same levels everywhere. Levels that can stand for each other are runs: "
        f"{setting('run_column', (judges or names)[0])}.{beside}"
    )
