r"""A paper kit: the table, the figure, the sentences, the numbers and the references of a view as LaTeX
parts.

Each part is a file for ``\input``; together they compile with acmart, IEEEtran and article.
"""

from __future__ import annotations

import os
import re
import unicodedata
from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from truerank._support import escaping
from truerank._support.files import PathLike, safe_name
from truerank._support.references import bibtex
from truerank._support.tables import Table, Word
from truerank._support.version import __version__
from truerank._support.wording import joined
from truerank.report import render
from truerank.report.charts.style import COLUMN
from truerank.report.view import View
from truerank.report.words import CITED, NAMED_TEXT
from truerank.report.writers.csv import csv
from truerank.report.writers.latex import ROWS, label, latex, said

HIGHEST = 400
"""Most points of the rows of a figure: with its caption it fits a page of any class."""

_PARTS = re.compile(rf"{NAMED_TEXT.pattern}|\s*{CITED.pattern}")
"""A text with the name of a macro, or a reference."""

_ADVICE = re.compile(r"\btruerank[ .][a-z]")
"""What a sentence has that says which command to run, in a shell or in Python."""

GENERATED = """\
% Made by truerank {version}, {command} --paper, and replaced when that runs again.
% Write your own sentences in another file, with the macros of numbers.tex.
"""
"""The first lines of every part."""


@dataclass(frozen=True)
class _Kit:
    """One kit in the making.

    Attributes:
        view: what it is of.
        name: of its folder, which names of macros and labels begin with.
    """

    view: View
    name: str

    @cached_property
    def tables(self) -> list[Table]:
        """What a paper prints, whole."""
        return [self.view.table(), *map(self.view.table, self.view.quoted)]

    @cached_property
    def prefix(self) -> str:
        """What all macros begin with."""
        return f"{letters(self.name) or 'truerank'}{letters(self.view.measure)}"

    @cached_property
    def numbers(self) -> dict[str, str]:
        """All macros: of the sentences, and what a paper may quote beside them."""
        found = dict(self.view.numbers)
        for one in (*self.view.quotable, self.view.quotable_sentence):
            for name, text in NAMED_TEXT.findall(one):
                found.setdefault(name, text)
        found.pop("", None)  # what is said aside
        return found

    def label(self, kind: str, name: str) -> str:
        r"""What ``\ref`` calls the table or the figure of that name."""
        return label(name, self.name, self.view.measure, kind)

    def cut(self, table: Table, file: str) -> tuple[Table, str]:
        """The table as a page has room for it, and what it leaves out."""
        place = next((k for k, one in enumerate(table.columns) if one.key == "system"), None)
        rows = list(table.rows)
        rows = rows[:ROWS]
        if len(rows) == len(table.rows):
            return table, ""
        what = "rows" if place is None else "systems"
        left = f"The first {len(rows)} of {len(table.rows)} {what}; {file} has all."
        return replace(table, rows=rows, note=f"{table.note} {left}".strip()), left

    def tex(self, text: str) -> str:
        r"""A text of ours in LaTeX, with macros for its numbers and ``\cite`` for its references."""
        made, end = [], 0
        for found in _PARTS.finditer(text):
            name, number, key = found.groups()
            if key:
                part = rf"~\cite{{{key}}}"
            elif self.numbers.get(name) == number:
                part = self.macro(name)
            else:  # another number of that name, or an aside
                part = said(number) if name else ""
            made += [said(text[end : found.start()]), part]
            end = found.end()
        return "".join([*made, said(text[end:])])

    def macro(self, name: str) -> str:
        """A macro in a sentence; the braces keep the space after it."""
        return rf"\{self.prefix}{letters(name)}{{}}"

    @property
    def data(self) -> str:
        """What captions say of the scores: a macro, for a paper calls them otherwise than their file."""
        return f" Data: {self.macro('Data')}." if self.view.source else ""


def kit(view: View, folder: PathLike = "truerank") -> dict[str, bytes]:
    """The parts by file name: ``table.tex`` with ``table.csv``, ``figure.tex`` with its PDF, ``method.tex``,
    ``answer.tex``, ``numbers.tex``, ``references.bib`` and ``example.tex``, which has them all.

    Table and figure are of the systems that a page has room for. The folder's name is a part of all names, so
    that several kits go into one paper.
    """
    made = _Kit(view, Path(os.path.abspath(folder)).name)
    parts, files = _tables(made)
    if view.figures:
        parts["figure.tex"], drawn = _figure(made)
        files |= drawn
    answer = [made.tex(one) for one in view.quotable if not _ADVICE.search(NAMED_TEXT.sub("", one))]
    parts |= {
        "answer.tex": "\n".join([*answer, _pointers(made, "figure.tex" in parts)]) + "\n",
        "method.tex": made.tex(view.quotable_sentence or f"We used truerank {__version__} [@truerank].")
        + "\n",
        "numbers.tex": _numbers(made),
    }
    parts["example.tex"] = _example(parts)
    keys = [key for *_, key in _PARTS.findall(view.sentence) if key]
    parts["references.bib"] = bibtex(dict.fromkeys(["truerank", *view.references, *keys]))
    head = GENERATED.format(version=__version__, command=view.command)
    return files | {name: (head + text).encode() for name, text in parts.items()}


def letters(text: str) -> str:
    """A text as a part of a macro's name, which has letters alone: digits are spelled."""
    spelled = re.sub(r"\d", lambda digit: unicodedata.name(digit[0]).split()[-1].capitalize(), text)
    return re.sub(r"[^A-Za-z]", "", spelled)


def _tables(made: _Kit) -> tuple[dict[str, str], dict[str, bytes]]:
    """The tables as LaTeX and, whole, as CSV."""
    texts, files = [], {}
    for place, table in enumerate(made.tables):
        file = f"{table.name if place else 'table'}.csv"
        kept, _ = made.cut(table, file)
        name = made.label("tab", table.name)
        texts.append(_other_words(table, file) + latex(kept, name, more=made.data))
        files[file] = csv(table).encode()
    return {"table.tex": "\n".join(texts)}, files


def _other_words(table: Table, file: str) -> str:
    """A comment on which words of a table its file has otherwise; empty where there are none."""
    words = [
        f"{column.kind.shown[value]} is written {value}"
        for place, column in enumerate(table.columns)
        if isinstance(column.kind, Word)
        for value in dict.fromkeys(row[place] for row in table.rows)
        if value in column.kind.shown
    ]
    return f"% In {file} {joined(words)}.\n" if words else ""


def _figure(made: _Kit) -> tuple[str, dict[str, bytes]]:
    """The figure with its alt text, of the systems that the first table shows."""
    figure = made.view.figure()
    kept, left = made.cut(made.tables[0], "table.csv")
    systems = tuple(row[kept.names[0]] for row in kept.rows) if left and figure.rows else None
    left = left if figure.rows else ""
    size = replace(COLUMN, noted=False, systems=systems, height=HIGHEST)
    stem = f"{safe_name(figure.name)}.pdf"
    drawn = render.column_files({figure.name: figure.draw(size)}, size.width)
    caption = " ".join(one for one in (figure.subject, figure.caption, left, figure.note) if one)
    lines = [
        r"\begin{figure}",
        r"\centering",
        r"\providecommand{\CurrentFilePath}{} % the folder of this file; LaTeX before 2020 lacks it",
        r"\graphicspath{{\CurrentFilePath/}{./}}",
        r"\providecommand{\Description}[2][]{} % the alt text of acmart",
        rf"\Description{{{made.tex(figure.label)}}}",
        rf"\includegraphics[width=\linewidth,height=0.7\textheight,keepaspectratio]{{{stem}}}",
        rf"\caption{{{made.tex(caption)}{made.data}}}",
        rf"\label{{{made.label('fig', figure.name)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines) + "\n", {stem: drawn[stem]}


def _pointers(made: _Kit, drawn: bool) -> str:
    """Where table and figure stand."""
    where = [rf"Table~\ref{{{made.label('tab', table.name)}}}" for table in made.tables]
    where += [rf"Figure~\ref{{{made.label('fig', made.view.figure().name)}}}"] if drawn else []
    *first, last = where
    return f"See {' and '.join([', '.join(first), last]) if first else last}."


def _numbers(made: _Kit) -> str:
    r"""``\newcommand`` for each number, so that the text follows when the data change.

    The measure is a part of each name, so that kits of several measures go into one paper.
    """
    lines = [f"% Use in your text as {made.macro('NAME')}"]
    if made.view.source:
        name = escaping.latex(Path(made.view.source).stem)
        lines.append("% What captions call the scores. Define it before this file to say it otherwise.")
        lines.append(rf"\providecommand{{\{made.prefix}Data}}{{{name}}}")
    lines += [
        rf"\newcommand{{\{made.prefix}{letters(name)}}}{{{said(text)}}}"
        for name, text in made.numbers.items()
    ]
    return "\n".join(lines) + "\n"


def _example(parts: Iterable[str]) -> str:
    r"""A document that has all parts; the class is IEEEtran, and acmart works alike."""
    inputs = [name for name in ("method.tex", "answer.tex", "table.tex", "figure.tex") if name in parts]
    lines = [
        "% Copy it to begin a paper, beside this folder or in it, and write your own sentences there.",
        r"\documentclass[conference]{IEEEtran} % or [sigconf,nonacm,balance=false]{acmart}",
        r"\usepackage{booktabs,graphicx,amsmath}",
        r"\input{numbers}",
        r"\begin{document}",
        r"\title{Title}",
        r"\author{Author}",
        r"\maketitle",
        *(rf"\input{{{name.removesuffix('.tex')}}}" + "\n" for name in inputs),
        r"\bibliographystyle{plain}",
        r"\bibliography{references}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"
