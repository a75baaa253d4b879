r"""Tables as LaTeX for the package booktabs: a caption, a label, and all names escaped."""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import Any

from truerank._support import escaping
from truerank._support.tables import Bounded, Column, Interval, Kind, Marked, Name, Ranks, Table
from truerank._support.wording import NONE
from truerank.report.lettering import shortened_names
from truerank.report.view import Section, View, printed
from truerank.report.words import with_symbols

ROWS = 35  # rows that fit a page; a longer table goes on in further ones, as longtable knows no second column

COLUMN, SMALL, PAGE = 46, 57, 96
"""Characters that fit a column of two in normal type and in footnote size, and a page in the latter."""

SHORTEST, WHOLE = 12, 200  # characters that a line of a name has at least, and a name at most

EM = 0.55  # width of a character in em, on the safe side


def latex_file(views: Sequence[View], joint: Section | None = None) -> str:
    made = []
    for view, _, table in printed(views, joint):
        name = label(table.name, views[0].command, view.name if view else "")
        made.append(latex(table, name, made=(view or views[0]).made))
    return "% needs \\usepackage{booktabs}\n" + "\n".join(made)


def latex(table: Table, name: str = "", more: str = "", made: str = "") -> str:
    """A table with a label, in further ones where it is longer than a page; as wide as a page if need be.

    The caption ends with `more`, which is LaTeX. Names stand in full, in several lines where a page is too
    narrow for them.
    """
    table = shortened_names(table.shown(), WHOLE)
    heads = [column.heading for column in table.columns]
    widths = _widths(table, heads)
    if sum(widths) > SMALL:  # what stands in brackets goes on in another line
        heads = [head.replace(" (", "\n(") for head in heads]
        widths = _widths(table, heads)
    caption = " ".join(part for part in (f"{table.caption}.", table.note, table.bold, made) if part)
    captions = [f"\\caption{{{prose(caption)}{more}}}", f"\\label{{{name or label(table.name)}}}"]
    if len(table.rows) == 1 and sum(widths) > SMALL:  # a line for each column
        room = max(SHORTEST, COLUMN - max(len(column.heading) for column in table.columns))
        cells = zip(table.columns, table.rows[0], strict=True)
        lines = [_row([prose(column.heading), _cell(value, column, room)]) for column, value in cells]
        return _float("lr", captions, lines, False, False)
    across, named = sum(widths), sum(widths[place] for place in table.names)
    wide = across > SMALL
    room = max(SHORTEST, (PAGE - across + named) // max(len(table.names), 1) - 2)
    head = _row([_heading(head, column) for head, column in zip(heads, table.columns, strict=True)])
    rows = [
        _row([_cell(value, column, room) for value, column in zip(row, table.columns, strict=True)])
        for row in table.rows
    ]
    places = "".join(column.kind.align[0] for column in table.columns)
    floats = []
    for start in range(0, max(len(rows), 1), ROWS):
        if start:
            captions = ["\\addtocounter{table}{-1}", "\\caption{(Continued.)}"]
        floats.append(
            _float(places, captions, [head, "\\midrule", *rows[start : start + ROWS]], wide, across > COLUMN)
        )
    return "\n".join(floats)


def label(name: str, command: str = "", measure: str = "", kind: str = "tab") -> str:
    r"""What ``\ref`` calls a table."""
    parts = [command, name.replace("_", "-"), re.sub(r"[^A-Za-z0-9]+", "-", measure).strip("-")]
    return f"{kind}:" + "-".join(part for part in parts if part)


def prose(text: str) -> str:
    """A text of ours, in which there may be names and symbols; a paper names no page of the documentation."""
    text = re.sub(r" \(see “[^”]+” in the documentation\)", "", text)
    return with_symbols(text, lambda part: escaping.latex(part), _symbol)


def _symbol(base: str, index: str) -> str:
    for letter, command in (("τ", r"\tau"), ("ρ", r"\rho"), ("²", "^2")):
        base, index = base.replace(letter, command), index.replace(letter, command)
    return f"${base}{f'_{{{index}}}' if index else ''}$"


def _float(places: str, captions: Sequence[str], rows: Sequence[str], wide: bool, small: bool) -> str:
    kind = "table*" if wide else "table"
    lines = [
        f"\\begin{{{kind}}}",
        "\\centering",
        *(["\\footnotesize", "\\setlength{\\tabcolsep}{4pt}"] if small else []),
        *captions,
        f"\\begin{{tabular}}{{{places}}}",
        "\\toprule",
        *rows,
        "\\bottomrule",
        "\\end{tabular}",
        f"\\end{{{kind}}}",
    ]
    return "\n".join(lines) + "\n"


def _heading(text: str, column: Column) -> str:
    lines = r" \\ ".join(map(prose, text.split("\n")))
    return rf"\shortstack[{column.kind.align[0]}]{{{lines}}}" if "\n" in text else lines


def _widths(table: Table, heads: Sequence[str]) -> list[int]:
    """How many characters each column is across, with some space beside it."""
    return [
        2 + max(map(len, (*head.split("\n"), *(_text(row[place], column.kind) for row in table.rows))))
        for place, (head, column) in enumerate(zip(heads, table.columns, strict=True))
    ]


def _text(value: Any, kind: Kind) -> str:
    """A cell as text: intervals in brackets and ranges with a dash, as papers have them."""
    text = kind.text(value)
    if isinstance(kind, Bounded) and text.endswith(")"):
        return text.replace("(", "[").replace(")", "]").replace(" to ", ", ")
    if isinstance(kind, Interval) and text != NONE and value[1] != math.inf:
        return f"[{text.replace(' to ', ', ')}]"
    return text.replace(" to ", "–") if isinstance(kind, Ranks) else text


def _cell(value: Any, column: Column, room: int) -> str:
    if isinstance(value, Marked):
        text = rf"\textbf{{{escaping.latex(value.text)}}}" if value.strong else escaping.latex(value.text)
        return text + (rf"\textsuperscript{{{escaping.latex(value.marks)}}}" if value.marks else "")
    text = _text(value, column.kind)
    return _in_lines(text, room) if isinstance(column.kind, Name) else prose(text)


def _in_lines(name: str, room: int) -> str:
    """A name in lines of so many characters, broken behind its signs, or anywhere where it has none."""
    if len(name) <= room:
        return escaping.latex(name)
    pieces = re.findall(rf"[^\W_]{{1,{SHORTEST}}}[\W_]*|[\W_]+", name)
    text = r"\allowbreak{}".join(map(escaping.latex, pieces))
    return rf"\parbox[t]{{{EM * room:.0f}em}}{{\raggedright {text}\strut}}"


def _row(cells: Sequence[str]) -> str:
    """Cells as a row; what looks like an option of the row before is kept from being one."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"
