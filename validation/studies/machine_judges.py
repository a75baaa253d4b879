"""Machine judgments corrected by a few human ones: is what is then said of the ranking right?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError
from truerank.experiments.engine.parameters import each
from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import of_draws, outcomes, percent
from truerank.experiments.study import Results, Row, Summary, Task, declared, every, option, tables
from truerank.numerics.intervals import check_levels
from truerank.numerics.matrices import doubly_centered
from truerank.reliability.estimators import TopicSample
from truerank.reliability.means import Means
from truerank.reliability.means.corrected import corrected
from truerank.reliability.means.means import plain_means
from truerank.reliability.predictive import Predictive
from truerank.scores import ScoreMatrix, ranking_order
from validation.studies.populations import PopulationParameters, check_pair_estimators, over_populations
from validation.studies.simulated_machines import MACHINES

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame

RANDOM, HARD = "random", "hard"  # how the topics that people judge are chosen
# Whose scores: people's alone, the machine's alone, both; what each name of a column begins with.
WAYS = ("human", "machine", "")


CORRECTABLE = partial(check_pair_estimators, refusal="is not defined for corrected means")


@dataclass(frozen=True)
class MachineParameters(PopulationParameters):
    """Series of topics, some judged by people, all by machines that are wrong in several ways."""

    trials: int = option(84, "Series of topics drawn from each population.")
    topics: tuple[int, ...] = option((10, 20, 50), "Topics judged by people.")
    times: tuple[int, ...] = option(
        (2, 10, 100), "Topics judged by the machine: so many times as many.", least=2
    )
    machines: tuple[str, ...] = option(tuple(MACHINES), "Machine judges.", check=each(MACHINES.find))
    few: int = option(5, "Too few topics judged by people, ten times as many by the machine; 0 for never.")
    hard: int = option(20, "Topics judged by people where they take the hardest tenth; 0 for never.")
    estimators: tuple[str, ...] = option(
        ("eb", "ml"), "Estimators to compare; the first one's intervals.", check=CORRECTABLE
    )
    coefficients: tuple[str, ...] = option(("tau",), "Coefficient to estimate.")
    systems: int = option(
        30, "At most so many are kept of a score table, evenly spread over its ranking.", least=3
    )
    levels: tuple[float, ...] = option((0.8, 0.95), "Nominal levels.", check=check_levels)
    draws: int = option(320, "Joint draws behind each interval.", least=2)

    def __post_init__(self) -> None:
        """Refuse numbers of topics that are too small, and several coefficients."""
        super().__post_init__()
        if min(self.few or 3, self.hard or 3) < 3:
            raise InputError("few and hard must be at least 3, or 0 for never")
        if len(self.coefficients) > 1:
            raise InputError("one coefficient at a time")

    @property
    def longest(self) -> int:
        """Topics of a series."""
        return max(size for _, _, size in self.plans)

    @property
    def plans(self) -> list[tuple[str, int, int]]:
        """How topics are chosen, how many people judge and how many the machine."""
        found = [(RANDOM, n, n * k) for n in self.topics for k in self.times]
        breaks = ((RANDOM, self.few), (HARD, self.hard))
        return found + [(chosen, n, 10 * n) for chosen, n in breaks if n]


def prepare(
    parameters: MachineParameters, data: Mapping[str, simulated.Original], seed: int
) -> simulated.Context:
    """Fit the models to the systems that are kept."""
    kept = {name: replace(one, given=_kept(one.given, parameters)) for name, one in data.items()}
    return simulated.prepare(replace(parameters, drop_bottom=0.0), kept, seed)


def _kept(given: Any, parameters: MachineParameters) -> Any:
    """A table's better systems, at most so many, evenly spread over the ranking; a model as it is."""
    if not isinstance(given, ScoreMatrix):
        return given
    better = given.drop_bottom(parameters.drop_bottom)
    if better.m <= parameters.systems:
        return better
    places = np.linspace(0, better.m - 1, parameters.systems).round().astype(np.intp)
    return better.select(np.sort(ranking_order(better.means)[places]))


def methods(parameters: MachineParameters) -> dict[str, list[Any]]:
    """What is compared: the machines besides the estimators, coefficients and simulators."""
    return simulated.methods(parameters) | {"machines": [MACHINES.find(name) for name in parameters.machines]}


@dataclass(frozen=True)
class Found:
    """Actual and estimated coefficients of one ranking, and what the first estimator's intervals did."""

    actual: float
    estimates: dict[str, float]
    held: dict[str, float]


def work(context: simulated.Context, task: Task, seed: int) -> list[Row]:
    """What people's scores, each machine's and both together say of one series of topics, and what is true.

    Beside it: what people's alone would say of as many topics as both count as, λ, and the effective topics.
    """
    parameters: MachineParameters = context.parameters
    model = context.models[str(task["data"])]
    truth = np.asarray(model.true_means)
    people = model.sample(parameters.longest, seed).values

    def of(means: Means) -> Found:
        return _found(context, means, truth, seed)

    alone = {n: of(plain_means(people[:n])) for n in _sizes(parameters)}
    rows: list[Row] = []
    for name in parameters.machines:
        machine = MACHINES[name].scores(people, seed)
        wanted = sorted({size for _, _, size in parameters.plans})
        claims = {size: of(plain_means(machine[:size])) for size in wanted}
        known = Agreement.of(people, machine)
        for chosen, n, size in parameters.plans:
            matched = np.arange(n) if chosen == RANDOM else _hardest(people[:size], n)
            human = alone[n] if chosen == RANDOM else of(plain_means(people[matched]))
            both = corrected(people[matched], machine[:size], matched)
            found = of(both.means)
            row: Row = {"machine": name, "chosen": chosen, "human": n, "times": size // n}
            for way, one in zip(WAYS, (human, claims[size], found), strict=True):
                row |= _fields(way, one)
            first = context.estimators[0].name
            row |= {
                "lambda": both.scale,
                "effective": both.means.effective,
                "theory": known.effective_topics(n, size),
                "same_bias": _at(alone, both.means.effective, first),
            }
            rows.append(row)
    return rows


def _sizes(parameters: MachineParameters) -> list[int]:
    """Numbers of topics between which people's scores alone are interpolated, those asked for among them."""
    judged = [n for chosen, n, _ in parameters.plans if chosen == RANDOM]
    spread = np.geomspace(min(judged), parameters.longest, 14).round().astype(int).tolist()
    return sorted({*spread, *judged})


def _hardest(people: Matrix, n: int) -> NDArray[np.intp]:
    """The n topics on which people's mean score is lowest."""
    return np.sort(np.argsort(people.mean(axis=1), kind="stable")[:n])


def _found(context: simulated.Context, means: Means, truth: Vector, seed: int) -> Found:
    """What the estimators say of the ranking by these means."""
    parameters: MachineParameters = context.parameters
    coefficient: Coefficient = COEFFICIENTS.find(parameters.coefficients[0])
    order, _, swapped = simulated.against_truth(means.theta, truth)
    actual = coefficient.of_swaps(swapped)
    sample = TopicSample.of(means.select(order), parameters.resamples, seed)
    predictive = Predictive(sample, [coefficient], parameters.draws)
    estimates = {e.name: coefficient.of_swaps(predictive.fit(e).probabilities) for e in context.estimators}
    drawn = predictive.draws(context.estimators[0]).coefficient(coefficient)
    return Found(actual, estimates, outcomes(parameters.levels, of_draws(drawn, actual)))


def _fields(way: str, found: Found) -> Row:
    """A way's fields of a row: ``human_actual``, ``human_eb``, ``human_covered_95`` …"""
    start = f"{way}_" if way else ""
    fields = {"actual": found.actual} | found.estimates | found.held
    return {f"{start}{key}": value for key, value in fields.items()}


def _at(alone: Mapping[int, Found], topics: float, estimator: str) -> float:
    """Estimate − actual of people's scores alone at a number of topics, linear in its logarithm."""
    sizes = np.array(list(alone), dtype=np.float64)
    differences = [one.estimates[estimator] - one.actual for one in alone.values()]
    return float(np.interp(math.log(topics), np.log(sizes), differences))


@dataclass(frozen=True)
class Agreement:
    """Variances of both judges' scores and their covariance, without means of systems and topics."""

    people: float
    machine: float
    shared: float

    @classmethod
    def of(cls, people: Matrix, machine: Matrix) -> Agreement:
        """Of as many topics as there are."""
        h, f = doubly_centered(people), doubly_centered(machine)
        return cls(*(float(np.mean(x)) for x in (h**2, f**2, h * f)))

    def effective_topics(self, n: int, size: int) -> float:
        """What n topics by people and N by the machine count as: ``n/(1 − ρ² (N − n)/N)`` for 0 < λ < 1."""
        if self.machine <= 0 or self.people <= 0:
            return float(n)
        share = (size - n) / size
        scale = float(np.clip(share * self.shared / self.machine, 0.0, 1.0))
        left = 1 - (2 * scale * self.shared - scale**2 / share * self.machine) / self.people
        return min(n / max(left, 1e-12), float(size))


KEYS = ["machine", "chosen", "human", "times"]  # a cell


def _derived(estimators: tuple[str, ...]) -> Any:
    def derived(frame: Any) -> Any:
        columns = {}
        for way in ("human_", "machine_", ""):
            for name in estimators:
                start = way if name == estimators[0] else f"{way}{name}_"
                difference = frame[f"{way}{name}"] - frame[f"{way}actual"]
                columns[f"{start}bias"], columns[f"{start}error"] = difference, difference.abs()
        # Pairs: the same topics, with and without the machine.
        columns["more_error"] = columns["error"] - columns["human_error"]
        columns["more_bias"] = columns["bias"] - frame["same_bias"]
        columns["more_actual"] = frame["actual"] - frame["human_actual"]
        return frame.assign(**columns)

    return derived


def summarize(results: Results) -> Summary:
    """Each way's bias, error and coverage in each cell; what is gained; populations averaged, and each."""
    parameters: MachineParameters = results.parameters
    levels = percent(parameters.levels)
    others = [f"{name}_{what}" for name in parameters.estimators[1:] for what in ("bias", "error")]
    shown = {
        "ranking": ["human_actual", "machine_actual", "actual", "machine_bias"],
        "bias": ["human_bias", "bias", "same_bias", "more_bias", *others],
        "error": ["human_error", "machine_error", "error", "more_error"],
        "coverage": [f"{way}covered_{level}" for way in ("human_", "machine_", "") for level in levels]
        + [f"{way}width_{level}" for way in ("human_", "") for level in levels],
        "gain": ["lambda", "effective", "theory", "more_actual"],
    }
    values = list(dict.fromkeys(value for one in shown.values() for value in one))
    each = results.moments(["data", *KEYS], values, _derived(parameters.estimators))
    frames = {f"average-{name}": _over_populations(each, columns) for name, columns in shown.items()}
    return Summary(tables("machine", frames | {"cells": each}))


def _over_populations(table: DataFrame, values: list[str]) -> DataFrame:
    """Means over the populations of means, each beside its standard error."""
    columns = {f"{value}_{what}": (value, what) for value in values for what in ("mean", "se")}
    return over_populations(table, KEYS, columns)


PARTS = simulated.PARTS | {"prepare": prepare, "grid": every(), "methods": methods}
EXPERIMENT = declared("machine", MachineParameters, work, summarize, 6, PARTS)
