"""Rankings by random documents called relevant, without judgments (carterette-2009 §4.5).

Soboroff, Nicholas & Cahan, *Ranking Retrieval Systems without Relevance Judgments*, SIGIR 2001.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.seeds import stream
from truerank.experiments.shared.agreement import ALPHA, PARTS, JudgedContext, JudgedParameters
from truerank.experiments.study import Results, Row, Summary, Task, declared, option, tables
from truerank.readers.ranked_runs import Judgments, RankedRuns

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame, Size


@dataclass(frozen=True)
class PseudoQrelsParameters(JudgedParameters):
    """The paper's 50 sets, from a pool as deep as TREC's."""

    trials: int = option(50, "Sets of pseudo-judgments.", grows=True, least=1)
    depth: int = option(100, "Documents that every run brings into the pool.", least=1)


def work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by one set of pseudo-judgments against those by the real ones."""
    kept = pseudo_judgments(context.runs, context.parameters.depth, seed)
    rows = context.agreement(kept)
    called = sum(int((grades > 0).sum()) for _, grades in kept)
    return [{"called_relevant": called, **row} for row in rows]


def pseudo_judgments(runs: RankedRuns, depth: int, seed: int) -> list[Judgments]:
    """Documents drawn from each topic's pool without replacement and called relevant, the rest not.

    A topic's share is drawn from the normal distribution of the true shares, as Soboroff and others do.
    """
    rng = stream(seed, "pseudo-judgments")
    pools = [runs.pool(topic, depth) for topic in range(len(runs.topics))]
    shares = [
        float(np.mean([d < len(grades) and grades[d] > 0 for d in pool.tolist()]))
        for pool, grades in zip(pools, runs.grades, strict=True)
    ]
    drawn = rng.normal(np.mean(shares), np.std(shares), len(pools))
    made: list[Judgments] = []
    for pool, share in zip(pools, drawn.tolist(), strict=True):
        count = min(len(pool), max(1, round(share * len(pool))))
        grades = np.zeros(len(pool), dtype=np.int32)
        grades[rng.choice(len(pool), count, replace=False)] = 1
        made.append((pool, grades))
    return made


def summarize(results: Results) -> Summary:
    """Mean and standard deviation over the sets."""
    rows = results.frame()
    frames = {"pseudo-qrels": _moments(rows)}
    return Summary(tables("pseudo-qrels", frames), {"pseudo-qrels": partial(_figure, rows)})


SUMMED = ["tau", "tau_low", "tau_high", "tau_ap", "distance", "critical", "p", "kept"]


def _moments(rows: DataFrame) -> DataFrame:
    """Mean and standard deviation of every quantity, a row each, and the share of sets with p < 0.05."""
    import pandas as pd

    result = []
    for measure, group in rows.groupby("measure", sort=False):
        result += [
            {"measure": measure, "what": what, "mean": group[what].mean(), "sd": group[what].std(ddof=1)}
            for what in SUMMED
        ]
        result.append({"measure": measure, "what": "rejected", "mean": float((group["p"] < ALPHA).mean())})
    return pd.DataFrame(result)


def _figure(rows: DataFrame, size: Size) -> Any:
    """τ and distance of every set, with the distance's critical value."""
    from truerank.report.charts.panels import side_by_side
    from truerank.report.charts.style import channel, layered, mark, records_of

    charts = []
    for measure, group in rows.groupby("measure", sort=False):
        top = float(max(group["distance"].max(), group["critical"].max())) * 1.05
        look: dict[str, Any] = {"color": "#0072b2", "size": size.font**2 / 4, "opacity": 0.7}
        points = mark(
            "point",
            records_of(group),
            x=channel("tau:Q", title="Kendall's τ", scale={"zero": False}),
            y=channel("distance:Q", title="Rank distance", scale={"domain": [0, top]}),
            **look,
        )
        dashed: dict[str, Any] = {"color": "#999999", "strokeWidth": size.font / 14, "strokeDash": [2, 2]}
        rule = mark("rule", records_of(group.head(1)), y="critical:Q", **dashed)
        charts.append(layered(rule, points, title=f"{measure}"))
    return side_by_side(size, *charts)


EXPERIMENT = declared("pseudo-qrels", PseudoQrelsParameters, work, summarize, 2, PARTS)
