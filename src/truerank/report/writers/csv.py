"""Tables as CSV: every column with every digit, an interval as two columns."""

from __future__ import annotations

import csv as library
import math
from typing import Any

from truerank._support.escaping import csv_cell
from truerank._support.tables import Table


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
