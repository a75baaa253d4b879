"""Rankings by a share of the judgments against those by all (carterette-2009 §4.5, Figure 4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank.errors import InputError
from truerank.experiments.engine.parameters import each
from truerank.experiments.shared.agreement import (
    ALPHA,
    GOOD,
    PARTS,
    JudgedContext,
    JudgedParameters,
    agreement_panels,
    summed_over_trials,
)
from truerank.experiments.study import Results, Row, Summary, Task, declared, option, tables
from truerank.readers.ranked_runs import Judgments, Numbers

if TYPE_CHECKING:
    from truerank.experiments.study import DataFrame

LEAST = {True: 1, False: 10}
"""Relevant and other documents that a topic keeps at least, where it has as many: the measures need some."""


def _check_share(share: float) -> None:
    if not 0 < share <= 1:
        raise InputError("shares takes numbers above 0 and up to 1, e.g. 0.1,0.5")


@dataclass(frozen=True)
class IncompleteParameters(JudgedParameters):
    """The paper's four measures."""

    measures: tuple[str, ...] = option(("Bpref", "AP", "Rprec", "P@10"), "Measures to rank by.")
    shares: tuple[float, ...] = option(
        (0.01, 0.02, 0.05, *(s / 10 for s in range(1, 10))),
        "Shares of the judgments to keep.",
        check=each(_check_share),
    )
    trials: int = option(10, "Random orders of the judgments.", grows=True, least=1)


def work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by every share of the judgments; smaller sets lie within larger ones."""
    rng = stream(seed, "order")
    orders = [rng.permutation(len(grades)).astype(np.int32) for grades in context.runs.grades]
    rows: list[Row] = []
    for share in context.parameters.shares:
        kept: list[Judgments] = []
        for order, grades in zip(orders, context.runs.grades, strict=True):
            documents = first_of_each(order, grades > 0, share)
            kept.append((documents, grades[documents]))
        result = context.agreement(kept)
        judgments = sum(len(documents) for documents, _ in kept)
        rows += [{"share": share, "judgments": judgments, **row} for row in result]
    return rows


def first_of_each(order: Numbers, relevant: NDArray[np.bool_], share: float) -> Numbers:
    """The first `share` of the relevant documents in an order, and of the others, at least :data:`LEAST`."""
    parts = []
    for kind, least in LEAST.items():
        of_kind = order[relevant[order] == kind]
        parts.append(of_kind[: max(least, round(share * len(of_kind)))])
    return np.sort(np.concatenate(parts))


MORE = ["judgments", "tau_ap", "kept", "critical"]


def summarize(results: Results) -> Summary:
    """Means over trials, and the shares from which rankings pass."""
    rows = results.frame()
    means = summed_over_trials(rows, ["measure", "share"], ["tau", "distance", "p", *MORE])
    order = list(dict.fromkeys(rows["measure"]))
    means = means.sort_values(
        ["measure", "share"],
        key=lambda c: c.map(order.index) if c.name == "measure" else c,
        ignore_index=True,
    )
    spreads = ["tau", "tau_sd", "distance", "distance_sd"]
    frames = {
        "needed": _needed(means),
        "incomplete": means[["measure", "share", *spreads, "p", "rejected"]],
        "more": means[["measure", "share", "trials", *MORE]],
    }
    figure = agreement_panels(means, "share", "Share of the judgments", results.data[0])
    return Summary(tables("incomplete", frames), {"incomplete": figure})


def _needed(means: DataFrame) -> DataFrame:
    import pandas as pd

    rows = []
    for measure, group in means.groupby("measure", sort=False):
        passes = {"tau": group["tau"] >= GOOD, "distance": group["distance"] <= group["critical"]}
        passes["p"] = group["p"] >= ALPHA
        shares = list(group["share"])
        least = {what: _from_there_on(shares, list(good)) for what, good in passes.items()}
        rows.append({"measure": measure} | least)
    return pd.DataFrame(rows)


def _from_there_on(shares: Sequence[float], passes: Sequence[bool]) -> float:
    """The least share from which all larger ones pass too; NaN where the largest does not."""
    least = np.nan
    for share, good in sorted(zip(shares, passes, strict=True), reverse=True):
        if not good:
            break
        least = share
    return float(least)


EXPERIMENT = declared("incomplete", IncompleteParameters, work, summarize, 1, PARTS)
