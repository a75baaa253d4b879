"""Coverage, width and variance of the intervals (bavdaz-2018 §5.3–5.4, Figures 5.1, 5.2, 5.4–5.8)."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.seeds import seed_of, stream
from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.experiments.engine.experiment import Clock, Experiment, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.experiments.shared.coverage import Outcome, outcome, outcomes
from truerank.numerics.intervals import check_levels, normal_interval, quantile_interval
from truerank.reliability.dependence import DEPENDENCES, OWN, covariance
from truerank.reliability.estimators import ESTIMATORS, Estimator, PairEstimator
from truerank.reliability.predictive import Predictive
from truerank.reliability.variance import sampled_terms

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

SAMPLED = "sampled"
"""The thesis's variance: sampled pairs of pairs, with the sample covariance or the own replicates."""

TRUE = "true"
"""Joint draws with the simulator's own covariance: what a sample covariance would be without noise."""

LONG_RUN = 20_000
"""Topics simulated for it."""

OBSERVED = "observed"
"""What stands in the place of a dependence for split-half."""


Found = tuple[str, str, float, Matrix | None]
"""Dependence, coefficient, its variance, draws of it."""


@dataclass(frozen=True)
class IntervalsParameters(simulated.SimulatedParameters):
    """As in the thesis: 20 … 100 topics, copula simulator, 20,000 pairs of pairs; and what it lacked."""

    trials: int = option(500, "Collections of each size.", grows=True)
    topics: tuple[int, ...] = option((20, 40, 60, 80, 100), "Sizes of the collections.")
    estimators: tuple[str, ...] = option(("ml", "msqd", "res", "sh"), "Estimators to compare.")
    simulator: tuple[str, ...] = option(
        ("copula",), "Fitted to score tables: effects, copula or your own; each makes a population."
    )
    dependences: tuple[str, ...] = option(
        (SAMPLED, "sample", "shrunk", OWN),
        "sampled: the thesis's pairs of pairs; sample, shrunk, true: joint draws; own: res's replicates.",
    )
    levels: tuple[float, ...] = option((0.6, 0.8, 0.9, 0.95, 0.99), "Nominal levels.")
    draws: int = option(10_000, "Joint draws behind variances and quantiles.")
    samples: int = option(20_000, "Pairs of pairs sampled.")

    def __post_init__(self) -> None:
        """Refuse levels, dependences and counts that make no sense."""
        super().__post_init__()
        check_levels(self.levels)
        known = (SAMPLED, *DEPENDENCES, TRUE, OWN)
        for name in self.dependences:
            if name not in known:
                raise unknown_name("dependence", name, known)
        if not self.dependences:
            raise InputError("dependences: name at least one")
        without = without_replicates(self.estimators)
        if without and set(self.dependences) == {OWN}:
            raise InputError(
                f"{' and '.join(without)}: no replicates of their own, so no variance by 'own' alone; add "
                "another of the dependences, or leave these estimators out"
            )
        if self.draws < 2 or self.samples < 1:
            raise InputError("at least two draws and one sampled pair of pairs are needed")


def without_replicates(names: Sequence[str]) -> list[str]:
    """Those of the estimators by pairs that bring no joint draws of their own."""
    found = [ESTIMATORS.find(name) for name in names]
    return [e.name for e in found if isinstance(e, PairEstimator) and e.replicates is None]


@dataclass(frozen=True)
class Context(simulated.Context):
    """With each model's own covariance, where it is asked for."""

    covariances: Mapping[str, Matrix] = field(default_factory=dict)


def prepare(parameters: IntervalsParameters, data: Mapping[str, simulated.Original], seed: int) -> Context:
    """Fit the models, and simulate each for long where its covariance is wanted."""
    base = simulated.prepare(parameters, data, seed)
    covariances = {}
    if TRUE in parameters.dependences:
        own_seed = seed_of(seed, "long run")
        for name, model in base.models.items():
            covariances[name] = covariance(model.sample(LONG_RUN, own_seed).values, "sample")
    return Context(base.parameters, base.models, base.estimators, base.coefficients, covariances=covariances)


def work(context: Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """For each estimator, dependence and coefficient: estimate, variance, and what its intervals did."""
    parameters: IntervalsParameters = context.parameters
    collection = context.collection(task, seed, clock)
    actual = {c.name: collection.actual(c) for c in context.coefficients}
    known = {}
    if TRUE in parameters.dependences:
        order = collection.order
        known[TRUE] = context.covariances[str(task["data"])][np.ix_(order, order)]
    predictive = Predictive(collection.sample, context.coefficients, parameters.draws, known)
    rows: list[Row] = []
    for method in context.estimators:
        with clock.measure(method.name):
            estimates = simulated.point_estimates(method, predictive)
        for dependence, name, variance, draws in _variances_of(
            method, estimates, predictive, parameters, clock
        ):
            point = estimates.values[name], actual[name]
            rows.append(
                {"estimator": method.name, "dependence": dependence, "coefficient": name}
                | {"estimate": point[0], "actual": point[1], "variance": variance}
                | _outcomes(point, None if dependence == OBSERVED else variance, draws, parameters.levels)
            )
    return rows


def _variances_of(
    method: Estimator,
    estimates: simulated.PointEstimates,
    predictive: Predictive,
    parameters: IntervalsParameters,
    clock: Clock,
) -> Iterator[Found]:
    """One result for each dependence that the estimator can have, and each coefficient."""
    if not isinstance(method, PairEstimator):
        for name, observed in estimates.observations.items():
            variance = float(observed.var(ddof=1)) if len(observed) > 1 else math.nan
            yield OBSERVED, name, variance, observed
        return
    for dependence in parameters.dependences:
        if dependence == OWN and method.replicates is None:
            continue
        with clock.measure(dependence):
            if dependence == SAMPLED:
                for name, variance in _sampled(method, predictive, parameters.samples):
                    yield dependence, name, variance, None
            else:
                swaps = predictive.draws(method, dependence)
                for c in predictive.coefficients:
                    draws = swaps.coefficient(c)
                    yield dependence, c.name, float(draws.var(ddof=1)), draws


def _sampled(method: PairEstimator, predictive: Predictive, samples: int) -> Iterator[tuple[str, float]]:
    """The thesis's variances: sample correlations behind ml and msqd, replicates behind res."""
    model = predictive.model(method, "sample" if method.replicates is None else OWN)
    rng = stream(predictive.sample.seed, "pairs of pairs")
    for name, found in sampled_terms(model, predictive.coefficients, samples, rng).items():
        yield name, found.variance()


def _outcomes(
    point: tuple[float, float], variance: float | None, draws: Matrix | None, levels: Sequence[float]
) -> dict[str, float]:
    """What the intervals did with an estimate and the actual coefficient; NaN where there is none."""
    estimate, actual = point

    def normal(level: float) -> Outcome:
        return outcome(None if variance is None else normal_interval(estimate, variance, level), actual)

    def quantile(level: float) -> Outcome:
        return outcome(None if draws is None or len(draws) < 2 else quantile_interval(draws, level), actual)

    return outcomes(levels, normal, "normal") | outcomes(levels, quantile, "quantile")


BY = ["data", "coefficient", "topics", "estimator", "dependence"]


def summarize(results: Results) -> Summary:
    """Error and bias, coverage and width, and estimated against true variance."""
    import pandas as pd

    levels = [f"{100 * level:g}" for level in results.parameters.levels]
    outcomes = [
        f"{v}_{k}_{level}" for v in ("covered", "width") for k in ("normal", "quantile") for level in levels
    ]
    found = results.moments(
        BY, ["error", "bias", "actual", "variance", *outcomes], simulated.with_differences
    )
    points = found.rename(
        columns={"error_count": "trials", **{f"{v}_mean": v for v in ("error", "bias", "actual")}}
    )[["data", "coefficient", "topics", "estimator", "trials", "error", "error_se", "bias", "bias_se"]]
    points = points.drop_duplicates(["data", "coefficient", "topics", "estimator"])
    coverage, width = (_by_level(found, value, levels) for value in ("covered", "width"))
    variances = _variances(found)
    figures: dict[str, Callable[[], TopLevelMixin]] = {
        "error": lambda: _points(points, "error", "Error"),
        "bias": lambda: _points(points, "bias", "Bias"),
        "variance": lambda: _variance_figure(variances),
    }
    for (c, kind, dependence), some in coverage.groupby(
        ["coefficient", "interval", "dependence"], sort=False
    ):
        if dependence != OBSERVED:
            halves = coverage[
                (coverage["coefficient"] == c)
                & (coverage["interval"] == kind)
                & (coverage["dependence"] == OBSERVED)
            ]
            both = pd.concat([some, halves])
            figures[f"coverage-{c}-{kind}-{dependence}"] = partial(_coverage_figure, both, levels)
    without = without_replicates(results.parameters.estimators)
    notes: tuple[str, ...] = ()
    if without and OWN in results.parameters.dependences:
        notes = (f"own: no rows for {' and '.join(without)}, without replicates of their own",)
    return Summary(
        (
            Table("points", "Error and bias of the point estimates", points),
            Table(
                "coverage",
                "Share of intervals that hold the actual coefficient, by nominal level (%)",
                coverage,
                3,
            ),
            Table("width", "Mean width of the intervals, by nominal level (%)", width, 3),
            Table(
                "variance",
                "Mean estimated variance against the variance of the actual coefficient",
                variances,
                5,
            ),
        ),
        figures,
        notes,
    )


def _by_level(found: DataFrame, value: str, levels: Sequence[str]) -> DataFrame:
    """One row for each group and kind of interval, one column for each level."""
    import pandas as pd

    parts = []
    for kind in ("normal", "quantile"):
        part = found[BY].assign(interval=kind)
        part["trials"] = found[f"{value}_{kind}_{levels[0]}_count"]
        for level in levels:
            part[level] = found[f"{value}_{kind}_{level}_mean"]
        parts.append(part[part["trials"] > 0])
    return pd.concat(parts, ignore_index=True)


def _variances(found: DataFrame) -> DataFrame:
    """Mean estimated variance, its standard error, the true variance and its, and their ratio."""
    pairs = found[found["dependence"] != OBSERVED]
    true = pairs["actual_sd"] ** 2
    # Of a sample variance, for near-normal values.
    error = true * (2 / (pairs["actual_count"] - 1).where(pairs["actual_count"] > 1)) ** 0.5
    return pairs[BY].assign(
        estimated=pairs["variance_mean"],
        estimated_se=pairs["variance_se"],
        true=true,
        true_se=error,
        ratio=pairs["variance_mean"] / true,
    )


def _points(points: DataFrame, value: str, title: str) -> TopLevelMixin:
    """Figures 5.1 and 5.2."""
    from truerank.report.charts.panels import lines, panels

    return panels(
        points,
        rows="data",
        columns="coefficient",
        panel=lambda frame, names: lines(frame, "topics", value, "estimator", "Topics", title, names),
        series="estimator",
    )


def _coverage_figure(table: DataFrame, levels: Sequence[str]) -> TopLevelMixin:
    """Figures 5.4–5.7: a column an estimator, a line a level."""
    from truerank.report.charts.panels import coverage

    return coverage(table, "data", "estimator", levels)


def _variance_figure(variances: DataFrame) -> TopLevelMixin:
    """Figure 5.8: estimated against true variance, a panel a coefficient and estimator."""
    from truerank.report.charts.panels import against, panels

    return panels(
        variances,
        rows="coefficient",
        columns="estimator",
        panel=lambda frame, names: against(
            frame, "true", "estimated", "dependence", names, ("True variance", "Estimated")
        ),
        series="dependence",
    )


INTERVALS_EXPERIMENT = Experiment(
    name="intervals",
    label="coverage, width and variance of intervals by number of topics",
    source="bavdaz-2018 §5.3–5.4",
    parameters=IntervalsParameters,
    load=simulated.load,
    prepare=prepare,
    grid=simulated.grid,
    work=work,
    summarize=summarize,
    chunk=20,
    explanation=r"""
    Of each simulated collection it is known whether an interval holds the actual coefficient; the share of
    those that do should be the nominal level [@bavdaz-2018].
    """,
    formula=r"\mathrm{coverage} = P(l \le \tau \le u)",
    references=("bavdaz-2018",),
    methods=simulated.methods,
)
