"""Are estimates unbiased, is their error smaller than anybody's, and do intervals hold what they promise?"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.experiments.engine.experiment import Clock, Experiment, Row, Summary, Table, Task, option
from truerank.experiments.shared import simulated
from truerank.experiments.shared.joint import JointDraws, outcome
from truerank.experiments.studies.estimators import figure
from truerank.numerics.intervals import check_levels, normal_interval, quantile_interval
from truerank.reliability.dependence import DEPENDENCES
from truerank.reliability.diagnostics import identical_systems
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.ranks import rank_intervals
from truerank.scores import TIE, ScoreMatrix

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results


KINDS = ("quantile", "normal")

WAYS = ("eb/shrunk/quantile", "msqd/shrunk/quantile", "ml/sample/normal")
"""Intervals checked by default."""

YARDSTICK = "constant"
"""The best constant prediction for a population, which nobody can know: the median actual coefficient."""


@dataclass(frozen=True)
class CalibrationParameters(simulated.SimulatedParameters):
    """Both simulators, sizes from very few topics up, the thesis's intervals beside the new ones."""

    topics: tuple[int, ...] = option((10, 20, 30, 50, 100), "Sizes of the collections.")
    estimators: tuple[str, ...] = option(
        ("eb", "ml", "msqd", "res"), "Estimators; the first is compared with each of the others."
    )
    simulator: tuple[str, ...] = option(
        ("effects", "copula"), "Fitted to score tables: effects, copula or your own; each makes a population."
    )
    simulator_options: tuple[str, ...] = option(
        ("effects.truth=model",),
        "Of the fit, as KEY=VALUE; SIMULATOR.KEY=VALUE for only one of several.",
    )
    drop_bottom: float = option(0.25, "Share of systems dropped from score tables, by quantile of the means.")
    intervals: tuple[str, ...] = option(
        (),
        "Intervals to check, as ESTIMATOR/DEPENDENCE/KIND, the kinds being quantile and normal; by default "
        "those of eb and msqd, and the thesis's ml/sample/normal, of the estimators that are there.",
    )
    levels: tuple[float, ...] = option((0.8, 0.9, 0.95), "Nominal levels.")
    draws: int = option(2_000, "Joint draws behind each interval.")

    def __post_init__(self) -> None:
        """Refuse intervals, levels and draws that make no sense."""
        super().__post_init__()
        check_levels(self.levels)
        if self.draws < 2:
            raise InputError("at least two draws are needed")
        for written in self.intervals:
            _check_way(written, self.estimators)

    @property
    def ways(self) -> tuple[str, ...]:
        """The intervals asked for, or those by default."""
        here = tuple(way for way in WAYS if way.split("/")[0] in self.estimators)
        return self.intervals or here


def _check_way(written: str, estimators: Sequence[str]) -> None:
    """Refuse what is no estimator, dependence and kind of interval."""
    parts = written.split("/")
    if len(parts) != 3:
        raise InputError(f"intervals takes ESTIMATOR/DEPENDENCE/KIND, not {written!r}")
    name, dependence, kind = parts
    if name not in estimators:
        raise InputError(f"intervals: {written!r} needs {name!r} among the estimators")
    if not isinstance(ESTIMATORS.find(name), PairEstimator):
        raise InputError(f"intervals: {name} has no swap probabilities")
    if dependence not in DEPENDENCES:
        raise unknown_name("dependence", dependence, DEPENDENCES)
    if kind not in KINDS:
        raise unknown_name("kind of interval", kind, KINDS)


NO_INTERVAL = "-"
"""In the place of an interval in the rows of point estimates."""

RANK = "rank"
"""In the place of a coefficient in the rows of rank intervals: there, shares and means over the systems."""

SWAP = "swap"
"""In the place of a coefficient in the rows of pairs, whose `interval` is one of probabilities."""

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Ends of the bins of swap probabilities."""


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """Each estimate of each coefficient beside the actual one; pairs by probability; then each interval."""
    from scipy.stats import rankdata

    parameters: CalibrationParameters = context.parameters
    collection = context.collection(task, seed, clock)
    found = {}
    for method in context.estimators:
        with clock.measure(method.name):
            found[method.name] = simulated.point_estimates(method, collection.sample, context.coefficients)
    actual = {c.name: collection.actual(c) for c in context.coefficients}

    nothing = _outcomes(parameters.levels, lambda level: (np.nan, np.nan))
    rows = []
    for name, (estimates, behind) in found.items():
        rows += [_row(name, NO_INTERVAL, c, (estimates[c], actual[c]), nothing) for c in actual]
        if "probabilities" in behind:
            for bin_, pairs, *shares in _by_probability(behind["probabilities"], collection.swapped):
                rows.append(_row(name, bin_, SWAP, shares, nothing, pairs))

    joint = JointDraws(collection.sample, context.coefficients, parameters.draws)
    true_ranks = rankdata(-np.round(collection.truth / TIE) * TIE)
    same = identical_systems(ScoreMatrix.build(collection.sample.values))
    methods = {method.name: method for method in context.estimators}
    for written in parameters.ways:
        name, dependence, kind = written.split("/")
        method, (estimates, behind) = methods[name], found[name]
        assert isinstance(method, PairEstimator)
        with clock.measure("intervals"):
            swaps = joint.swaps(method, dependence, behind["probabilities"])
            for c in context.coefficients:
                point = estimates[c.name], actual[c.name]
                held = _coefficient(kind, swaps.coefficient(c), *point)
                rows.append(_row(name, written, c.name, point, _outcomes(parameters.levels, held)))
            if kind == "quantile":
                ranks = _ranks(swaps.ranks(), true_ranks, same)
                rows.append(_row(name, written, RANK, (np.nan, np.nan), _outcomes(parameters.levels, ranks)))
    return rows


def _row(
    estimator: str,
    interval: str,
    coefficient: str,
    point: Sequence[float],
    outcomes: dict[str, float],
    pairs: int = 0,
) -> Row:
    what = {"estimator": estimator, "interval": interval, "coefficient": coefficient}
    return what | {"estimate": point[0], "actual": point[1], "pairs": pairs} | outcomes


def _by_probability(probabilities: Matrix, swapped: Matrix) -> Iterator[tuple[str, int, float, float]]:
    """For each bin of p: its name, how many pairs, their mean p, and the share of them that are swapped."""
    upper = np.triu_indices(len(swapped), 1)
    p, was = probabilities[upper], swapped[upper]
    place = np.clip(np.searchsorted(BINS, p, side="left") - 1, 0, len(BINS) - 2)
    for k, (low, high) in enumerate(pairwise(BINS)):
        here = place == k
        pairs = int(here.sum())
        means = (float(p[here].mean()), float(was[here].mean())) if pairs else (np.nan, np.nan)
        yield f"{low:g}–{high:g}", pairs, *means


def _coefficient(
    kind: str, draws: Matrix, estimate: float, actual: float
) -> Callable[[float], tuple[float, float]]:
    """For each level whether the interval holds the actual coefficient, and its width."""

    def held(level: float) -> tuple[float, float]:
        if kind == "quantile":
            return outcome(quantile_interval(draws, level), actual)
        return outcome(normal_interval(estimate, float(draws.var(ddof=1)), level), actual)

    return held


def _ranks(
    drawn: Matrix, true_ranks: Matrix, same: Sequence[Sequence[int]]
) -> Callable[[float], tuple[float, float]]:
    """For each level the share of systems whose true rank is in its interval, and the mean width."""

    def ranks(level: float) -> tuple[float, float]:
        low, high = rank_intervals(drawn, level, same)
        inside = (low <= true_ranks) & (true_ranks <= high)
        return float(inside.mean()), float((high - low).mean())

    return ranks


def _outcomes(levels: Sequence[float], of: Callable[[float], tuple[float, float]]) -> dict[str, float]:
    """Whether the interval of each level holds the truth, and how wide it is."""
    outcomes: dict[str, float] = {}
    for level in levels:
        covered, width = of(level)
        outcomes |= {f"covered_{100 * level:g}": covered, f"width_{100 * level:g}": width}
    return outcomes


CELL = ["data", "coefficient", "topics"]


def summarise(results: Results) -> Summary:
    """Averages over the populations first; then bias, error, paired differences and coverage of each."""
    if not results.finished:
        return Summary(())
    parameters: CalibrationParameters = results.parameters
    first, *others = parameters.estimators
    levels = [f"{100 * level:g}" for level in parameters.levels]

    def points(frame: DataFrame) -> DataFrame:
        """The error of each estimator, and by how much it is larger than the first's on that collection."""
        frame = simulated.with_differences(frame[frame["interval"] == NO_INTERVAL])
        own = frame[frame["estimator"] == first].set_index(["trial", *CELL])["error"]
        beside = frame.set_index(["trial", *CELL]).index
        return frame.assign(difference=frame["error"] - own.reindex(beside).to_numpy())

    long = results.moments([*CELL, "estimator"], ["error", "bias", "difference"], points)
    long = _in_order(results, long.rename(columns={f"{v}_mean": v for v in ("error", "bias", "difference")}))
    yardstick = _yardstick(results, first)
    bias, error = (_wide(long, value) for value in ("bias", "error"))
    error = error.merge(yardstick, on=CELL)
    paired = long[long["estimator"].isin(others)].rename(columns={"difference_count": "trials"})
    tables = [
        Table(
            "average-bias",
            "Mean over the populations of the size of the bias, and the standard error of a mean bias",
            _averages(bias, parameters),
        ),
        Table(
            "average-error",
            f"Mean absolute error over the populations; {YARDSTICK}: the best constant for each, "
            "which nobody can know",
            _averages(error, parameters, [YARDSTICK]),
        ),
        Table("bias", "Mean of estimate − actual, and the largest standard error of the row", bias),
        Table(
            "error", f"Mean absolute error, its largest standard error, and that of the {YARDSTICK}", error
        ),
        Table(
            "paired",
            f"By how much an estimator's error is larger than that of {first}, on the same collections",
            paired[[*CELL, "estimator", "trials", "difference", "difference_se"]],
        ),
    ]
    shown = long[[*CELL, "estimator", "error", "bias"]]
    figures: dict[str, Callable[[], TopLevelMixin]] = {
        "bias": lambda: figure(shown, "bias", "Bias"),
        "error": lambda: figure(_with_yardstick(shown, yardstick), "error", "Error"),
    }
    swaps = _swaps(results)
    if len(swaps):
        caption = (
            "Pairs by predicted swap probability, their mean prediction, and the share swapped; "
            "the largest difference of the two in any population"
        )
        tables.insert(2, Table("swaps", caption, swaps))
        figures["swaps"] = lambda: _swaps_figure(swaps)
    if parameters.ways:
        values = [f"{v}_{level}" for v in ("covered", "width") for level in levels]
        intervals = results.moments(
            [*CELL, "interval"], values, lambda frame: frame[frame["interval"].isin(parameters.ways)]
        )
        intervals = _in_order(results, intervals)
        coverage, width = (_by_level(intervals, value, levels) for value in ("covered", "width"))
        held = "Share of intervals that hold the truth (of systems, for ranks), by nominal level in percent"
        average = f"{held}: mean of the populations, its standard error, the largest miss of any; mean width"
        tables.insert(2, Table("average-coverage", average, _covered(coverage, width, levels), 3))
        tables.append(Table("coverage", f"{held}, and the largest standard error of the row", coverage, 3))
        tables.append(Table("width", "Mean width of the intervals, by nominal level in percent", width, 3))
        figures["coverage"] = lambda: _coverage_figure(coverage, levels)
    return Summary(tuple(tables), figures)


def _in_order(results: Results, table: DataFrame) -> DataFrame:
    """Rows in the order of data, coefficients and sizes, whatever chunk came first."""
    parameters: CalibrationParameters = results.parameters
    orders: dict[str, Sequence[Any]] = {
        "data": results.data,
        "coefficient": (*parameters.coefficients, RANK),
        "topics": parameters.topics,
    }
    places = {name: table[name].map({v: k for k, v in enumerate(order)}) for name, order in orders.items()}
    keys = table.assign(**places).sort_values(list(orders), kind="stable").index
    return table.loc[keys].reset_index(drop=True)


def _yardstick(results: Results, estimator: str) -> DataFrame:
    """The mean absolute deviation of the actual coefficients from their median, for each cell."""
    import pandas as pd

    parts = [
        frame[(frame["estimator"] == estimator) & (frame["interval"] == NO_INTERVAL)][[*CELL, "actual"]]
        for frame in results.frames()
    ]
    cells = pd.concat(parts).groupby(CELL, sort=False)["actual"]
    return cells.agg(lambda a: (a - a.median()).abs().mean()).rename(YARDSTICK).reset_index()


def _swaps(results: Results) -> DataFrame:
    """Over all collections of a size: predicted and actual share of swapped pairs, by bin."""
    import pandas as pd

    by = ["topics", "estimator", "interval"]
    parts = []
    for frame in results.frames():
        rows = frame[(frame["coefficient"] == SWAP) & (frame["pairs"] > 0)]
        sums = {"predicted": rows["estimate"] * rows["pairs"], "swapped": rows["actual"] * rows["pairs"]}
        parts.append(rows.assign(**sums).groupby(["data", *by])[["pairs", *sums]].sum())
    by_data = pd.concat(parts).groupby(["data", *by]).sum()
    total = by_data.groupby(by).sum()
    table = total.assign(**{name: total[name] / total["pairs"] for name in ("predicted", "swapped")})
    differences = (by_data["predicted"] - by_data["swapped"]).abs() / by_data["pairs"]
    table = table.assign(largest=differences.groupby(by).max())
    table = table.reset_index().rename(columns={"interval": "probability"})
    bins = table["probability"].str.split("–").str[0].astype(float)
    estimators = table["estimator"].map({e: k for k, e in enumerate(results.parameters.estimators)})
    order = table.assign(bin=bins, place=estimators).sort_values(["topics", "place", "bin"]).index
    return table.loc[order].reset_index(drop=True)


def _wide(long: DataFrame, value: str) -> DataFrame:
    """A column an estimator; ``se`` is the largest standard error among them."""
    wide = long.pivot_table(index=CELL, columns="estimator", values=value, sort=False)
    wide = wide.assign(se=long.groupby(CELL, sort=False)[f"{value}_se"].max())
    return wide.reset_index().rename_axis(columns=None)


def _averages(table: DataFrame, parameters: CalibrationParameters, more: Sequence[str] = ()) -> DataFrame:
    """Mean absolute value over the populations, a column an estimator, and its largest standard error."""
    columns = [*parameters.estimators, *more]
    sized = table.assign(**{name: table[name].abs() for name in columns})
    groups = sized.groupby(["coefficient", "topics"], sort=False)
    averages = groups[columns].mean().assign(se=_error_of_mean(groups), populations=groups.size())
    return averages.reset_index()


def _error_of_mean(groups: Any) -> Any:
    """Standard error of the mean of a group's independent cells, from theirs in ``se``."""
    return groups["se"].agg(lambda se: float((se**2).sum() ** 0.5)) / groups.size()


def _by_level(found: DataFrame, value: str, levels: Sequence[str]) -> DataFrame:
    """A column a level, and the largest standard error among them."""
    table = found[[*CELL, "interval"]].assign(trials=found[f"{value}_{levels[0]}_count"])
    table = table.assign(**{level: found[f"{value}_{level}_mean"] for level in levels})
    return table.assign(se=found[[f"{value}_{level}_se" for level in levels]].max(axis=1))


def _covered(coverage: DataFrame, width: DataFrame, levels: Sequence[str]) -> DataFrame:
    """Mean coverage and its standard error, the largest miss of any population and level, mean width."""
    by = ["coefficient", "topics", "interval"]
    missed = [(coverage[level] - float(level) / 100).abs() for level in levels]
    groups = coverage.assign(miss=np.max(missed, axis=0)).groupby(by, sort=False)
    table = groups[list(levels)].mean()
    table["se"] = _error_of_mean(groups)
    widest = max(levels, key=float)
    table["miss"] = groups["miss"].max()
    table[f"width_{widest}"] = width.groupby(by, sort=False)[widest].mean()
    return table.reset_index()


def _with_yardstick(shown: DataFrame, yardstick: DataFrame) -> DataFrame:
    import pandas as pd

    constant = yardstick.rename(columns={YARDSTICK: "error"}).assign(estimator=YARDSTICK)
    return pd.concat([shown, constant], ignore_index=True)


def _swaps_figure(swaps: DataFrame) -> TopLevelMixin:
    """Predicted against actual share of swapped pairs, a panel a size, all populations together."""
    from truerank.report.charts.panels import against, panels

    sized = swaps.assign(pairs="All pairs", size=swaps["topics"].map("{} topics".format))
    return panels(
        sized,
        rows="pairs",
        columns="size",
        panel=lambda frame, names: against(
            frame, "predicted", "swapped", "estimator", names, ("Predicted", "Swapped in truth")
        ),
        series="estimator",
    )


def _coverage_figure(table: DataFrame, levels: Sequence[str]) -> TopLevelMixin:
    """A column an interval, a row a population and coefficient."""
    from truerank.report.charts.panels import coverage

    points = table[table["coefficient"] != RANK]
    named = points.assign(panel=points["data"] + " " + points["coefficient"])
    return coverage(named, "panel", "interval", levels)


CALIBRATION_EXPERIMENT = Experiment(
    name="calibration",
    label="bias, error and coverage of estimates and intervals, against every other and the best constant",
    source="truerank, docs/empirical-bayes.md",
    parameters=CalibrationParameters,
    load=simulated.load,
    prepare=simulated.prepare,
    grid=simulated.grid,
    work=work,
    summarise=summarise,
    chunk=50,
)
