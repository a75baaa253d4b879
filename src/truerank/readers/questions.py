"""What the names of columns leave open: what is checked of each layout, and the message that asks."""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable, Sequence
from itertools import combinations, permutations

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.types import Matrix, Vector
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import (
    NUMBER,
    TEXT,
    WORD,
    Column,
    all_differ,
    is_number,
    joint,
)
from truerank.readers.layout import Layout, counts_rows_of_systems
from truerank.readers.options import COLUMNS, Options, ReadOptions, UnsureError, Way
from truerank.readers.roles import (
    NAMES,
    NUMBER_BEHIND,
    PATTERNS,
    averages,
    beside_scores,
    called,
    called_like_ids,
    find,
    has_role,
    is_average,
    is_measure,
    is_measure_alone,
    is_property,
    is_unnamed,
    like_topics,
    lower_is_better,
    measures_beside,
    numbered,
    plain,
    unlikely_measure,
)
from truerank.readers.sheets import Sheet, first_line_of_scores

Found = Iterable[InputError]
Check = Callable[[Sheet, Layout, Options], Found]

_LOOKED_AT = 12
"""Columns that a message shows, and that are tried as topics and systems."""

_ROWS, _CELL = 3, 16
"""Rows that a message shows, and characters of a cell."""

_FEW = 3
"""Rows below which numbers that count up may be scores."""

_LARGEST_FRACTION, _LARGEST_PERCENT = 3.0, 100.0
"""Largest scores that may be fractions of 1, or percent."""

_OTHER_SCALE = 20.0
"""How many times the largest score of the median column one is that is on another scale."""


def check(checks: Sequence[Check], sheet: Sheet, layout: Layout, options: Options) -> None:
    """Raise what the first of some checks finds."""
    for look in checks:
        for error in look(sheet, layout, options):
            raise error


def ask(sheet: Sheet, what: str, *ways: Way, row: int | None = None) -> UnsureError:
    """The one message about the layout: what is unsure, the first rows as parsed, and what decides."""
    return UnsureError(f"{sheet.place(row)}{what}. The first rows are {_listed(sheet)}", *ways)


def _listed(sheet: Sheet) -> str:
    """The columns of a table, each with what it was taken for, and its first cells."""
    parts = []
    for name, column in [*zip(sheet.header, sheet.columns, strict=True)][:_LOOKED_AT]:
        cells = [" ".join(cell.split()) for cell in column.cells(np.arange(min(sheet.rows, _ROWS)))]
        shown = ", ".join(cell if len(cell) <= _CELL else f"{cell[: _CELL - 1]}…" for cell in cells)
        parts.append(f"{name!r} ({_taken_for(name, column)}: {shown})")
    return ", ".join([*parts, *["…"] * (len(sheet.header) > _LOOKED_AT)])


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


def _taken_for(name: str, column: Column) -> str:
    """What a column was taken for: by its name where that says it, else what its cells are."""
    if column.holds_scores:
        return "scores" if has_role(name, "value", "score_by_meaning") or is_measure(name) else "numbers"
    if column.held.isdisjoint((TEXT, WORD)):
        return "empty"
    return next((kind for role, kind in _TAKEN.items() if has_role(name, role)), "texts")


# What to paste if a table has one row per score


def one_row_per_score(sheet: Sheet, given: ReadOptions | None = None) -> list[Way]:
    """The options that are not given yet, if a table has one row per score; none where nothing fits."""
    header, columns = sheet.header, sheet.columns
    scores = [c for c, column in enumerate(columns) if column.holds_scores]

    def unlikely_score(c: int) -> tuple[bool, bool, int, int]:
        named = has_role(header[c], "value", "score_by_meaning")
        return is_property(header[c], columns[c].counts_up), not named, unlikely_measure(header[c]), -c

    score = min(scores, key=unlikely_score, default=None)
    again = [c for c, column in enumerate(columns) if len(column.levels) < sheet.rows or sheet.rows == 2]
    again = [c for c in again if c != score and not is_unnamed(header[c])]
    again = sorted(again, key=lambda c: not columns[c].holds_names)[:_LOOKED_AT]
    runs = [
        c.codes for c, name in zip(columns, header, strict=True) if has_role(name, "repeats", "system_wide")
    ]

    def fits(pair: tuple[int, int]) -> bool:
        topic, system = pair
        named = has_role(header[topic], "system") or has_role(header[system], "topic", "data_set", "run")
        if named or columns[topic].holds_fractions or not columns[system].holds_names:
            return False
        return all_differ(joint(columns[topic].codes, columns[system].codes, *runs))

    def unlikely(pair: tuple[int, int]) -> tuple[bool, bool, int]:
        topic, system = (header[c] for c in pair)
        named = has_role(topic, "topic", "data_set"), has_role(system, "system")
        return not named[0], not named[1], len(columns[pair[1]].levels)

    best = min(filter(fits, permutations(again, 2)), key=unlikely, default=None)
    if best is None or score is None:
        return []
    topic, system = best
    guess = {"topic_column": topic, "system_column": system, "score_column": score}
    if has_role(header[topic], "data_set"):
        del guess["topic_column"]  # it stays a data set
    known = {name: None if given is None else getattr(given, name) for name in COLUMNS}
    left = {part: header[c] for part, c in guess.items() if known[part] is None}
    left = {part: name for part, name in left.items() if name not in known.values()}
    return [(left, "if there is one row per score")] if left else []


# What is checked of every table without columns that the user named


def _square(sheet: Sheet, layout: Layout, options: Options) -> Found:
    names = sheet.header[1:]
    if (
        not options.given(*COLUMNS)
        and sheet.rows == len(names) > 1
        and sorted(sheet.names(0)) == sorted(names)
    ):
        yield InputError(
            f"{sheet.place()}rows and columns have the same names, as a table of wins has. Give one row per "
            "pair: model_a, model_b, wins_a, wins_b, ties; or, better, one row per battle with its prompt"
        )


def _unlike_scores(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Documents, scores without systems, and columns that the user named of a table that has no topics."""
    header = sheet.header
    if options.system_column is not None and options.transpose is None:
        whole = (c for c in range(len(header)) if not sheet.columns[c].holds_fractions)
        topic: list[Way] = [({"topic_column": header[c]}, "") for c in whole if c not in layout.used]
        yield ask(sheet, "no column is called like topics", *(one_row_per_score(sheet, options) or topic[:1]))
    if sheet.find("topic", "data_set") is None or len(header) < 3:
        return
    value = sheet.find("value") is not None
    if find(header, NAMES["document"][:5]) is not None:
        yield InputError(
            f"{sheet.place()}these are documents (a run or judgments), not scores; evaluate runs with qrels"
        )
    if value and sheet.find("measure") is not None:
        yield InputError(
            f"{sheet.place()}no column says which system a score belongs to; add one named 'system'"
        )
    if value and (long := one_row_per_score(sheet)):
        yield ask(sheet, "one row per score, it seems, but no column is called like systems", *long)


_GROUPED = re.compile(r"[1-9]\d{0,2}\.\d{3}")


def _thousands(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Cells such as 1.001 among whole numbers near 1000: thousands, as German has them."""
    columns = [c for c in layout.scores or (layout.score,) if c is not None]
    if options.transpose is not None or options.score_column is not None or not columns:
        return
    numbers = np.abs(np.concatenate([sheet.columns[c].numbers for c in columns]))
    numbers = numbers[np.isfinite(numbers)]
    whole, others = numbers[numbers % 1 == 0], numbers[numbers % 1 != 0]
    if not (len(whole) and len(others)) or np.median(whole) / 1000**0.5 < np.median(others):
        return
    dotted = {sheet.header[c]: [cell for cell in sheet.columns[c].levels if "." in cell] for c in columns}
    if all(_GROUPED.fullmatch(cell.strip()) for cells in dotted.values() for cell in cells):
        names = [name for name, cells in dotted.items() if cells]
        cell, way = dotted[names[0]][0].strip(), {"transpose": layout.system is not None}
        what = f"{few(names, 8)}: {cell!r} may be {cell.replace('.', '')}, as others are whole numbers up to "
        what += f"{whole.max():g}; if so, write it without the dot"
        given = {"score_column": names[0]} if layout.score is not None else way
        yield ask(sheet, what, (given, "if dots are decimal points"))


UNLIKE: Sequence[Check] = (_square, _unlike_scores)
"""What is checked before a table is taken for a wide one."""


# Long tables: one row per score


def _nothing_to_transpose(sheet: Sheet, layout: Layout, options: Options) -> Found:
    if options.transpose:
        yield InputError(f"{sheet.place()}one row per score, so there is nothing to transpose; leave it out")


def _ids_of_rows(sheet: Sheet, layout: Layout, options: Options) -> Found:
    if layout.topic is not None and counts_rows_of_systems(sheet, layout):
        what = f"column {sheet.header[layout.topic]!r} differs in every row, so systems share no topic"
        yield ask(sheet, what, *one_row_per_score(sheet))


def _runs_of_one_system(sheet: Sheet, layout: Layout, options: Options) -> Found:
    numbered = layout.system or 0
    name, numbers = sheet.header[numbered], not sheet.columns[numbered].holds_names
    if options.system_column is None and has_role(name, "run") and numbers:
        ways = ({"run_column": name}, "if it numbers runs"), ({"system_column": name}, "if systems")
        yield ask(sheet, f"column {name!r} holds numbers: runs, or names of systems", *ways)


LONG: Sequence[Check] = (_nothing_to_transpose, _ids_of_rows, _runs_of_one_system, _thousands)


# Wide tables: one column per system


def _what_rows_are(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Rows that no name tells about: a column of texts, or columns called like topics."""
    header, columns, scores = sheet.header, sheet.columns, layout.scores
    if layout.topic is not None or options.transpose is not None or len(header) < 2:
        return
    begin = max((c for c in layout.used if not scores or c < scores[0]), default=-1)
    first = next((c for c in layout.others if c > begin and columns[c].holds_text), len(header))
    if first < (scores or (len(header) - 1,))[0]:
        name, long = header[first], one_row_per_score(sheet)
        differ = layout.data_set is not None and all_differ(columns[layout.data_set].codes)
        systems = layout.data_set is None and len(scores) > 1 and not long
        yield ask(
            sheet,
            f"{called(name)} may name topics or systems",
            *long,
            ({"topic_column": name}, "if rows are topics"),
            *[({"transpose": True}, "if they are systems")] * systems,
            *[({"ignore_columns": [name]}, "if it is neither")] * differ,
        )
    names = [name for c, name in enumerate(header) if c not in layout.used]
    if len(names) > 1 and like_topics(names[1:]) and not like_topics(names[:1]):
        both = {"transpose": True, "system_column": names[0]}
        ways = (both, "if it names systems"), ({"transpose": False}, "if all are systems")
        yield ask(sheet, f"columns behind {called(names[0])} are called like topics", *ways)


def _no_scores(sheet: Sheet, layout: Layout, options: Options) -> Found:
    header, scores = sheet.header, layout.scores
    if not any(NUMBER in sheet.columns[c].held for c in scores):
        for c in layout.others:
            if sheet.columns[c].says_verdicts:
                yield sheet.unread(c, only=True)
    if not scores and len(header) == 1:
        yield InputError(
            f"{sheet.place()}the only column is {header[0]!r}, and holds no scores; separate columns by "
            "commas, semicolons or tabs"
        )
    if not scores:
        battles = "of battles, call the columns model_a, model_b and winner"
        yield ask(sheet, f"no column of scores; add one for each system, or, {battles}")
    named = layout.names_rows or layout.score is not None or header[scores[0]] == options.measure
    if len(scores) == 1 and not named and is_number(header[scores[0]]):
        yield first_line_of_scores(sheet.place())


def _names_of_columns(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Columns without a name, or of one name; a system may be called `topic`."""
    header, topic = sheet.header, layout.topic
    seen = {} if topic is None or header[topic] == "topic" else {header[topic]: topic}
    for column in layout.scores:
        name = header[column]
        if not name.strip():
            yield InputError(f"{sheet.place()}column {column + 1} has no name; name the system in the header")
        if (first := seen.setdefault(name, column)) != column:
            both = f"columns {first + 1} and {column + 1}"
            yield InputError(f"{sheet.place()}{both} are both named {name!r}; give each another name")


def _resamples(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Columns that may be runs or resamples of one score: counted from 0 on, or called so."""
    names, rows = [sheet.header[c] for c in layout.scores], layout.system is not None
    texts = rows or any(sheet.columns[c].holds_names for c in range(layout.scores[0]))
    words = {NUMBER_BEHIND.sub("", name).casefold() for name in names if not name.isdigit()}
    counted = names == list(map(str, range(len(names))))
    called_so = len(words) == 1 and words < set(NAMES["numbered_runs"])
    if options.transpose is None and texts and len(names) > 2 and (counted or called_so):
        kind = "topics" if rows else "systems"
        what = (
            f"columns {names[0]!r} to {names[-1]!r} may be {kind}, or runs (resamples, folds, seeds) of one"
        )
        what = f"{sheet.place()}{what} score. For runs write one row per score, with a column run"
        yield UnsureError(what, ({"transpose": rows}, f"if they are {kind}"))


def _runs_of_topics(sheet: Sheet, layout: Layout, options: Options) -> Found:
    rows = [sheet.columns[c].codes for c in (layout.data_set, layout.topic) if c is not None]
    runs = [sheet.header[c] for c in layout.scores if has_role(sheet.header[c], "run")]
    if runs and len(layout.scores) > 1 and rows and not layout.runs and not all_differ(joint(*rows)):
        what = f"topics come several times, and column {runs[0]!r} seems to number the runs"
        yield ask(sheet, what, ({"run_column": runs[0]}, ""))


def _ids(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """A column that counts rows, or holds whole numbers and is called like topics, or is the first."""
    columns, several = layout.scores, len(layout.scores) > 1
    fractions = any(sheet.columns[c].holds_fractions for c in columns)
    for column in columns:
        name, cells = sheet.header[column], sheet.columns[column]
        ids = cells.counts_up and not {TEXT, WORD} & cells.held
        if ids and not called_like_ids(name):
            differ = len(np.unique(cells.numbers)) == int(np.sum(~np.isnan(cells.values()))) > 1
            first = not layout.names_rows and several and column == columns[0]
            ids = first and (differ or is_property(name, whole=True))
        counts = several and fractions and sheet.rows >= _FEW
        if ids or (counts and sheet.counts_rows(column)):
            ways: list[Way] = [({"topic_column": name}, "if they are")]
            ways = ways * (not options.topic_column or not several)
            what = f"column {name!r} holds whole numbers like ids of topics"
            yield ask(sheet, what, *ways, *[({"ignore_columns": [name]}, "")] * several)


def _other_scale_of_systems(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Whole numbers above 1, where most columns are of fractions up to 1."""
    held = {c: sheet.columns[c] for c in layout.scores}
    if options.transpose is False or any(
        TEXT in column.held or not column.numbers.size for column in held.values()
    ):
        return
    whole = [c for c, column in held.items() if column.numbers.max() > 1]
    fractions = sum(column.holds_fractions for c, column in held.items() if c not in whole)
    scores = any(held[c].holds_fractions or held[c].numbers.min() < 0 for c in whole)
    if whole and not scores and fractions > max(1, len(whole)):
        odd = [sheet.header[c] for c in whole]
        what = (
            f"{few(odd, 8)}: whole numbers on another scale than the others (up to 1), so probably not scores"
        )
        yield ask(sheet, f"{what} of a system", ({"ignore_columns": odd}, ""), _ALL_SYSTEMS)


def _no_systems(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Columns that by their names are measures, or number, count or describe the topics."""
    header, columns = sheet.header, layout.scores
    if len(columns) < 2 or options.transpose is False:
        return
    names = [header[c] for c in columns]
    about = [name for c, name in zip(columns, names, strict=True) if _tells_of_rows(name, sheet.columns[c])]
    scores = [name for name in names if has_role(name, "value", "score_by_meaning")]
    systems = [name for name in names if name not in about]
    if scores or all(map(is_measure, systems)):
        score = (scores or systems or names)[0]
        yield ask(
            sheet,
            f"{few(names, 8)} look like measures of one system, not like systems",
            *one_row_per_score(sheet) * bool(scores or about),
            ({"score_column": score}, "if it is the score, with a file for each system"),
            _ALL_SYSTEMS,
        )
    if measures := measures_beside(names):
        others = [
            name for name, of in zip(names, measures, strict=True) if of != next(filter(None, measures))
        ]
        yield ask(
            sheet,
            f"columns are called like several measures ({few(sorted({*measures} - {''}))}), not like systems",
            ({"ignore_columns": others}, "to read one measure"),
            _ALL_SYSTEMS,
        )
    beside = set(_beside_in_values(sheet, columns))
    told = [name for name in names if name in about or is_measure_alone(name) or name in beside]
    told = [name for name in told if not is_average(name)]
    single = sum(len(name.strip()) == 1 for name in names)
    told += [name for name in names if name not in told and _is_beside(name, names, single)]
    unnamed = layout.topic is not None and is_unnamed(header[layout.topic]) and not options.topic_column
    if told:
        yield ask(
            sheet,
            f"{few(told, 8)} may tell of the rows or be measures, and be no system",
            *[({"transpose": True}, "if rows are systems")] * unnamed,
            ({"ignore_columns": told}, ""),
            _ALL_SYSTEMS,
        )


def _beside_in_values(sheet: Sheet, columns: Sequence[int]) -> Iterable[str]:
    """Errors or counts beside others; low and high are bounds only where no score is beyond them."""
    names = [sheet.header[c] for c in columns]
    beside = beside_scores(names)
    values = sheet.numbers(columns) if beside else np.empty(0)
    beyond = set[int]()
    for k, of in beside.items():
        sign = 1 if re.search(r"low(er)?\)?$", plain(names[k])) else -1
        if sign == 1 or re.search(r"(high|upper)\)?$", plain(names[k])):
            beyond |= {of} if (sign * (values[:, k] - values[:, of]) > 0).any() else set()
    bounds = re.compile(r"(low|lower|high|upper)\)?$")
    return (names[k] for k, of in beside.items() if of not in beyond or not bounds.search(plain(names[k])))


_ALL_SYSTEMS: Way = ({"transpose": False}, "if all columns are systems")


def _is_beside(name: str, names: Sequence[str], single: int) -> bool:
    """Whether a column is called like a test, or a difference of other columns; a letter may be a system."""
    if has_role(name, "beside_systems") and (len(name.strip()) > 1 or single == 1):
        return not is_average(name) and (len(names) > 2 or plain(name) != "gap")
    first, _, rest = plain(name).partition("_")
    return (
        len(names) > 2
        and first in ("delta", "diff", "difference")
        and any(
            re.search(rf"(?<![^\W_]){re.escape(plain(other))}(?![^\W_])", rest)
            for other in names
            if other != name
        )
    )


def _made_of_others(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """A column that is the difference of two others, and columns of one name in tables that were merged."""
    names, own = [sheet.header[c] for c in layout.scores], len(layout.scores)
    if options.transpose is False or not 1 < own <= _LOOKED_AT:
        return
    twice = [name for name in names if name.endswith("_x") and f"{name[:-1]}y" in names]
    if twice:
        other, left = f"{twice[0][:-1]}y", [f"{name[:-1]}y" for name in twice]
        what = f"{twice[0]} and {other} may be one system, in two tables that were merged"
        yield ask(sheet, what, ({"ignore_columns": left}, "to leave one out"), _ALL_SYSTEMS)
    if own < 3 or sheet.rows < 2 * _FEW or any(TEXT in sheet.columns[c].held for c in layout.scores):
        return
    values = sheet.numbers(layout.scores)
    close = 1e-6 * np.nanmax(np.abs(values), initial=0)
    if close > 1e100:
        return
    for a, b, c in permutations(range(own), 3):
        gap, found = values[:, a] - values[:, b], values[:, c]
        if len(np.unique(found)) > 2 and (found < 0).any() and (np.abs(gap - found) <= close).all():
            what = f"{names[c]!r} is the difference of {names[a]!r} and {names[b]!r}"
            yield ask(sheet, what, ({"ignore_columns": [names[c]]}, ""), _ALL_SYSTEMS)


def _tells_of_rows(name: str, cells: Column) -> bool:
    """Whether a column counts or describes the topics; a letter may be a system."""
    if len(name) == 1 and not cells.counts_up:
        return False
    whole = not cells.holds_fractions
    of_rows = has_role(name, "weight") or (whole and has_role(name, "run", "data_set", "task", "cluster"))
    return of_rows or (is_property(name, whole) and not PATTERNS["systems_by_such_words"].fullmatch(name))


def _unnamed_like_systems(sheet: Sheet, layout: Layout, options: Options) -> Found:
    if options.transpose is None and rows_may_be_systems(sheet, layout, counted=True):
        names = [sheet.header[c] for c in layout.scores]
        if like_topics(names) and names[0] not in ("0", "1"):  # a frame counts its columns from 0
            what = "columns are called like topics, and the column of rows has no name"
            kinds = ((True, "rows"), (False, "columns"))
            yield ask(sheet, what, *(({"transpose": way}, f"if {kind} are systems") for way, kind in kinds))


def rows_may_be_systems(sheet: Sheet, layout: Layout, counted: bool = False) -> bool:
    """Whether names of rows, in a column without one, are not those of topics; they may be `counted`."""
    if layout.topic is None or layout.data_set is not None or sheet.rows < 2:
        return False
    if not (is_unnamed(sheet.header[layout.topic]) or plain(sheet.header[layout.topic]) == "index"):
        return False
    rows = sheet.names(layout.topic)
    names = [name for name, sums in zip(rows, averages(rows), strict=True) if not sums]
    return not (like_topics(names) or (numbered(names) and not counted))


_SUMMED = 3
"""Rows that a row may sum up."""

_CLOSE, _CLOSER = 0.02, 0.005
"""Rounding of a mean, in standard deviations of scores, from which on it may be chance; of many tries."""

_MEAN = re.compile(r"\b(avg|average|mean|total|sum)\b", re.IGNORECASE)


def refuse_sums(sheet: Sheet, layout: Layout, options: Options) -> None:
    """Ask about a row that, whatever its name, has the sum, mean, deviation or number of the others."""
    scores, names = layout.scores, None if layout.topic is None else sheet.header[layout.topic]
    if len(scores) < 2 or sheet.rows <= _SUMMED or options.topic_column or options.transpose is not None:
        return
    values = sheet.numbers(scores)
    if np.nanmax(np.abs(values), initial=0) > 1e100:
        return
    called_so = [k for k, name in enumerate(sheet.names(layout.topic or 0)) if k and _MEAN.search(name)]
    for row, what in _summing(values, [] if names is None else called_so[:_LOOKED_AT]):
        way = {"transpose": False} if names is None else {"topic_column": names}
        what = f"each cell of this row is the {what}; remove the row"
        raise ask(sheet, what, (way, "if it is a topic"), row=row)


def is_summary(values: Vector, others: Matrix) -> bool:
    """Whether a system has the mean, sum, bound, spread or difference of the others, but for rounding."""
    kept = ~np.isnan(values) & ~np.isnan(others).any(axis=1)
    values, others = values[kept], others[kept]
    if not len(values):
        return True
    digits = max(len(repr(cell).partition(".")[2]) if cell % 1 else 0 for cell in values.tolist())
    half = 0.5 * 10.0 ** -min(digits, 15) * (1 + 1e-6)
    close = max(half * bool(half <= _CLOSE * others.std()), 1e-9 * float(np.abs(others).max()))
    low, high, middle = others.min(axis=1), others.max(axis=1), others.mean(axis=1)
    logs = np.log(np.where(others > 0, others, np.nan))
    spreads = [others.std(axis=1, ddof=ddof) / of for ddof in (0, 1) for of in (1, others.shape[1] ** 0.5)]
    kinds = [middle, others.sum(axis=1), low, high, high - low, np.median(others, axis=1), *spreads]
    kinds += [(low + high) / 2, (middle + high) / 2, np.exp(logs.mean(axis=1))]
    columns = others.T[:_LOOKED_AT]
    kinds += [one - other for one, other in permutations(columns, 2)]
    kinds += [np.abs(one - other) for one, other in combinations(columns, 2)]
    return any(bool((np.abs(values - kind) <= close).all()) for kind in kinds)


def may_sum_up(values: Vector, others: Matrix) -> bool:
    """Whether scores are between the others in each row, below them all, or on another scale."""
    kept = ~np.isnan(values) & ~np.isnan(others).any(axis=1)
    values, others = values[kept], others[kept]
    if not len(values):
        return False
    low, high = others.min(axis=1), others.max(axis=1)
    within = bool(((low <= values) & (values <= high)).all()) and len(np.unique(others)) > 2
    small = bool(((values >= 0) & (values <= low)).all())
    top = max(1.0, high.max())
    return within or small or bool(values.max() > 1.5 * top or (values.min() < 0 <= low.min()))


def _summing(values: Matrix, named: Sequence[int]) -> Iterable[tuple[int, str]]:
    """First and last rows that are made of all the others, and `named` ones that are of some rows above."""
    for row, others in ((len(values) - 1, values[:-1]), (0, values[1:])):
        if kind := _sums(values[row], others, _CLOSE):
            yield row, f"{kind} of the others"
    for row in named:
        above_all = (values[row] > np.nanmax(np.delete(values, row, axis=0))).all()
        for start in range(max(0, row - 100), row - 1):
            kind = _sums(values[row], values[start:row], _CLOSER)
            if kind == "mean" or (kind == "sum" and above_all):
                yield row, f"{kind} of the rows above"


def _sums(row: Vector, others: Vector, close: float) -> str | None:
    """What all cells of a row are of other rows, as far as they are rounded; None where they are not."""
    if np.isnan(row).any() or len(others) < 2:
        return None
    there = ~np.isnan(others)
    times, largest = there.sum(axis=0), np.nanmax(np.abs(others), axis=0, initial=0)
    if times.min() < 2:
        return None
    if len(others) >= _SUMMED and (row == times).all() and (row > 2 * largest).all():
        return "number"
    digits = max(len(repr(cell).partition(".")[2]) if cell % 1 else 0 for cell in row.tolist())
    half = 0.5 * 10.0**-digits * (1 + 1e-6) + 1e-12 * float(np.abs(row).max())
    total, middle, spread = np.nansum(others, axis=0), np.nanmean(others, axis=0), np.nanstd(others, axis=0)
    if (np.abs(row - total) <= min(half, close * spread.max())).all() and (total > 1.5 * largest).any():
        return "sum"
    if half > close * spread.max() or len(set(row.tolist())) < 2:
        return None
    of = {
        "mean": middle,
        "standard deviation": spread * np.sqrt(times / (times - 1)),
        "standard deviation ": spread,
    }
    return next((kind.strip() for kind, cells in of.items() if (np.abs(row - cells) <= half).all()), None)


WIDE: Sequence[Check] = (
    _what_rows_are,
    _no_scores,
    _names_of_columns,
    _resamples,
    _runs_of_topics,
    _ids,
    _thousands,
    _other_scale_of_systems,
    _no_systems,
    _made_of_others,
    _unnamed_like_systems,
)


# Tables the other way round: one row per system


def _no_systems_in_rows(sheet: Sheet, layout: Layout, options: Options) -> Found:
    if layout.system is None:
        what = f"{setting('transpose', True)}, but no column holds names of systems"
        text = next((c for c, column in enumerate(sheet.columns) if column.holds_names), None)
        yield ask(sheet, what, *[({"system_column": sheet.header[c]}, "") for c in [text] if c is not None])
    first = sheet.header[0]
    numbers = layout.system == 0 and not sheet.columns[0].holds_names and has_role(first, "run", "repeats")
    if numbers and options.transpose is None and options.system_column is None:
        ways = ({"transpose": True}, "if they are"), ({"ignore_columns": [first]}, "if they are runs")
        yield ask(sheet, f"{called(first)} may number the systems", *ways)


def _means_with_errors(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Means with standard errors, with the gate that compares two of them."""
    from truerank.readers.means_with_errors import means_and_errors

    if not (pairs := means_and_errors(sheet, layout.system or 0)):
        return
    pair = zip(("baseline", "candidate"), sheet.names(layout.system or 0), strict=False)
    source, settings = sheet.source or "FILE", [setting(role, name.strip()) for role, name in pair]
    if len(pairs) > 1:
        settings.append(setting("measure", options.measure or sheet.header[next(iter(pairs))].strip()))
    gate = either(
        f"truerank.gate({', '.join([repr(source), *settings])})",
        f"truerank gate {shlex.quote(source)} {' '.join(settings)}",
    )
    more = "put the rows of both systems into one file, and " * (sheet.rows < 2)
    yield InputError(
        f"{sheet.place()}means with standard errors hold no topics to pair systems by; {more}compare two of "
        f"them with {gate}"
    )


def _names_of_rows(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Systems that have no name, or one that is there already."""
    names, first_row = sheet.names(layout.system or 0), dict[str, int]()
    for row, (name, sums) in enumerate(zip(names, averages(names), strict=True)):
        if sums:
            continue
        if not name.strip():
            yield InputError(f"{sheet.place(row)}the system has no name; fill the cell or remove the row")
        first = first_row.setdefault(name, row)
        if first != row:
            what, long = f"system {name!r} was already given at {sheet.at(first)}", one_row_per_score(sheet)
            if not long:
                what += "; give each row another name, remove all but one, or name topics in a column 'topic'"
            yield ask(sheet, what, *long, row=row)
    if not first_row:
        yield InputError(f"{sheet.place()}only averages over the systems; add a row for each system")


def _measures_of_systems(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Columns that hold no scores, or one mean each."""
    header, scores, given = sheet.header, layout.scores, options.transpose
    for c in layout.others:  # cells like `90.1/88.2` or `0,5` are not names: their column would be left out
        if sheet.columns[c].holds_names and not sheet.columns[c].holds_text:
            yield sheet.unread(c)
    if not scores and given:
        yield ask(sheet, "rows are read as systems, and no column holds scores of topics")
    measures = sum(is_measure(header[c]) for c in scores)
    if not scores or (given is None and (len(scores) == 1 or 2 * measures >= len(scores))):
        yield InputError(
            f"{sheet.place()}{called(header[layout.system or 0])} says that rows are systems, with one mean "
            "each by a measure. Give one row per topic or data set and one column per system. Where the "
            f"columns are topics or data sets, transpose it with {setting('transpose', True)}"
        )


def _other_scales(sheet: Sheet, layout: Layout, options: Options) -> Found:
    """Columns on another scale than most, which may not be data sets."""
    scores = layout.scores
    if options.transpose or len(scores) < 2 or any(TEXT in sheet.columns[c].held for c in scores):
        return
    tops = np.nanmax(np.abs(sheet.numbers(scores)), axis=0, initial=0.0)
    for small, limit in ((tops <= 1, _LARGEST_FRACTION), (tops <= _LARGEST_PERCENT, _LARGEST_PERCENT)):
        if small.any() and tops.max() > limit:
            odd = small if 2 * small.sum() < len(tops) else ~small
            break
    else:
        seen = tops > 0  # scores that are all 0 tell of no scale
        middle = float(np.median(tops[seen])) if seen.any() else 0.0
        odd = seen & ((tops > _OTHER_SCALE * middle) | (_OTHER_SCALE * tops < middle))
    if odd.any():
        which = [sheet.header[c] for c, is_odd in zip(scores, odd.tolist(), strict=True) if is_odd]
        what = f"{few(which, 8)}: on another scale (up to {tops[odd].max():g}) than the others (up to "
        what += f"{tops[~odd].max(initial=0):g}), so these may not be data sets"
        yield ask(sheet, what, ({"ignore_columns": which}, ""), ({"transpose": True}, "if they are"))


def _directions(sheet: Sheet, layout: Layout, options: Options) -> Found:
    if options.lower_is_better is not None:
        return
    lower = {sheet.header[c]: lower_is_better(sheet.header[c]) for c in layout.scores}
    down, up, unnamed = ([name for name, one in lower.items() if one is way] for way in (True, False, None))
    if down and (up or unnamed):
        apart = f", and higher in {few(up, 8)}" if up else f", but not in {few(unnamed, 8)}"
        what = f"{sheet.place()}by their names lower is better in {few(down, 8)}{apart}"
        yield UnsureError(
            what,
            ({"ignore_columns": min(down, up or unnamed, key=len)}, "to leave one kind out"),
            ({"lower_is_better": False}, "if higher is better in all"),
        )


ROWS_OF_SYSTEMS: Sequence[Check] = (
    _no_systems_in_rows,
    _means_with_errors,
    _names_of_rows,
    _measures_of_systems,
    _resamples,
    _thousands,
    _other_scales,
    _directions,
    _names_of_columns,
)
