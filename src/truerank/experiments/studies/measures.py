"""Every measure against every other, by τ and by rank distance (carterette-2009 §4.4, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.arguments import setting
from truerank.comparison.significance import pairwise_tests
from truerank.errors import InputError
from truerank.experiments.experiment import SOLE_TABLE, Grid, Row, Summary, Task, declared, option, tables
from truerank.experiments.results import Results
from truerank.experiments.studies.judged import JudgedParameters
from truerank.experiments.studies.trusted import (
    ALPHA,
    SHOWN,
    Trusted,
    distance_text,
    tables_by_name,
    tau_text,
    trusted_by_name,
)
from truerank.readers import evaluate
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.report.charts.style import Size


@dataclass(frozen=True)
class MeasuresParameters(JudgedParameters):
    """The six measures of the paper."""

    qrels: str = option("", "The judgments of runs; without it the sources are score tables.")
    measures: tuple[str, ...] = option(
        ("P@10", "P@30", "Rprec", "AP", "RR", "Bpref"), "Measures to compare, where there are judgments."
    )
    distances: tuple[float, ...] = option((), "Distances with a p for each reference.", empty=True)


def load(sources: Any, parameters: MeasuresParameters) -> dict[str, ScoreMatrix]:
    """Scores by measure: of runs by the judgments, or from one table per measure."""
    if parameters.qrels:
        scores = dict(evaluate(parameters.qrels, sources, parameters.measures))
    else:
        scores = tables_by_name(sources)
    if len(scores) < 2:
        raise InputError(f"nothing to compare: name two measures, with {setting('qrels')}, or two tables")
    first, base = next(iter(scores.items()))
    for name, table in scores.items():
        if set(table.systems) != set(base.systems):
            odd = min(set(table.systems) ^ set(base.systems))
            raise InputError(f"{name} and {first} must have the same systems; only one has {odd!r}")
        scores[name] = table.select([table.systems.index(system) for system in base.systems])
    return scores


@dataclass(frozen=True, eq=False)
class Context:
    """Every measure as a reference, and as another ranking; and the p of the distances that are named."""

    parameters: MeasuresParameters
    trusted: Mapping[str, Trusted]
    power: Mapping[str, float]


def prepare(parameters: MeasuresParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    power = {name: pairwise_tests(table, "t").share(ALPHA) for name, table in data.items()}
    return Context(parameters, trusted_by_name(data, parameters.resamples, seed), power)


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """The rankings by all other measures against that of one."""
    base = str(task["reference"])
    trusted = context.trusted[base]
    others = [name for name in context.trusted if name != base]
    means = [context.trusted[name].reference.scores.means for name in others]
    rows = trusted.agreement(np.array(means))
    scores = trusted.reference.scores
    own = {"ridge": trusted.reference.ridge, "topics": scores.n, "systems": scores.m}
    own["power"] = context.power[base]
    levels = [(d, trusted.distribution.p_value(d)) for d in context.parameters.distances]
    resamples = context.parameters.resamples
    return {
        SOLE_TABLE: [{"other": name, **row, **own} for name, row in zip(others, rows, strict=True)],
        "levels": [{"distance": d, "p": p, "p_se": (p * (1 - p) / resamples) ** 0.5} for d, p in levels],
    }


def summarize(results: Results) -> Summary:
    rows, levels, names = results.frame(), results.frame("levels"), list(results.data)
    own = ["reference", "topics", "systems", "ridge", "critical", "power"]
    frames = {
        "tau": _matrix(rows, names, tau_text, "1", half=True),
        "distance": _matrix(rows, names, distance_text, "0"),
        "references": rows.drop_duplicates("reference")[own].reset_index(drop=True),
        "pairs": rows[["reference", "other", *SHOWN]],
        **({"levels": levels} if len(levels) else {}),
    }
    return Summary(tables("measures", frames), {"measures": partial(_figure, rows, names)})


def _matrix(rows: DataFrame, names: Sequence[str], text: Any, own: str, half: bool = False) -> DataFrame:
    """One row per reference, one column per measure; `half`: only above the diagonal."""
    import pandas as pd

    cells = {(row.reference, row.other): text(row) for row in rows.itertuples()}
    cells |= {(name, name): own for name in names}
    shown = [
        [base, *("" if half and k < place else cells.get((base, other), "") for k, other in enumerate(names))]
        for place, base in enumerate(names)
        if (rows["reference"] == base).any()
    ]
    return pd.DataFrame(shown, columns=["measure", *names])


def _figure(rows: DataFrame, names: Sequence[str], size: Size) -> Any:
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


EXPERIMENT = declared(
    "measures",
    MeasuresParameters,
    work,
    summarize,
    1,
    load=load,
    prepare=prepare,
    grid=lambda parameters, data: Grid({"reference": tuple(data)}),
)
