"""Parquet files, which pyarrow reads."""

from __future__ import annotations

import io
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from truerank._support.files import input_limit, refuse_more_than
from truerank._support.imports import FRAMES, PARQUET, require
from truerank.errors import InputError

if TYPE_CHECKING:
    import pandas as pd

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
                # Where two columns have one name, pyarrow decodes the texts.
                lengths = pc.binary_length(column)
            else:
                continue
            decoded += pc.sum(lengths.cast("int64")).as_py() or 0
        if decoded > limit:
            raise refuse_more_than(limit, source)
