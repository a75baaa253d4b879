"""Score tables, wide or long: separated text, Parquet, data frames."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.readers.columns import Options
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.source import Source
from truerank.readers.sheets import FrameSheet, is_frame
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    (source,) = sources
    return read_sheet(source.sheet, options)


TABLE = ScoreFormat(
    "table",
    "a table",
    "One column per system and one row per topic, or one row per score; separated by commas, tabs or "
    "semicolons.",
    recognizes=lambda source: bool(source.first_line),
    read=_read,
    recognizes_object=is_frame,
    read_object=lambda frame, options: read_sheet(FrameSheet(frame), options),
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
    read=_read,
    general=True,
    transposes=True,
    tabular=True,
    content=("parquet",),
)
