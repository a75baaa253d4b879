"""Columns of topics, documents and scores: TREC's, those that a line of headings names, and Parquet's."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from truerank.errors import InputError
from truerank.readers.cell_values import is_number
from truerank.readers.formats.source import Source
from truerank.readers.parquet_files import PARQUET_MAGIC, parquet_columns, parquet_frame
from truerank.readers.roles import find
from truerank.readers.run_formats.run_format_registry import Kind, RunFormat
from truerank.readers.trecfiles import (
    DOCUMENT,
    TOPIC,
    is_comment,
    parse_qrels,
    parse_run,
    qrels_from_columns,
    run_from_columns,
    value_names,
)


def _fits_trec(source: Source, kind: Kind) -> bool:
    lines = (line.split() for line in source.opening.splitlines())
    cells = next((cells for cells in lines if cells and not is_comment(cells)), [])
    if kind == "run":
        return len(cells) >= 6 and is_number(cells[4])
    return len(cells) == 4 and is_number(cells[3])


TREC = RunFormat(
    "trec",
    "TREC columns",
    "A run has six columns (topic, Q0, document, rank, score, tag), judgments four (topic, iteration, "
    "document, relevance), between blanks or tabs.",
    _fits_trec,
    lambda source: parse_run(source.text, source.path),
    lambda source: parse_qrels(source.text, source.path),
)


def _names_all(header: Sequence[str], kind: Kind) -> bool:
    return all(find(header, names) is not None for names in (TOPIC, DOCUMENT, value_names(kind)))


def _fits_table(source: Source, kind: Kind) -> bool:
    line = source.first_line.strip()
    cells = max((line.split(mark) for mark in "\t,;"), key=len)
    return _names_all([cell.strip().strip('"') for cell in cells], kind)


def _columns(
    source: Source, kind: Kind
) -> tuple[list[str], list[str], list[str], Callable[[int | None], str]]:
    """Topics, documents and values, and what says where a row is."""
    sheet = source.sheet
    found = []
    for names in (TOPIC, DOCUMENT, value_names(kind)):
        column = find(sheet.header, names)
        if column is None:
            raise InputError(f"{sheet.place()}no column {' or '.join(names)}; rename one to {names[0]}")
        found.append(sheet.names(column))
    topics, documents, values = found
    for named, cells in (("topic", topics), ("document", documents)):
        if "" in cells:
            place = sheet.place(cells.index(""))
            raise InputError(f"{place}the {named} has no name; fill the cell or remove the row")
    return topics, documents, values, sheet.place


TABLE = RunFormat(
    "table",
    "table of topics, documents and scores",
    "A line of headings (query-id, corpus-id, score; qid, docno, score …) and one row per document. BEIR's "
    "and MTEB's qrels, or a data frame of results written as CSV, between tabs, commas or semicolons.",
    _fits_table,
    lambda source: run_from_columns(*_columns(source, "run")),
    lambda source: qrels_from_columns(*_columns(source, "qrels")),
)


def _fits_parquet(source: Source, kind: Kind) -> bool:
    is_parquet = source.start.startswith(PARQUET_MAGIC)
    return is_parquet and _names_all(parquet_columns(source.data, source.path), kind)


PARQUET = RunFormat.of_objects(
    "parquet",
    "Parquet of topics, documents and scores",
    "Columns of topics (q_id, qid, query-id …), documents (doc_id, docno, corpus-id …) and a score.",
    _fits_parquet,
    lambda source: parquet_frame(source.data, source.path),
)
