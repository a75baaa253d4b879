"""Which column of a score table holds what, by the columns' names: wide, long, or with one row per system."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from truerank._support.arguments import setting
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import NUMBER, Codes, all_differ, different, joint
from truerank.readers.options import COLUMNS, Options
from truerank.readers.roles import (
    beside_scores,
    called,
    column_named,
    has_role,
    is_property,
    is_topic,
    is_unnamed,
    sums_up,
)
from truerank.readers.sheets import Sheet


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
        names = {part: getattr(options, f"{part}_column") for part in _NAMED}
        names["cluster"] = options.cluster_file if options.cluster_file in header else options.cluster
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
        return sheet.find(*roles or (part,), among=free) if given is None else given


_NAMED = ("topic", "system", "score", "data_set", "measure", "run")


def keys_of(sheet: Sheet, layout: Layout, keys: Codes) -> Codes:
    """What each row is the score of, levels and run included; `keys` are what it is without them."""
    return joint(keys, *(sheet.columns[c].codes for c in (*layout.facets, *layout.runs)))


def with_repeats(sheet: Sheet, layout: Layout, keys: Codes, others: Sequence[int]) -> Layout:
    """The layout with those of the other columns that are called like facets or runs, where rows repeat."""
    found = layout
    for roles in (("facets",), ("repeats", "system_wide")):
        now, of_runs = keys_of(sheet, found, keys), "repeats" in roles
        if all_differ(now) or (of_runs and layout.runs):
            break
        named = [c for c in others if has_role(sheet.header[c], *roles) and c not in found.used]
        cells = {c: sheet.columns[c].codes for c in named}
        more = tuple(c for c in named if different(joint(now, cells[c])) > different(now))
        found = replace(found, runs=more) if of_runs else replace(found, facets=(*found.facets, *more))
    return found


def long_layout(sheet: Sheet, named: Layout, options: Options) -> Layout | None:
    """The layout of a table with one row per score: topics or data sets, systems, and scores; else None."""
    header, columns = sheet.header, sheet.columns
    topic = named.found(sheet, "topic", "topic", "topic_or_row")
    data_set = named.found(sheet, "data_set", "data_set", "task")
    if topic is None and data_set is None:
        topic = named.found(sheet, "topic", "topic_of_long")
    layout = replace(
        named,
        topic=topic,
        data_set=data_set,
        cluster=named.found(sheet, "cluster"),
        system=named.found(sheet, "system"),
        score=named.found(sheet, "score", "value"),
        measure=named.found(sheet, "measure"),
    )
    if options.weights is None and (data_set is not None or options.data_set is not None):
        layout = replace(layout, weight=named.found(sheet, "weight"))
    others = [c for c, name in enumerate(header) if c not in layout.used and not is_unnamed(name)]
    if layout.system is None or not layout.names_rows or (layout.score is None and not others):
        return None
    systems = columns[layout.system]  # a wide table may have a system called `run`
    if named.system is None and layout.score is None and not systems.holds_names:
        again = joint(*(columns[c].codes for c in (data_set, topic) if c is not None))
        if all_differ(again) or not all_differ(joint(again, systems.codes)):
            return None
    if data_set is not None:  # where each is of one task, that is a kind of data set, not a topic
        task, sets = sheet.find("task", among=others), columns[data_set]
        if topic is None and task is not None:
            apart = different(joint(sets.codes, columns[task].codes)) > len(sets.levels)
            layout = replace(layout, topic=task if apart else None)
        elif topic is not None and counts_rows_of_systems(sheet, layout):
            layout = replace(layout, topic=None)
    if options.measure in header and layout.measure is None and options.score_column is None:
        asked = header.index(options.measure)
        if columns[asked].holds_scores and asked not in layout.used - {layout.score}:
            layout = replace(layout, score=None)  # one of several columns of scores
    left = (c for c, name in enumerate(header) if c not in layout.used and not is_unnamed(name))
    return replace(layout, others=tuple(left))


def counts_rows_of_systems(sheet: Sheet, layout: Layout) -> bool:
    """Whether ids differ in every row of several systems: they number the rows, and name no topics."""
    topic, systems = layout.topic or 0, sheet.columns[layout.system or 0]
    ids = has_role(sheet.header[topic], "topic_or_row") and len(systems.levels) > 1
    return ids and len(sheet.columns[topic].levels) == sheet.rows


_ABOUT_ROWS = ("topic", "topic_first", "weight", "data_set", "task", "cluster", "about_data_set")
"""What columns before the systems of a wide table may be; the last four hold no fractions."""


def _role_in_wide(sheet: Sheet, column: int) -> str:
    """What a column of a wide table is by its name; else texts, or the scores of a system."""
    name, cells = sheet.header[column], sheet.columns[column]
    if column == 0 and has_role(name, "topic_of_texts") and cells.holds_text and all_differ(cells.codes):
        return (
            "topic" if len(sheet.columns) > 2 and all(c.holds_scores for c in sheet.columns[1:]) else "texts"
        )
    if column == 0 and (is_unnamed(name) or (has_role(name, "topic_first") and sheet.counts_rows(0))):
        return "index"
    if column > 0 and is_topic(sheet.header[0]) and cells.holds_scores and not has_role(name, "topic"):
        numbers = cells.numbers
        if has_role(name, "topic_first") and (cells.holds_fractions or numbers.max(initial=0) <= 1):
            return "system"
    named = (role for role in _ABOUT_ROWS[: 3 if cells.holds_fractions else None] if has_role(name, role))
    return next(named, "texts" if cells.holds_text else "system")


def wide_layout(sheet: Sheet, named: Layout, options: Options) -> Layout:
    """The layout of a wide table: a column is what its name says, and the others are systems."""
    header, columns = sheet.header, sheet.columns
    layout, unused = _about_rows(sheet, named, options)
    if layout.names_rows and named.system is None:  # topics that come again may have runs or facets
        keys = joint(*(columns[c].codes for c in (layout.topic, layout.data_set) if c is not None))
        found = with_repeats(sheet, layout, keys, range(len(header)))
        layout = found if len(found.runs) < 2 and all_differ(keys_of(sheet, found, keys)) else layout
    free = [c for c in range(len(header)) if c not in layout.used | unused]
    systems = [c for c in free if not columns[c].holds_text]
    unused |= {*free} - {*systems}
    by = next((c for c in systems if header[c] == options.measure), named.score)
    if by is not None:  # the only system of the table
        unused |= {*systems} - {by}
        systems = [by]
    return replace(layout, scores=tuple(systems), others=tuple(sorted(unused - layout.used)))


def _about_rows(sheet: Sheet, named: Layout, options: Options) -> tuple[Layout, set[int]]:
    """What is named, with the columns that by their names say what rows are about, and those beside them."""
    header, columns = sheet.header, sheet.columns
    free = [c for c in range(len(header)) if c not in named.used] if len(header) > 1 else []
    role = {c: _role_in_wide(sheet, c) for c in free}
    of = {role[c]: c for c in reversed(free)}  # the first column of each role
    counts, end = of.get("index"), of.get("system", len(header))
    leading = [c for c in free if c < end and role[c] in _ABOUT_ROWS]

    topics = [c for c in leading if role[c] in ("topic", "topic_first")]
    topics += [c for c in free if role[c] == "topic" and not columns[c].holds_fractions]
    topic = named.topic if named.topic is not None else next(iter(topics), None)
    if topic is None and named.data_set is None and "data_set" in of:
        topic = of.get("task")  # a task of a data set
    sets = (named.data_set, of.get("data_set"), of.get("task"))
    data_set = next((c for c in sets if c not in (None, topic)), None)
    cluster = of.get("cluster") if named.cluster is None else named.cluster
    several = data_set is not None or options.data_set is not None
    weight = of.get("weight") if several and options.weights is None else None
    if topic is None:
        behind = (c for c in free if max(leading, default=-1) < c < end)
        first = next((c for c in behind if role[c] == "texts"), None)
        differ = data_set is not None and all_differ(columns[data_set].codes)
        if counts is not None and not ((first is not None or differ) and sheet.counts_rows(counts)):
            topic, counts = counts, None
        elif options.transpose is False and first != len(header) - 1:
            topic = first
    ignore = named.ignore | (set() if counts is None else {counts})
    found = replace(named, topic=topic, data_set=data_set, cluster=cluster, weight=weight, ignore=ignore)
    weighs = several or options.weights is not None
    return found, {c for c in leading if weighs or role[c] != "weight"} - found.used


def rows_layout(sheet: Sheet, named: Layout, options: Options) -> Layout | None:
    """The layout of a table whose rows are systems, as those of leaderboards are; else None."""
    header, columns, given = sheet.header, sheet.columns, options.transpose
    if named.names_rows:
        if given:
            raise InputError(
                f"{sheet.place()}{setting('transpose', True)} reads rows as systems, so no column names "
                f"topics; leave out one of {few(options.given(*COLUMNS))} and it"
            )
        return None
    system = named.system
    if system is None:
        there = {*range(len(header))} - named.ignore
        system = None if given is False else sheet.find("system", "system_of_row", among=there)
        if given:
            system = system or (0 if columns[0].holds_names or system == 0 else None)
        elif system is not None:
            topics = sheet.find("topic", "data_set", "task", among=there) is not None
            system = None if topics or (system and not columns[system].holds_names) else system
    if system is None:
        return replace(named, others=()) if given else None
    others = [c for c in range(len(header)) if c != system and c not in named.ignore]
    numeric = {c for c in others if columns[c].holds_scores}
    # Beside numbers, columns of truth values tell of the systems.
    numeric = {c for c in numeric if NUMBER in columns[c].held} or numeric
    errors = {others[k] for k in beside_scores([header[c] for c in others])}
    sums = {c for c in numeric if sums_up(header[c]) or has_role(header[c], "topic_first", "value")}
    words = {c for c in numeric if len(header[c]) > 1}  # a letter may be a data set
    about = sums | errors & numeric | {c for c in words if is_property(header[c], columns[c].counts_up)}
    return Layout(
        system=system,
        scores=tuple(c for c in others if c in numeric - about and not is_unnamed(header[c])),
        summaries=tuple(sorted(about)),
        others=tuple(c for c in others if c not in numeric),
    )
