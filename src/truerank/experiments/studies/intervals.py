"""Point estimates and intervals on simulated collections, by number of topics.

Error and bias of the estimators (urbano-marrero-2016 §4, Figures 1–2); coverage, width and variance of the
intervals (bavdaz-2018 §5.3–5.4, Figures 5.1, 5.2, 5.4–5.8).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.seeds import seed_of, stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.experiments.experiment import Row, Summary, Task, declared, each, option, tables
from truerank.experiments.store import Results
from truerank.experiments.studies import simulated
from truerank.experiments.studies.simulated import (
    against_each,
    by_level,
    by_topics,
    cells,
    interval_values,
    of_draws,
    of_normal,
    one_of,
    outcomes,
    percent,
    wide,
    with_differences,
)
from truerank.numerics.intervals import check_levels
from truerank.reliability.estimators import ESTIMATORS, Estimator, PairEstimator
from truerank.reliability.predictive import DEPENDENCES, OWN, Predictive, covariance
from truerank.reliability.swaps import sampled_terms

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.experiment import Draw
    from truerank.report.charts.style import Chart, Size


@dataclass(frozen=True)
class EstimatorsParameters(simulated.SimulatedParameters):
    """As published: 1,000 collections of each of ten sizes, the bottom quarter dropped, 1,000 resamples."""

    topics: tuple[int, ...] = option(tuple(range(10, 101, 10)))
    estimators: tuple[str, ...] = option(("ml", "msqd", "res", "kd", "sh-w", "sh-wo"))
    drop_bottom: float = option(0.25)


def point_work(context: simulated.Context, task: Task, seed: int) -> list[Row]:
    collection = context.collection(task, seed)
    predictive = Predictive(collection.sample, context.coefficients)
    return list(simulated.point_rows(context, collection, predictive))


CELL = ["data", "coefficient", "topics"]


def point_summary(results: Results) -> Summary:
    """Mean error and bias, with their standard errors, as tables and as the paper's figures."""
    result = cells(results, [*CELL, "estimator"], ["error", "bias", "actual"], with_differences)
    long = result.rename(columns={"error_count": "trials"})
    shown = long[
        [*CELL, "estimator", "trials", "error", "error_se", "bias", "bias_se", "actual", "actual_sd"]
    ]
    frames = {"error": wide(long, CELL, "error"), "bias": wide(long, CELL, "bias"), "estimates": shown}
    figures = {"error": by_topics(long, "error", "Error"), "bias": by_topics(long, "bias", "Bias")}
    return Summary(tables("estimators", frames), figures)


ESTIMATION = declared("estimators", EstimatorsParameters, point_work, point_summary, 40, simulated.PARTS)


# The thesis's variance: sampled pairs of pairs, with the sample covariance or the own replicates.
SAMPLED = "sampled"
# Joint draws with the simulator's own covariance: what a sample covariance would be without noise.
TRUE = "true"
LONG_RUN = 20_000  # topics simulated for it
OBSERVED = "observed"  # in the place of a dependence for split-half
KINDS = ("normal", "quantile")


@dataclass(frozen=True)
class IntervalsParameters(simulated.SimulatedParameters):
    """As in the thesis: 20 … 100 topics, copula simulator, 20,000 pairs of pairs; and what it lacked."""

    trials: int = option(500)
    topics: tuple[int, ...] = option((20, 40, 60, 80, 100))
    estimators: tuple[str, ...] = option(("ml", "msqd", "res", "sh"))
    simulator: tuple[str, ...] = option(("copula",))
    dependences: tuple[str, ...] = option(
        (SAMPLED, "sample", "shrunk", OWN),
        "sampled: the thesis's pairs of pairs; sample, shrunk, true: joint draws; own: res's replicates.",
        check=each(one_of("dependence", SAMPLED, *DEPENDENCES, TRUE, OWN)),
    )
    levels: tuple[float, ...] = option((0.6, 0.8, 0.9, 0.95, 0.99), "Nominal levels.", check=check_levels)
    draws: int = option(10_000, "Joint draws behind variances and quantiles.", least=2)
    samples: int = option(20_000, "Pairs of pairs sampled.", least=1)

    def __post_init__(self) -> None:
        super().__post_init__()
        without = without_replicates(self.estimators)
        if without and set(self.dependences) == {OWN}:
            raise InputError(
                f"{' and '.join(without)}: no replicates of their own, so no variance by 'own' alone; add "
                "another of the dependences, or leave these estimators out"
            )


def without_replicates(names: Sequence[str]) -> list[str]:
    """Those of the estimators by pairs that bring no joint draws of their own."""
    result = [ESTIMATORS.find(name) for name in names]
    return [e.name for e in result if isinstance(e, PairEstimator) and e.replicates is None]


def prepare(
    parameters: IntervalsParameters, data: Mapping[str, simulated.Original], seed: int
) -> simulated.Context:
    """Fit the models, and simulate each for long where its covariance is wanted."""
    base = simulated.prepare(parameters, data, seed)
    if TRUE not in parameters.dependences:
        return base
    long_runs = {n: m.sample(LONG_RUN, seed_of(seed, "long run")) for n, m in base.models.items()}
    return replace(base, covariances={n: covariance(run.values, "sample") for n, run in long_runs.items()})


def work(context: simulated.Context, task: Task, seed: int) -> list[Row]:
    """For each estimator, dependence and coefficient: estimate, variance, and what its intervals did."""
    parameters: IntervalsParameters = context.parameters
    collection = context.collection(task, seed)
    actual = {c.name: collection.actual(c) for c in context.coefficients}
    known = {}
    if TRUE in parameters.dependences:
        order = collection.order
        known[TRUE] = context.covariances[str(task["data"])][np.ix_(order, order)]
    predictive = Predictive(collection.sample, context.coefficients, parameters.draws, known)
    rows: list[Row] = []
    for method in context.estimators:
        estimates = simulated.point_estimates(method, predictive)
        for dependence, name, variance, draws in _variances_of(method, estimates, predictive, parameters):
            point = estimates[name][0], actual[name]
            normal = None if dependence == OBSERVED else variance
            rows.append(
                {"estimator": method.name, "dependence": dependence, "coefficient": name}
                | {"estimate": point[0], "actual": point[1], "variance": variance}
                | outcomes(parameters.levels, of_normal(point[0], normal, point[1]), "normal")
                | outcomes(parameters.levels, of_draws(draws, point[1]), "quantile")
            )
    return rows


def _variances_of(
    method: Estimator,
    estimates: Mapping[str, tuple[float, Vector | None]],
    predictive: Predictive,
    parameters: IntervalsParameters,
) -> Iterator[tuple[str, str, float, Matrix | None]]:
    """Dependence, coefficient, its variance and draws: of each dependence that the estimator can have."""
    if not isinstance(method, PairEstimator):
        for name, (_, observed) in estimates.items():
            assert observed is not None
            variance = float(observed.var(ddof=1)) if len(observed) > 1 else math.nan
            yield OBSERVED, name, variance, observed
        return
    for dependence in parameters.dependences:
        if dependence == OWN and method.replicates is None:
            continue
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
    for name, result in sampled_terms(model, predictive.coefficients, samples, rng).items():
        yield name, result.variance()


BY = ["data", "coefficient", "topics", "estimator", "dependence"]


def summarize(results: Results) -> Summary:
    import pandas as pd

    parameters: IntervalsParameters = results.parameters
    levels = percent(parameters.levels)
    values = [value for kind in KINDS for value in interval_values(parameters.levels, kind)]
    result = cells(results, BY, ["error", "bias", "actual", "variance", *values], with_differences)
    points = result.rename(columns={"error_count": "trials"})[
        ["data", "coefficient", "topics", "estimator", "trials", "error", "error_se", "bias", "bias_se"]
    ].drop_duplicates(["data", "coefficient", "topics", "estimator"])
    coverage, width = (_by_level(result, value, levels) for value in ("covered", "width"))
    variances = _variances(result)
    figures: dict[str, Draw] = {
        "error": by_topics(points, "error", "Error"),
        "bias": by_topics(points, "bias", "Bias"),
        "variance": against_each(  # Figure 5.8
            variances,
            ("true", "estimated"),
            ("True variance", "Estimated"),
            rows="coefficient",
            columns="estimator",
            series="dependence" if len(parameters.dependences) > 1 else "data",
        ),
    }
    halves = coverage[coverage["dependence"] == OBSERVED]
    groups = coverage.groupby(["coefficient", "interval", "dependence"], sort=False)
    for (c, kind, dependence), some in groups:
        if dependence != OBSERVED:
            beside = halves[halves["coefficient"] == c]  # by its own quantiles, whatever the others have
            shown = pd.concat([some, beside])
            apart = ("sh",) if c == "tau_ap" else ()  # split-half has other limits
            figures[f"coverage-{c}-{kind}-{dependence}"] = partial(_coverage, shown, levels, apart)
    without = without_replicates(parameters.estimators) if OWN in parameters.dependences else []
    notes = [f"own: no rows for {' and '.join(without)}, without replicates of their own"] if without else []
    frames = {"points": points, "coverage": coverage, "width": width, "variance": variances}
    return Summary(tables("intervals", frames), figures, tuple(notes))


def _by_level(result: DataFrame, value: str, levels: Sequence[str]) -> DataFrame:
    """One row for each group and kind of interval, one column for each level."""
    import pandas as pd

    parts = []
    for kind in KINDS:
        columns = [f"{kind}_{level}" for level in levels]
        part = by_level(result.assign(interval=kind), [*BY, "interval"], value, columns)
        parts.append(part[part["trials"] > 0].set_axis([*BY, "interval", "trials", *levels], axis=1))
    return pd.concat(parts, ignore_index=True)


def _variances(result: DataFrame) -> DataFrame:
    """Mean estimated variance, its standard error, the true variance and its, and their ratio."""
    pairs = result[result["dependence"] != OBSERVED]
    true = pairs["actual_sd"] ** 2
    # The standard error of a sample variance, for near-normal values.
    error = true * (2 / (pairs["actual_count"] - 1).where(pairs["actual_count"] > 1)) ** 0.5
    estimated = {"estimated": pairs["variance"], "estimated_se": pairs["variance_se"]}
    ratio = pairs["variance"] / true
    parts = (pairs["variance_se"] / pairs["variance"]) ** 2 + (error / true) ** 2
    ratios = {"ratio": ratio, "ratio_se": ratio * parts**0.5}
    return pairs[BY].assign(**estimated, true=true, true_se=error, **ratios)


def _coverage(table: DataFrame, levels: Sequence[str], apart: Sequence[str], size: Size) -> Chart:
    from truerank.report.charts.panels import coverage

    return coverage(table, size, "data", "estimator", levels, apart)


EXPERIMENT = declared("intervals", IntervalsParameters, work, summarize, 20, simulated.PARTS, prepare=prepare)
