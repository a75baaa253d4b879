"""Which column of a score table holds what, by the columns' names: one list of names for each part."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerank.errors import InputError, UnknownNameError, unknown_name
from truerank.readers.options import ReadOptions
from truerank.readers.roles import find, is_unnamed, plain


def called(name: str) -> str:
    """How a message names a column.

    >>> called("qid"), called("")
    ("column 'qid'", 'the column without a name')
    """
    return "the column without a name" if is_unnamed(name) else f"column {name!r}"


def column_named(header: Sequence[str], name: str, place: str) -> int:
    """The column of a name that the user gave, exactly or in another case."""
    if name in header:
        return list(header).index(name)
    if (column := find(header, [plain(name)])) is None:
        raise UnknownNameError(f"{place}{unknown_name('column', name, header)}")
    return column


def check_columns(
    header: Sequence[str], columns: Sequence[int], place: str, topic: int | None = None
) -> None:
    """Refuse columns without a name, or of one name.

    A system may be called `topic`, as tables are written with a first column of that name.
    """
    seen = {} if topic is None or header[topic] == "topic" else {header[topic]: topic}
    for column in columns:
        name = header[column]
        if not name.strip():
            raise InputError(f"{place}column {column + 1} has no name; name the system in the header")
        if name in seen:
            both = f"columns {seen[name] + 1} and {column + 1}"
            raise InputError(f"{place}{both} are both named {name!r}; give each another name")
        seen[name] = column


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold what, by their places; None where none does.

    `cluster` and `family` may be columns of any name that the user gave.

    Attributes:
        topic: names of topics.
        data_set: names of data sets.
        cluster: the cluster of each topic.
        weight: what each data set counts.
        family: the family of each data set.
        system: the system of each score, of a long table.
        score: the scores of a long table; without it, each of `others` is a measure.
        measure: the measure of each score.
        runs: columns that distinguish runs.
        facets: levels of what all topics share.
        systems: the scores of one system each, of a wide table.
        others: columns with no part.
        ignore: columns that the user leaves out.
    """

    topic: int | None = None
    data_set: int | None = None
    cluster: int | None = None
    weight: int | None = None
    family: int | None = None
    system: int | None = None
    score: int | None = None
    measure: int | None = None
    runs: tuple[int, ...] = ()
    facets: tuple[int, ...] = ()
    systems: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    ignore: frozenset[int] = frozenset()

    @classmethod
    def named(cls, header: Sequence[str], options: ReadOptions, place: str) -> Layout:
        """The columns that the user named."""

        def at(name: str | None) -> int | None:
            return None if name is None else column_named(header, name, place)

        found: dict[str, Any] = {
            "topic": at(options.topic_column),
            "system": at(options.system_column),
            "score": at(options.score_column),
            "data_set": at(options.data_set_column),
            "measure": at(options.measure_column),
            "cluster": at(options.cluster),
        }
        runs, facets = (
            tuple(column for column in map(at, given) if column is not None)
            for given in ((options.run_column,), options.facet)
        )
        there = [column for column in (*found.values(), *runs, *facets) if column is not None]
        twice = next((column for column in there if there.count(column) > 1), None)
        if twice is not None:
            raise InputError(f"{place}column {header[twice]!r} is named for two things; name it for one")
        left = frozenset(column for column in map(at, options.ignore_columns) if column is not None)
        return cls(**found, family=at(options.family), runs=runs, facets=facets, ignore=left)

    @property
    def used(self) -> set[int]:
        """The columns that have a part, or are left out; but for `systems`."""
        parts = (self.topic, self.data_set, self.cluster, self.weight, self.family)
        scores = (self.system, self.score, self.measure)
        return {c for c in (*parts, *scores, *self.runs, *self.facets) if c is not None} | self.ignore

    @property
    def names_rows(self) -> bool:
        """Whether a column names the topics or their data sets."""
        return self.topic is not None or self.data_set is not None

    def rows(self, header: Sequence[str]) -> str:
        """What names the topics, for the note on how a table was read."""
        named = [called(header[c]) for c in (self.data_set, self.topic) if c is not None]
        return " and ".join(named) or "the rows, which are counted"


def long_layout(header: Sequence[str], named: Layout, alone: bool = False) -> Layout | None:
    """The layout of a long table, by its column names; None when they are those of a wide one.

    A long table has a column of systems, one of values (or one for each measure), and one of topics, of
    data sets, or both.
    """
    names = ["" if column in named.used else name for column, name in enumerate(header)]

    def place(given: int | None, *roles: str) -> int | None:
        return find(names, *roles) if given is None else given

    topic, data_set = place(named.topic, "topic", "topic_or_row"), place(named.data_set, "data_set", "task")
    if topic is None and data_set is None:
        topic = find(names, "topic_of_long")
    found = replace(
        named,
        topic=topic,
        data_set=data_set,
        cluster=place(named.cluster, "cluster"),
        weight=find(names, "weight") if data_set is not None or alone else None,
        system=place(named.system, "system"),
        score=place(named.score, "value"),
        measure=place(named.measure, "measure"),
    )
    others = tuple(c for c, name in enumerate(header) if c not in found.used and not is_unnamed(name))
    if found.system is None or not found.names_rows or (found.score is None and not others):
        return None
    return replace(found, others=others)
