"""Views and tables as Markdown, for a pull request, an issue or a README."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from truerank._support import escaping
from truerank._support.tables import Column, Marked, Name, Table, Word
from truerank._support.tables import Text as Words
from truerank.report.lettering import shortened_names
from truerank.report.view import Section, View, printed, remarks
from truerank.report.words import with_symbols

_RULES = {"left": ":---", "right": "---:", "center": ":---:"}

SIGNS = {"good": "✅", "open": "❔", "bad": "❌"}  # what a verdict's tone looks like

SHOWN, ENOUGH = 12, 15
"""Rows that a comment on a pull request shows of a table with more than the second of these."""


def markdown_file(views: Sequence[View], joint: Section | None = None) -> str:
    """The answers, tables and warnings as one file."""
    made = ["<!-- truerank -->"]
    for view in views:
        sign = f"{SIGNS[view.badge[1]]} {view.badge[0]}: " if view.badge else ""
        made.append(f"### {prose(sign + view.subject)}\n")
        made.append("\n".join(f"- {prose(item)}" for item in view.answer) + "\n")
    folded: list[str] = []
    for of, section, table in printed(views, joint):
        measure = escaping.printable("" if of is None else of.name)
        if measure and measure not in table.caption:
            table = replace(table, caption=f"{table.caption}, {measure}")
        if of is None or not of.badge:
            made.append(markdown(table))
        elif section.details:
            folded.append(markdown(table))
        elif len(table.rows) > ENOUGH:
            made += [markdown(table.first(SHOWN)), f"… and {len(table.rows) - SHOWN} more, folded below.\n"]
            folded.append(markdown(replace(table, note="", advice="", bold="")))
        else:
            made.append(markdown(table))
    if folded:
        made += ["<details><summary>All tables</summary>\n", *folded, "</details>\n"]
    lines = [
        f"> {'⚠ ' if warns else ''}{prose(whose + text)}"
        for warns, whose, text in remarks(views, alerts=True)
    ]
    made += ["\n>\n".join(lines) + "\n"] if lines else []
    made += [prose(how) + "\n" for how in dict.fromkeys(view.how for view in views) if how]
    return "\n".join(made)


def markdown(table: Table) -> str:
    table = shortened_names(table.shown())
    notes = " ".join(part for part in (f"{table.caption}.", table.below) if part)
    lines = [
        prose(notes),
        "",
        line([prose(column.heading) for column in table.columns]),
        line([_RULES[column.kind.align] for column in table.columns]),
        *(
            line([_cell(value, column) for value, column in zip(row, table.columns, strict=True)])
            for row in table.rows
        ),
    ]
    return "\n".join(lines) + "\n"


def prose(text: str) -> str:
    """A text of ours, in which there may be names and symbols."""
    return with_symbols(text, escaping.markdown, lambda base, low: base + f"<sub>{low}</sub>" * bool(low))


def line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(value: Any, column: Column) -> str:
    if isinstance(value, Marked):
        text = f"**{value.text}**" if value.strong else value.text
        return text + (f"<sup>{escaping.markdown(value.marks)}</sup>" if value.marks else "")
    text = column.kind.text(value)
    if isinstance(column.kind, Name):
        return escaping.markdown(text)
    return prose(text) if isinstance(column.kind, Words | Word) else text
