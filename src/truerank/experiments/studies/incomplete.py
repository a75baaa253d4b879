"""Rankings by a share of the judgments against those by all (carterette-2009 §4.5, Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared.agreement import ALPHA, GOOD, summed_over_trials
from truerank.experiments.shared.judged import (
    JudgedContext,
    JudgedParameters,
    load,
    prepare,
)
from truerank.readers.ranked_runs import Judgments, Numbers

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results

LEAST = {True: 1, False: 10}
"""Relevant and other documents that a topic keeps at least, where it has as many: the measures need some."""


@dataclass(frozen=True)
class IncompleteParameters(JudgedParameters):
    """The paper's four measures."""

    measures: tuple[str, ...] = option(("Bpref", "AP", "Rprec", "P@10"), "Measures to rank by.")
    shares: tuple[float, ...] = option(
        (0.01, 0.02, 0.05, *(s / 10 for s in range(1, 10))), "Shares of the judgments to keep."
    )
    trials: int = option(10, "Random orders of the judgments.", grows=True)

    def __post_init__(self) -> None:
        """Refuse shares that are none."""
        super().__post_init__()
        if not self.shares or not all(0 < share <= 1 for share in self.shares):
            raise InputError("shares takes numbers above 0 and up to 1, e.g. 0.1,0.5")
        if len(set(self.shares)) != len(self.shares):
            raise InputError("shares names one twice")
        if self.trials < 1:
            raise InputError(f"trials must be at least 1, not {self.trials}")


def grid(parameters: IncompleteParameters, data: Sequence[str]) -> Grid:
    """One task a random order of the judgments."""
    return Grid({"trial": range(parameters.trials)})


def work(context: JudgedContext, task: Task, seed: int, clock: Clock) -> list[Row]:
    """The rankings by every share of the judgments; smaller sets lie within larger ones."""
    rng = stream(seed, "order")
    orders = [rng.permutation(len(grades)).astype(np.int32) for grades in context.runs.grades]
    rows: list[Row] = []
    for share in context.parameters.shares:
        kept: list[Judgments] = []
        for order, grades in zip(orders, context.runs.grades, strict=True):
            documents = first_of_each(order, grades > 0, share)
            kept.append((documents, grades[documents]))
        with clock.measure("scores and distances"):
            found = context.agreement(kept)
        judgments = sum(len(documents) for documents, _ in kept)
        rows += [{"share": share, "judgments": judgments, **row} for row in found]
    return rows


def first_of_each(order: Numbers, relevant: NDArray[np.bool_], share: float) -> Numbers:
    """The first `share` of the relevant documents in an order, and of the others, ascending.

    Rounded to the nearest whole number, but at least :data:`LEAST`.

    Args:
        order: document numbers, each once.
        relevant: whether each document is, by number.
        share: of each kind to keep.
    """
    parts = []
    for kind, least in LEAST.items():
        of_kind = order[relevant[order] == kind]
        parts.append(of_kind[: max(least, round(share * len(of_kind)))])
    return np.sort(np.concatenate(parts))


MORE = ["judgments", "tau_ap", "kept", "critical"]


def _spread(value: str) -> list[str]:
    return [value, f"{value}_sd"]


def summarize(results: Results) -> Summary:
    """Means over trials, and the shares from which rankings pass."""
    from truerank.experiments.shared.panels import agreement_panels

    rows = results.frame()
    means = summed_over_trials(
        rows,
        ["measure", "share"],
        ["tau", "distance", "p", *MORE],
    )
    order = list(dict.fromkeys(rows["measure"]))
    means = means.sort_values(
        ["measure", "share"],
        key=lambda c: c.map(order.index) if c.name == "measure" else c,
        ignore_index=True,
    )
    return Summary(
        (
            Table(
                "needed",
                "Share of the judgments from which rankings pass: mean τ at least 0.9; mean distance within "
                "the 5% critical value; mean p at least 0.05 (a dash: none of these shares)",
                _needed(means),
                2,
            ),
            Table(
                "incomplete",
                "Agreement with the ranking by all judgments: mean and standard deviation over trials, and "
                "share of trials with p < 0.05",
                means[["measure", "share", *_spread("tau"), *_spread("distance"), "p", "rejected"]],
                3,
            ),
            Table("more", "Further means over trials", means[["measure", "share", "trials", *MORE]], 3),
        ),
        {"incomplete": partial(agreement_panels, means, "share", "Share of the judgments", results.data[0])},
    )


def _needed(means: DataFrame) -> DataFrame:
    import pandas as pd

    rows = []
    for measure, group in means.groupby("measure", sort=False):
        passes = {
            "tau": group["tau"] >= GOOD,
            "distance": group["distance"] <= group["critical"],
            "p": group["p"] >= ALPHA,
        }
        rows.append(
            {"measure": measure}
            | {k: _from_there_on(list(group["share"]), list(v)) for k, v in passes.items()}
        )
    return pd.DataFrame(rows)


def _from_there_on(shares: Sequence[float], passes: Sequence[bool]) -> float:
    """The least share from which all larger ones pass too; NaN where the largest does not."""
    least = np.nan
    for share, good in sorted(zip(shares, passes, strict=True), reverse=True):
        if not good:
            break
        least = share
    return float(least)


INCOMPLETE_EXPERIMENT = Experiment(
    name="incomplete",
    label="rankings by a share of the judgments against those by all",
    source="carterette-2009 §4.5, Figure 4",
    parameters=IncompleteParameters,
    load=load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=1,
    explanation=r"""
    Judgments are dropped at random, and each ranking is compared with that of the full judgments
    [@carterette-2009].
    """,
    references=("carterette-2009",),
)
