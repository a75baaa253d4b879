"""What an adapter is: how a tool's files are recognized, and how their rows become a table."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from math import isfinite
from typing import Any, Literal

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.units import Noun
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.numerics.over_runs import OverRuns
from truerank.readers.cell_values import TRUTH, Codes, Places, all_differ, first_repeat, in_order
from truerank.readers.formats.source import Source, has_keys, within
from truerank.readers.measures import pick_measure, without_scores
from truerank.readers.names import names_of_files
from truerank.readers.options import COLUMNS, Options
from truerank.readers.records import Cells, Records, over_runs
from truerank.readers.roles import is_average
from truerank.scores import ScoreMatrix, Unnamed

Repeats = Literal["error", "mean", "runs"]
"""What several scores of one system, topic and measure are: an error, parts of one score, or runs."""

OF_TABLES = (*COLUMNS, "cluster", "family", "missing_value", "transpose")
"""The options that only tables take."""
_LOOKED_AT = 8
"""Files of a folder that are looked into before it is taken for something else: one may be broken."""


@dataclass(frozen=True, slots=True)
class Row:
    """One score."""

    system: str  # empty where the file is one system and is called like it
    topic: Any  # its name; numbers are names, too
    value: Any  # a number or a truth value; None where the score is missing
    measure: str = ""  # empty where the tool has one only, or for its main one
    data_set: str = ""  # empty where there is one only
    lower_is_better: bool = False
    line: int | None = None  # without it that of the record that was read last
    source: str = ""  # the file; without it the one that was read last
    cluster: str = ""  # what goes together with other topics, such as the document of a segment


class Files(list[Source]):
    """The files that an adapter reads together, the options of reading, and the file that was read last."""

    current: Source
    options: Options

    def __iter__(self) -> Iterator[Source]:
        for source in super().__iter__():
            self.current = source
            yield source


@dataclass(frozen=True, slots=True)
class Remark:
    """A note on all scores, or on those by a `measure`; `name` joins those of all equal notes."""

    note: Note
    name: str = ""
    measure: str | None = None


@dataclass(frozen=True, kw_only=True)
class Adapter:
    """What reads the files of one tool (docs/extending/format.md)."""

    name: str  # what users type after --format
    label: str  # what a file is, after 'this is': a log of inspect_ai
    # the scores in a file. It may take the shape of the file for granted
    rows: Callable[[Source], Iterable[Row | Remark]] = lambda _: ()
    explanation: str = ""  # where the files come from, a sentence
    # what the object that starts the file has to have (eval.model), or the columns of a table
    keys: tuple[str, ...] = ()
    # patterns of the names that the files have in a folder, the most telling first; none where a folder is
    # not read as a whole
    files: tuple[str, ...] = ("*.json", "*.jsonl")
    repeats: Repeats = "error"  # what several scores of one system, topic and measure are
    noun: Noun = "question"  # what messages call a topic
    one_file: bool = False  # whether all scores of a system on a topic are in one file
    # whether a file is the tool's, where keys do not tell it; it must not raise
    recognizes: Callable[[Source], bool] | None = None
    # the scores in all files, instead of `rows`, where one file does not say enough
    together: Callable[[Files], Iterable[Row | Remark]] | None = None
    # the whole table of some files, where rows cannot say it
    table: Callable[[Sequence[Source], Options], ScoreMatrix] | None = None
    takes: tuple[str, ...] = ()  # the options of reading that apply to this format and not to all
    joined: bool = False  # whether each file is a table by itself, and several are joined

    @property
    def tabular(self) -> bool:
        """Whether users may name its columns; such a format gives way to any other that fits."""
        return "topic_column" in self.takes

    def fits(self, source: Source) -> bool:
        """Whether a file is of this tool, or one of the first few in a folder that are named so."""
        if source.is_folder:
            return any(
                self._fits_whole(one) for name in self.files for one in source.called(name)[:_LOOKED_AT]
            )
        if self.recognizes is not None:
            return self.recognizes(source)
        if not self.keys or not source.looks_like_json:
            return bool(self.keys) and set(self.keys) <= set(source.header)
        first = source.first
        first = first[0] if isinstance(first, list) and first else first
        paths = [key.split(".") for key in self.keys]
        return all(has_keys(within(first, *outer), key) for *outer, key in paths)

    def _fits_whole(self, source: Source) -> bool:
        try:
            return self.fits(source)
        except InputError:
            return False

    def _files(self, sources: Sequence[Source]) -> Iterator[Source]:
        """The files that were given; of a folder those with names that only the tool uses, or that fit."""
        telling = [name for name in self.files if not name.startswith("*.")]
        for source in sources:
            if not source.is_folder:
                yield source
                continue
            certain = {one.path for one in source.called(*(self.files if self.table else telling))}
            for one in source.called(*self.files):
                if one.path not in certain and one.looks_like_json and one.first is None:
                    one.json  # noqa: B018  # refuses a broken file
                if one.path in certain or self.fits(one):
                    yield one

    def read(self, sources: Sequence[Source], options: Options) -> ScoreMatrix:
        """The scores in files and folders, by what the user asked for."""
        files = Files(self._files(sources))
        if not files:
            raise InputError(f"{sources[0].given}: no files of {self.label}; give the folder that has them")
        if self.table is not None:
            return self.table(files, options)
        files.options, files.current = options, files[0]
        scores = Collected(files[0].given, self.repeats, self.name if self.one_file else "")
        try:
            for row in self._each(files) if self.together is None else self.together(files):
                if isinstance(row, Remark):
                    scores.note(row)
                else:
                    scores.add(row, row.source or files.current.path, row.line or files.current.line)
        except InputError:
            raise
        except (KeyError, IndexError, TypeError, AttributeError, ValueError) as error:
            lacks = f"it lacks {error}" if isinstance(error, KeyError) else f"its shape is another ({error})"
            raise InputError(
                f"{at(files.current.path, files.current.line)}this is read as {self.label}, but {lacks}; "
                "write the file again with the tool"
            ) from None
        return scores.table(options)

    def _each(self, files: Files) -> Iterator[Row | Remark]:
        for source in files:
            yield from self.rows(source)
            source.forget()


class Collected:
    """Scores of any systems, topics, data sets and measures, from one or several files.

    Names are kept once, and a score takes 48 bytes.

    Example:
        >>> scores = Collected("here")
        >>> scores.add(Row("BM25", "q1", 0.5, "AP"), line=1)
        >>> scores.add(Row("BM25", "q2", 0.25, "AP"), line=2)
        >>> table = scores.table(Options())
        >>> table.systems, table.topics, table.measure, table.values.ravel().tolist()
        (('BM25',), ('q1', 'q2'), 'AP', [0.5, 0.25])
    """

    def __init__(self, source: str, repeats: Repeats = "error", one_file: str = "") -> None:
        """Start with nothing; `source` was given (first), `one_file` is a format of one file per cell."""
        self.unnamed: Unnamed = ""
        self._repeats, self._one_file = repeats, one_file
        self._measures, self._topics, self._systems, self._files = Places(), Places(), Places(), Places()
        self._first = self._files[source]
        self._rows = array("q")  # measure, (data set, topic), system, file, line of each score
        self._values = array("d")
        self._averages: dict[str, None] = {}
        self._clusters: dict[tuple[str, str], str] = {}
        self._notes: dict[tuple[Note, str | None], dict[str, None]] = {}
        self._lower: dict[str, set[bool]] = {}

    def add(self, row: Row, source: str | None = None, line: int | None = None) -> None:
        """Take in one score, of the first file unless given; rows that sum up the topics are left out."""
        file = self._first if source is None else self._files[source]
        topic = str(row.topic) if type(row.topic) is int else row.topic
        for name in (topic, row.system, row.measure, row.data_set):
            if not isinstance(name, str):
                raise TypeError(f"{name!r:.40} where a name belongs")
        usual = type(row.value) is float and isfinite(row.value)
        value = row.value if usual else self._number(row, file, line)
        key = row.data_set, topic
        if key not in self._topics and is_average(topic):
            self._averages[topic] = None
            return
        system = row.system or (source and (source,))  # without a name it is called like its file
        for kind, name in (("topic", topic), ("system", row.system or source or "")):
            if not name.strip():
                raise InputError(f"{self._place(file, line)}the {kind} has no name; give it one")
        if row.cluster:
            self._clusters[key] = row.cluster
        places = self._measures[row.measure], self._topics[key], self._systems[system]
        self._rows.extend((*places, file, -1 if line is None else line))
        self._values.append(value)
        self._lower.setdefault(row.measure, set()).add(row.lower_is_better)

    def _number(self, row: Row, file: int, line: int | None) -> float:
        """A score as a number, NaN where it is missing."""
        value = float("nan") if row.value is None else row.value
        if isinstance(value, (bool, np.bool_)):
            self.note(Remark(TRUTH, measure=row.measure))
        try:
            number = float("inf" if isinstance(value, (str, bytes)) else value)
        except (TypeError, ValueError, OverflowError):
            number = float("inf")
        if abs(number) == float("inf"):
            raise InputError(
                f"{self._place(file, line)}{row.measure or 'the score'} of system {row.system!r} on topic "
                f"{str(row.topic)!r} is {value!r:.40}; every score must be a finite number"
            )
        return number

    def note(self, remark: Remark) -> None:
        """Add a note once, which is shown where its measure is chosen."""
        names = {remark.name: None} if remark.name else {}
        self._notes.setdefault((remark.note, remark.measure), {}).update(names)

    def table(self, options: Options) -> ScoreMatrix:
        """The scores of one measure as a table, NaN where there is none; `options` say which, or name it."""
        files, measures, topics = list(self._files), list(self._measures), list(self._topics)
        where = f"{files[0]} …: " if len(files) > 1 else f"{files[0]}: "
        if not measures:
            beside = [note.text for note in self._noted(None) if note.code == "parts-left-out"]
            what = "only averages over all topics" if self._averages else "; ".join(["no scores", *beside])
            raise InputError(f"{where}{what}; give the scores of each topic")
        by_runs = self._repeats == "runs" and options.measure not in measures
        over = over_runs(options.measure) if by_runs else None
        wanted = None if over is not None else options.measure
        main = "" in measures and (wanted is None or measures == [""])
        chosen = "" if main else pick_measure(list(filter(None, measures)), wanted, where)
        if len(self._lower[chosen]) > 1:
            raise InputError(
                f"{where}lower is better by {chosen or 'the scores'} in some places and not in others; "
                f"choose another with {setting('measure')}"
            )
        rows = np.frombuffer(self._rows, dtype=np.int64).reshape(-1, 5)
        kept = np.flatnonzero(rows[:, 0] == measures.index(chosen))
        rows, numbers = rows[kept], np.frombuffer(self._values)[kept]
        topic_codes, t = in_order(rows[:, 1], len(topics))
        system_codes, s = in_order(rows[:, 2], len(self._systems))
        systems, notes = self._named()
        keys, ranked = [topics[k] for k in topic_codes.tolist()], [systems[k] for k in system_codes.tolist()]
        records = Records(numbers, t, s, keys, ranked, where)
        records, cells = self._cells(records, rows, over)
        if np.isnan(cells.values).all():
            raise InputError(
                f"{where}measure {chosen!r} has no score on any topic; choose another with "
                f"{setting('measure')}"
            )
        notes += [*self._noted(None), *cells.notes, *without_scores("system", systems, ranked, chosen)]
        notes += without_scores("data set", (name for name, _ in topics), (name for name, _ in keys), chosen)
        if self._averages:
            facts = {"case": "summaries", "names": list(self._averages), "rows": len(self._averages)}
            notes.append(Note("parts-left-out", {**facts, "data_sets": False}))
        of_system = np.zeros(len(ranked), dtype=np.intp)
        of_system[s[::-1]] = rows[::-1, 3]
        found = records.table(
            cells,
            lambda _t, system: f"{files[of_system[system]]}: ",
            over.name if over is not None else chosen or options.measure or "",
            files[0] if len(files) == 1 else None,
            [*notes, *self._noted(chosen)],
            any(data_set for data_set, _ in keys),
            unnamed=self.unnamed,
            lower_is_better=True in self._lower[chosen],
        )
        clusters = Places().codes([(key[0], self._clusters.get(key, key[1])) for key in keys])
        return replace(found, clusters=clusters) if clusters.max() + 1 < len(keys) else found

    def _named(self) -> tuple[list[str], list[Note]]:
        """The names of all systems, some of which are called like their files."""
        names, notes = names_of_files([system[0] for system in self._systems if isinstance(system, tuple)])
        of_files = iter(names)
        return [next(of_files) if isinstance(one, tuple) else one for one in self._systems], notes

    def _noted(self, measure: str | None) -> list[Note]:
        """The notes on the scores by a measure, or those on all, with all names that each came with."""
        held = [(note, list(names)) for (note, of), names in self._notes.items() if of == measure]
        return [  # the text of a plug-in's own note has the names at its end
            note
            if not names
            else note.worded(f"{note.text}: {few(names, 8)}")
            if "text" in note.facts
            else note.adding(names=names)
            for note, names in held
        ]

    def _cells(self, records: Records, rows: Codes, over: OverRuns | None) -> tuple[Records, Cells]:
        """The table, where several scores of one cell are an error, parts of one score, or runs."""
        cell = records.cell
        if all_differ(cell):
            return records, records.pivot()
        first, place = np.unique(cell, return_index=True, return_inverse=True)[1:]
        elsewhere = np.flatnonzero((rows[:, 3] != rows[first[place], 3]) & bool(self._one_file))
        if len(elsewhere) or self._repeats == "error":
            row, other = (elsewhere[0], first[place[elsewhere[0]]]) if len(elsewhere) else first_repeat(cell)
            data_set, topic = records.topics[records.topic[row]]
            system = records.systems[records.system[row]]
            here, there = (self._place(*rows[k, 3:]) for k in (row, other))
            what, more = f"system {system!r} already has a score on topic {topic!r}, at", ""
            if len(elsewhere):
                what = f"results of {system!r}{f' on {data_set!r}' if data_set else ''}, as in"
                more = (
                    f". If folders are data sets, write a table for each by truerank import {self._one_file}"
                )
                more += " FOLDER --long -o TABLES/FOLDER.csv, and give TABLES"
            raise InputError(f"{here}{what} {there.removesuffix(': ')}; keep one of the two{more}")
        values, times = records.means()
        # A score that is missing among several is not left out of their mean: the cell has none.
        if by_mean := self._repeats == "mean":
            records = Records.grid(values, records.topics, records.systems, records.where)
        cells = records.pivot(over, repeat=not by_mean)
        if by_mean and not any(note.code == "averaged" for note, _ in self._notes):
            cells.notes.append(Note("averaged", {"case": "scores", "most": int(times.max())}))
        if incomplete := int(((times > 1) & np.isnan(cells.values)).sum()):
            cells.notes.append(Note("scores-missing", {"case": "parts", "number": incomplete}))
        return records, cells

    def _place(self, file: int, line: int | None) -> str:
        """Where a score is, as the start of a message."""
        return at(list(self._files)[file], None if line is None or line < 0 else line)
