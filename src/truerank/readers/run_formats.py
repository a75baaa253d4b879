"""Runs and judgments as rows of topics, documents and numbers: TREC columns, tables, JSON and objects."""

from __future__ import annotations

import math
import re
import shlex
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.arguments import either
from truerank._support.files import PathLike
from truerank.errors import InputError, at, reading, unknown_name
from truerank.readers.cell_values import is_number
from truerank.readers.formats.format import FORMATS, recognized
from truerank.readers.formats.source import Source
from truerank.readers.parquet_files import parquet_columns
from truerank.readers.roles import NAMES, find
from truerank.readers.sheets import Sheet, frame_sheet, is_frame
from truerank.scores import is_text

Qrels = dict[str, dict[str, int]]
"""Topic → document → relevance."""

Documents = dict[str, dict[str, float]]
"""Topic → document → score."""

Kind: TypeAlias = Literal["run", "qrels"]
"""What a file or an object is to hold: ranked documents with scores, or documents with grades."""

LARGEST_RELEVANCE = 10_000
"""trec_eval's nDCG keeps a count for every grade up to the largest, and takes hours for a million."""

_WIDTHS = {
    "run": (6, "a run has 6 (topic, Q0, document, rank, score, tag)"),
    "qrels": (4, "qrels have 4 (topic, iteration, document, relevance)"),
}
_NUMBER = {
    "run": ("score", "every score must be a finite number"),
    "qrels": ("relevance", f"a relevance is a whole number up to ±{LARGEST_RELEVANCE}"),
}


@dataclass(frozen=True)
class Run:
    """One system's documents."""

    documents: Documents  # topic → document → score; no topic without documents
    tag: str = ""  # what the file calls the system; empty when it comes from Python
    tied: bool = False  # whether some topic has documents of equal score, as trec_eval stores scores
    disordered: int = 0  # the topics whose ranks contradict the scores


@dataclass(frozen=True)
class Rows:
    """A row for each document of a topic; `place` says where a row is, as the start of a message."""

    topics: Sequence[str]
    documents: Sequence[str]
    values: Sequence[Any]
    place: Callable[[int], str]
    ranks: Sequence[str] = ()
    tags: Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check names: half a character ends trec_eval's interpreter, a NUL ends the name."""
        for what, names in (("topic", self.topics), ("document", self.documents)):
            together = "".join(names)
            if "" in names:
                row = names.index("")
                raise InputError(f"{self.place(row)}the {what} has no name; fill the cell or remove the row")
            if "\0" in together or not is_text(together):
                row = next(row for row, name in enumerate(names) if "\0" in name or not is_text(name))
                raise InputError(f"{self.place(row)}the name of {what} {names[row]!r} is not text; rename it")

    def run(self) -> Run:
        """The rows as a run."""
        documents, scores = self._grouped("run")
        place = {topic: t for t, topic in enumerate(documents)}
        codes = np.array([place[topic] for topic in self.topics], dtype=np.intp)
        stored, ranks = as_stored(scores), _numbers(self.ranks)
        order = np.lexsort((stored, codes))
        tied = bool(((np.diff(codes[order]) == 0) & (stored[order][1:] == stored[order][:-1])).any())
        disordered = 0
        if len(ranks) and not np.isnan(ranks).any():  # without ranks no contradiction: trec_eval ignores them
            # Equal ranks by decreasing score: then a contradiction, if any, is one between neighbours.
            order = np.lexsort((-scores, ranks, codes))
            against = (
                (np.diff(codes[order]) == 0) & (np.diff(ranks[order]) > 0) & (np.diff(scores[order]) > 0)
            )
            disordered = len(np.unique(codes[order][1:][against]))
        return Run(documents, self.tags[0] if self.tags else "", tied, disordered)

    def qrels(self) -> Qrels:
        """The rows as judgments."""
        judged, _ = self._grouped("qrels")
        return {topic: {one: int(grade) for one, grade in of.items()} for topic, of in judged.items()}

    def _grouped(self, kind: Kind) -> tuple[Documents, NDArray[np.float64]]:
        """Topic → document → number, and the number of each row."""
        name, rule = _NUMBER[kind]
        numbers = _numbers(self.values)
        fine = np.isfinite(numbers)
        if kind == "qrels":
            fine &= (np.abs(numbers) <= LARGEST_RELEVANCE) & (np.rint(numbers) == numbers)
        if not fine.all():
            row = int(np.argmin(fine))
            raise InputError(
                f"{self.place(row)}document {self.documents[row]!r} of topic {self.topics[row]!r} has the "
                f"{name} {repr(self.values[row])[:40]}; {rule}"
            )
        found: Documents = {}
        for topic, document, number in zip(self.topics, self.documents, numbers.tolist(), strict=True):
            try:
                found[topic][document] = number
            except KeyError:
                found[topic] = {document: number}
        if sum(map(len, found.values())) < len(self.topics):
            self._refuse_repeats(name, numbers, kind == "run")
        return found, numbers

    def _refuse_repeats(self, name: str, numbers: NDArray[np.float64], all_: bool) -> None:
        """Refuse a document that a topic has twice, or only where the numbers differ."""
        seen: dict[tuple[str, str], int] = {}
        for row, key in enumerate(zip(self.topics, self.documents, strict=True)):
            first = seen.setdefault(key, row)
            if first != row and (all_ or numbers[first] != numbers[row]):
                here, before = self.place(row), self.place(first)
                there = "" if before == here else f", at {before.removesuffix(': ')}"
                raise InputError(
                    f"{here}document {key[1]!r} already has a {name} for topic {key[0]!r}{there}; "
                    "keep one of the two"
                )


def _numbers(cells: Sequence[Any]) -> NDArray[np.float64]:
    """Cells as numbers, NaN for what is none; Python alone reads 1_000."""
    try:
        if "_" not in "".join(cells):
            return np.array(list(map(float, cells)), dtype=np.float64)
    except (TypeError, ValueError):
        pass
    return np.array([_number(cell) for cell in cells], dtype=np.float64)


def _number(cell: Any) -> float:
    try:
        return math.nan if isinstance(cell, str) and "_" in cell else float(cell)
    except (TypeError, ValueError, OverflowError):
        return math.nan


def as_stored(scores: ArrayLike) -> NDArray[np.float32]:
    """Scores as trec_eval stores them, in 32 bits: closer ones tie, and so do all beyond that range.

    >>> as_stored([1.0, 1.0 + 1e-9]).tolist()
    [1.0, 1.0]
    """
    with np.errstate(over="ignore"):
        stored: NDArray[np.float32] = np.asarray(scores, dtype=np.float64).astype(np.float32)
    return stored


def trec_order(documents: Mapping[str, float]) -> list[str]:
    """Documents of one topic, best first: by score as 32-bit number, then by id, both descending.

    That is the order of trec_eval 9 (``comp_sim_docno`` in its ``form_res_rels.c``). O(N log N).

    >>> trec_order({"a": 1.0, "b": 1.0 + 1e-9, "c": 2.0})
    ['c', 'b', 'a']
    """
    stored = as_stored(np.fromiter(documents.values(), np.float64, len(documents))).tolist()
    return [document for _, document in sorted(zip(stored, documents, strict=True), reverse=True)]


def trec_rows(text: str, source: str, kind: Kind) -> Rows:
    """The rows of TREC's columns; blank lines, comments, and words after the tag of a run are left out."""
    width, what = _WIDTHS[kind]
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")  # as editors count them

    @cache
    def numbered() -> list[tuple[int, list[str]]]:
        split = ((number, line.split()) for number, line in enumerate(lines, start=1))
        return [(number, cells) for number, cells in split if cells and not is_comment(cells)]

    # Counting by line and cutting all at once is twice as fast as keeping a list per line.
    comments = text.startswith("#") or "\n#" in text or "\r#" in text
    if not comments and set(map(len, map(str.split, lines))) - {0} == {width}:
        cells_of_all = text.split()
        columns = [cells_of_all[column::width] for column in range(width)]
    else:
        for number, cells in numbered():
            if len(cells) < width or (kind == "qrels" and len(cells) > width):
                found = "1 column" if len(cells) == 1 else f"{len(cells)} columns"
                raise InputError(
                    f"{at(source, number)}{found}, but {what}; fix the line or name another file"
                )
        columns = list(map(list, zip(*(cells[:width] for _, cells in numbered()), strict=True)))
    if not columns:
        raise InputError(f"{source}: the file holds only comments; name another file")
    values = columns[4 if kind == "run" else 3]
    ranks, tags = (columns[3], columns[5]) if kind == "run" else ((), ())
    return Rows(columns[0], columns[2], values, lambda row: at(source, numbered()[row][0]), ranks, tags)


def is_comment(cells: Sequence[str]) -> bool:
    """Whether the cells of a line are a comment, and not a topic whose name starts with ``#``."""
    return cells[0].startswith("#") and not (len(cells) > 3 and cells[1] in ("Q0", "0"))


def column_names(kind: Kind) -> tuple[Sequence[str], ...]:
    """What the columns of topics, documents and values are called."""
    value = NAMES["score_of_document" if kind == "run" else "relevance"]
    return NAMES["topic_of_document"], NAMES["document"], value


def sheet_rows(sheet: Sheet, kind: Kind) -> Rows:
    """The rows of a table with headings."""
    found = []
    for names in column_names(kind):
        column = find(sheet.header, names)
        if column is None:
            raise InputError(
                f"{sheet.place()}no column {' or '.join(names)} among {', '.join(sheet.header)}; "
                f"rename one to {names[0]}"
            )
        found.append(sheet.names(column))
    topics, documents, values = found
    return Rows(topics, documents, values, sheet.place)


def object_rows(data: Any, kind: Kind, where: str) -> Rows:
    """The rows of an object: a data frame, a dictionary of dictionaries, or ir_measures' named tuples."""
    if is_frame(data):
        return sheet_rows(frame_sheet(data, where.removesuffix(": ")), kind)
    if isinstance(data, Iterable) and not isinstance(data, Mapping):
        data = list(data)
    field, things = ("score", "documents") if kind == "run" else ("relevance", "judgments")
    if isinstance(data, Mapping) and all(isinstance(inner, Mapping) for inner in data.values()):
        rows = [(topic, document, value) for topic, of in data.items() for document, value in of.items()]
    elif isinstance(data, list) and data and all(hasattr(one, "doc_id") for one in data):
        if not all(hasattr(one, field) for one in data):
            raise InputError(
                f"{where}tuples of a query_id and a doc_id without a {field}; name the third that"
            )
        rows = [(one.query_id, one.doc_id, getattr(one, field)) for one in data]
    else:
        raise InputError(f"{where}give a path, a data frame or a dictionary topic → document → number")
    if not rows:
        raise InputError(f"{where}no {things}; give topic → document → {field}")
    topics, documents, values = zip(*rows, strict=True)
    return Rows([*map(str, topics)], [*map(str, documents)], values, lambda _: where)


# Files: the format that one is in, and its rows

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
