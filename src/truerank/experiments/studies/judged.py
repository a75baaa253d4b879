"""Rankings by fewer or other judgments against those by all of them (carterette-2009 §4.5).

By shallow pools (Table 2), by random parts of the judgments (Figure 4, after Buckley & Voorhees 2004), and by
random documents called relevant, without judgments (after Soboroff, Nicholas & Cahan 2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.seeds import stream
from truerank.errors import InputError
from truerank.experiments.experiment import (
    Grid,
    Row,
    Summary,
    Task,
    declared,
    each,
    option,
    tables,
)
from truerank.experiments.results import Results
from truerank.experiments.studies.trusted import (
    ALPHA,
    GOOD,
    SHOWN,
    Trusted,
    agreement_panels,
    distance_text,
    tau_text,
    trusted_by_name,
)
from truerank.readers.measures import parse_measure
from truerank.readers.names import file_stem
from truerank.readers.ranked_runs import Judgments, RankedRuns, read_ranked_runs

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.report.charts.style import Size


@dataclass(frozen=True)
class JudgedParameters:
    """What every experiment on runs and judgments can be told."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(("AP",), "Measures to rank by.", check=each(parse_measure))
    resamples: int = option(10_000, "Bootstrap resamples for the p-values.", least=1)


def load(sources: Any, parameters: JudgedParameters) -> dict[str, RankedRuns]:
    if isinstance(sources, RankedRuns):
        return {"runs": sources}
    if not parameters.qrels:
        raise InputError(f"name the judgments of the runs: {setting('qrels', 'FILE')}")
    runs = read_ranked_runs(parameters.qrels, sources)
    if runs.m < 2:
        raise InputError("name at least two runs, or a folder of them")
    return {file_stem(parameters.qrels): runs}


@dataclass(frozen=True, eq=False)
class JudgedContext:
    """What tasks on runs and judgments need: the runs, and each measure's ranking by all judgments."""

    parameters: Any
    runs: RankedRuns
    trusted: Mapping[str, Trusted]

    def agreement(self, kept: Sequence[Judgments], **more: Any) -> list[Row]:
        """One row per measure: its ranking with these judgments against its ranking with all of them."""
        result = self.runs.evaluate(self.parameters.measures, kept)
        return [
            {**more, "measure": name, **row}
            for name, trusted in self.trusted.items()
            for row in trusted.agreement(result[name].means)
        ]


def prepare(parameters: JudgedParameters, data: Mapping[str, RankedRuns], seed: int) -> JudgedContext:
    runs = next(iter(data.values()))
    scores = runs.evaluate(parameters.measures, runs.judgments())
    return JudgedContext(parameters, runs, trusted_by_name(scores, parameters.resamples, seed))


PARTS: dict[str, Any] = {
    "load": load,
    "prepare": prepare,
    "grid": lambda parameters, data: Grid({"trial": range(parameters.trials)}),
}


@dataclass(frozen=True)
class PoolsParameters(JudgedParameters):
    """The depths of the paper's table."""

    depths: tuple[int, ...] = option(
        (1, 5, 10, 25, 50), "Documents that every run brings into the pool.", least=1
    )


def pools_work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by the judgments of the pool of these runs; the rest stays unjudged."""
    runs = context.runs
    pools = [runs.pool(topic, int(task["depth"])) for topic in range(len(runs.grades))]
    judged = [pool[pool < len(grades)] for pool, grades in zip(pools, runs.grades, strict=True)]
    kept = [(pool, grades[pool]) for pool, grades in zip(judged, runs.grades, strict=True)]
    counts = {
        "pooled": sum(map(len, pools)),
        "judgments": sum(map(len, judged)),
        "relevant": sum(int((grades > 0).sum()) for _, grades in kept),
    }
    return context.agreement(kept, **counts)


def pools_summary(results: Results) -> Summary:
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


LEAST = {True: 1, False: 10}
"""The fewest relevant documents that are kept of a topic, and the fewest others."""


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


def incomplete_work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by every share of the judgments; smaller sets lie within larger ones."""
    rng = stream(seed, "order")
    orders = [rng.permutation(len(grades)).astype(np.int32) for grades in context.runs.grades]
    rows: list[Row] = []
    for share in context.parameters.shares:
        kept: list[Judgments] = []
        for order, grades in zip(orders, context.runs.grades, strict=True):
            documents = first_of_each(order, grades > 0, share)
            kept.append((documents, grades[documents]))
        rows += context.agreement(kept, share=share, judgments=sum(len(documents) for documents, _ in kept))
    return rows


def first_of_each(order: NDArray[np.int32], relevant: NDArray[np.bool_], share: float) -> NDArray[np.int32]:
    """The first `share` of the relevant documents in an order, and of the others, at least :data:`LEAST`."""
    parts = []
    for kind, least in LEAST.items():
        of_kind = order[relevant[order] == kind]
        parts.append(of_kind[: max(least, round(share * len(of_kind)))])
    return np.sort(np.concatenate(parts))


def incomplete_summary(results: Results) -> Summary:
    """Means over trials, and the shares from which rankings pass."""
    import pandas as pd

    rows = results.frame().assign(rejected=lambda frame: (frame["p"] < ALPHA).astype(float))
    order = list(dict.fromkeys(rows["measure"]))
    groups = rows.groupby(["measure", "share"], sort=False)
    values = groups[["tau", "distance", "p", "judgments", "tau_ap", "kept", "critical", "rejected"]].mean()
    spreads = groups[["tau", "distance"]].std(ddof=1).add_suffix("_sd")
    means = pd.concat([groups.size().rename("trials"), values, spreads], axis=1).reset_index()
    means = means.sort_values(
        ["measure", "share"],
        key=lambda c: c.map(order.index) if c.name == "measure" else c,
        ignore_index=True,
    )
    shown = ["tau", "tau_sd", "distance", "distance_sd", "p", "rejected"]
    frames = {
        "needed": needed(means),
        "incomplete": means[["measure", "share", *shown]],
        "more": means[["measure", "share", "trials", "judgments", "tau_ap", "kept", "critical"]],
    }
    figure = agreement_panels(means, "share", "Share of the judgments", results.data[0])
    return Summary(tables("incomplete", frames), {"incomplete": figure})


def needed(means: DataFrame) -> DataFrame:
    """The least share from which all larger ones pass too; NaN where the largest does not."""
    import pandas as pd

    rows = []
    for measure, group in means.groupby("measure", sort=False):
        row: Row = {"measure": measure}
        passes = {"tau": group["tau"] >= GOOD, "distance": group["distance"] <= group["critical"]}
        for what, good in (passes | {"p": group["p"] >= ALPHA}).items():
            falling = group["share"].sort_values(ascending=False)
            row[what] = falling[good[falling.index].cummin()].min()
        rows.append(row)
    return pd.DataFrame(rows)


@dataclass(frozen=True)
class PseudoQrelsParameters(JudgedParameters):
    """The paper's 50 sets, from a pool as deep as TREC's."""

    trials: int = option(50, "Sets of pseudo-judgments.", grows=True, least=1)
    depth: int = option(100, "Documents that every run brings into the pool.", least=1)


def pseudo_work(context: JudgedContext, task: Task, seed: int) -> list[Row]:
    """The rankings by one set of pseudo-judgments against those by the real ones."""
    kept = pseudo_judgments(context.runs, context.parameters.depth, seed)
    return context.agreement(kept, called_relevant=sum(int((grades > 0).sum()) for _, grades in kept))


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


def pseudo_summary(results: Results) -> Summary:
    """Mean and standard deviation over the sets of every quantity, and the share of sets with p < 0.05."""
    import pandas as pd

    rows = results.frame()
    values = ["tau", "tau_low", "tau_high", "tau_ap", "distance", "critical", "p", "kept"]
    moments: list[Row] = []
    for measure, group in rows.groupby("measure", sort=False):
        moments += [
            {"measure": measure, "what": what, "mean": group[what].mean(), "sd": group[what].std(ddof=1)}
            for what in values
        ]
        moments.append({"measure": measure, "what": "rejected", "mean": float((group["p"] < ALPHA).mean())})
    frames = {"pseudo-qrels": pd.DataFrame(moments)}
    return Summary(tables("pseudo-qrels", frames), {"pseudo-qrels": partial(_pseudo_figure, rows)})


def _pseudo_figure(rows: DataFrame, size: Size) -> Any:
    """τ and distance of every set, with the distance's critical value."""
    from truerank.report.charts.panels import side_by_side
    from truerank.report.charts.style import channel, layered, mark, records_of

    charts = []
    for measure, group in rows.groupby("measure", sort=False):
        top = float(max(group["distance"].max(), group["critical"].max())) * 1.05
        look: dict[str, Any] = {"color": "#0072b2", "size": size.font**2 / 4, "opacity": 0.7}
        x = channel("tau:Q", title="Kendall's τ", scale={"zero": False})
        y = channel("distance:Q", title="Rank distance", scale={"domain": [0, top]})
        dashed: dict[str, Any] = {"color": "#999999", "strokeWidth": size.font / 14, "strokeDash": [2, 2]}
        rule = mark("rule", records_of(group.head(1)), y="critical:Q", **dashed)
        points = mark("point", records_of(group), x=x, y=y, **look)
        charts.append(layered(rule, points, title=f"{measure}"))
    return side_by_side(size, *charts)


POOLS = declared(
    "pools",
    PoolsParameters,
    pools_work,
    pools_summary,
    1,
    PARTS,
    grid=lambda parameters, data: Grid({"depth": parameters.depths}),
)
INCOMPLETE = declared("incomplete", IncompleteParameters, incomplete_work, incomplete_summary, 1, PARTS)
PSEUDO_QRELS = declared("pseudo-qrels", PseudoQrelsParameters, pseudo_work, pseudo_summary, 2, PARTS)
