"""What the experiments on simulated collections share: models with a known truth, and numbers by cell."""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.seeds import seed_of, stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import COEFFICIENTS, Coefficient
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import SOLE_TABLE, Row, Task, check, each, every, named_sources, option
from truerank.experiments.store import Results
from truerank.numerics.intervals import Interval, normal_interval, quantile_interval
from truerank.readers import as_scores
from truerank.reliability.diagnostics import check_rankable
from truerank.reliability.estimators import ESTIMATORS, Estimator, PairEstimator, TopicSample
from truerank.reliability.means import means_of
from truerank.reliability.means.means_of import canonical_rows
from truerank.reliability.predictive import Predictive
from truerank.scores import TIE, ScoreMatrix, ranking_order
from truerank.simulation import SIMULATORS, embedded_models, fit, load_embedded
from truerank.simulation import load as load_model
from truerank.simulation.model import SimulationModel

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.experiment import Draw


def one_of(what: str, *known: str) -> Callable[[str], None]:
    """A check that a value is one of these."""

    def check(value: str) -> None:
        if value not in known:
            raise unknown_name(what, value, known)

    return check


@dataclass(frozen=True)
class SimulatedParameters:
    """The parameters of every experiment on simulated collections."""

    trials: int = option(1_000, "Collections of each size.", grows=True, least=1)
    topics: tuple[int, ...] = option((), "Sizes of the collections.", least=3)
    estimators: tuple[str, ...] = option((), "Estimators to compare.")
    coefficients: tuple[str, ...] = option(
        ("tau", "tau_ap"), "Coefficients to estimate.", check=each(COEFFICIENTS.find)
    )
    simulator: tuple[str, ...] = option(
        ("effects",),
        "Fitted to score tables: effects, copula or your own; each makes a population.",
        check=each(SIMULATORS.find),
    )
    simulator_options: tuple[str, ...] = option(
        (),
        "Of the fit, as KEY=VALUE, e.g. truth=model; SIMULATOR.KEY=VALUE for only one of several.",
        empty=True,
    )
    drop_bottom: float = option(0.0, "Share of systems dropped from score tables, by quantile of the means.")
    drop_identical: str = option(
        "no",
        "yes: keep the first of systems with the same scores. "
        "per-source: the same over all tables of these topics and systems.",
        check=one_of("drop-identical", "no", "yes", "per-source"),
    )
    tau_ties: str = option(
        "order",
        "Equal observed means: order ranks the systems as listed; concordant never counts them as swapped.",
        check=one_of("tau-ties", "order", "concordant"),
    )
    resamples: int = option(1_000, "Resamples of the topics, for res.", least=2)

    def __post_init__(self) -> None:
        check(self)
        for item in self.simulator_options:
            only, dot, _ = item.partition("=")[0].rpartition(".")
            known = only in self.simulator or item in type(self).simulator_options
            if dot and not known:
                raise InputError(f"simulator-options: {item} is for a simulator that is not fitted")
        for name in self.estimators:
            method = ESTIMATORS.find(name)
            fewest = 3 if isinstance(method, PairEstimator) else method.fewest_topics
            if min(self.topics) < fewest:
                raise InputError(f"{name} needs at least {fewest} topics, not {min(self.topics)}")


@dataclass(frozen=True)
class Original:
    """What collections are simulated from: a table that `simulator` is fitted to, or a model as it is."""

    given: ScoreMatrix | SimulationModel
    source: str | None
    simulator: str = ""

    def fingerprint(self) -> str:
        """Equal if and only if the data are."""
        if isinstance(self.given, ScoreMatrix):
            return self.given.fingerprint()
        return str(self.given.to_json()["checksum"])

    @property
    def warnings(self) -> tuple[str, ...]:
        """What is known of a table: what its reader met, and systems left out."""
        return self.given.warnings if isinstance(self.given, ScoreMatrix) else ()

    def model(self, parameters: SimulatedParameters, seed: int) -> SimulationModel:
        if not isinstance(self.given, ScoreMatrix):
            return self.given
        kept = self.given.drop_bottom(parameters.drop_bottom)
        check_rankable(kept)
        options: dict[str, Any] = {}
        for item in parameters.simulator_options:
            key, equals, value = item.partition("=")
            if not equals:
                raise InputError(f"simulator-options takes KEY=VALUE, not {item!r}")
            only, dot, name = key.rpartition(".")
            if not dot or only == self.simulator:
                options[name.replace("-", "_")] = _value(value)
        return fit(kept, self.simulator, seed=seed, **options)


def _value(text: str) -> Any:
    """Numbers, yes and no converted; other text as it is."""
    try:
        return json.loads({"yes": "true", "no": "false"}.get(text, text))
    except ValueError:
        return text


def load(sources: Any, parameters: SimulatedParameters) -> dict[str, Original]:
    """The originals by name: score tables, with each simulator; saved and embedded models."""
    read = {name: _original(source) for name, source in named_sources(sources).items()}
    tables = {name: one.given for name, one in read.items() if isinstance(one.given, ScoreMatrix)}
    originals: dict[str, Original] = {}
    for name, item in read.items():
        if name not in tables:
            originals[name] = item
            continue
        table = _distinct(tables[name], parameters.drop_identical, tables.values())
        for simulator in parameters.simulator:
            own = f"{name} ({simulator})" if len(parameters.simulator) > 1 else name
            originals[own] = replace(item, given=table, simulator=simulator)
    return originals


def _distinct(table: ScoreMatrix, drop_identical: str, tables: Iterable[ScoreMatrix]) -> ScoreMatrix:
    """A table without systems that are copies of others, in itself or in a table of the same source."""
    if drop_identical == "no":
        return table
    if drop_identical == "yes":
        return table.drop_identical()
    alike = [one for one in tables if (one.topics, one.systems) == (table.topics, table.systems)]
    names = set.intersection(*(set(one.drop_identical().systems) for one in alike))
    if len(names) == table.m:
        return table
    kept = table.select([i for i, system in enumerate(table.systems) if system in names])
    left = Note("identical", {"case": "left-out", "number": table.m - kept.m, "by_source": True})
    return replace(kept, notes=(*kept.notes, left))


def _original(source: Any) -> Original:
    if isinstance(source, SimulationModel):
        return Original(source, None)
    if isinstance(source, str | Path):
        if str(source) in embedded_models() and not Path(source).exists():
            return Original(load_embedded(str(source)), str(source))
        if Path(source).suffix == ".json":
            return Original(load_model(source), str(source))
    scores = as_scores(source, one_table="the experiment")
    check_rankable(scores)
    return Original(scores, scores.source)


def against_truth(
    theta: Vector, truth: Vector, tau_ties: str = "order"
) -> tuple[NDArray[np.intp], Vector, Matrix]:
    """The ranking by θ̂, the true means in its order, and 1.0 above the diagonal where a pair is swapped."""
    order = ranking_order(theta)
    in_order = truth[order]
    wrong = in_order[:, None] < in_order[None, :] - TIE
    if tau_ties == "concordant":
        wrong &= theta[order][:, None] > theta[order][None, :] + TIE
    return order, in_order, np.triu(wrong.astype(np.float64), 1)


@dataclass(frozen=True)
class Collection:
    """A simulated collection in ranking order; 1.0 in `swapped` where a pair above the diagonal is wrong."""

    sample: TopicSample
    order: NDArray[np.intp]
    truth: Vector
    swapped: Matrix
    scores: ScoreMatrix

    def actual(self, chosen: Coefficient) -> float:
        return chosen.of_swaps(self.swapped)


@dataclass(frozen=True)
class Context:
    """What a task needs: models, and the estimators and coefficients themselves."""

    parameters: Any
    models: dict[str, SimulationModel]
    estimators: tuple[Estimator, ...]
    coefficients: tuple[Coefficient, ...]
    covariances: Mapping[str, Matrix] = field(default_factory=dict)  # of long runs, where requested

    def collection(self, task: Task, seed: int) -> Collection:
        model = self.models[str(task["data"])]
        scores = model.sample(int(task["topics"]), seed)
        theta = means_of(scores).theta
        order, truth, swapped = against_truth(theta, model.true_means, self.parameters.tau_ties)
        # What is ranked with its topics in order, as `assess` takes them: of the same scores in another order
        # other resamples are drawn, and the last bit of a sum may differ.
        ranked = canonical_rows(scores.select(order))
        sample = TopicSample.of(means_of(ranked), self.parameters.resamples, seed)
        return Collection(sample, order, truth, swapped, ranked)


def prepare(parameters: SimulatedParameters, data: Mapping[str, Original], seed: int) -> Context:
    """Fit the models; look up estimators and coefficients, so that the user's own go to the workers."""
    fit_seed = seed_of(seed, "fit")
    models = {name: item.model(parameters, fit_seed) for name, item in data.items()}
    for model in models.values():
        model.true_means  # noqa: B018 - computed once, here, where a model keeps it
    estimators = tuple(ESTIMATORS.find(name) for name in parameters.estimators)
    coefficients = tuple(COEFFICIENTS.find(name) for name in parameters.coefficients)
    return Context(parameters, models, estimators, coefficients)


def methods(parameters: SimulatedParameters) -> dict[str, list[Any]]:
    return {
        "estimators": [ESTIMATORS.find(name) for name in parameters.estimators],
        "coefficients": [COEFFICIENTS.find(name) for name in parameters.coefficients],
        "simulators": [SIMULATORS.find(name) for name in parameters.simulator],
    }


PARTS: dict[str, Any] = {
    "load": load,
    "prepare": prepare,
    "grid": every(topics="topics"),
    "methods": methods,
}


def point_estimates(method: Estimator, predictive: Predictive) -> dict[str, tuple[float, Vector | None]]:
    """An estimator's estimates by coefficient, each with what split-half observed."""
    coefficients = predictive.coefficients
    if isinstance(method, PairEstimator):
        probabilities = predictive.fit(method).probabilities
        return {c.name: (c.of_swaps(probabilities), None) for c in coefficients}
    sample = predictive.sample
    result = method.estimates(sample.values, coefficients, stream(sample.seed, "split-half", method.name))
    return {name: (item.estimate, item.observations) for name, item in result.items()}


def point_rows(context: Context, collection: Collection, predictive: Predictive) -> Iterator[Row]:
    for method in context.estimators:
        estimates = point_estimates(method, predictive)
        for c in context.coefficients:
            yield {
                "estimator": method.name,
                "coefficient": c.name,
                "estimate": estimates[c.name][0],
                "actual": collection.actual(c),
            }


# Whether an interval holds the truth (1 or 0; a share, of several truths), and its width.
Outcome = tuple[float, float]


def outcomes(levels: Sequence[float], of: Callable[[float], Outcome], kind: str = "") -> dict[str, float]:
    """The outcome at every nominal level as fields of a row: ``covered_95``, ``width_normal_95`` …"""
    covered, width = zip(*map(of, levels), strict=True)
    return dict(zip(interval_values(levels, kind), (*covered, *width), strict=True))


def of_draws(draws: Vector | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the quantiles' interval; NaN with fewer than two draws."""
    if draws is None or len(draws) < 2:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(quantile_interval(draws, level), actual)


def of_normal(estimate: float, variance: float | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the normal interval; NaN without a variance."""
    if variance is None:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(normal_interval(estimate, variance, level), actual)


def _outcome(interval: Interval, actual: float) -> Outcome:
    return float(interval.low <= actual <= interval.high), interval.high - interval.low


def with_differences(frame: DataFrame) -> DataFrame:
    """Rows with ``bias`` (estimate − actual) and ``error``, its absolute value."""
    difference = frame["estimate"] - frame["actual"]
    return frame.assign(bias=difference, error=difference.abs())


def cells(
    results: Results,
    by: Sequence[str],
    values: Sequence[str],
    derive: Callable[[DataFrame], DataFrame] = lambda frame: frame,
    table: str = SOLE_TABLE,
) -> DataFrame:
    """Moments by cell, as :meth:`Results.moments` has them, the mean of V in the column ``V``."""
    result = results.moments(by, values, derive, table)
    return result.rename(columns={f"{value}_mean": value for value in values})


def percent(levels: Sequence[float]) -> list[str]:
    return [f"{100 * level:g}" for level in levels]


def interval_values(levels: Sequence[float], kind: str = "") -> list[str]:
    """Fields of rows on intervals, as :func:`outcomes` names them."""
    start = f"{kind}_" if kind else ""
    return [f"{what}_{start}{level}" for what in ("covered", "width") for level in percent(levels)]


def by_level(table: DataFrame, keys: Sequence[str], value: str, levels: Sequence[str]) -> DataFrame:
    """One column per nominal level of ``covered`` or ``width``, after the trials behind them."""
    shown = table[list(keys)].assign(trials=table[f"{value}_{levels[0]}_count"])
    return shown.assign(**{level: table[f"{value}_{level}"] for level in levels})


def wide(table: DataFrame, keys: Sequence[str], value: str, columns: str = "estimator") -> DataFrame:
    pivoted = table.pivot_table(index=list(keys), columns=columns, values=value, sort=False)
    return pivoted.reset_index().rename_axis(columns=None)


def by_topics(
    table: DataFrame,
    value: str,
    title: str,
    *,
    rows: str = "data",
    columns: str = "coefficient",
    series: str = "estimator",
) -> Draw:
    """A value by number of topics, one panel per data and coefficient, one line per estimator.

    All panels have the same limits, with zero between them; bars are standard errors, where they are known.
    """
    from truerank.report.charts.panels import lines, panels

    error = f"{value}_se" if f"{value}_se" in table else None
    ends = [table[value] - table[error], table[value] + table[error]] if error else [table[value]] * 2
    domain = (min(0.0, float(ends[0].min())), max(0.0, float(ends[1].max())))
    rules = [0.0] if domain[0] < 0 else []

    def panel(frame: DataFrame, names: Any) -> Any:
        return lines(frame, "topics", value, "Topics", title, names, rules, domain=domain, error=error)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)


def against_each(
    table: DataFrame,
    values: tuple[str, str],
    titles: tuple[str, str],
    *,
    rows: str,
    columns: str,
    series: str = "estimator",
) -> Draw:
    """One value against another, with the line where they are equal; all panels have the same limits."""
    from truerank.report.charts.panels import against, panels

    both = table[list(values)].to_numpy(dtype=float)
    # An unbiased estimate of a variance may be negative.
    domain = (1.05 * min(0.0, float(both.min())), 1.05 * float(both.max()))

    def panel(frame: DataFrame, names: Any) -> Any:
        return against(frame, *values, names, titles, domain)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)
