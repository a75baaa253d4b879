"""A dictionary from systems to their scores: vectors in the order of the topics, or pandas series."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.raw_scores import RawScores
from truerank.readers.tables import read_frame
from truerank.scores import real_numbers


def _is_column(value: Any) -> bool:
    """Whether it is a vector of numbers, by its first."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and (value[0] is None or isinstance(value[0], (int, float, np.number)))
    return getattr(value, "ndim", None) == 1


def _recognises(thing: Any) -> bool:
    return isinstance(thing, Mapping) and len(thing) > 0 and all(map(_is_column, thing.values()))


def _read(thing: Any, asked: Asked) -> RawScores:
    """The scores; series are matched by their index, vectors by their place.

    Raises:
        InputError: vectors of different lengths, or what is no number.
    """
    import pandas as pd

    columns = {}
    for name, value in thing.items():
        if hasattr(value, "index") and hasattr(value, "to_dict"):
            columns[str(name)] = value
            continue
        try:
            if isinstance(value, (list, tuple)):
                value = [np.nan if one is None else one for one in value]
            columns[str(name)] = real_numbers(value)
        except (TypeError, ValueError) as error:
            raise InputError(f"dictionary: scores of {str(name)!r} must be numbers ({error})") from None
    try:
        frame = pd.DataFrame(columns)
    except ValueError as error:
        raise InputError(f"dictionary: the systems' scores do not fit together ({error})") from None
    if frame.index.equals(pd.RangeIndex(len(frame))):
        frame.index = pd.Index([str(t) for t in range(1, len(frame) + 1)])
    return read_frame(frame, None, asked)


NAMED_COLUMNS = ScoreFormat(
    "columns",
    "a dictionary of columns",
    "In Python: system → its scores, as lists and arrays in the order of the topics, or as pandas series.",
    recognises_object=_recognises,
    read_object=_read,
)
