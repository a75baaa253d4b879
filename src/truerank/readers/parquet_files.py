"""What pyarrow reads: Parquet files, and large tables of separated text where it is installed."""

from __future__ import annotations

import io
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.files import input_limit, refuse_more_than
from truerank._support.imports import FRAMES, PARQUET, require
from truerank.errors import InputError
from truerank.readers.cell_values import Codes, Vector, in_order

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

PARQUET_MAGIC = b"PAR1"


@contextmanager
def _opening(source: str) -> Iterator[None]:
    require(PARQUET, f"{source}: Parquet files")
    require(FRAMES, f"{source}: Parquet files")
    try:
        yield
    except InputError:
        raise
    except Exception as error:  # pyarrow and pandas raise a dozen kinds over damaged bytes
        reason = (str(error).splitlines() or [type(error).__name__])[0]
        raise InputError(f"{source}: broken Parquet file ({reason}); write it again") from None


def parquet_columns(data: bytes, source: str) -> list[str]:
    """The names of the columns in the bytes of a Parquet file."""
    with _opening(source):
        from pyarrow import parquet

        names: list[str] = parquet.read_schema(io.BytesIO(data)).names
        return names


def parquet_frame(data: bytes, source: str) -> pd.DataFrame:
    """The data frame in the bytes of a Parquet file."""
    with _opening(source):
        from pyarrow import parquet

        # ParquetFile, for it reads columns of equal names too, and those get a clear message later.
        file = parquet.ParquetFile(io.BytesIO(data))
        about, limit = file.metadata, input_limit()
        # Packed bytes unpack to too much, and so does a value that is repeated without end.
        unpacked = sum(about.row_group(k).total_byte_size for k in range(about.num_row_groups))
        if max(unpacked, 8 * about.num_rows * about.num_columns) > limit:
            raise refuse_more_than(limit, source)
        _refuse_large_texts(data, limit, source)
        columns = file.read()
        columns.validate(full=True)  # text that is none would pass until something looks at it
        return columns.to_pandas()


def _refuse_large_texts(data: bytes, limit: int, source: str) -> None:
    """Refuse columns of text that decode to more than the limit: a long text is stored once, and repeated."""
    import pyarrow as pa
    import pyarrow.compute as pc
    from pyarrow import parquet

    schema = parquet.ParquetFile(io.BytesIO(data)).schema
    leaves = [schema.column(k) for k in range(len(schema))]
    texts = [leaf.path for leaf in leaves if leaf.physical_type == "BYTE_ARRAY" and "." not in leaf.path]
    rows = 1 << 16 if len({leaf.path for leaf in leaves}) == len(leaves) else 64
    file, decoded = parquet.ParquetFile(io.BytesIO(data), read_dictionary=texts), 0
    for batch in file.iter_batches(rows, columns=texts):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type):
                lengths = pc.binary_length(column.dictionary).take(column.indices)
            elif pa.types.is_string(column.type) or pa.types.is_binary(column.type):
                # Of two columns of one name, pyarrow decodes the texts.
                lengths = pc.binary_length(column)
            else:
                continue
            decoded += pc.sum(lengths.cast("int64")).as_py() or 0
        if decoded > limit:
            raise refuse_more_than(limit, source)


LARGE = 1 << 23
"""Characters from which on loading pyarrow takes less time than it saves."""


def separated_columns(
    text: str, delimiter: str, width: int, numbers: Collection[int], data: bytes | None = None
) -> list[tuple[Codes, list[str]] | Vector] | None:
    """The columns below the first line of separated text: codes with different texts, or numbers.

    None where pyarrow is not installed, or where the text is not plain. Plain text has no quotes, no blanks
    at the start of cells, lines of one width, and only finite numbers where numbers are.
    """
    plain = '"' not in text and "\r" not in text and not text[:1].isspace()
    if len(text) < LARGE or width < 2 or not plain or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa
    from pyarrow import csv

    names = [f"f{c}" for c in range(width)]
    texts = pa.dictionary(pa.int32(), pa.string())
    try:
        table = csv.read_csv(
            pa.BufferReader(data or text.encode()),
            csv.ReadOptions(skip_rows=1, column_names=names),
            csv.ParseOptions(delimiter=delimiter, quote_char=False),
            csv.ConvertOptions(
                column_types={name: pa.float64() if c in numbers else texts for c, name in enumerate(names)},
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except (pa.ArrowException, UnicodeError):
        return None
    found: list[tuple[Codes, list[str]] | Vector] = []
    for c, name in enumerate(names):
        column = table.column(name).unify_dictionaries().combine_chunks()
        if c in numbers:
            values = _numbers(column, np.float64)
            if not np.isfinite(values).all():
                return None
            found.append(values)
        else:
            levels = column.dictionary.to_pylist()
            if "\n " in "\n".join(["", *levels]):
                return None
            used, codes = in_order(_numbers(column.indices, np.int32).astype(np.intp), len(levels))
            found.append((codes, [levels[k] for k in used.tolist()]))
    return found


def _numbers(cells: pa.Array[Any], kind: type[np.generic]) -> NDArray[Any]:
    """An array without gaps as NumPy's; pyarrow's own way to it imports pandas."""
    return np.frombuffer(cells.buffers()[1], kind)[cells.offset : cells.offset + len(cells)]
