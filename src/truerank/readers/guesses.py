"""What the columns of a table may hold, for messages: a guess to paste, and what distinguishes equal rows."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import permutations

from truerank._support.arguments import setting
from truerank._support.wording import count
from truerank.readers.columns import (
    DATA_SET,
    RUN,
    SCORE_BY_MEANING,
    SYSTEM,
    TASK,
    TOPIC,
    TOPIC_OR_ROW,
    VALUE,
    ColumnNames,
    find,
    is_about_topics,
    is_unnamed,
    plain,
)
from truerank.readers.labels import Labels
from truerank.readers.sheets import ROWS, Sheet, counts_up, holds_names, holds_scores, is_missing, is_number

_SPENT = re.compile(r"latency|cost|price|token|duration|elapsed|seconds|_ms$|Ms$", re.IGNORECASE)
"""Columns of what an answer took: they differ by chance, and number no runs."""

_LOOKED_AT = 12
"""Columns that are tried as topics and systems."""


def long_reading(sheet: Sheet) -> ColumnNames | None:
    """Topics, systems and scores of a table with one row per score, where some columns fit; None if none do.

    Names come again, and no two rows have both names alike; where no name says which is which, there are
    fewer systems than topics.
    """
    header = range(len(sheet.header))
    scores = [
        c
        for c in header
        if holds_scores(sheet, c) and not is_about_topics(sheet.header[c], counts_up(sheet, c))
    ]
    named = find([sheet.header[c] if c in scores else "" for c in header], (*VALUE, *SCORE_BY_MEANING))
    score = named if named is not None else scores[-1] if scores else None
    if score is None:
        return None
    cells = {c: sheet.names(c) for c in header if c != score and not is_unnamed(sheet.header[c])}
    again = [c for c, names in cells.items() if len(set(names)) < sheet.rows or sheet.rows == 2]
    again.sort(key=lambda c: not holds_names(sheet, c))
    fitting = [
        (topic, system)
        for topic, system in permutations(again[:_LOOKED_AT], 2)
        if len(set(zip(cells[topic], cells[system], strict=True))) == sheet.rows
        and plain(sheet.header[system]) not in (*TOPIC, *RUN)
        and plain(sheet.header[topic]) not in SYSTEM
        and holds_names(sheet, system)
        and (
            find([sheet.header[topic]], TOPIC) is not None
            or find([sheet.header[system]], SYSTEM) is not None
            or len(set(cells[system])) <= len(set(cells[topic]))
        )
    ]
    if not fitting:
        return None

    def unlikely(pair: tuple[int, int]) -> tuple[bool, bool, int]:
        topic, system = (sheet.header[c] for c in pair)
        return find([topic], TOPIC) is None, find([system], SYSTEM) is None, len(set(cells[pair[1]]))

    topic, system = min(fitting, key=unlikely)
    return ColumnNames(topic=sheet.header[topic], system=sheet.header[system], score=sheet.header[score])


def to_paste(names: ColumnNames) -> str:
    """The options that name columns, as they are typed."""
    return " ".join(names.given) if names.given[0].startswith("-") else ", ".join(names.given)


def listed(sheet: Sheet) -> str:
    """The columns of a table, each with what it seems to hold."""
    parts = []
    for column, name in enumerate(sheet.header[:_LOOKED_AT]):
        cells = [cell for cell in sheet.names(column) if not is_missing(cell)]
        different = len(set(cells))
        if not cells:
            what = "empty"
        elif holds_names(sheet, column):
            what = count(different, "text") if different < len(cells) else "texts that all differ"
        elif all(map(is_number, cells)):
            numbers = [float(cell) for cell in cells]
            what = f"numbers from {min(numbers):.4g} to {max(numbers):.4g}"
        else:
            what = "grades"
        parts.append(f"{name!r} ({what})")
    parts += ["…"] if len(sheet.header) > _LOOKED_AT else []
    parts += [f"{name!r} (lists: write one row per entry)" for name in sheet.lists]
    return ", ".join(parts)


def apart(sheet: Sheet, rows: Sequence[int], keys: Sequence[object], columns: Iterable[int]) -> list[int]:
    """The columns whose cells differ wherever a key comes again."""
    times: dict[object, list[int]] = {}
    for row, key in zip(rows, keys, strict=True):
        times.setdefault(key, []).append(row)
    groups = [group for group in times.values() if len(group) > 1]
    found = []
    for column in columns:
        cells = sheet.names(column)
        if all(len({cells[row] for row in group}) == len(group) for group in groups):
            found.append(column)
    return found


def remedy_for_repeats(
    sheet: Sheet,
    rows: Sequence[int],
    keys: Sequence[object],
    columns: Sequence[int],
    systems: Sequence[str],
    labels: Labels,
) -> str:
    """What to do about rows of one system and topic: what distinguishes them, with the option to paste."""
    found = [c for c in apart(sheet, rows, keys, columns) if not _SPENT.search(sheet.header[c])]
    if not found:
        cells = [tuple(sheet.names(column)[row] for column in range(len(sheet.header))) for row in rows]
        if len(set(cells)) == len(set(keys)):
            return "the rows are copies of one another: remove all but one"
        times = Counter(keys)
        if len(times) > 1 and len(set(times.values())) == 1:
            return (
                f"each system has {max(times.values())} rows on each topic, which no column distinguishes. "
                f"If they are runs, use {setting('run_column', ROWS)}, which takes them in their order"
            )
        return (
            "no column distinguishes the rows: number them in a new column 'run' and use "
            f"{setting('run_column', 'run')} to average them, or remove the wrong one{labels.remedy}"
        )
    found.sort(key=lambda column: _likely(sheet.header[column]))
    name, cells_of = sheet.header[found[0]], sheet.names(found[0])
    runs = [f"{setting('run_column', name)} averages runs"]
    topics, sets, facets = [], [], []
    different = {cells_of[row] for row in rows}
    pairs = set(zip((cells_of[row] for row in rows), systems or [""] * len(rows), strict=True))
    if plain(name) not in RUN:
        facets = [f"{setting('facet', name)} if it names prompts or judges"]
        if labels.one_score or (len(pairs) == len(rows) and len(different) > 2):
            topics = [f"{setting('topic_column', name)} if it names the topics"]
        if not labels.several and len(different) <= len(rows) / 2 and holds_names(sheet, found[0]):
            sets = [f"{setting('data_set_column', name)} if it names data sets"]
    finer = bool(topics) and len(different) > len({labels.key(row) for row in rows})
    if plain(name) in (*TOPIC, *TOPIC_OR_ROW) or labels.one_score or finer:
        offers = topics + sets + facets + runs
    elif plain(name) in (*DATA_SET, *TASK):
        offers = sets + topics + facets + runs
    else:
        offers = runs + facets + sets + topics
    return f"column {name!r} distinguishes them: {', '.join(offers)}"


def _likely(name: str) -> tuple[bool, bool]:
    """Runs first, then data sets and ids, then anything else."""
    return plain(name) not in RUN, plain(name) not in (*DATA_SET, *TASK, *TOPIC, *TOPIC_OR_ROW)
