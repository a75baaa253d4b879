"""Do statements about ranks hold together: bands, the best set, pairs, and the guarantee?"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.experiments.engine.parameters import each
from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import by_topics, cells
from truerank.experiments.study import Results, Row, Summary, Task, declared, every, option, tables
from truerank.numerics.intervals import check_levels
from truerank.reliability.guarantee import guarantee
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import Standings, standings
from truerank.scores import ScoreMatrix, identical_systems
from validation.studies import rank_yardsticks
from validation.studies.populations import (
    PopulationParameters,
    averaged,
    check_pair_estimators,
    over_populations,
)

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame
    from truerank.simulation.model import SimulationModel

ALIKE = 1e-9  # true means closer than this are equal: a model meets the means it is asked for to 1e-13

Ranks = NDArray[np.integer]

# Methods beside the estimators.
GUARANTEE, HOLM, MOGSTAD, CONFIDENCE_SET = "guarantee", "holm", "mogstad", "mcs"


def _check_share(percent: int) -> None:
    if not 0 <= percent <= 100:
        raise InputError(f"equal takes percentages from 0 to 100, not {percent}")


WITH_RANKS = partial(check_pair_estimators, refusal="has no swap probabilities, so no ranks", by_means=False)


@dataclass(frozen=True)
class JointRanksParameters(PopulationParameters):
    """Both simulators, few topics to many, and as many equal systems as wanted."""

    trials: int = option(500)
    topics: tuple[int, ...] = option((10, 20, 30, 50, 100))
    estimators: tuple[str, ...] = option(("eb",), "Estimators whose statements are tried.", check=WITH_RANKS)
    coefficients: tuple[str, ...] = option(("tau",), "Not used here.")
    drop_identical: str = option("yes", "yes: of systems with the same scores a table keeps the first.")
    equal: tuple[int, ...] = option(
        (0,), "Percent of the systems, from the middle, that are made equal.", check=each(_check_share)
    )
    level: float = option(0.95, "Nominal level.", check=check_levels)
    best: tuple[int, ...] = option((1, 5), "Sizes of the group of best systems that is looked for.", least=1)
    draws: int = option(5_000, "Joint draws of the ranks.", least=2)
    samples: int = option(500, "Samples behind the guarantee, and resamples behind the yardsticks.", least=2)
    guaranteed: int = option(20, "Collections of each size on which the guarantee is tried.")
    beside: int = option(20, "Collections of each size on which published methods are tried too.")


@dataclass(frozen=True)
class Truth:
    """Best and worst true rank of each of m systems, and whether the row's is better than the column's."""

    low: NDArray[np.int64]
    high: NDArray[np.int64]
    beats: NDArray[np.bool_]

    @classmethod
    def of(cls, means: Vector) -> Truth:
        """From true means."""
        beats = means[:, None] > means[None, :] + ALIKE
        return cls(1 + beats.sum(axis=0), len(means) - beats.sum(axis=1), beats)

    def inside(self, low: NDArray[np.integer], high: NDArray[np.integer]) -> NDArray[np.bool_]:
        """Which systems' places the bands meet."""
        return (low <= self.high) & (high >= self.low)

    def among(self, systems: NDArray[np.integer], k: int) -> bool:
        """Whether k systems that can be called the best are among those, any of equals."""
        chosen = np.zeros(len(self.low), dtype=bool)
        chosen[systems] = True
        last = np.sort(self.low)[k - 1]
        sure, equal = self.low < last, self.low == last
        return bool(chosen[sure].all() and (chosen & equal).sum() >= k - sure.sum())

    def wrong(self, above: NDArray[np.bool_]) -> int:
        """How many pairs are said to be in an order that they are not in."""
        return int(np.count_nonzero(above & ~self.beats))


def equalized(model: SimulationModel, percent: int) -> SimulationModel:
    """The model with that many percent of its systems made equal, those in the middle of the true ranking."""
    means = model.true_means
    count = round(percent / 100 * len(means))
    if count < 2:
        return model
    start = (len(means) - count) // 2
    middle = np.argsort(-means, kind="stable")[start : start + count]
    mean = float(np.median(means[middle]))
    return model.with_means({model.systems[s]: mean for s in middle})


def _population(name: str, percent: int) -> str:
    return f"{name}, {percent}% equal"


def prepare(
    parameters: JointRanksParameters, data: Mapping[str, simulated.Original], seed: int
) -> simulated.Context:
    """Fit the models, and make some of their systems equal."""
    base = simulated.prepare(parameters, data, seed)
    models = {
        _population(name, percent): equalized(model, percent)
        for name, model in base.models.items()
        for percent in parameters.equal
    }
    for model in models.values():
        model.true_means  # noqa: B018 - computed once, here
    return simulated.Context(parameters, models, base.estimators, base.coefficients)


def work(context: simulated.Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """What one collection shows of rank ranges, of best sets, and of pairs."""
    parameters: JointRanksParameters = context.parameters
    level, resamples, trial = parameters.level, parameters.samples, int(task["trial"])
    name = _population(str(task["data"]), int(task["equal"]))
    collection = context.collection({**task, "data": name}, seed)
    said, sample = Statements(Truth.of(collection.truth)), collection.sample
    predictive = Predictive(sample, (), parameters.draws)
    same = identical_systems(ScoreMatrix.build(sample.values))
    for method in context.estimators:
        draws = predictive.rank_draws(method)
        found = standings(draws, predictive.fit(method).probabilities, level, identical=same)
        said.standings(method.name, found)
        for k in parameters.best:
            said.best(method.name, k, np.flatnonzero(found.bands.joint_low <= k))
    if trial < parameters.guaranteed:
        covariance, rng = predictive.covariance("shrunk"), stream(seed, GUARANTEE)
        tested = guarantee(sample.means, covariance, level, rng, resamples)
        said.order(GUARANTEE, np.triu(tested.p_values <= 1 - level, 1))
    if trial < parameters.beside:
        above = rank_yardsticks.holm_order(sample.values, level)
        said.order(HOLM, above)
        above = rank_yardsticks.bootstrap_order(sample.values, level, resamples, stream(seed, MOGSTAD))
        said.order(MOGSTAD, above)
        rng = stream(seed, CONFIDENCE_SET)
        chosen = rank_yardsticks.model_confidence_set(sample.values, level, resamples, rng)
        said.best(CONFIDENCE_SET, 1, chosen)
    return said.rows


class Statements:
    """What methods say of the ranks of one collection, held against the truth, in rows by table."""

    def __init__(self, truth: Truth) -> None:
        self.truth = truth
        self.rows: dict[str, list[Row]] = {name: [] for name in TABLES}

    def standings(self, method: str, found: Standings) -> None:
        """An estimator's rank ranges and pairs."""
        bands = found.bands
        own = self.truth.inside(bands.low, bands.high)
        width = float((bands.high - bands.low + 1).mean())
        own_intervals = {"own_covered": float(own.mean()), "own_all": float(own.all()), "own_width": width}
        self._bands(method, bands.joint_low, bands.joint_high, own_intervals)
        self._pairs(method, found.above)

    def order(self, method: str, above: NDArray[np.bool_]) -> None:
        """What follows from pairs that are separated, all together."""
        low, high = rank_yardsticks.ranks_allowed(above)
        self._bands(method, low, high, dict.fromkeys(("own_covered", "own_all", "own_width"), np.nan))
        self.best(method, 1, np.flatnonzero(low == 1))
        self._pairs(method, above)

    def best(self, method: str, k: int, systems: Ranks) -> None:
        """A set that holds the best k systems, or all where there are fewer."""
        k = min(k, len(self.truth.low))
        covered = float(self.truth.among(systems, k))
        self.rows["best"].append({"method": method, "k": k, "covered": covered, "size": float(len(systems))})

    def _bands(self, method: str, low: Ranks, high: Ranks, own: Row) -> None:
        covered, width = float(self.truth.inside(low, high).all()), float((high - low + 1).mean())
        self.rows["bands"].append({"method": method, "covered": covered, "width": width, **own})

    def _pairs(self, method: str, above: NDArray[np.bool_]) -> None:
        said, wrong, m = int(np.count_nonzero(above)), self.truth.wrong(above), len(above)
        self.rows["pairs"].append(
            {"method": method, "separated": said / (m * (m - 1) / 2)}
            | {"wrong": wrong / said if said else np.nan, "any_wrong": float(wrong > 0)}
        )


# Keys of the cells of a table, besides share of equal systems and topics, and its values.
TABLES: Mapping[str, tuple[list[str], list[str]]] = {
    "bands": (["method"], ["covered", "width", "own_covered", "own_all", "own_width"]),
    "best": (["method", "k"], ["covered", "size"]),
    "pairs": (["method"], ["separated", "wrong", "any_wrong"]),
}


def summarize(results: Results) -> Summary:
    """Averages over the populations by size; methods side by side where all were tried; each population."""
    beside: int = results.parameters.beside
    frames: dict[str, DataFrame] = {}
    for name, (keys, values) in TABLES.items():
        by = ["equal", "topics", *keys]
        first = values[0]
        found = cells(results, ["data", *by], values, table=name)
        frames[f"average-{name}"] = _averages(found, by, values)
        shown = found.rename(columns={f"{first}_count": "collections", f"{first}_se": "se"})
        frames[name] = shown[["data", *by, "collections", *values, "se"]]
        if beside:
            some = cells(results, ["data", *by], values, lambda rows: rows[rows["trial"] < beside], name)
            frames[f"beside-{name}"] = _averages(some, by, values)
    bands = frames["bands"]
    shown = bands[bands["method"] == results.parameters.estimators[0]]
    shown = shown.assign(share=shown["equal"].map("{}% equal".format))
    figure = by_topics(shown, "covered", "All inside", columns="share", series="method")
    return Summary(tables("joint-ranks", frames, beside=beside), {"coverage": figure})


def _averages(found: DataFrame, by: list[str], values: list[str]) -> DataFrame:
    """Over the populations: means, the standard error and the least of the first value, and collections."""
    first = values[0]
    more = {"se": (first, "se"), "least": (first, "least"), "collections": (first, "total")}
    return over_populations(found, by, averaged(values) | more)


PARTS = simulated.PARTS | {"prepare": prepare, "grid": every(equal="equal", topics="topics")}
EXPERIMENT = declared("joint-ranks", JointRanksParameters, work, summarize, 50, PARTS)
