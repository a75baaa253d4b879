"""Which column of a score table holds what, by the columns' names: wide, long, or with one row per system."""

from __future__ import annotations

import re
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
    `scores` are the columns of a wide table: one per system, or, beside `system`, one per topic. `summaries`
    sum the latter up or tell of the systems. `runs` and `facets` distinguish scores of one cell. `others`
    have no part, and `ignore` is what the user leaves out.
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

    def found(self, sheet: Sheet, part: str, *roles: str, among: set[int] | None = None) -> int | None:
        """The column that the user named for a part, or a free one that is called like a role."""
        given: int | None = getattr(self, part)
        free = (set(range(len(sheet.header))) if among is None else among) - self.used
        return sheet.find(*roles, among=free) if given is None else given


# Long tables: one row per score


def long_layout(sheet: Sheet, named: Layout, alone: bool = False) -> Layout | None:
    """The layout of a long table, by its column names; None when it is a wide one.

    A long table has a column of systems, one of values (or one for each measure), and one of topics, of
    data sets, or both. A wide table may have a system called `run`. So without a column of values, or a
    name that the user gave, systems are names; or they are numbers, and topics come again with others.
    """
    columns = sheet.columns
    topic = named.found(sheet, "topic", "topic", "topic_or_row")
    data_set = named.found(sheet, "data_set", "data_set", "task")
    if topic is None and data_set is None:
        topic = named.found(sheet, "topic", "topic_of_long")
    found = replace(
        named,
        topic=topic,
        data_set=data_set,
        cluster=named.found(sheet, "cluster", "cluster"),
        weight=named.found(sheet, "weight", "weight") if data_set is not None or alone else None,
        system=named.found(sheet, "system", "system"),
        score=named.found(sheet, "score", "value"),
        measure=named.found(sheet, "measure", "measure"),
    )
    others = tuple(c for c, name in enumerate(sheet.header) if c not in found.used and not is_unnamed(name))
    if found.system is None or not found.names_rows or (found.score is None and not others):
        return None
    if named.system is None and found.score is None and not columns[found.system].holds_names:
        again = joint(*(columns[c].codes for c in (data_set, topic) if c is not None))
        if all_differ(again) or not all_differ(joint(again, columns[found.system].codes)):
            return None
    return replace(found, others=others)


# Runs and facets: what distinguishes rows of one topic


def keys_of(sheet: Sheet, layout: Layout, keys: Codes) -> Codes:
    """What each row is the score of, levels and run included; `keys` are what it is without them."""
    return joint(keys, *(sheet.columns[c].codes for c in (*layout.facets, *layout.runs)))


def varies(sheet: Sheet, keys: Codes, column: int) -> bool:
    """Whether a column has different cells in rows that are of one key."""
    return different(joint(keys, sheet.columns[column].codes)) > different(keys)


def with_repeats(sheet: Sheet, layout: Layout, keys: Codes, others: Sequence[int]) -> Layout:
    """The layout with those of the other columns that are called like facets or runs, where rows repeat."""
    found = layout
    for roles in (("facets",), ("repeats", "system_wide")):
        now, of_runs = keys_of(sheet, found, keys), "repeats" in roles
        if all_differ(now) or (of_runs and layout.runs):
            break
        named = [c for c in others if has_role(sheet.header[c], *roles) and c not in found.used]
        more = tuple(c for c in named if varies(sheet, now, c))
        found = replace(found, runs=more) if of_runs else replace(found, facets=(*found.facets, *more))
    return found


# Wide tables: a column for each system, beside what rows are about


def wide_layout(sheet: Sheet, named: Layout, options: Options) -> Layout:
    """The layout of a wide table: a column is what its name says, and the others are systems."""
    header, columns = sheet.header, sheet.columns
    about, unused = _about_rows(sheet, named, options)
    about = _with_runs(sheet, about) if named.system is None else about
    free = [c for c in range(len(header)) if c not in about.used | unused]
    unused |= {c for c in free if columns[c].holds_text}
    systems = tuple(c for c in free if c not in unused)
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
    layout = replace(about, scores=systems, others=tuple(sorted(unused - about.used)))
    if len(systems) == 1 and not layout.names_rows and is_number(header[systems[0]]) and by is None:
        raise first_line_of_scores(sheet.place())
    _check_columns(sheet, systems, layout.topic)
    if options.transpose is None and any(columns[c].holds_names for c in range(systems[0])):
        refuse_runs(sheet, systems, "systems", f"{setting('transpose', False)} if they are systems")
    _refuse_about_topics(sheet, layout, options)
    return layout


def _check_columns(sheet: Sheet, columns: Sequence[int], topic: int | None = None) -> None:
    """Refuse columns without a name, or of one name; a system may be called `topic`."""
    header = sheet.header
    seen = {} if topic is None or header[topic] == "topic" else {header[topic]: topic}
    for column in columns:
        name = header[column]
        if not name.strip():
            raise InputError(f"{sheet.place()}column {column + 1} has no name; name the system in the header")
        if name in seen:
            both = f"columns {seen[name] + 1} and {column + 1}"
            raise InputError(f"{sheet.place()}{both} are both named {name!r}; give each another name")
        seen[name] = column


def _about_rows(sheet: Sheet, named: Layout, options: Options) -> tuple[Layout, set[int]]:
    """What is named, with the columns that by their names say what rows are about, and those beside them."""
    header, columns = sheet.header, sheet.columns
    free = [c for c in range(len(header)) if c not in named.used] if len(header) > 1 else []
    indexed = has_role(header[0], "topic_first") and _counts_rows(sheet, 0)
    counts = 0 if 0 in free and (is_unnamed(header[0]) or indexed) else None
    whole = {c for c in free if c != counts and not columns[c].holds_fractions}
    about = whole & {c for c in free if has_role(header[c], "data_set", "task", "cluster", "about_data_set")}
    about |= {c for c in free if has_role(header[c], "topic", "topic_first", "weight")} - {counts}
    texts = [c for c in free if columns[c].holds_text and c not in about]
    end = next((c for c in free if c != counts and c not in about and c not in texts), len(header))
    leading = [c for c in free if c in about and c < end]

    data_set, task = (sheet.find(role, among=whole) for role in ("data_set", "task"))
    topics = [c for c in leading if has_role(header[c], "topic", "topic_first")]
    topic = topics[0] if topics else sheet.find("topic", among=whole)
    if named.topic is not None:
        topic = named.topic
    elif topic is None and named.data_set is None and data_set is not None:
        topic = task  # a task of a data set
    sets = [c for c in (named.data_set, data_set, task) if c not in (None, topic)]
    found = replace(
        named,
        topic=topic,
        data_set=sets[0] if sets else None,
        cluster=named.found(sheet, "cluster", "cluster", among=whole),
        ignore=named.ignore | ({counts} if counts is not None else set()),
    )
    several = found.data_set is not None or options.data_set is not None
    if several and options.weights is None:
        found = replace(found, weight=sheet.find("weight", among={*free}))
    if topic is None:
        first = next((c for c in texts if c < end and c > max(leading, default=-1)), None)
        differ = found.data_set is not None and all_differ(columns[found.data_set].codes)
        if counts is not None and not ((first is not None or differ) and _counts_rows(sheet, counts)):
            found = replace(found, topic=counts, ignore=named.ignore)
        elif first is not None and first < len(header) - 1 and options.transpose is False:
            found = replace(found, topic=first)
        elif options.transpose is None:
            _ask_what_rows_are(sheet, found, first if first != len(header) - 1 else None)
    told = {c for c in leading if several or options.weights is not None or not has_role(header[c], "weight")}
    return found, told - found.used


def _with_runs(sheet: Sheet, layout: Layout) -> Layout:
    """The layout with the column of runs and those of facets, where topics come several times."""
    if not layout.names_rows:
        return layout
    keys = joint(*(sheet.columns[c].codes for c in (layout.topic, layout.data_set) if c is not None))
    found = with_repeats(sheet, layout, keys, range(len(sheet.header)))
    return found if len(found.runs) < 2 and all_differ(keys_of(sheet, found, keys)) else layout


def _ask_what_rows_are(sheet: Sheet, found: Layout, first: int | None) -> None:
    """Ask what the rows are where no name says it: a column of texts, or columns called like topics."""
    header, transposed = sheet.header, setting("transpose", True)
    names = [name for c, name in enumerate(header) if c not in found.used]
    if first is None:
        if len(names) > 1 and like_topics(names[1:]) and not like_topics(names[:1]):
            both = either(", ", " ").join([transposed, setting("system_column", names[0])])
            ways = [f"{both} if it names systems", f"{setting('transpose', False)} if all are systems"]
            raise ask(sheet, f"columns behind {called(names[0])} are called like topics", *ways)
        return
    name, long = header[first], one_row_per_score(sheet)
    ways = [f"{long} if there is one row per score"] if long else []
    ways += [f"{setting('topic_column', name)} if rows are topics"]
    scores = sum(column.holds_scores for c, column in enumerate(sheet.columns) if c != first)
    if found.data_set is None and scores > 1 and not long:
        ways += [f"{transposed} if they are systems"]
    elif found.data_set is not None and all_differ(sheet.columns[found.data_set].codes):
        ways += [f"{ignoring(name)} if it is neither"]
    raise ask(sheet, f"{called(name)} may name topics or systems", *ways)


def _counts_rows(sheet: Sheet, column: int) -> bool:
    """Whether a column counts the rows from 0 or 1 on, as pandas does."""
    values = sheet.columns[column].values()  # the texts of all are looked up only where these count
    start = 0 if values[0] == 0 else 1
    counts = np.array_equal(values, np.arange(start, start + sheet.rows))
    return counts and sheet.names(column) == [str(row + start) for row in range(sheet.rows)]


def _refuse_about_topics(sheet: Sheet, layout: Layout, options: Options) -> None:
    """Refuse columns that by their names are measures, or number, count or describe the topics."""
    columns, several = layout.scores, len(layout.scores) > 1
    names = {c: sheet.header[c] for c in columns}
    fractions = any(sheet.columns[c].holds_fractions for c in columns)
    told = {c for c in columns if _tells_of_rows(sheet, c, fractions)}
    scores = [name for name in names.values() if has_role(name, "value", "score_by_meaning")]
    systems = [name for column, name in names.items() if column not in told]
    one = f"with a file for each system; {setting('transpose', False)} if all columns are systems"
    long = one_row_per_score(sheet) if several and (scores or told) else None
    ways = [f"{long} if there is one row per score"] if long else []
    unsure = several and options.transpose is not False
    if unsure and (scores or (systems and all(map(is_measure, systems)))):
        what = f"{few(list(names.values()), 8)} look like measures of one system, not like systems"
        raise ask(sheet, what, *ways, f"{setting('score_column', (scores or systems)[0])}, {one}")
    keys = [sheet.columns[c].codes for c in (layout.data_set, layout.topic) if c is not None]
    runs = [name for name in names.values() if has_role(name, "run")]
    if runs and several and keys and not layout.runs and not all_differ(joint(*keys)):
        what = f"topics come several times, and column {runs[0]!r} seems to number the runs"
        raise ask(sheet, what, setting("run_column", runs[0]))
    for column, name in names.items():
        counts = several and sheet.rows >= _FEW and fractions and _counts_rows(sheet, column)
        if counts or _looks_like_ids(sheet, column, not keys and several and column == columns[0]):
            what = f"column {name!r} holds whole numbers like ids of topics"
            ids = [] if options.topic_column and several else [f"{setting('topic_column', name)} if they are"]
            raise ask(sheet, what, *ids, *[ignoring(name)] * several)
    if not unsure:
        return
    if odd := [names[c] for c in _whole_among_fractions(sheet, columns)]:
        what = f"{few(odd, 8)}: whole numbers on another scale than the others (up to 1), "
        what += "so probably not scores of a system"
        raise ask(sheet, what, ignoring(*odd), f"{setting('transpose', False)} if all columns are systems")
    told |= {c for c, name in names.items() if is_measure_alone(name)}
    told |= {columns[k] for k in beside_scores(list(names.values()))}
    told -= {c for c in told if is_average(names[c])}  # these are left out, with a note
    if not told:
        return
    if len(told) == len(columns):
        ways = [f"{setting('score_column', names[columns[0]])} if it is the score, {one}"]
    else:
        ways = [ignoring(*(names[c] for c in columns if c in told))]
        ways.append(f"{setting('transpose', False)} if all columns are systems")
        unnamed = layout.topic is not None and is_unnamed(sheet.header[layout.topic])
        if unnamed and options.topic_column is None:
            ways.insert(0, f"{setting('transpose', True)} if rows are systems")
    which = few([names[c] for c in columns if c in told], 8)
    raise ask(sheet, f"{which} may tell of the rows or be measures, and be no system", *ways)


def _looks_like_ids(sheet: Sheet, column: int, first: bool) -> bool:
    """Whether a column holds whole numbers, and is called like topics or, as the first one, all differ."""
    name, cells = sheet.header[column], sheet.columns[column]
    if not cells.counts_up or TEXT in cells.held or WORD in cells.held:
        return False
    differ = len(np.unique(cells.numbers)) == int(np.sum(~np.isnan(cells.values()))) > 1
    return called_like_ids(name) or (first and (differ or is_property(name, whole=True)))


def _tells_of_rows(sheet: Sheet, column: int, fractions: bool) -> bool:
    """Whether a column counts or describes the topics, by its name; a letter may be a system.

    So may a word that names systems, unless it holds whole numbers beside `fractions`.
    """
    name, cells = sheet.header[column], sheet.columns[column]
    if is_property(name, whole=False) or has_role(name, "weight"):
        return True
    if len(name) == 1 or (has_role(name, "system") and not fractions):
        return cells.counts_up and is_property(name, whole=True)
    about = has_role(name, "run", "data_set", "task", "cluster") or is_property(name, whole=True)
    return about and not cells.holds_fractions


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


def rows_layout(sheet: Sheet, named: Layout, options: Options) -> Layout | None:
    """The layout of a table whose rows are systems; None where its columns are.

    Rows are systems if the user says so, or a column called `model`, `system` … holds names and no column is
    called like topics or data sets.
    """
    header, columns, given = sheet.header, sheet.columns, options.transpose
    if named.names_rows and given:
        raise InputError(
            f"{sheet.place()}{setting('transpose', True)} reads rows as systems, so no column names topics; "
            f"leave out one of {few(options.given(*COLUMNS))} and it"
        )
    system = None if named.names_rows else named.system
    if system is None and not named.names_rows:
        system = _column_of_systems(sheet, given, named)
    if system is None:
        return None
    _refuse_means(sheet, system)
    _check_rows(sheet, sheet.names(system))
    others = [c for c in range(len(header)) if c != system and c not in named.ignore]
    numeric = {c for c in others if columns[c].holds_scores}
    # Beside numbers, columns of truth values tell of the systems.
    numeric = {c for c in numeric if NUMBER in columns[c].held} or numeric
    unused = tuple(c for c in others if c not in numeric)
    for c in unused:  # cells like `90.1/88.2` or `0,5` are not names: their column would be left out as text
        if columns[c].holds_names and not columns[c].holds_text:
            raise sheet.unread(c)
    errors = {others[k] for k in beside_scores([header[c] for c in others])}
    about = {c for c in numeric if c in errors or _is_beside(sheet, c)}
    scores = tuple(c for c in others if c in numeric - about and not is_unnamed(header[c]))
    measures = [c for c in scores if is_measure(header[c])]
    if not scores and given:
        raise ask(sheet, "rows are read as systems, and no column holds scores of topics")
    if not scores or (given is None and (len(scores) == 1 or 2 * len(measures) >= len(scores))):
        raise InputError(
            f"{sheet.place()}{called(header[system])} says that rows are systems, with one mean each "
            "by a measure. Give one row per topic or data set and one column per system. Where the columns "
            f"are topics or data sets, transpose it with {setting('transpose', True)}"
        )
    if given is None:
        _refuse_unlike(sheet, scores)
    if options.lower_is_better is None:
        lower = {header[c]: lower_is_better(header[c]) for c in scores}
        down, up, unnamed = (
            [name for name, one in lower.items() if one is way] for way in (True, False, None)
        )
        if down and (up or unnamed):
            apart = f", and higher in {few(up, 8)}" if up else f", but not in {few(unnamed, 8)}"
            kind = min(down, up or unnamed, key=len)
            raise InputError(
                f"{sheet.place()}by their names lower is better in {few(down, 8)}{apart}. "
                f"Leave one kind out, such as {ignoring(*kind)}"
            )
    _check_columns(sheet, scores)
    return Layout(system=system, scores=scores, summaries=tuple(sorted(about)), others=unused)


def _column_of_systems(sheet: Sheet, transpose: bool | None, layout: Layout) -> int | None:
    """The column of the systems' names, where rows are systems."""
    first, there = sheet.columns[0], {*range(len(sheet.header))} - layout.ignore
    named = None if transpose is False else sheet.find("system", "system_of_row", among=there)
    if transpose:
        if named is None and not first.holds_names:
            what = f"{setting('transpose', True)}, but no column holds names of systems"
            raise ask(sheet, what, f"{setting('system_column')} to name it")
        return named or 0
    if named is None or sheet.find("topic", "data_set", "task", among=there) is not None:
        return None
    if named == 0 and has_role(sheet.header[0], "run", "repeats") and not first.holds_names:
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
            long = one_row_per_score(sheet)
            if long is None:
                what += "; give each row another name, remove all but one, or name topics in a column 'topic'"
            raise ask(sheet, what, *[f"{long} if there is one row per score"] * bool(long), row=row)
    if not first_row:
        raise InputError(f"{sheet.place()}only averages over the systems; add a row for each system")


def _refuse_means(sheet: Sheet, system: int) -> None:
    """Refuse means with standard errors, with the gate that compares two of them."""
    from truerank.readers.means_with_errors import means_and_errors

    if not means_and_errors(sheet, system):
        return
    pair = zip(("baseline", "candidate"), sheet.names(system), strict=False)
    source, options = sheet.source or "FILE", [setting(role, name.strip()) for role, name in pair]
    gate = either(
        f"truerank.gate({', '.join([repr(source), *options])})",
        f"truerank gate {shlex.quote(source)} {' '.join(options)}",
    )
    more = "put the rows of both systems into one file, and " * (sheet.rows < 2)
    raise InputError(
        f"{sheet.place()}means with standard errors hold no topics to pair systems by; {more}compare two of "
        f"them with {gate}"
    )


def _refuse_unlike(sheet: Sheet, scores: Sequence[int]) -> None:
    """Refuse columns that may not be data sets: counted resamples, on other scales, called `score`."""
    names, transposed = [sheet.header[c] for c in scores], setting("transpose", True)
    refuse_runs(sheet, scores, "topics", f"{transposed} if they are topics")
    tops, odd = _scales(sheet, scores)
    if odd.any():
        which = [name for name, is_odd in zip(names, odd.tolist(), strict=True) if is_odd]
        what = f"{few(which, 8)}: on another scale (up to {tops[odd].max():g}) than the others (up to "
        what += f"{tops[~odd].max(initial=0):g}), so these may not be data sets"
        raise ask(sheet, what, ignoring(*which), f"{transposed} if they are")


def refuse_runs(sheet: Sheet, columns: Sequence[int], kind: str, remedy: str) -> None:
    """Refuse columns that may be runs or resamples of one score: counted from 0 on, or called so."""
    names = [sheet.header[c] for c in columns]
    counted = names == list(map(str, range(len(names))))
    words = {NUMBER_BEHIND.sub("", name).casefold() for name in names if not name.isdigit()}
    called_so = len(words) == 1 and words < set(NAMES["numbered_runs"])
    if len(names) > 2 and (counted or called_so):
        raise InputError(
            f"{sheet.place()}columns {names[0]!r} to {names[-1]!r} may be {kind}, or runs (resamples, folds, "
            f"seeds) of one score. Use {remedy}. For runs write one row per score, with a column run"
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


def _whole_among_fractions(sheet: Sheet, scores: Sequence[int]) -> list[int]:
    """The columns of whole numbers above 1, where most are of fractions up to 1."""
    held = {c: sheet.columns[c] for c in scores}
    if any(TEXT in column.held or not column.numbers.size for column in held.values()):
        return []
    whole = [c for c, column in held.items() if column.numbers.max() > 1]
    fractions = [column.holds_fractions for c, column in held.items() if c not in whole]
    odd = any(held[c].holds_fractions or held[c].numbers.min() < 0 for c in whole)
    return [] if odd or sum(fractions) <= max(1, len(whole)) else whole


_LOWER = re.compile(r"(.*\S)\s*\(lower\)", re.IGNORECASE)
"""A measure whose direction is behind its name, as in `WER (lower)`."""


def _is_beside(sheet: Sheet, column: int) -> bool:
    """Whether a column of a board sums up others, or tells of the systems, by its name."""
    name = sheet.header[column]
    error = _LOWER.fullmatch(name)
    if error is not None and lower_is_better(error[1]) and not is_property(error[1], whole=True):
        upper = [one for one in sheet.header if one.casefold() == name.casefold().replace("lower", "upper")]
        if not upper:  # the direction of an error measure, and not the bound of an interval
            return False
    return sums_up(name) or has_role(name, "topic_first", "value") or tells_of_systems(sheet, column)


def tells_of_systems(sheet: Sheet, column: int) -> bool:
    """Whether a column tells of the systems, by its name; a letter may be a data set."""
    name, cells = sheet.header[column], sheet.columns[column]
    return len(name) > 1 and is_property(name, cells.counts_up)
