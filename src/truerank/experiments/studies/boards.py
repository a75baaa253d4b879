"""Leaderboards of several data sets: are estimates right on new topics, new sets, with empty cells?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import seed_of
from truerank._support.types import Vector
from truerank.coefficients import COEFFICIENTS, TAU, Coefficient
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.experiments.shared.coverage import outcome, outcomes
from truerank.numerics.intervals import check_levels, quantile_interval
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means import Means, means_of, plain_means
from truerank.reliability.predictive import Predictive
from truerank.scores import TIE, ScoreMatrix, ranking_order

if TYPE_CHECKING:
    from truerank.experiments.engine.run_results import Results
    from truerank.simulation.boards import BoardModel
    from truerank.simulation.model import SimulationModel

DESIGNS: Mapping[str, tuple[str, tuple[int, ...]]] = {
    "fixed 5": ("topics", (5, 14, 39, 108, 300)),
    "fixed 40": ("topics", tuple(np.geomspace(5, 300, 40).round().astype(int).tolist())),
    "random 5": ("data_sets", (5, 14, 39, 108, 300)),
    "random 40": ("data_sets", tuple(np.geomspace(5, 300, 40).round().astype(int).tolist())),
}
"""The question asked, and the size of each data set."""


@dataclass(frozen=True)
class BoardsParameters:
    """Leaderboards from models of each data set, complete and with holes, and what users do without them."""

    trials: int = option(500, "Leaderboards of each design.", grows=True)
    designs: tuple[str, ...] = option(tuple(DESIGNS), "Questions and numbers of data sets.")
    holes: tuple[str, ...] = option(
        ("none", "0.05", "0.2", "hard"), "Empty cells: none, a share at random, or hard topics."
    )
    sets: int = option(5, "Data sets that the topics of a table without data sets are cut into.")
    simulator: tuple[str, ...] = option(("effects", "copula"), "Fitted to each data set.")
    drop_bottom: float = option(0.25, "Share of systems dropped, by quantile of the means.")
    estimators: tuple[str, ...] = option(("eb", "ml", "res"), "Estimators to compare; of all kinds of means.")
    levels: tuple[float, ...] = option((0.8, 0.9, 0.95), "Nominal levels.")
    draws: int = option(1_000, "Joint draws behind each interval.")
    resamples: int = option(500, "Topic resamples T for res.")

    def __post_init__(self) -> None:
        """Refuse what makes no sense."""
        check_levels(self.levels)
        for name in self.designs:
            if name not in DESIGNS:
                raise InputError(f"designs are {', '.join(DESIGNS)}, not {name!r}")
        for name in self.estimators:
            found = ESTIMATORS.find(name)
            if not isinstance(found, PairEstimator) or found.needs == "scores":
                raise InputError(f"{name} is not defined for means of data sets; leave it out")
        if self.trials < 1 or self.draws < 2 or self.sets < 3:
            raise InputError("at least one trial, two draws and three data sets are needed")


@dataclass(frozen=True)
class Context:
    """Models of the leaderboards, and of one table of all topics."""

    parameters: BoardsParameters
    boards: dict[str, BoardModel]
    tables: dict[str, SimulationModel]
    estimators: tuple[PairEstimator, ...]


def load(sources: Any, parameters: BoardsParameters) -> dict[str, simulated.Original]:
    """Score tables, once for each simulator; a table without data sets is cut into consecutive ones."""
    listed = sources if isinstance(sources, list | tuple) else [sources]
    found = {}
    for source in listed:
        from truerank.readers import as_scores

        scores = as_scores(source, one_table="")
        name = scores.measure if isinstance(source, ScoreMatrix) else str(source).split("/")[-1].split(".")[0]
        cut = scores if scores.k > 1 else in_sets(scores, parameters.sets)
        for simulator in parameters.simulator:
            found[f"{name} ({simulator})"] = simulated.Original(cut, scores.source, simulator)
    return found


def in_sets(scores: ScoreMatrix, count: int) -> ScoreMatrix:
    """The same scores, their topics cut into that many consecutive data sets of much the same size."""
    names = [f"set {1 + t * count // scores.n}" for t in range(scores.n)]
    return ScoreMatrix.build(
        scores.values, scores.topics, scores.systems, scores.measure, scores.source, data_sets=names
    )


def prepare(parameters: BoardsParameters, data: Mapping[str, simulated.Original], seed: int) -> Context:
    """Fit one model to each data set, and one to all topics together."""
    from truerank.simulation import fit
    from truerank.simulation.boards import fit_board

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


def grid(parameters: BoardsParameters, data: Any) -> Grid:
    """Every trial of every design of every population; whole trials come first, so more can follow."""
    return Grid({"trial": range(parameters.trials), "data": data, "design": parameters.designs})


def work(context: Context, task: Task, seed: int, clock: Clock) -> dict[str, list[Row]]:
    """One leaderboard: with each pattern of holes, and as users treat it today.

    ``points``: each estimator's estimate beside the actual coefficient. ``intervals``: whether eb's hold it.
    """
    from truerank.simulation.boards import with_holes

    parameters = context.parameters
    question, sizes = DESIGNS[str(task["design"])]
    name = str(task["data"])
    with clock.measure("simulation"):
        board = context.boards[name].sample(sizes, seed, question)  # type: ignore[arg-type]
    points: list[Row] = []
    intervals: list[Row] = []
    for holes in parameters.holes:
        with clock.measure("holes"):
            scores = with_holes(board.scores, holes, seed)
        with clock.measure("means"):
            means = means_of(scores, question)  # type: ignore[arg-type]
        found, held = _estimates(context, means, board.truth, seed, clock)
        points += [{"holes": holes, "way": "truerank"} | row for row in found]
        intervals += [{"holes": holes} | row for row in held]
        with clock.measure("today"):  # paired with what is above, on the same cells
            points += [{"holes": holes} | row for row in _today(scores, question, board.truth, seed)]
        if holes == "none":
            with clock.measure("one table"):
                size = max(3, round(means.effective))
                model = context.tables[name]
                plain = plain_means(model.sample(size, seed).values)
                found, held = _estimates(context, plain, model.true_means, seed, clock)
            points += [{"holes": "one table", "way": "truerank"} | row for row in found]
            intervals += [{"holes": "one table"} | row for row in held]
    return {"points": points, "intervals": intervals}


def _ranked(means: Means, truth: Vector, seed: int, resamples: int) -> tuple[TopicSample, Any]:
    """The sample with systems in ranking order, and which pairs are swapped in truth."""
    order = ranking_order(means.theta)
    in_order = truth[order]
    swapped = np.triu((in_order[:, None] < in_order[None, :] - TIE).astype(np.float64), 1)
    return TopicSample.of(means.select(order), resamples, seed), swapped


def _estimates(
    context: Context, means: Means, truth: Vector, seed: int, clock: Clock
) -> tuple[list[Row], list[Row]]:
    """Each estimator's estimates, and whether the first's intervals hold."""
    parameters = context.parameters
    coefficients: list[Coefficient] = [TAU, COEFFICIENTS["tau_ap"]]
    sample, swapped = _ranked(means, truth, seed, parameters.resamples)
    predictive = Predictive(sample, coefficients, parameters.draws)
    points: list[Row] = []
    intervals: list[Row] = []
    for method in context.estimators:
        with clock.measure(method.name):
            probabilities = predictive.fit(method).probabilities
        for c in coefficients:
            estimate, actual = c.of_swaps(probabilities), c.of_swaps(swapped)
            points.append(
                {
                    "estimator": method.name,
                    "coefficient": c.name,
                    "estimate": estimate,
                    "actual": actual,
                    "effective": means.effective,
                }
            )
    with clock.measure("intervals"):
        drawn = predictive.draws(context.estimators[0])
        for c in coefficients:
            values, actual = drawn.coefficient(c), c.of_swaps(swapped)

            def of_level(level: float, values: Any = values, actual: float = actual) -> tuple[float, float]:
                return outcome(quantile_interval(values, level), actual)

            intervals.append({"coefficient": c.name} | outcomes(parameters.levels, of_level))
    return points, intervals


def _today(scores: ScoreMatrix, question: str, truth: Vector, seed: int) -> list[Row]:
    """What users do without influence rows, and what they would say of τ.

    ``pooled``: all topics in one table, empty cells being zero. ``own means``: each system's own mean of its
    own means on the data sets, empty cells forgotten. ``zeros``: the average over data sets with zeros for
    empty cells. Each is told by bootstrapping its topics, or where data sets are a sample, the data sets.
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
    rows = []
    for way, means in ways.items():
        sample, swapped = _ranked(means, truth, seed, 200)
        p = ESTIMATORS["res"].fit(sample).probabilities  # type: ignore[union-attr]
        rows.append(_today_row(way, TAU.of_swaps(p), TAU.of_swaps(swapped), means.effective))
    if question == "topics":
        for way, table in (("own means", own), ("zeros", zero)):
            rng = np.random.default_rng(seed)
            found = _bootstrap(filled, there if way == "own means" else np.ones_like(there), strata, rng)
            theta = np.nanmean(table, axis=0)
            order = ranking_order(theta)
            in_order = truth[order]
            swapped = np.triu((in_order[:, None] < in_order[None, :] - TIE).astype(np.float64), 1)
            claims = [_tau_of(replicate[order]) for replicate in found]
            rows.append(_today_row(way, float(np.mean(claims)), TAU.of_swaps(swapped), float(len(values))))
    return rows


def _today_row(way: str, estimate: float, actual: float, effective: float) -> Row:
    return {
        "way": way,
        "estimator": "bootstrap",
        "coefficient": "tau",
        "estimate": estimate,
        "actual": actual,
        "effective": effective,
    }


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
    if not results.finished:
        return Summary(())
    parameters: BoardsParameters = results.parameters
    cell = ["design", "holes", "way", "estimator", "coefficient"]

    def derived(frame: Any) -> Any:
        return simulated.with_differences(frame)

    each = results.moments(
        ["data", *cell], ["bias", "error", "actual", "estimate", "effective"], derived, "points"
    )
    averages = _over_populations(each, cell, ["bias", "error", "actual", "estimate", "effective"])
    levels = [f"{100 * level:g}" for level in parameters.levels]
    fields = [f"{value}_{level}" for value in ("covered", "width") for level in levels]
    of_intervals = ["design", "holes", "coefficient"]
    held = results.moments(["data", *of_intervals], fields, table="intervals")
    return Summary(
        (
            Table(
                "average-points",
                "Bias, mean absolute error, actual and estimated, mean of populations",
                averages,
            ),
            Table(
                "average-coverage",
                "Share of intervals that hold the actual coefficient, and their width, mean of populations",
                _over_populations(held, of_intervals, fields),
                3,
            ),
            Table("points", "The same in each population", each),
            Table("coverage", "The same in each population", held, 3),
        )
    )


def _over_populations(frame: Any, keys: list[str], values: list[str]) -> Any:
    """Means over the populations of means, their standard errors, and of the first also the mean size."""
    grouped = frame.groupby(keys, sort=False)
    found = grouped[[f"{v}_mean" for v in values]].mean()
    for v in values:
        found[f"{v}_se"] = grouped[f"{v}_se"].apply(lambda se: float(np.sqrt((se**2).sum()) / len(se)))
    found[f"{values[0]}_size"] = grouped[f"{values[0]}_mean"].apply(lambda mean: float(mean.abs().mean()))
    return found.reset_index()


BOARDS_EXPERIMENT = Experiment(
    name="boards",
    label="leaderboards of several data sets, with holes",
    source="docs/methods/data-sets.md",
    parameters=BoardsParameters,
    load=load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=8,
    explanation="""
    Leaderboards are drawn from one model a data set, and each is estimated complete, with holes, and as
    users treat it without influence rows; beside them one complete table of as many topics as the leaderboard
    has in effect.
    """,
)
