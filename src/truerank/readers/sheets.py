"""A sheet: named columns of cells, from separated text or from a data frame, before they mean anything."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import islice
from typing import TYPE_CHECKING, Any, Protocol

import numpy as np
from numpy.typing import NDArray

from truerank._support.wording import Quiet
from truerank.errors import InputError, at
from truerank.readers.columns import TOPIC, find, ignoring, is_column_of_long, is_data_set, is_topic

if TYPE_CHECKING:
    import pandas as pd

MISSING_MARKS = frozenset({"", "na", "n/a", "nan", "null", "none"})
"""Cells that say there is no value, in any case."""

TRUTH = Quiet("True counts as 1, False as 0")
_PERCENT = "percentages count as shares: 85% is 0.85"
_PASSED = "pass, yes and correct count as 1, fail, no and incorrect as 0"
_GRADED = "grades C, P, I and N count as 1, 0.5, 0 and 0"
_TRUTHS = {"true": 1.0, "false": 0.0}
_VERDICTS = {
    **dict.fromkeys(("yes", "pass", "passed", "correct", "resolved", "success", "right"), 1.0),
    **dict.fromkeys(("no", "fail", "failed", "incorrect", "unresolved", "failure", "wrong"), 0.0),
}
_GRADES = {"c": 1.0, "p": 0.5, "i": 0.0, "n": 0.0}
_WORDS = {
    **{word: (value, TRUTH) for word, value in _TRUTHS.items()},
    **{word: (value, _PASSED) for word, value in _VERDICTS.items()},
    **{word: (value, _GRADED) for word, value in _GRADES.items()},
}
"""What a cell may say in place of a number, and the note that says how it is read."""

_CHUNK = 64
"""Rows that are turned into numbers at once; where one cell is no number, theirs are looked at one by one."""

_LIKE_A_NUMBER = re.compile(r"[(+-]*[.,]?\d[\d.,_ ]*\S{0,6}( [.\d]+)*|[+-]?inf\w*", re.IGNORECASE)
_DATE = re.compile(r"\d{4}-\d\d?-\d\d?\b.*")
_DECIMAL_COMMA = re.compile(r"[+-]?\d*,\d+([eE][+-]?\d+)?")


class Sheet(Protocol):
    """What the table reader asks of a sheet; rows and columns are counted from 0."""

    source: str | None
    """The file, for messages; None for a data frame."""
    header: list[str]
    rows: int
    said: dict[str, None]
    """What there is to say of the cells that were read, in order."""
    lists: Sequence[str]
    """Columns that are left out, as their cells are lists of numbers."""

    def place(self, row: int | None = None) -> str:
        """Where a row (None: the header, or the whole) is, as the start of a message."""
        ...

    def names(self, column: int) -> list[str]:
        """The cells of a column as text, as they stand."""
        ...

    def numbers(self, columns: Sequence[int], rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """The cells of some columns (and rows) as finite numbers, NaN where there is none."""
        ...


ROWS = "#"
"""The name of the column of runs where there is none: the rows are runs, in the order of the file."""


class NumberedSheet:
    """A sheet with the numbers of its rows as one more column."""

    def __init__(self, sheet: Sheet) -> None:
        """Number the rows of a sheet."""
        self._sheet = sheet
        self.source, self.rows, self.said = sheet.source, sheet.rows, sheet.said
        self.header, self.lists = [*sheet.header, ROWS], sheet.lists

    def place(self, row: int | None = None) -> str:
        """Where a row is, as the start of a message."""
        return self._sheet.place(row)

    def names(self, column: int) -> list[str]:
        """The cells of a column as text."""
        if column == len(self.header) - 1:
            return [str(row + 1) for row in range(self.rows)]
        return self._sheet.names(column)

    def numbers(self, columns: Sequence[int], rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """The cells of columns of the sheet as numbers."""
        return self._sheet.numbers(columns, rows)


def is_number(cell: str) -> bool:
    """Whether a cell holds a number; marks for missing values are none."""
    if cell.strip().casefold() in MISSING_MARKS:
        return False
    try:
        float(cell)
    except ValueError:
        return False
    return "_" not in cell  # Python reads 1_000 as a number, nobody else does


def word_value(cell: str) -> tuple[float, str] | None:
    """What a cell means that is no number: a truth value, a grade or a percentage, and a note that says so.

    >>> word_value("Pass")[0], word_value("85 %")[0], word_value("maybe")
    (1.0, 0.85, None)
    """
    text = cell.strip().casefold()
    if text.endswith("%") and is_number(text[:-1].strip()):
        return float(text[:-1]) / 100, _PERCENT
    return _WORDS.get(text)


def is_missing(cell: str) -> bool:
    """Whether a cell says that there is no value."""
    return cell.strip().casefold() in MISSING_MARKS


def holds_scores(sheet: Sheet, column: int) -> bool:
    """Whether a column holds scores: some cell is a number, or all that are filled say what counts as one."""
    if any(map(is_number, sheet.names(column))):
        return True
    cells = [cell for cell in sheet.names(column) if not is_missing(cell)]
    return bool(cells) and all(word_value(cell) is not None for cell in cells)


def holds_names(sheet: Sheet, column: int) -> bool:
    """Whether a column holds names: some cell is filled, and none with a score."""
    return not holds_scores(sheet, column) and not all(map(is_missing, sheet.names(column)))


def holds_text(sheet: Sheet, column: int) -> bool:
    """Whether a column holds names, none of which starts like a number that is written in an unknown way."""
    cells = [cell.strip() for cell in sheet.names(column)]
    unread = (_LIKE_A_NUMBER.fullmatch(cell) and not _DATE.fullmatch(cell) for cell in cells)
    return holds_names(sheet, column) and not any(unread) and score_words(sheet, column) is None


def score_words(sheet: Sheet, column: int) -> str | None:
    """The words that count as scores in a column that is mostly made of them, for a message; else None."""
    cells = [cell.strip() for cell in sheet.names(column) if not is_missing(cell)]
    words = [cell for cell in cells if cell.casefold() in _TRUTHS or cell.casefold() in _VERDICTS]
    if 2 * len(words) <= len(cells):
        return None
    return " and ".join(word for word, _ in Counter(words).most_common(2))


def refuse_other_words(sheet: Sheet, column: int, only: bool = False) -> None:
    """Refuse a cell that says no score in a column where most cells are words that count as scores."""
    words = score_words(sheet, column)
    if words is None:
        return
    for row, cell in enumerate(sheet.names(column)):
        if is_missing(cell) or is_number(cell) or word_value(cell) is not None:
            continue
        name = sheet.header[column]
        remedy = "write one of them, or leave it empty where there is no score"
        if not only:
            remedy = (
                f"write one of them, leave it empty where there is no score, or leave the column out: "
                f"{ignoring(name)}"
            )
        raise InputError(f"{sheet.place(row)}column {name!r} holds {cell.strip()!r} among {words}; {remedy}")


def holds_fractions(sheet: Sheet, column: int) -> bool:
    """Whether some cell is a number that is not whole: scores have fractions, names and years have none."""
    return any(is_number(cell) and float(cell) % 1 != 0 for cell in sheet.names(column))


def counts_up(sheet: Sheet, column: int) -> bool:
    """Whether the numbers of a column are whole, and not all 0 or 1."""
    numbers = {float(cell) for cell in sheet.names(column) if is_number(cell)}
    return all(number.is_integer() for number in numbers) and not numbers <= {0.0, 1.0}


def has_decimal_comma(cell: str) -> bool:
    """Whether a cell holds a number that is written with a decimal comma."""
    return _DECIMAL_COMMA.fullmatch(cell.strip()) is not None


def not_a_number(place: str, column: str, cell: str) -> InputError:
    """The error for a cell that is text, infinite, or written with a decimal comma."""
    text = cell.strip()
    if has_decimal_comma(text):
        remedy = f"decimal commas cannot be read, write {text.replace(',', '.')}"
    elif is_number(text):
        remedy = "every score must be finite"
    elif "±" in text or "+/-" in text:
        remedy = "give means with standard errors to truerank.board(means, covariance) in Python"
    elif len(text.split()) > 1 and all(map(is_number, text.split())):
        remedy = "separate the columns by commas, tabs or semicolons"
    else:
        remedy = f"write a number, leave it empty when missing, or leave the column out: {ignoring(column)}"
    return InputError(f"{place}column {column!r} holds {text!r} where a number belongs; {remedy}")


def has_truth(values: Any) -> bool:
    """Whether an array, or lists within lists, hold truth values."""
    if isinstance(values, (list, tuple)):
        return any(map(has_truth, values))
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return isinstance(values, bool) or kind == "b"


class TextSheet:
    """A sheet from comma-, tab- or semicolon-separated text."""

    lists: Sequence[str] = ()

    def __init__(self, text: str, source: str) -> None:
        """Split the text, header first, of the file `source`."""
        self.source: str | None = source
        self.said: dict[str, None] = {}
        self._cells: list[list[str]] = []
        self._lines: list[int] = []
        delimiter = _delimiter(text)
        # Line ends go through untouched: they may be part of a quoted name.
        lines = csv.reader(
            io.StringIO(text, newline=""), delimiter=delimiter, skipinitialspace=True, strict=True
        )
        line = 1
        try:
            for row in lines:
                if len(row) > 1 or (row and row[0].strip()):
                    self._cells.append(row)
                    self._lines.append(line)
                line = lines.line_num + 1
        except csv.Error as error:
            raise InputError(f"{at(source, line)}{error}; check the quotes from this line on") from None
        if not self._cells:
            raise InputError(f"{source}: no cell holds anything; write the file again")
        self.header = self._cells.pop(0)
        self._header_line = self._lines.pop(0)
        self.rows = len(self._cells)
        self._check_shape()

    def _check_shape(self) -> None:
        numeric = [is_number(name) for name in self.header]
        # A first line such as `301,0.25,0.5` or `T1,0.25,0.5` is a row of scores.
        fractions = [
            bool(re.search(r"[.eE]", name)) and num for name, num in zip(self.header, numeric, strict=True)
        ]
        if all(numeric) or (len(numeric) > 1 and all(fractions[1:]) and not is_topic(self.header[0])):
            raise InputError(
                f"{self.place()}the first line holds scores, not names; "
                "put a line with the systems' names on top"
            )
        if not self.rows:
            raise InputError(f"{self.place()}no scores below the header; add one row per topic")
        width = len(self.header)
        for row, cells in enumerate(self._cells):
            if len(cells) != width:
                if len(cells) == width + 1 and row == 0:
                    remedy = "name the topic column in the header too"
                else:
                    remedy = "give every row one cell per column"
                raise InputError(
                    f"{self.place(row)}{len(cells)} cells where the header has {width}; {remedy}"
                )

    def place(self, row: int | None = None) -> str:
        """`file:line: ` of a row, or of the header."""
        return at(self.source, self._header_line if row is None else self._lines[row])

    def names(self, column: int) -> list[str]:
        """The cells of a column, as they stand."""
        return [cells[column] for cells in self._cells]

    def numbers(self, columns: Sequence[int], rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """The cells of some columns as numbers; see :class:`Sheet`."""
        rows = range(self.rows) if rows is None else rows
        values = np.empty((len(rows), len(columns)))
        for start in range(0, len(rows), _CHUNK):
            chunk = rows[start : start + _CHUNK]
            cells = [self._cells[row][column] for row in chunk for column in columns]
            try:
                numbers = list(map(float, cells))
                simple = "_" not in "".join(cells)
            except ValueError:
                simple = False
            if not simple:
                numbers = [self._number(row, column) for row in chunk for column in columns]
            values[start : start + len(chunk)] = np.reshape(numbers, (len(chunk), len(columns)))
        for i, j in np.argwhere(np.isinf(values)):
            row, column = rows[i], columns[j]
            raise not_a_number(self.place(row), self.header[column], self._cells[row][column])
        return values

    def _number(self, row: int, column: int) -> float:
        cell = self._cells[row][column]
        if is_missing(cell):
            return np.nan
        if is_number(cell):
            return float(cell)
        return _worded(self, row, column, cell)


CONVERSATION = "conversation_a"
"""The column of an arena's turns with the first system, whose first one is the prompt."""

_OF_ANYTHING = ("id", "name", "index", "label", "type", "key", "uid", "model")
"""Names that say nothing without what they are within."""


class RecordSheet(TextSheet):
    """A sheet from JSON records, one per row: values are cells, and those of an inner object columns too."""

    def __init__(self, files: Sequence[tuple[str, Sequence[tuple[int | None, Mapping[str, Any]]]]]) -> None:
        """Take the records of files, each with its line, where it has one.

        Inner names stand alone where they say something and no other column has them (`results.score` is
        `score`, `provider.id` stays).
        """
        self.source = files[0][0] if len(files) == 1 else None
        self.said = {}
        self._file = files[0][0]
        flat = [_flat(record) for _, records in files for _, record in records]
        self.lists = list(
            dict.fromkeys(name for _, records in files for _, one in records for name in _lists(one))
        )
        self._places = [
            at(path, line) if line is not None else f"{path}: record {number}: "
            for path, records in files
            for number, (line, _) in enumerate(records, 1)
        ]
        paths = list(dict.fromkeys(path for cells in flat for path in cells))
        times = Counter(path[-1] for path in paths)
        self.header = [
            path[-1] if times[path[-1]] == 1 and path[-1].casefold() not in _OF_ANYTHING else ".".join(path)
            for path in paths
        ]
        self._cells = [[cells.get(path, "") for path in paths] for cells in flat]
        self.rows = len(flat)
        if not paths:
            raise InputError(f"{self._file}: records without values; write the scores of systems on topics")

    def add(self, name: str, cells: Sequence[str]) -> None:
        """Add a column; rows of another have to have been there."""
        self.header = [*self.header, name]
        self._cells = [[*row, cell] for row, cell in zip(self._cells, cells, strict=True)]

    def place(self, row: int | None = None) -> str:
        """`file:line: ` of a record."""
        return f"{self._file}: " if row is None else self._places[row]


def _flat(record: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """The cells of a record by the path of their names; but for a conversation, lists are left out."""
    cells: dict[tuple[str, ...], str] = {}
    for name, value in record.items():
        inner = value.items() if isinstance(value, Mapping) else [(None, value)]
        for part, cell in inner:
            if not isinstance(cell, (list, Mapping)):
                cells[(name,) if part is None else (name, part)] = _json_cell(cell)
            elif name == CONVERSATION and isinstance(cell, list):
                cells[(name,)] = json.dumps(cell)
    return cells


def _lists(record: Mapping[str, Any]) -> list[str]:
    """The names of the lists of numbers in a record."""
    return [
        name
        for name, value in record.items()
        if isinstance(value, list) and value and all(isinstance(one, int | float) for one in value)
    ]


def _json_cell(value: Any) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else value if isinstance(value, str) else repr(value)


class FrameSheet:
    """A sheet from a pandas data frame; an index that is more than a row count is its first column."""

    lists: Sequence[str] = ()

    def __init__(self, frame: pd.DataFrame, source: str | None = None) -> None:
        """Take the columns of a frame, which came from the file `source`, if any."""
        self.source = source
        self.said: dict[str, None] = {}
        if frame.columns.nlevels > 1:
            raise InputError(
                f"{self.place()}columns have {frame.columns.nlevels} levels; flatten them to one, or give a "
                "long table with columns data_set, topic, system and value"
            )
        self.header = [_text(name) for name in frame.columns]
        self._columns: list[pd.Series[Any]] = [frame.iloc[:, j] for j in range(frame.shape[1])]
        index = frame.index
        if index.nlevels > 1 or index.name is not None or not _counts(index):
            levels = [index.get_level_values(level) for level in range(index.nlevels)]
            names = self._index_names([level.name for level in levels])
            # Beside other levels, one without a name only counts rows.
            kept = [level for level, name in enumerate(names) if name or len(names) == 1]
            self._columns[:0] = [levels[level].to_series() for level in kept]
            self.header[:0] = [names[level] for level in kept]
        self.rows = len(frame)
        if not self.rows or not frame.shape[1]:
            raise InputError(
                f"{self.place()}no scores; it has {frame.shape[0]} rows and {frame.shape[1]} columns"
            )

    def _index_names(self, given: list[Any]) -> list[str]:
        """What the columns made of the levels of the index are called."""
        names = ["" if name is None else _text(name) for name in given]
        if len(names) == 1:
            # In a wide frame the index holds the topics, whatever its name.
            return names if is_column_of_long(names[0]) else [""]
        if not names[0]:
            names[0] = "data_set"  # the keys of pandas.concat
        if len(names) == 2 and is_data_set(names[0]) and not is_column_of_long(names[1]):
            names[1] = "" if find(self.header, TOPIC) is not None else "topic"
        return names

    def place(self, row: int | None = None) -> str:
        """`data frame, row 3: `, or the same with the file's name."""
        name = self.source or "data frame"
        return f"{name}: " if row is None else f"{name}, row {row + 1}: "

    def names(self, column: int) -> list[str]:
        """The cells of a column as text; None and NaN as no text at all."""
        return [_text(cell) for cell in self._columns[column].tolist()]

    def numbers(self, columns: Sequence[int], rows: Sequence[int] | None = None) -> NDArray[np.float64]:
        """The cells of some columns as numbers; see :class:`Sheet`."""
        values = np.empty((self.rows if rows is None else len(rows), len(columns)))
        for j, column in enumerate(columns):
            series = self._columns[column]
            if rows is not None:
                series = series.iloc[list(rows)]
            if series.dtype.kind in "mMc":
                raise not_a_number(self.place(), self.header[column], str(series.iloc[0]))
            if has_truth(series if series.dtype.kind != "O" else series.tolist()):
                self.said[TRUTH] = None
            try:
                values[:, j] = series.to_numpy(dtype=np.float64, na_value=np.nan)
                simple = True
            except (TypeError, ValueError):
                simple = False
            if not simple or np.isinf(values[:, j]).any():
                values[:, j] = [
                    self._number(row if rows is None else rows[row], column, cell)
                    for row, cell in enumerate(series.tolist())
                ]
        return values

    def _number(self, row: int, column: int, cell: object) -> float:
        text = _text(cell)
        if is_missing(text):
            return np.nan
        if is_number(text) and not np.isinf(float(text)):
            return float(text)
        return _worded(self, row, column, text)


def _worded(sheet: Sheet, row: int, column: int, cell: str) -> float:
    """The score that a cell of no number says; the sheet says how it was read."""
    found = word_value(cell)
    letter = len(cell.strip()) == 1
    if found is None or (letter and any(map(is_number, sheet.names(column)))):
        raise not_a_number(sheet.place(row), sheet.header[column], cell)
    value, note = found
    if note == _PERCENT and any(is_number(other) and float(other) > 1 for other in sheet.names(column)):
        raise InputError(
            f"{sheet.place(row)}column {sheet.header[column]!r} holds {cell.strip()!r} beside plain "
            "numbers; write a percent sign in all cells, or in none"
        )
    sheet.said[note] = None
    return value


def _counts(index: pd.Index[Any]) -> bool:
    """Whether an index only counts the rows, 0, 1, 2 …"""
    return index.dtype.kind in "iu" and np.array_equal(index.to_numpy(), np.arange(len(index)))


def _text(cell: object) -> str:
    """A name from a data frame's cell: topic 301.0 (a column that once had gaps) is topic 301."""
    if cell is None or type(cell).__name__ in ("NAType", "NaTType"):
        return ""
    if isinstance(cell, float):
        return "" if cell != cell else str(int(cell)) if cell.is_integer() else str(cell)
    if isinstance(cell, list | np.ndarray):
        return json.dumps(cell, default=lambda one: one.tolist() if hasattr(one, "tolist") else str(one))
    return str(cell)


_LOOKED_AT = 20
"""Rows by which the separator is found."""


def _delimiter(text: str) -> str:
    """What separates the cells: what gives the first rows as many cells as the header has.

    A name may hold any of them. Where none or several do, it is the most frequent of the header, outside its
    quotes.
    """
    counts = {"\t": 0, ";": 0, ",": 0}
    quoted = seen = False
    for char in text:
        if char == '"':
            quoted = not quoted
        elif not quoted:
            if char in "\r\n" and seen:
                break
            if char in counts:
                counts[char] += 1
        seen = seen or not char.isspace()
    there = [mark for mark, times in counts.items() if times]
    even = [mark for mark in there if _is_even(text, mark)] if len(there) > 1 else there
    return max(even or there, key=lambda mark: counts[mark], default=",")


def _is_even(text: str, mark: str) -> bool:
    """Whether the first rows, split by a mark, have one number of cells."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=mark, skipinitialspace=True, strict=True)
    try:
        rows = [row for row in islice(reader, _LOOKED_AT) if any(cell.strip() for cell in row)]
    except csv.Error:
        return False
    return len(rows) > 1 and len({len(row) for row in rows}) == 1
