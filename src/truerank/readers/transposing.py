"""Wide tables the other way round, as leaderboards are published: one row per system."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.cell_values import NUMBER, TEXT, Vector
from truerank.readers.columns import Layout, called, check_columns
from truerank.readers.guesses import ask, one_row_per_score
from truerank.readers.options import COLUMNS, Options, ignoring
from truerank.readers.records import Records
from truerank.readers.roles import (
    NAMES,
    averages,
    beside_scores,
    has_role,
    is_measure,
    is_property,
    is_unnamed,
    lower_is_better,
    plain,
    sums_up,
)
from truerank.readers.sheets import Sheet
from truerank.readers.short_texts import Short
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_BEYOND = 3.0
"""A score of this size is no share."""

_PERCENT = 100.0
"""The largest score in percent, beside which more is on another scale."""

_WILD = 20.0
"""How many times the largest score of the median column one is that is on another scale."""

_NUMBER_BEHIND = Short(r"[\s_.#-]*\d+")
_DIGEST = re.compile(r"[0-9a-f-]{8,}", re.IGNORECASE)
_COUNTED = Short(r"(q|qid|query|question|topic|t|id|sample|item|case|row)?[ _#.-]*\d+", re.IGNORECASE)


@dataclass(frozen=True)
class TransposedLayout:
    """Which columns of a table with one row per system hold what; `summaries` also describe systems."""

    system: int
    scores: tuple[int, ...]
    summaries: tuple[int, ...]
    unused: tuple[int, ...]


def transposed_layout(sheet: Sheet, options: Options, named: Layout) -> TransposedLayout | None:
    """The layout of a table whose rows are systems; None where its columns are.

    Rows are systems if the user says so, or a column called `model`, `system` … holds names and no column is
    called like topics or data sets.
    """
    rows_are_topics = named.topic is not None or named.data_set is not None
    if rows_are_topics and not options.transpose:
        return None
    if rows_are_topics:
        raise InputError(
            f"{sheet.place()}{setting('transpose', True)} reads rows as systems, so no column names topics; "
            f"leave out one of {few(options.given(*COLUMNS))} and it"
        )
    system = _column_of_systems(sheet, options.transpose, named) if named.system is None else named.system
    if system is None:
        return None
    others = [c for c in range(len(sheet.header)) if c != system and c not in named.ignore]
    numeric = {column for column in others if sheet.column(column).holds_scores}
    # Beside numbers, columns of truth values tell of the systems.
    counted = {column for column in numeric if sheet.column(column).has(NUMBER)}
    numeric = counted or numeric
    unused = [column for column in others if column not in numeric]
    _check_rows(sheet, sheet.names(system))
    errors = {others[k] for k in beside_scores([sheet.header[c] for c in others])}
    about = {c for c in numeric if c in errors or _is_beside(sheet, c)}
    scores = tuple(c for c in others if c in numeric and c not in about and not is_unnamed(sheet.header[c]))
    for c in unused:
        _refuse_unread(sheet, c)
    measures = [c for c in scores if is_measure(sheet.header[c])]
    if not scores and options.transpose:
        raise ask(sheet, "rows are read as systems, and no column holds scores of topics")
    if not scores or (options.transpose is None and 2 * len(measures) >= len(scores)):
        raise InputError(
            f"{sheet.place()}{called(sheet.header[system])} says that rows are systems, with one mean each "
            "by a measure. Give one row per topic or data set and one column per system. Where the columns "
            f"are topics or data sets, transpose it with {setting('transpose', True)}"
        )
    if options.transpose is None:
        _refuse_unlike(sheet, system, scores)
    if options.lower_is_better is None:
        _refuse_directions(sheet, scores)
    return TransposedLayout(system, scores, tuple(sorted(about)), tuple(unused))


def _refuse_unlike(sheet: Sheet, system: int, scores: Sequence[int]) -> None:
    """Refuse columns that may be no data sets: one alone, counted resamples, other scales, called `score`."""
    names = [sheet.header[c] for c in scores]
    if len(names) == 1:
        raise InputError(
            f"{sheet.place()}{called(sheet.header[system])} says that rows are systems, and only "
            f"{called(names[0])} holds scores: one mean each says nothing of topics. Give the scores of each "
            "topic; or means with their covariance to truerank.board(means, covariance) in Python"
        )
    refuse_runs(sheet, scores, "topics", f"{setting('transpose', True)} if they are topics")
    tops, odd = _scales(sheet, scores)
    if odd.any():
        which = [name for name, is_odd in zip(names, odd.tolist(), strict=True) if is_odd]
        raise ask(
            sheet,
            f"{few(which, 8)}: on another scale (up to {tops[odd].max():g}) than the others (up to "
            f"{tops[~odd].max(initial=0):g}), so these may be no data sets",
            ignoring(*which),
            f"{setting('transpose', True)} if they are",
        )
    overall = [name for name in names if has_role(name, "value")]
    if overall and len(names) > len(overall):
        what = f"column {overall[0]!r} may sum up the others"
        raise ask(sheet, what, ignoring(*overall), f"{setting('transpose', True)} if it is a data set")


def refuse_runs(sheet: Sheet, columns: Sequence[int], kind: str, remedy: str) -> None:
    """Refuse columns that may be runs or resamples of one score: counted from 0 on, or called so."""
    names = [sheet.header[c] for c in columns]
    counted = names == list(map(str, range(len(names))))
    words = {_NUMBER_BEHIND.sub("", name).casefold() for name in names if not name.isdigit()}
    called_so = len(words) == 1 and words < set(NAMES["numbered_runs"])
    if len(names) > 2 and (counted or called_so):
        raise InputError(
            f"{sheet.place()}columns {names[0]!r} to {names[-1]!r} may be {kind}, or runs (resamples, folds, "
            f"seeds) of one score. Use {remedy}. Of runs write one row per score, with a column run"
        )


def _refuse_unread(sheet: Sheet, column: int) -> None:
    """Refuse cells like `90.1/88.2` or `0,5`, which are no names: their column would be left out as text."""
    cells = sheet.column(column)
    if cells.holds_names and not cells.holds_text:
        raise sheet.unread(cells.row_of(int(np.argmax(cells.kinds == TEXT))), column)


def _scales(sheet: Sheet, scores: Sequence[int]) -> tuple[Vector, NDArray[np.bool_]]:
    """The largest score of each column by size, and which columns are on another scale than most."""
    if len(scores) < 2 or any(sheet.column(c).has(TEXT) for c in scores):
        return np.zeros(len(scores)), np.zeros(len(scores), dtype=bool)
    tops = np.nanmax(np.abs(sheet.numbers(scores)), axis=0, initial=0.0)
    shares = tops <= 1
    if shares.any() and tops.max() > _BEYOND:
        return tops, shares if 2 * shares.sum() < len(tops) else ~shares
    percent = tops <= _PERCENT
    if percent.any() and tops.max() > _PERCENT:
        return tops, percent if 2 * percent.sum() < len(tops) else ~percent
    middle = float(np.median(tops))
    return tops, (tops > _WILD * middle) | (_WILD * tops < middle)


def _is_beside(sheet: Sheet, column: int) -> bool:
    """Whether a column of a board sums up others, or tells of the systems, by its name."""
    name = sheet.header[column]
    return sums_up(name) or has_role(name, "topic_first") or _tells(sheet, column)


def _tells(sheet: Sheet, column: int) -> bool:
    """Whether a column tells of the systems, by its name; a letter may be a data set."""
    return len(sheet.header[column]) > 1 and is_property(sheet.header[column], sheet.column(column).counts_up)


def rows_as_systems(sheet: Sheet, columns: Sequence[int]) -> str:
    """The options that read rows as systems, without the columns that are on another scale than most."""
    scores = [c for c in columns if not _is_beside(sheet, c)]
    odd = [sheet.header[c] for c, is_odd in zip(scores, _scales(sheet, scores)[1], strict=True) if is_odd]
    return either(", ", " ").join([setting("transpose", True), *([ignoring(*odd)] if odd else [])])


def _refuse_directions(sheet: Sheet, scores: Sequence[int]) -> None:
    """Refuse columns of which lower is better beside others of which higher is, by their names."""
    lower = {sheet.header[c]: lower_is_better(sheet.header[c]) for c in scores}
    kinds = {way: [name for name, one in lower.items() if one is way] for way in (True, False)}
    if kinds[True] and kinds[False]:
        fewer = min(kinds.values(), key=len)
        raise InputError(
            f"{sheet.place()}by their names lower is better in {few(kinds[True], 8)}, and higher in "
            f"{few(kinds[False], 8)}. Leave one kind out, such as {ignoring(*fewer)}"
        )


def _column_of_systems(sheet: Sheet, transpose: bool | None, layout: Layout) -> int | None:
    """The column of the systems' names, where rows are systems."""
    if transpose is False:
        return None
    there = {*range(len(sheet.header))} - layout.ignore
    named = sheet.find("system", "system_of_row", among=there)
    if transpose:
        if named is None and sheet.column(0).holds_names:
            named = 0
        if named is None:
            raise ask(
                sheet,
                f"{setting('transpose', True)}, but no column holds names of systems",
                f"{setting('system_column')} to name it",
            )
        return named
    if named is None or sheet.find("topic", "data_set", "task", among=there) is not None:
        return None
    if sheet.column(named).holds_names:
        return named
    if named == 0 and has_role(sheet.header[0], "run", "repeats"):
        ways = (f"{setting('transpose', True)} if they are", f"{ignoring(sheet.header[0])} if they are runs")
        raise ask(sheet, f"{called(sheet.header[0])} may number the systems", *ways)
    return named if named == 0 else None


def read_transposed(sheet: Sheet, layout: TransposedLayout, options: Options) -> ScoreMatrix:
    """The scores of a table with one row per system, and a note on what was assumed.

    Columns that are counted (`q1`, `q2` … or 301, 302 …) are topics; others are data sets, with one score
    each.
    """
    header, systems = sheet.header, sheet.names(layout.system)
    rows = [row for row, sums in enumerate(averages(systems)) if not sums]
    check_columns(header, layout.scores, sheet.place())
    names = [header[column] for column in layout.scores]
    topics = options.data_set is not None or like_topics(names)
    reading = Reading(
        count(len(names), "column"),
        called(header[layout.system]),
        doubts=() if options.transpose else (f"{setting('transpose', False)} reads columns as systems",),
    )
    notes: list[Note] = []
    if layout.summaries:
        summaries = [header[column] for column in layout.summaries]
        notes.append(Note("parts-left-out", {"case": "summary-columns", "names": summaries}))
    if layout.unused:
        unused = [header[column] for column in layout.unused]
        notes.append(Note("parts-left-out", {"case": "unused-columns", "names": unused}))
    if len(rows) < sheet.rows:
        left = [systems[row] for row in range(sheet.rows) if row not in set(rows)]
        notes.append(Note("parts-left-out", {"case": "summary-rows", "names": left}))
    means = [header[c] for c in layout.summaries if sums_up(header[c]) and not _tells(sheet, c)]
    means = [name for name in means if "rank" not in plain(name)]
    lower = any(map(lower_is_better, means)) or all(map(lower_is_better, names))
    pairs = [("" if topics else name, name) for name in names]
    values, found = sheet.scores(layout.scores, rows).T, [systems[row] for row in rows]
    records = Records.grid(values, pairs, found, sheet.place())
    return records.table(
        records.pivot(),
        lambda _, s: sheet.place(rows[s]),
        options.measure or "",
        sheet.source,
        notes,
        not topics,
        lower_is_better=lower,
        reading=reading,
    )


def numbered(names: Sequence[str]) -> bool:
    """Whether names are numbers behind few words, as topics are, or digests.

    >>> numbered(["MB01", "MB02", "MB10"]), numbered(["BM25", "E5", "DPR"])
    (True, False)
    """
    if all(_DIGEST.fullmatch(name.strip()) for name in names):
        return True
    words = {re.sub(r"\d+", "", name) for name in names}
    return all(re.search(r"\d", name) for name in names) and 2 * len(words) <= max(2, len(names))


def like_topics(names: Sequence[str]) -> bool:
    """Whether names are those of topics: numbers, alone or behind `q`, `topic`, `sample` and the like.

    >>> like_topics(["q1", "q2", "q10"]), like_topics(["301", "302"]), like_topics(["STS12", "STS13"])
    (True, True, False)
    """
    return all(_COUNTED.fullmatch(name.strip()) for name in names)


def _check_rows(sheet: Sheet, names: Sequence[str]) -> None:
    """Refuse systems that have no name, or one that is there already."""
    rows = [row for row, sums in enumerate(averages(names)) if not sums]
    if not rows:
        raise InputError(f"{sheet.place()}only averages over the systems; add a row for each system")
    first_row: dict[str, int] = {}
    for row in rows:
        if not names[row].strip():
            raise InputError(f"{sheet.place(row)}the system has no name; fill the cell or remove the row")
        first = first_row.setdefault(names[row], row)
        if first != row:
            what = f"system {names[row]!r} was already given at {sheet.place(first).removesuffix(': ')}"
            if options := one_row_per_score(sheet):
                raise ask(sheet, what, f"{options} if there is one row per score", row=row)
            raise InputError(
                f"{sheet.place(row)}{what}; give each row another name, or remove all but one. Where "
                "rows are scores of topics, name these in a column 'topic'"
            )
