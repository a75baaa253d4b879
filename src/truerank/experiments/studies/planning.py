"""Does a plan from a pilot come true? Coefficients predicted at other sizes, and topics advised."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU, Coefficient
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.experiments.shared.coverage import outcome, outcomes
from truerank.numerics.intervals import Interval, check_levels, quantile_interval
from truerank.numerics.resampling import disjoint_counts
from truerank.planning.beliefs import after_pilot
from truerank.planning.curves import curve_of, first_reach
from truerank.planning.draws import draw_collections
from truerank.planning.generalizability import variance_components
from truerank.planning.maps import mapped
from truerank.reliability.estimators.split_half import subset_sizes
from truerank.reliability.means import plain_means
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE, ranking_order

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

EB, EXTENDED, PLUG_IN, MAP = "eb", "eb, extended", "plug-in", "map"
"""Methods; the second predicts the pilot with new topics added, all others new topics only."""

SPLITS = 20
"""Pairs of disjoint subsets of each size behind the split-half curves."""

GRID = np.array([5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 1_000, 2_000, 10_000])
"""Numbers of topics between which an advised number is interpolated."""


@dataclass(frozen=True)
class PlanningParameters(simulated.SimulatedParameters):
    """Pilots of four sizes, and the collections that come after them."""

    trials: int = option(500, "Pilots of each size.", grows=True)
    topics: tuple[int, ...] = option((10, 20, 30, 50), "Sizes of the pilots.")
    sizes: tuple[int, ...] = option((20, 30, 50, 100, 200, 400), "Numbers of topics that are predicted.")
    target: float = option(0.8, "The coefficient that topics are advised for.")
    estimators: tuple[str, ...] = option(("eb",), "Not used; pilots are read by eb.")
    simulator: tuple[str, ...] = option(
        ("effects", "copula"), "Fitted to score tables: effects, copula or your own; each makes a population."
    )
    simulator_options: tuple[str, ...] = option(
        ("effects.truth=model",),
        "Of the fit, as KEY=VALUE; SIMULATOR.KEY=VALUE for only one of several.",
    )
    drop_bottom: float = option(0.25, "Share of systems dropped from score tables, by quantile of the means.")
    levels: tuple[float, ...] = option((0.8, 0.95), "Nominal levels of prediction intervals.")
    draws: int = option(320, "Joint draws behind them.")

    def __post_init__(self) -> None:
        """Refuse sizes, levels and targets that make no sense."""
        super().__post_init__()
        check_levels(self.levels)
        if not self.sizes or min(self.sizes) < 2:
            raise InputError("sizes takes numbers of topics of at least 2, e.g. 50,100")
        if not 0 < self.target < 1:
            raise InputError(f"the target must be between 0 and 1, not {self.target:g}")
        if min(self.topics) < 4:
            raise InputError("pilots need at least four topics, for the split halves")


def grid(parameters: PlanningParameters, data: Sequence[str]) -> Grid:
    """Every trial of every population; a trial's pilots are each the first topics of the next."""
    return Grid({"trial": range(parameters.trials), "data": data})


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> dict[str, list[Row]]:
    """What one series of pilots predicts, and what comes of it, in three tables.

    ``points``: the coefficient that each method predicts at each size, beside that of one collection of the
    size. ``intervals``: whether the prediction interval holds that one, and its width. ``advice``: the topics
    that each method advises for the target, and whether a collection of so many reaches it.
    """
    parameters: PlanningParameters = context.parameters
    model = context.models[str(task["data"])]
    most = max(parameters.topics)
    with clock.measure("simulation"):
        values = model.sample(most + max(parameters.sizes), seed).values
    truth = np.asarray(model.true_means)
    future = np.cumsum(values[most:], axis=0)
    points: list[Row] = []
    intervals: list[Row] = []
    advice: list[Row] = []
    sizes = np.array(parameters.sizes)
    new = {c.name: _actual(future[sizes - 1] / sizes[:, None], truth, c) for c in context.coefficients}
    for n in parameters.topics:
        pilot = values[:n]
        ranked = np.ascontiguousarray(pilot[:, ranking_order(pilot.mean(axis=0))])
        later = sizes[sizes > n]
        extended = {
            c.name: _actual(pilot.sum(axis=0) + future[later - n - 1], truth, c) for c in context.coefficients
        }
        of: Row = {"pilot": n}
        with clock.measure("eb"):
            curves, ahead = _eb(context, ranked, later, seed)
        for c in context.coefficients:
            curve = curves[c.name]
            at = np.searchsorted(curve.topics, sizes)
            with clock.measure("others"):
                others = _others(ranked, c, seed)
            methods = {EB: _at(curve.topics, curve.expected)} | others
            for method, predict in methods.items():
                found: Row = of | {"method": method, "coefficient": c.name}
                points += [
                    found | {"topics": int(size), "estimate": predict(float(size)), "actual": float(actual)}
                    for size, actual in zip(sizes, new[c.name], strict=True)
                ]
                number = _advised(predict, parameters.target)
                low, high = math.nan, math.nan
                if method == EB:
                    expected, at_low = curve.needed(parameters.target)
                    number, low, high = expected.topics, expected.low, expected.high
                advice.append(
                    found
                    | {"criterion": "expected", "advised": number, "from": low, "to": high}
                    | _reached(number, future, truth, c, parameters.target)
                )
            if c.name == TAU.name:
                points += [
                    of
                    | {"method": EXTENDED, "coefficient": c.name, "topics": int(size)}
                    | {"estimate": float(e), "actual": float(a)}
                    for size, e, a in zip(later, ahead, extended[c.name], strict=True)
                ]
            advice.append(
                of
                | {"method": EB, "coefficient": c.name, "criterion": "low", "advised": at_low.topics}
                | {"from": at_low.low, "to": at_low.high}
                | _reached(at_low.topics, future, truth, c, parameters.target)
            )
            intervals += [
                of
                | {"coefficient": c.name, "topics": int(size)}
                | outcomes(parameters.levels, _inside(curve.drawn[place], float(actual)))
                for size, place, actual in zip(sizes, at, new[c.name], strict=True)
            ]
    return {"points": points, "intervals": intervals, "advice": advice}


def _inside(drawn: Vector, actual: float) -> Callable[[float], tuple[float, float]]:
    def of(level: float) -> tuple[float, float]:
        interval: Interval = quantile_interval(drawn, level)
        return outcome(interval, actual)

    return of


def _eb(
    context: simulated.Context, ranked: Matrix, later: Vector, seed: int
) -> tuple[Mapping[str, Any], Vector]:
    """The curves of all coefficients by the posterior, and τ of the pilot extended to later sizes."""
    parameters: PlanningParameters = context.parameters
    beliefs = after_pilot(plain_means(ranked))
    topics = np.unique([*GRID, *parameters.sizes]).astype(np.float64)
    drawn = draw_collections(
        beliefs, topics.tolist(), context.coefficients, parameters.draws, stream(seed, "plan", len(ranked))
    )
    curves = {
        c.name: curve_of(beliefs, c, drawn, topics, extend=False, level=0.95) for c in context.coefficients
    }
    return curves, 1 - 2 * beliefs.wrong_by_extension((later - len(ranked)).tolist())


def _actual(means: Matrix, truth: Vector, coefficient: Coefficient) -> Vector:
    """The coefficient between the ranking by each row of means and the true one."""
    order = np.argsort(-np.round(means, 12), axis=1, kind="stable")
    found: Vector = count_swaps(np.ascontiguousarray(truth[order].T), -TIE, [coefficient]).coefficient(
        coefficient
    )
    return found


def _reached(number: float, future: Matrix, truth: Vector, coefficient: Coefficient, target: float) -> Row:
    """Whether the first so many new topics reach the target; NaN where there are not as many."""
    if not 1 <= number <= len(future):
        return {"reached": math.nan}
    actual = _actual(future[[int(number) - 1]] / number, truth, coefficient)
    return {"reached": float(actual[0] >= target)}


def _at(topics: Vector, values: Vector) -> Callable[[float], float]:
    return lambda n: float(np.interp(math.log(n), np.log(topics), values))


def _advised(predict: Callable[[float], float], target: float) -> float:
    values = np.maximum.accumulate([predict(float(n)) for n in GRID])
    return first_reach(GRID.astype(np.float64), values, target)


def _others(ranked: Matrix, coefficient: Coefficient, seed: int) -> dict[str, Callable[[float], float]]:
    """Predictions of the methods that the posterior is compared with."""
    from scipy.special import ndtr

    m = ranked.shape[1]
    upper = np.triu_indices(m, 1)
    means, covariance = ranked.mean(axis=0), np.cov(ranked, rowvar=False)
    variances = np.diag(covariance)
    squared = (variances[:, None] + variances[None, :] - 2 * covariance)[upper]
    gaps = (means[:, None] - means[None, :])[upper]
    effects = np.where(squared > 1e-14, gaps / np.sqrt(np.maximum(squared, 1e-14)), np.inf)
    weights = coefficient.weights(m)[upper]
    g = variance_components(ranked)

    def plug_in(topics: float) -> float:
        return float(1 - weights @ ndtr(-math.sqrt(topics) * effects))

    def by_map(topics: float) -> float:
        return mapped(g.relative(topics), g.absolute(topics))[coefficient.name]

    return {PLUG_IN: plug_in, MAP: by_map} | _split_half_curves(ranked, coefficient, seed)


def _split_half_curves(
    ranked: Matrix, coefficient: Coefficient, seed: int
) -> dict[str, Callable[[float], float]]:
    """Power, exponential and logit curves through the coefficients between disjoint halves."""
    n = len(ranked)
    rng = stream(seed, "split-half", n)
    sizes = subset_sizes(n)
    errors = []
    for k in sizes:
        first, second = disjoint_counts(n, int(k), SPLITS, rng)
        order = np.argsort(-np.round(first @ ranked / k, 12), axis=1, kind="stable")
        other = np.take_along_axis(second @ ranked / k, order, axis=1)
        swaps = count_swaps(np.ascontiguousarray(other.T), -TIE, [coefficient])
        errors.append((1 - float(swaps.coefficient(coefficient).mean())) / 2)
    e = np.clip(errors, 1e-6, 1 - 1e-6)
    logs = np.log(sizes)

    def line(x: Any, y: Vector) -> tuple[float, float]:
        slope, level = np.polyfit(x, y, 1)
        return float(slope), float(level)

    power, exponential, logit = line(logs, np.log(e)), line(sizes, np.log(e)), line(logs, np.log(e / (1 - e)))
    return {
        "sh-power": lambda k: _coefficient(math.exp(power[0] * math.log(k) + power[1])),
        "sh-exponential": lambda k: _coefficient(math.exp(exponential[0] * k + exponential[1])),
        "sh-logit": lambda k: _coefficient(1 / (1 + math.exp(-logit[0] * math.log(k) - logit[1]))),
    }


def _coefficient(error: float) -> float:
    return max(-1.0, 1 - 2 * error)


def _inside_levels(results: Results) -> list[str]:
    return [f"{100 * level:g}" for level in results.parameters.levels]


def summarize(results: Results) -> Summary:
    """Averages over the populations first; then bias, coverage and advice in each."""
    if not results.finished:
        return Summary(())
    points = results.moments(
        ["data", "pilot", "topics", "coefficient", "method"],
        ["estimate", "actual", "bias", "error"],
        simulated.with_differences,
        "points",
    )
    tables = [*_bias_tables(points), *_coverage_tables(results), *_advice_tables(results, points)]
    return Summary(tuple(tables))


def _bias_tables(points: DataFrame) -> list[Table]:
    cells = points.rename(columns={f"{v}_mean": v for v in ("estimate", "actual", "bias", "error")})
    by = ["coefficient", "method", "pilot", "topics"]
    grouped = cells.assign(size=cells["bias"].abs(), squared=cells["bias_se"] ** 2).groupby(by, sort=False)
    average = grouped.agg(
        bias=("bias", "mean"),
        size=("size", "mean"),
        largest=("size", "max"),
        error=("error", "mean"),
        populations=("bias", "count"),
        variance=("squared", "sum"),
    ).reset_index()
    average["bias_se"] = average.pop("variance") ** 0.5 / average["populations"]
    average = average.rename(columns={"size": "mean_size"})
    shown = ["data", "coefficient", "method", "pilot", "topics", "actual", "bias", "bias_se", "error"]
    return [
        Table(
            "average",
            "Predicted − actual by size of the pilot and number of topics: mean over the populations and its "
            "standard error, mean and largest size of a population's bias, mean absolute error of one pilot "
            "against one collection",
            average[[*by, "bias", "bias_se", "mean_size", "largest", "error"]],
        ),
        Table("bias", "The same in each population", cells[shown]),
    ]


def _coverage_tables(results: Results) -> list[Table]:
    levels = _inside_levels(results)
    values = [f"{what}_{level}" for what in ("covered", "width") for level in levels]
    by = ["data", "pilot", "topics", "coefficient"]
    found = results.moments(by, values, table="intervals")
    columns = {f"{value}_mean": value for value in values}
    cells = found.rename(columns=columns)
    average = cells.groupby(["coefficient", "pilot", "topics"], sort=False)[values].mean().reset_index()
    for level in levels:
        extremes = cells.groupby(["coefficient", "pilot", "topics"], sort=False)[f"covered_{level}"]
        average[f"least_{level}"] = extremes.min().to_numpy()
        average[f"most_{level}"] = extremes.max().to_numpy()
    errors = [f"covered_{level}_se" for level in levels]
    return [
        Table(
            "average-coverage",
            "Share of prediction intervals that hold the coefficient of one new collection, by nominal "
            "level: mean of the populations, their least and most; mean width",
            average,
            3,
        ),
        Table("coverage", "The same in each population", cells[[*by, *values, *errors]], 3),
    ]


def _advice_tables(results: Results, points: DataFrame) -> list[Table]:
    """Advised numbers beside the one that is right for the population."""
    import pandas as pd

    target = results.parameters.target
    right: dict[tuple[str, str], float] = {}
    one = points[points["method"] == EB]
    for data, coefficient in dict.fromkeys(zip(one["data"], one["coefficient"], strict=True)):
        key = (str(data), str(coefficient))
        cell = one[(one["data"] == data) & (one["coefficient"] == coefficient)]
        curve = cell.groupby("topics")["actual_mean"].mean().sort_index()
        topics, actual = curve.index.to_numpy(dtype=float), np.maximum.accumulate(curve.to_numpy())
        right[key] = first_reach(topics, actual, target) if actual[0] < target else math.nan
    advice = pd.concat(list(results.frames("advice")), ignore_index=True)
    rows = []
    by = ["data", "coefficient", "pilot", "method", "criterion"]
    for group, cell in advice.groupby(by, sort=False):
        of = dict(zip(by, group, strict=True)) if isinstance(group, tuple) else {}
        enough = right[str(of["data"]), str(of["coefficient"])]
        known = math.isfinite(enough)
        advised = cell["advised"].to_numpy(dtype=float)
        tried = cell["reached"].dropna()
        rows.append(
            of
            | {
                "right": enough,
                "median": float(np.median(advised)),
                "low": float(np.quantile(advised, 0.1, method="inverted_cdf")),
                "high": float(np.quantile(advised, 0.9, method="inverted_cdf")),
                "expectation_reached": float(np.mean(advised >= enough)) if known else math.nan,
                "inside": _share_inside(cell, enough)
                if known and of["criterion"] == "expected"
                else math.nan,
                "collection_reached": float(tried.mean()) if len(tried) else math.nan,
                "tried": len(tried) / len(cell),
                "pilots": len(cell),
            }
        )
    frame = pd.DataFrame(rows)
    columns = ["right", "median", "low", "high"]
    frame[columns] = frame[columns].replace(math.inf, math.nan)
    average = (
        frame.dropna(subset=["expectation_reached"])
        .groupby(["coefficient", "pilot", "method", "criterion"], sort=False)
        .agg(
            expectation_reached=("expectation_reached", "mean"),
            inside=("inside", "mean"),
            collection_reached=("collection_reached", "mean"),
            tried=("tried", "mean"),
            populations=("data", "count"),
        )
        .reset_index()
    )
    caption = (
        f"Topics advised for a coefficient of {target:g}: share of pilots whose number is at least what the "
        "population asks for on average; share whose 95% interval of the number holds that one; and, where "
        "there were as many new topics, share of collections of the advised size that reached it"
    )
    return [
        Table("average-advice", f"{caption}; means over populations", average, 3),
        Table("advice", f"{caption}; median, 10% and 90% quantile of the numbers", frame, 3),
    ]


def _share_inside(cell: DataFrame, right: float) -> float:
    """The share of pilots whose interval of the number of topics holds the right one; NaN without any."""
    ends = cell[["from", "to"]].dropna()
    return float(((ends["from"] <= right) & (right <= ends["to"])).mean()) if len(ends) else math.nan


PLANNING_EXPERIMENT = Experiment(
    name="planning",
    label="does a plan from a pilot come true?",
    source="docs/methods/planning.md",
    parameters=PlanningParameters,
    load=simulated.load,
    prepare=simulated.prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=10,
    explanation=r"""
    Pilots are drawn from populations whose truth is known, each the first topics of a larger one, and new
    topics after them. From the pilot alone each method predicts the coefficient that a collection of $n'$ new
    topics will have with the true ranking, and the number of topics that a target takes. *eb* is the
    posterior of `truerank plan`; *plug-in* takes the pilot's differences and standard deviations as the
    truth; *map* goes by generalizability theory and the published curve [@urbano-2013]; the split halves
    extrapolate the coefficient between disjoint subsets of the pilot along a power, an exponential or a
    logit curve (*sh-power* …), as was usual before [@urbano-2016].
    """,
    formula=r"\mathrm{E}\,\tau(n') = 1 - 2\,\mathrm{mean}_{i<j}\,"
    r"\mathrm{E}\left[\Phi(-\sqrt{n'}\,|\delta_{ij}|) \mid z_{ij}\right]",
    references=("urbano-2013", "urbano-2016", "bavdaz-2018"),
)
