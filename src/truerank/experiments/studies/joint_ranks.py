"""Do statements about ranks hold together: bands, the best set, tiers, and the guarantee?"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import rank_yardsticks, simulated
from truerank.numerics.intervals import check_levels
from truerank.reliability.best import best_set
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.guarantee import guarantee
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import Standings, standings
from truerank.scores import ScoreMatrix, identical_systems

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results
    from truerank.simulation.model import SimulationModel

ALIKE = 1e-9
"""True means closer than this are equal: a model meets the means it is asked for to 1e-13."""

GUARANTEE, HOLM, MOGSTAD, CONFIDENCE_SET = "guarantee", "holm", "mogstad", "mcs"
"""Methods beside the estimators."""


@dataclass(frozen=True)
class JointRanksParameters(simulated.SimulatedParameters):
    """Both simulators, few topics to many, and as many equal systems as wanted."""

    trials: int = option(500, "Collections of each size.", grows=True)
    topics: tuple[int, ...] = option((10, 20, 30, 50, 100), "Sizes of the collections.")
    estimators: tuple[str, ...] = option(("eb",), "Estimators whose statements are checked.")
    coefficients: tuple[str, ...] = option(("tau",), "Not used here.")
    simulator: tuple[str, ...] = option(
        ("effects", "copula"), "Fitted to score tables: effects, copula or your own; each makes a population."
    )
    simulator_options: tuple[str, ...] = option(
        ("effects.truth=model",), "Of the fit, as KEY=VALUE; SIMULATOR.KEY=VALUE for only one of several."
    )
    drop_bottom: float = option(0.25, "Share of systems dropped from score tables, by quantile of the means.")
    drop_identical: str = option("yes", "yes: of systems with the same scores a table keeps the first.")
    equal: tuple[int, ...] = option((0,), "Percent of the systems, from the middle, that are made equal.")
    level: float = option(0.95, "Nominal level.")
    best: tuple[int, ...] = option((1, 5), "Sizes of the group of best systems that is looked for.")
    draws: int = option(5_000, "Joint draws of the ranks.")
    samples: int = option(500, "Samples behind the guarantee, and resamples behind the yardsticks.")
    guaranteed: int = option(20, "Collections of each size on which the guarantee is tried.")
    beside: int = option(20, "Collections of each size on which published methods are tried too.")

    def __post_init__(self) -> None:
        """Refuse levels, shares and counts that make no sense."""
        super().__post_init__()
        check_levels(self.level)
        for percent in self.equal:
            if not 0 <= percent <= 100:
                raise InputError(f"equal takes percentages from 0 to 100, not {percent}")
        if not self.equal or not self.best or min(self.best) < 1:
            raise InputError("equal and best take at least one value each, best from 1")
        if min(self.draws, self.samples) < 2:
            raise InputError("at least two draws and two samples are needed")
        for name in self.estimators:
            if not isinstance(ESTIMATORS.find(name), PairEstimator):
                raise InputError(f"{name} has no swap probabilities, so no ranks; leave it out")


@dataclass(frozen=True)
class Truth:
    """The true order of m systems, the equal among them.

    Attributes:
        low: best rank of each system's place: as many systems are better, and one more.
        high: worst rank: as many are better or equal.
        beats: m × m, whether the row's system is truly better than the column's.
    """

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


def equalised(model: SimulationModel, percent: int) -> SimulationModel:
    """The model with that many percent of its systems made equal, those in the middle of the true ranking."""
    means = model.true_means
    count = round(percent / 100 * len(means))
    if count < 2:
        return model
    start = (len(means) - count) // 2
    middle = np.argsort(-means, kind="stable")[start : start + count]
    mean = float(np.median(means[middle]))
    changed: SimulationModel = model.with_means({model.systems[s]: mean for s in middle})
    return changed


def _population(name: str, percent: int) -> str:
    return f"{name}, {percent}% equal"


def prepare(
    parameters: JointRanksParameters, data: Mapping[str, simulated.Original], seed: int
) -> simulated.Context:
    """Fit the models, and make some of their systems equal."""
    base = simulated.prepare(parameters, data, seed)
    models = {
        _population(name, percent): equalised(model, percent)
        for name, model in base.models.items()
        for percent in parameters.equal
    }
    for model in models.values():
        model.true_means  # noqa: B018 - computed once, here
    return simulated.Context(parameters, models, base.estimators, base.coefficients)


def grid(parameters: JointRanksParameters, data: Any) -> Grid:
    """Every trial of every size, share of equal systems and data set; whole trials come first."""
    return Grid(
        {
            "trial": range(parameters.trials),
            "data": data,
            "equal": parameters.equal,
            "topics": parameters.topics,
        }
    )


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> dict[str, list[Row]]:
    """What one collection shows, in three tables: ``bands``, ``best`` and ``pairs`` (with the tiers)."""
    parameters: JointRanksParameters = context.parameters
    name = _population(str(task["data"]), int(task["equal"]))
    collection = context.collection({**task, "data": name}, seed, clock)
    truth = Truth.of(collection.truth)
    sample = collection.sample
    predictive = Predictive(sample, (), parameters.draws)
    same = identical_systems(ScoreMatrix.build(sample.values))
    rows: dict[str, list[Row]] = {"bands": [], "best": [], "pairs": []}
    for method in context.estimators:
        with clock.measure(method.name):
            draws = predictive.rank_draws(method)
            found = standings(draws, predictive.fit(method).probabilities, parameters.level, identical=same)
        _add(rows, method.name, found, truth)
        ranks = draws.ranks()
        for k in parameters.best:
            best = best_set(ranks, min(k, len(truth.low)), parameters.level, same, found.above)
            _add_best(rows, method.name, k, np.array(best.systems), truth)
    if int(task["trial"]) < parameters.guaranteed:
        with clock.measure(GUARANTEE):
            covariance, rng = predictive.covariance("shrunk"), stream(seed, GUARANTEE)
            tested = guarantee(sample.means, covariance, parameters.level, rng, parameters.samples)
            above = np.triu(tested.p_values <= 1 - parameters.level, 1)
        _add_order(rows, GUARANTEE, above, truth)
    if int(task["trial"]) < parameters.beside:
        for method_name, above in _published(sample.values, parameters, seed, clock):
            _add_order(rows, method_name, above, truth)
        with clock.measure(CONFIDENCE_SET):
            rng = stream(seed, CONFIDENCE_SET)
            chosen = rank_yardsticks.model_confidence_set(
                sample.values, parameters.level, parameters.samples, rng
            )
        _add_best(rows, CONFIDENCE_SET, 1, chosen, truth)
    return rows


def _published(
    values: Matrix, parameters: JointRanksParameters, seed: int, clock: Clock
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Published ways to tell pairs apart, all at once."""
    with clock.measure(HOLM):
        above = rank_yardsticks.holm_order(values, parameters.level)
    yield HOLM, above
    with clock.measure(MOGSTAD):
        rng = stream(seed, MOGSTAD)
        above = rank_yardsticks.bootstrap_order(values, parameters.level, parameters.samples, rng)
    yield MOGSTAD, above


def _add(rows: dict[str, list[Row]], method: str, found: Standings, truth: Truth) -> None:
    """Rows on an estimator's bands, pairs and tiers."""
    bands = found.bands
    own = truth.inside(bands.low, bands.high)
    rows["bands"].append(
        {"method": method}
        | {"covered": float(truth.inside(bands.joint_low, bands.joint_high).all())}
        | {"width": float((bands.joint_high - bands.joint_low + 1).mean())}
        | {"own_covered": float(own.mean()), "own_all": float(own.all())}
        | {"own_width": float((bands.high - bands.low + 1).mean())}
    )
    tier = np.array(found.tiers.tiers)
    _add_pairs(rows, method, found.above, truth, int(tier[-1]), truth.wrong(tier[:, None] < tier[None, :]))


def _add_order(rows: dict[str, list[Row]], method: str, above: NDArray[np.bool_], truth: Truth) -> None:
    """Rows on what follows from pairs that are told apart all at once."""
    low, high = rank_yardsticks.ranks_allowed(above)
    rows["bands"].append(
        {"method": method}
        | {"covered": float(truth.inside(low, high).all()), "width": float((high - low + 1).mean())}
        | {"own_covered": np.nan, "own_all": np.nan, "own_width": np.nan}
    )
    _add_best(rows, method, 1, np.flatnonzero(low == 1), truth)
    ordered = above | np.tri(len(above), dtype=bool)  # cuts where all pairs across are told apart
    cuts = [bool(ordered[: r + 1, r + 1 :].all()) for r in range(len(above) - 1)]
    tier = np.append(0, np.cumsum(cuts))
    _add_pairs(rows, method, above, truth, 1 + sum(cuts), truth.wrong(tier[:, None] < tier[None, :]))


def _add_pairs(
    rows: dict[str, list[Row]],
    method: str,
    above: NDArray[np.bool_],
    truth: Truth,
    tiers: int,
    across: int,
) -> None:
    said, wrong = int(np.count_nonzero(above)), truth.wrong(above)
    m = len(above)
    rows["pairs"].append(
        {"method": method, "said": said / (m * (m - 1) / 2)}
        | {"wrong": wrong / said if said else np.nan, "any_wrong": float(wrong > 0)}
        | {"tiers": float(tiers), "any_across": float(across > 0)}
    )


def _add_best(
    rows: dict[str, list[Row]], method: str, k: int, systems: NDArray[np.integer], truth: Truth
) -> None:
    k = min(k, len(truth.low))
    covered = float(truth.among(systems, k))
    rows["best"].append({"method": method, "k": k, "covered": covered, "size": float(len(systems))})


def summarize(results: Results) -> Summary:
    """Averages over the populations by size; methods side by side where all were tried; each population."""
    if not results.finished:
        return Summary(())
    tables = []
    for table, values, more, captions in (
        ("bands", ["covered", "width", "own_covered", "own_all", "own_width"], [], BANDS),
        ("best", ["covered", "size"], ["k"], BEST),
        ("pairs", ["said", "wrong", "any_wrong", "tiers", "any_across"], [], PAIRS),
    ):
        by = ["equal", "topics", "method", *more]
        cells = _moments(results, table, ["data", *by], values)
        tables.append(Table(f"average-{table}", captions, _averages(cells, by, values), 3))
        tables.append(Table(table, f"{captions}; each population", _shown(cells, ["data", *by], values), 3))
        if results.parameters.beside:
            both = _moments(results, table, ["data", *by], values, results.parameters.beside)
            what = f"{captions}; the first {results.parameters.beside} collections of each size"
            tables.append(Table(f"beside-{table}", what, _averages(both, by, values), 3))
    order = [f"{kind}{table}" for kind in ("average-", "beside-", "") for table in ("bands", "best", "pairs")]
    tables.sort(key=lambda table: order.index(table.name))
    first = results.parameters.estimators[0]
    coverage = next(table.frame for table in tables if table.name == "bands")
    return Summary(
        tuple(tables), {"coverage": lambda: _coverage_figure(coverage[coverage["method"] == first])}
    )


BANDS = (
    "Share of collections in which all true ranks are in their bands at once, and mean width; own: share of "
    "systems inside their own interval, of collections with all systems inside theirs, and width"
)
BEST = "Share of collections whose best k systems are in the set, and its mean size"
PAIRS = (
    "Share of pairs that are put in order, share of those in the wrong one, share of collections with any; "
    "tiers, and share of collections with any wrong pair across tiers"
)


def _moments(
    results: Results, table: str, by: list[str], values: list[str], trials: int | None = None
) -> DataFrame:
    """Moments of a table, of the first trials if wanted."""

    def derive(frame: DataFrame) -> DataFrame:
        return frame if trials is None else frame[frame["trial"] < trials]

    return results.moments(by, values, derive, table)


def _shown(cells: DataFrame, by: list[str], values: list[str]) -> DataFrame:
    """Means with the largest standard error of a share, and the collections behind them."""
    first = values[0]
    return cells[by].assign(
        collections=cells[f"{first}_count"],
        **{value: cells[f"{value}_mean"] for value in values},
        se=cells[f"{first}_se"],
    )


def _averages(cells: DataFrame, by: list[str], values: list[str]) -> DataFrame:
    """Over the populations: means, the standard error and the least of the first value, and collections."""
    first = values[0]
    groups = cells.groupby(by, sort=False)
    table = groups[[f"{value}_mean" for value in values]].mean()
    table.columns = values
    squares = cells.assign(square=cells[f"{first}_se"] ** 2).groupby(by, sort=False)["square"].sum()
    table["se"] = squares**0.5 / groups.size()
    table["least"] = groups[f"{first}_mean"].min()
    table["collections"] = groups[f"{first}_count"].sum()
    return table.reset_index()


def _coverage_figure(table: DataFrame) -> TopLevelMixin:
    """Joint coverage by number of topics, a panel a population."""
    from truerank.report.charts.panels import lines, panels

    shown = table.assign(share=table["equal"].map("{}% equal".format))
    return panels(
        shown,
        rows="data",
        columns="share",
        panel=lambda frame, names: lines(frame, "topics", "covered", "method", "Topics", "All inside", names),
        series="method",
    )


JOINT_RANKS_EXPERIMENT = Experiment(
    name="joint-ranks",
    label="whether bands of ranks, best sets and tiers hold together, beside published sets of ranks",
    source="truerank, docs/methods/ranks.md",
    parameters=JointRanksParameters,
    load=simulated.load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=50,
    explanation=r"""
    Of simulated collections the true ranks are known, those of equal systems too: they share the places from
    the best to the worst of theirs. Checked is whether all are in their bands at once, whether the best are
    in the best set, and whether any pair across tiers is in the wrong order; beside it sets of ranks by
    simultaneous tests [@mogstad-2024; @holm-1979] and the model confidence set [@hansen-2011].
    """,
    formula=r"P(l_i \le r_i \le u_i \text{ for all } i)",
    references=("mogstad-2024", "holm-1979", "hansen-2011"),
    methods=simulated.methods,
)
