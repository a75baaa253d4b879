"""Rankings by shallow pools against those by all judgments (carterette-2009 §4.5, Table 2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared.agreement import SHOWN, distance_text, tau_text
from truerank.experiments.shared.judged import JudgedContext, JudgedParameters, load, prepare
from truerank.readers.ranked_runs import Judgments

if TYPE_CHECKING:
    from truerank.experiments.engine.run_results import Results


@dataclass(frozen=True)
class PoolsParameters(JudgedParameters):
    """The depths of the paper's table."""

    depths: tuple[int, ...] = option((1, 5, 10, 25, 50), "Documents that every run brings into the pool.")

    def __post_init__(self) -> None:
        """Refuse depths that are none."""
        super().__post_init__()
        if not self.depths or min(self.depths) < 1 or len(set(self.depths)) != len(self.depths):
            raise InputError("depths takes different whole numbers from 1 on, e.g. 1,5,10")


def grid(parameters: PoolsParameters, data: Sequence[str]) -> Grid:
    """One task a depth."""
    return Grid({"depth": parameters.depths})


def work(context: JudgedContext, task: Task, seed: int, clock: Clock) -> list[Row]:
    """The rankings by the judgments of the pool, which is made of these runs.

    A pooled document that nobody judged stays unjudged.
    """
    runs = context.runs
    kept: list[Judgments] = []
    pooled = 0
    for topic, grades in enumerate(runs.grades):
        pool = runs.pool(topic, int(task["depth"]))
        pooled += len(pool)
        judged = pool[pool < len(grades)]
        kept.append((judged, grades[judged]))
    with clock.measure("scores and distances"):
        rows = context.agreement(kept)
    counts = {
        "pooled": pooled,
        "judgments": sum(len(documents) for documents, _ in kept),
        "relevant": sum(int((grades > 0).sum()) for _, grades in kept),
    }
    return [{**counts, **row} for row in rows]


def summarize(results: Results) -> Summary:
    """Table 2, and all numbers."""
    from truerank.experiments.shared.panels import agreement_panels

    rows = results.frame()
    shown = rows.assign(tau=[tau_text(r) for r in rows.itertuples()])
    shown["distance"] = [distance_text(r) for r in rows.itertuples()]
    return Summary(
        (
            Table(
                "pools",
                "Kendall's τ with its 95% interval, rank distance and p to the ranking by all judgments; "
                "† marks what cannot be told apart (p ≥ 0.05)",
                shown[["measure", "depth", "judgments", "relevant", "tau", "distance"]].sort_values(
                    ["measure", "depth"], kind="stable", ignore_index=True
                ),
                2,
            ),
            Table(
                "all", "Every depth and measure", rows[["measure", "depth", "pooled", "judgments", *SHOWN]], 3
            ),
        ),
        {"pools": partial(agreement_panels, rows, "judgments", "Judgments", results.data[0])},
    )


POOLS_EXPERIMENT = Experiment(
    name="pools",
    label="rankings by shallow pools against those by all judgments",
    source="carterette-2009 §4.5, Table 2",
    parameters=PoolsParameters,
    load=load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=1,
    explanation=r"""
    Topics are judged to shallower and shallower pools, and each ranking is compared with that of the full
    judgments [@carterette-2009].
    """,
    references=("carterette-2009",),
)
