"""Formats of runs and judgments by name, and the one that a file is in."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from truerank._support.arguments import either, setting
from truerank._support.files import PathLike
from truerank._support.registry import Registry
from truerank.errors import InputError, at, reading
from truerank.readers.cell_values import is_number
from truerank.readers.formats.format import FORMATS, recognized
from truerank.readers.formats.source import Source
from truerank.readers.parquet_files import parquet_columns
from truerank.readers.roles import find
from truerank.readers.trecfiles import (
    Kind,
    Qrels,
    Rows,
    Run,
    column_names,
    is_comment,
    object_rows,
    sheet_rows,
    trec_rows,
)


@dataclass(frozen=True)
class RunFormat:
    """A format of runs, judgments or both.

    Attributes:
        name: what users type.
        label: what users read, a few words.
        explanation: what is in such a file and who writes it, a sentence.
        fits: whether the file's head is in this format; a broken rest is for the reader to refuse.
        rows: a row for each document in it.
    """

    name: str
    label: str
    explanation: str
    fits: Callable[[Source, Kind], bool]
    rows: Callable[[Source, Kind], Rows]


def _fits_trec(source: Source, kind: Kind) -> bool:
    lines = (line.split() for line in source.opening.splitlines())
    cells = next((cells for cells in lines if cells and not is_comment(cells)), [])
    if kind == "run":
        return len(cells) >= 6 and is_number(cells[4])
    return len(cells) == 4 and is_number(cells[3])


def _names_all(header: Sequence[str], kind: Kind) -> bool:
    return all(find(header, names) is not None for names in column_names(kind))


def _fits_table(source: Source, kind: Kind) -> bool:
    if source.content == "parquet":
        return _names_all(parquet_columns(source.data, source.path), kind)
    line = source.first_line.strip()
    cells = max((line.split(mark) for mark in "\t,;"), key=len)
    return _names_all([cell.strip().strip('"') for cell in cells], kind)


_KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(r"\{" + _KEY + r"\{(?:" + _KEY + r"[-+.\dNI]|\s*\})")
"""An object whose first value is an object without keys, or with a number behind its first."""

RUN_FORMATS: Registry[RunFormat] = Registry(
    "format of runs",
    RunFormat(
        "trec",
        "TREC columns",
        "A run has six columns (topic, Q0, document, rank, score, tag), judgments four (topic, iteration, "
        "document, relevance), between blanks or tabs.",
        _fits_trec,
        lambda source, kind: trec_rows(source.text, source.path, kind),
    ),
    RunFormat(
        "table",
        "table of topics, documents and scores",
        "A line of headings (query-id, corpus-id, score; qid, docno, score …) and one row per document. "
        "BEIR's and MTEB's qrels, or a data frame of results as CSV, between tabs, commas or semicolons, "
        "or as Parquet.",
        _fits_table,
        lambda source, kind: sheet_rows(source.sheet, kind),
    ),
    RunFormat(
        "json",
        "JSON of topics, documents and scores",
        "An object of topics, each an object from documents to scores (or relevance): ranx, BEIR, MTEB 1 "
        "with save_predictions, pytrec_eval.",
        lambda source, _: _NESTED.match(source.opening.lstrip()) is not None,
        lambda source, kind: object_rows(source.json, kind, at(source.path)),
    ),
)
"""The formats of runs and judgments by name.

Example:
    >>> from truerank.readers.run_formats import RUN_FORMATS
    >>> "trec" in RUN_FORMATS
    True
"""


def read_run(path: PathLike, format: str | None = None) -> Run:
    """A run from a file in any of the formats, plain or packed by gzip.

    Args:
        path: the file.
        format: which format, where the content is not to say it.

    Returns:
        Its documents, and what the file calls the system.

    Raises:
        InputError: a file that cannot be used, with its line, or one that fits two formats.
        UnknownNameError: no such format.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".json") as file:
        ...     _ = file.write('{"q1": {"d7": 2.5, "d3": 1.0}}')
        ...     file.flush()
        ...     read_run(file.name).documents
        {'q1': {'d7': 2.5, 'd3': 1.0}}
    """
    source = Source(str(path))
    with reading(path):
        return _recognized(source, "run", format).rows(source, "run").run()


def read_qrels(path: PathLike, format: str | None = None) -> Qrels:
    """Judgments, topic → document → relevance, as :func:`read_run` reads a run.

    Example:
        >>> import tempfile
        >>> with tempfile.NamedTemporaryFile("w", suffix=".tsv") as file:
        ...     _ = file.write("query-id\\tcorpus-id\\tscore\\nq1\\td7\\t2\\n")
        ...     file.flush()
        ...     read_qrels(file.name)
        {'q1': {'d7': 2}}
    """
    source = Source(str(path))
    with reading(path):
        return _recognized(source, "qrels", format).rows(source, "qrels").qrels()


def _recognized(source: Source, kind: Kind, format: str | None = None) -> RunFormat:
    """The format of a file: the one that was named, or the one that its head fits."""
    if format is not None:
        return RUN_FORMATS.find(format)
    fitting = [one for one in RUN_FORMATS.values() if one.fits(source, kind)]
    if len(fitting) > 1:
        names = " and ".join(one.name for one in fitting)
        raise InputError(
            f"{at(source.path)}reads as {names}; say which with {setting('format', fitting[0].name)}"
        )
    if fitting:
        return fitting[0]
    _refuse_scores(source)
    if source.looks_like_json:
        what = "topic → document → score" if kind == "run" else "topic → document → relevance"
        raise InputError(f"{at(source.path)}JSON, but not of {what}; write such an object, or TREC's columns")
    return RUN_FORMATS["table" if source.content == "parquet" else "trec"]


def holds_run(path: PathLike | Source) -> bool:
    """Whether a file, by its head, is a run: documents with scores, and no scores of systems."""
    source = path if isinstance(path, Source) else Source(str(path))
    with reading(source.path):
        fitting = [one.name for one in RUN_FORMATS.values() if one.fits(source, "run")]
    # A dictionary of topics may hold measures as well as documents.
    return bool(fitting) and not (fitting == ["json"] and FORMATS["pytrec_eval"].fits(source))


def _refuse_scores(source: Source) -> None:
    """Say where a file holds scores that is neither a run nor judgments."""
    cells = source.first_line.split()
    if len(cells) == 3 and is_number(cells[0]) and cells[2].isdigit():
        six = """awk '{print $1, "Q0", $2, $3, -$3, "run"}'"""
        raise InputError(
            f"{at(source.path)}three columns (topic, document, rank), as MS MARCO's runs have them, are not "
            f"read; write TREC's six: {six} {shlex.quote(source.path)} > six.run"
        )
    found = recognized(source)
    separated = any(mark in source.first_line for mark in ",;")  # TREC's columns have blanks between them
    if found is not None and (separated or not found.tabular):
        remedy = either("truerank.read_scores reads it", "leave --qrels out")
        raise InputError(f"{at(source.path)}this is {found.label}, scores already, and no run; {remedy}")
