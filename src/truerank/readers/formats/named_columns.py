"""A dictionary from systems to their scores: vectors in the order of the topics, or pandas series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import TRUTH, has_truth
from truerank.scores import real_numbers


def _is_column(value: Any) -> bool:
    """Whether it is a vector of numbers, by its first."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and (value[0] is None or isinstance(value[0], (int, float, np.number)))
    return getattr(value, "ndim", None) == 1


def _recognizes(thing: Any) -> bool:
    return isinstance(thing, Mapping) and len(thing) > 0 and all(map(_is_column, thing.values()))


def _read(thing: Any, asked: Asked) -> RawScores:
    """The scores; series are matched by their index, vectors by their place."""
    scores = Collected("dictionary")
    if any(map(has_truth, thing.values())):
        scores.notes.append(TRUTH)
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
    return scores.raw(asked)


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


NAMED_COLUMNS = ScoreFormat(
    "columns",
    "a dictionary of columns",
    "In Python: system → its scores, as lists and arrays in the order of the topics, or as pandas series.",
    recognizes_object=_recognizes,
    read_object=_read,
)
