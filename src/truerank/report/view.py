"""What there is to see of one result: the same for the terminal, a page, a notebook, a paper and files.

A view says *what*; :mod:`truerank.report.outputs` says *how*, and knows no kind of result.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

from truerank._support.notes import Note, NoteLevel, joined
from truerank._support.tables import Table
from truerank._support.wording import sentence
from truerank.errors import InputError, unknown_name

if TYPE_CHECKING:
    from markupsafe import Markup

    from truerank.report.charts.style import Size

CITED = re.compile(r"\[@([^\s\[\]]+)\]")  # a reference in a text, by its key

MOST_ON_PAGE = 1_000  # rows of a table on a page


@dataclass(frozen=True)
class Asked:
    """What a reader asked for beyond the result itself.

    Attributes:
        command: the command line that made the result, for the page to show; none for work done in Python.
        truth: each system's true mean, where it is known, as in a simulation.
        system: the system that is shown by itself, where there is one.

    Example:
        >>> Asked(command="truerank").command
        'truerank'
    """

    command: str | None = None
    truth: Mapping[str, float] | None = None
    system: str | None = None


@dataclass(frozen=True)
class Figure:
    """A picture with its caption.

    Attributes:
        name: of its files, and its id on a page.
        caption: what its marks mean, sentences.
        draw: makes the chart of a size: a Vega-Lite specification, or a chart of Altair; below it stands
            the size's `key`, if it has one.
        rows: the systems that have a mark, where files may be of some systems alone: one without any is not
            written.
        subject: what it is of, where it stands alone in a paper; empty where the caption says it.
        note: what else to know there, which a table says elsewhere.

    Example:
        >>> figure = Figure("ranks", "Ranges of ranks.", lambda size: None)
        >>> figure.name
        'ranks'
    """

    name: str
    caption: str
    draw: Callable[[Size], Any]
    rows: frozenset[str] = frozenset()
    subject: str = ""
    note: str = ""

    def keyed(self, size: Size) -> Any:
        """The chart of a size with the caption below it, for where it stands alone."""
        return self.draw(replace(size, key=self.caption))


@dataclass(frozen=True)
class Section:
    """A part of a view under its own heading.

    Attributes:
        name: its id. What several results have side by side takes the place of their own of the same name.
        title: its heading.
        text: paragraphs above its figures and tables, for the page.
        figures: its pictures.
        tables: its tables.
        details: on the page behind a click; not in the terminal.
        picture: what only a page draws, below the tables.

    Example:
        >>> Section("about", "About", ["One paragraph."]).details
        False
    """

    name: str
    title: str
    text: Sequence[str] = ()
    figures: Sequence[Figure] = ()
    tables: Sequence[Table] = ()
    details: bool = False
    picture: Callable[[], Markup] | None = None


@dataclass(frozen=True)
class View:
    """Everything that can be shown of one result.

    Attributes:
        command: the command that makes such results.
        title: of the page.
        subject: what it is about, one line: measure, systems, topics.
        answer: at most five sentences.
        sections: from top to bottom.
        notes: what to know before quoting a number; an alert stands above everything else.
        how: what sets the digits, one sentence.
        badge: a verdict in capitals, and its tone: ``good``, ``bad`` or ``open``.
        made: what sets the digits of its tables, for their captions in a paper.
        measure: its name; empty when unknown.
        label: its name beside others, where that is not the measure.
        facts: what the numbers were made of, and what else it takes to reproduce them, by name.
        numbers: what a paper quotes, by the name of a macro.
        sentence: how it was made, for a paper's section on methods; ``[@key]`` cites.
        quoted: names of the tables that a paper prints after the first.
        drawn: names of the figures that it prints after the first.
        references: keys of the publications to cite beside those in the sentence.
        unit: what is a sample of more like it, in the plural; empty where nothing is; the result's own unless
            given.
        outside: what its numbers say nothing about; empty for what is usual of its unit.
        main: name of the table that a data frame is made of, where that is not the first.
        files: what a paper may call otherwise than its file: ``Data`` for the scores, by the name of a macro.

    Example:
        >>> view = View("truerank assess", "Assessment", "AP", ["It is so."], [Section("about", "About")])
        >>> view.tables, view.figures
        ([], [])
    """

    command: str
    title: str
    subject: str
    answer: Sequence[str]
    sections: Sequence[Section]
    notes: Sequence[Note] = ()
    how: str = ""
    made: str = ""
    badge: tuple[str, str] | None = None
    measure: str = ""
    label: str = ""
    facts: Mapping[str, str] = field(default_factory=dict)
    numbers: Mapping[str, str] = field(default_factory=dict)
    sentence: str = ""
    quoted: Sequence[str] = ()
    drawn: Sequence[str] = ()
    references: Sequence[str] = ()
    unit: str | None = None
    outside: str = ""
    main: str = ""
    files: Mapping[str, str] = field(default_factory=dict)

    @property
    def name(self) -> str:
        """Its name beside others: its measure, unless said otherwise."""
        return self.label or self.measure

    @property
    def cited(self) -> list[str]:
        """Keys of all publications that it refers to, its sentence first."""
        return list(dict.fromkeys([*CITED.findall(self.sentence), *self.references]))

    @property
    def alerts(self) -> list[str]:
        """What changes how the answer is to be read."""
        return self._texts("alert")

    @property
    def warnings(self) -> list[str]:
        """What to know before quoting a number."""
        return self._texts("warning")

    @property
    def infos(self) -> list[str]:
        """What warns of nothing, as what was read: it stands last, without a mark."""
        return self._texts("info")

    @property
    def sentences(self) -> str:
        """The answer, one sentence per line, warnings behind an exclamation mark, notes, and what made it."""
        verdict = [f"{self.badge[0]}: {self.subject}"] if self.badge else []
        warnings = [f"! {sentence(warning)}" for warning in (*self.alerts, *self.warnings)]
        how = [self.how] if self.how else []
        return "\n".join([*verdict, *self.answer, *warnings, *map(sentence, self.infos), *how])

    def _texts(self, level: NoteLevel) -> list[str]:
        return [note.text for note in joined(self.notes) if note.level == level]

    def beside(self, joint: Section | None) -> list[Section]:
        """Its sections next to what several results have side by side: all but the one that this replaces."""
        return [item for item in self.sections if joint is None or item.name != joint.name]

    @property
    def tables(self) -> list[Table]:
        """All tables, from top to bottom."""
        return [table for section in self.sections for table in section.tables]

    @property
    def figures(self) -> list[Figure]:
        """All figures, from top to bottom."""
        return [figure for section in self.sections for figure in section.figures]

    def table(self, name: str | None = None) -> Table:
        """The table of that name; the first one without a name.

        Raises:
            UnknownNameError: there is none of that name.
            InputError: there is none at all.
        """
        return _named("table", self.tables, name)

    def figure(self, name: str | None = None) -> Figure:
        """The figure of that name; the first one without a name.

        Raises:
            UnknownNameError: there is none of that name.
            InputError: there is none at all.
        """
        return _named("figure", self.figures, name)


def remarks(views: Sequence[View], *, alerts: bool) -> list[tuple[bool, str, str]]:
    """Each warning and note of several views once: whether it warns, whose it is if not of all, its text."""
    whose: dict[tuple[bool, str], list[str]] = {}
    for view in views:
        warned = [*(view.alerts if alerts else ()), *view.warnings]
        for key in (*((True, item) for item in warned), *((False, item) for item in view.infos)):
            whose.setdefault(key, []).append(view.name)
    return [
        (warns, "" if len(names) == len(views) else f"{', '.join(names)}: ", sentence(text))
        for (warns, text), names in whose.items()
    ]


def printed(views: Sequence[View], joint: Section | None) -> list[tuple[View | None, Section, Table]]:
    """The tables to print, each with its view and section: first what all views have side by side."""
    parts: list[tuple[View | None, Section]] = [(None, joint)] if joint else []
    parts += [(view, part) for view in views for part in view.beside(joint)]
    shown = [(view, part, table) for view, part in parts for table in part.tables]
    return [item for item in shown if not item[2].files_only and item[2].rows]


def _named(kind: str, things: Sequence[Any], name: str | None) -> Any:
    for thing in things:  # tables are named with underscores, figures with hyphens; either will do
        if name is None or str(name).replace("-", "_") == thing.name.replace("-", "_"):
            return thing
    if not things:
        raise InputError(f"this result has no {kind} to show")
    raise unknown_name(kind, str(name), [thing.name for thing in things])
