"""Error and bias of the point estimators by number of topics (urbano-marrero-2016 §4, Figures 1–2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from truerank.experiments.engine.experiment import Clock, Experiment, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared import simulated
from truerank.reliability.predictive import Predictive

if TYPE_CHECKING:
    from altair import TopLevelMixin
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results


@dataclass(frozen=True)
class EstimatorsParameters(simulated.SimulatedParameters):
    """As published: 1,000 collections of each of ten sizes, the bottom quarter dropped, T = 1,000."""

    topics: tuple[int, ...] = option(tuple(range(10, 101, 10)), "Sizes of the collections.")
    estimators: tuple[str, ...] = option(
        ("ml", "msqd", "res", "kd", "sh-w", "sh-wo"), "Estimators to compare."
    )
    drop_bottom: float = option(0.25, "Share of systems dropped from score tables, by quantile of the means.")


def work(context: simulated.Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """Each estimate of each coefficient for one collection, beside the actual coefficient."""
    collection = context.collection(task, seed, clock)
    actual = {c.name: collection.actual(c) for c in context.coefficients}
    predictive = Predictive(collection.sample, context.coefficients)
    rows: list[Row] = []
    for method in context.estimators:
        with clock.measure(method.name):
            estimates = simulated.point_estimates(method, predictive).values
        rows += [
            {"estimator": method.name, "coefficient": c, "estimate": estimate, "actual": actual[c]}
            for c, estimate in estimates.items()
        ]
    return rows


BY = ["data", "coefficient", "topics", "estimator"]


def summarize(results: Results) -> Summary:
    """Mean error and bias, with their standard errors, as tables and as the paper's figures."""
    found = results.moments(BY, ["error", "bias", "actual"], simulated.with_differences)
    long = found.rename(
        columns={"error_count": "trials", **{f"{v}_mean": v for v in ("error", "bias", "actual")}}
    )[[*BY, "trials", "error", "error_se", "bias", "bias_se", "actual", "actual_sd"]]
    return Summary(
        (
            _by_estimator(long, "error", "Mean absolute error of the estimates"),
            _by_estimator(long, "bias", "Bias of the estimates: mean of estimate − actual"),
            Table("estimates", "Error and bias with their standard errors; one row an estimator", long),
        ),
        {
            "error": lambda: figure(long, "error", "Error"),
            "bias": lambda: figure(long, "bias", "Bias"),
        },
    )


def _by_estimator(long: DataFrame, value: str, caption: str) -> Table:
    wide = long.pivot_table(
        index=["data", "coefficient", "topics"], columns="estimator", values=value, sort=False
    )
    return Table(value, caption, wide.reset_index().rename_axis(columns=None))


def figure(long: DataFrame, value: str, title: str) -> TopLevelMixin:
    """One panel a data set and coefficient, one line an estimator (Figures 1 and 2)."""
    from truerank.report.charts.panels import lines, panels

    drawn = panels(
        long,
        rows="data",
        columns="coefficient",
        panel=lambda frame, names: lines(frame, "topics", value, "estimator", "Topics", title, names),
        series="estimator",
    )
    return drawn


ESTIMATORS_EXPERIMENT = Experiment(
    name="estimators",
    label="error and bias of point estimates by number of topics",
    source="urbano-marrero-2016 §4",
    parameters=EstimatorsParameters,
    load=simulated.load,
    prepare=simulated.prepare,
    grid=simulated.grid,
    work=work,
    summarize=summarize,
    chunk=40,
    explanation=r"""
    Many collections are simulated with a known true ranking; each estimator's estimate is set beside the
    coefficient that the ranking of that collection really has with the true one [@urbano-marrero-2016].
    """,
    formula=r"\mathrm{bias} = E[\hat\tau - \tau], \quad \mathrm{error} = E\,|\hat\tau - \tau|",
    references=("urbano-marrero-2016",),
    methods=simulated.methods,
)
