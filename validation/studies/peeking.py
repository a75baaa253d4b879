"""How often is a verdict false when one looks again and again, and how many topics does it take?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank.comparison.sequential.mixture import running_moments, t_scores
from truerank.comparison.sequential.rules import Betting, Mixture, Planned, Rule
from truerank.errors import InputError
from truerank.experiments.shared.agreement import listed
from truerank.experiments.study import Grid, Key, Results, Row, Summary, Task, declared, option, tables
from validation.studies.gate import claimed
from validation.studies.pair_populations import SUPPORT, PairPopulation, built_in, of_table

if TYPE_CHECKING:
    from pandas import DataFrame

Reached = NDArray[np.bool_]

TOGETHER = 50  # sequences whose every look is held at once
# Of each claim: the sign of the differences, and the value in margins that they are above.
CLAIMS: Mapping[str, tuple[float, float]] = {"better": (1.0, 0.0), "pass": (1.0, -1.0), "fail": (-1.0, 1.0)}

# True differences in margins, and the claims that are asked there.
TRUTHS: Mapping[float, tuple[str, ...]] = {
    1.0: ("better",),
    0.0: ("better", "pass"),
    -1.0: ("pass", "fail"),
    -2.0: ("fail",),
}

# Claims that are just false, and whether any of them is made where two are.
FALSE = {("better", 0.0), ("pass", -1.0), ("fail", -1.0), ("any", -1.0)}

# Built-in populations that are looked at, beside one with a disaster on a topic in a hundred.
ALONE = (
    "normal",
    "heavy tails",
    "skewed losses",
    "skewed gains",
    "rare collapse",
    "AP",
    "P@10, mostly ties",
    "RR, mostly ties",
    "success, often",
    "success, 10%",
    "success, 3%",
)


@dataclass(frozen=True)
class PeekingParameters:
    """Four thousand sequences of each population and true difference, with a look after every topic."""

    trials: int = option(
        16, "Blocks of sequences of each population and true difference.", grows=True, least=1
    )
    sequences: int = option(250, "Sequences of topics in a block.", least=1)
    topics: int = option(1_000, "Topics of a sequence; a multiple of 200.", least=200)
    margin: float = option(0.15, "The margin, in standard deviations of a topic's difference.")
    level: float = option(0.95, "Level of each claim over all looks.")
    table_pairs: int = option(1, "Pairs of systems taken from each score table.", least=1)

    def __post_init__(self) -> None:
        """Refuse sizes that are none."""
        if self.topics % 200 or not self.margin > 0 or not 0.5 < self.level < 1:
            raise InputError(
                "topics must be a multiple of 200, margin above 0, and the level between 0.5 and 1"
            )


@dataclass(frozen=True)
class Context:
    """Every population with every true difference, and its margin in units of the score."""

    parameters: PeekingParameters
    populations: Mapping[tuple[str, float], PairPopulation]
    margins: Mapping[str, float]


def disaster() -> PairPopulation:
    """Nearly nothing on most topics, and a loss of 0.8 on one in a hundred; a standard deviation of 0.1."""
    rng = stream(0, "pairs", "disaster")
    most = rng.normal(0.008, 0.06, SUPPORT - SUPPORT // 100)
    return PairPopulation.of(np.append(most, np.full(SUPPORT // 100, -0.8)))


def load(sources: Any, parameters: PeekingParameters) -> dict[str, PairPopulation]:
    """Pairs of systems of score tables; without any, the built-in populations."""
    if not sources:
        known = built_in()
        return {name: known[name] for name in ALONE} | {"disaster": disaster()}
    return {
        name: one
        for source in listed(sources)
        for name, one in of_table(source, Path(str(source)).stem, parameters.table_pairs).items()
    }


def prepare(parameters: PeekingParameters, data: Mapping[str, PairPopulation], seed: int) -> Context:
    """Move each population to each true difference."""
    margins = {name: parameters.margin * one.moved(0.0).deviation for name, one in data.items()}
    moved = {
        (name, truth): one.moved(truth * margins[name]) for name, one in data.items() for truth in TRUTHS
    }
    return Context(parameters, moved, margins)


def grid(parameters: PeekingParameters, data: Sequence[str]) -> Grid:
    """Block by block, all populations and true differences (by number)."""
    blocks: dict[str, Sequence[Key]] = {"trial": range(parameters.trials), "data": data}
    return Grid(blocks | {"truth": range(len(TRUTHS))})


# ── ways to look ──────────────────────────────────────────────────────────────────────────────────────


# What decides, and at how many evenly spaced looks; without a number at its own.
WAYS: Mapping[str, tuple[str, int | None]] = {
    "betting": ("betting", None),
    "betting, every 10": ("betting", 100),
    "mixture": ("mixture", None),
    "mixture, every 10": ("mixture", 100),
    "Pocock, 20 looks": ("Pocock", None),
    "O'Brien-Fleming, 20 looks": ("O'Brien-Fleming", None),
    "gate, 20 looks": ("gate", None),
    "t, 5 looks": ("t", 5),
    "t, 20 looks": ("t", 20),
    "t, 99 looks": ("t", 100),
}


def looks_at(topics: int, looks: int | None) -> Reached:
    """Whether there is a look after each topic; fewer than ten topics are no look."""
    if looks is None:
        return np.ones(topics, dtype=bool)
    places = np.arange(1, topics + 1)
    return (places % (topics // looks) == 0) & ((looks < 100) | (places > 10))


def deciding(
    topics: int, level: float, largest: float | None
) -> dict[str, Callable[[Matrix, float], Reached]]:
    """What decides whether "above v" is established by the look after each topic, by name."""
    alpha = 1 - level
    twenty = tuple(topics // 20 * k for k in range(1, 21))

    def by(rule: Rule) -> Callable[[Matrix, float], Reached]:
        return lambda d, value: rule.reached(d, value, alpha)

    def t(d: Matrix, value: float) -> Reached:
        from scipy.special import stdtrit

        found = running_moments(d)
        needed = np.append(np.inf, stdtrit(found.n[1:] - 1, level))
        sure: Reached = t_scores(found, value) >= needed
        return sure

    def gate(d: Matrix, value: float) -> Reached:
        sure = np.zeros(d.shape, dtype=bool)
        for n in twenty:
            sure[:, n - 1] = claimed(d[:, :n], value, level, None)
        return sure

    betting = {} if largest is None else {"betting": by(Betting(largest))}
    return betting | {
        "mixture": by(Mixture()),
        "Pocock": by(Planned(twenty)),
        "O'Brien-Fleming": by(Planned(twenty, "obrien-fleming")),
        "gate": gate,
        "t": t,
    }


def work(context: Context, task: Task, seed: int) -> list[Row]:
    """How often each way to look ever makes each claim, and after how many topics."""
    p, name, truth = context.parameters, str(task["data"]), list(TRUTHS)[int(task["truth"])]
    population, margin = context.populations[name, truth], context.margins[name]
    rng = stream(seed, "sequences")
    largest = 1.0 if np.abs(population.values).max() <= 1 else None
    found: dict[tuple[str, str], list[NDArray[np.intp]]] = {}
    deciders = deciding(p.topics, p.level, largest)
    for start in range(0, p.sequences, TOGETHER):
        d = population.sample(min(TOGETHER, p.sequences - start), p.topics, rng)
        for decider, reached in deciders.items():
            for claim in TRUTHS[truth]:
                sign, value = CLAIMS[claim]
                every = reached(sign * d, value * margin)
                for way, (base, looks) in WAYS.items():
                    if base == decider:
                        sure = every & looks_at(p.topics, looks)
                        first = np.where(sure.any(axis=1), sure.argmax(axis=1) + 1, 0)
                        found.setdefault((way, claim), []).append(first)
    firsts = {key: np.concatenate(parts) for key, parts in found.items()}
    if truth == -1.0:
        for way in dict.fromkeys(way for way, _ in found):
            firsts[way, "any"] = np.maximum(firsts[way, "pass"], firsts[way, "fail"])
    return [
        {
            "difference": truth,
            "claim": claim,
            "method": way,
            "false": int((claim, truth) in FALSE),
            "claimed": float((first > 0).mean()),
            "spent": float(np.where(first > 0, first, p.topics).mean()),
            "deviation": population.deviation,
            "sequences": p.sequences,
        }
        for (way, claim), first in firsts.items()
    ]


# ── tables ────────────────────────────────────────────────────────────────────────────────────────────


def summarize(results: Results) -> Summary:
    """The worst share of false claims, that of any false verdict, and topics until a verdict."""
    by = ["data", "difference", "claim", "method", "false"]
    found = results.moments(by, ["claimed", "spent"])
    found["sequences"] = found["claimed_count"] * results.parameters.sequences
    found["claimed"] = 100 * found["claimed_mean"]
    false = found[(found["false"] == 1) & (found["claim"] != "any")]
    frames = {
        "false": _by_method(false, "max"),
        "any": _by_method(found[found["claim"] == "any"], "max"),
        "cells": _cells(false, results),
    }
    true = found[found["false"] == 0]
    frames["topics"] = _by_method(true.assign(claimed=true["spent_mean"]), "mean")
    frames["decided"] = _by_method(true, "mean")
    return Summary(tables("peeking", {name: frame for name, frame in frames.items() if len(frame)}))


def _by_method(found: DataFrame, statistic: Any) -> DataFrame:
    """A column a method; over the claims of a population."""
    wide = found.pivot_table(
        index="data", columns="method", values="claimed", aggfunc=statistic, sort=False, observed=True
    )
    return wide.reset_index().rename_axis(columns=None)


def _cells(false: DataFrame, results: Results) -> DataFrame:
    """Each method's worst cell, and what three standard errors allow a cell at the level to have."""
    import pandas as pd

    alpha = 1 - results.parameters.level
    rows = []
    for method, some in false.groupby("method", sort=False):
        sequences = int(some["sequences"].min())
        limit = 100 * (alpha + 3 * (alpha * (1 - alpha) / sequences) ** 0.5)
        worst, above = float(some["claimed"].max()), int((some["claimed"] > limit).sum())
        error = 100 * (worst / 100 * (1 - worst / 100) / sequences) ** 0.5
        rows.append(
            {"method": method, "cells": len(some), "sequences": sequences, "worst": worst, "se": error}
            | {"limit": limit, "above": above}
        )
    return pd.DataFrame(rows)


EXPERIMENT = declared(
    "peeking", PeekingParameters, work, summarize, chunk=12, load=load, prepare=prepare, grid=grid
)
