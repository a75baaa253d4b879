r"""A paper kit: the table, the figure, the sentences, the numbers and the references of a view as LaTeX
parts.

Each part is a file for ``\input``; together they compile with acmart and IEEEtran.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace

from truerank._support import escaping
from truerank._support.files import safe_name
from truerank._support.references import bibtex
from truerank._support.version import __version__
from truerank.report import render
from truerank.report.charts.style import COLUMN
from truerank.report.view import View
from truerank.report.writers.latex import label, latex, said

PREFIX = "truerank"
"""What the names of all macros begin with."""

_CITED = re.compile(r"\s*\[@([^\s\[\]]+)\]")


def kit(view: View, systems: tuple[str, ...] | None = None) -> dict[str, bytes]:
    """The parts by file name: ``table.tex``, ``figure.tex`` with its PDF, ``method.tex``, ``answer.tex``,
    ``numbers.tex``, ``references.bib`` and ``example.tex``, which has them all; the figure of all systems or
    of some.
    """
    keys = _keys(view)
    tables = [view.table(), *map(view.table, view.quoted)]
    made = [latex(table, f"paper-{view.command}", view.measure) for table in tables]
    parts = {
        "table.tex": "\n".join(made),
        "answer.tex": "\n".join(said(one) for one in view.answer if "truerank " not in one) + "\n",
        "method.tex": _cited(view.sentence or f"We used truerank {__version__} [@truerank].") + "\n",
        "numbers.tex": _numbers(view.numbers, view.measure),
        "references.bib": bibtex(dict.fromkeys(["truerank", *view.references, *keys])),
    }
    files: dict[str, bytes] = {}
    if view.figures:
        figure = view.figure()
        size = replace(COLUMN, noted=False, systems=systems)
        drawn = render.column_files({figure.name: figure.draw(size)}, size.width)
        stem = f"{safe_name(figure.name)}.pdf"
        files[stem] = drawn[stem]
        parts["figure.tex"] = _figure(
            stem, figure.caption, label(figure.name, f"paper-{view.command}", view.measure, "fig")
        )
    parts["example.tex"] = _example(parts)
    return files | {name: text.encode() for name, text in parts.items()}


def file_names(figures: Sequence[str]) -> list[str]:
    """The files that :func:`kit` gives for a view whose figures have these names."""
    parts = [f"{part}.tex" for part in ("table", "answer", "method", "numbers", "example")]
    drawn = [f"{safe_name(figures[0])}.pdf", "figure.tex"] if figures else []
    return [*parts, "references.bib", *drawn]


def _keys(view: View) -> list[str]:
    return _CITED.findall(view.sentence)


def _cited(text: str) -> str:
    r"""A sentence of ours in LaTeX, with ``\cite`` for its references."""
    made, end = [], 0
    for found in _CITED.finditer(text):
        made += [said(text[end : found.start()]), rf"~\cite{{{found[1]}}}"]
        end = found.end()
    return "".join([*made, said(text[end:])])


def _numbers(numbers: Mapping[str, str], measure: str) -> str:
    r"""``\newcommand`` for each number, so that the text follows when the data change.

    The measure is a part of each name, so that kits of several measures go into one paper.
    """
    prefix = PREFIX + letters(measure)
    lines = [
        rf"\newcommand{{\{prefix}{letters(name)}}}{{{escaping.latex(text)}}}"
        for name, text in numbers.items()
    ]
    return "\n".join([rf"% use as \{prefix}NAME{{}}", *lines]) + "\n"


def letters(text: str) -> str:
    """A text as a part of a macro's name, which has letters alone: digits are spelled."""
    spelled = re.sub(r"\d", lambda digit: unicodedata.name(digit[0]).split()[-1].capitalize(), text)
    return re.sub(r"[^A-Za-z]", "", spelled)


def _figure(file: str, caption: str, name: str) -> str:
    lines = [
        r"% from another folder: {\graphicspath{{KIT/}}\input{KIT/figure}}",
        r"\begin{figure}",
        r"\centering",
        rf"\includegraphics[width=\linewidth]{{{file}}}",
        rf"\caption{{{said(caption)}}}",
        rf"\label{{{name}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines) + "\n"


def _example(parts: Mapping[str, str]) -> str:
    r"""A document that has all parts; the class is IEEEtran, and acmart works alike."""
    inputs = [name for name in ("answer.tex", "method.tex", "table.tex", "figure.tex") if name in parts]
    lines = [
        r"\documentclass[conference]{IEEEtran} % or [sigconf,nonacm]{acmart}",
        r"\usepackage{booktabs,graphicx,amsmath}",
        r"\input{numbers}",
        r"\begin{document}",
        *(rf"\input{{{name.removesuffix('.tex')}}}" for name in inputs),
        r"\bibliographystyle{plain}",
        r"\bibliography{references}",
        r"\end{document}",
    ]
    return "\n".join(lines) + "\n"
