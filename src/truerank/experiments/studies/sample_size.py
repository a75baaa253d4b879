"""How many pairs of pairs a sampled variance needs, and what joint draws give instead.

bavdaz-2018 §5.4.2, Figure 5.3: the variance of a coefficient sums over all pairs of pairs of systems; the
thesis samples some of them, and plots every number of systems apart. Here the spread of that variance over
repetitions stands beside the spread of the variance over joint draws, which sums all pairs of pairs at once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import seed_of, stream
from truerank.coefficients import Coefficient
from truerank.errors import InputError
from truerank.experiments.experiment import Grid, Row, Summary, Task, declared, option, share, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.experiments.studies.simulated import cells
from truerank.reliability.estimators import TopicSample
from truerank.reliability.predictive import swap_model
from truerank.reliability.swaps import SwapModel, sampled_terms
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.report.charts.style import Chart, Size

PAIRS, JOINT = "pairs of pairs", "joint draws"

STEP = 500
"""The step along which the curve is called flat."""


@dataclass(frozen=True)
class SampleSizeParameters(simulated.SimulatedParameters):
    """The thesis's 42 sizes, 600 trials and five numbers of topics, with the sample covariance."""

    trials: int = option(600, "Repetitions of the sampling, on one collection of each size.", least=2)
    topics: tuple[int, ...] = option((20, 40, 60, 80, 100))
    estimators: tuple[str, ...] = option(("ml",), "Estimators with a sampled variance.")
    simulator: tuple[str, ...] = option(("copula",))
    dependence: str = option("sample", "sample (as in the thesis), shrunk, or own.")
    systems: tuple[int, ...] = option(
        (), "Numbers of systems, drawn at random, the smaller among the larger; by default all.", least=3
    )
    samples: tuple[int, ...] = option(
        (*range(500, 20_000, 500), *range(20_000, 30_001, 5_000)), "Numbers of pairs of pairs.", least=1
    )
    draws: tuple[int, ...] = option((500, 1_000, 2_000, 5_000, 10_000), "Numbers of joint draws.", least=2)
    flat: float = option(
        1e-4, "The curve is flat where 500 more samples lower the spread by less.", check=share("flat")
    )


@dataclass(frozen=True)
class Context:
    """The swap model of every estimator on the one collection of every data set and size."""

    parameters: SampleSizeParameters
    # By data, topics and number of systems (0: all).
    models: Mapping[tuple[str, int, int], tuple[SwapModel, ...]]
    coefficients: tuple[Coefficient, ...]


def load(sources: Any, parameters: SampleSizeParameters) -> dict[str, simulated.Original]:
    data = simulated.load(sources, parameters)
    for name, item in data.items():
        given = item.given
        if isinstance(given, ScoreMatrix):
            given = given.drop_bottom(parameters.drop_bottom)
        if max(parameters.systems, default=0) > len(given.systems):
            raise InputError(f"{name} has {len(given.systems)} systems, not {max(parameters.systems)}")
    return data


def prepare(parameters: SampleSizeParameters, data: Mapping[str, simulated.Original], seed: int) -> Context:
    """Simulate the collections and estimate: only the sampling is repeated.

    Fewer systems are columns of the same collections, in a random order that is the same for all sizes.
    """
    simulation = simulated.prepare(parameters, data, seed)
    models: dict[tuple[str, int, int], tuple[SwapModel, ...]] = {}
    for name, model in simulation.models.items():
        shuffled = stream(seed, "sample-size systems", name).permutation(len(model.systems))
        for n in parameters.topics:
            own_seed = seed_of(seed, "sample-size collection", name, n)
            collection = model.sample(n, own_seed)
            for k in parameters.systems or (0,):
                some = collection.select(np.sort(shuffled[:k])) if k else collection
                sample = TopicSample(some.ranked().values, parameters.resamples, own_seed)
                models[name, n, k] = tuple(
                    swap_model(method.name, sample, parameters.dependence) for method in simulation.estimators
                )
    return Context(parameters, models, simulation.coefficients)


def grid(parameters: SampleSizeParameters, data: Sequence[str]) -> Grid:
    """As for every simulated collection, and every number of systems where any are named."""
    axes = dict(simulated.PARTS["grid"](parameters, data).axes)
    return Grid(axes | {"systems": parameters.systems} if parameters.systems else axes)


def work(context: Context, task: Task, seed: int) -> list[Row]:
    """One repetition: the variance from the first s pairs of pairs and the first k draws, for all s and k."""
    parameters = context.parameters
    rows: list[Row] = []
    key = str(task["data"]), int(task["topics"]), int(task.get("systems", 0))
    for model in context.models[key]:
        rng = stream(seed, PAIRS, model.estimator)
        sampled = sampled_terms(model, context.coefficients, max(parameters.samples), rng)
        rng = stream(seed, JOINT, model.estimator)
        drawn = model.draws(max(parameters.draws), rng, context.coefficients)
        for c in context.coefficients:
            item = sampled[c.name]
            sums = np.cumsum(item.terms)
            values = drawn.coefficient(c)
            result = [(PAIRS, s, item.constant + float(sums[s - 1]) / s) for s in parameters.samples]
            result += [(JOINT, k, float(values[:k].var(ddof=1))) for k in parameters.draws]
            of = {"estimator": model.estimator, "coefficient": c.name}
            rows += [of | {"way": way, "samples": size, "variance": v} for way, size, v in result]
    return rows


def _by(results: Results) -> list[str]:
    """What makes a curve: the number of systems only where it varies."""
    systems = ["systems"] if results.parameters.systems else []
    return ["data", "coefficient", "estimator", "topics", *systems, "way"]


def summarize(results: Results) -> Summary:
    """The spread by number of samples, and where its fitted curve flattens: from two repetitions on."""
    by = [*_by(results), "samples"]
    result = cells(results, by, ["variance"])
    spread = result.rename(columns={"variance_count": "trials", "variance_sd": "spread"})[
        [*by, "trials", "variance", "spread"]
    ]
    chosen = _chosen(spread, results)
    figures = {
        f"spread-{c}": partial(
            _figure, spread[spread["coefficient"] == c], chosen[chosen["coefficient"] == c]
        )
        for c in results.parameters.coefficients
        if c in set(chosen["coefficient"])
    }
    return Summary(tables("sample-size", {"chosen": chosen, "spread": spread}), figures)


def _chosen(spread: DataFrame, results: Results) -> DataFrame:
    """``spread(s) = scale/√s`` by least squares of logs, and where it falls by less than `flat` a step."""
    import pandas as pd

    by, rows = _by(results), []
    for key, group in spread[spread["spread"] > 0].groupby(by, sort=False):
        logs, sizes = np.log(group["spread"]), np.log(group["samples"])
        scale = float(np.exp(np.mean(logs + sizes / 2)))
        exponent = float(np.polyfit(sizes, logs, 1)[0]) if len(group) > 1 else np.nan
        variance = group.iloc[-1]["variance"]
        size = (scale * STEP / (2 * results.parameters.flat)) ** (2 / 3)
        rows.append(
            dict(zip(by, key, strict=True))
            | {"variance": variance, "scale": scale, "exponent": exponent}
            | {"chosen": float(np.ceil(size / STEP) * STEP), "spread": scale / np.sqrt(size)}
            | {"for_1%": float(np.ceil((scale / (0.01 * variance)) ** 2))}
        )
    return pd.DataFrame(rows, columns=[*by, "variance", "scale", "exponent", "chosen", "spread", "for_1%"])


def _figure(spread: DataFrame, chosen: DataFrame, size: Size) -> Chart:
    """Figure 5.3: points are observed, lines fitted; an upright line is where the fit flattens.

    A row of panels has one number of systems; joint draws stand beside pairs of pairs.
    """
    from truerank.report.charts.panels import fitted, panels

    by = [name for name in ("data", "systems", "estimator", "topics", "way") if name in spread]
    shown = spread.merge(chosen[[*by, "scale", "chosen"]], on=by)
    names = shown["data"]
    if "systems" in shown.columns:
        names = names + ", " + shown["systems"].astype(str) + " systems"
    shown = shown.assign(panel=names, fit=shown["scale"] / shown["samples"] ** 0.5)
    sizes = shown[shown["way"] == PAIRS].groupby("topics")["chosen"].max()
    series = shown["topics"].map(lambda n: f"{n}: {sizes[n]:,.0f}")

    def panel(frame: DataFrame, names: Any) -> Any:
        return fitted(
            frame, ("samples", "Sampled"), ("spread", "Spread of the variance"), "fit", "chosen", names
        )

    return panels(
        shown.assign(series=series), size, "panel", "way", panel, series="series", title="Topics: chosen"
    )


PARTS = simulated.PARTS | {"load": load, "prepare": prepare, "grid": grid}

EXPERIMENT = declared("sample-size", SampleSizeParameters, work, summarize, 10, PARTS)
