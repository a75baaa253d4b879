"""Score tables, wide or long: separated text, Parquet, data frames."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.readers.columns import Asked
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.parquet_files import parquet_frame
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import FrameSheet, TextSheet
from truerank.readers.tables import read_sheet
from truerank.readers.trecfiles import is_frame


def _read_text(sources: Sequence[Source], asked: Asked) -> RawScores:
    (source,) = sources
    return read_sheet(TextSheet(source.text, source.path), asked)


def _read_parquet(sources: Sequence[Source], asked: Asked) -> RawScores:
    (source,) = sources
    return read_sheet(FrameSheet(parquet_frame(source.data, source.path), source.path), asked)


TABLE = ScoreFormat(
    "table",
    "a table",
    "One column per system and one row per topic, or one row per score; separated by commas, tabs or "
    "semicolons.",
    recognizes=lambda source: bool(source.first_line),
    read=_read_text,
    recognizes_object=is_frame,
    read_object=lambda frame, asked: read_sheet(FrameSheet(frame), asked),
    general=True,
    transposes=True,
    tabular=True,
    content=("text",),
)

PARQUET = ScoreFormat(
    "parquet",
    "a Parquet table",
    "The same tables as Parquet files.",
    recognizes=lambda source: True,
    read=_read_parquet,
    general=True,
    transposes=True,
    tabular=True,
    content=("parquet",),
)
