"""What the columns of a table may hold, for messages: a guess to paste, and what distinguishes equal rows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from typing import TYPE_CHECKING

import numpy as np

from truerank._support.arguments import setting
from truerank.errors import InputError
from truerank.readers.cell_values import TEXT, WORD, Codes, Column, all_differ, different, joint
from truerank.readers.options import COLUMNS, ReadOptions
from truerank.readers.roles import PATTERNS, has_role, is_measure, is_property, is_unnamed, unlikely_measure
from truerank.readers.sheets import ROWS, Sheet

if TYPE_CHECKING:
    from truerank.readers.labels import Labels
    from truerank.readers.layout import Layout

_NONE = ReadOptions()

_LOOKED_AT = 12
"""Columns that are tried as topics and systems."""

_ROWS, _CELL = 3, 16
"""Rows that a message shows, and characters of a cell."""

_CROSSED = 0.9
"""Share of topics × systems × levels from which on rows are crossed with the levels of a column."""


def long_reading(sheet: Sheet) -> ReadOptions | None:
    """Topics, systems and scores of a table with one row per score, where some columns fit; None if none do.

    Names come again, and no two rows have both names alike; where no name says which is which, there are
    fewer systems than topics.
    """
    header = sheet.header
    held = {c: sheet.column(c) for c in range(len(header))}
    scores = [c for c, one in held.items() if one.holds_scores and not is_property(header[c], one.counts_up)]
    score = sheet.find("value", "score_by_meaning", among={*scores})
    if score is None:
        score = min(reversed(scores), key=lambda c: unlikely_measure(header[c]), default=None)
    if score is None:
        return None
    columns = {c: column for c, column in held.items() if c != score and not is_unnamed(header[c])}
    again = [c for c, column in columns.items() if len(column.levels) < sheet.rows or sheet.rows == 2]
    again.sort(key=lambda c: not columns[c].holds_names)
    runs = [column.codes for c, column in columns.items() if has_role(header[c], "repeats", "system_wide")]
    apart = {
        frozenset(pair)
        for pair in combinations(again[:_LOOKED_AT], 2)
        if all_differ(joint(*(columns[c].codes for c in pair), *runs))
    }
    fitting = [
        (topic, system)
        for topic, system in permutations(again[:_LOOKED_AT], 2)
        if {topic, system} in apart
        and not has_role(header[system], "topic", "data_set", "run")
        and not has_role(header[topic], "system")
        and not columns[topic].holds_fractions
        and columns[system].holds_names
        and (
            has_role(header[topic], "topic", "data_set")
            or has_role(header[system], "system")
            or len(columns[system].levels) <= len(columns[topic].levels)
        )
    ]
    if not fitting:
        return None

    def unlikely(pair: tuple[int, int]) -> tuple[bool, bool, int]:
        named = has_role(header[pair[0]], "topic", "data_set"), has_role(header[pair[1]], "system")
        return not named[0], not named[1], len(columns[pair[1]].levels)

    topic, system = min(fitting, key=unlikely)
    return ReadOptions(topic_column=header[topic], system_column=header[system], score_column=header[score])


def one_row_per_score(sheet: Sheet, given: ReadOptions = _NONE) -> str | None:
    """What to use if a table has one row per score: what is not given yet; None where nothing fits."""
    guess = long_reading(sheet)
    if guess is None:
        return None
    taken = [getattr(given, name) for name in COLUMNS]
    known = "topic_column" if has_role(guess.topic_column or "", "data_set") else None  # it stays a data set
    left = [
        name
        for name in ("topic_column", "system_column", "score_column")
        if getattr(given, name) is None and getattr(guess, name) not in taken and name != known
    ]
    named = guess.given(*left) if left else []
    return (" " if named and named[0].startswith("-") else ", ").join(named)


def ask(sheet: Sheet, what: str, *ways: str, row: int | None = None) -> InputError:
    """The one error about the layout: what is unsure, the first rows as parsed, and what decides."""
    use = f". Use {', or '.join(ways)}" if ways else ""
    return InputError(f"{sheet.place(row)}{what}. The first rows are {listed(sheet)}{use}")


def listed(sheet: Sheet) -> str:
    """The columns of a table, each with what it was taken for, and its first cells."""
    parts = []
    for number, name in enumerate(sheet.header[:_LOOKED_AT]):
        column = sheet.column(number)
        cells = [" ".join(cell.split()) for cell in column.cells(np.arange(min(sheet.rows, _ROWS)))]
        shown = ", ".join(cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…" for cell in cells)
        parts.append(f"{name!r} ({taken_for(name, column)}: {shown})")
    parts += ["…"] if len(sheet.header) > _LOOKED_AT else []
    parts += [f"{name!r} (lists: write one row per entry)" for name in sheet.lists]
    return ", ".join(parts)


_TAKEN = {
    "topic": "topics",
    "data_set": "data sets",
    "task": "data sets",
    "system": "systems",
    "measure": "measures",
    "repeats": "runs",
    "system_wide": "runs",
    "facets": "a facet",
}


def taken_for(name: str, column: Column) -> str:
    """What a column was taken for: by its name where that says it, else what its cells are."""
    if column.holds_scores:
        return "scores" if has_role(name, "value", "score_by_meaning") or is_measure(name) else "numbers"
    if not (column.has(TEXT) or column.has(WORD)):
        return "empty"
    return next((kind for role, kind in _TAKEN.items() if has_role(name, role)), "texts")


def remedy_for_repeats(
    sheet: Sheet,
    rows: Codes,
    keys: Codes,
    columns: Sequence[int],
    labels: Labels,
    systems: Codes,
    layout: Layout,
) -> str:
    """What to do about rows of one system and topic: what distinguishes them, with the options to paste.

    `keys` are what each row is the score of; `systems` are the same without data sets and topics.
    """
    cells = {
        c: sheet.column(c).codes[rows] for c in columns if not PATTERNS["spent"].fullmatch(sheet.header[c])
    }
    found = [c for c, codes in cells.items() if all_differ(joint(keys, codes))]
    runs_known, facets_known = bool(layout.runs), [sheet.header[c] for c in layout.facets]
    if not found:
        several = _for_several(sheet, keys, cells, facets_known)
        return several or _for_rows_alike(sheet, rows, keys, labels, facets_known)
    found.sort(key=lambda column: _likely(sheet.header[column]))
    name, codes = sheet.header[found[0]], cells[found[0]]
    levels, of_topics = different(codes), different(labels.codes[rows])
    ids, named = has_role(name, "topic", "topic_or_row", "topic_of_long"), sheet.column(found[0]).holds_names
    every = len(rows) >= _CROSSED * different(keys) * levels
    crossed = every and 2 * levels <= of_topics
    runs = [] if runs_known else [f"{setting('run_column', name)} averages runs"]
    topics, sets, facets = [], [], []
    if not has_role(name, "run") or runs_known:
        apart = joint(systems, codes, labels.data_sets.codes[rows])  # the rows, were these the topics
        alone = all_differ(apart)
        taken = (c for c in range(len(sheet.header)) if sheet.column(c) is labels.topics)
        beside = [setting("facet", sheet.header[c]) for c in taken if not alone and levels > of_topics]
        if (labels.one_score or ids or levels > 2) and (alone or beside):
            options = " ".join([setting("topic_column", name), *beside])
            topics = [f"{options} if it names the {labels.unit.many}"]
        if not beside:
            facets = [f"{setting('facet', name)} if it names prompts or judges"]
        if not labels.several and levels <= len(rows) / 2 and named and not (every and (ids or beside)):
            sets = [f"{setting('data_set_column', name)} if it names data sets"]
            sets = [f"{sets[0]} with {labels.unit.many} of their own"] if crossed else sets
    finer = bool(topics) and levels > of_topics
    if topics and (has_role(name, "topic", "topic_or_row") or labels.one_score or finer):
        offers = topics + sets + facets + runs
    elif has_role(name, "data_set", "task"):
        offers = sets + topics + facets + runs
    elif crossed and (named or ids) and not has_role(name, "run"):
        offers = facets + runs + topics + sets
    else:
        offers = runs + facets + sets + topics
    all_of_it = f", and each {labels.unit.one} has all {levels} of its values" if crossed else ""
    return f"column {name!r} distinguishes them{all_of_it}: {', '.join(offers)}"


def _for_several(sheet: Sheet, keys: Codes, cells: Mapping[int, Codes], facets: Sequence[str]) -> str:
    """What to do about rows that several columns distinguish together, or some of them."""
    alone = different(keys)
    kept = [c for c, codes in cells.items() if different(codes) <= len(keys) / 2]
    kept = [c for c in kept if different(joint(keys, cells[c])) > alone]
    together = bool(kept) and all_differ(joint(keys, *(cells[c] for c in kept)))
    for column in kept if together else ():
        fewer = [c for c in kept if c != column]
        if fewer and all_differ(joint(keys, *(cells[c] for c in fewer))):
            kept = fewer
    numbered = [c for c in kept if not sheet.column(c).holds_names] if together else []
    runs = sheet.header[numbered[-1]] if numbered else "" if together else ROWS
    levels = [name for name in (sheet.header[c] for c in kept) if name != runs]
    if not levels:
        return ""
    named = [setting("facet", name) for name in (*facets, *levels)]
    options = " ".join([*named, *([setting("run_column", runs)] if runs else [])])
    of_runs = "; runs are averaged" if runs else ""
    found = (
        "several columns together distinguish them"
        if together
        else f"{levels[0]!r} distinguishes some of them"
    )
    return f"{found}: use {options} (facets are prompts, judges …{of_runs})"


def _for_rows_alike(sheet: Sheet, rows: Codes, keys: Codes, labels: Labels, facets: Sequence[str]) -> str:
    """What to do about rows that no column distinguishes."""
    everything = joint(*(sheet.column(c).codes[rows] for c in range(len(sheet.header))))
    times = np.unique(keys, return_counts=True)[1]
    if different(everything) == len(times):
        return "the rows are copies of one another: remove all but one"
    if len(times) > 1 and (times == times[0]).all():
        at = "".join(f" at each {name}" for name in facets)
        options = " ".join([*(setting("facet", name) for name in facets), setting("run_column", ROWS)])
        return (
            f"each system has {times[0]} rows on each {labels.unit.one}{at}, which no column distinguishes. "
            f"If they are runs, use {options}, which takes them in their order"
        )
    return (
        "no column distinguishes the rows: number them in a new column 'run' and use "
        f"{setting('run_column', 'run')} to average them, or remove the wrong one{labels.remedy}"
    )


def _likely(name: str) -> tuple[bool, bool]:
    ids = ("data_set", "task", "topic", "topic_or_row", "topic_of_long")
    return not has_role(name, "run"), not has_role(name, *ids)
