"""Tables for papers: a caption, a label and cells that are text already, as LaTeX or as Markdown."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from truerank._support.escaping import latex as escaped
from truerank._support.escaping import markdown as in_markdown
from truerank.report.lettering import fitted, left_out, tabled, text_width
from truerank.report.tables.table import Marked
from truerank.report.words import NONE, number, symbol

LONG = 45
"""Rows that fit a page; a longer table goes on in further tables, as longtable knows no second column."""

COLUMN, PAGE, LEAST = 220.0, 420.0, 60.0
"""Points: the widest table of one column of two, of both, and the least that a column of names gets."""

SMALL, NORMAL = 8.0, 10.0
"""Points: sizes of type for tables as wide as the page, and for those of a column."""


RAISED = 0.7
"""How large LaTeX sets superscripts, relative to the text."""


class Symbol(str):
    """A quantity's symbol, its index behind an underscore: ``τ_AP``."""

    def latex(self) -> str:
        r"""The symbol as a formula.

        >>> Symbol("τ_AP").latex(), Symbol("Eρ²").latex()
        ('$\\tau_{AP}$', '$E\\rho^2$')
        """
        head, _, index = self.partition("_")
        for letter, command in _LETTERS.items():
            head = head.replace(letter, command)
        return f"${head}{f'_{{{index}}}' if index else ''}$"

    def markdown(self) -> str:
        """The symbol with its index set low.

        >>> Symbol("τ_AP").markdown()
        'τ<sub>AP</sub>'
        """
        head, _, index = self.partition("_")
        return head + (f"<sub>{index}</sub>" if index else "")


_PLAIN = re.compile(r"[-+−0-9.,%]+ \[[-+−0-9., ∞]+\]")
"""A number with its interval, which Markdown leaves alone."""

NAMES = ("System", "Data set", "Measure", "Ranking")
"""Headings of columns that hold names, which are shortened where they are very long or a page too narrow."""

_LETTERS = {"τ": r"\tau", "ρ": r"\rho", "Φ": r"\Phi", "²": "^2"}


class PaperColumn(NamedTuple):
    """A column: its heading, a :class:`Symbol` or text with symbols in it, and where its cells stand.

    Attributes:
        heading: the parts of the heading, side by side.
        place: ``l``, ``r`` or ``c``.
    """

    heading: tuple[str, ...]
    place: str = "r"


@dataclass(frozen=True)
class PaperTable:
    """A table as a paper shows it; names in it are data and are escaped when it is written.

    Attributes:
        name: what its label says, ``ranking`` say.
        caption: what it holds, sentences; a tuple has symbols among its parts.
        columns: from left to right.
        rows: texts, one a column, or texts with marks set high.
        gaps: numbers of rows, from 0 on, that have some space above them.
    """

    name: str
    caption: tuple[str, ...]
    columns: Sequence[PaperColumn]
    rows: Sequence[Sequence[str | Marked]]
    gaps: frozenset[int] = field(default_factory=frozenset)


def bracketed(value: float, low: float, high: float, digits: int = 2, sign: bool = False) -> str:
    """A value with its interval; the value alone where it has none.

    >>> bracketed(0.312, 0.27, 0.348), bracketed(-0.1, float("nan"), 1.0)
    ('0.31 [0.27, 0.35]', '−0.10')
    """
    ends = [number(end, digits, sign) for end in (low, high)]
    text = number(value, digits, sign)
    return text if NONE in ends else f"{text} [{', '.join(ends)}]"


def coefficient_heading(name: str, level: str) -> PaperColumn:
    """The column of a coefficient with its interval."""
    return PaperColumn((Symbol(symbol(name)), f" [{level}]"))


def latex_file(tables: Sequence[PaperTable], measure: str = "") -> str:
    """Tables as one LaTeX file for the package booktabs; each has a caption and a label.

    Args:
        tables: in order.
        measure: a part of the labels, so that the files of two measures go into one paper.
    """
    return "% needs \\usepackage{booktabs}\n" + "\n".join(_latex(table, measure) for table in tables)


def together(texts: Sequence[str]) -> str:
    """The tables of several measures as one file, under the first line of the first one."""
    return "\n".join([*texts[:1], *(text.partition("\n")[2] for text in texts[1:])])


def label(table: PaperTable, measure: str = "") -> str:
    """What ``\\ref`` calls a table.

    >>> label(PaperTable("ranking", (), (), ()), "P@10")
    'tab:ranking-P-10'
    """
    parts = [table.name, re.sub(r"[^A-Za-z0-9]+", "-", measure).strip("-")]
    return "tab:" + "-".join(part for part in parts if part)


def _latex(table: PaperTable, measure: str) -> str:
    table = _with_short_names(table, tabled)
    wide = sum(_widths(table, NORMAL)) > COLUMN
    if wide:
        table = _narrowed(table)
    places = "".join(column.place for column in table.columns)
    name = f"\\label{{{label(table, measure)}}}"
    head = _latex_row([_joined(column.heading, _in_latex) for column in table.columns])
    rows = [
        ("\\addlinespace\n" if place in table.gaps else "") + _latex_row([_in_latex(cell) for cell in row])
        for place, row in enumerate(table.rows)
    ]
    kind = "table*" if wide else "table"
    made = []
    for start in range(0, max(len(rows), 1), LONG):
        caption = [f"\\caption{{{_joined(table.caption, _in_latex)}}}", name]
        if start:
            caption = ["\\addtocounter{table}{-1}", "\\caption{(Continued.)}"]
        lines = [
            f"\\begin{{{kind}}}",
            "\\centering",
            *(["\\footnotesize", "\\setlength{\\tabcolsep}{4pt}"] if wide else []),
            *caption,
            f"\\begin{{tabular}}{{{places}}}",
            "\\toprule",
            head,
            "\\midrule",
            *rows[start : start + LONG],
            "\\bottomrule",
            "\\end{tabular}",
            f"\\end{{{kind}}}",
        ]
        made.append("\n".join(lines) + "\n")
    return "\n".join(made)


def _widths(table: PaperTable, font: float) -> list[float]:
    """How wide each column comes out, in points, with the space beside it."""
    space = 12.0 if font == NORMAL else 8.0
    return [
        space + max(_cell_width(cell, font) for cell in ("".join(column.heading), *cells))
        for column, *cells in zip(table.columns, *table.rows, strict=True)
    ]


def _cell_width(cell: str | Marked, font: float) -> float:
    if isinstance(cell, Marked):
        return text_width(cell.text, font) + text_width(cell.marks, RAISED * font)
    return text_width(cell, font)


def _narrowed(table: PaperTable) -> PaperTable:
    """The table with shorter names where the page is too narrow for them, different ones still different."""
    widths = _widths(table, SMALL)
    of_names = _places_of_names(table)
    if sum(widths) <= PAGE or not of_names:
        return table
    rest = sum(width for place, width in enumerate(widths) if place not in of_names)
    room = max((PAGE - rest) / len(of_names) - 8.0, LEAST)
    return _with_short_names(
        table, lambda names: fitted(list(names), room, lambda text: text_width(text, SMALL))
    )


def _places_of_names(table: PaperTable) -> list[int]:
    return [place for place, column in enumerate(table.columns) if column.heading[0] in NAMES]


def _with_short_names(table: PaperTable, short: Callable[[Iterable[str]], Mapping[str, str]]) -> PaperTable:
    """The table with its names shortened so, and a remark on that in its caption; different ones differ."""
    places = _places_of_names(table)
    shown = short(dict.fromkeys(str(row[place]) for row in table.rows for place in places))
    rows = [
        [shown[str(cell)] if place in places else cell for place, cell in enumerate(row)]
        for row in table.rows
    ]
    remark = left_out(shown)
    said = not remark or any(remark in part for part in table.caption)
    return replace(table, rows=rows, caption=table.caption if said else (*table.caption, f" {remark}"))


def _latex_row(cells: Sequence[str]) -> str:
    """Cells as a row; what looks like an option of the row before is kept from being one."""
    text = " & ".join(cells)
    return ("{}" if text.startswith(("[", "*")) else "") + text + r" \\"


def _in_latex(text: str | Marked) -> str:
    return text.latex() if isinstance(text, Symbol | Marked) else escaped(text)


def markdown_file(tables: Sequence[PaperTable]) -> str:
    """The same tables as Markdown, each below its caption; names are escaped."""
    return "<!-- tables of truerank -->\n\n" + "\n".join(_markdown(table) for table in tables)


def _markdown(table: PaperTable) -> str:
    table = _with_short_names(table, tabled)
    lines = [
        _joined(table.caption, _in_markdown),
        "",
        _line([_joined(column.heading, _in_markdown) for column in table.columns]),
        _line([{"l": ":---", "r": "---:", "c": ":---:"}[column.place] for column in table.columns]),
        *(_line([_in_markdown(cell) for cell in row]) for row in table.rows),
    ]
    return "\n".join(lines) + "\n"


def _in_markdown(text: str | Marked) -> str:
    if isinstance(text, Symbol | Marked):
        return text.markdown()
    return text if _PLAIN.fullmatch(text) else in_markdown(text)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _joined(parts: Sequence[str], write: Callable[[str], str]) -> str:
    return "".join(write(part) for part in parts)
