r"""A paper kit: table, figure, numbers, methods and references of a view, as parts for ``\input``.

They compile with article, acmart and IEEEtran. A figure needs graphicx; tables have the rules of booktabs
where that is loaded.
"""

from __future__ import annotations

import hashlib
import os
import re
import unicodedata
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

from truerank._support import escaping
from truerank._support.files import PathLike, safe_name
from truerank._support.references import bibtex
from truerank._support.tables import Table
from truerank._support.version import __version__
from truerank._support.wording import NONE
from truerank.report import render
from truerank.report.charts.style import COLUMN
from truerank.report.outputs.data import csv
from truerank.report.outputs.latex import ROWS, label, latex, prose
from truerank.report.view import CITED, Figure, View

HIGHEST = 400  # most points of the rows of a figure: with its caption it fits a page of any class

GENERATED = """\
% Made by truerank {version}, {command} --paper. A second run with --overwrite replaces this file, unless it
% was edited: then the new text goes to {new}. Digest: {digest}
"""
"""The first lines of every part."""


RULES = (
    "".join(rf"\providecommand{{\{name}}}{{\hline}}" for name in ("toprule", "midrule", "bottomrule"))
    + " % booktabs has better ones\n"
)


@dataclass(frozen=True)
class _Kit:
    """One kit in the making; names of macros and labels begin with that of its folder."""

    view: View
    name: str
    part: str  # which of several kits in the folder: by its measure or ranking

    @cached_property
    def prefix(self) -> str:
        return f"{letters(self.name) or 'truerank'}{letters(self.part)}"

    def label(self, kind: str, name: str) -> str:
        r"""What ``\ref`` calls the table or the figure of that name."""
        return label(name, self.name, self.part, kind)

    def macro(self, name: str) -> str:
        """A macro in a sentence; the braces keep the space after it."""
        return rf"\{self.prefix}{letters(name)}{{}}"

    def called(self, text: str) -> str:
        """The text with macros in place of the names of other files than that of the scores."""
        for name, file in self.view.files.items():
            text = text.replace(escaping.latex(file), self.macro(name)) if name != "Data" else text
        return text

    @property
    def data(self) -> str:
        """What captions say of the scores: a macro, for a paper calls them otherwise than their file."""
        return f" Data: {self.macro('Data')}." if "Data" in self.view.files else ""


def kit(view: View, folder: PathLike = "truerank", below: str | None = None) -> dict[str, bytes]:
    """The parts by file name; one that was edited in the folder (or `below` it) is written beside it."""
    made = _Kit(view, Path(os.path.abspath(folder)).name, below or view.measure)
    tables = [view.table(), *map(view.table, view.quoted)]
    texts = [latex(table, made.label("tab", table.name), made.data, view.made) for table in tables]
    parts = {"table.tex": RULES + "\n".join(texts)}
    files = {
        f"{table.name if place else 'table'}.csv": csv(table).encode() for place, table in enumerate(tables)
    }
    if view.figures:
        drawn = [_figure(made, item, tables[0]) for item in (view.figure(), *map(view.figure, view.drawn))]
        parts["figure.tex"] = "\n".join(text for text, _, _ in drawn)
        files |= {name: data for _, name, data in drawn}
    method = view.sentence or f"We used truerank {__version__} [@truerank]."
    parts |= {"method.tex": tex(method) + "\n", "numbers.tex": _numbers(made)}
    parts["references.bib"] = bibtex(dict.fromkeys(["truerank", *view.cited]))
    place = Path(folder) / safe_name(below) if below else Path(folder)
    for name, text in parts.items():
        text = made.called(text) if name in ("table.tex", "figure.tex") else text
        beside = name.replace(".", ".new.")
        digest = hashlib.sha256(text.encode()).hexdigest()[:16]
        head = GENERATED.format(version=__version__, command=view.command, new=beside, digest=digest)
        files[beside if _edited(place / name) else name] = (head + text).encode()
    return files


def _edited(path: Path) -> bool:
    """Whether the file has another text than the one that its first lines have the digest of."""
    if not path.is_file():
        return False
    digest, _, text = path.read_bytes().partition(b"Digest: ")[2].partition(b"\n")
    return hashlib.sha256(text).hexdigest()[:16].encode() != digest.strip()


def tex(text: str) -> str:
    r"""A text of ours in LaTeX, with ``\cite`` for its references."""
    made, end = [], 0
    for match in re.finditer(rf"\s*{CITED.pattern}", text):
        made += [prose(text[end : match.start()]), rf"~\cite{{{match[1]}}}"]
        end = match.end()
    return "".join([*made, prose(text[end:])])


def letters(text: str) -> str:
    """A text as a part of a macro's name, which has letters alone: digits are spelled."""
    spelled = re.sub(r"\d", lambda digit: unicodedata.name(digit[0]).split()[-1].capitalize(), text)
    return re.sub(r"[^A-Za-z]", "", spelled)


def _figure(made: _Kit, figure: Figure, table: Table) -> tuple[str, str, bytes]:
    """A figure with its alt text, its file and what that holds; of many systems the first ones fit a page."""
    systems, left = None, ""
    if figure.rows and len(table.rows) > ROWS:
        systems = tuple(row[table.names[0]] for row in table.rows[:ROWS])
        left = f"The first {ROWS} of {len(table.rows)} systems."
    size = replace(COLUMN, systems=systems, height=HIGHEST)
    stem = f"{safe_name(figure.name)}.pdf"
    drawn = render.column_files({figure.name: figure.draw(size)}, size.width)
    caption = " ".join(item for item in (figure.subject, figure.caption, left, figure.note) if item)
    lines = [
        r"\begin{figure}",
        r"\centering",
        r"\providecommand{\CurrentFilePath}{} % the folder of this file; LaTeX before 2020 lacks it",
        r"\graphicspath{{\CurrentFilePath/}{./}}",
        r"\providecommand{\Description}[2][]{} % the alt text of acmart",
        rf"\Description{{{tex(f'{figure.subject} {figure.caption}'.strip())}}}",
        rf"\includegraphics[width=\linewidth,height=0.7\textheight,keepaspectratio]{{{stem}}}",
        rf"\caption{{{tex(caption)}{made.data}}}",
        rf"\label{{{made.label('fig', figure.name)}}}",
        r"\end{figure}",
    ]
    return "\n".join(lines) + "\n", stem, drawn[stem]


def _numbers(made: _Kit) -> str:
    r"""``\newcommand`` for each number; kits of several measures go into one paper."""

    def both(text: str) -> str:  # formulas stand in text and in a formula alike
        return re.sub(r"(?<!\\)\$(.*?)(?<!\\)\$", r"\\ensuremath{\1}", text)

    lines = [f"% Use in your text as {made.macro('NAME')}"]
    if made.view.files:
        lines.append("% What tables and captions call files. Define it before this file to say it otherwise.")
    for name, file in made.view.files.items():
        lines.append(rf"\providecommand{{\{made.prefix}{name}}}{{{escaping.latex(Path(file).stem)}}}")
    lines += [
        rf"\newcommand{{\{made.prefix}{letters(name)}}}{{{both(prose(text))}}}"
        for name, text in ({"Version": __version__} | dict(made.view.numbers)).items()
        if NONE not in (text, text.removeprefix("= "))
    ]
    return "\n".join(lines) + "\n"
