"""Scores from whatever they are in: the format is told by the content, not by the name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.files import decode, read_bytes
from truerank.errors import InputError
from truerank.readers.missing import Missing, check_policy, treat_missing
from truerank.readers.tables import PARQUET_MAGIC, read_frame, read_parquet, read_table
from truerank.readers.treceval import looks_like_treceval, read_treceval
from truerank.readers.trecfiles import is_frame
from truerank.scores import ScoreMatrix


def read_scores(source: Any, measure: str | None = None, missing: Missing = "error") -> ScoreMatrix:
    """Read scores, whatever they are in.

    Args:
        source: a table (CSV, TSV or Parquet; wide or long; also gzipped), the outputs of
            ``trec_eval -q``, one per system, a pandas data frame, or an array of topics × systems.
            What a file holds is told by its content, not by its name.
        measure: which measure, where there are several, in ir_measures' or trec_eval's spelling.
            For scores that come without a measure's name, what to call it.
        missing: ``error`` refuses missing scores, ``zero`` counts them as zero, ``drop-topic``
            leaves out the topics that lack one.

    Returns:
        Scores of n topics × m systems; its `notes` say what was met on the way.

    Raises:
        InputError: the scores cannot be used; the message says file, line and remedy.
        UnknownNameError: no such measure there.

    Example:
        >>> read_scores([[0.1, 0.3], [0.2, 0.4]], "AP").values.shape
        (2, 2)
    """
    check_policy(missing)
    if isinstance(source, (str, os.PathLike)):
        return _read_files([str(source)], measure, missing)
    if is_frame(source):
        return read_frame(source, None, measure, missing)
    if _are_paths(source):
        return _read_files([str(path) for path in source], measure, missing)
    return _read_array(source, measure, missing)


def as_scores(
    obj: Any, measure: str | None = None, missing: Missing = "error", one_table: str = "this"
) -> ScoreMatrix:
    """`obj` itself if it is a ScoreMatrix, else what :func:`read_scores` makes of it; in one complete table.

    Args:
        obj: scores in any of the forms that :func:`read_scores` takes, or a ScoreMatrix.
        measure: as :func:`read_scores`; without effect on a ScoreMatrix.
        missing: as :func:`read_scores`; without effect on a ScoreMatrix.
        one_table: who asks, as the subject of a sentence, where data sets, clusters and empty cells are
            refused; empty where they are welcome.

    Returns:
        Scores of n topics × m systems.

    Raises:
        InputError: as :func:`read_scores`.
        UnknownNameError: as :func:`read_scores`.

    Example:
        >>> scores = as_scores([[0.1, 0.3], [0.2, 0.4]])
        >>> as_scores(scores) is scores
        True
    """
    scores = obj if isinstance(obj, ScoreMatrix) else read_scores(obj, measure, missing)
    return scores.one_table(one_table) if one_table else scores


def _are_paths(source: Any) -> bool:
    return (
        isinstance(source, Sequence)
        and len(source) > 0
        and all(isinstance(entry, (str, os.PathLike)) for entry in source)
    )


def _read_files(paths: Sequence[str], measure: str | None, missing: Missing) -> ScoreMatrix:
    outputs: dict[str, str] = {}
    for path in paths:
        if path in outputs:
            raise InputError(f"{path}: given twice; give every system once")
        data = read_bytes(path)
        parquet = data.startswith(PARQUET_MAGIC)
        text = "" if parquet else decode(data, path)
        if not parquet and looks_like_treceval(text):
            outputs[path] = text
        elif _looks_like_run(text):
            raise InputError(
                f"{path}: this is a run, not scores; evaluate it first: truerank evaluate --qrels QRELS"
            )
        elif _looks_like_qrels(text):
            raise InputError(
                f"{path}: these are judgments, not scores: truerank evaluate --qrels makes scores of runs"
            )
        elif len(paths) > 1:
            raise InputError(
                f"{path}: not the output of trec_eval -q, and several tables cannot be read as one; "
                "give one table, or one trec_eval file per system"
            )
        elif parquet:
            return read_parquet(data, path, measure, missing)
        elif text.lstrip().startswith(("{", "[")):
            raise InputError(f"{path}: this is JSON; save the scores as CSV, TSV or Parquet")
        else:
            return read_table(text, path, measure, missing)
    return read_treceval(outputs, measure, missing)


def _looks_like_run(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split()
    return len(cells) == 6 and cells[1] in ("Q0", "0")


def _looks_like_qrels(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split()
    return len(cells) == 4 and cells[1] in ("0", "Q0") and cells[3].lstrip("-").isdigit()


def _read_array(source: Any, measure: str | None, missing: Missing) -> ScoreMatrix:
    if isinstance(source, Mapping):
        raise InputError("scores cannot be read from a dictionary; give a data frame or an array")
    try:
        values = np.array(source, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise InputError(f"array: scores must be numbers ({error})") from None
    notes: list[str] = []
    topics = None
    if values.ndim == 2 and values.size:
        names = [str(t) for t in range(1, values.shape[0] + 1)]
        systems = [f"sys{s}" for s in range(1, values.shape[1] + 1)]
        values, topics, notes = treat_missing(
            values, names, systems, missing, lambda _t, _s: "array: ", "array: "
        )
    return ScoreMatrix.build(values, topics, None, measure or "", notes=notes)
