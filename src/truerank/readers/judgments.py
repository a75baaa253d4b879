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
    """Relevance judgments, checked.

    Args:
        qrels: a file (TREC's columns, a table with headings, JSON or Parquet; plain or gzipped), the id of a
            data set of ir_datasets whose judgments are on this machine, a data frame, a dictionary topic →
            document → relevance, ranx's `Qrels`, or ir_measures' `Qrel` tuples.

    Returns:
        Topic → document → relevance.

    Raises:
        InputError: a line that cannot be read, a relevance that is no whole number, or a document judged
            twice, differently.
        UnknownNameError: a format that does not exist.
    """
    if not isinstance(qrels, (str, os.PathLike)):
        return qrels_from(qrels)
    named = None if os.path.exists(qrels) or qrels == "-" else named_qrels(str(qrels))
    return read_qrels(qrels) if named is None else named
