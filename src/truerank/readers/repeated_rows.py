"""Rows of one system and topic in a long table: which columns say what each row is."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from truerank._support.notes import Note
from truerank.errors import InputError, at
from truerank.kinds import Plain
from truerank.readers.cell_values import Codes, Column, Vector, all_differ, different, joint
from truerank.readers.columns import Layout
from truerank.readers.records import Factor, Records, over_runs
from truerank.readers.roles import find, has_role
from truerank.readers.sheets import ROWS, Sheet
from truerank.readers.short_texts import Short
from truerank.scores import ScoreMatrix


def keys_of(sheet: Sheet, layout: Layout, rows: Codes, keys: Codes) -> Codes:
    """What each row is the score of, levels and run included; `keys` are what it is without them."""
    return joint(keys, *(sheet.column(c).codes[rows] for c in (*layout.facets, *layout.runs)))


def run_factor(sheet: Sheet, layout: Layout, rows: Codes) -> Factor | None:
    """The run of each row; None where no column distinguishes runs."""
    if not layout.runs:
        return None
    names = [sheet.header[column] for column in layout.runs if sheet.header[column] != ROWS]
    shared = bool(names) and all(has_role(name, "system_wide") for name in names)
    column = sheet.column(layout.runs[0])
    if len(layout.runs) > 1:
        column = Column.of(map(" ".join, zip(*map(sheet.names, layout.runs), strict=True)))
    return Factor.of(" and ".join(names), column.codes[rows], column.levels, shared)


def facet_factors(sheet: Sheet, layout: Layout, rows: Codes) -> list[Factor]:
    """The levels of each row."""
    columns = {sheet.header[c]: sheet.column(c) for c in layout.facets}
    return [Factor.of(name, column.codes[rows], column.levels) for name, column in columns.items()]


def with_repeats(sheet: Sheet, layout: Layout, rows: Codes, keys: Codes, others: Sequence[int]) -> Layout:
    """The layout with those of the other columns that are called like facets or runs, where rows repeat."""
    found = layout
    for roles in (("facets",), ("repeats", "system_wide")):
        now, of_runs = keys_of(sheet, found, rows, keys), "repeats" in roles
        if all_differ(now) or (of_runs and layout.runs):
            break
        named = [c for c in others if has_role(sheet.header[c], *roles) and c not in found.used]
        more = tuple(c for c in named if _varies(sheet, rows, now, c))
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
    keys = joint(*(sheet.column(c).codes for c in (topic, data_set) if c is not None))
    others = [c for c in range(len(sheet.header)) if c not in {topic, data_set} | named.used]
    rows = np.arange(sheet.rows)
    found = with_repeats(sheet, named, rows, keys, others)
    apart = len(found.runs) < 2 and all_differ(keys_of(sheet, found, rows, keys))
    return found if apart else named


def _varies(sheet: Sheet, rows: Codes, keys: Codes, column: int) -> bool:
    """Whether a column has different cells in rows that are of one key."""
    return different(joint(keys, sheet.column(column).codes[rows])) > different(keys)


def turns(sheet: Sheet, layout: Layout) -> int | None:
    """The column of turns, where questions have several: each then is a topic, and the question a cluster."""
    column = sheet.find("turn", among=layout.others)
    if column is None or layout.topic is None or layout.system is None:
        return None
    keys = joint(sheet.column(layout.topic).codes, sheet.column(layout.system).codes)
    return column if _varies(sheet, np.arange(sheet.rows), keys, column) else None


def about_columns(sheet: Sheet, layout: Layout, turn: int | None) -> list[Note]:
    """What was taken for what, where a cell has several scores."""
    if not (layout.runs or layout.facets or turn is not None):
        return []
    runs = [None if name == ROWS else name for name in (sheet.header[c] for c in layout.runs)]
    facts = {
        "case": "columns",
        "system": sheet.header[layout.system or 0],
        "topic": None if layout.topic is None else sheet.header[layout.topic],
        "turn": None if turn is None else sheet.header[turn],
        "facets": [sheet.header[c] for c in layout.facets],
        "runs": runs,
    }
    return [Note("reading", facts, "info")]


def counted_columns(sheet: Sheet, layout: Layout) -> tuple[int, int] | None:
    """The columns of successes and attempts, where there is none of scores."""
    right, tried = (sheet.find(role, among=layout.others) for role in ("successes", "attempts"))
    if right is None and tried is None:  # how HumanEval's results call them
        right, tried = (
            find([sheet.header[c] if c in layout.others else "" for c in range(len(sheet.header))], [name])
            for name in "cn"
        )
    return None if layout.score is not None or right is None or tried is None else (right, tried)


def counted_numbers(sheet: Sheet, columns: tuple[int, int], rows: Codes) -> tuple[Vector, Codes]:
    """Successes, NaN where there is no score, and attempts of each row."""
    right, tried = sheet.numbers(columns, rows).T
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


_RUN_OF = Short(
    r"(?P<of>.*\S)(?P<glue>[\s#@:/._-]+\(?(run|trial|epoch|attempt|repeat|replicate|rollout|seed|fold|cv)[\s#_=-]*)"
    r"\d+(?P<end>\)?)",
    re.IGNORECASE,
)

_NUMBERED = Short(r"(?P<of>.*\S)(?P<glue>\s*#)\d+(?P<end>)")
"""Systems with a number after a hash; topics are often numbered so."""

_COUNTED = Short(r"(?P<of>.*\S)(?P<glue>[_./:-])(?P<number>\d+)(?P<end>)")
"""Systems with a number after another mark: a version, unless each has the same three numbers or more."""


def runs_as_topics(topics: Sequence[str]) -> Note | None:
    """A warning where the names of all topics end in the number of a run; None where they do not.

    >>> runs_as_topics(["q1/run1", "q1/run2", "q2/run1", "q2/run2"]).code
    'runs-as-topics'
    """
    names = set[str]()
    for topic in topics:
        match = _RUN_OF.fullmatch(topic)
        if match is None:
            return None
        names.add(match["of"])
    if not names or 2 * len(names) > len(topics):
        return None
    return Note("runs-as-topics", {"number": len(names)}, "alert")


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
    facts = {"number": len(systems), "pattern": f"{{system}}{glue}{{run}}{end}"}
    return Note("runs-as-systems", facts, systems=tuple(sorted(of)))


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


def ids_as_topics(sheet: Sheet, layout: Layout, rows: Codes, topics: int) -> list[Note]:
    """A warning where the topics number rows, while other columns have questions and their runs."""
    if layout.runs or layout.facets or layout.topic is None or layout.system is None:
        return []
    header = sheet.header
    runs = [c for c in layout.others if has_role(header[c], "repeats", "system_wide")]
    systems = sheet.column(layout.system).codes[rows]
    for question in (c for c in layout.others if has_role(header[c], "topic")):
        cells = sheet.column(question).codes[rows]
        number = different(cells)
        if not 1 < number <= topics / 2:
            continue
        keys = joint(cells, systems)
        run = next((c for c in runs if all_differ(joint(keys, sheet.column(c).codes[rows]))), None)
        if run is not None:
            names = {"column": header[layout.topic], "run": header[run], "question": header[question]}
            return [Note("runs-as-topics", {**names, "values": topics, "number": number}, "alert")]
    return []


def runs_together(scores: ScoreMatrix, pattern: str, measure: str | None = None) -> ScoreMatrix:
    """The same scores with the runs of each system in one column.

    Args:
        scores: n × m, one column per run.
        pattern: how names are made of a system and a run, such as ``{system}-{run}``. A name that does not
            fit is a system of one run.
        measure: what a cell is of its runs, such as ``best@3``; their mean unless given.

    Raises:
        InputError: a pattern without a system and a run, or no name that fits it.

    Example:
        >>> table = ScoreMatrix.build([[0.1, 0.3, 0.5]], systems=["a-1", "a-2", "b"])
        >>> found = runs_together(table, "{system}-{run}")
        >>> found.systems, found.values.tolist()
        (('a', 'b'), [[0.2, 0.5]])
    """
    where = at(scores.source)
    if pattern.count("{system}") != 1 or pattern.count("{run}") != 1:
        raise InputError(f"{where}{pattern!r} is not a pattern; write one such as '{{system}}-{{run}}'")
    if type(scores.kind) is not Plain or scores.repeats is not None:
        raise InputError(f"{where}runs by their names are for plain scores; leave the pattern out")
    written = re.escape(pattern).replace(r"\{system\}", "(?P<system>.+)").replace(r"\{run\}", "(?P<run>.+?)")
    names = [re.fullmatch(written, name) for name in scores.systems]
    if not any(names):
        raise InputError(
            f"{where}no system is called like {pattern!r}; the first one is {scores.systems[0]!r}. Write "
            "{system} and {run} where its parts are, and the rest as it stands"
        )
    systems = [
        name if found is None else found["system"] for name, found in zip(scores.systems, names, strict=True)
    ]
    runs = ["1" if found is None else found["run"] for found in names]
    distinct = list(dict.fromkeys(systems))
    columns = np.array([distinct.index(name) for name in systems])
    present = ~np.isnan(scores.values)
    topic, column = np.nonzero(present)
    labels = Column.of(runs)
    over = over_runs(measure)
    cells = Records(
        scores.values[present],
        topic,
        columns[column],
        [("", name) for name in scores.topics],
        distinct,
        where,
        Factor("run", labels.codes[column], tuple(labels.levels), shared=True),
    ).pivot(over)
    cells.values.setflags(write=False)
    facts = {"case": "runs", "number": len(systems), "systems_of": len(distinct), "pattern": pattern}
    note = Note("reading", facts, "info")
    return replace(
        scores,
        values=cells.values,
        systems=tuple(distinct),
        repeats=cells.repeats,
        measure=scores.measure if over is None else over.name,
        notes=(*(one for one in scores.notes if one.code != "runs-as-systems"), note, *cells.notes),
    )
