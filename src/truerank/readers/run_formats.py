"""Runs and judgments from files: the format that a file is in, and its rows."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from truerank._support.arguments import either
from truerank._support.files import PathLike
from truerank.errors import InputError, at, reading, unknown_name
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

RUN_FORMATS = ("trec", "table", "json")
"""TREC's columns, tables of topics, documents and scores with headings, and topic → document → score."""

_KEY = r'\s*"(?:[^"\\]|\\.)*"\s*:\s*'
_NESTED = re.compile(r"\{" + _KEY + r"\{(?:" + _KEY + r"[-+.\dNI]|\s*\})")
"""An object whose first value is an object without keys, or with a number behind its first."""


def _format_of(source: Source, kind: Kind) -> str | None:
    """The format that a file's head fits; a broken rest is for its reader to refuse."""
    lines = (line.split() for line in source.opening.splitlines())
    cells = next((cells for cells in lines if cells and not is_comment(cells)), [])
    if kind == "run":
        trec = len(cells) >= 6 and is_number(cells[4])
    else:
        trec = len(cells) == 4 and is_number(cells[3])
    if trec:
        return "trec"
    if _NESTED.match(source.opening.lstrip()) is not None:
        return "json"
    if source.content == "parquet":
        header: Sequence[str] = parquet_columns(source.data, source.path)
    else:
        cells = max((source.first_line.strip().split(mark) for mark in "\t,;"), key=len)
        header = [cell.strip().strip('"') for cell in cells]
    return "table" if all(find(header, names) is not None for names in column_names(kind)) else None


def read_run(path: PathLike, format: str | None = None) -> Run:
    """A run from a file in any of the formats, plain or packed by gzip.

    Args:
        path: the file.
        format: which format, where the content is not to say it.

    Returns:
        Its documents, and what the file calls the system.

    Raises:
        InputError: a file that cannot be used, with its line.
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
        return _rows(source, "run", format).run()


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
        return _rows(source, "qrels", format).qrels()


def _rows(source: Source, kind: Kind, name: str | None) -> Rows:
    """A row for each document in a file, in the format that was named or that its head fits."""
    if name not in (None, *RUN_FORMATS):
        raise unknown_name("format of runs", str(name), RUN_FORMATS)
    name = name or _format_of(source, kind)
    if name is None:
        _refuse_scores(source)
        if source.looks_like_json:
            what = "topic → document → score" if kind == "run" else "topic → document → relevance"
            raise InputError(
                f"{at(source.path)}JSON, but not of {what}; write such an object, or TREC's columns"
            )
    if name == "json":
        return object_rows(source.json, kind, at(source.path))
    if name == "table" or source.content == "parquet":
        return sheet_rows(source.sheet, kind)
    return trec_rows(source.text, source.path, kind)


def holds_run(path: PathLike | Source) -> bool:
    """Whether a file, by its head, is a run: documents with scores, and no scores of systems."""
    source = path if isinstance(path, Source) else Source(str(path))
    with reading(source.path):
        found = _format_of(source, "run")
    # A dictionary of topics may hold measures as well as documents.
    return found is not None and not (found == "json" and FORMATS["pytrec_eval"].fits(source))


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
