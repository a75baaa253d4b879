"""Does the gate err as seldom as it says, and what does that cost beside the usual tests?"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.comparison.gate.gate_notes import SKEWED
from truerank.errors import InputError
from truerank.experiments.shared.agreement import listed
from truerank.experiments.shared.summaries import cells
from truerank.experiments.study import Grid, Key, Results, Row, Summary, Task, declared, option, tables
from truerank.numerics import hall
from truerank.numerics.resampling import multinomial_counts
from truerank.reliability.pair.contrast import confidence_above, few_differ, plain_contrast
from truerank.reliability.pair.family import judged_together
from truerank.reliability.pair.topics_needed import topics_needed
from truerank.scores import TIE
from validation.studies.pair_populations import PairPopulation, built_in, of_table
from validation.studies.populations import averaged, over_populations

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame

METHODS = ("gate", "t", "Hall", "bootstrap-t", "bootstrap", "randomization")
# Continuations of an undecided pair, and the largest number of topics that is looked at.
CONTINUED, MOST_CONTINUED = 20, 5_000
TOGETHER = 6  # comparisons of a family: as three candidates by two measures


@dataclass(frozen=True)
class GateParameters:
    """Ten thousand pairs of each population, size and true difference."""

    trials: int = option(
        10, "Blocks of pairs of each population, size and true difference.", grows=True, least=1
    )
    pairs: int = option(1_000, "Pairs of systems in a block.", least=1)
    topics: tuple[int, ...] = option((10, 20, 30, 50, 100, 300, 1000), "Sizes of the collections.", least=3)
    margin: float = option(0.02, "The margin, in units of the score.")
    truths: tuple[float, ...] = option((1.0, 0.0, -0.5, -1.0, -2.0), "True differences, in margins.")
    level: float = option(0.95, "Level of the one-sided bounds.")
    resamples: int = option(
        499, "Resamples and sign vectors of the methods beside the gate; 0 leaves them out."
    )
    table_pairs: int = option(6, "Pairs of systems taken from each score table.", least=1)
    families: int = option(20, f"Families of {TOGETHER} comparisons in a block.")
    needed: int = option(20, "Undecided pairs of a block whose topics needed are looked at.")

    def __post_init__(self) -> None:
        """Refuse a margin or a level that there is not."""
        if not self.margin > 0 or not 0.5 < self.level < 1:
            raise InputError("margin must be above 0, and the level between 0.5 and 1")

    @property
    def means(self) -> list[float]:
        """The true differences in units of the score."""
        return [truth * self.margin for truth in self.truths]

    @property
    def reach(self) -> str:
        """Their range, as a message says it."""
        return f"{min(self.means):g} to {max(self.means):g}".replace("-", "−")


@dataclass(frozen=True)
class Context:
    """Every population with every true difference, by data and difference in margins."""

    parameters: GateParameters
    populations: Mapping[tuple[str, float], PairPopulation]


def load(sources: Any, parameters: GateParameters) -> dict[str, PairPopulation]:
    """Pairs of systems of score tables that can have every true mean; without any, the built-in ones."""
    if not sources:
        return _carrying(built_in(), parameters)
    found: dict[str, PairPopulation] = {}
    for source in listed(sources):
        found |= _carrying(of_table(source, Path(str(source)).stem, parameters.table_pairs), parameters)
    if not found:
        raise InputError(f"no pair of systems has differences of both signs beyond {parameters.reach}")
    return found


def _carrying(
    populations: Mapping[str, PairPopulation], parameters: GateParameters
) -> dict[str, PairPopulation]:
    """Those that can be moved to every true mean; the first of them notes how many cannot."""
    least, most = min(parameters.means), max(parameters.means)
    kept = {name: one for name, one in populations.items() if one.values[0] < least and most < one.values[-1]}
    left_out = len(populations) - len(kept)
    if left_out and kept:
        first = next(iter(kept))
        note = (
            f"{left_out} of {len(populations)} pairs left out: their differences cannot have true means of "
            f"{parameters.reach}"
        )
        kept[first] = replace(kept[first], warnings=(*kept[first].warnings, note))
    return kept


def prepare(parameters: GateParameters, data: Mapping[str, PairPopulation], seed: int) -> Context:
    """Move each population to each true difference."""
    moved = {
        (name, truth): population.moved(truth * parameters.margin)
        for name, population in data.items()
        for truth in parameters.truths
    }
    return Context(parameters, moved)


def grid(parameters: GateParameters, data: Sequence[str]) -> Grid:
    """Block by block, all populations, sizes and true differences (by number)."""
    blocks: dict[str, Sequence[Key]] = {"trial": range(parameters.trials), "data": data}
    return Grid(blocks | {"topics": parameters.topics, "truth": range(len(parameters.truths))})


@dataclass(frozen=True)
class Moments:
    """What the methods need of P pairs, each with n differences; as a contrast has them of one."""

    n: int
    mean: Vector
    error: Vector
    skewness: Vector
    differing: Vector

    def t(self, value: float) -> Vector:
        """How many standard errors each mean is above a value."""
        gap = self.mean - value
        with np.errstate(divide="ignore", invalid="ignore"):
            t: Vector = np.where(self.error > 0, gap / self.error, np.sign(gap) * np.inf)
        return np.where(np.isnan(t), 0.0, t)


def moments(d: Matrix) -> Moments:
    """Means, their standard errors and skewness, and how many topics differ."""
    n = d.shape[1]
    mean = d.mean(axis=1)
    centered = d - mean[:, None]
    squares = np.einsum("pt,pt->p", centered, centered)
    alike = np.abs(centered).max(axis=1) <= TIE
    squares[alike] = 0.0
    cubes = np.einsum("pt,pt,pt->p", centered, centered, centered)
    factor = math.sqrt(n * (n - 1)) / (n - 2)
    skewness = np.where(alike, 0.0, factor * cubes / np.where(alike, 1.0, squares) ** 1.5)
    differing = (np.abs(d) > TIE).sum(axis=1).astype(float)
    return Moments(n, mean, np.sqrt(squares / (n * (n - 1))), skewness, differing)


def confidences(d: Matrix, value: float, largest: float | None) -> Vector:
    """Of P pairs the gate's confidence that each is above a value; 0 where it is far from deciding."""
    found = moments(d)
    sure = hall.confidence(found.t(value), found.skewness, found.n - 1)
    exact = few_differ(found.differing, found.n) | (found.error == 0)
    # The exact bound is never above the mean less one standard error, so most pairs need not ask.
    asked = exact & (found.mean - found.error > value)
    sure[exact] = 0.0
    if largest is not None and asked.any():
        kinds, place = np.unique(np.sort(d[asked], axis=1), axis=0, return_inverse=True)
        each = np.array([confidence_above(plain_contrast(one, largest), value) for one in kinds])
        sure[asked] = each[place.ravel()]
    return sure


def claimed(d: Matrix, value: float, level: float, largest: float | None) -> NDArray[np.bool_]:
    """Of P pairs, which the gate is sure of to lie above a value."""
    sure: NDArray[np.bool_] = confidences(d, value, largest) >= level
    return sure


def beside(d: Matrix, value: float, level: float, counts: Matrix, signs: Matrix) -> dict[str, Any]:
    """Of P pairs, which the usual methods are sure of to lie above a value."""
    from scipy.special import stdtr

    n, found = d.shape[1], moments(d)
    t = found.t(value)
    whole = hall.transformed(t, found.skewness)  # skewness on either side
    sure = {"t": stdtr(n - 1, t) >= level, "Hall": stdtr(n - 1, whole) >= level}
    if not counts.size:
        return sure
    centered = d - found.mean[:, None]
    means = centered @ counts / n
    variances = np.maximum((centered**2) @ counts / n - means**2, 0.0) / (n - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        studentized = np.where(variances > 1e-18, means / np.sqrt(variances), np.sign(means) * np.inf)
    high = np.quantile(np.nan_to_num(studentized, posinf=1e9, neginf=-1e9), level, axis=1)
    sure["bootstrap-t"] = t > high
    sure["bootstrap"] = found.mean + np.quantile(means, 1 - level, axis=1) > value
    moved = d - value
    flipped = moved @ signs
    reached = (flipped >= (moved.sum(axis=1) - 1e-9)[:, None]).sum(axis=1)
    sure["randomization"] = (1 + reached) / (1 + signs.shape[1]) <= 1 - level
    return sure


@dataclass(frozen=True)
class Block:
    """Pairs of one population, number of topics and true difference (in margins)."""

    parameters: GateParameters
    population: PairPopulation
    truth: float
    n: int
    rng: Generator

    @property
    def largest(self) -> float | None:
        """The largest difference that there can be, where it is known."""
        return 1.0 if np.abs(self.population.values).max() <= 1 else None


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """How often each method is sure of each claim, topics needed of undecided pairs, and false families."""
    p = context.parameters
    truth = p.truths[int(task["truth"])]
    population = context.populations[str(task["data"]), truth]
    block = Block(p, population, truth, int(task["topics"]), stream(seed, "pairs"))
    d = population.sample(p.pairs, block.n, block.rng)
    claims, undecided = _claims(block, d)
    needed = _needed(block, d[undecided[: p.needed]])
    together = _families(block)
    return {"claims": claims, "needed": needed, "families": together}


def _claims(block: Block, d: Matrix) -> tuple[list[Row], NDArray[np.intp]]:
    """How often each method is sure of each claim, and the pairs of which the gate is sure of none."""
    p, n, population = block.parameters, block.n, block.population
    found = moments(d)
    others = _others(n, p.resamples, block.rng)
    few = few_differ(found.differing, n)
    skewness = found.skewness * math.sqrt(n)
    about = {"difference": block.truth, "differ": n * population.differing}
    rows: list[Row] = []
    decided = np.zeros(len(d), dtype=bool)
    for claim, value, sign in (("better", 0.0, 1), ("pass", -p.margin, 1), ("fail", -p.margin, -1)):
        sure = claimed(sign * d, sign * value, p.level, block.largest)
        every = {"gate": sure} | beside(sign * d, sign * value, p.level, *others)
        decided |= sure
        is_false = {"better": block.truth <= 0, "pass": block.truth <= -1, "fail": block.truth >= -1}
        of = about | {"claim": claim, "false": int(is_false[claim])}  # also on the border of the claim
        of["skewness"] = sign * population.skewness
        warned = few | (sign * skewness < SKEWED)
        counted = {"warned": float(warned.mean()), "pairs": p.pairs}
        rows += [
            of | {"method": method, "claimed": float(np.mean(which))} | counted
            for method, which in every.items()
        ]
    return rows, np.flatnonzero(~decided)


def _others(n: int, resamples: int, rng: Generator) -> tuple[Matrix, Matrix]:
    """Topic resamples and sign vectors, n × B each, the same for all pairs of a block."""
    if resamples == 0:
        return np.empty((n, 0)), np.empty((n, 0))
    counts = multinomial_counts(n, resamples, rng).T.astype(np.float64)
    signs: Matrix = 2.0 * rng.integers(0, 2, (n, resamples)).astype(np.float64) - 1.0
    return counts, signs


def _needed(block: Block, d: Matrix) -> list[Row]:
    """Topics needed by undecided pairs, and how many of their continuations to that number decide."""
    p = block.parameters
    rows: list[Row] = []
    for one in d:
        needed = topics_needed(plain_contrast(one, block.largest), p.margin, (p.level, p.level))
        if needed is None or needed.topics is None or needed.topics > MOST_CONTINUED:
            continue
        more = block.population.sample(CONTINUED, needed.topics - len(one), block.rng)
        whole = np.hstack([np.broadcast_to(one, (CONTINUED, len(one))), more])
        above = claimed(whole, -p.margin, p.level, block.largest)
        below = claimed(-whole, p.margin, p.level, block.largest)
        decided = float((above | below).mean())
        rows.append({"difference": block.truth, "topics_needed": needed.topics, "decided": decided})
    return rows


def _families(block: Block) -> list[Row]:
    """Whether any of six correlated comparisons is falsely claimed, alone and judged together."""
    p, population, truth, n = block.parameters, block.population, block.truth, block.n
    if p.families == 0 or truth not in (0.0, -1.0):
        return []
    value, rng, largest = truth * p.margin, block.rng, block.largest
    rows: list[Row] = []
    for _ in range(p.families):
        own = population.sample(TOGETHER, n, rng)
        common = population.sample(1, n, rng)
        d = np.where(rng.random((TOGETHER, n)) < 0.5, common, own)
        p_alone = 1 - confidences(d, value, largest)
        contrasts = [plain_contrast(one, largest) for one in d]
        influences = np.stack([one.rows for one in contrasts], axis=1)
        ones, seed = np.ones(TOGETHER), int(rng.integers(1 << 30))
        judged = judged_together((p_alone, p_alone, ones), contrasts, influences, p.level, seed)
        falsely = {"alone": p_alone <= 1 - p.level, "together": judged.above <= 1 - p.level + 1e-12}
        rows.append({"difference": truth} | {way: float(claims.any()) for way, claims in falsely.items()})
    return rows


def summarize(results: Results) -> Summary:
    """Errors of the gate and of the others, their power, topics needed, families."""
    by = ["data", "topics", "difference", "claim", "false", "method", "skewness", "differ"]
    rates = cells(results, by, ["claimed", "warned"], table="claims")
    rates["pairs"] = rates["claimed_count"] * results.parameters.pairs
    false = rates[rates["false"] == 1].copy()
    bounded = (false["topics"] >= 20) & (false["skewness"] >= SKEWED)
    frames = {
        "errors": _worst(false[bounded]),
        "family": _tested(false[bounded], results),
        "unbounded": _worst(false[~bounded]),
        "warned": _warned(false[~bounded]),
        "power": _power(rates),
    }
    needed = cells(results, ["difference", "topics"], ["topics_needed", "decided"], table="needed")
    if len(needed):
        needed["decided"] *= 100
        shown = needed.rename(columns={"decided_count": "undecided"})
        frames["topics-needed"] = shown[["difference", "topics", "undecided", "topics_needed", "decided"]]
    together = cells(results, ["data", "topics"], ["alone", "together"], table="families")
    if len(together):
        together[["alone", "together"]] *= 100
        shown = together.rename(columns={"alone_count": "families"})
        shown = shown[["data", "topics", "families", "alone", "together"]]
        frames["families"] = over_populations(shown, ["topics"], averaged(["alone", "together"]))
        frames["families-by-data"] = shown
    return Summary(tables("gate", frames))


def _by_method(rates: DataFrame, index: list[str], statistic: Literal["max", "mean"]) -> DataFrame:
    """A column a method, of its claims in percent."""
    found = 100 * rates.pivot_table(
        index=index, columns="method", values="claimed", aggfunc=statistic, sort=False
    )
    return found[[m for m in METHODS if m in found.columns]].reset_index()


def _worst(false: DataFrame) -> DataFrame:
    """By population and size, each method's largest share of false claims over claims and differences."""
    return _by_method(false, ["data", "topics"], "max")


def _power(rates: DataFrame) -> DataFrame:
    return _by_method(rates[rates["false"] == 0], ["claim", "difference", "topics"], "mean")


def _tested(false: DataFrame, results: Results) -> DataFrame:
    """Each method's worst cell, and what all cells together allow it to be at 5% (Holm's first step)."""
    import pandas as pd
    from scipy.stats import binom

    alpha = 1 - results.parameters.level
    rows = []
    for method, some in false.groupby("method", sort=False):
        cells, pairs = len(some), int(some["pairs"].iloc[0])
        counts = (some["claimed"] * some["pairs"]).round()
        p = np.asarray(binom.sf(counts - 1, some["pairs"], alpha))
        worst = {"method": method, "cells": cells, "worst": float(some["claimed"].max())}
        worst |= {"limit": float(binom.isf(0.05 / cells, pairs, alpha)) / pairs}
        above = int((p <= 0.05 / cells).sum())
        rows.append(worst | {"above_limit": above, "p": float(min(1.0, p.min() * cells))})
    return pd.DataFrame(rows)


def _warned(false: DataFrame) -> DataFrame:
    gate = false[(false["method"] == "gate") & (false["topics"] >= 20)]
    columns = {"skewness": ("skewness", "mean"), "differ": ("differ", "mean")}
    columns |= {"false": ("claimed", "most"), "warned": ("warned", "least")}
    shown = over_populations(gate, ["data", "topics"], columns)
    shown[["false", "warned"]] *= 100
    return shown


PARTS = {"load": load, "prepare": prepare, "grid": grid}
EXPERIMENT = declared("gate", GateParameters, work, summarize, 50, PARTS)
