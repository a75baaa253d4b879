"""Tables of results as CSV (every digit), Markdown and LaTeX (for reading): one writer for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Protocol

from truerank._support.escaping import latex as escaped
from truerank._support.escaping import markdown as in_markdown
from truerank.report.tables.spreadsheets import csv_text

if TYPE_CHECKING:
    from pandas import DataFrame


class Captioned(Protocol):
    """A table with what it takes to print it."""

    @property
    def caption(self) -> str:
        """What it holds, one sentence."""

    @property
    def frame(self) -> DataFrame:
        """The numbers, one column a field."""

    @property
    def digits(self) -> int:
        """Shown after the point; CSV files have them all."""


@dataclass(frozen=True)
class Marked:
    """A value with marks set high behind it, as superscripts of a table of results.

    Attributes:
        text: the value as people read it.
        marks: what is set high; empty for none.
        strong: in bold, for the best of a column.
    """

    text: str
    marks: str = ""
    strong: bool = False

    def __str__(self) -> str:
        return f"{self.text}^{self.marks}" if self.marks else self.text

    def latex(self) -> str:
        r"""The value as LaTeX.

        >>> print(Marked("0.41", "ab", strong=True).latex())
        \textbf{0.41}\textsuperscript{ab}
        """
        text, marks = escaped(self.text), escaped(self.marks)
        text = rf"\textbf{{{text}}}" if self.strong else text
        return text + (rf"\textsuperscript{{{marks}}}" if marks else "")

    def markdown(self) -> str:
        """The value as Markdown.

        >>> Marked("0.41", "ab", strong=True).markdown()
        '**0.41**<sup>ab</sup>'
        """
        text = f"**{self.text}**" if self.strong else self.text
        return text + (f"<sup>{self.marks}</sup>" if self.marks else "")


def cell(value: Any, digits: int) -> str:
    """A value as people read it: a fixed number of digits, a dash where there is none.

    >>> cell(0.12345, 3), cell(1200.0, 3), cell(float("nan"), 3), cell("bm25", 3)
    ('0.123', '1,200', '–', 'bm25')
    """
    if value is None or type(value).__name__ == "NAType":  # pandas' own, in columns of whole numbers
        return "–"
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        return f"{value:,.0f}" if value.is_integer() and abs(value) >= 2 else f"{value:.{digits}f}"
    return str(value)


def csv(frame: DataFrame) -> str:
    """The table as CSV, without the index; names that a spreadsheet would take for formulas are harmless."""
    return csv_text(frame)


def markdown(table: Captioned) -> str:
    """The table as Markdown, its caption above."""
    lines = [
        _line([in_markdown(str(name)) for name in table.frame.columns]),
        _line(["---:" if number else "---" for number in _numeric(table.frame)]),
        *(
            _line([_markdown_cell(value, table.digits) for value in row])
            for row in table.frame.itertuples(index=False)
        ),
    ]
    return f"{in_markdown(table.caption)}.\n\n" + "\n".join(lines) + "\n"


def _markdown_cell(value: Any, digits: int) -> str:
    text = value.markdown() if isinstance(value, Marked) else in_markdown(cell(value, digits))
    return text


def _line(cells: list[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def latex(table: Captioned) -> str:
    """The table as LaTeX for the booktabs package; underscores in headings become spaces."""
    styler = table.frame.rename(columns=lambda name: str(name).replace("_", " ")).style.hide(axis="index")
    styler = styler.format(
        lambda value: value.latex() if isinstance(value, Marked) else escaped(cell(value, table.digits))
    )
    styler = styler.format_index(lambda name: escaped(str(name)), axis="columns")
    kinds = "".join("r" if number else "l" for number in _numeric(table.frame))
    text: str = styler.to_latex(hrules=True, caption=escaped(table.caption), column_format=kinds)
    return text


def _numeric(frame: DataFrame) -> list[bool]:
    return [kind.kind in "fiu" for kind in frame.dtypes]
