"""Leaderboards of several data sets: are estimates right on new topics, new sets, with empty cells?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import seed_of
from truerank._support.types import Matrix, Vector
from truerank.coefficients import COEFFICIENTS, TAU, Coefficient
from truerank.errors import InputError
from truerank.experiments.engine.parameters import each
from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import interval_values, of_draws, outcomes, with_differences
from truerank.experiments.study import Results, Row, Summary, Task, declared, every, option, tables
from truerank.numerics.intervals import check_levels
from truerank.readers import as_scores
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.means import plain_means
from truerank.reliability.predictive import Predictive
from truerank.scores import TIE, ScoreMatrix
from truerank.simulation import fit
from validation.studies.populations import (
    BoardModel,
    averaged,
    check_pair_estimators,
    fit_board,
    over_populations,
    with_holes,
)

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame
    from truerank.simulation.model import SimulationModel

# The question asked, and the size of each data set.
DESIGNS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "fixed 5": ("topics", (5, 14, 39, 108, 300)),
    "fixed 40": ("topics", tuple(np.geomspace(5, 300, 40).round().astype(int).tolist())),
    "random 5": ("data_sets", (5, 14, 39, 108, 300)),
    "random 40": ("data_sets", tuple(np.geomspace(5, 300, 40).round().astype(int).tolist())),
}


def _check_design(name: str) -> None:
    if name not in DESIGNS:
        raise InputError(f"designs are {', '.join(DESIGNS)}, not {name!r}")


OF_DATA_SETS = partial(check_pair_estimators, refusal="is not defined for means of data sets")


@dataclass(frozen=True)
class BoardsParameters:
    """Leaderboards from models of each data set, complete and with holes, and what users do without them."""

    trials: int = option(500, "Leaderboards of each design.", grows=True, least=1)
    designs: tuple[str, ...] = option(
        tuple(DESIGNS), "Questions and numbers of data sets.", check=each(_check_design)
    )
    holes: tuple[str, ...] = option(
        ("none", "0.05", "0.2", "hard"), "Empty cells: none, a share at random, or hard topics."
    )
    data_sets: int = option(
        5, "Data sets that the topics of a table without data sets are cut into.", least=3
    )
    simulator: tuple[str, ...] = option(("effects", "copula"), "Fitted to each data set.")
    drop_bottom: float = option(0.25, "Share of systems dropped, by quantile of the means.")
    estimators: tuple[str, ...] = option(
        ("eb", "ml", "res"), "Estimators to compare; of all kinds of means.", check=OF_DATA_SETS
    )
    levels: tuple[float, ...] = option((0.8, 0.9, 0.95), "Nominal levels.", check=check_levels)
    draws: int = option(1_000, "Joint draws behind each interval.", least=2)
    resamples: int = option(500, "Resamples of the topics, for res.", least=2)


@dataclass(frozen=True)
class Context:
    """Models of the leaderboards, and of one table of all topics."""

    parameters: BoardsParameters
    boards: dict[str, BoardModel]
    tables: dict[str, SimulationModel]
    estimators: tuple[PairEstimator, ...]


def load(sources: Any, parameters: BoardsParameters) -> dict[str, simulated.Original]:
    """Score tables, once for each simulator; a table without data sets is cut into consecutive ones."""
    read = [(name, as_scores(source, one_table="")) for name, source in simulated.named(sources)]
    cut = [(name, table if table.k > 1 else in_sets(table, parameters.data_sets)) for name, table in read]
    return simulated.by_name(
        (f"{name} ({simulator})", simulated.Original(table, table.source, simulator))
        for name, table in cut
        for simulator in parameters.simulator
    )


def in_sets(scores: ScoreMatrix, count: int) -> ScoreMatrix:
    """The same scores, their topics cut into that many consecutive data sets of much the same size."""
    names = [f"set {1 + t * count // scores.n}" for t in range(scores.n)]
    return ScoreMatrix.build(
        scores.values, scores.topics, scores.systems, scores.measure, scores.source, data_sets=names
    )


def prepare(parameters: BoardsParameters, data: Mapping[str, simulated.Original], seed: int) -> Context:
    """Fit one model to each data set, and one to all topics together."""
    boards, tables = {}, {}
    own = seed_of(seed, "fit")
    for name, original in data.items():
        assert isinstance(original.given, ScoreMatrix)
        kept = original.given.drop_bottom(parameters.drop_bottom)
        options = {"truth": "model"} if original.simulator == "effects" else {}
        boards[name] = fit_board(kept, original.simulator, own, **options)
        one = ScoreMatrix.build(kept.values, None, kept.systems, kept.measure)
        tables[name] = fit(one, original.simulator, seed=own, **options)
        boards[name].table  # noqa: B018 - true means are computed once, here
        tables[name].true_means  # noqa: B018
    methods = tuple(ESTIMATORS.find(name) for name in parameters.estimators)
    return Context(parameters, boards, tables, methods)  # type: ignore[arg-type]


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """Estimates and intervals of one leaderboard with each pattern of holes, and as users treat it today."""
    parameters = context.parameters
    question, sizes = DESIGNS[str(task["design"])]
    name = str(task["data"])
    board = context.boards[name].sample(sizes, seed, question)  # type: ignore[arg-type]
    points: list[Row] = []
    intervals: list[Row] = []
    for holes in parameters.holes:
        scores = with_holes(board.scores, holes, seed)
        means = means_of(scores, question)
        found, held = _estimates(context, means, board.truth, seed)
        points += [{"holes": holes, "way": "truerank"} | row for row in found]
        intervals += [{"holes": holes} | row for row in held]
        # Paired with what is above, on the same cells.
        points += [{"holes": holes} | row for row in _today(scores, question, board.truth, seed)]
        if holes == "none":
            size = max(3, round(means.effective))
            model = context.tables[name]
            plain = plain_means(model.sample(size, seed).values)
            found, held = _estimates(context, plain, model.true_means, seed)
            points += [{"holes": "one table", "way": "truerank"} | row for row in found]
            intervals += [{"holes": "one table"} | row for row in held]
    return {"points": points, "intervals": intervals}


def _ranked(means: Means, truth: Vector, seed: int, resamples: int) -> tuple[TopicSample, Matrix]:
    """The sample with systems in ranking order, and which pairs are swapped in truth."""
    order, _, swapped = simulated.against_truth(means.theta, truth)
    return TopicSample.of(means.select(order), resamples, seed), swapped


def _estimates(context: Context, means: Means, truth: Vector, seed: int) -> tuple[list[Row], list[Row]]:
    """Each estimator's estimates, and whether the first's intervals hold."""
    parameters = context.parameters
    coefficients: list[Coefficient] = [TAU, COEFFICIENTS["tau_ap"]]
    sample, swapped = _ranked(means, truth, seed, parameters.resamples)
    predictive = Predictive(sample, coefficients, parameters.draws)
    points: list[Row] = []
    for method in context.estimators:
        probabilities = predictive.fit(method).probabilities
        points += [
            {"estimator": method.name, "coefficient": c.name, "estimate": c.of_swaps(probabilities)}
            | {"actual": c.of_swaps(swapped), "effective": means.effective}
            for c in coefficients
        ]
    drawn = predictive.draws(context.estimators[0])
    intervals = [
        {"coefficient": c.name}
        | outcomes(parameters.levels, of_draws(drawn.coefficient(c), c.of_swaps(swapped)))
        for c in coefficients
    ]
    return points, intervals


def _today(scores: ScoreMatrix, question: str, truth: Vector, seed: int) -> list[Row]:
    """What users would say of τ without influence rows, by a bootstrap of topics or data sets.

    ``pooled``: all topics in one table, empty cells being zero. ``own means``: each system's mean of its
    means on the data sets, empty cells forgotten. ``zeros``: the same with zeros for empty cells.
    """
    values, strata = scores.values, scores.strata
    assert strata is not None
    filled = np.nan_to_num(values)
    there = ~np.isnan(values)
    member = np.equal.outer(np.arange(scores.k), strata).astype(np.float64)
    with np.errstate(invalid="ignore"):
        own = (member @ filled) / (member @ there)
        zero = (member @ filled) / member.sum(axis=1, keepdims=True)
    ways = {"pooled": plain_means(filled)}
    if question == "data_sets":
        ways["own means"] = plain_means(np.where(np.isnan(own), np.nanmean(own, axis=0), own))
        ways["zeros"] = plain_means(zero)

    def row(way: str, estimate: float, swapped: Matrix, effective: float) -> Row:
        of = {"way": way, "estimator": "bootstrap", "coefficient": "tau", "estimate": estimate}
        return of | {"actual": TAU.of_swaps(swapped), "effective": effective}

    rows = []
    for way, means in ways.items():
        sample, swapped = _ranked(means, truth, seed, 200)
        p = ESTIMATORS["res"].fit(sample).probabilities  # type: ignore[union-attr]
        rows.append(row(way, TAU.of_swaps(p), swapped, means.effective))
    if question == "topics":
        for way, table in (("own means", own), ("zeros", zero)):
            rng = np.random.default_rng(seed)
            found = _bootstrap(filled, there if way == "own means" else np.ones_like(there), strata, rng)
            order, _, swapped = simulated.against_truth(np.nanmean(table, axis=0), truth)
            claims = [_tau_of(replicate[order]) for replicate in found]
            rows.append(row(way, float(np.mean(claims)), swapped, float(len(values))))
    return rows


def _bootstrap(filled: Any, there: Any, strata: Any, rng: Any, resamples: int = 100) -> Any:
    """Averages over data sets of own means from topics resampled within data sets."""
    tables = []
    for k in range(strata.max() + 1):
        topics = np.flatnonzero(strata == k)
        counts = rng.multinomial(len(topics), np.full(len(topics), 1 / len(topics)), resamples)
        with np.errstate(invalid="ignore"):
            tables.append((counts @ filled[topics]) / (counts @ there[topics].astype(np.float64)))
    with np.errstate(invalid="ignore"):
        return np.nanmean(tables, axis=0)


def _tau_of(values: Vector) -> float:
    """τ between the order of the values' places and that of the values."""
    m = len(values)
    wrong = np.triu(values[:, None] < values[None, :] - TIE, 1).sum()
    return float(1 - 4 * wrong / (m * (m - 1)))


def summarize(results: Results) -> Summary:
    """Bias, error and coverage in each cell, averaged over populations and in each."""
    cell = ["design", "holes", "way", "estimator", "coefficient"]
    values = ["bias", "error", "actual", "estimate", "effective"]
    points = results.moments(["data", *cell], values, with_differences, "points")
    of_intervals = ["design", "holes", "coefficient"]
    fields = interval_values(results.parameters.levels)
    coverage = results.moments(["data", *of_intervals], fields, table="intervals")
    frames = {
        "average-points": _over_populations(points, cell, values),
        "average-coverage": _over_populations(coverage, of_intervals, fields),
        "points": points,
        "coverage": coverage,
    }
    return Summary(tables("boards", frames))


def _over_populations(frame: DataFrame, keys: list[str], values: list[str]) -> DataFrame:
    """Means over the populations of means, their standard errors, and of the first also the mean size."""
    errors = {f"{value}_se": (value, "se") for value in values}
    size = {f"{values[0]}_size": (values[0], "size")}
    return over_populations(frame, keys, averaged(values, "_mean") | errors | size)


PARTS = {"load": load, "prepare": prepare, "grid": every(design="designs")}
EXPERIMENT = declared("boards", BoardsParameters, work, summarize, 8, PARTS)
