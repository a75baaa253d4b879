"""Which column of a score table holds what, by the columns' names: wide, long, or with one row per system."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.types import Vector
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import NUMBER, TEXT, WORD, Codes, all_differ, different, is_number, joint
from truerank.readers.guesses import ask, one_row_per_score
from truerank.readers.options import COLUMNS, Options, ignoring
from truerank.readers.roles import (
    NAMES,
    NUMBER_BEHIND,
    averages,
    beside_scores,
    called,
    called_like_ids,
    column_named,
    find,
    has_role,
    is_average,
    is_measure,
    is_measure_alone,
    is_property,
    is_unnamed,
    like_topics,
    lower_is_better,
    numbered,
    plain,
    sums_up,
)
from truerank.readers.sheets import Sheet, first_line_of_scores

_FEW = 3
"""Rows below which numbers that count up may be scores."""

_LARGEST_FRACTION, _LARGEST_PERCENT = 3.0, 100.0
"""Largest scores that may be fractions of 1, or percent."""

_OTHER_SCALE = 20.0
"""How many times the largest score of the median column one is that is on another scale."""


@dataclass(frozen=True)
class Layout:
    """Which columns of a table hold what, by their places.

    In a long table `system` names the system of each score; without `score`, each of `others` is a measure.
    `scores` are the columns of a wide table: one per system, or one per topic where rows are systems. Beside
    the latter, `summaries` sum these up or tell of the systems. `runs` and `facets` distinguish scores of one
    cell. `others` have no part, and `ignore` is what the user leaves out.
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
    scores: tuple[int, ...] = ()
    summaries: tuple[int, ...] = ()
    others: tuple[int, ...] = ()
    ignore: frozenset[int] = frozenset()

    @classmethod
    def named(cls, header: Sequence[str], options: Options, place: str) -> Layout:
        """The columns that the user named; a column is meant before a file of clusters of that name."""
        parts = ("topic", "system", "score", "data_set", "measure", "run")
        cluster = options.cluster_file if options.cluster_file in header else options.cluster
        names = {part: getattr(options, f"{part}_column") for part in parts} | {"cluster": cluster}
        found: dict[str, Any] = {
            part: column_named(header, name, place) for part, name in names.items() if name is not None
        }
        facets, ignored = (
            tuple(column_named(header, name, place) for name in given)
            for given in (options.facet, options.ignore_columns)
        )
        there = [*found.values(), *facets]
        if len(set(there)) < len(there):
            twice = next(header[column] for column in there if there.count(column) > 1)
            raise InputError(f"{place}column {twice!r} is named for two things; name it for one")
        runs = (found.pop("run"),) if "run" in found else ()
        family = None if options.family is None else column_named(header, options.family, place)
        return cls(**found, family=family, runs=runs, facets=facets, ignore=frozenset(ignored))

    @property
    def used(self) -> set[int]:
        """The columns that have a part, or are left out; but for `scores`."""
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


# Runs and facets: what distinguishes rows of one topic


def keys_of(sheet: Sheet, layout: Layout, rows: Codes, keys: Codes) -> Codes:
    """What each row is the score of, levels and run included; `keys` are what it is without them."""
    return joint(keys, *(sheet.columns[c].codes[rows] for c in (*layout.facets, *layout.runs)))


def varies(sheet: Sheet, rows: Codes, keys: Codes, column: int) -> bool:
    """Whether a column has different cells in rows that are of one key."""
    return different(joint(keys, sheet.columns[column].codes[rows])) > different(keys)


def with_repeats(sheet: Sheet, layout: Layout, rows: Codes, keys: Codes, others: Sequence[int]) -> Layout:
    """The layout with those of the other columns that are called like facets or runs, where rows repeat."""
    found = layout
    for roles in (("facets",), ("repeats", "system_wide")):
        now, of_runs = keys_of(sheet, found, rows, keys), "repeats" in roles
        if all_differ(now) or (of_runs and layout.runs):
            break
        named = [c for c in others if has_role(sheet.header[c], *roles) and c not in found.used]
        more = tuple(c for c in named if varies(sheet, rows, now, c))
        found = replace(found, runs=more) if of_runs else replace(found, facets=(*found.facets, *more))
    return found


def runs_of_rows(sheet: Sheet, named: Layout) -> Layout:
    """What is named, with the column of runs and those of facets in a wide table whose topics repeat."""
    topic = sheet.find("topic", "topic_first") if named.topic is None else named.topic
    data_set = sheet.find("data_set") if named.data_set is None else named.data_set
    if topic is None and data_set is None:
        data_set = sheet.find("task")
    if (topic is None and data_set is None) or named.system is not None:
        return named
    keys = joint(*(sheet.columns[c].codes for c in (topic, data_set) if c is not None))
    others = [c for c in range(len(sheet.header)) if c not in {topic, data_set} | named.used]
    rows = np.arange(sheet.rows)
    found = with_repeats(sheet, named, rows, keys, others)
    return found if len(found.runs) < 2 and all_differ(keys_of(sheet, found, rows, keys)) else named


# Wide tables: what rows are about, then a column for each system


def wide_layout(sheet: Sheet, named: Layout, options: Options) -> Layout:
    """The layout of a wide table: what the rows are about stands before the columns of systems."""
    header, apart = sheet.header, named.used
    found, end = _leading(sheet, apart, options) if len(header) > 1 else ({}, 0)
    unused = {column for column in range(end) if column not in (*apart, *found.values())}
    given = {part for part in ("cluster", "topic", "data_set") if getattr(named, part) is not None}
    given |= {"unused", "weight"} if options.weights is not None else {"unused"}
    unused |= {found.pop(part) for part in given & found.keys()}
    counts = found.pop("count", None)
    following = next((c for c in range(end, len(header)) if c not in apart), len(header))
    if named.topic is None and "topic" not in found and counts is not None:
        text = following < len(header) and sheet.columns[following].holds_text
        differ = "data_set" in found and all_differ(sheet.columns[found["data_set"]].codes)
        if not (_counts_rows(sheet, counts) and (text or differ)):
            found["topic"] = counts
    if named.topic is None and "topic" not in found and following < len(header) - 1:
        if options.transpose is False and sheet.columns[following].holds_text:
            found["topic"], end = following, following + 1
        elif options.transpose is None:
            _ask_what_rows_are(sheet, following, found.get("data_set", named.data_set), apart)
    after = [column for column in range(end, len(header)) if column not in apart]
    for column in after if named.data_set is None else ():
        _refuse_late(sheet, column)
    texts = [column for column in after if sheet.columns[column].holds_text]
    systems = tuple(column for column in after if column not in texts)
    by = next((c for c in systems if header[c] == options.measure), named.score)
    if by is not None:  # the only system of the table
        unused |= set(systems) - {by}
        systems = (by,)
    if not systems and len(header) == 1:
        raise InputError(
            f"{sheet.place()}the only column is {header[0]!r}, and holds no scores; separate columns by "
            "commas, semicolons or tabs"
        )
    if not systems:
        battles = "of battles, call the columns model_a, model_b and winner"
        raise ask(sheet, f"no column of scores; add one for each system, or, {battles}")
    layout = replace(named, **found, scores=systems, others=tuple(sorted(unused | set(texts))))
    if len(systems) == 1 and not layout.names_rows and is_number(header[systems[0]]) and by is None:
        raise first_line_of_scores(sheet.place())
    if options.transpose is None and any(sheet.columns[c].holds_names for c in range(systems[0])):
        refuse_runs(sheet, systems, "systems", f"{setting('transpose', False)} if they are systems")
    _refuse_about_topics(sheet, layout, options)
    return layout


def _ask_what_rows_are(sheet: Sheet, first: int, data_set: int | None, apart: set[int]) -> None:
    """Ask what the rows are where no name says it: the column before the systems, or one among them, may."""
    header = sheet.header
    others = [c for c in range(len(header)) if c not in {first} | apart]
    if sheet.columns[first].holds_text:
        names = setting("topic_column", header[first])
        scores = [c for c in range(len(header)) if c != first and sheet.columns[c].holds_scores]
        if long := one_row_per_score(sheet):
            ways = [f"{long} if there is one row per score", f"{names} if rows are topics"]
        elif data_set is not None and len(scores) == 1:
            ways = [setting("system_column", header[first]), names]
        elif data_set is not None:
            one_row = all_differ(sheet.columns[data_set].codes)
            ways = [names, *[f"{ignoring(header[first])} if it does not"] * one_row]
        elif len(scores) == 1:
            ways = [names]
        else:
            transposed = _rows_as_systems(sheet, others)
            ways = [f"{names} if rows are topics", f"{transposed} if they are systems"]
        raise ask(sheet, f"{called(header[first])} may name topics or systems", *ways)
    if like_topics([header[c] for c in others]) and not like_topics([header[first]]):
        both = either(", ", " ").join([setting("transpose", True), setting("system_column", header[first])])
        ways = [f"{both} if it names systems", f"{setting('transpose', False)} if all columns are systems"]
        raise ask(sheet, f"columns behind {called(header[first])} are called like topics", *ways)
    late = sheet.find("topic", among={first, *others})
    if late is not None:
        what = f"the topic column {header[late]!r} is column {late + 1}"
        rows = [header[c] for c in (first, *others) if c < late and _counts_rows(sheet, c)]
        ways = [setting("topic_column", header[late]), *([ignoring(*rows)] if rows else [])]
        raise ask(sheet, what, either(", ", " ").join(ways), "rename it if it is a system")


def _leading(sheet: Sheet, named: set[int], options: Options) -> tuple[dict[str, Any], int]:
    """The columns at the left that are no systems, by their part, and the first column after them."""
    header = sheet.header
    topic_later = any(has_role(name, "topic") for c, name in enumerate(header) if c not in named)
    found: dict[str, Any] = {}
    end = 0
    for column, name in enumerate(header):
        if column in named:
            continue
        part, at = _part(sheet, column), column
        if part == "data_set" and "data_set" in found:
            tasks = [c for c in (found["data_set"], column) if has_role(header[c], "task")]
            if len(tasks) != 1:
                break
            # A task of a data set is a topic, unless there are topics under a plainer name.
            found["data_set"] = found["data_set"] if tasks == [column] else column
            part, at = ("unused" if topic_later else "topic"), tasks[0]
        if part is None and sheet.columns[column].holds_text:
            continue  # no system; what it is follows from the others
        if part is None or part in found:
            break
        late = part == "topic" and has_role(name, "topic_first") and bool(found)
        if late and "data_set" not in found and not ("count" in found and _counts_rows(sheet, 0)):
            break
        found[part] = at
        end = column + 1
    if "weight" in found and "data_set" not in found and options.data_set is None:
        end = found["weight"]
        found = {part: column for part, column in found.items() if column < end}
    return (found, end) if {"topic", "data_set", "count"} & found.keys() else ({}, 0)


def _part(sheet: Sheet, column: int) -> str | None:
    """What a column at the left of a wide table holds, by its name and content."""
    name = sheet.header[column]
    counts = column == 0 and has_role(name, "topic_first") and _counts_rows(sheet, 0)
    if is_unnamed(name) or counts:
        return "count" if column == 0 else None
    role = next((role for role in NAMES["wide"] if has_role(name, role)), None)
    if role in ("topic", "topic_first"):
        return "topic"
    if role == "weight" or (role == "about_data_set" and column > 0):
        return "unused" if role == "about_data_set" else role
    if sheet.columns[column].holds_fractions:
        return None  # a system of that name
    return {"data_set": "data_set", "task": "data_set", "cluster": "cluster"}.get(role or "")


def _counts_rows(sheet: Sheet, column: int) -> bool:
    """Whether a column counts the rows from 0 or 1 on, as pandas does."""
    values = sheet.columns[column].values()  # the texts of all are looked up only where these count
    start = 0 if values[0] == 0 else 1
    counts = np.array_equal(values, np.arange(start, start + sheet.rows))
    return counts and sheet.names(column) == [str(row + start) for row in range(sheet.rows)]


def _refuse_late(sheet: Sheet, column: int) -> None:
    """Refuse a column among the systems that by its name and content says what rows are about."""
    name = sheet.header[column]
    part = "cluster" if has_role(name, "cluster") else None
    part = "data_set_column" if has_role(name, "data_set", "task") else part
    if part is not None and column > 0 and not sheet.columns[column].holds_fractions:
        kind = "data set" if part == "data_set_column" else part
        what = f"column {name!r} looks like the {kind} of each topic, but is column {column + 1}"
        raise ask(sheet, what, f"{setting(part, name)} if it is", f"{ignoring(name)}, or rename a system")


def _refuse_about_topics(sheet: Sheet, layout: Layout, options: Options) -> None:
    """Refuse columns that by their names are measures, or number, count or describe the topics."""
    columns, topic, several = layout.scores, layout.topic, len(layout.scores) > 1
    names = {column: sheet.header[column] for column in columns}
    told = {column for column in columns if _says_of_topics(sheet, column, columns)}
    scores = [name for name in names.values() if has_role(name, "value", "score_by_meaning")]
    systems = [name for column, name in names.items() if column not in told]
    if several and (scores or (systems and all(map(is_measure, systems)))):
        what = f"{few(list(names.values()), 8)} look like measures of one system, not like systems"
        long = one_row_per_score(sheet)
        one = (
            f"{setting('score_column', (scores or systems)[0])} for one of them, with a file for each system"
        )
        ways = [f"{long} if there is one row per score"] if long else []
        raise ask(sheet, what, *ways, f"{one}; or rename them if they are systems")
    keys = [sheet.columns[c].codes for c in (layout.data_set, topic) if c is not None]
    again = bool(keys) and not layout.runs and not all_differ(joint(*keys))
    if again and several and (runs := [name for name in names.values() if has_role(name, "run")]):
        what = f"topics come several times, and column {runs[0]!r} seems to number the runs"
        raise ask(sheet, what, setting("run_column", runs[0]))
    fractions = any(sheet.columns[column].holds_fractions for column in columns)
    for column, name in names.items():
        counts = several and sheet.rows >= _FEW and fractions and _counts_rows(sheet, column)
        if counts or _looks_like_ids(sheet, column, not keys and several and column == columns[0]):
            what = f"column {name!r} {'counts the rows, like' if counts else 'holds whole numbers like'} ids"
            ids = [] if options.topic_column and several else [f"{setting('topic_column', name)} if they are"]
            raise ask(sheet, f"{what} of topics", *ids, *[ignoring(name)] * several)
    if not several or options.transpose is False:
        return
    measures = {column for column in columns if is_measure_alone(names[column])}
    told |= measures | {columns[k] for k in beside_scores(list(names.values()))}
    told -= {column for column in told if is_average(names[column])}  # these are left out, with a note
    all_systems = f"{setting('transpose', False)} if all columns are systems"
    if len(told) == len(columns):
        what = f"no column is called like scores: {few(list(names.values()), 8)} may tell of the rows"
        one = f"{setting('score_column', names[columns[0]])} if it is the score, with a file for each system"
        raise ask(sheet, what, one, all_systems)
    if told:
        which = [name for column, name in names.items() if column in told]
        ways = [ignoring(*which), all_systems]
        if topic is not None and options.topic_column is None and is_unnamed(sheet.header[topic]):
            ways.insert(0, f"{_rows_as_systems(sheet, columns)} if rows are systems")
        what = "may tell of the rows, and be no system"
        if told <= measures:
            several = len(which) > 1
            what = (
                "look like measures, not like systems"
                if several
                else "looks like a measure, not like a system"
            )
        raise ask(sheet, f"{few(which, 8)} {what}", *ways)


def _looks_like_ids(sheet: Sheet, column: int, first: bool) -> bool:
    """Whether a column holds whole numbers, and is called like topics or, as the first one, all differ."""
    name, cells = sheet.header[column], sheet.columns[column]
    if not cells.counts_up or TEXT in cells.held or WORD in cells.held:
        return False
    differ = len(np.unique(cells.numbers)) == int(np.sum(~np.isnan(cells.values()))) > 1
    return called_like_ids(name) or (first and (differ or is_property(name, whole=True)))


def _says_of_topics(sheet: Sheet, column: int, columns: Sequence[int]) -> bool:
    """Whether a column counts or describes the topics, by its name and content; a letter may be a system."""
    name = sheet.header[column]
    if is_property(name, whole=False) or (has_role(name, "weight") and column > 0):
        return True
    runs = has_role(name, "system") and any(sheet.columns[other].holds_fractions for other in columns)
    if len(name) == 1 or (has_role(name, "system") and not runs):
        return is_property(name, whole=True) and sheet.columns[column].counts_up
    numbers_runs = has_role(name, "run") or is_property(name, whole=True)
    return numbers_runs and not sheet.columns[column].holds_fractions


def says_nothing_of_rows(sheet: Sheet, layout: Layout) -> bool:
    """Whether rows might be systems: names, in a column without one, that are not those of topics."""
    if layout.topic is None or layout.data_set is not None or sheet.rows < 2:
        return False
    if not (is_unnamed(sheet.header[layout.topic]) or plain(sheet.header[layout.topic]) == "index"):
        return False
    rows = sheet.names(layout.topic)
    names = [name for name, sums in zip(rows, averages(rows), strict=True) if not sums]
    if like_topics(names) or numbered(names):
        return False
    columns = [sheet.header[c] for c in layout.scores]
    if like_topics(columns) and columns[0] not in ("0", "1"):  # a frame counts its columns from 0
        both = (
            f"{setting('transpose', way)} if {kind} are systems"
            for way, kind in ((True, "rows"), (False, "columns"))
        )
        raise ask(sheet, "columns are called like topics, and the column of rows has no name", *both)
    return True


# Tables the other way round, as leaderboards are published: one row per system


def transposed_layout(sheet: Sheet, options: Options, named: Layout) -> Layout | None:
    """The layout of a table whose rows are systems; None where its columns are.

    Rows are systems if the user says so, or a column called `model`, `system` … holds names and no column is
    called like topics or data sets.
    """
    if named.names_rows and not options.transpose:
        return None
    if named.names_rows:
        raise InputError(
            f"{sheet.place()}{setting('transpose', True)} reads rows as systems, so no column names topics; "
            f"leave out one of {few(options.given(*COLUMNS))} and it"
        )
    system = _column_of_systems(sheet, options.transpose, named) if named.system is None else named.system
    if system is None:
        return None
    _refuse_means(sheet, system)
    header = sheet.header
    others = [c for c in range(len(header)) if c != system and c not in named.ignore]
    numeric = {column for column in others if sheet.columns[column].holds_scores}
    # Beside numbers, columns of truth values tell of the systems.
    numeric = {column for column in numeric if NUMBER in sheet.columns[column].held} or numeric
    unused = [column for column in others if column not in numeric]
    _check_rows(sheet, sheet.names(system))
    errors = {others[k] for k in beside_scores([header[c] for c in others])}
    about = {c for c in numeric if c in errors or _is_beside(sheet, c)}
    scores = tuple(c for c in others if c in numeric and c not in about and not is_unnamed(header[c]))
    for c in unused:  # cells like `90.1/88.2` or `0,5` are no names: their column would be left out as text
        if sheet.columns[c].holds_names and not sheet.columns[c].holds_text:
            raise sheet.unread(c)
    measures = [c for c in scores if is_measure(header[c])]
    if not scores and options.transpose:
        raise ask(sheet, "rows are read as systems, and no column holds scores of topics")
    if not scores or (options.transpose is None and 2 * len(measures) >= len(scores)):
        raise InputError(
            f"{sheet.place()}{called(header[system])} says that rows are systems, with one mean each "
            "by a measure. Give one row per topic or data set and one column per system. Where the columns "
            f"are topics or data sets, transpose it with {setting('transpose', True)}"
        )
    if options.transpose is None:
        _refuse_unlike(sheet, system, scores)
    if options.lower_is_better is None:
        lower = {header[c]: lower_is_better(header[c]) for c in scores}
        down, up = ([name for name, one in lower.items() if one is way] for way in (True, False))
        if down and up:
            raise InputError(
                f"{sheet.place()}by their names lower is better in {few(down, 8)}, and higher in "
                f"{few(up, 8)}. Leave one kind out, such as {ignoring(*min(down, up, key=len))}"
            )
    return Layout(system=system, scores=scores, summaries=tuple(sorted(about)), others=tuple(unused))


def _refuse_means(sheet: Sheet, system: int) -> None:
    """Refuse means with standard errors, with the gate that compares two of them."""
    from truerank.readers.means_with_errors import means_and_errors

    if not means_and_errors(sheet, system):
        return
    if sheet.rows < 2:
        raise InputError(
            f"{sheet.place()}one mean with its standard error, and no topics; put the rows of both systems "
            f"into one file for {either('truerank.gate', 'truerank gate')}"
        )
    pair = [name.strip() for name in sheet.names(system)[:2]]
    named = [setting(role, name) for role, name in zip(("baseline", "candidate"), pair, strict=True)]
    source = sheet.source or "FILE"
    gate = either(f"truerank.gate({source!r}, ", f"truerank gate {shlex.quote(source)} ")
    raise InputError(
        f"{sheet.place()}means with standard errors hold no topics to pair systems by; compare two of them "
        f"with {gate}{either(', ', ' ').join(named)}{either(')', '')}"
    )


def _refuse_unlike(sheet: Sheet, system: int, scores: Sequence[int]) -> None:
    """Refuse columns that may be no data sets: one alone, counted resamples, other scales, called `score`."""
    names = [sheet.header[c] for c in scores]
    if len(names) == 1:
        raise InputError(
            f"{sheet.place()}{called(sheet.header[system])} says that rows are systems, and only "
            f"{called(names[0])} holds scores: one mean each says nothing of topics. Give the scores of each "
            "topic; or means with their covariance to truerank.board(means, covariance) in Python"
        )
    transposed = setting("transpose", True)
    refuse_runs(sheet, scores, "topics", f"{transposed} if they are topics")
    tops, odd = _scales(sheet, scores)
    if odd.any():
        which = [name for name, is_odd in zip(names, odd.tolist(), strict=True) if is_odd]
        what = f"{few(which, 8)}: on another scale (up to {tops[odd].max():g}) than the others (up to "
        what += f"{tops[~odd].max(initial=0):g}), so these may be no data sets"
        raise ask(sheet, what, ignoring(*which), f"{transposed} if they are")
    overall = [name for name in names if has_role(name, "value")]
    if overall and len(names) > len(overall):
        what = f"column {overall[0]!r} may sum up the others"
        raise ask(sheet, what, ignoring(*overall), f"{transposed} if it is a data set")


def refuse_runs(sheet: Sheet, columns: Sequence[int], kind: str, remedy: str) -> None:
    """Refuse columns that may be runs or resamples of one score: counted from 0 on, or called so."""
    names = [sheet.header[c] for c in columns]
    counted = names == list(map(str, range(len(names))))
    words = {NUMBER_BEHIND.sub("", name).casefold() for name in names if not name.isdigit()}
    called_so = len(words) == 1 and words < set(NAMES["numbered_runs"])
    if len(names) > 2 and (counted or called_so):
        raise InputError(
            f"{sheet.place()}columns {names[0]!r} to {names[-1]!r} may be {kind}, or runs (resamples, folds, "
            f"seeds) of one score. Use {remedy}. Of runs write one row per score, with a column run"
        )


def _scales(sheet: Sheet, scores: Sequence[int]) -> tuple[Vector, Codes]:
    """The largest score of each column by size, and which columns are on another scale than most."""
    if len(scores) < 2 or any(TEXT in sheet.columns[c].held for c in scores):
        return np.zeros(len(scores)), np.zeros(len(scores), dtype=bool)
    tops = np.nanmax(np.abs(sheet.numbers(scores)), axis=0, initial=0.0)
    for small, limit in ((tops <= 1, _LARGEST_FRACTION), (tops <= _LARGEST_PERCENT, _LARGEST_PERCENT)):
        if small.any() and tops.max() > limit:
            return tops, small if 2 * small.sum() < len(tops) else ~small
    seen = tops > 0  # scores that are all 0 tell of no scale
    middle = float(np.median(tops[seen])) if seen.any() else 0.0
    return tops, seen & ((tops > _OTHER_SCALE * middle) | (_OTHER_SCALE * tops < middle))


def _is_beside(sheet: Sheet, column: int) -> bool:
    """Whether a column of a board sums up others, or tells of the systems, by its name."""
    name = sheet.header[column]
    return sums_up(name) or has_role(name, "topic_first") or tells_of_systems(sheet, column)


def tells_of_systems(sheet: Sheet, column: int) -> bool:
    """Whether a column tells of the systems, by its name; a letter may be a data set."""
    return len(sheet.header[column]) > 1 and is_property(
        sheet.header[column], sheet.columns[column].counts_up
    )


def _rows_as_systems(sheet: Sheet, columns: Sequence[int]) -> str:
    """The options that read rows as systems, without the columns that are on another scale than most."""
    scores = [c for c in columns if not _is_beside(sheet, c)]
    odd = [sheet.header[c] for c, is_odd in zip(scores, _scales(sheet, scores)[1], strict=True) if is_odd]
    return either(", ", " ").join([setting("transpose", True), *([ignoring(*odd)] if odd else [])])


def _column_of_systems(sheet: Sheet, transpose: bool | None, layout: Layout) -> int | None:
    """The column of the systems' names, where rows are systems."""
    if transpose is False:
        return None
    there = {*range(len(sheet.header))} - layout.ignore
    named = sheet.find("system", "system_of_row", among=there)
    if transpose:
        if named is None and not sheet.columns[0].holds_names:
            what = f"{setting('transpose', True)}, but no column holds names of systems"
            raise ask(sheet, what, f"{setting('system_column')} to name it")
        return named or 0
    if named is None or sheet.find("topic", "data_set", "task", among=there) is not None:
        return None
    if named == 0 and has_role(sheet.header[0], "run", "repeats") and not sheet.columns[0].holds_names:
        ways = (f"{setting('transpose', True)} if they are", f"{ignoring(sheet.header[0])} if they are runs")
        raise ask(sheet, f"{called(sheet.header[0])} may number the systems", *ways)
    return named if named == 0 or sheet.columns[named].holds_names else None


def _check_rows(sheet: Sheet, names: Sequence[str]) -> None:
    """Refuse systems that have no name, or one that is there already."""
    first_row: dict[str, int] = {}
    for row, (name, sums) in enumerate(zip(names, averages(names), strict=True)):
        if sums:
            continue
        if not name.strip():
            raise InputError(f"{sheet.place(row)}the system has no name; fill the cell or remove the row")
        first = first_row.setdefault(name, row)
        if first != row:
            what = f"system {name!r} was already given at {sheet.place(first).removesuffix(': ')}"
            if options := one_row_per_score(sheet):
                raise ask(sheet, what, f"{options} if there is one row per score", row=row)
            raise InputError(
                f"{sheet.place(row)}{what}; give each row another name, or remove all but one. Where "
                "rows are scores of topics, name these in a column 'topic'"
            )
    if not first_row:
        raise InputError(f"{sheet.place()}only averages over the systems; add a row for each system")
