"""Rankings by shallow pools against those by all judgments (carterette-2009 §4.5, Table 2)."""

from __future__ import annotations

from dataclasses import dataclass

from truerank.experiments.shared.agreement import (
    PARTS,
    SHOWN,
    JudgedContext,
    JudgedParameters,
    agreement_panels,
    distance_text,
    tau_text,
)
from truerank.experiments.study import Grid, Results, Row, Summary, Task, declared, option, tables
from truerank.readers.ranked_runs import Judgments


@dataclass(frozen=True)
class PoolsParameters(JudgedParameters):
    """The depths of the paper's table."""

    depths: tuple[int, ...] = option(
        (1, 5, 10, 25, 50), "Documents that every run brings into the pool.", least=1
    )


def work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by the judgments of the pool of these runs; the rest stays unjudged."""
    runs = context.runs
    kept: list[Judgments] = []
    pooled = 0
    for topic, grades in enumerate(runs.grades):
        pool = runs.pool(topic, int(task["depth"]))
        pooled += len(pool)
        judged = pool[pool < len(grades)]
        kept.append((judged, grades[judged]))
    rows = context.agreement(kept)
    counts = {
        "pooled": pooled,
        "judgments": sum(len(documents) for documents, _ in kept),
        "relevant": sum(int((grades > 0).sum()) for _, grades in kept),
    }
    return [{**counts, **row} for row in rows]


def summarize(results: Results) -> Summary:
    """Table 2, and all numbers."""
    rows = results.frame()
    shown = rows.assign(
        tau=[tau_text(row) for row in rows.itertuples()],
        distance=[distance_text(row) for row in rows.itertuples()],
    ).sort_values(["measure", "depth"], kind="stable", ignore_index=True)
    frames = {
        "pools": shown[["measure", "depth", "judgments", "relevant", "tau", "distance"]],
        "all": rows[["measure", "depth", "pooled", "judgments", *SHOWN]],
    }
    figure = agreement_panels(rows, "judgments", "Judgments", results.data[0])
    return Summary(tables("pools", frames), {"pools": figure})


EXPERIMENT = declared(
    "pools",
    PoolsParameters,
    work,
    summarize,
    1,
    PARTS,
    grid=lambda parameters, data: Grid({"depth": parameters.depths}),
)
