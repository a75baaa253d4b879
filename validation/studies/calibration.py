"""Are estimates unbiased, is their error smaller than anybody's, and do intervals hold what they promise?"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import Row, Summary, Task, declared, option, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.experiments.studies.simulated import (
    Outcome,
    against_each,
    by_level,
    by_topics,
    cells,
    interval_values,
    of_draws,
    of_normal,
    outcomes,
    percent,
    wide,
    with_differences,
)
from truerank.numerics.intervals import check_levels
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.predictive import DEPENDENCES, Predictive
from truerank.reliability.standings import rank_bands
from truerank.scores import TIE, identical_systems
from validation.studies.populations import PopulationParameters, averaged, over_populations

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.experiment import Draw
    from truerank.report.charts.style import Chart, Size

KINDS = ("quantile", "normal")  # of intervals
# Intervals checked by default.
DEFAULT_INTERVALS = ("eb/shrunk/quantile", "msqd/shrunk/quantile", "ml/sample/normal")
# The best constant prediction for a population, which nobody can know: the median actual coefficient.
YARDSTICK = "constant"
RANK = "rank"  # in the place of a coefficient where the published tables show intervals of ranks
BINS = (0.0, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5)  # ends of the bins of swap probabilities


@dataclass(frozen=True)
class CalibrationParameters(PopulationParameters):
    """Both simulators, sizes from very few topics up, the thesis's intervals beside the new ones."""

    topics: tuple[int, ...] = option((10, 20, 30, 50, 100))
    estimators: tuple[str, ...] = option(
        ("eb", "ml", "msqd", "res"), "Estimators; the first is compared with each of the others."
    )
    intervals: tuple[str, ...] = option(
        (),
        "Intervals to check, as ESTIMATOR/DEPENDENCE/KIND; kinds are quantile and normal. By default "
        "those of eb and msqd and the thesis's ml/sample/normal, of the estimators that are there.",
    )
    levels: tuple[float, ...] = option((0.8, 0.9, 0.95), "Nominal levels.", check=check_levels)
    draws: int = option(2_000, "Joint draws behind each interval.", least=2)

    def __post_init__(self) -> None:
        """Refuse unknown intervals."""
        super().__post_init__()
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


def work(context: simulated.Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """Estimates beside actual coefficients, swaps by probability, intervals of coefficients and ranks."""
    parameters: CalibrationParameters = context.parameters
    collection = context.collection(task, seed)
    predictive = Predictive(collection.sample, context.coefficients, parameters.draws)
    points = list(simulated.point_rows(context, collection, predictive))
    swaps: list[Row] = []
    for method in context.estimators:
        if isinstance(method, PairEstimator):
            binned = _by_probability(predictive.fit(method).probabilities, collection.swapped)
            swaps += [{"estimator": method.name} | row for row in binned]
    estimates = {(row["estimator"], row["coefficient"]): row["estimate"] for row in points}
    intervals, ranks = _intervals(context, collection, predictive, estimates)
    return {"points": points, "swaps": swaps, "intervals": intervals, "ranks": ranks}


def _intervals(
    context: simulated.Context,
    collection: simulated.Collection,
    predictive: Predictive,
    estimates: Mapping[tuple[str, str], float],
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
            draws, truth = drawn.coefficient(c), collection.actual(c)
            of_level = (
                of_draws(draws, truth)
                if kind == "quantile"
                else of_normal(estimates[name, c.name], float(draws.var(ddof=1)), truth)
            )
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
    parameters: CalibrationParameters = results.parameters
    levels = percent(parameters.levels)
    frames, figures = _points(results)
    swaps = _swaps(results)
    if swaps is not None:
        frames["swaps"] = swaps
        sized = swaps.assign(pairs="All pairs", size=swaps["topics"].map("{} topics".format))
        titles = "Predicted", "Swapped in truth"
        figures["swaps"] = against_each(sized, ("predicted", "swapped"), titles, rows="pairs", columns="size")
    if parameters.checked:
        coverage, width = _coverage(results)
        frames |= {"coverage": coverage, "width": width}
        frames["average-coverage"] = _average_coverage(coverage, width, levels)
        figures["coverage"] = partial(_coverage_figure, coverage, levels)
    return Summary(tables("calibration", frames, first=parameters.estimators[0]), figures)


def _points(results: Results) -> tuple[dict[str, DataFrame], dict[str, Draw]]:
    """Averages of bias and error over the populations, both for each of them, and their figures."""
    import pandas as pd

    parameters: CalibrationParameters = results.parameters
    first, *others = parameters.estimators

    def derived(frame: DataFrame) -> DataFrame:
        """The error of each estimator, and by how much it is larger than the first's on that collection."""
        frame = with_differences(frame)
        own = frame[frame["estimator"] == first].set_index(["trial", *CELL])["error"]
        beside = frame.set_index(["trial", *CELL]).index
        return frame.assign(difference=frame["error"] - own.reindex(beside).to_numpy())

    by = [*CELL, "estimator"]
    long = _in_order(results, cells(results, by, ["error", "bias", "difference"], derived, "points"))
    yardstick = _yardstick(results, first)
    bias, error = (_wide(long, value) for value in ("bias", "error"))
    error = error.merge(yardstick, on=CELL)
    paired = long[long["estimator"].isin(others)].rename(columns={"difference_count": "trials"})
    frames = {
        "average-bias": _averages(bias, parameters.estimators),
        "average-error": _averages(error, [*parameters.estimators, YARDSTICK]),
        "bias": bias,
        "error": error,
        "paired": paired[[*by, "trials", "difference", "difference_se"]],
    }
    constant = yardstick.rename(columns={YARDSTICK: "error"}).assign(estimator=YARDSTICK)
    errors = pd.concat([long[[*by, "error", "bias"]], constant], ignore_index=True)
    return frames, {"bias": by_topics(long, "bias", "Bias"), "error": by_topics(errors, "error", "Error")}


def _coverage(results: Results) -> tuple[DataFrame, DataFrame]:
    """Coverage in each of the populations, with the largest standard error of a row, and mean widths."""
    import pandas as pd

    parameters: CalibrationParameters = results.parameters
    values = interval_values(parameters.levels)
    which = ["estimator", "dependence", "interval"]
    ranks = cells(results, ["data", "topics", *which], values, table="ranks").assign(coefficient=RANK)
    found = pd.concat([cells(results, [*CELL, *which], values, table="intervals"), ranks], ignore_index=True)
    found["interval"] = found["estimator"] + "/" + found["dependence"] + "/" + found["interval"]
    found = _in_order(results, found)
    levels = percent(parameters.levels)

    def of(value: str) -> DataFrame:
        errors = found[[f"{value}_{level}_se" for level in levels]]
        return by_level(found, [*CELL, "interval"], value, levels).assign(se=errors.max(axis=1))

    return of("covered"), of("width")


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
    actual = pd.concat(parts).groupby(CELL, sort=False)["actual"]
    return actual.agg(lambda a: (a - a.median()).abs().mean()).rename(YARDSTICK).reset_index()


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
    errors = long.groupby(CELL, sort=False)[f"{value}_se"].max().rename("se").reset_index()
    return wide(long, CELL, value).merge(errors, on=CELL)


def _averages(table: DataFrame, columns: Sequence[str]) -> DataFrame:
    """Mean absolute value over the populations, a column an estimator, and its largest standard error."""
    first = columns[0]
    statistics = {name: (name, "size") for name in columns}
    return over_populations(
        table.rename(columns={"se": f"{first}_se"}),
        ["coefficient", "topics"],
        statistics | {"se": (first, "se"), "populations": (first, "populations")},
    )


def _average_coverage(coverage: DataFrame, width: DataFrame, levels: Sequence[str]) -> DataFrame:
    """Mean coverage and its standard error, the largest distance from nominal anywhere, mean width."""
    first, widest = levels[0], max(levels, key=float)
    distances = [(coverage[level] - float(level) / 100).abs() for level in levels]
    table = coverage.assign(miss=np.max(distances, axis=0), width=width[widest])
    columns = averaged(levels) | {"se": (first, "se"), "miss": ("miss", "most")}
    return over_populations(
        table.rename(columns={"se": f"{first}_se"}),
        ["coefficient", "topics", "interval"],
        columns | {f"width_{widest}": ("width", "mean")},
    )


def _coverage_figure(table: DataFrame, levels: Sequence[str], size: Size) -> Chart:
    """A column an interval, a row a population and coefficient."""
    from truerank.report.charts.panels import coverage

    points = table[table["coefficient"] != RANK]
    named = points.assign(panel=points["data"] + " " + points["coefficient"])
    return coverage(named, size, "panel", "interval", levels)


EXPERIMENT = declared("calibration", CalibrationParameters, work, summarize, 50, simulated.PARTS)
