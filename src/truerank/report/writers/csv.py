"""Tables as CSV: every column with every digit, an interval as two columns."""

from __future__ import annotations

import csv as library
import io
import math
from typing import Any

from truerank._support.escaping import csv_cell
from truerank._support.tables import Table


def csv(table: Table) -> str:
    """A table as a file for programs; names that a spreadsheet would take for formulas are harmless."""
    made = io.StringIO()
    writer = library.writer(made, lineterminator="\n")
    writer.writerow([csv_cell(key) for column in table.columns for key in column.keys])
    for record in table.records():
        writer.writerow([_cell(value) for value in record.values()])
    return made.getvalue()


def _cell(value: Any) -> Any:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return ""
    return csv_cell(value) if isinstance(value, str) else value
