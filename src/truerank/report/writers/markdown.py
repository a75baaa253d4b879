"""Tables as Markdown: the caption in bold, then the table, then how to read it."""

from __future__ import annotations

from typing import Any

from truerank._support import escaping
from truerank._support.tables import Column, Marked, Name, Table, Word
from truerank._support.tables import Text as Words
from truerank.report.lettering import shortened_names
from truerank.report.words import with_symbols

_RULES = {"left": ":---", "right": "---:", "center": ":---:"}


def markdown(table: Table) -> str:
    """A table with its caption; names are escaped."""
    table = shortened_names(table.shown())
    notes = " ".join(part for part in (f"{table.caption}.", table.below, table.made) if part)
    lines = [
        said(notes),
        "",
        line([said(column.heading) for column in table.columns]),
        line([_RULES[column.kind.align] for column in table.columns]),
        *(
            line([_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
            for row in table.rows
        ),
    ]
    return "\n".join(lines) + "\n"


def said(text: str) -> str:
    """A text of ours, in which there may be names and symbols."""
    return with_symbols(text, escaping.markdown, lambda base, low: base + f"<sub>{low}</sub>" * bool(low))


def line(cells: list[str]) -> str:
    """A row of cells."""
    return "| " + " | ".join(cells) + " |"


def _cell(value: Any, column: Column) -> str:
    if isinstance(value, Marked):
        text = f"**{value.text}**" if value.strong else value.text
        return text + (f"<sup>{escaping.markdown(value.marks)}</sup>" if value.marks else "")
    text = column.kind.text(value)
    if isinstance(column.kind, Name):
        return escaping.markdown(text)
    return said(text) if isinstance(column.kind, Words | Word) else text
