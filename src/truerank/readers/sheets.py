"""Sheets: named columns of cells from separated text, JSON records or data frames."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property, partial
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.readers.cell_values import (
    BLOCK,
    PERCENT,
    TEXT,
    WORD,
    Codes,
    Column,
    ColumnParts,
    NumberColumn,
    first_rows,
    has_decimal_comma,
    has_thousands,
    in_order,
    is_number,
    word_value,
)
from truerank.readers.options import ignoring
from truerank.readers.parquet_files import separated_columns
from truerank.readers.roles import NAMES, find, is_column_of_long, is_data_set, is_measure, is_topic

if TYPE_CHECKING:
    import pandas as pd

_CHUNK = 1 << 20
"""Characters that are split into lines at once."""

_NINES = (99.0, 999.0, 9999.0)
"""Numbers that often stand for a missing score, beside those below 0."""

ROWS = "#"
"""The name of the column of runs where there is none: the rows are runs, in the order of the file."""


class Sheet:
    """Named columns of cells; rows and columns are counted from 0.

    Attributes:
        source: the file, for messages; None for a data frame.
        header: the names of the columns.
        rows: how many there are.
        notes: on how the cells were read, in order.
        lists: columns that are left out, as their cells are lists of numbers.
        missing_value: the number that stands for a missing score, or ``none``; None where nothing is said.
    """

    source: str | None
    header: list[str]
    rows: int
    notes: dict[Note, None]
    lists: Sequence[str] = ()
    missing_value: float | Literal["none"] | None = None
    _columns: list[Any]

    def place(self, row: int | None = None) -> str:
        """Where a row (None: the header, or the whole) is, as the start of a message."""
        raise NotImplementedError

    def column(self, column: int) -> Column:
        """The cells of a column."""
        return self._columns[column]

    def numbered(self) -> Sheet:
        """The same with the numbers of the rows as one more column."""
        found = copy(self)
        found.header = [*self.header, ROWS]
        found._columns = [*self._columns, Column.counting(self.rows)]
        return found

    def some(self, rows: Codes) -> Sheet:
        """Some of the rows."""
        found, places = copy(self), rows.tolist()
        found.rows = len(places)
        found._columns = [Column.of(self.column(c).cells(rows)) for c in range(len(self.header))]
        found.place = lambda row=None: self.place(None if row is None else places[row])  # type: ignore[method-assign]
        return found

    def find(self, *roles: str, among: Collection[int] | None = None) -> int | None:
        """The first column, of some, that is called like a role, the first role's first name first."""
        if among is None:
            return find(self.header, *roles)
        return find([name if c in among else "" for c, name in enumerate(self.header)], *roles)

    def names(self, column: int) -> list[str]:
        """The cells of a column as text, as they stand."""
        return self.column(column).cells()

    def numbers(
        self, columns: Sequence[int], rows: Sequence[int] | Codes | None = None
    ) -> NDArray[np.float64]:
        """The cells of some columns (and rows) as finite numbers, NaN where there is none."""
        at_rows = np.arange(self.rows) if rows is None else np.asarray(rows, dtype=np.intp)
        values = np.empty((len(at_rows), len(columns)))
        unread: list[tuple[int, int]] = []
        infinite: list[tuple[int, int]] = []
        words: list[tuple[int, int, Note]] = []
        for j, number in enumerate(columns):
            column = self.column(number)
            values[:, j] = column.values(None if rows is None else at_rows)
            if np.isinf(values[:, j]).any():
                infinite.append((int(np.argmax(np.isinf(values[:, j]))), j))
            if column.has(TEXT) or column.has(WORD):
                levels, places = in_order(column.codes[at_rows], len(column.levels))
                beside, large = len(column.numbers) > 0, bool((column.numbers > 1).any())
                for level, first in zip(levels.tolist(), first_rows(places).tolist(), strict=True):
                    if column.kinds[level] in (TEXT, WORD):
                        note = _note_on_word(column.levels[level], beside, large)
                        if note is None:
                            unread.append((first, j))
                        else:
                            words.append((first, j, note))
        if unread or infinite:
            row, j = min(unread or infinite)
            raise self._unread(int(at_rows[row]), columns[j])
        self.notes |= dict.fromkeys(note for _, _, note in sorted(words, key=lambda word: word[:2]))
        return values

    def scores(
        self, columns: Sequence[int], rows: Sequence[int] | Codes | None = None
    ) -> NDArray[np.float64]:
        """The same as scores: NaN, too, where a number such as −1 stands for a missing one."""
        values = self.numbers(columns, rows)
        if isinstance(self.missing_value, str):
            return values
        if self.missing_value is not None:
            missing = values == float(self.missing_value)
            if missing.any():
                said = f"{missing.sum()} cells of {float(self.missing_value):g} are missing scores"
                self.notes[Note("missing-values", said)] = None
            return np.where(missing, np.nan, values)
        mark = _standing_for_missing(values)
        if mark is not None:
            row, j = (int(k) for k in np.argwhere(values == mark)[0])
            others = values[~np.isnan(values) & (values != mark)]
            at_row = row if rows is None else int(rows[row])
            raise InputError(
                f"{self.place(at_row)}column {self.header[columns[j]]!r} holds {mark:g} among scores from "
                f"{others.min():g} to {others.max():g}. Use {setting('missing_value', f'{mark:g}')} if it "
                f"stands for a missing score, or {setting('missing_value', 'none')} if it is a score"
            )
        return values

    def _unread(self, row: int, number: int) -> InputError:
        """The error for a cell that is not a score."""
        column, name = self.column(number), self.header[number]
        cell = column.levels[column.codes[row]]
        if (word_value(cell) or (0.0, None))[1] == PERCENT:
            return InputError(
                f"{self.place(row)}column {name!r} holds {cell.strip()!r} beside plain numbers; write a "
                "percent sign in all cells, or in none"
            )
        return not_a_number(self.place(row), name, cell)


def _standing_for_missing(values: NDArray[np.float64]) -> float | None:
    """A number that may stand for a missing score: the one below 0, or nines far above the others."""
    low, top = np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)
    if low <= -1 and low % 1 == 0 and values.min(initial=0.0, where=values > low) >= 0 < (values > low).sum():
        return float(low)
    if low < 0 or top not in _NINES:
        return None
    others = values[values < top]
    return float(top) if others.size and 10 * others.max() <= top else None


def _note_on_word(cell: str, beside: bool, large: bool) -> Note | None:
    """How a word is read as a score; None for other text, or where numbers `beside` it say otherwise."""
    word = word_value(cell)
    if word is None or (len(cell.strip()) == 1 and beside):
        return None
    return None if word[1] == PERCENT and large else word[1]


def refuse_other_words(sheet: Sheet, column: int, only: bool = False) -> None:
    """Refuse a cell that says no score in a column where most cells are words that count as scores."""
    found = sheet.column(column)
    words = found.score_words if found.has(TEXT) else None
    if words is None:
        return
    other = int(np.argmax(found.kinds == TEXT))
    row, name = found.row_of(other), sheet.header[column]
    empty = "leave it empty where there is no score"
    remedy = f"write one of them, {empty}, or leave the column out: {ignoring(name)}"
    if only:
        remedy = f"write one of them, or {empty}"
    cell = found.levels[other].strip()
    raise InputError(f"{sheet.place(row)}column {name!r} holds {cell!r} among {words}; {remedy}")


def not_a_number(place: str, column: str, cell: str) -> InputError:
    """The error for a cell that is text, infinite, or written with a decimal comma."""
    text = cell.strip()
    if has_thousands(text):
        plain = text.replace(",", "")
        remedy = f"it may be {plain} or {text.replace(',', '.', 1)}: write one of them, without commas"
        remedy = remedy if text.count(",") == 1 else f"write {plain}"
    elif has_decimal_comma(text):
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


def first_line_of_scores(place: str) -> InputError:
    """The error for a table without names of columns."""
    return InputError(
        f"{place}the first line holds scores, not names; put a line with the systems' names on top"
    )


def has_truth(values: Any) -> bool:
    """Whether an array, or lists within lists, hold truth values."""
    if isinstance(values, (list, tuple)):
        return any(map(has_truth, values))
    kind = getattr(getattr(values, "dtype", None), "kind", "")
    return isinstance(values, bool) or kind == "b"


class TextSheet(Sheet):
    """A sheet from text separated by commas, tabs, semicolons or blanks."""

    def __init__(self, text: str, source: str, data: bytes | None = None) -> None:
        """Split the text, header first, of the file `source`; `data` has the same where it is at hand."""
        self.source: str | None = source
        self.notes: dict[Note, None] = {}
        table = _of_markdown(text, source) or _of_blanks(text)
        self._text, data = (text, data) if table is None else (table, None)
        self._delimiter = _delimiter(self._text)
        blocks = self._blocks()
        first = next(filter(None, blocks), None)
        if first is None:
            raise InputError(f"{source}: no cell holds anything; write the file again")
        self.header, self.rows = first[0], 0
        self._columns: list[Column] = []
        ragged: tuple[int, int] | None = None
        width = len(self.header)
        cells = [ColumnParts() for _ in self.header]
        for block in chain([first[1:]], blocks):
            if ragged is None and not set(map(len, block)) <= {width}:
                row = next(row for row, cells_of in enumerate(block) if len(cells_of) != width)
                ragged = self.rows + row, len(block[row])
            if ragged is None and block:
                for parts, more in zip(cells, zip(*block, strict=True), strict=True):
                    parts.add(more)
            self.rows += len(block)
            numeric = [parts.numeric for parts in cells]
            if block and self.rows == len(block) and self._read_at_once(numeric, data):
                break
        self._check_shape(ragged)
        if not self._columns:
            self._columns = [cells.pop(0).column(partial(self._named, c)) for c in range(width)]

    def _read_at_once(self, numeric: Sequence[bool], data: bytes | None) -> bool:
        """Whether pyarrow reads all columns; `numeric` says which hold numbers, by the first rows."""
        numbers = {c for c, is_numeric in enumerate(numeric) if is_numeric}
        found = separated_columns(self._text, self._delimiter, len(numeric), numbers, data)
        for c, column in enumerate(found or ()):
            if isinstance(column, tuple):
                self._columns.append(Column(*column))
            else:
                self._columns.append(NumberColumn(column, partial(self._named, c)))
            self.rows = len(column if c in numbers else column[0])
        return found is not None

    def _named(self, column: int) -> Column:
        """The texts of a column, read once more."""
        rows = chain.from_iterable(self._blocks())
        return Column.of(row[column] for row in islice(rows, 1, None))

    def _reader(self) -> Any:
        return csv.reader(_lines(self._text), delimiter=self._delimiter, skipinitialspace=True, strict=True)

    def _blocks(self) -> Iterator[list[list[str]]]:
        """The rows that are not blank, several at once."""
        reader = self._reader()
        try:
            while block := list(islice(reader, BLOCK)):
                yield list(filter(_is_filled, block))
        except csv.Error:
            _ = self._lines  # says where

    def _starts(self) -> Iterator[int]:
        """The line on which each row begins that is not blank, header first."""
        reader, line = self._reader(), 1
        try:
            for row in reader:
                if _is_filled(row):
                    yield line
                line = reader.line_num + 1
        except csv.Error as error:
            raise InputError(f"{at(self.source, line)}{error}; check the quotes from this line on") from None

    @cached_property
    def _lines(self) -> list[int]:
        """The line of each row, header first: looked up where a message names one."""
        return list(self._starts())

    def _check_shape(self, ragged: tuple[int, int] | None) -> None:
        """Refuse a header of scores, a table without rows, and a row of another width."""
        numeric = [is_number(name) for name in self.header]
        # A first line such as `301,0.25,0.5` or `T1,0.25,0.5` is a row of scores.
        fractions = [
            bool(re.search(r"[.eE]", name)) and num for name, num in zip(self.header, numeric, strict=True)
        ]
        if all(numeric) or (len(numeric) > 1 and all(fractions[1:]) and not is_topic(self.header[0])):
            raise first_line_of_scores(self.place())
        if not self.rows:
            raise InputError(f"{self.place()}no scores below the header; add one row per topic")
        if ragged is not None:
            (row, cells), width = ragged, len(self.header)
            remedy = "give every row one cell per column"
            if cells == width + 1 and row == 0:
                remedy = "name the topic column in the header too"
            elif width == 1:
                remedy = "remove the lines above the names of the columns"
            raise InputError(f"{self.place(row)}{cells} cells where the header has {width}; {remedy}")

    def place(self, row: int | None = None) -> str:
        """`file:line: ` of a row, or of the header."""
        return at(self.source, next(self._starts()) if row is None else self._lines[row + 1])


def _is_filled(row: Sequence[str]) -> bool:
    """Whether a row is more than a blank line."""
    return len(row) > 1 or bool(row and row[0].strip())


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, ends included: they may be part of a quoted name."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


class RecordSheet(Sheet):
    """A sheet from JSON records, one per row: values are cells, and those of an inner object columns too."""

    def __init__(self, files: Sequence[tuple[str, Sequence[tuple[int | None, Mapping[str, Any]]]]]) -> None:
        """Take the records of files, each with its line, where it has one.

        Inner names stand alone where they say something and no other column has them (`results.score` is
        `score`, `provider.id` stays).
        """
        self.source = files[0][0] if len(files) == 1 else None
        self.notes = {}
        self._file = files[0][0]
        flat = [_flat(record) for _, records in files for _, record in records]
        self.lists = list(
            dict.fromkeys(name for _, records in files for _, one in records for name in _lists(one))
        )
        self._places = [
            (path, number, line) for path, records in files for number, (line, _) in enumerate(records, 1)
        ]
        paths = list(dict.fromkeys(path for cells in flat for path in cells))
        times = Counter(path[-1] for path in paths)
        self.header = [
            path[-1]
            if times[path[-1]] == 1 and path[-1].casefold() not in NAMES["of_anything"]
            else ".".join(path)
            for path in paths
        ]
        self._columns = [Column.of(cells.get(path, "") for cells in flat) for path in paths]
        self.rows = len(flat)
        if not paths:
            raise InputError(f"{self._file}: records without values; write the scores of systems on topics")

    def add(self, name: str, cells: Sequence[str]) -> None:
        """Add a column; another one has to be there."""
        self.header = [*self.header, name]
        self._columns.append(Column.of(cells))

    def place(self, row: int | None = None) -> str:
        """`file:line: ` of a record."""
        if row is None:
            return f"{self._file}: "
        path, number, line = self._places[row]
        return f"{path}: record {number}: " if line is None else at(path, line)


def _flat(record: Mapping[str, Any]) -> dict[tuple[str, ...], str]:
    """The cells of a record by the path of their names; lists are left out."""
    cells: dict[tuple[str, ...], str] = {}
    for name, value in record.items():
        if isinstance(value, dict):
            for part, cell in value.items():
                if not isinstance(cell, (list, dict)):
                    cells[name, part] = _json_cell(cell)
        elif not isinstance(value, list):
            cells[(name,)] = _json_cell(value)
    return cells


def _lists(record: Mapping[str, Any]) -> list[str]:
    """The names of the lists of numbers in a record."""
    return [
        name
        for name, value in record.items()
        if isinstance(value, list) and value and all(isinstance(one, int | float) for one in value)
    ]


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value)


def by_measure(sheet: Sheet) -> dict[str, Sheet]:
    """The table of each measure, where measures stand in a first header and systems below, as pandas has it.

    Empty for other tables. A third row may name the topics.
    """
    header = sheet.header[1:]
    if len(set(header)) == len(header) or sheet.rows < 3:
        return {}

    def row(number: int) -> list[str]:
        return [sheet.column(c).cells(np.array([number]))[0] for c in range(len(sheet.header))]

    corner, *names = row(0)
    measures = find([corner], "system") == 0 or all(map(is_measure, header))
    if not measures or not all(names) or any(map(is_number, names)):
        return {}
    topic, *empty = row(1)
    skipped = 1 if any(empty) else 2
    body = sheet.some(np.arange(skipped, sheet.rows))
    said = f"names are in two rows, measures ({few(list(dict.fromkeys(header)), 8)}) above systems"
    tables = {}
    for measure in dict.fromkeys(header):
        kept = [0, *(c for c, name in enumerate(header, 1) if name == measure)]
        found = tables[measure] = copy(body)
        found.header = ["" if any(empty) else topic, *(names[c - 1] for c in kept[1:])]
        found._columns = [body._columns[c] for c in kept]
        found.notes = {**sheet.notes, Note("two-headers", said): None}
    return tables


def is_frame(data: Any) -> bool:
    """Whether this is a pandas data frame, without importing pandas to ask."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


class FrameSheet(Sheet):
    """A sheet from a pandas data frame; an index that is more than a row count is its first column."""

    def __init__(self, frame: pd.DataFrame, source: str | None = None) -> None:
        """Take the columns of a frame, which came from the file `source`, if any."""
        self.source = source
        self.notes: dict[Note, None] = {}
        if frame.columns.nlevels > 1:
            raise InputError(
                f"{self.place()}columns have {frame.columns.nlevels} levels; flatten them to one, or give a "
                "long table with columns data_set, topic, system and value"
            )
        self.header = [_text(name) for name in frame.columns]
        self._columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
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
            names[1] = "" if find(self.header, "topic") is not None else "topic"
        return names

    def place(self, row: int | None = None) -> str:
        """`data frame, row 3: `, or the same with the file's name."""
        name = self.source or "data frame"
        return f"{name}: " if row is None else f"{name}, row {row + 1}: "

    def column(self, column: int) -> Column:
        """The cells of a column; None and NaN are no text at all."""
        if not isinstance(self._columns[column], Column):
            self._columns[column] = _column(self._columns[column])
        return self._columns[column]


def _column(series: pd.Series[Any]) -> Column:
    """The cells of a series: numbers as they are, anything else as text."""
    if series.dtype.kind in "iuf" and getattr(series.dtype, "itemsize", 8) <= 8:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return NumberColumn(values, lambda: _texts(series))
    cells = series.tolist()
    return Column.of(cells if set(map(type, cells)) == {str} else map(_text, cells))


def _texts(series: pd.Series[Any]) -> Column:
    """The cells of a series of numbers as text."""
    codes, values = series.factorize(use_na_sentinel=False)
    return Column(codes.astype(np.intp), [_text(cell) for cell in values.tolist()])


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


_RULE = re.compile(r":?-+:?")
"""A cell of the line below the header of a table in Markdown."""


def _is_rule(line: str) -> bool:
    """Whether a line stands below the header of a table in Markdown."""
    return "|" in line and all(_RULE.fullmatch(cell.strip()) for cell in line.strip().strip("|").split("|"))


def _of_markdown(text: str, source: str) -> str | None:
    """The table of a text in Markdown as lines of cells between tabs; None where the text holds none."""
    lines = text.rstrip().split("\n") if "|" in text and "-" in text else []
    rules = [k for k, line in enumerate(lines) if k and _is_rule(line)]
    heads = [k - 1 for k in rules if "|" in lines[k - 1]]
    if not heads:
        return None
    if len(heads) > 1:
        place = at(source, heads[1] + 1)
        raise InputError(f"{place}a second table begins here; keep one of the {len(heads)}")
    # The other lines become blank, so that those of the table keep their numbers.
    end = next((k for k in range(heads[0], len(lines)) if "|" not in lines[k]), len(lines))
    rows = [line.strip().strip("|") for line in lines[heads[0] : end]]
    cells = ["\t".join(map(_unmarked, row.split("|"))) if k != 1 else "" for k, row in enumerate(rows)]
    return "\n" * heads[0] + "\n".join(cells) + "\n"


def _unmarked(cell: str) -> str:
    """A cell of Markdown without bold letters and the targets of links."""
    text = re.sub(r"\[([^\]]*)\]\([^)]*\)", r"\1", cell).strip().replace("\t", " ")
    return text.removeprefix("**").removesuffix("**")


def _of_blanks(text: str) -> str | None:
    """Cells between blanks as lines of cells between tabs; None where lines have different numbers of them.

    Rows of R's `write.table` begin with a name that the header lacks. So do those of pandas' `to_string`. A
    name that holds a blank would look like that, so the header has to be quoted or indented, or rows counted.
    """
    lines = [] if any(mark in text for mark in _MARKS) else text.split("\n")
    reader = csv.reader(map(str.strip, lines), delimiter=" ", skipinitialspace=True, strict=True)
    try:
        rows = list(reader)
    except csv.Error:
        return None
    header, *below = list(filter(None, rows)) or [[]]
    more = {len(row) - len(header) for row in below}
    if len(header) < 2 or len(more) != 1 or any(map(is_number, header)) or not more <= {0, 1}:
        return None
    if Column.of([line.strip() for line in lines if line.strip()][1 : _LOOKED_AT + 1]).holds_scores:
        return None  # one column, of cells such as 0.5 (0.1)
    aligned = {len(re.split(r"\s{2,}", line.strip())) for line in lines if line.strip()}
    if len(aligned) == 1 and aligned.isdisjoint({1, len(header), len(below[0])}):
        return None  # names of several words between wider gaps
    if more == {1}:
        first = [row[0] for row in below]
        start = next(line for line in lines if line.strip())[0]
        counted = any(first == list(map(str, range(k, k + len(first)))) for k in (0, 1))
        if not (counted or start in '" ') or len(set(first)) < len(first):
            return None
        rows[next(k for k, row in enumerate(rows) if row)].insert(0, "")
    if len(rows) != len(lines) or any('"' in cell for row in rows for cell in row):
        return None
    return "\n".join(map("\t".join, rows)) + "\n"


_MARKS = "\t;,|"

_LOOKED_AT = 20
"""Rows by which the separator is found."""


def _delimiter(text: str) -> str:
    """What separates the cells: what gives the first rows as many cells as the header has.

    A name may hold any of them. Where none or several do, it is the most frequent of the header, outside its
    quotes.
    """
    counts = dict.fromkeys(_MARKS, 0)
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
    reader = csv.reader(_lines(text), delimiter=mark, skipinitialspace=True, strict=True)
    try:
        rows = [row for row in islice(reader, _LOOKED_AT) if any(cell.strip() for cell in row)]
    except csv.Error:
        return False
    return len(rows) > 1 and len({len(row) for row in rows}) == 1
