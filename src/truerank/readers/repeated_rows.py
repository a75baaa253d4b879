"""Rows of one system and topic in a long table: which columns say what each row is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.cell_values import Codes, Column, Vector, all_differ, different, joint
from truerank.readers.columns import LongLayout, Named, Parts
from truerank.readers.records import Factor
from truerank.readers.roles import (
    ATTEMPTS,
    DATA_SET,
    FACETS,
    REPEATS,
    SUCCESSES,
    SYSTEM_WIDE,
    TASK,
    TOPIC,
    TOPIC_FIRST,
    TURN,
    find,
    plain,
)
from truerank.readers.sheets import ROWS, Sheet


@dataclass(frozen=True)
class CellColumns:
    """The columns that tell the scores of a cell apart, by their places.

    Attributes:
        runs: of the runs.
        facets: of facets.
    """

    runs: tuple[int, ...] = ()
    facets: tuple[int, ...] = ()

    def keys(self, sheet: Sheet, rows: Codes, keys: Codes) -> Codes:
        """What each row is the score of, levels and run included; `keys` are what it is without them."""
        return joint(keys, *(sheet.column(c).codes[rows] for c in (*self.facets, *self.runs)))

    def run_factor(self, sheet: Sheet, rows: Codes) -> Factor | None:
        """The run of each row; None where no column distinguishes runs."""
        if not self.runs:
            return None
        names = [sheet.header[column] for column in self.runs if sheet.header[column] != ROWS]
        shared = bool(names) and all(plain(name) in SYSTEM_WIDE for name in names)
        column = sheet.column(self.runs[0])
        if len(self.runs) > 1:
            cells = (sheet.names(column) for column in self.runs)
            column = Column.of(map(" ".join, zip(*cells, strict=True)))
        return Factor.of(" and ".join(names), column.codes[rows], column.levels, shared)

    def facet_factors(self, sheet: Sheet, rows: Codes) -> list[Factor]:
        """The levels of each row."""
        columns = {sheet.header[c]: sheet.column(c) for c in self.facets}
        return [Factor.of(name, column.codes[rows], column.levels) for name, column in columns.items()]


def cell_columns(
    sheet: Sheet, rows: Codes, keys: Codes, others: Sequence[int], run: int | None, facets: Sequence[int]
) -> CellColumns:
    """The columns of runs and facets that the user names, or that are called so where rows still repeat."""
    found = CellColumns(() if run is None else (run,), tuple(facets))
    for kind, names in (("facets", FACETS), ("runs", (*REPEATS, *SYSTEM_WIDE))):
        if kind == "runs" and run is not None:
            continue
        now = found.keys(sheet, rows, keys)
        if all_differ(now):
            break
        named = [
            c for c in others if plain(sheet.header[c]) in names and c not in (*found.facets, *found.runs)
        ]
        more = tuple(c for c in named if _varies(sheet, rows, now, c))
        found = replace(found, **{kind: (*getattr(found, kind), *more)})
    return found


def runs_of_rows(sheet: Sheet, named: Named) -> Named:
    """What is named, with the column of runs and those of facets in a wide table whose topics repeat."""
    topic = find(sheet.header, (*TOPIC, *TOPIC_FIRST)) if named.topic is None else named.topic
    data_set = find(sheet.header, DATA_SET) if named.data_set is None else named.data_set
    if topic is None and data_set is None:
        data_set = find(sheet.header, TASK)
    if (topic is None and data_set is None) or named.system is not None:
        return named
    keys = joint(*(sheet.column(c).codes for c in (topic, data_set) if c is not None))
    if all_differ(keys) and named.run is None and not named.facets:
        return named
    others = [c for c in range(len(sheet.header)) if c not in {topic, data_set} | named.used]
    rows = np.arange(sheet.rows)
    found = cell_columns(sheet, rows, keys, others, named.run, named.facets)
    if len(found.runs) > 1 or different(found.keys(sheet, rows, keys)) < len(keys):
        return named
    return replace(named, run=found.runs[0] if found.runs else None, facets=found.facets)


def _varies(sheet: Sheet, rows: Codes, keys: Codes, column: int) -> bool:
    """Whether a column has different cells in rows that are of one key."""
    return different(joint(keys, sheet.column(column).codes[rows])) > different(keys)


def turns(sheet: Sheet, layout: LongLayout) -> int | None:
    """The column of turns, where questions have several: each then is a topic, and the question a cluster."""
    column = find([name if c in layout.others else "" for c, name in enumerate(sheet.header)], TURN)
    if column is None or layout.parts.topic is None:
        return None
    keys = joint(sheet.column(layout.parts.topic).codes, sheet.column(layout.system).codes)
    return column if _varies(sheet, np.arange(sheet.rows), keys, column) else None


def about_columns(sheet: Sheet, layout: LongLayout, found: CellColumns, turn: int | None) -> list[Note]:
    """What was taken for what, where a cell has several scores."""
    if not (found.runs or found.facets or turn is not None):
        return []
    parts: Parts = layout.parts
    sources = ["systems are read from {system}"]
    if parts.topic is not None:
        sources.append("{topics} from {column}")
    if turn is not None:
        sources[-1] = "{topics} from each {turn} of {column}, which is their cluster"
    more = [f", a facet from {sheet.header[c]!r}" for c in found.facets]
    of_run = (sheet.header[c] for c in found.runs)
    more += [
        ", runs in the order of the rows" if name == ROWS else f", runs from {name!r}" for name in of_run
    ]
    return [
        Note.on_units(
            "columns-read",
            ", ".join(sources) + "{more}",
            "info",
            system=repr(sheet.header[layout.system]),
            column=repr(sheet.header[parts.topic or 0]),
            turn=repr(sheet.header[turn or 0]),
            more="".join(more),
        )
    ]


@dataclass(frozen=True)
class Counted:
    """Successes and attempts of each row, in place of a score."""

    successes: int
    attempts: int

    @classmethod
    def of(cls, sheet: Sheet, layout: LongLayout) -> Counted | None:
        """The two columns, where there is none of scores."""
        names = [name if c in layout.others else "" for c, name in enumerate(sheet.header)]
        right, tried = find(names, SUCCESSES), find(names, ATTEMPTS)
        return None if layout.value is not None or right is None or tried is None else cls(right, tried)

    def numbers(self, sheet: Sheet, rows: Codes) -> tuple[Vector, Codes]:
        """Successes, NaN where there is no score, and attempts of each row."""
        right, tried = sheet.numbers([self.successes, self.attempts], rows).T
        missing = np.isnan(right) | np.isnan(tried)
        wrong = ~missing & ~((right >= 0) & (right <= tried) & (tried % 1 == 0) & (right % 1 == 0))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise InputError(
                f"{sheet.place(rows[k])}{right[k]:g} successes in {tried[k]:g} attempts; write whole numbers "
                "with no more successes than attempts"
            )
        missing |= tried == 0
        return np.where(missing, np.nan, right), np.where(missing, 0, tried).astype(np.intp)


_RUN_OF = re.compile(
    r"(?P<of>.*\S)(?P<glue>[\s#@:/._-]+\(?(run|trial|epoch|attempt|repeat|replicate|rollout|seed)[\s#_=-]*)"
    r"\d+(?P<end>\)?)",
    re.IGNORECASE,
)

_NUMBERED = re.compile(r"(?P<of>.*\S)(?P<glue>\s*#)\d+(?P<end>)")
"""Systems with a number after a hash; topics are often numbered so."""

_COUNTED = re.compile(r"(?P<of>.*\S)(?P<glue>[_./:-])(?P<number>\d+)(?P<end>)")
"""Systems with a number after another mark: a version, unless each has the same three numbers or more."""


def runs_as_topics(topics: Sequence[str]) -> Note | None:
    """A warning where the names of all topics end in the number of a run; None where they do not.

    >>> runs_as_topics(["q1/run1", "q1/run2", "q2/run1", "q2/run2"]).code
    'runs-as-topics'
    """
    found = [_RUN_OF.fullmatch(topic) for topic in topics]
    if not found or not all(found):
        return None
    names = {match["of"] for match in found if match is not None}
    if 2 * len(names) > len(topics):
        return None
    said = (
        "{topics} look like the runs of {number} {topics}: counted as {topics}, runs make intervals far too "
        "narrow and raise false alarms. Split the name into a column 'topic' and a column 'run'"
    )
    return Note.on_units("runs-as-topics", said, "alert", number=str(len(names)))


def runs_as_systems(systems: Sequence[str]) -> Note | None:
    """A warning where the names of all systems end in the number of a run; None where they do not.

    >>> runs_as_systems(["a-seed1", "a-seed2", "b-seed1", "b-seed2"]).text.partition(":")[0]
    '4 systems look like runs of 2 systems'
    >>> runs_as_systems(["a_1", "a_2", "a_3", "b_1", "b_2", "b_3"]).text.partition(":")[0]
    '6 systems look like runs of 2 systems'
    >>> runs_as_systems(["gpt-3", "gpt-4", "llama-2", "llama-3"]) is None
    True
    >>> runs_as_systems(["a#1", "a#2", "b#1", "b#2"]).text.partition(":")[0]
    '4 systems look like runs of 2 systems'
    """
    found = [_RUN_OF.fullmatch(system) or _NUMBERED.fullmatch(system) for system in systems]
    if found and not any(found):
        found = _counted(systems)
    if not found or not all(found):
        return None
    matches = [match for match in found if match is not None]
    ways = {(match["glue"], match["end"]) for match in matches}
    of = {match["of"] for match in matches}
    if len(ways) > 1 or not 1 < len(of) <= len(systems) / 2:
        return None
    ((glue, end),) = ways
    remedy = f"use {setting('runs_of', f'{{system}}{glue}{{run}}{end}')}"
    said = f"{len(systems)} systems look like runs of {len(of)} systems: if they are, {remedy}"
    why = f"has several runs, and each is read as a system; {remedy}"
    return Note("runs-as-systems", said, systems=tuple(sorted(of)), reason=why)


def _counted(systems: Sequence[str]) -> list[re.Match[str] | None]:
    """The names of all systems where each ends in the same three numbers or more; else none."""
    found = [_COUNTED.fullmatch(system) for system in systems]
    numbers: dict[str, set[int]] = {}
    for match in found:
        if match is None:
            return []
        numbers.setdefault(match["of"], set()).add(int(match["number"]))
    first, *others = numbers.values()
    counted = len(first) > 2 and first in (set(range(len(first))), set(range(1, len(first) + 1)))
    return found if counted and all(one == first for one in others) else []


def ids_as_topics(
    sheet: Sheet, layout: LongLayout, found: CellColumns, rows: Codes, topics: int
) -> list[Note]:
    """A warning where the topics number rows, while other columns have questions and their runs."""
    if found.runs or found.facets or layout.parts.topic is None:
        return []
    names = {c: plain(sheet.header[c]) for c in layout.others}
    runs = [c for c, name in names.items() if name in (*REPEATS, *SYSTEM_WIDE)]
    systems = sheet.column(layout.system).codes[rows]
    for question in (c for c, name in names.items() if name in TOPIC):
        cells = sheet.column(question).codes[rows]
        number = different(cells)
        if not 1 < number <= topics / 2:
            continue
        keys = joint(cells, systems)
        run = next((c for c in runs if all_differ(joint(keys, sheet.column(c).codes[rows]))), None)
        if run is not None:
            header, column = sheet.header, sheet.header[layout.parts.topic]
            return [
                Note.on_units(
                    "runs-as-topics",
                    "{values} different values of {column} are taken for {topics}, but {run} looks like runs "
                    "of {number} in {question}. Counted as {topics}, runs make intervals far too narrow; "
                    "use {option}",
                    "alert",
                    values=str(topics),
                    column=repr(column),
                    run=repr(header[run]),
                    number=number,
                    question=repr(header[question]),
                    option=setting("topic_column", header[question]),
                )
            ]
    return []
