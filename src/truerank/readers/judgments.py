"""Judgments from wherever they are: a file of any format, an object, or a name that ir_datasets knows."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, TypeAlias

from truerank._support.files import PathLike
from truerank.readers.irdatasets import named_qrels
from truerank.readers.run_formats import read_qrels
from truerank.readers.trecfiles import Qrels, qrels_from

if TYPE_CHECKING:
    import pandas as pd

QrelsSource: TypeAlias = "PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]] | Any"
"""A file in any format, an id of ir_datasets, a data frame, a dictionary topic → document → relevance, ranx's
`Qrels`, or ir_measures' named tuples."""


def judgments(qrels: QrelsSource) -> Qrels:
    """Relevance judgments, checked."""
    if not isinstance(qrels, (str, os.PathLike)):
        return qrels_from(qrels)
    named = None if os.path.exists(qrels) or qrels == "-" else named_qrels(str(qrels))
    return read_qrels(qrels) if named is None else named
