"""CSV for spreadsheets: a name from a file must neither become a formula nor break a row."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING

from truerank._support.escaping import csv_cell

if TYPE_CHECKING:
    from pandas import DataFrame


def csv_text(frame: DataFrame) -> str:
    """A data frame as CSV without its index: every digit, names harmless.

    Args:
        frame: its texts and the names of its columns are data.
    """
    made = frame.rename(columns=csv_cell)
    for place, kind in enumerate(frame.dtypes):
        if kind.kind not in "fiub":
            made.isetitem(place, frame.iloc[:, place].map(csv_cell).tolist())
    # The csv module leaves a carriage return bare where rows end in a line feed (fixed in Python 3.13).
    returns = any("\r" in str(name) for name in made.columns) or any(
        made.iloc[:, place].map(lambda cell: isinstance(cell, str) and "\r" in cell).any()
        for place, kind in enumerate(frame.dtypes)
        if kind.kind not in "fiub"
    )
    text: str = made.to_csv(
        index=False, lineterminator="\n", quoting=csv.QUOTE_NONNUMERIC if returns else csv.QUOTE_MINIMAL
    )
    return text
