"""An array of topics × systems, whose names nobody knows."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import TRUTH, has_truth
from truerank.readers.trecfiles import is_frame
from truerank.scores import ScoreMatrix, real_numbers


def _recognizes(source: Any) -> bool:
    return not isinstance(source, Mapping) and not is_frame(source)


def _read(source: Any, asked: Asked) -> RawScores:
    """The scores of an array; masked cells are missing."""
    try:
        values = real_numbers(source)
    except (TypeError, ValueError) as error:
        raise InputError(f"array: scores must be numbers ({error})") from None
    if values.ndim != 2 or not values.size:
        ScoreMatrix.build(values)  # says what is wrong
    return RawScores(
        values,
        [str(t) for t in range(1, values.shape[0] + 1)],
        [f"sys{s}" for s in range(1, values.shape[1] + 1)],
        lambda _t, _s: "array: ",
        "array: ",
        asked.measure or "",
        notes=[TRUTH] if has_truth(source) else [],
        unnamed="array",
    )


ARRAY = ScoreFormat(
    "array",
    "an array",
    "Numbers, a row a topic and a column a system.",
    recognizes_object=_recognizes,
    read_object=_read,
    general=True,
)
