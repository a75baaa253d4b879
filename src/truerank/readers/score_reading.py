"""Scores from whatever they are in: the format is told by the content, not by the name."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from truerank._support.files import decode, read_bytes
from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.folders import read_folder
from truerank.readers.missing import Missing, check_policy, treat_missing
from truerank.readers.raw_scores import RawScores, with_weights
from truerank.readers.tables import PARQUET_MAGIC, read_frame, read_parquet, read_table
from truerank.readers.treceval import looks_like_treceval, read_treceval
from truerank.readers.trecfiles import is_frame
from truerank.scores import ScoreMatrix, real_numbers


def read_scores(
    source: Any,
    measure: str | None = None,
    missing: Missing = "error",
    *,
    cluster: str | None = None,
    family: str | None = None,
    weights: Mapping[str, float] | None = None,
) -> ScoreMatrix:
    """Read scores, whatever they are in.

    Args:
        source: a table (CSV, TSV or Parquet; wide or long; also gzipped), a folder with one table for each
            data set, the outputs of ``trec_eval -q``, one per system, a pandas data frame, or an array of
            topics × systems. What a file holds is told by its content, not by its name.
        measure: which measure, where there are several, in ir_measures' or trec_eval's spelling.
            For scores that come without a measure's name, what to call it.
        missing: ``error`` refuses missing scores; ``common`` (also ``drop-topic``) keeps the topics that all
            systems have, ``complete`` the systems that have all topics; ``model`` leaves the cells empty;
            ``zero`` counts them as zero.
        cluster: the column of the clusters of topics (variants of one query, turns of one conversation),
            where it is not called ``cluster``.
        family: the column of the families of data sets.
        weights: what each data set counts in an average, by name, in the place of a column ``weight``.

    Returns:
        Scores of n topics × m systems, of K data sets where a column or a folder names several; its `notes`
        say what was met on the way.

    Raises:
        InputError: the scores cannot be used; the message says file, line and remedy.
        UnknownNameError: no such measure or column there.

    Example:
        >>> read_scores([[0.1, 0.3], [0.2, 0.4]], "AP").values.shape
        (2, 2)
        >>> import pandas as pd
        >>> board = read_scores(pd.DataFrame({
        ...     "data_set": ["fiqa", "fiqa", "nq", "nq"], "topic": [1, 2, 1, 2],
        ...     "A": [0.2, 0.4, 0.1, 0.9], "B": [0.3, 0.5, 0.3, None], "C": [0, 0, 1, 1]}), missing="model")
        >>> board
        <ScoreMatrix 4 topics × 3 systems, 2 data sets>
        >>> board.complete
        False
    """
    check_policy(missing)
    asked = Asked(measure, cluster, family, None, weights is not None)
    if isinstance(source, (str, os.PathLike)):
        path = str(source)
        raw = read_folder(path, asked, _read_files) if os.path.isdir(path) else _read_files([path], asked)
    elif is_frame(source):
        raw = read_frame(source, None, asked)
    elif _are_paths(source):
        raw = _read_files([str(path) for path in source], asked)
    else:
        raw = _read_array(source, asked)
    return treat_missing(with_weights(raw, weights), missing)


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


def _read_files(paths: Sequence[str], asked: Asked) -> RawScores:
    """The scores of one table, or of trec_eval's output in several files.

    Raises:
        InputError: anything else, or a file that cannot be used.
        UnknownNameError: a measure or a column that is not there.
    """
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
                "give one table, a folder with one table for each data set, or one trec_eval file per system"
            )
        elif parquet:
            return read_parquet(data, path, asked)
        elif text.lstrip().startswith(("{", "[")):
            raise InputError(f"{path}: this is JSON; save the scores as CSV, TSV or Parquet")
        else:
            return read_table(text, path, asked)
    raw = read_treceval(outputs, asked.measure)
    _refuse_columns(asked, raw.where, "trec_eval's output")
    return raw if asked.data_set is None else replace(raw, data_sets=[asked.data_set] * len(raw.topics))


def _refuse_columns(asked: Asked, where: str, what: str) -> None:
    """Refuse a cluster or a family of scores that come without named columns.

    Raises:
        InputError: one was asked for.
    """
    if asked.cluster is not None or asked.family is not None:
        raise InputError(
            f"{where}{what} has no column {asked.cluster or asked.family!r}; give a table that has it"
        )


def _looks_like_run(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split()
    return len(cells) == 6 and cells[1] in ("Q0", "0")


def _looks_like_qrels(text: str) -> bool:
    cells = text.lstrip().split("\n", 1)[0].split()
    return len(cells) == 4 and cells[1] in ("0", "Q0") and cells[3].lstrip("-").isdigit()


def _read_array(source: Any, asked: Asked) -> RawScores:
    """The scores of an array; masked cells are missing.

    Raises:
        InputError: no numbers, or not topics × systems.
    """
    if isinstance(source, Mapping):
        raise InputError("scores cannot be read from a dictionary; give a data frame or an array")
    _refuse_columns(asked, "array: ", "an array")
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
    )
