"""Are estimates unbiased, is their error smaller than anybody's, and do intervals hold what they promise?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.experiments.engine.experiment import Clock, Experiment, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.experiments.shared.coverage import Outcome, outcome, outcomes
from truerank.experiments.studies.estimators import figure
from truerank.numerics.intervals import check_levels, normal_interval, quantile_interval
from truerank.reliability.dependence import DEPENDENCES
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.means import QUESTIONS
from truerank.reliability.predictive import Predictive
from truerank.reliability.ranks import rank_bands
from truerank.scores import TIE, identical_systems

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results


KINDS = ("quantile", "normal")
"""Of intervals."""

DEFAULT_INTERVALS = ("eb/shrunk/quantile", "msqd/shrunk/quantile", "ml/sample/normal")
"""Intervals checked by default."""

YARDSTICK = "constant"
"""The best constant prediction for a population, which nobody can know: the median actual coefficient."""

RANK = "rank"
"""In the place of a coefficient where the published tables show intervals of ranks."""

BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)
"""Ends of the bins of swap probabilities."""


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
    data_sets: str = option(
        "topics",
        "Of a table of several data sets, each of `topics` topics: fixed, on new topics of these; random, on "
        "new data sets.",
    )
    holes: str = option("none", "Empty cells of such tables: none, a share at random, or hard topics.")

    def __post_init__(self) -> None:
        """Refuse intervals, levels and draws that make no sense."""
        super().__post_init__()
        check_levels(self.levels)
        if self.data_sets not in QUESTIONS:
            raise unknown_name("question", self.data_sets, QUESTIONS)
        if self.draws < 2:
            raise InputError("at least two draws are needed")
        for written in self.intervals:
            _check_interval(written, self.estimators)

    @property
    def checked(self) -> tuple[str, ...]:
        """The intervals asked for, or those by default."""
        here = tuple(written for written in DEFAULT_INTERVALS if written.split("/")[0] in self.estimators)
        return self.intervals or here


def _check_interval(written: str, estimators: Sequence[str]) -> None:
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


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> dict[str, list[Row]]:
    """What one collection shows, in four tables.

    ``points``: each estimator's estimate of each coefficient beside the actual one. ``swaps``: its pairs by
    predicted swap probability. ``intervals``: whether each interval holds the actual coefficient, and its
    width. ``ranks``: the share of systems whose interval holds their true rank, and the mean width.
    """
    parameters: CalibrationParameters = context.parameters
    collection = context.collection(task, seed, clock)
    predictive = Predictive(collection.sample, context.coefficients, parameters.draws)
    actual = {c.name: collection.actual(c) for c in context.coefficients}
    estimates = {}
    points: list[Row] = []
    swaps: list[Row] = []
    for method in context.estimators:
        with clock.measure(method.name):
            estimates[method.name] = simulated.point_estimates(method, predictive).values
        of = {"estimator": method.name}
        for c, estimate in estimates[method.name].items():
            points.append(of | {"coefficient": c, "estimate": estimate, "actual": actual[c]})
        if isinstance(method, PairEstimator):
            probabilities = predictive.fit(method).probabilities
            swaps += [of | row for row in _by_probability(probabilities, collection.swapped)]
    with clock.measure("intervals"):
        intervals, ranks = _intervals(context, collection, predictive, estimates, actual)
    return {"points": points, "swaps": swaps, "intervals": intervals, "ranks": ranks}


def _intervals(
    context: simulated.Context,
    collection: simulated.Collection,
    predictive: Predictive,
    estimates: Mapping[str, Mapping[str, float]],
    actual: Mapping[str, float],
) -> tuple[list[Row], list[Row]]:
    """Rows on intervals of coefficients, and on those of ranks, which are quantiles only."""
    from scipy.stats import rankdata

    parameters: CalibrationParameters = context.parameters
    methods = {method.name: method for method in context.estimators}
    true_ranks = rankdata(-np.round(collection.truth / TIE) * TIE)
    same = identical_systems(collection.scores)
    intervals: list[Row] = []
    ranks: list[Row] = []
    for written in parameters.checked:
        name, dependence, kind = written.split("/")
        which = {"estimator": name, "dependence": dependence, "interval": kind}
        drawn = predictive.draws(methods[name], dependence)
        for c in context.coefficients:
            of_level = _of_coefficient(kind, drawn.coefficient(c), estimates[name][c.name], actual[c.name])
            intervals.append(which | {"coefficient": c.name} | outcomes(parameters.levels, of_level))
        if kind == "quantile":
            ranked = predictive.rank_draws(methods[name], dependence)
            of_level = _of_ranks(ranked.ranks(), true_ranks, same)
            ranks.append(which | outcomes(parameters.levels, of_level))
    return intervals, ranks


def _by_probability(probabilities: Matrix, swapped: Matrix) -> list[Row]:
    """For each bin of p that has any: its ends, how many pairs, their mean p, and the share swapped."""
    upper = np.triu_indices(len(swapped), 1)
    p, was = probabilities[upper], swapped[upper]
    place = np.clip(np.searchsorted(BINS, p, side="left") - 1, 0, len(BINS) - 2)
    rows = []
    for k, (low, high) in enumerate(pairwise(BINS)):
        here = place == k
        if here.any():
            means = {"predicted": float(p[here].mean()), "swapped": float(was[here].mean())}
            rows.append({"low": low, "high": high, "pairs": int(here.sum())} | means)
    return rows


def _of_coefficient(kind: str, draws: Matrix, estimate: float, actual: float) -> Callable[[float], Outcome]:
    """From a level to whether its interval holds the actual coefficient, and its width."""
    variance = float(draws.var(ddof=1))

    def of(level: float) -> Outcome:
        interval = (
            quantile_interval(draws, level)
            if kind == "quantile"
            else normal_interval(estimate, variance, level)
        )
        return outcome(interval, actual)

    return of


def _of_ranks(
    drawn: NDArray[np.int64], true_ranks: Matrix, same: Sequence[Sequence[int]]
) -> Callable[[float], Outcome]:
    """From a level to the share of systems whose true rank is in its interval, and the mean width."""

    def of(level: float) -> Outcome:
        bands = rank_bands(drawn, level, same)
        inside = (bands.low <= true_ranks) & (true_ranks <= bands.high)
        return float(inside.mean()), float((bands.high - bands.low).mean())

    return of


CELL = ["data", "coefficient", "topics"]


def summarize(results: Results) -> Summary:
    """Averages over the populations first; then bias, error, paired differences and coverage of each."""
    if not results.finished:
        return Summary(())
    averages, details, figures = _point_tables(results)
    swaps = _swaps(results)
    if swaps is not None:
        caption = (
            "Pairs by predicted swap probability, their mean prediction, and the share swapped; "
            "the largest difference of the two in any population"
        )
        averages.append(Table("swaps", caption, swaps))
        figures["swaps"] = lambda: _swaps_figure(swaps)
    if results.parameters.checked:
        average, coverage, width = _coverage_tables(results)
        averages.insert(2, average)
        details += [coverage, width]
        levels = _percent(results)
        figures["coverage"] = lambda: _coverage_figure(coverage.frame, levels)
    return Summary((*averages, *details), figures)


Figures = dict[str, Callable[[], "TopLevelMixin"]]


def _point_tables(results: Results) -> tuple[list[Table], list[Table], Figures]:
    """Averages of bias and error over the populations, both for each of them, and their figures."""
    parameters: CalibrationParameters = results.parameters
    first, *others = parameters.estimators

    def derived(frame: DataFrame) -> DataFrame:
        """The error of each estimator, and by how much it is larger than the first's on that collection."""
        frame = simulated.with_differences(frame)
        own = frame[frame["estimator"] == first].set_index(["trial", *CELL])["error"]
        beside = frame.set_index(["trial", *CELL]).index
        return frame.assign(difference=frame["error"] - own.reindex(beside).to_numpy())

    long = results.moments([*CELL, "estimator"], ["error", "bias", "difference"], derived, "points")
    long = _in_order(results, long.rename(columns={f"{v}_mean": v for v in ("error", "bias", "difference")}))
    yardstick = _yardstick(results, first)
    bias, error = (_wide(long, value) for value in ("bias", "error"))
    error = error.merge(yardstick, on=CELL)
    paired = long[long["estimator"].isin(others)].rename(columns={"difference_count": "trials"})
    averages = [
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
    ]
    details = [
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
    figures: Figures = {
        "bias": lambda: figure(shown, "bias", "Bias"),
        "error": lambda: figure(_with_yardstick(shown, yardstick), "error", "Error"),
    }
    return averages, details, figures


def _coverage_tables(results: Results) -> tuple[Table, Table, Table]:
    """Coverage averaged over the populations, coverage in each of them, and mean widths."""
    import pandas as pd

    levels = _percent(results)
    values = [f"{value}_{level}" for value in ("covered", "width") for level in levels]
    which = ["estimator", "dependence", "interval"]
    found = pd.concat(
        [
            results.moments([*CELL, *which], values, table="intervals"),
            results.moments(["data", "topics", *which], values, table="ranks").assign(coefficient=RANK),
        ],
        ignore_index=True,
    )
    found["interval"] = found["estimator"] + "/" + found["dependence"] + "/" + found["interval"]
    found = _in_order(results, found)
    coverage, width = (_by_level(found, value, levels) for value in ("covered", "width"))
    covered = "Share of intervals that hold the truth (of systems, for ranks), by nominal level in percent"
    average = f"{covered}: mean of the populations, its standard error, the largest miss of any; mean width"
    return (
        Table("average-coverage", average, _average_coverage(coverage, width, levels), 3),
        Table("coverage", f"{covered}, and the largest standard error of the row", coverage, 3),
        Table("width", "Mean width of the intervals, by nominal level in percent", width, 3),
    )


def _percent(results: Results) -> list[str]:
    """The nominal levels as columns' names."""
    return [f"{100 * level:g}" for level in results.parameters.levels]


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

    parts = [frame[frame["estimator"] == estimator][[*CELL, "actual"]] for frame in results.frames("points")]
    cells = pd.concat(parts).groupby(CELL, sort=False)["actual"]
    return cells.agg(lambda a: (a - a.median()).abs().mean()).rename(YARDSTICK).reset_index()


def _swaps(results: Results) -> DataFrame | None:
    """Over all collections of a size: predicted and actual share of swapped pairs, by bin, if any."""
    import pandas as pd

    by = ["topics", "estimator", "low", "high"]
    parts = []
    for rows in results.frames("swaps"):
        sums = {name: rows[name] * rows["pairs"] for name in ("predicted", "swapped")}
        parts.append(rows.assign(**sums).groupby(["data", *by])[["pairs", *sums]].sum())
    if not parts:
        return None
    by_data = pd.concat(parts).groupby(["data", *by]).sum()
    total = by_data.groupby(by).sum()
    table = total.assign(**{name: total[name] / total["pairs"] for name in ("predicted", "swapped")})
    differences = (by_data["predicted"] - by_data["swapped"]).abs() / by_data["pairs"]
    table = table.assign(largest=differences.groupby(by).max()).reset_index()
    places = {name: place for place, name in enumerate(results.parameters.estimators)}
    table = table.assign(place=table["estimator"].map(places)).sort_values(["topics", "place", "low"])
    bins = [f"{low:g}–{high:g}" for low, high in zip(table["low"], table["high"], strict=True)]
    table.insert(2, "probability", bins)
    return table.drop(columns=["low", "high", "place"]).reset_index(drop=True)


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


def _average_coverage(coverage: DataFrame, width: DataFrame, levels: Sequence[str]) -> DataFrame:
    """Mean coverage and its standard error, the largest distance from nominal anywhere, mean width."""
    by = ["coefficient", "topics", "interval"]
    distances = [(coverage[level] - float(level) / 100).abs() for level in levels]
    groups = coverage.assign(miss=np.max(distances, axis=0)).groupby(by, sort=False)
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
    source="truerank, docs/methods/empirical-bayes.md",
    parameters=CalibrationParameters,
    load=lambda sources, parameters: simulated.load(sources, parameters, boards=True),
    prepare=simulated.prepare,
    grid=simulated.grid,
    work=work,
    summarize=summarize,
    chunk=50,
    explanation=r"""
    Bias and error of the estimates, swaps by predicted probability, and coverage of intervals of
    coefficients and ranks, on collections whose true ranking is known. An estimator's errors are compared
    with another's on the same collections, and with those of the best constant prediction.
    """,
    formula=r"\mathrm{error} = E\,|\hat\tau - \tau|, \quad \mathrm{coverage} = P(l \le \tau \le u)",
    methods=simulated.methods,
)
