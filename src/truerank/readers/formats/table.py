"""Score tables, wide or long: separated text, Parquet, data frames."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.readers.columns import Asked
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.raw_scores import RawScores
from truerank.readers.tables import PARQUET_MAGIC, read_frame, read_parquet, read_table
from truerank.readers.trecfiles import is_frame


def _recognizes(source: Source) -> bool:
    return bool(source.first_line) and not source.looks_like_json and not _recognizes_parquet(source)


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    (source,) = sources
    return read_table(source.text, source.path, asked)


def _read_frame(frame: Any, asked: Asked) -> RawScores:
    return read_frame(frame, None, asked)


def _recognizes_parquet(source: Source) -> bool:
    return source.start.startswith(PARQUET_MAGIC)


def _read_parquet(sources: Sequence[Source], asked: Asked) -> RawScores:
    (source,) = sources
    return read_parquet(source.data, source.path, asked)


TABLE = ScoreFormat(
    "table",
    "a table",
    "Columns of systems and a row a topic, or a row a score; separated by commas, tabs or semicolons.",
    recognizes=_recognizes,
    read=_read,
    recognizes_object=is_frame,
    read_object=_read_frame,
    general=True,
    transposes=True,
    tabular=True,
)

PARQUET = ScoreFormat(
    "parquet",
    "a Parquet table",
    "The same tables as Parquet files.",
    recognizes=_recognizes_parquet,
    read=_read_parquet,
    general=True,
    transposes=True,
    tabular=True,
)
