"""Score tables in files and frames, and what Python users have in memory: arrays and columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.readers.cell_values import TRUTH
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.source import Source
from truerank.readers.options import Options
from truerank.readers.records import Records
from truerank.readers.sheets import FrameSheet, has_truth, is_frame
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix, real_numbers

# Score tables, wide or long: separated text, Parquet, data frames


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    (source,) = sources
    return read_sheet(source.sheet, options)


TABLE = declared(
    "table",
    recognizes=lambda source: bool(source.first_line),
    read=_read,
    recognizes_object=is_frame,
    read_object=lambda frame, options: read_sheet(FrameSheet(frame), options),
)

PARQUET = declared("parquet", recognizes=lambda source: True, read=_read)


# What Python users have in memory: arrays and dictionaries of columns


def _is_array(source: Any) -> bool:
    return not isinstance(source, Mapping) and not is_frame(source)


def _read_array(source: Any, options: Options) -> ScoreMatrix:
    """The scores of an array; masked cells are missing."""
    try:
        values = real_numbers(source)
    except (TypeError, ValueError) as error:
        raise InputError(f"array: scores must be numbers ({error})") from None
    if values.ndim != 2 or not values.size:
        ScoreMatrix.build(values)  # says what is wrong
    n, m = values.shape
    topics, systems = [("", str(t)) for t in range(1, n + 1)], [f"sys{s}" for s in range(1, m + 1)]
    records = Records.grid(values, topics, systems, "array: ")
    return records.table(
        records.pivot(),
        None,
        options.measure or "",
        None,
        [TRUTH] if has_truth(source) else [],
        False,
        unnamed="array",
    )


ARRAY = declared("array", recognizes_object=_is_array, read_object=_read_array)


def _is_column(value: Any) -> bool:
    """Whether it is a vector of numbers, by its first."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and (value[0] is None or isinstance(value[0], (int, float, np.number)))
    return getattr(value, "ndim", None) == 1


def _holds_columns(thing: Any) -> bool:
    return isinstance(thing, Mapping) and len(thing) > 0 and all(map(_is_column, thing.values()))


def _read_columns(thing: Any, options: Options) -> ScoreMatrix:
    """The scores; series are matched by their index, vectors by their place."""
    scores = Collected("dictionary")
    if any(map(has_truth, thing.values())):
        scores.note(TRUTH)
    columns = {str(name): _column(str(name), value) for name, value in thing.items()}
    if len({topics is None for topics, _ in columns.values()}) > 1:
        raise InputError("dictionary: some systems have series and some have vectors; give all of one kind")
    lengths = {name: len(values) for name, (topics, values) in columns.items() if topics is None}
    (first, length), *others = lengths.items() or [("", 0)]
    for name, other in others:
        if other != length:
            raise InputError(
                f"dictionary: {first!r} has {length} scores and {name!r} has {other}; give each system one a "
                "topic, or name the topics"
            )
    for name, (topics, values) in columns.items():
        for topic, value in zip(topics or map(str, range(1, length + 1)), values.tolist(), strict=True):
            scores.add(name, topic, value)
    if lengths:
        scores.unnamed = "array"
    return scores.table(options)


def _column(name: str, value: Any) -> tuple[list[str] | None, Vector]:
    """The names of the topics, ``None`` where there are none, and the scores."""
    topics = None
    if hasattr(value, "index") and hasattr(value, "to_dict"):
        topics, value = [str(topic) for topic in value.index], value.to_numpy()
    elif isinstance(value, (list, tuple)):
        value = [np.nan if one is None else one for one in value]
    try:
        return topics, real_numbers(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"dictionary: scores of {name!r} must be numbers ({error})") from None


COLUMNS = declared("columns", recognizes_object=_holds_columns, read_object=_read_columns)
