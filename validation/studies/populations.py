"""What our studies draw from, and numbers over all populations."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from truerank.experiments.experiment import option
from truerank.experiments.studies import simulated

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class PopulationParameters(simulated.SimulatedParameters):
    """Both simulators, each fitted to the better three quarters of the systems of every table."""

    simulator: tuple[str, ...] = option(("effects", "copula"))
    simulator_options: tuple[str, ...] = option(("effects.truth=model",))
    drop_bottom: float = option(0.25)


# Statistics of a value over populations: `se` of its mean; `size` is the mean absolute value.
STATISTICS: Mapping[str, Callable[[Any, str], Any]] = {
    "mean": lambda groups, value: groups[value].mean(),
    "se": lambda groups, value: groups[f"{value}_se"].agg(lambda se: (se**2).sum() ** 0.5) / groups.size(),
    "size": lambda groups, value: groups[f"|{value}|"].mean(),
    "largest": lambda groups, value: groups[f"|{value}|"].max(),
    "least": lambda groups, value: groups[value].min(),
    "most": lambda groups, value: groups[value].max(),
    "total": lambda groups, value: groups[f"{value}_count"].sum(),
    "populations": lambda groups, value: groups.size(),
}


def over_populations(
    table: DataFrame, by: Sequence[str], columns: Mapping[str, tuple[str, str]]
) -> DataFrame:
    """One row per cell over all populations; `columns` maps names to a value and its statistic."""
    import pandas as pd

    table = table.rename(columns=lambda name: name.removesuffix("_mean"))
    sized = {value for value, statistic in columns.values() if statistic in ("size", "largest")}
    sizes = {f"|{value}|": table[value].abs() for value in sized}
    groups = table.assign(**sizes).groupby(list(by), sort=False)
    result = {name: STATISTICS[statistic](groups, value) for name, (value, statistic) in columns.items()}
    return pd.DataFrame(result).reset_index()


def averaged(values: Sequence[str], suffix: str = "") -> dict[str, tuple[str, str]]:
    """Columns of :func:`over_populations` for the means of values, under their names and a suffix."""
    return {f"{value}{suffix}": (value, "mean") for value in values}
