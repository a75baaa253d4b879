"""How rankings agree with a trusted one, and with that by all judgments of the same runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.arguments import setting
from truerank.coefficients import kendall_interval, tau, tau_ap, tau_b
from truerank.comparison.distance import BootstrapDistribution, Reference
from truerank.comparison.distance.rank_distance import bootstrap_distribution
from truerank.comparison.significance import significant_agreement
from truerank.errors import InputError
from truerank.experiments.engine.experiment import Grid, Row, option
from truerank.experiments.engine.parameters import check
from truerank.readers import as_scores
from truerank.readers.measures import parse_measure
from truerank.readers.names import file_stem
from truerank.readers.ranked_runs import Judgments, RankedRuns, read_ranked_runs
from truerank.reliability.diagnostics import check_rankable
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Draw
    from truerank.report.charts.style import Chart, Size

ALPHA = 0.05
"""The level of all tests, as in the paper."""

GOOD = 0.9
"""The τ from which rankings are customarily regarded as equivalent (Voorhees 2000)."""


@dataclass(frozen=True, eq=False)
class Trusted:
    """A ranking to measure others against: its scores, and the distances of rankings by resampled topics."""

    reference: Reference
    distribution: BootstrapDistribution

    @classmethod
    def of(cls, scores: ScoreMatrix, resamples: int, seed: int) -> Trusted:
        """Prepare scores; the same seed gives the p-values of ``truerank compare``."""
        check_rankable(scores)
        reference = Reference.of(scores)
        return cls(reference, bootstrap_distribution(reference, resamples, seed))

    @property
    def critical(self) -> float:
        """The distance above which p ≤ 0.05."""
        return self.distribution.critical_value(ALPHA)

    def agreement(self, rankings: ArrayLike) -> list[Row]:
        """One row per ranking: coefficients, Kendall's interval, distance, p and significant pairs kept."""
        values = np.atleast_2d(np.asarray(rankings, dtype=np.float64))
        scores = self.reference.scores
        means = scores.means
        rows: list[Row] = []
        for y, distance in zip(values, self.reference.distances(values).tolist(), strict=True):
            kendall = tau(means, y)
            low, high = kendall_interval(kendall, scores.m)
            p, kept = self.distribution.p_value(distance), significant_agreement(scores, y)
            rows.append(
                {"tau": kendall, "tau_low": low, "tau_high": high}
                | {"tau_b": tau_b(means, y), "tau_ap": tau_ap(means, y)}
                | {"distance": distance, "critical": self.critical, "p": p, "kept": kept}
            )
        return rows


def listed(sources: Any) -> list[Any]:
    """The sources of an experiment, of which there may be only one."""
    return list(sources) if isinstance(sources, list | tuple) else [sources]


def tables_by_name(sources: Any) -> dict[str, ScoreMatrix]:
    """Score tables by name: of a path, a table, a list of them, or a mapping from names to them."""
    if isinstance(sources, Mapping):
        return {str(name): as_scores(source) for name, source in sources.items()}
    tables: dict[str, ScoreMatrix] = {}
    for source in listed(sources):
        table = as_scores(source)
        name = Path(table.source).stem if table.source else table.measure or "scores"
        if name in tables:
            raise InputError(f"two tables are named {name!r}; rename one")
        tables[name] = table
    return tables


def ranked_tables(sources: Any, top: int = 0) -> dict[str, ScoreMatrix]:
    """Score tables by name, systems in ranking order; only so many of the best, or all with `top` 0."""
    tables = tables_by_name(sources)
    if not tables:
        raise InputError("name at least one score table")
    for name, table in tables.items():
        check_rankable(table)
        tables[name] = table.select(table.order[:top] if top else table.order)
    return tables


def trusted_by_name(scores: Mapping[str, ScoreMatrix], resamples: int, seed: int) -> dict[str, Trusted]:
    """Several references, each with its own bootstrap under the same seed."""
    return {name: Trusted.of(table, resamples, seed) for name, table in scores.items()}


SHOWN = ["tau", "tau_ap", "distance", "critical", "p", "kept"]
"""Columns of tables with one row per ranking; ``kept`` is the share of significant pairs in order."""


def tau_text(row: Any) -> str:
    """τ with Kendall's interval as the paper prints it: ``0.84 (0.64, 0.93)``."""
    return f"{row.tau:.2f} ({row.tau_low:.2f}, {row.tau_high:.2f})".replace("-", "−")


def distance_text(row: Any) -> str:
    """Distance and p as the paper prints them, with a dagger where p ≥ 0.05: ``5.83, p=0.37†``."""
    return f"{row.distance:.2f}, p={row.p:.2f}" + ("†" if row.p >= ALPHA else "")


def summed_over_trials(rows: Any, by: list[str], values: list[str]) -> Any:
    """Mean and standard deviation (n − 1) of columns by groups, and the share of trials with p < 0.05."""
    import pandas as pd

    rows = rows.assign(rejected=(rows["p"] < ALPHA).astype(float))
    result = []
    for key, group in rows.groupby(by, sort=False):
        item: Row = dict(zip(by, key, strict=True)) | {"trials": len(group)}
        for place, value in enumerate([*values, "rejected"]):
            item[value] = float(group[value].mean())
            if place < 3:
                item[f"{value}_sd"] = float(group[value].std(ddof=1))
        result.append(item)
    return pd.DataFrame(result)


def agreement_panels(rows: DataFrame, x: str, x_title: str, data: str) -> Draw:
    """τ, distance and p, one line per measure; dashed: τ = 0.9, each critical distance, p = 0.05."""
    titles = {"tau": "Kendall's τ", "distance": "Rank distance", "p": "p"}

    def draw(size: Size) -> Chart:
        from truerank.report.charts.panels import lines, panels

        rules = {"tau": [GOOD], "distance": sorted(set(rows["critical"])), "p": [ALPHA]}
        long = rows.melt(
            id_vars=[x, "measure"], value_vars=list(titles), var_name="what", value_name="value"
        ).assign(data=data)
        long["panel"] = long["what"].map(titles)

        def panel(frame: DataFrame, series: Any) -> Any:
            what = frame["what"].iloc[0]
            return lines(frame, x, "value", x_title, titles[what], series, rules=rules[what])

        return panels(
            long, size, rows="data", columns="panel", panel=panel, series="measure", title="Measure"
        )

    return draw


@dataclass(frozen=True)
class JudgedParameters:
    """What every experiment on runs and judgments can be told."""

    qrels: str = option("", "The judgments, in TREC's format; the sources are the runs.")
    measures: tuple[str, ...] = option(("AP",), "Measures to rank by.")
    resamples: int = option(10_000, "Bootstrap resamples for the p-values.", least=1)

    def __post_init__(self) -> None:
        """Refuse what no experiment can use."""
        check(self)
        names = [str(parse_measure(name)) for name in self.measures]
        if len(set(names)) != len(names):
            raise InputError(f"measures names one twice: {','.join(names)}")


def load(sources: Any, parameters: JudgedParameters) -> dict[str, RankedRuns]:
    """The one collection, by the name of its qrels."""
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

    def agreement(self, judgments: Sequence[Judgments]) -> list[dict[str, Any]]:
        """One row per measure: its ranking with these judgments against its ranking with all of them."""
        result = self.runs.evaluate(self.parameters.measures, judgments)
        return [
            {"measure": name, **row}
            for name, trusted in self.trusted.items()
            for row in trusted.agreement(result[name].means)
        ]


def prepare(parameters: JudgedParameters, data: Mapping[str, RankedRuns], seed: int) -> JudgedContext:
    """Rank by all judgments."""
    runs = next(iter(data.values()))
    scores = runs.evaluate(parameters.measures, runs.judgments())
    return JudgedContext(parameters, runs, trusted_by_name(scores, parameters.resamples, seed))


PARTS: dict[str, Any] = {
    "load": load,
    "prepare": prepare,
    "grid": lambda parameters, data: Grid({"trial": range(parameters.trials)}),
}
"""What an experiment on runs and judgments is made of, but for what it declares itself."""
