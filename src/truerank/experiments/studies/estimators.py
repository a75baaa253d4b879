"""Error and bias of the point estimators by number of topics (urbano-marrero-2016 §4, Figures 1–2)."""

from __future__ import annotations

from dataclasses import dataclass

from truerank.experiments.shared import simulated
from truerank.experiments.shared.summaries import by_topics, cells, wide, with_differences
from truerank.experiments.study import Results, Row, Summary, Task, declared, option, tables
from truerank.reliability.predictive import Predictive


@dataclass(frozen=True)
class EstimatorsParameters(simulated.SimulatedParameters):
    """As published: 1,000 collections of each of ten sizes, the bottom quarter dropped, 1,000 resamples."""

    topics: tuple[int, ...] = option(tuple(range(10, 101, 10)))
    estimators: tuple[str, ...] = option(("ml", "msqd", "res", "kd", "sh-w", "sh-wo"))
    drop_bottom: float = option(0.25)


def work(context: simulated.Context, task: Task, seed: int) -> list[Row]:
    """Each estimate of each coefficient for one collection, beside the actual coefficient."""
    collection = context.collection(task, seed)
    predictive = Predictive(collection.sample, context.coefficients)
    return list(simulated.point_rows(context, collection, predictive))


CELL = ["data", "coefficient", "topics"]
BY = [*CELL, "estimator"]


def summarize(results: Results) -> Summary:
    """Mean error and bias, with their standard errors, as tables and as the paper's figures."""
    result = cells(results, BY, ["error", "bias", "actual"], with_differences)
    long = result.rename(columns={"error_count": "trials"})
    shown = long[[*BY, "trials", "error", "error_se", "bias", "bias_se", "actual", "actual_sd"]]
    frames = {"error": wide(long, CELL, "error"), "bias": wide(long, CELL, "bias"), "estimates": shown}
    figures = {"error": by_topics(long, "error", "Error"), "bias": by_topics(long, "bias", "Bias")}
    return Summary(tables("estimators", frames), figures)


EXPERIMENT = declared("estimators", EstimatorsParameters, work, summarize, 40, simulated.PARTS)
