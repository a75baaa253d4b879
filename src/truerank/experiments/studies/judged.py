"""Rankings against a trusted one, by τ and by the rank distance (carterette-2009).

By other measures: §4.4, Table 1. By shallow pools (Table 2), random parts of the judgments (Figure 4), and
random documents called relevant: §4.5, after Buckley & Voorhees (2004) and Soboroff and others (2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.arguments import setting
from truerank._support.seeds import stream
from truerank.coefficients import kendall_interval, tau, tau_ap, tau_b
from truerank.comparison.distance import BootstrapDistribution, Reference
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.comparison.significance import pairwise_tests, significant_agreement
from truerank.errors import InputError
from truerank.experiments.experiment import (
    SOLE_TABLE,
    Grid,
    Row,
    Summary,
    Task,
    declared,
    each,
    named_sources,
    option,
    tables,
)
from truerank.experiments.store import Results
from truerank.readers import as_scores, evaluate
from truerank.readers.measures import parse_measure
from truerank.readers.names import file_stem
from truerank.readers.ranked_runs import Judgments, RankedRuns, read_ranked_runs
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.experiment import Draw
    from truerank.report.charts.style import Size

ALPHA = 0.05  # the level of all tests, as in the paper
GOOD = 0.9  # the τ from which rankings are customarily regarded as equivalent (Voorhees 2000)
# Columns of tables with one row per ranking; ``kept`` is the share of significant pairs in order.
SHOWN = ["tau", "tau_ap", "distance", "critical", "p", "kept"]


@dataclass(frozen=True, eq=False)
class Trusted:
    """A ranking to measure others against: its scores, and the distances of rankings by resampled topics."""

    reference: Reference
    distribution: BootstrapDistribution

    @classmethod
    def by_name(cls, scores: Mapping[str, ScoreMatrix], resamples: int, seed: int) -> dict[str, Trusted]:
        """Several, each with its own bootstrap under the seed: p-values are those of ``truerank compare``."""
        found = {}
        for name, table in scores.items():
            check_rankable(table)
            reference = Reference.of(table)
            found[name] = cls(reference, bootstrap_distribution(reference, resamples, seed))
        return found

    def agreement(self, rankings: ArrayLike) -> list[Row]:
        """One row per ranking: coefficients, Kendall's interval, distance, p and significant pairs kept."""
        values = np.atleast_2d(np.asarray(rankings, dtype=np.float64))
        scores, means = self.reference.scores, self.reference.scores.means
        rows: list[Row] = []
        for y, distance in zip(values, self.reference.distances(values).tolist(), strict=True):
            kendall = tau(means, y)
            low, high = kendall_interval(kendall, scores.m)
            rows.append(
                {
                    "tau": kendall,
                    "tau_low": low,
                    "tau_high": high,
                    "tau_b": tau_b(means, y),
                    "tau_ap": tau_ap(means, y),
                    "distance": distance,
                    "critical": self.distribution.critical_value(ALPHA),
                    "p": self.distribution.p_value(distance),
                    "kept": significant_agreement(scores, y),
                }
            )
        return rows


def tables_by_name(sources: Any) -> dict[str, ScoreMatrix]:
    return {name: as_scores(source) for name, source in named_sources(sources).items()}


def as_printed(rows: DataFrame) -> DataFrame:
    """The rows with τ and its interval, and distance and p, as the paper prints them; † where p ≥ 0.05."""
    printed = zip(*(rows[key] for key in ("tau", "tau_low", "tau_high", "distance", "p")), strict=True)
    texts = [
        (
            f"{kendall:.2f} ({low:.2f}, {high:.2f})".replace("-", "−"),
            f"{distance:.2f}, p={p:.2f}" + "†" * (p >= ALPHA),
        )
        for kendall, low, high, distance, p in printed
    ]
    return rows.assign(
        tau=[of_tau for of_tau, _ in texts], distance=[of_distance for _, of_distance in texts]
    )


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Draw:
    """τ, distance and p, one line per measure; dashed: τ = 0.9, each critical distance, p = 0.05."""
    titles = {"tau": "Kendall's τ", "distance": "Rank distance", "p": "p"}
    rules = {"tau": [GOOD], "distance": sorted(set(rows["critical"])), "p": [ALPHA]}
    long = rows.melt([x, "measure"], list(titles), "what", "value").assign(data=data)
    long["panel"] = long["what"].map(titles)

    def panel(frame: DataFrame, series: Any) -> Any:
        from truerank.report.charts.panels import lines

        what = frame["what"].iloc[0]
        return lines(frame, x, "value", x_title, titles[what], series, rules=rules[what])

    def draw(size: Size) -> Any:
        from truerank.report.charts.panels import panels

        return panels(long, size, "data", "panel", panel, series="measure", title="Measure")

    return draw


@dataclass(frozen=True)
class JudgedParameters:
    """What every experiment on runs and judgments can be told."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(("AP",), "Measures to rank by.", check=each(parse_measure))
    resamples: int = option(10_000, "Bootstrap resamples for the p-values.", least=1)


@dataclass(frozen=True, eq=False)
class Context:
    """Runs with their judgments, and each measure's ranking by all of these."""

    parameters: Any
    trusted: Mapping[str, Trusted]
    runs: Any = None  # RankedRuns; none where other measures are compared

    def agreement(self, kept: Sequence[Judgments], **more: Any) -> list[Row]:
        """One row per measure: its ranking with these judgments against its ranking with all of them."""
        result = self.runs.evaluate(self.parameters.measures, kept)
        return [
            {**more, "measure": name, **row}
            for name, trusted in self.trusted.items()
            for row in trusted.agreement(result[name].means)
        ]


def load(sources: Any, parameters: JudgedParameters) -> dict[str, RankedRuns]:
    if isinstance(sources, RankedRuns):
        return {"runs": sources}
    if not parameters.qrels:
        raise InputError(f"name the judgments of the runs: {setting('qrels', 'FILE')}")
    runs = read_ranked_runs(parameters.qrels, sources)
    if runs.m < 2:
        raise InputError("name at least two runs, or a folder of them")
    return {file_stem(parameters.qrels): runs}


def prepare(parameters: JudgedParameters, data: Mapping[str, RankedRuns], seed: int) -> Context:
    runs = next(iter(data.values()))
    scores = runs.evaluate(parameters.measures, runs.judgments())
    return Context(parameters, Trusted.by_name(scores, parameters.resamples, seed), runs)


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


def pools_work(context: Context, task: Task, seed: int) -> list[Row]:
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
    shown = as_printed(rows).sort_values(["measure", "depth"], kind="stable", ignore_index=True)
    frames = {
        "pools": shown[["measure", "depth", "judgments", "relevant", "tau", "distance"]],
        "all": rows[["measure", "depth", "pooled", "judgments", *SHOWN]],
    }
    figure = agreement_panels(rows, "judgments", "Judgments", results.data[0])
    return Summary(tables("pools", frames), {"pools": figure})


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


def incomplete_work(context: Context, task: Task, seed: int) -> list[Row]:
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
    """The first `share` of the relevant documents in an order, and of the others, at least 1 and 10."""
    parts = []
    for kind, least in ((True, 1), (False, 10)):
        of_kind = order[relevant[order] == kind]
        parts.append(of_kind[: max(least, round(share * len(of_kind)))])
    return np.sort(np.concatenate(parts))


def incomplete_summary(results: Results) -> Summary:
    """Means over trials, and the shares from which rankings pass."""
    import pandas as pd

    rows = results.frame().assign(rejected=lambda frame: (frame["p"] < ALPHA).astype(float))
    order = list(dict.fromkeys(rows["measure"]))
    groups = rows.groupby(["measure", "share"], sort=False)
    values = groups[["tau", "distance", "p", "critical", "rejected"]].mean()
    spreads = groups[["tau", "distance"]].std(ddof=1).add_suffix("_sd")
    means = pd.concat([values, spreads], axis=1).reset_index()
    means = means.sort_values(
        ["measure", "share"],
        key=lambda c: c.map(order.index) if c.name == "measure" else c,
        ignore_index=True,
    )
    shown = ["tau", "tau_sd", "distance", "distance_sd", "p", "rejected"]
    frames = {
        "needed": needed(means),
        "incomplete": means[["measure", "share", *shown]],
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


def pseudo_work(context: Context, task: Task, seed: int) -> list[Row]:
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


@dataclass(frozen=True)
class MeasuresParameters(JudgedParameters):
    """The six measures of the paper."""

    qrels: str = option("", "The judgments of runs; without it the sources are score tables.")
    measures: tuple[str, ...] = option(
        ("P@10", "P@30", "Rprec", "AP", "RR", "Bpref"), "Measures to compare, where there are judgments."
    )
    distances: tuple[float, ...] = option((), "Distances with a p for each reference.", empty=True)


def measures_load(sources: Any, parameters: MeasuresParameters) -> dict[str, ScoreMatrix]:
    """Scores by measure: of runs by the judgments, or from one table per measure."""
    scores = (
        dict(evaluate(parameters.qrels, sources, parameters.measures))
        if parameters.qrels
        else tables_by_name(sources)
    )
    if len(scores) < 2:
        raise InputError(f"nothing to compare: name two measures, with {setting('qrels')}, or two tables")
    first, base = next(iter(scores.items()))
    for name, table in scores.items():
        if odd := set(table.systems) ^ set(base.systems):
            raise InputError(f"{name} and {first} must have the same systems; only one has {min(odd)!r}")
        scores[name] = table.select([table.systems.index(system) for system in base.systems])
    return scores


def measures_work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    base, parameters = str(task["reference"]), context.parameters
    trusted = context.trusted[base]
    scores = trusted.reference.scores
    others = [name for name in context.trusted if name != base]
    rows = trusted.agreement([context.trusted[name].reference.scores.means for name in others])
    own = {"ridge": trusted.reference.ridge, "topics": scores.n, "systems": scores.m}
    own["power"] = pairwise_tests(scores, "t").share(ALPHA)
    levels = [(d, trusted.distribution.p_value(d)) for d in parameters.distances]
    return {
        SOLE_TABLE: [{"other": name, **row, **own} for name, row in zip(others, rows, strict=True)],
        "levels": [
            {"distance": d, "p": p, "p_se": (p * (1 - p) / parameters.resamples) ** 0.5} for d, p in levels
        ],
    }


def measures_summary(results: Results) -> Summary:
    rows, levels, names = results.frame(), results.frame("levels"), list(results.data)
    own = ["reference", "topics", "systems", "ridge", "critical", "power"]
    printed = as_printed(rows)
    frames = {
        "tau": _matrix(printed, names, "tau", "1", half=True),
        "distance": _matrix(printed, names, "distance", "0"),
        "references": rows.drop_duplicates("reference")[own].reset_index(drop=True),
        "pairs": rows[["reference", "other", *SHOWN]],
        **({"levels": levels} if len(levels) else {}),
    }
    return Summary(tables("measures", frames), {"measures": partial(_measures_figure, rows, names)})


def _matrix(rows: DataFrame, names: Sequence[str], what: str, own: str, half: bool = False) -> DataFrame:
    """One row per reference, one column per measure; `half`: only above the diagonal."""
    import pandas as pd

    cells = dict(zip(zip(rows["reference"], rows["other"], strict=True), rows[what], strict=True))
    cells |= {(name, name): own for name in names}
    shown = [
        [base, *("" if half and k < place else cells.get((base, other), "") for k, other in enumerate(names))]
        for place, base in enumerate(names)
        if base in set(rows["reference"])
    ]
    return pd.DataFrame(shown, columns=["measure", *names])


def _measures_figure(rows: DataFrame, names: Sequence[str], size: Size) -> Any:
    """τ, and the distance in units of its critical value, for every reference and other measure."""
    from truerank.report.charts.panels import heat_map, side_by_side

    shown = rows.assign(
        times=rows["distance"] / rows["critical"],
        tau_text=rows["tau"].map("{:.2f}".format),
        distance_text=rows["distance"].map("{:.1f}".format).where(rows["p"] < ALPHA, lambda text: text + "†"),
    )
    axes = ("other", "The other", list(names)), ("reference", "Reference", list(names))
    both = {"clamp": True, "interpolate": "rgb"}
    near = {"domain": [0.4, 1.0], "range": ["#ffffff", "#0072b2"], **both}
    far = {"domain": [0.0, 1.0, 3.0], "range": ["#ffffff", "#fdf1ea", "#d55e00"], **both}
    return side_by_side(
        size,
        heat_map(shown, *axes, "tau", "tau_text", near, "Kendall's τ", size),
        heat_map(shown, *axes, "times", "distance_text", far, "Rank distance", size),
    )


MEASURES = declared(
    "measures",
    MeasuresParameters,
    measures_work,
    measures_summary,
    1,
    load=measures_load,
    prepare=lambda parameters, data, seed: Context(
        parameters, Trusted.by_name(data, parameters.resamples, seed)
    ),
    grid=lambda parameters, data: Grid({"reference": tuple(data)}),
)
