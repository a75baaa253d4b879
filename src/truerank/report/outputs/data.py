"""Tables as data, every digit of every column, an interval in two: CSV files and pandas data frames."""

from __future__ import annotations

import csv as library
import math
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import csv_cell
from truerank._support.files import safe_name
from truerank._support.imports import FRAMES, require
from truerank._support.tables import Count, Ranks, Table
from truerank.report.view import View

if TYPE_CHECKING:
    from pandas import DataFrame


def csv_files(view: View) -> dict[str, str]:
    return {f"{safe_name(table.name)}.csv": csv(table) for table in view.tables if table.rows}


def csv(table: Table) -> str:
    """A table as a file for programs; names that a spreadsheet would take for formulas are harmless."""
    lines = _Lines()
    writer = library.writer(lines, lineterminator="\r\n")  # a cell with either of the two is quoted
    writer.writerow([csv_cell(key) for key in table.keys])
    for values in table.values():
        writer.writerow([_cell(value) for value in values])
    return "".join(line.removesuffix("\r\n") + "\n" for line in lines)


class _Lines(list[str]):
    """What a writer writes, line by line."""

    write = list.append


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return csv_cell(value) if isinstance(value, str) else value


def frame(table: Table) -> DataFrame:
    require(FRAMES)
    import pandas as pd

    made = pd.DataFrame(table.values(), columns=table.keys)
    whole = [key for column in table.columns if isinstance(column.kind, Count | Ranks) for key in column.keys]
    made[whole] = made[whole].mask(made[whole] == math.inf)
    return made.astype(dict.fromkeys(whole, "Int64"))
