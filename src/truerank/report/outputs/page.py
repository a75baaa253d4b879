"""Views as one HTML file that loads nothing: the answer, and tables with intervals drawn in their cells."""

from __future__ import annotations

import base64
import hashlib
import math
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from markupsafe import Markup, escape

from truerank._support.escaping import printable, printable_lines
from truerank._support.references import bibtex, reference
from truerank._support.tables import Bounded, Column, Interval, Marked, Name, Ranks, Table
from truerank._support.wording import sentence, shortened
from truerank.report.lettering import LONGEST
from truerank.report.palette import style_rules
from truerank.report.view import CITED, MOST_ON_PAGE, Section, View
from truerank.report.words import with_symbols

if TYPE_CHECKING:
    from jinja2 import Environment

DRAWN = 2  # rows from which intervals are drawn: one interval alone compares nothing

_SENTENCES = re.compile(r"(?<=\.) (?=[A-Z])")  # between two sentences

_COMMAND = re.compile(r"\btruerank[ .][a-z]+(?: --[a-z-]+|\(scores[^)]*\))*")


def page(views: Sequence[View], joint: Section | None = None) -> str:
    """Views as one HTML document, below each other; methods and citations stand once, at the end."""
    script = static("page.js")
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    cited = dict.fromkeys(["truerank", *(key for view in views for key in view.cited)])
    return fill(
        "page.html",
        views=views,
        joint=joint,
        policy=(
            f"default-src 'none'; script-src 'sha256-{digest}'; style-src 'unsafe-inline'; "
            "img-src data:; base-uri 'none'; form-action 'none'"
        ),
        style=Markup(style_rules() + static("page.css")),
        script=Markup(script),
        methods=_methods(views),
        references=[reference(key) for key in cited],
        bibtex=bibtex(cited),
    )


def _methods(views: Sequence[View]) -> list[str]:
    """How the numbers were made: what each of several views alone says, and once what all of them say."""
    each = [_SENTENCES.split(view.sentence) for view in views if view.sentence]
    alike = [text for text in (each[0] if each else ()) if all(text in item for item in each)]
    own = [" ".join(text for text in item if text not in alike) for item in each]
    return [text for text in dict.fromkeys([*own, " ".join(alike)]) if text]


def fill(template: str, **context: Any) -> str:
    """A template of this package with its blanks filled in, and nothing in it that HTML may not hold."""
    return printable_lines(_environment().get_template(template).render(context))


@cache
def _environment() -> Environment:
    from jinja2 import Environment, PackageLoader, StrictUndefined

    environment = Environment(
        loader=PackageLoader("truerank.report", "templates"),
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    environment.filters |= {"printable": printable, "sentence": sentence, "prose": prose, "cited": cited}
    environment.globals |= {"cells_of": cells_of, "on_page": on_page}
    return environment


@cache
def static(name: str) -> str:
    return files("truerank.report").joinpath("static", name).read_text(encoding="utf-8")


def prose(text: str) -> Markup:
    """Text with its symbols set by HTML, and with truerank's commands as code."""
    shown = with_symbols(printable(text), lambda plain: str(escape(plain)), _symbol)
    return Markup(_COMMAND.sub(r"<code>\g<0></code>", shown))


def _symbol(base: str, index: str) -> str:
    return f"{base}<sub>{index}</sub>" if index else base


def cited(text: str) -> Markup:
    """The text on methods, each citation a link to its entry."""

    def link(match: re.Match[str]) -> str:
        return f'(<a href="#ref-{match[1]}">{escape(reference(match[1]).short)}</a>)'

    return Markup(CITED.sub(link, str(prose(text))))


def on_page(section: Section) -> list[Table]:
    """The tables of a section that a page shows, the very long ones cut."""
    tables = [table for table in section.tables if table.rows and not table.files_only]
    return [table if len(table.rows) <= MOST_ON_PAGE else _cut(table) for table in tables]


def _cut(table: Table) -> Table:
    first = f"The first {MOST_ON_PAGE:,} of {len(table.rows):,} rows; the CSV file has all."
    return replace(table, rows=table.rows[:MOST_ON_PAGE], advice=f"{table.advice} {first}".strip())


@dataclass(frozen=True)
class Cell:
    """What a cell shows, its interval as a drawing, and what it is sorted by (``None`` goes last)."""

    text: Markup
    bar: Markup
    order: float | str | None


def cells_of(table: Table) -> tuple[list[list[Cell]], list[int]]:
    """The cells of a table by row, and for each column with drawn intervals the width of its text."""
    scales = [_scale(table, place) for place in range(len(table.columns))]
    cells = [
        [_cell(value, column, over) for value, column, over in zip(row, table.columns, scales, strict=True)]
        for row in table.rows
    ]
    widths = [max(len(row[place].text) for row in cells) if over else 0 for place, over in enumerate(scales)]
    return cells, widths


def _cell(value: Any, column: Column, over: tuple[float, float] | None) -> Cell:
    if isinstance(value, Marked):
        text = Markup("<b>{}</b>").format(value.text) if value.strong else escape(value.text)
        return Cell(
            text + (Markup("<sup>{}</sup>").format(value.marks) if value.marks else ""), Markup(), None
        )
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return Cell(escape(column.kind.text(value)), Markup(), None)
    if isinstance(column.kind, Name):
        name = shortened(printable(str(value)), LONGEST)
        return Cell(Markup("<bdi>{}</bdi>").format(name), Markup(), name)
    shown = printable(column.kind.text(value))
    if column.kind.align == "right":  # a line breaks before an interval and nowhere else
        shown = shown.replace(" ", "\xa0").replace("\xa0(", " (")
    order = column.kind.order(value)
    order = float(f"{order:.9g}") if isinstance(order, float) else order
    return Cell(prose(shown), _bar(value, column, over) if over else Markup(), order)


def _ends(value: Any, column: Column) -> tuple[float, float, float] | None:
    """The point (NaN without one) and the ends of an interval that can be drawn."""
    if not isinstance(column.kind, Bounded | Interval | Ranks) or not isinstance(value, tuple | list):
        return None
    if any(number is None or not math.isfinite(number) for number in value):
        return None
    if isinstance(column.kind, Ranks):
        return math.nan, value[0] - 0.4, value[-1] + 0.4
    return (math.nan, *value) if len(value) == 2 else tuple(value)


def _scale(table: Table, place: int) -> tuple[float, float] | None:
    """The range over which a column's intervals are drawn; a signed one includes zero."""
    column = table.columns[place]
    intervals = [ends for row in table.rows if (ends := _ends(row[place], column))]
    if len(intervals) < DRAWN and not getattr(column.kind, "sign", False):
        return None
    numbers = [number for ends in intervals for number in ends if not math.isnan(number)]
    numbers += [0.0] if getattr(column.kind, "sign", False) else []
    return (min(numbers), max(numbers)) if numbers and min(numbers) < max(numbers) else None


def _bar(value: Any, column: Column, over: tuple[float, float]) -> Markup:
    """An interval over the range of its column, and a line at zero where that is inside."""
    ends = _ends(value, column)
    if ends is None:
        return Markup()
    low, high = over
    at, left, right, zero = (100 * (number - low) / (high - low) for number in (*ends, 0.0))
    marks = f'<path d="M{left:.1f} 7H{max(right, left + 0.5):.1f}"/>'
    if getattr(column.kind, "sign", False):
        marks = f'<path class="zero" d="M{zero:.1f} 0V14"/>{marks}'
    if not math.isnan(at):
        marks += f'<path class="dot" d="M{at:.1f} 7h0"/>'
    return Markup(
        f'<svg class="bar" viewBox="0 0 100 14" preserveAspectRatio="none" aria-hidden="true">{marks}</svg>'
    )


# ── in a notebook ─────────────────────────────────────────────────────────────────────────────────────

IN_A_NOTEBOOK, FEW = 10, 4
"""Rows of a table that a notebook shows, and how many more are shown rather than announced."""


def notebook(view: View) -> str:
    """HTML of one element without script; its size does not grow with the data."""
    listed = [table.shown() for table in view.tables if not table.files_only and table.rows]
    tables = [table for place, table in enumerate(listed) if place == 0 or table.name in view.quoted]
    style = (style_rules() + static("page.css")).replace(":root", "&").replace("body{", "&{")
    return fill(
        "notebook.html",
        view=view,
        id="truerank-" + hashlib.sha256(view.sentences.encode()).hexdigest()[:8] + "-",
        style=Markup(f".truerank{{{style}}}"),
        tables=[_first(table) for table in tables],
        warnings=[sentence(warning) for warning in (*view.alerts, *view.warnings)],
        notes=[sentence(note) for note in view.infos],
    )


def _first(table: Table) -> Table:
    """A table, or its first rows with a line that says where the others are."""
    if len(table.rows) <= IN_A_NOTEBOOK + FEW:
        return table
    more = f'{len(table.rows) - IN_A_NOTEBOOK} more rows: .to_frame("{table.name}") has all.'
    return replace(table, rows=table.rows[:IN_A_NOTEBOOK], advice=f"{table.advice} {more}".strip())
