"""What stands beside scores in files of its own: clusters of topics, dates and costs of systems."""

from __future__ import annotations

import csv
import math
import os
import re
import shlex
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from io import StringIO
from numbers import Real
from typing import Any, TypeVar

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.files import read_text
from truerank._support.types import frozen
from truerank._support.wording import few
from truerank.errors import InputError, at, reading
from truerank.readers.cell_values import different, is_number
from truerank.readers.formats.source import Source, parse_json
from truerank.readers.roles import column_named, find, lower_is_better, snake_case
from truerank.readers.sheets import Sheet, standing_for_missing
from truerank.readers.tables import with_topics_joined
from truerank.scores import ScoreMatrix

K = TypeVar("K", bound=Hashable)
Pairs = Iterable[tuple[str, K, Any]]
"""Where each row is, a name, and what stands beside it."""

_ENDINGS = (".csv", ".tsv", ".txt", ".parquet", ".gz")
_DATE = re.compile(r"(\d{4})(?:[-/.]?([01]\d)(?:[-/.]?([0-3]\d)(?:[T ].*)?)?)?")


def _one_each(of: str, kind: str, pairs: Pairs[K]) -> dict[K, Any]:
    """What each name has, which is the same in all its rows."""
    found: dict[K, Any] = {}
    for place, name, cell in pairs:
        if (other := found.setdefault(name, cell)) != cell:
            shown = name[-1] if isinstance(name, tuple) else name
            raise InputError(
                f"{place}{of} {shown!r} has {kind} {cell!r} here and {other!r} above; give it one {kind}"
            )
    return found


def _pairs(given: Any) -> list[tuple[str, str, Any]] | None:
    """What a mapping, a series, or a file of two columns or of a JSON object says of systems, else None."""
    if not isinstance(given, str | os.PathLike):
        held = given.to_dict() if getattr(given, "ndim", None) == 1 and hasattr(given, "to_dict") else given
        return [("", str(name), value) for name, value in held.items()] if isinstance(held, Mapping) else None
    path = os.fspath(given)
    with reading(path):
        text = read_text(path).removeprefix("\ufeff")
        if text.lstrip().startswith("{"):
            return [(f"{path}: ", name, value) for name, value in parse_json(text, path).items()]
        opening = next((line for line in text.splitlines() if line.strip()), "")
        mark = next((mark for mark in "\t;," if mark in opening), ",")
        rows, found = csv.reader(StringIO(text), delimiter=mark), []
        for row in filter(any, rows):
            if len(row) != 2:
                return None
            name, cell = map(str.strip, row)
            found.append((at(path, rows.line_num), name, cell.replace(",", ".") if mark == ";" else cell))
    return found


# Clusters of topics: for runs, and for tables that have no column of them


def is_cluster_file(given: str) -> bool:
    """Whether `cluster` names a file, which a message says if it is not there; else it is a column."""
    return given.endswith(_ENDINGS) or os.path.isfile(given)


def with_clusters(scores: ScoreMatrix, path: str, topic_column: str | None = None) -> ScoreMatrix:
    """The scores with the clusters that a file names, one row per topic, in columns of these names.

    Where there is a column of data sets, too, it tells topics of one name apart.
    """
    if scores.battles is not None:
        where = f"{scores.where}these are battles, whose clusters are not read from a file"
        raise InputError(f"{where}; name their column with {setting('cluster', 'COLUMN')}")
    with reading(path):
        found = _by_topic(Source(path).sheet, topic_column or None)
    groups: list[tuple[str, str]] = []
    for data_set, topic in scores.keys:
        cluster = found.get((data_set, topic), found.get(("", topic)))
        if cluster is None:
            raise InputError(f"{path}: {scores.unit.one} {topic!r} has no cluster; add a row for it")
        groups.append((data_set, cluster))
    places = {group: k for k, group in enumerate(dict.fromkeys(groups))}
    own = len(places) == scores.n
    return replace(scores, clusters=None if own else frozen(np.array([places[group] for group in groups])))


def _by_topic(sheet: Sheet, given: str | None) -> dict[tuple[str, str], str]:
    """The cluster of each topic, by its data set where a column names it."""
    topic = None
    try:
        sheet = with_topics_joined(sheet, given)
        topic = None if given is None else column_named(sheet.header, given, sheet.place())
    except InputError:  # the option is of the table, and this file has a name that is known
        pass
    topic = sheet.find("topic", "topic_first", "topic_or_row") if topic is None else topic
    cluster, data_set = sheet.find("cluster"), sheet.find("data_set")
    if topic is None or cluster is None:
        lacks = "topic" if topic is None else "cluster"
        raise InputError(
            f"{sheet.place()}no column {lacks!r}; name the columns topic and cluster in the first line"
        )
    sets = sheet.names(data_set) if data_set is not None else [""] * sheet.rows
    topics, clusters = sheet.names(topic), sheet.names(cluster)
    for row, cells in enumerate(zip(topics, clusters, strict=True)):
        if not all(map(str.strip, cells)):
            raise InputError(f"{sheet.place(row)}a topic without a name, or without a cluster; fill the cell")
    places = map(sheet.place, range(sheet.rows))
    return _one_each("topic", "cluster", zip(places, zip(sets, topics, strict=True), clusters, strict=True))


# When systems were submitted: a column of the scores, a file of two columns, or a mapping


def day(text: str) -> str | None:
    """A date as ``2024-03-01``, or as much of it as there is; ``None`` for what is not one.

    >>> day("20240301"), day("2024-03-01 12:30"), day("2024/03"), day("March 1")
    ('2024-03-01', '2024-03-01', '2024-03', None)
    """
    found = _DATE.fullmatch(text.strip())
    return "-".join(part for part in found.groups() if part) if found else None


def dates_of(given: Any) -> dict[str, str]:
    """The day of each system, from a mapping, a series, or a file of two columns."""
    path = isinstance(given, str | os.PathLike)
    if path and not os.path.exists(given):
        raise InputError(f"no file is called {str(given)!r}; give a file of two columns, or a mapping")
    pairs = _pairs(given)
    if pairs is None:
        where = f"{os.fspath(given)}: " if path else ""
        raise InputError(f"{where}dates are a mapping of systems, a series, or a file of two columns")
    headed = path and pairs and day(str(pairs[0][2])) is None
    return _days(pairs[1:] if headed else pairs)


def dates_in(sources: Sequence[str], column: str, system_column: str | None = None) -> dict[str, str]:
    """The day of each system, from a column of the tables of scores that names no more than one for each."""
    found = dict[str, str]()
    for source in sources:
        with reading(source):
            sheet = Source(source).sheet
            if column not in sheet.header:
                raise InputError(
                    f"{sheet.place()}there is no column {column!r}, nor a file of that name; the columns are "
                    f"{few(sheet.header, 12)}"
                )
            date = sheet.header.index(column)
            names = ["" if c == date else name for c, name in enumerate(snake_case(sheet.header))]
            system = find(names, "system")
            if system_column is not None:
                system = column_named(sheet.header, system_column, sheet.place())
            systems = map(str.strip, sheet.names(int(date == 0) if system is None else system))
            places = map(sheet.place, range(sheet.rows))
            found |= _days(zip(places, systems, sheet.names(date), strict=True))
    return found


def _days(pairs: Pairs[str]) -> dict[str, str]:
    days = list[tuple[str, str, str]]()
    for place, name, given in pairs:
        if (value := day(str(given))) is None:
            raise InputError(f"{place}the date of {name!r} is {given!r}; write it as 2024-03-01")
        days.append((place, name, value))
    return _one_each("system", "date", days)


def dates_for(dates: Mapping[str, str], systems: Sequence[str]) -> list[str]:
    """The days of these systems, in their order."""
    lacking = [name for name in systems if name not in dates]
    if lacking:
        raise InputError(f"{few(list(map(repr, lacking)), 4)} without a date; add it to {setting('date')}")
    return [dates[name] for name in systems]


def _refuse_several(path: str) -> None:
    """Refuse a file of systems with several columns, in the words of a criterion."""
    sheet = Source(path).sheet
    system = sheet.find("system")
    numbers = [c for c, column in enumerate(sheet.columns) if c != system and column.holds_scores]
    if system is None or not numbers or different(sheet.columns[system].codes) < sheet.rows:
        return
    places, name = f"{system + 1},{numbers[0] + 1}", sheet.header[numbers[0]]
    cut = {".csv": "cut -d , -f", ".tsv": "cut -f"}.get(os.path.splitext(path)[1].casefold())
    here = "Give a file of two columns: systems and one of numbers"
    if cut is not None:
        one, file = shlex.quote(path), shlex.quote(f"{name}.csv")
        here = f"Keep systems and one of numbers: {cut} {places} {one} > {file}; then --pareto {file}"
    frame = f"pandas.read_csv({path!r}).set_index({sheet.header[system]!r})[{name!r}]"
    what = f"{sheet.place()}a criterion is one number per system; the columns are {few(sheet.header, 12)}"
    raise InputError(f"{what}. {either(f'Give pareto={frame}', here)}")


# What quality is weighed against: a number of each system, or scores on topics


@dataclass(frozen=True, eq=False)
class Criterion:
    """What quality is weighed against: a number of each system, or scores on topics."""

    measure: str  # its name
    lower_is_better: bool  # whether less of it is better
    numbers: Mapping[str, float] | None = None  # of each system, as they are; None where there are scores
    # scores on topics, higher is better: a cost has a minus sign; None where there are numbers
    table: ScoreMatrix | None = None
    source: str | None = None  # the file of the numbers, for messages

    @classmethod
    def of(
        cls,
        given: Any,
        read: Callable[[Any, str | None], ScoreMatrix],
        lower: Callable[[str], bool | None] = lambda _: None,
    ) -> Criterion:
        """The criterion that is given as numbers, a file, a table of scores, or a measure's name.

        Args:
            given: a mapping or series of numbers by system, a file of two columns, scores, or a name.
            read: reads scores on topics: those given, or, of ``None``, another measure of those assessed.
            lower: whether less of a measure is better, where the user says so; else its name tells, or it is.
        """
        if isinstance(given, cls):
            return given
        path = isinstance(given, str | os.PathLike)
        if path and not os.path.exists(given):
            return cls.scored(read(None, str(given)))
        pairs = _pairs(given)
        if pairs is None or any(not isinstance(value, Real | str) for _, _, value in pairs):
            try:
                return cls.scored(read(given, None))
            except InputError:
                if path:
                    _refuse_several(os.fspath(given))
                raise
        measure = str(getattr(given, "name", None) or "cost") if not path else "cost"
        if path and pairs and not is_number(str(pairs[0][2])):
            measure = pairs.pop(0)[2]
        for place, name, value in pairs:
            if not is_number(str(value)) or not math.isfinite(float(value)):
                raise InputError(f"{place}{measure} of {name!r} is {value!r}; give a finite number")
        told = lower(measure)
        told = lower_is_better(measure) if told is None else told
        none = standing_for_missing(np.array([float(value) for *_, value in pairs]))
        for place, name, value in pairs if told is not False else ():
            if float(value) == none:
                raise InputError(
                    f"{place}{measure} of {name!r} is {value}, which may stand for none; give the {measure}"
                )
        held = {name: float(value) for name, value in _one_each("system", measure, pairs).items()}
        return cls(measure, told is not False, held, source=os.fspath(given) if path else None)

    @classmethod
    def scored(cls, table: ScoreMatrix) -> Criterion:
        """The criterion of scores on topics, which readers negate where less is better."""
        measure = table.measure or "the second criterion"
        return cls(measure.removeprefix("−"), measure.startswith("−"), table=table)
