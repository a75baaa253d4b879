"""One summarizer for all studies: numbers by cell in each population, whether intervals hold, and figures."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from truerank._support.types import Vector
from truerank.experiments.engine.experiment import SOLE_TABLE
from truerank.experiments.engine.run_results import Results
from truerank.numerics.intervals import Interval, normal_interval, quantile_interval

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Draw


Outcome = tuple[float, float]
"""Whether the interval holds the truth (1 or 0; a share, of several truths), and its width."""


def outcomes(levels: Sequence[float], of: Callable[[float], Outcome], kind: str = "") -> dict[str, float]:
    """The outcome at every nominal level as fields of a row: ``covered_95``, ``width_normal_95`` …"""
    fields: dict[str, float] = {}
    for level, name in zip(levels, percent(levels), strict=True):
        ending = f"{kind}_{name}" if kind else name
        fields[f"covered_{ending}"], fields[f"width_{ending}"] = of(level)
    return fields


def of_draws(draws: Vector | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the quantiles' interval; NaN with fewer than two draws."""
    if draws is None or len(draws) < 2:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(quantile_interval(draws, level), actual)


def of_normal(estimate: float, variance: float | None, actual: float) -> Callable[[float], Outcome]:
    """From a level to the outcome of the normal interval; NaN without a variance."""
    if variance is None:
        return lambda level: (math.nan, math.nan)
    return lambda level: _outcome(normal_interval(estimate, variance, level), actual)


def _outcome(interval: Interval | None, actual: float) -> Outcome:
    if interval is None:
        return math.nan, math.nan
    return float(interval.low <= actual <= interval.high), interval.high - interval.low


def with_differences(frame: DataFrame) -> DataFrame:
    """Rows with ``bias`` (estimate − actual) and ``error``, its absolute value."""
    difference = frame["estimate"] - frame["actual"]
    return frame.assign(bias=difference, error=difference.abs())


def cells(
    results: Results,
    by: Sequence[str],
    values: Sequence[str],
    derive: Callable[[DataFrame], DataFrame] = lambda frame: frame,
    table: str = SOLE_TABLE,
) -> DataFrame:
    """Moments by cell, as :meth:`Results.moments` has them, the mean of V in the column ``V``."""
    result = results.moments(by, values, derive, table)
    return result.rename(columns={f"{value}_mean": value for value in values})


def percent(levels: Sequence[float]) -> list[str]:
    """Nominal levels as names of columns."""
    return [f"{100 * level:g}" for level in levels]


def interval_values(levels: Sequence[float], kind: str = "") -> list[str]:
    """Fields of rows on intervals, as :func:`~truerank.experiments.shared.summaries.outcomes` names them."""
    start = f"{kind}_" if kind else ""
    return [f"{what}_{start}{level}" for what in ("covered", "width") for level in percent(levels)]


def by_level(table: DataFrame, keys: Sequence[str], value: str, levels: Sequence[str]) -> DataFrame:
    """One column per nominal level of ``covered`` or ``width``, after the trials behind them."""
    shown = table[list(keys)].assign(trials=table[f"{value}_{levels[0]}_count"])
    return shown.assign(**{level: table[f"{value}_{level}"] for level in levels})


def wide(table: DataFrame, keys: Sequence[str], value: str, columns: str = "estimator") -> DataFrame:
    """One column per estimator."""
    pivoted = table.pivot_table(index=list(keys), columns=columns, values=value, sort=False)
    return pivoted.reset_index().rename_axis(columns=None)


def by_topics(
    table: DataFrame,
    value: str,
    title: str,
    *,
    rows: str = "data",
    columns: str = "coefficient",
    series: str = "estimator",
) -> Draw:
    """A value by number of topics, one panel per data and coefficient, one line per estimator.

    All panels have the same limits, with zero between them; bars are standard errors, where they are known.
    """
    from truerank.report.charts.panels import lines, panels

    error = f"{value}_se" if f"{value}_se" in table else None
    ends = [table[value] - table[error], table[value] + table[error]] if error else [table[value]] * 2
    domain = (min(0.0, float(ends[0].min())), max(0.0, float(ends[1].max())))
    rules = [0.0] if domain[0] < 0 else []

    def panel(frame: DataFrame, names: Any) -> Any:
        return lines(frame, "topics", value, "Topics", title, names, rules, domain=domain, error=error)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)


def against_each(
    table: DataFrame,
    values: tuple[str, str],
    titles: tuple[str, str],
    *,
    rows: str,
    columns: str,
    series: str = "estimator",
) -> Draw:
    """One value against another, with the line where they are equal; all panels have the same limits."""
    from truerank.report.charts.panels import against, panels

    both = table[list(values)].to_numpy(dtype=float)
    # An unbiased estimate of a variance may be negative.
    domain = (1.05 * min(0.0, float(both.min())), 1.05 * float(both.max()))

    def panel(frame: DataFrame, names: Any) -> Any:
        return against(frame, *values, names, titles, domain)

    return lambda size: panels(table, size, rows=rows, columns=columns, panel=panel, series=series)
