"""Two series, arrays or dictionaries of one system each, as one table of both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.checks import shared_heading
from truerank.readers.roles import has_role
from truerank.scores import ScoreMatrix, real_numbers

ARMS = ("baseline", "candidate")
"""What two systems are called where nothing names them."""


def side_by_side(baseline: Any, candidate: Any, measure: str | None = None) -> tuple[Any, str]:
    """The scores of two systems in one table, and the measure that both are named like.

    ``{topic: score}``, series and frames with a column of topics are matched by topic, arrays by place.
    """
    if isinstance(baseline, Mapping) and isinstance(candidate, Mapping):
        return dict(zip(ARMS, (baseline, candidate), strict=True)), ""
    if hasattr(baseline, "iloc") and hasattr(candidate, "iloc"):
        import pandas as pd

        columns = [_column(one, measure) for one in (baseline, candidate)]
        for one in columns:
            if not one.index.is_unique:
                twice = one.index[one.index.duplicated()][0]
                raise InputError(
                    f"topic {str(twice)!r} is twice in the index of a series; keep one score per topic"
                )
        names = [str(one.name) for one in columns]
        if names[0] != names[1]:
            return pd.concat(columns, axis=1, keys=names), ""
        named = "" if columns[0].name is None else shared_heading(names)
        return pd.concat(columns, axis=1, keys=ARMS), named
    try:
        arrays = [real_numbers(one) for one in (baseline, candidate)]
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the scores of a system must be numbers ({error}); give {{topic: score}}, a series, or an "
            "array of one score per topic"
        ) from None
    if arrays[0].ndim != 1 or arrays[0].shape != arrays[1].shape:
        raise InputError(
            f"the scores of the two systems have shapes {arrays[0].shape} and {arrays[1].shape}. Give "
            "one score per topic of each, in the same order, or two series with the topics as their index"
        )
    return ScoreMatrix.build(np.column_stack(arrays), systems=ARMS), ""


def _column(scores: Any, measure: str | None) -> Any:
    """A series, or the column of scores of a frame, by topic where another column holds the topics."""
    if scores.ndim > 1:
        topics = [name for name in scores.columns if has_role(str(name), "topic")]
        if topics and scores.shape[1] > 1:
            scores = scores.set_index(topics[0])
        names = [str(name) for name in scores.columns]
        if len(names) > 1 and measure not in names:
            raise InputError(
                f"a frame of one system has several columns of scores: {few(names, 8)}; choose one, such as "
                f"{setting('measure', names[0])}"
            )
        scores = scores.iloc[:, names.index(measure) if measure in names else 0]
    return scores.rename(index=str)
