"""Real boards with many topics: does an assessment of some foretell the ranking by the others?"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import COEFFICIENTS, TAU
from truerank.errors import InputError
from truerank.experiments.experiment import Row, Summary, Task, declared, every, named_sources, option, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.experiments.studies.simulated import (
    cells,
    interval_values,
    of_draws,
    outcomes,
    with_differences,
)
from truerank.kinds import InBattles
from truerank.numerics.intervals import check_levels
from truerank.planning.beliefs import Beliefs, after_pilot
from truerank.reliability.estimators import PairEstimator, TopicSample
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.means_of import question_of, theta_of
from truerank.reliability.pair.contrast import interval, plain_contrast
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import standings
from truerank.scores import ScoreMatrix, identical_systems
from validation.others import apart, pair_apart
from validation.studies.populations import averaged, over_populations

if TYPE_CHECKING:
    from pandas import DataFrame

MOST = 1 / 3  # share of a board's topics that is drawn at most: the others must tell the ranking better
LATER = 2  # new topics, in samples, for which the plan from a sample is looked at
PAIRS = 20  # pairs of systems whose gate is looked at in each draw
LEVEL = 0.95  # of rank ranges and of the lower bounds of differences

Units = NDArray[np.intp]


@dataclass(frozen=True)
class SubsetsParameters:
    """Draws of topics from real boards, the other topics being the truth but for their own noise."""

    trials: int = option(300, "Draws of each size.", grows=True, least=1)
    topics: tuple[int, ...] = option(
        (10, 20, 30, 50, 100, 200), "Topics drawn; sizes above a third of a board are left out.", least=4
    )
    scores: str = option("real", "real, or normal: normal scores with the same means and covariances.")
    levels: tuple[float, ...] = option((0.8, 0.95), "Nominal levels.", check=check_levels)
    draws: int = option(1_000, "Joint draws behind each interval.", least=2)

    def __post_init__(self) -> None:
        """Refuse other scores."""
        if self.scores not in ("real", "normal"):
            raise InputError(f"scores takes real or normal, not {self.scores!r}")


@dataclass(frozen=True)
class Context:
    """The boards by name; a cell is a board and a size."""

    parameters: SubsetsParameters
    boards: Mapping[str, ScoreMatrix]


def load(sources: Any, parameters: SubsetsParameters) -> dict[str, ScoreMatrix]:
    """Complete score tables, with a third of whose topics the smallest size can be drawn."""
    from truerank.readers import as_scores

    found = {name: as_scores(source, one_table="") for name, source in named_sources(sources).items()}
    for name, table in found.items():
        table.refuse("the experiment", InBattles)
        if not table.complete:
            raise InputError(f"{name} has empty cells; leave it out")
        if not _sizes(table, parameters):
            least = math.ceil(min(parameters.topics) / MOST)
            raise InputError(f"{name} has {_units(table).max() + 1} topics; the experiment needs {least}")
    return found


def _units(board: ScoreMatrix) -> Units:
    """What is drawn: the cluster of each topic, or the topic itself."""
    return np.arange(board.n) if board.clusters is None else board.clusters


def _sizes(board: ScoreMatrix, parameters: SubsetsParameters) -> list[int]:
    return [n for n in parameters.topics if n <= MOST * (_units(board).max() + 1)]


def prepare(parameters: SubsetsParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    """The boards are all that the work needs."""
    if parameters.scores == "normal":
        data = {name: _normal(board, stream(seed, "normal", name)) for name, board in data.items()}
    return Context(parameters, data)


def _normal(board: ScoreMatrix, rng: Generator) -> ScoreMatrix:
    """A board of as many topics and the same means, about the same covariances, and normal scores."""
    drawn = rng.standard_normal((board.n, board.n)) @ (board.values - board.values.mean(axis=0))
    centered = (drawn - drawn.mean(axis=0)) / math.sqrt(board.n)
    return replace(board, values=board.values.mean(axis=0) + centered)


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """One draw, in three tables: ``points`` and ``intervals`` by coefficient, and ``gates``.

    The other topics are a sample themselves. So each claim is made of *their* means: a pair counts as in the
    wrong order with the probability that these order it otherwise (docs/methods/held-out.md). There are no
    rows where the board has too few topics.
    """
    parameters, board = context.parameters, context.boards[str(task["data"])]
    rows: dict[str, list[Row]] = {"points": [], "intervals": [], "gates": []}
    if int(task["topics"]) not in _sizes(board, parameters):
        return rows
    rng = stream(seed, "draw")
    units = _units(board)
    order = rng.permutation(units.max() + 1)
    drawn, others = np.split(order, [int(task["topics"])])
    mine, rest = (_part(board, np.isin(units, part)) for part in (drawn, others))
    questions = [question_of(part, None) for part in (mine, rest)]
    ranking, _, swapped = simulated.against_truth(theta_of(mine, questions[0]), theta_of(rest, questions[1]))
    mine, rest = mine.select(ranking), rest.select(ranking)
    means, held_out = means_of(mine, questions[0]), means_of(rest, questions[1])
    beliefs = after_pilot(means)
    predictive = Predictive(TopicSample.of(means, seed=seed), tuple(COEFFICIENTS.values()), parameters.draws)
    ways = {"eb": _eb(beliefs, held_out.effective), "ml": _ml(means, held_out.effective)}
    for coefficient in predictive.coefficients:
        actual = coefficient.of_swaps(swapped)
        rows["points"] += [
            {"estimator": way, "coefficient": coefficient.name, "actual": actual}
            | {"estimate": coefficient.of_swaps(predictive.fit(estimator).probabilities)}
            for way, estimator in ways.items()
        ]
        values = predictive.draws(ways["eb"]).coefficient(coefficient)
        held = outcomes(parameters.levels, of_draws(values, actual))
        rows["intervals"].append({"what": coefficient.name} | held)
    rows["intervals"].append(
        {"what": "rank ranges"} | _ranges(predictive, ways["eb"], mine, held_out.theta, parameters)
    )
    if len(others) >= (LATER + 1) * len(drawn):
        rows["points"].append(_plan(beliefs, board, units, drawn, others))
    rows["gates"].append(_gates(mine.values, held_out, rng))
    return rows


def _part(board: ScoreMatrix, rows: NDArray[np.bool_]) -> ScoreMatrix:
    """Some topics of a board, as a board."""
    data_sets = clusters = None
    if board.strata is not None:
        data_sets = [board.data_sets[s] for s in board.strata[rows]]
    if board.clusters is not None:
        clusters = board.clusters[rows].tolist()
    return ScoreMatrix.build(
        board.values[rows],
        [topic for topic, kept in zip(board.topics, rows, strict=True) if kept],
        board.systems,
        board.measure,
        data_sets=data_sets,
        clusters=clusters,
    )


def _eb(beliefs: Beliefs, others: float) -> PairEstimator:
    """The probability that the means over so many other topics order a pair unlike the sample, by `eb`."""
    apart = np.zeros((beliefs.systems, beliefs.systems))
    apart[np.triu_indices(beliefs.systems, 1)] = pair_apart(beliefs, others)
    return PairEstimator("eb", "held out", lambda sample: apart, needs="rows")


def _ml(means: Means, others: float) -> PairEstimator:
    """The same by the plug-in: both means have their error, and the observed difference is the true one."""
    from scipy.special import stdtr

    upper = np.triu_indices(len(means.theta), 1)
    deviation = means.deviations[upper] * math.sqrt(1 + means.effective / others)
    differ = deviation > 0
    apart = np.zeros_like(means.deviations)
    z = means.differences[upper] / np.where(differ, deviation, 1.0)
    apart[upper] = np.where(differ, stdtr(means.degrees[upper], -z), 0.0)
    return PairEstimator("ml", "held out", lambda sample: apart, needs="rows")


def _ranges(
    predictive: Predictive,
    estimator: PairEstimator,
    ranked: ScoreMatrix,
    truth: Vector,
    parameters: SubsetsParameters,
) -> dict[str, float]:
    """Whether all ranks by the other topics are in their ranges at once, and how wide these are."""
    ranks = np.empty(len(truth), dtype=np.intp)
    ranks[np.argsort(-truth, kind="stable")] = np.arange(1, len(truth) + 1)
    draws, probabilities = predictive.rank_draws(estimator), predictive.fit(estimator).probabilities
    same = identical_systems(ranked)

    def within(level: float) -> tuple[float, float]:
        bands = standings(draws, probabilities, level, identical=same).bands
        inside = (bands.joint_low <= ranks) & (ranks <= bands.joint_high)
        return float(inside.all()), float((bands.joint_high - bands.joint_low + 1).mean())

    return outcomes(parameters.levels, within)


def _plan(beliefs: Beliefs, board: ScoreMatrix, units: Units, drawn: Units, others: Units) -> Row:
    """What the plan says of new topics, twice as many as drawn, and what came of it, against those left."""
    new, left = np.split(others, [LATER * len(drawn)])
    means = [
        means_of(part, question_of(part, None))
        for part in (_part(board, np.isin(units, p)) for p in (new, left))
    ]
    _, _, swapped = simulated.against_truth(means[0].theta, means[1].theta)
    estimate = 1 - 2 * apart(beliefs, means[0].effective, means[1].effective)
    return {
        "estimator": "plan",
        "coefficient": TAU.name,
        "actual": TAU.of_swaps(swapped),
        "estimate": estimate,
    }


def _gates(values: Matrix, held_out: Means, rng: Generator) -> Row:
    """Verdicts on random pairs: how many are “better”, how many of those the other topics deny, and bounds.

    A bound is moved away from the estimate until it allows for the error of the other topics, too.
    """
    n, m = values.shape
    stretch = math.sqrt(1 + n / held_out.effective)
    better, denied, covered = 0, 0, []
    for _ in range(PAIRS):
        a, b = rng.choice(m, 2, replace=False)
        contrast = plain_contrast(values[:, b] - values[:, a])
        low, _ = interval(contrast, 2 * LEVEL - 1)
        if not math.isfinite(low):
            continue
        actual = float(held_out.theta[b] - held_out.theta[a])
        covered.append(contrast.estimate - stretch * (contrast.estimate - low) <= actual)
        better += low > 0
        denied += low > 0 > actual
    share = float(np.mean(covered)) if covered else math.nan
    return {"bounds": share, "better": better / PAIRS, "denied": denied / PAIRS}


def summarize(results: Results) -> Summary:
    """Bias, error and coverage of each board, and over the boards."""
    by, of = ["data", "topics"], ["topics"]
    held = interval_values(results.parameters.levels)
    points = cells(
        results, [*by, "estimator", "coefficient"], ["bias", "error", "actual"], with_differences, "points"
    )
    coverage = cells(results, [*by, "what"], held, table="intervals")
    gates = cells(results, by, ["bounds", "better", "denied"], table="gates")
    over = partial(_over, of=of)
    frames = {
        "average-points": over(points, ["estimator", "coefficient"], ["bias", "error"]),
        "average-coverage": over(coverage, ["what"], held),
        "average-gates": over(gates, [], ["bounds", "better", "denied"]),
        "points": _shown(points, [*by, "estimator", "coefficient"], ["bias", "error", "actual"]),
        "coverage": _shown(coverage, [*by, "what"], held),
        "gates": _shown(gates, by, ["bounds", "better", "denied"]),
    }
    return Summary(tables("subsets", frames))


def _over(frame: DataFrame, keys: list[str], values: list[str], of: list[str]) -> DataFrame:
    """Means over boards with their standard errors, and the largest of any board."""
    errors = {f"{value}_se": (value, "se") for value in values}
    largest = {f"{values[0]}_largest": (values[0], "largest"), "boards": (values[0], "populations")}
    return over_populations(frame, [*of, *keys], averaged(values) | errors | largest)


def _shown(frame: DataFrame, keys: list[str], values: list[str]) -> DataFrame:
    """Each value with its standard error, after the number of draws."""
    columns = [column for value in values for column in (value, f"{value}_se")]
    return frame.assign(draws=frame[f"{values[0]}_count"])[[*keys, "draws", *columns]]


PARTS = {"load": load, "prepare": prepare, "grid": every(topics="topics")}
EXPERIMENT = declared("subsets", SubsetsParameters, work, summarize, 20, PARTS)
