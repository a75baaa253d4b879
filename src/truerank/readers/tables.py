"""Score tables, wide (systems as columns) or long (topic, system, value), from files and data frames."""

from __future__ import annotations

import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from truerank.errors import InputError
from truerank.readers.measures import pick_measure
from truerank.readers.missing import Missing, treat_missing
from truerank.readers.sheets import (
    MEASURE,
    SYSTEM,
    TOPIC,
    VALUE,
    FrameSheet,
    Sheet,
    TextSheet,
    find,
    is_missing,
    is_number,
    is_topic,
    is_unnamed,
    plain,
)
from truerank.readers.wording import few
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    import pandas as pd

PARQUET_MAGIC = b"PAR1"

AVERAGES = frozenset(
    (
        "all",
        "amean",
        "mean",
        "average",
        "avg",
        "median",
        "std",
        "stdev",
        "gmean",
        "gm",
        "total",
        "sum",
        "min",
        "max",
    )
)
"""What tools and spreadsheets call a summary over all topics where a topic's name belongs."""


def read_table(text: str, source: str, measure: str | None = None, missing: Missing = "error") -> ScoreMatrix:
    """Scores from comma-, tab- or semicolon-separated text, wide or long.

    Args:
        text: the whole file.
        source: its name, for messages.
        measure: which measure of a long table; for a table that names none, what to call it.
        missing: what to do about missing scores.

    Raises:
        InputError: anything that makes the table unusable; the message has file and line.
        UnknownNameError: a measure that the table does not have.
    """
    return _read(TextSheet(text, source), measure, missing)


def read_frame(
    frame: pd.DataFrame, source: str | None = None, measure: str | None = None, missing: Missing = "error"
) -> ScoreMatrix:
    """Scores from a pandas data frame, wide (topics in the index or a column) or long.

    Raises:
        InputError: as :func:`read_table`; messages say `data frame` where there is no file.
        UnknownNameError: a measure that the frame does not have.
    """
    return _read(FrameSheet(frame, source), measure, missing)


def read_parquet(
    data: bytes, source: str, measure: str | None = None, missing: Missing = "error"
) -> ScoreMatrix:
    """Scores from the bytes of a Parquet file, wide or long.

    Raises:
        InputError: as :func:`read_table`, or a broken file.
        UnknownNameError: a measure that the table does not have.
    """
    import pyarrow
    from pyarrow import parquet

    try:
        # ParquetFile, for it reads columns of equal names too, and those get a clear message later.
        columns = parquet.ParquetFile(io.BytesIO(data)).read()
        columns.validate(full=True)  # text that is none would pass until something looks at it
        frame = columns.to_pandas()
    except (pyarrow.ArrowException, OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"{source}: broken Parquet file ({reason}); write it again") from None
    return read_frame(frame, source, measure, missing)


def _read(sheet: Sheet, measure: str | None, missing: Missing) -> ScoreMatrix:
    long = long_layout(sheet.header)
    # A wide table may have a system that is called `run`: without a value column, only a column of
    # names makes a table long.
    if long is not None and (long.value is not None or _holds_names(sheet, long.system)):
        return _read_long(sheet, long, measure, missing)
    _refuse_lookalikes(sheet)
    return _read_wide(sheet, measure, missing)


# ── wide ──────────────────────────────────────────────────────────────────────────────────────────


def _read_wide(sheet: Sheet, measure: str | None, missing: Missing) -> ScoreMatrix:
    header = sheet.header
    topic_column = _topic_column(sheet)
    _refuse_transposed(sheet, topic_column)
    columns = range(0 if topic_column is None else topic_column + 1, len(header))
    systems = [header[column] for column in columns]
    _check_systems(sheet, columns)
    notes = []
    rows = list(range(sheet.rows))
    if topic_column is None:
        topics = [str(row + 1) for row in rows]
        _refuse_unnamed_topics(sheet)
    else:
        topics = sheet.names(topic_column)
        averages = [topic for topic in topics if is_average(topic)]
        rows = [row for row in rows if topics[row] not in averages]
        if averages:
            names = ", ".join(map(repr, averages))
            notes.append(f"row {names} sums up the topics, is no topic, and is left out")
        topics = [topics[row] for row in rows]
        if not rows:
            raise InputError(f"{sheet.place()}only averages over all topics; give the scores of each topic")
        _check_topics(sheet, topics, rows)
    values = sheet.numbers(columns, rows)
    values, topics, more = treat_missing(
        values, topics, systems, missing, lambda t, _: sheet.place(rows[t]), sheet.place()
    )
    return ScoreMatrix.build(values, topics, systems, measure or "", sheet.source, notes + more)


def _topic_column(sheet: Sheet) -> int | None:
    header = sheet.header
    if len(header) > 1 and is_topic(header[0]):
        # A row count that pandas wrote, followed by the topics.
        return 1 if is_unnamed(header[0]) and plain(header[1]) in TOPIC and len(header) > 2 else 0
    if len(header) > 1 and _holds_names(sheet, 0):
        return 0
    late = find(header, TOPIC)
    if late is not None:
        raise InputError(
            f"{sheet.place()}the topic column {header[late]!r} is column {late + 1}; put it first, "
            "or rename it if it is a system"
        )
    return None


def _holds_names(sheet: Sheet, column: int) -> bool:
    cells = [cell for cell in sheet.names(column) if not is_missing(cell)]
    return bool(cells) and not any(map(is_number, cells))


def _refuse_transposed(sheet: Sheet, topic_column: int | None) -> None:
    """A row per system, as leaderboards are published: read as it stands it would rank the measures."""
    first = plain(sheet.header[0])
    if topic_column == 0 and (first in SYSTEM or first in ("systems", "runs", "models", "method", "ranker")):
        raise InputError(
            f"{sheet.place()}column {sheet.header[0]!r} says that rows are systems; a table needs a row per "
            "topic and a column per system: transpose it (one mean per system is not enough)"
        )


def _refuse_unnamed_topics(sheet: Sheet) -> None:
    """Whole numbers that differ and lie outside all scores are topics under a name we do not know."""
    if len(sheet.header) < 2 or sheet.rows < 3:
        return
    first, rest = sheet.numbers([0])[:, 0], sheet.numbers(range(1, len(sheet.header)))
    whole = np.array_equal(first, np.round(first)) and len(np.unique(first)) == len(first)
    if whole and first.min() >= 1 and first.max() > 2 * np.nanmax(rest, initial=1):
        raise InputError(
            f"{sheet.place()}column {sheet.header[0]!r} looks like topics, not like a system's scores; "
            "name it 'topic'"
        )


def _check_systems(sheet: Sheet, columns: Sequence[int]) -> None:
    seen: dict[str, int] = {}
    for column in columns:
        name = sheet.header[column]
        if not name.strip():
            raise InputError(f"{sheet.place()}column {column + 1} has no name; name the system in the header")
        if name in seen:
            raise InputError(
                f"{sheet.place()}columns {seen[name] + 1} and {column + 1} are both named {name!r}; "
                "give every system a name of its own"
            )
        seen[name] = column


def _check_topics(sheet: Sheet, topics: Sequence[str], rows: Sequence[int]) -> None:
    seen: dict[str, int] = {}
    for topic, row in zip(topics, rows, strict=True):
        if not topic:
            raise InputError(
                f"{sheet.place(row)}the topic has no name; fill the first cell or remove the row"
            )
        if topic in seen:
            first = sheet.place(seen[topic]).removesuffix(": ")
            raise InputError(
                f"{sheet.place(row)}topic {topic!r} was already given at {first}; keep one of the rows"
            )
        seen[topic] = row


def is_average(topic: str) -> bool:
    """Whether a topic's name says that its row sums up the others."""
    return topic.strip().casefold() in AVERAGES


def looks_like_documents(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a run or of judgments."""
    return find(columns, ("doc_id", "docno", "docid")) is not None


def lacks_systems(columns: Sequence[str]) -> bool:
    """Whether the columns are those of a long table without systems."""
    return find(columns, VALUE) is not None and find(columns, MEASURE) is not None


def _refuse_lookalikes(sheet: Sheet) -> None:
    """Say what a table is when it is no table of scores but has the columns of one."""
    header = sheet.header
    if find(header, TOPIC) is None or len(header) < 3:
        return
    if looks_like_documents(header):
        raise InputError(
            f"{sheet.place()}these are documents (a run or judgments), not scores; evaluate runs with qrels"
        )
    if lacks_systems(header):
        raise InputError(
            f"{sheet.place()}no column says which system a score belongs to; add one named 'system'"
        )


# ── long ──────────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class LongLayout:
    """Which columns of a long table hold what; without `value`, each of `others` is a measure."""

    topic: int
    system: int
    value: int | None
    measure: int | None
    others: tuple[int, ...]


def long_layout(header: Sequence[str]) -> LongLayout | None:
    """The layout of a long table, by its column names; None when they are those of a wide one."""
    topic, system = find(header, TOPIC), find(header, SYSTEM)
    value, measure = find(header, VALUE), find(header, MEASURE)
    used = {topic, system, value, measure}
    others = tuple(c for c, name in enumerate(header) if c not in used and not is_unnamed(name))
    if topic is None or system is None or (value is None and not others):
        return None
    return LongLayout(topic, system, value, measure, others)


def _read_long(sheet: Sheet, layout: LongLayout, measure: str | None, missing: Missing) -> ScoreMatrix:
    rows = list(range(sheet.rows))
    notes: list[str] = []
    if layout.value is None:
        column, name = _measure_column(sheet, layout, measure)
    else:
        column, name = layout.value, measure or ""
        if layout.measure is not None:
            measures = sheet.names(layout.measure)
            name = pick_measure(list(dict.fromkeys(measures)), measure, sheet.place())
            rows = [row for row in rows if measures[row] == name]
        if layout.others:
            unused = few([sheet.header[c] for c in layout.others], 8)
            notes.append(f"columns that are not used: {unused}")
    topics, systems = sheet.names(layout.topic), sheet.names(layout.system)
    rows = [row for row in rows if topics[row] not in AVERAGES]
    if not rows:
        raise InputError(f"{sheet.place()}only averages over all topics; give the scores of each topic")
    values, topic_names, system_names = _pivot(
        sheet,
        rows,
        [topics[r] for r in rows],
        [systems[r] for r in rows],
        sheet.numbers([column], rows)[:, 0],
    )
    values, topic_names, more = treat_missing(
        values, topic_names, system_names, missing, lambda _t, _s: sheet.place(), sheet.place()
    )
    return ScoreMatrix.build(values, topic_names, system_names, name, sheet.source, notes + more)


def _measure_column(sheet: Sheet, layout: LongLayout, measure: str | None) -> tuple[int, str]:
    """The column of a table with a column per measure, such as gdeval's output."""
    numeric = [c for c in layout.others if any(map(is_number, sheet.names(c)))]
    if not numeric:
        raise InputError(f"{sheet.place()}no column of scores beside topics and systems; name it 'value'")
    names = [sheet.header[c] for c in numeric]
    name = pick_measure(names, measure, sheet.place())
    return numeric[names.index(name)], name


def _pivot(
    sheet: Sheet, rows: Sequence[int], topics: list[str], systems: list[str], scores: NDArray[np.float64]
) -> tuple[NDArray[np.float64], list[str], list[str]]:
    """Topics × systems in order of first appearance, NaN where no row gives a score."""
    topic_at: dict[str, int] = {}
    system_at: dict[str, int] = {}
    t = np.array([topic_at.setdefault(topic, len(topic_at)) for topic in topics])
    s = np.array([system_at.setdefault(system, len(system_at)) for system in systems])
    for kind, names, given in (("topic", topic_at, topics), ("system", system_at, systems)):
        if "" in names:
            raise InputError(f"{sheet.place(rows[given.index('')])}the {kind} has no name; fill the cell")
    cell = t * len(system_at) + s
    order = np.argsort(cell, kind="stable")
    repeats = np.flatnonzero(np.diff(cell[order]) == 0)
    if len(repeats):
        again = int(order[repeats + 1].min())  # the first in the file
        first = int(np.flatnonzero(cell == cell[again])[0])
        raise InputError(
            f"{sheet.place(rows[again])}system {systems[again]!r} already has a score on topic "
            f"{topics[again]!r}, at {sheet.place(rows[first]).removesuffix(': ')}; keep one of the two"
        )
    values = np.full((len(topic_at), len(system_at)), np.nan)
    values[t, s] = scores
    return values, list(topic_at), list(system_at)
