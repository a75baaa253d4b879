"""What the rows of a table are about: data sets and topics, and what these belong to."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from dataclasses import dataclass
from typing import TypeVar

from truerank._support.wording import LeftOut, few
from truerank.errors import InputError
from truerank.readers.columns import NAMES, TASK, Asked, Parts, plain
from truerank.readers.sheets import Sheet

_T = TypeVar("_T")
_K = TypeVar("_K", bound=Hashable)


def is_average(topic: str) -> bool:
    """Whether a topic's name says that its row sums up the others."""
    return topic.strip().casefold() in NAMES["averages"]


@dataclass(frozen=True)
class Labels:
    """What each row is about; `one_score` is whether data sets are the topics, for want of topics."""

    data_sets: list[str]
    topics: list[str]
    several: bool
    one_score: bool

    @classmethod
    def of(cls, sheet: Sheet, parts: Parts, asked: Asked) -> Labels:
        """The labels of all rows; a table without topics and data sets has its rows counted."""
        several = parts.data_set is not None or asked.data_set is not None
        if parts.data_set is not None:
            sets = sheet.names(parts.data_set)
        else:
            sets = [asked.data_set or ""] * sheet.rows
        if parts.topic is not None:
            return cls(sets, sheet.names(parts.topic), several, False)
        if parts.data_set is not None:
            return cls(sets, sets, several, True)
        return cls(sets, [str(row + 1) for row in range(sheet.rows)], several, False)

    def key(self, row: int) -> tuple[str, str]:
        """Data set and topic of a row."""
        return self.data_sets[row], self.topics[row]

    def name(self, key: tuple[str, str]) -> str:
        """A topic in a message."""
        data_set, topic = key
        if self.one_score:
            return f"data set {data_set!r}"
        return f"topic {topic!r} of data set {data_set!r}" if self.several else f"topic {topic!r}"

    @property
    def remedy(self) -> str:
        """What else to do about a topic that is there twice, after 'keep one of …'."""
        if self.one_score:
            return ", or name the topics in a column 'topic'"
        return (
            "" if self.several else ", or name the data sets in a column 'data_set' if ids repeat across them"
        )

    def check(self, sheet: Sheet, row: int) -> None:
        """Refuse a row without names."""
        for kind, name in (("data set", self.data_sets[row]), ("topic", self.topics[row])):
            if not name and (kind == "topic" or self.several):
                raise InputError(f"{sheet.place(row)}the {kind} has no name; fill the cell or remove the row")


def rows_of_topics(sheet: Sheet, labels: Labels) -> tuple[list[int], list[str]]:
    """The rows without those that sum up topics, and a note on these."""
    pairs = list(zip(labels.data_sets, labels.topics, strict=True))
    summaries = {
        # The last line of a spreadsheet with two columns of names has its name in the first.
        (data_set, topic): topic if topic.strip() else data_set
        for data_set, topic in dict.fromkeys(pairs)
        if is_average(topic) or (not topic.strip() and is_average(data_set))
    }
    kept = [row for row, pair in enumerate(pairs) if pair not in summaries]
    averages = [summaries[pair] for pair in pairs if pair in summaries]
    what = "data set" if labels.one_score else "topic"
    if not kept:
        raise InputError(f"{sheet.place()}only averages over all {what}s; give the scores of each {what}")
    if not averages:
        return kept, []
    names = list(dict.fromkeys(averages))
    shown = ", ".join(map(repr, names[:8])) + (", …" if len(names) > 8 else "")
    if len(averages) == 1:
        return kept, [f"row {shown} sums up the {what}s, is no {what}, and is left out"]
    return kept, [f"{len(averages)} rows ({shown}) sum up the {what}s, are no {what}s, and are left out"]


def belongings(
    sheet: Sheet, parts: Parts, labels: Labels, rows: Sequence[int]
) -> tuple[dict[tuple[str, str], str] | None, dict[str, float] | None, dict[str, str] | None]:
    """The cluster of each topic, and the weight and the family of each data set, where columns give them."""
    if parts.family is not None and not labels.several:
        raise InputError(
            f"{sheet.place()}families are of data sets, and no column names these; add one called 'data_set'"
        )
    clusters = weights = families = None
    sets = [labels.data_sets[row] for row in rows]
    if parts.cluster is not None:
        cells = _filled(sheet, parts.cluster, rows, "cluster")
        keys = [labels.key(row) for row in rows]
        clusters = _one_each(sheet, rows, keys, cells, "cluster", labels.name)
    if parts.weight is not None:
        numbers = sheet.numbers([parts.weight], rows)[:, 0].tolist()
        for row, data_set, number in zip(rows, sets, numbers, strict=True):
            if not number >= 0:
                wrong = "no weight" if number != number else f"weight {number:g}"
                raise InputError(
                    f"{sheet.place(row)}data set {data_set!r} has {wrong}; write a number of 0 or more"
                )
        weights = _one_each(sheet, rows, sets, numbers, "weight", lambda name: f"data set {name!r}")
    if parts.family is not None:
        cells = _filled(sheet, parts.family, rows, "family")
        families = _one_each(sheet, rows, sets, cells, "family", lambda name: f"data set {name!r}")
    return clusters, weights, families


def _filled(sheet: Sheet, column: int, rows: Sequence[int], kind: str) -> list[str]:
    """The cells of a column of names."""
    cells = sheet.names(column)
    for row in rows:
        if not cells[row].strip():
            raise InputError(f"{sheet.place(row)}the {kind} has no name; fill the cell")
    return [cells[row] for row in rows]


def _one_each(
    sheet: Sheet,
    rows: Sequence[int],
    owners: Sequence[_K],
    cells: Sequence[_T],
    kind: str,
    name: Callable[[_K], str],
) -> dict[_K, _T]:
    """The one cell of each owner."""
    first: dict[_K, int] = {}
    for i, (owner, cell) in enumerate(zip(owners, cells, strict=True)):
        seen = first.setdefault(owner, i)
        if cells[seen] != cell:
            raise InputError(
                f"{sheet.place(rows[i])}{name(owner)} has {kind} {cell!r} here and {cells[seen]!r} at "
                f"{sheet.place(rows[seen]).removesuffix(': ')}; give it one {kind}"
            )
    return {owner: cells[i] for owner, i in first.items()}


def notes_on_columns(sheet: Sheet, parts: Parts, labels: Labels, unused: Sequence[int]) -> list[str]:
    """What to say about columns: data sets under a name that could mean something else, and unused ones."""
    notes: list[str] = []
    if parts.data_set is not None and plain(sheet.header[parts.data_set]) in TASK:
        names = list(dict.fromkeys(labels.data_sets))
        if len(names) > 1:
            notes.append(
                f"column {sheet.header[parts.data_set]!r} is read as the data sets "
                f"({len(names)}: {few(names)}); rename it if it is something else"
            )
    if parts.topic is not None and plain(sheet.header[parts.topic]) in TASK:
        notes.append(f"column {sheet.header[parts.topic]!r} is read as the topics of the data sets")
    if unused:
        names = [sheet.header[c] for c in unused]
        note = f"columns that are not used: {few(names, 8)}"
        notes.append(LeftOut.saying(note, names, "is a column that is not used as a system; check its cells"))
    return notes
