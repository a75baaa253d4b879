"""Does a plan from a pilot come true? Coefficients predicted at other sizes, and topics advised."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU, Coefficient
from truerank.experiments.engine.experiment import no_methods
from truerank.experiments.engine.parameters import share
from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import (
    cells,
    interval_values,
    of_draws,
    outcomes,
    percent,
    with_differences,
)
from truerank.experiments.study import Results, Row, Summary, Task, declared, every, option, tables
from truerank.numerics.fewest import first_reach
from truerank.numerics.intervals import check_levels
from truerank.numerics.resampling import disjoint_counts
from truerank.planning.beliefs import after_pilot
from truerank.planning.curves import curve_of
from truerank.planning.draws import draw_collections
from truerank.planning.generalizability import mapped, variance_components
from truerank.reliability.estimators.split_half import subset_sizes
from truerank.reliability.means.means import plain_means
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE, ranking_order
from validation.studies.populations import PopulationParameters, averaged, over_populations

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame

# Methods; the second predicts the pilot with new topics added, all others new topics only.
EB, EXTENDED, PLUG_IN, MAP = "eb", "eb, extended", "plug-in", "map"
SPLITS = 20  # pairs of disjoint subsets of each size behind the split-half curves
# Numbers of topics between which an advised number is interpolated.
GRID = np.array([5, 10, 15, 20, 30, 50, 75, 100, 150, 200, 300, 400, 600, 1_000, 2_000, 10_000])


@dataclass(frozen=True)
class PlanningParameters(PopulationParameters):
    """Pilots of four sizes, and the collections that come after them."""

    trials: int = option(500, "Pilots of each size.")
    topics: tuple[int, ...] = option((10, 20, 30, 50), "Sizes of the pilots.", least=4)
    sizes: tuple[int, ...] = option(
        (20, 30, 50, 100, 200, 400), "Numbers of topics that are predicted.", least=2
    )
    target: float = option(0.8, "The coefficient that topics are advised for.", check=share("the target"))
    estimators: tuple[str, ...] = option(("eb",), "Not used; pilots are read by eb.")
    levels: tuple[float, ...] = option(
        (0.8, 0.95), "Nominal levels of prediction intervals.", check=check_levels
    )
    draws: int = option(320, "Joint draws behind them.")


def work(context: simulated.Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """What pilots predict and advise, each the first topics of the next, and what comes of it."""
    parameters: PlanningParameters = context.parameters
    model = context.models[str(task["data"])]
    most = max(parameters.topics)
    values = model.sample(most + max(parameters.sizes), seed).values
    future = np.cumsum(values[most:], axis=0)
    sizes = np.array(parameters.sizes)
    truth = np.asarray(model.true_means)
    new = {c.name: _actual(future[sizes - 1] / sizes[:, None], truth, c) for c in context.coefficients}
    rows: dict[str, list[Row]] = {"points": [], "intervals": [], "advice": []}
    for n in parameters.topics:
        _add_pilot(rows, _Pilot(context, values[:n], future, truth, seed), new)
    return rows


@dataclass(frozen=True)
class _Pilot:
    """The first topics of a series, sums of the scores of those after it, and the true means."""

    context: simulated.Context
    values: Matrix
    future: Matrix
    truth: Vector
    seed: int

    def reached(self, number: float, coefficient: Coefficient) -> Row:
        """Whether the first so many new topics reach the target; NaN where there are not as many."""
        if not 1 <= number <= len(self.future):
            return {"reached": math.nan}
        actual = _actual(self.future[[int(number) - 1]] / number, self.truth, coefficient)
        return {"reached": float(actual[0] >= self.context.parameters.target)}


def _add_pilot(rows: dict[str, list[Row]], pilot: _Pilot, new: Mapping[str, Vector]) -> None:
    """The rows of one pilot; `new` has the actual coefficients of new collections of each size."""
    parameters: PlanningParameters = pilot.context.parameters
    values, n = pilot.values, len(pilot.values)
    sizes = np.array(parameters.sizes)
    later = sizes[sizes > n]
    ranked = np.ascontiguousarray(values[:, ranking_order(values.mean(axis=0))])
    curves, ahead = _eb(pilot.context, ranked, later, pilot.seed)
    for c in pilot.context.coefficients:
        curve = curves[c.name]
        others = _others(ranked, c, pilot.seed)
        expected, at_low = curve.needed(parameters.target)
        for method, predict in ({EB: _at(curve.topics, curve.expected)} | others).items():
            found: Row = {"pilot": n, "method": method, "coefficient": c.name}
            rows["points"] += [
                found | {"topics": int(size), "estimate": predict(float(size)), "actual": float(actual)}
                for size, actual in zip(sizes, new[c.name], strict=True)
            ]
            number, low, high = expected.topics, expected.low, expected.high
            if method != EB:
                predicted = np.maximum.accumulate([predict(float(size)) for size in GRID])
                number = first_reach(GRID.astype(np.float64), predicted, parameters.target)
                low = high = math.nan
            advice = {"criterion": "expected", "advised": number, "from": low, "to": high}
            rows["advice"].append(found | advice | pilot.reached(number, c))
        if c.name == TAU.name:
            extended = _actual(values.sum(axis=0) + pilot.future[later - n - 1], pilot.truth, c)
            rows["points"] += [
                {"pilot": n, "method": EXTENDED, "coefficient": c.name, "topics": int(size)}
                | {"estimate": float(estimate), "actual": float(actual)}
                for size, estimate, actual in zip(later, ahead, extended, strict=True)
            ]
        advice = {"criterion": "low", "advised": at_low.topics, "from": at_low.low, "to": at_low.high}
        found = {"pilot": n, "method": EB, "coefficient": c.name}
        rows["advice"].append(found | advice | pilot.reached(at_low.topics, c))
        at = np.searchsorted(curve.topics, sizes)
        for size, place, actual in zip(sizes, at, new[c.name], strict=True):
            held = outcomes(parameters.levels, of_draws(curve.drawn[place], float(actual)))
            rows["intervals"].append({"pilot": n, "coefficient": c.name, "topics": int(size)} | held)


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
    swaps = count_swaps(np.ascontiguousarray(truth[order].T), -TIE, [coefficient])
    return swaps.coefficient(coefficient)


def _at(topics: Vector, values: Vector) -> Callable[[float], float]:
    return lambda n: float(np.interp(math.log(n), np.log(topics), values))


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
        "sh-power": lambda k: _coefficient(power[0] * math.log(k) + power[1]),
        "sh-exponential": lambda k: _coefficient(exponential[0] * k + exponential[1]),
        "sh-logit": lambda k: 1 - 2 / (1 + math.exp(min(-logit[0] * math.log(k) - logit[1], 700.0))),
    }


def _coefficient(log_error: float) -> float:
    """The coefficient for the logarithm of a share of swaps, which a curve may take beyond 1."""
    return 1 - 2 * math.exp(min(log_error, 0.0))


def summarize(results: Results) -> Summary:
    """Averages over the populations first; then bias, coverage and advice in each."""
    by = ["data", "pilot", "topics", "coefficient", "method"]
    values = ["estimate", "actual", "bias", "error"]
    points = cells(results, by, values, with_differences, "points")
    average = {"bias": ("bias", "mean"), "bias_se": ("bias", "se"), "mean_size": ("bias", "size")}
    average |= {"largest": ("bias", "largest"), "error": ("error", "mean")}
    cell = ["coefficient", "method", "pilot", "topics"]
    frames = {
        "average": over_populations(points, cell, average),
        "bias": points[["data", *cell, "actual", "bias", "bias_se", "error"]],
        **_coverage(results),
        **_advice(results, points),
    }
    return Summary(tables("planning", frames, target=results.parameters.target))


def _coverage(results: Results) -> dict[str, DataFrame]:
    levels = percent(results.parameters.levels)
    values = interval_values(results.parameters.levels)
    by = ["data", "pilot", "topics", "coefficient"]
    found = cells(results, by, values, table="intervals")
    columns = averaged(values)
    for level in levels:
        columns |= {f"{what}_{level}": (f"covered_{level}", what) for what in ("least", "most")}
    average = over_populations(found, ["coefficient", "pilot", "topics"], columns)
    errors = [f"covered_{level}_se" for level in levels]
    return {"average-coverage": average, "coverage": found[[*by, *values, *errors]]}


def _advice(results: Results, points: DataFrame) -> dict[str, DataFrame]:
    """Advised numbers beside the one that is right for the population."""
    import pandas as pd

    right = _right(points[points["method"] == EB], results.parameters.target)
    advice = pd.concat(list(results.frames("advice")), ignore_index=True)
    by = ["data", "coefficient", "pilot", "method", "criterion"]
    rows = [
        dict(zip(by, group, strict=True)) | _advice_row(cell, right[group[:2]], group[-1] == "expected")
        for group, cell in advice.groupby(by, sort=False)
    ]
    frame = pd.DataFrame(rows)
    columns = ["right", "median", "low", "high"]
    frame[columns] = frame[columns].replace(math.inf, math.nan)
    shares = averaged(["expectation_reached", "inside", "collection_reached", "tried"])
    average = over_populations(
        frame.dropna(subset=["expectation_reached"]),
        ["coefficient", "pilot", "method", "criterion"],
        shares | {"populations": ("data", "populations")},
    )
    return {"average-advice": average, "advice": frame}


def _right(points: DataFrame, target: float) -> dict[tuple[Hashable, ...], float]:
    """The number of topics that reaches the target on average, by data and coefficient; NaN if the least."""
    found = {}
    for key, cell in points.groupby(["data", "coefficient"], sort=False):
        curve = cell.groupby("topics")["actual"].mean().sort_index()
        topics, actual = curve.index.to_numpy(dtype=float), np.maximum.accumulate(curve.to_numpy())
        found[key] = first_reach(topics, actual, target) if actual[0] < target else math.nan
    return found


def _advice_row(cell: DataFrame, right: float, expected: bool) -> Row:
    """How the numbers that pilots advised lie about the right one, and how often they were enough."""
    known = math.isfinite(right)
    advised = cell["advised"].to_numpy(dtype=float)
    tried, ends = cell["reached"].dropna(), cell[["from", "to"]].dropna()
    inside = ((ends["from"] <= right) & (right <= ends["to"])).mean() if len(ends) else math.nan
    low, high = np.quantile(advised, [0.1, 0.9], method="inverted_cdf")
    return {
        "right": right,
        "median": float(np.median(advised)),
        "low": float(low),
        "high": float(high),
        "expectation_reached": float(np.mean(advised >= right)) if known else math.nan,
        "inside": float(inside) if known and expected else math.nan,
        "collection_reached": float(tried.mean()) if len(tried) else math.nan,
        "tried": len(tried) / len(cell),
        "pilots": len(cell),
    }


PARTS = simulated.PARTS | {"grid": every(), "methods": no_methods}
EXPERIMENT = declared("planning", PlanningParameters, work, summarize, 10, PARTS)
