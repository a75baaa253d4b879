"""Parquet files: their columns, and their tables as data frames."""

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
        columns = file.read()
        columns.validate(full=True)  # text that is none would pass until something looks at it
        return columns.to_pandas()
