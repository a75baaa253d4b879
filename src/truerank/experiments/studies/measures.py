"""Every measure against every other, by τ and by rank distance (carterette-2009 §4.4, Table 1)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from truerank._support.arguments import setting
from truerank.comparison.significance import pairwise_tests
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Clock, Experiment, Grid, Summary, Table, option
from truerank.experiments.engine.rows import Row, Task
from truerank.experiments.shared.agreement import (
    ALPHA,
    SHOWN,
    Trusted,
    distance_text,
    tau_text,
    trusted_by_name,
)
from truerank.experiments.shared.judged import JudgedParameters
from truerank.readers import as_scores, evaluate
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.run_results import Results


@dataclass(frozen=True)
class MeasuresParameters(JudgedParameters):
    """The six measures of the paper."""

    qrels: str = option("", "The judgments; the sources are runs then, otherwise one score table a measure.")
    measures: tuple[str, ...] = option(
        ("P@10", "P@30", "Rprec", "AP", "RR", "Bpref"), "Measures to compare, where there are judgments."
    )


def load(sources: Any, parameters: MeasuresParameters) -> dict[str, ScoreMatrix]:
    """Scores by measure: of runs by the judgments, or from one table a measure.

    Raises:
        InputError: fewer than two measures, two tables of the same name, or other systems.
    """
    if parameters.qrels:
        tables = dict(evaluate(parameters.qrels, sources, parameters.measures))
    else:
        tables = _tables(sources)
    if len(tables) < 2:
        raise InputError(f"nothing to compare: name two measures, with {setting('qrels')}, or two tables")
    first, base = next(iter(tables.items()))
    for name, table in tables.items():
        if set(table.systems) != set(base.systems):
            odd = min(set(table.systems) ^ set(base.systems))
            raise InputError(f"{name} and {first} must have the same systems; only one has {odd!r}")
        tables[name] = table.select([table.systems.index(system) for system in base.systems])
    return tables


def _tables(sources: Any) -> dict[str, ScoreMatrix]:
    if isinstance(sources, Mapping):
        return {str(name): as_scores(source) for name, source in sources.items()}
    tables: dict[str, ScoreMatrix] = {}
    for source in sources if isinstance(sources, list | tuple) else [sources]:
        table = as_scores(source)
        name = Path(table.source).stem if table.source else table.measure
        if name in tables:
            raise InputError(f"two tables are named {name!r}; rename one")
        tables[name] = table
    return tables


@dataclass(frozen=True, eq=False)
class Context:
    """Every measure as a baseline, and as another ranking."""

    trusted: Mapping[str, Trusted]
    power: Mapping[str, float]


def prepare(parameters: MeasuresParameters, data: Mapping[str, ScoreMatrix], seed: int) -> Context:
    """Bootstrap every measure; its share of significant pairs (paired t-test) stands beside it."""
    power = {name: pairwise_tests(table, "t").share(ALPHA) for name, table in data.items()}
    return Context(trusted_by_name(data, parameters.samples, seed), power)


def grid(parameters: MeasuresParameters, data: Sequence[str]) -> Grid:
    """One task a baseline."""
    return Grid({"base": tuple(data)})


def work(context: Context, task: Task, seed: int, clock: Clock) -> list[Row]:
    """The rankings by all other measures against that of one."""
    base = str(task["base"])
    trusted = context.trusted[base]
    others = [name for name in context.trusted if name != base]
    means = [context.trusted[name].reference.scores.means for name in others]
    with clock.measure("distances"):
        rows = trusted.agreement(np.array(means))
    own = {
        "lambda": trusted.reference.ridge,
        "topics": trusted.reference.scores.n,
        "systems": trusted.reference.scores.m,
        "power": context.power[base],
    }
    return [{"other": name, **row, **own} for name, row in zip(others, rows, strict=True)]


def summarize(results: Results) -> Summary:
    """Table 1 (a) and (b), all numbers in a row a pair, and the measures themselves."""
    rows = results.frame()
    own = ["topics", "systems", "lambda", "critical", "power"]
    names = list(results.data)
    one = rows.drop_duplicates("base")[["base", *own]].reset_index(drop=True)
    return Summary(
        (
            Table("tau", "Kendall's τ and its 95% interval between rankings", _tau(rows, names), 2),
            Table(
                "distance",
                "Rank distance from the ranking by the row's measure to that by the column's, and p; "
                "† marks what cannot be told apart (p ≥ 0.05)",
                _matrix(rows, names, distance_text, "0"),
                2,
            ),
            Table(
                "baselines",
                "Every measure as a baseline: critical value at 5%, and share of significant pairs",
                one,
            ),
            Table("pairs", "Every measure against every other", rows[["base", "other", *SHOWN]], 3),
        ),
        {"measures": partial(_figure, rows, names)},
    )


def _tau(rows: DataFrame, names: Sequence[str]) -> DataFrame:
    """Above the diagonal only: τ is symmetric where there are no ties."""
    table = _matrix(rows, names, tau_text, "1")
    for below, name in enumerate(names):
        for left in names[:below]:
            table.loc[table["measure"] == name, left] = ""
    return table


def _matrix(rows: DataFrame, names: Sequence[str], text: Any, own: str) -> DataFrame:
    import pandas as pd

    cells = {(row.base, row.other): text(row) for row in rows.itertuples()}
    done = [name for name in names if any(base == name for base, _ in cells)]
    return pd.DataFrame(
        [
            {"measure": base}
            | {other: own if other == base else cells.get((base, other), "") for other in names}
            for base in done
        ]
    )


def _short(row: Any) -> str:
    return f"{row.distance:.1f}" + ("†" if row.p >= ALPHA else "")


def _figure(rows: DataFrame, names: Sequence[str]) -> Any:
    """τ, and the distance in units of its critical value, for every baseline and other measure."""
    import altair as alt

    from truerank.report.charts.maps import heat_map, side_by_side

    shown = rows.assign(
        times=rows["distance"] / rows["critical"],
        tau_text=rows["tau"].map("{:.2f}".format),
        distance_text=[_short(row) for row in rows.itertuples()],
    )
    order = list(names)
    return side_by_side(
        heat_map(
            shown,
            ("other", "The other", order),
            ("base", "Baseline", order),
            "tau",
            "tau_text",
            alt.Scale(domain=[0.4, 1.0], range=["#ffffff", "#0072b2"], clamp=True, interpolate="rgb"),
            "Kendall's τ",
        ),
        heat_map(
            shown,
            ("other", "The other", order),
            ("base", "Baseline", order),
            "times",
            "distance_text",
            alt.Scale(
                domain=[0.0, 1.0, 3.0], range=["#ffffff", "#fdf1ea", "#d55e00"], clamp=True, interpolate="rgb"
            ),
            "Rank distance",
        ),
    )


MEASURES_EXPERIMENT = Experiment(
    name="measures",
    label="every measure against every other, by τ and by rank distance",
    source="carterette-2009 §4.4, Table 1",
    parameters=MeasuresParameters,
    load=load,
    prepare=prepare,
    grid=grid,
    work=work,
    summarize=summarize,
    chunk=1,
    explanation=r"""
    Each measure's ranking is compared with every other's by $\tau$, $\tau_{AP}$ and the rank distance with
    its p-value [@carterette-2009].
    """,
    references=("carterette-2009",),
)
