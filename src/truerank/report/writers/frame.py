"""Tables as pandas data frames."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from truerank._support.imports import FRAMES, require
from truerank._support.tables import Count, Ranks, Table

if TYPE_CHECKING:
    from pandas import DataFrame


def frame(table: Table) -> DataFrame:
    """A table as a data frame: a column per field; whole numbers may be missing, as infinite ones are."""
    require(FRAMES)
    import pandas as pd

    made = pd.DataFrame(table.values(), columns=table.keys)
    whole = [key for column in table.columns if isinstance(column.kind, Count | Ranks) for key in column.keys]
    made[whole] = made[whole].mask(made[whole] == math.inf)
    return made.astype(dict.fromkeys(whole, "Int64"))
