"""What goes into a task and what comes out of it, and the rows of a chunk as one Arrow table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from truerank.errors import unknown_name

if TYPE_CHECKING:
    from pandas import DataFrame


Key = int | str
"""The value of one axis of a grid."""

Task = dict[str, Key]
"""One combination of the axes, by their names."""

Row = dict[str, Any]
"""Fields of a row by name: numbers, text or arrays of numbers."""

SOLE_TABLE = "rows"
"""Name of the only table of an experiment whose tasks return a list of rows."""


Tables = Mapping[str, list[Row]]
"""Rows by the name of their table; :data:`SOLE_TABLE` is the only one where a task returns a mere list."""


def to_arrow(tables: Tables) -> Any:
    """All tables as one: a single one as it is; each of several as a cell, the list of its rows."""
    import pyarrow as pa

    if set(tables) <= {SOLE_TABLE}:
        return pa.Table.from_pylist(tables.get(SOLE_TABLE, []))
    columns = {}
    for name, rows in tables.items():
        # By way of a table, so that the columns have the same types as those of a single table.
        records = pa.Table.from_pylist(rows).to_struct_array().combine_chunks() if rows else pa.nulls(0)
        columns[name] = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), records)
    return pa.table(columns)


def from_arrow(stored: Any, table: str = SOLE_TABLE) -> DataFrame:
    """The rows of one table out of what :func:`to_arrow` made; no columns where there are no rows."""
    import pyarrow as pa

    several = stored.num_columns > 0 and all(_is_list_of_rows(field.type) for field in stored.schema)
    names = stored.column_names if several else [SOLE_TABLE]
    if table not in names:
        raise unknown_name("table", table, names)
    if not several:
        return stored.to_pandas(ignore_metadata=True)
    records = stored.column(table).combine_chunks().flatten()
    if not len(records):
        return pa.table({}).to_pandas()
    return pa.Table.from_struct_array(records).to_pandas()


def _is_list_of_rows(kind: Any) -> bool:
    """Whether it is the type of a column that holds a table: rows themselves never hold records."""
    import pyarrow as pa

    return pa.types.is_list(kind) and (
        pa.types.is_struct(kind.value_type) or pa.types.is_null(kind.value_type)
    )
