"""Text with a line of headings: BEIR's qrels (`query-id corpus-id score`), PyTerrier's results as CSV."""

from __future__ import annotations

from truerank.errors import InputError
from truerank.readers.columns import find
from truerank.readers.formats.source import Source
from truerank.readers.run_formats.run_format import Kind
from truerank.readers.sheets import TextSheet
from truerank.readers.trecfiles import (
    DOCUMENT,
    TOPIC,
    Qrels,
    Run,
    qrels_from_columns,
    run_from_columns,
    value_names,
)


class HeadedColumns:
    """Columns that a first line names, between commas, tabs or semicolons."""

    name = "table"
    label = "table of topics, documents and scores"
    explanation = (
        "A line of headings (query-id, corpus-id, score; qid, docno, score …) and a row a document, between "
        "tabs, commas or semicolons: BEIR's and MTEB's qrels, a data frame of results written as CSV."
    )

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether the first line names a topic, a document and a score."""
        line = source.first_line.strip()
        cells = max((line.split(mark) for mark in "\t,;"), key=len)
        header = [cell.strip().strip('"') for cell in cells]
        return all(find(header, names) is not None for names in (TOPIC, DOCUMENT, value_names(kind)))

    def run(self, source: Source) -> Run:
        """The run; the file says no name."""
        sheet, topics, documents, scores = _columns(source, "run")
        return run_from_columns(topics, documents, scores, sheet.place)

    def qrels(self, source: Source) -> Qrels:
        """The judgments."""
        sheet, topics, documents, grades = _columns(source, "qrels")
        return qrels_from_columns(topics, documents, grades, sheet.place)


def _columns(source: Source, kind: Kind) -> tuple[TextSheet, list[str], list[str], list[str]]:
    """The sheet, and its topics, documents and values."""
    sheet = TextSheet(source.text, source.path)
    found = []
    for names in (TOPIC, DOCUMENT, value_names(kind)):
        column = find(sheet.header, names)
        if column is None:
            raise InputError(f"{sheet.place()}no column {' or '.join(names)}; rename one to {names[0]}")
        found.append(sheet.names(column))
    for kind_of_name, names in (("topic", found[0]), ("document", found[1])):
        if "" in names:
            row = names.index("")
            raise InputError(
                f"{sheet.place(row)}the {kind_of_name} has no name; fill the cell or remove the row"
            )
    topics, documents, values = found
    return sheet, topics, documents, values
