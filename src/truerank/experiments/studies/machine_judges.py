"""Machine judgments corrected by a few human ones: is what is then said of the ranking right?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.experiments.shared.coverage import outcome, outcomes
from truerank.numerics.centring import doubly_centred
from truerank.numerics.intervals import check_levels, quantile_interval
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means import Means, corrected, plain_means
from truerank.reliability.predictive import Predictive
from truerank.scores import TIE, ScoreMatrix, ranking_order
from truerank.simulation.machines import MACHINES

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

RANDOM, HARD = "random", "hard"
"""How the topics that people judge are chosen."""

WAYS = ("human", "machine", "")
"""Whose scores: people's alone, the machine's alone, both; what each name of a column begins with."""


@dataclass(frozen=True)
class MachineParameters(simulated.SimulatedParameters):
    """Series of topics, some judged by people, all by machines that are wrong in several ways."""

    trials: int = option(84, "Series of topics drawn from each population.", grows=True)
    topics: tuple[int, ...] = option((10, 20, 50), "Topics judged by people.")
    times: tuple[int, ...] = option((2, 10, 100), "Topics judged by the machine: so many times as many.")
    machines: tuple[str, ...] = option(tuple(MACHINES), "Machine judges.")
    few: int = option(5, "Too few topics judged by people, ten times as many by the machine; 0 for never.")
    hard: int = option(20, "Topics judged by people where they take the hardest tenth; 0 for never.")
    estimators: tuple[str, ...] = option(("eb", "ml"), "Estimators to compare; the first one's intervals.")
    coefficients: tuple[str, ...] = option(("tau",), "Coefficient to estimate.")
    simulator: tuple[str, ...] = option(
        ("effects", "copula"), "Fitted to score tables: effects, copula or your own; each makes a population."
    )
    simulator_options: tuple[str, ...] = option(
        ("effects.truth=model",),
        "Of the fit, as KEY=VALUE; SIMULATOR.KEY=VALUE for only one of several.",
    )
    drop_bottom: float = option(0.25, "Share of systems dropped from score tables, by quantile of the means.")
    systems: int = option(30, "At most so many are kept of a score table, evenly spread over its ranking.")
    levels: tuple[float, ...] = option((0.8, 0.95), "Nominal levels.")
    draws: int = option(320, "Joint draws behind each interval.")

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        super().__post_init__()
        check_levels(self.levels)
        for name in self.machines:
            MACHINES.find(name)
        for name in self.estimators:
            found = ESTIMATORS.find(name)
            if not isinstance(found, PairEstimator) or found.needs == "scores":
                raise InputError(f"{name} is not defined for corrected means; leave it out")
        if not self.machines or not self.times or min(self.times) < 2:
            raise InputError("machines and times need one value at least, and times no less than 2")
        if self.draws < 2 or self.systems < 3 or min(self.few or 3, self.hard or 3) < 3:
            raise InputError("at least two draws, three systems and three topics are needed")
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


def grid(parameters: MachineParameters, data: Any) -> Grid:
    """Every trial of every population; whole trials come first, so more can follow."""
    return Grid({"trial": range(parameters.trials), "data": data})


@dataclass(frozen=True)
class Found:
    """What is said of one ranking, and what is true.

    Attributes:
        actual: the coefficient between the ranking and the true one.
        estimates: of it, by the estimator's name.
        held: of the first estimator's intervals, whether they hold the actual one, and their widths.
    """

    actual: float
    estimates: dict[str, float]
    held: dict[str, float]


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """One series of topics: of each number the first are judged by people, more by each machine.

    A row has what people's scores alone, the machine's alone and both together say and what is true of each;
    what people's alone would say of as many topics as both are said to count as; λ; and the effective topics,
    as estimated and as they follow from the correlation of both judges over the whole series.
    """
    parameters: MachineParameters = context.parameters
    model = context.models[str(task["data"])]
    truth = np.asarray(model.true_means)
    with clock.measure("simulation"):
        people = model.sample(parameters.longest, seed).values

    def of(means: Means) -> Found:
        return _found(context, means, truth, seed)

    with clock.measure("human"):
        alone = {n: of(plain_means(people[:n])) for n in _sizes(parameters)}
    rows: list[Row] = []
    for name in parameters.machines:
        with clock.measure("machine"):
            machine = MACHINES[name].scores(people, seed)
            wanted = sorted({size for _, _, size in parameters.plans})
            claims = {size: of(plain_means(machine[:size])) for size in wanted}
            known = Agreement.of(people, machine)
        for chosen, n, size in parameters.plans:
            matched = np.arange(n) if chosen == RANDOM else _hardest(people[:size], n)
            human = alone[n] if chosen == RANDOM else of(plain_means(people[matched]))
            with clock.measure("both"):
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
    order = ranking_order(means.theta)
    in_order = truth[order]
    swapped = np.triu((in_order[:, None] < in_order[None, :] - TIE).astype(np.float64), 1)
    actual = coefficient.of_swaps(swapped)
    sample = TopicSample.of(means.select(order), parameters.resamples, seed)
    predictive = Predictive(sample, [coefficient], parameters.draws)
    estimates = {e.name: coefficient.of_swaps(predictive.fit(e).probabilities) for e in context.estimators}
    drawn = predictive.draws(context.estimators[0]).coefficient(coefficient)
    held = outcomes(parameters.levels, lambda level: outcome(quantile_interval(drawn, level), actual))
    return Found(actual, estimates, held)


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
    """How both judges' scores vary and vary together, without means of systems and topics.

    Attributes:
        people: variance of people's scores.
        machine: variance of the machine's.
        shared: their covariance.

    Example:
        >>> scores = np.random.default_rng(1).uniform(size=(50, 3))
        >>> round(Agreement.of(scores, scores).effective_topics(10, 100), 6)
        100.0
    """

    people: float
    machine: float
    shared: float

    @classmethod
    def of(cls, people: Matrix, machine: Matrix) -> Agreement:
        """Of as many topics as there are."""
        h, f = doubly_centred(people), doubly_centred(machine)
        return cls(*(float(np.mean(x)) for x in (h**2, f**2, h * f)))

    def effective_topics(self, n: int, size: int) -> float:
        """As many as n topics by people and `size` by the machine count as, where this is known.

        With ρ the correlation, ``n/(1 − ρ² (N − n)/N)``; less where λ ends at 0 or at 1.
        """
        if self.machine <= 0 or self.people <= 0:
            return float(n)
        share = (size - n) / size
        scale = float(np.clip(share * self.shared / self.machine, 0.0, 1.0))
        left = 1 - (2 * scale * self.shared - scale**2 / share * self.machine) / self.people
        return min(n / max(left, 1e-12), float(size))


KEYS = ["machine", "chosen", "human", "times"]
"""A cell."""


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
    if not results.finished:
        return Summary(())
    parameters: MachineParameters = results.parameters
    levels = [f"{100 * level:g}" for level in parameters.levels]
    others = [f"{name}_{what}" for name in parameters.estimators[1:] for what in ("bias", "error")]
    shown = {
        "ranking": ["human_actual", "machine_actual", "actual", "machine_bias"],
        "bias": ["human_bias", "bias", "same_bias", "more_bias", *others],
        "error": ["human_error", "machine_error", "error", "more_error"],
        "coverage": [f"{way}covered_{level}" for way in ("human_", "machine_", "") for level in levels]
        + [f"{way}width_{level}" for way in ("human_", "") for level in levels],
        "gain": ["lambda", "effective", "theory", "more_actual"],
    }
    fields = list(dict.fromkeys(field for one in shown.values() for field in one))
    each = results.moments(["data", *KEYS], fields, _derived(parameters.estimators))
    averages = _over_populations(each, fields)
    captions = {
        "ranking": "How close the ranking is to the true one: by people, by the machine, by both; and what "
        "the machine alone claims too much",
        "bias": "Estimated − actual: people alone, both, people alone with as many topics as effective, and "
        "the difference of the latter two",
        "error": "Mean |estimated − actual|, and the error of both less that of people alone",
        "coverage": "Share of intervals that hold the actual coefficient, and their width",
        "gain": "λ, effective topics as estimated and as they follow from the known correlation, and the "
        "gain in the actual coefficient",
    }
    tables = [
        Table(f"average-{name}", f"{captions[name]}; mean of populations", _columns(averages, columns))
        for name, columns in shown.items()
    ]
    return Summary((*tables, Table("cells", "All of it in each population", each)))


def _columns(frame: DataFrame, columns: list[str]) -> DataFrame:
    return frame[[*KEYS, *(f"{column}_{what}" for column in columns for what in ("mean", "se"))]]


def _over_populations(frame: DataFrame, fields: list[str]) -> DataFrame:
    """Means over the populations of means, and their standard errors."""
    import pandas as pd

    grouped = frame.groupby(KEYS, sort=False)
    found: dict[str, Any] = {}
    for field in fields:
        errors = grouped[f"{field}_se"]
        found[f"{field}_mean"] = grouped[f"{field}_mean"].mean()
        found[f"{field}_se"] = errors.apply(lambda se: float(np.sqrt((se**2).sum()) / len(se)))
    return pd.DataFrame(found).reset_index()


MACHINE_EXPERIMENT = Experiment(
    name="machine",
    label="machine judgments corrected by a few human ones",
    source="docs/methods/machine-judgments.md",
    parameters=MachineParameters,
    load=simulated.load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    methods=methods,
    chunk=6,
    explanation=r"""
    Topics are drawn from populations whose truth is known. People judge the first $n$ of a series, a machine
    the first $N$; machines are of several kinds, each wrong in one way. What people's scores alone say of
    their ranking, what the machine's alone do, and what both together do is compared with what is true, and
    with people's scores alone of as many topics as both count as.
    """,
    formula=r"\hat\theta = \bar H - \lambda \bar F_n + \lambda \bar F_{\mathrm{rest}}",
    references=("angelopoulos-2023",),
)
