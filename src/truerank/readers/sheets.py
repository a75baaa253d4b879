"""Sheets: named columns of cells from separated text, JSON records or data frames."""

from __future__ import annotations

import csv
import io
import json
import re
import shlex
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
    has_marks,
    has_thousands,
    in_order,
    is_missing,
    is_number,
    joint,
    word_value,
)
from truerank.readers.options import ignoring
from truerank.readers.parquet_files import separated_columns
from truerank.readers.roles import (
    NAMES,
    averages,
    find,
    has_role,
    is_average,
    is_column_of_long,
    is_data_set,
    is_topic,
    is_unnamed,
)

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
    _delimiter: str = ""

    def place(self, row: int | None = None) -> str:
        """Where a row (None: the header, or the whole) is, as the start of a message."""
        raise NotImplementedError

    def column(self, column: int) -> Column:
        """The cells of a column."""
        return self._columns[column]

    def _with(
        self, header: Sequence[str], columns: Sequence[Any], rows: Sequence[int] | None = None
    ) -> Sheet:
        """The same with other columns, or of some rows; a line is counted by the file's own header."""
        found = copy(self)
        found.header, found._columns = list(header), list(columns)
        found.rows = self.rows if rows is None else len(rows)
        found.place = lambda row=None: self.place(  # type: ignore[method-assign]
            row if row is None or rows is None else rows[row]
        )
        return found

    def numbered(self) -> Sheet:
        """The same with the numbers of the rows as one more column."""
        return self._with([*self.header, ROWS], [*self._columns, Column.counting(self.rows)])

    def joined(self, columns: Sequence[int], name: str) -> Sheet:
        """The same with columns as one, in the place of the first; its cells are ``Size 3, Radius 4``.

        A row with an empty cell has no name there, unless the others name a mean.
        """
        parts = [self.column(c) for c in columns]
        places = np.unique(joint(*(part.codes for part in parts)), return_inverse=True)[1].reshape(-1)
        cells = zip(*(part.cells(first_rows(places)) for part in parts), strict=True)
        levels = []
        for row in cells:
            filled = [cell.strip() for cell in row if cell.strip()]
            names = [f"{self.header[c]} {cell.strip()}" for c, cell in zip(columns, row, strict=True)]
            sums = len(filled) < len(row) and any(averages(filled))
            levels.append(", ".join(names if len(filled) == len(row) else filled if sums else []))
        texts = np.array(levels, dtype=object)[places]
        kept = [c for c in range(len(self.header)) if c == columns[0] or c not in columns]
        return self._with(
            [name if c == columns[0] else self.header[c] for c in kept],
            [Column.of(texts) if c == columns[0] else self._columns[c] for c in kept],
        )

    def with_missing(self, given: float | str | None) -> Sheet:
        """The sheet with what stands for a missing score: a number, a word in any case, or ``none``."""
        try:
            self.missing_value = given if given is None or given == "none" else float(given)  # type: ignore[assignment]
        except ValueError:
            bare, columns = str(given).strip().casefold(), [self.column(c) for c in range(len(self.header))]
            emptied = [column.emptied(bare) for column in columns]
            if all(one is column for one, column in zip(emptied, columns, strict=True)):
                raise InputError(
                    f"{self.place()}no cell holds {given!r}; leave out {setting('missing_value', given)}"
                ) from None
            return self._with(self.header, emptied)
        return self

    def some(self, rows: Codes) -> Sheet:
        """Some of the rows."""
        columns = [Column.of(self.column(c).cells(rows)) for c in range(len(self.header))]
        return self._with(self.header, columns, rows.tolist())

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
            raise self.unread(columns[j], int(at_rows[row]), len(columns) == 1)
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
                facts = {"case": "missing", "number": int(missing.sum()), "value": float(self.missing_value)}
                self.notes[Note("cells-read", facts)] = None
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

    def unread(self, number: int, row: int | None = None, only: bool = False) -> InputError:
        """The error for a cell (the first) that is not a score; `only` where no other has scores."""
        column, name = self.column(number), self.header[number]
        row = column.row_of(int(np.argmax(column.kinds == TEXT))) if row is None else row
        cell = column.levels[column.codes[row]]
        place, holds = self.place(row), f"column {name!r} holds {cell.strip()!r}"
        if (word_value(cell) or (0.0, None))[1] == PERCENT:
            ways = "write a percent sign in all cells, or in none"
            return InputError(f"{place}{holds} beside plain numbers; {ways}")
        if column.score_words and column.kinds[column.codes[row]] == TEXT:
            ways = "write one of them, or leave it empty where there is no score"
            ways = ways if only else f"{ways}, or leave the column out: {ignoring(name)}"
            return InputError(f"{place}{holds} among {column.score_words}; {ways}")
        texts = [level for level, kind in zip(column.levels, column.kinds, strict=True) if kind == TEXT]
        mostly = 2 * sum(np.isin(column.codes, np.flatnonzero(column.kinds == TEXT))) < self.rows
        ways = "write a number, or leave it empty when missing"
        if mostly and len(texts) == 1:
            ways = f"write a number, or use {setting('missing_value', cell.strip())} if it stands for none"
        elif not mostly and not only:
            ways = f"write a number, or leave the column out: {ignoring(name)}"
        if number == 0 and len(self.header) > 1 and is_average(cell):
            ways = f"if it names the rows, use {setting('topic_column', name)}"
        return not_a_number(place, name, cell, ways, self._delimiter)


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


def not_a_number(
    place: str, column: str, cell: str, ways: str = "write a number", separator: str = ""
) -> InputError:
    """The error for a cell that is text, infinite, or written with a decimal comma."""
    text = cell.strip()
    if has_thousands(text):
        plain = text.replace(",", "")
        remedy = f"it may be {plain} or {text.replace(',', '.', 1)}: write one of them, without commas"
        remedy = remedy if text.count(",") == 1 else f"write {plain}"
    elif has_decimal_comma(text):
        where = " in a file separated by commas" if separator == "," else ""
        remedy = f"decimal commas cannot be read{where}; write {text.replace(',', '.')}"
    elif is_number(text):
        remedy = "every score must be finite"
    elif "±" in text or "+/-" in text:
        remedy = "write the score alone; means with errors go to truerank.board(means, covariance) in Python"
    elif has_marks(text):
        remedy = "write the number alone, without stars, letters in bold, brackets or arrows"
    elif len(text.split()) > 1 and all(map(is_number, text.split())):
        remedy = "separate the columns by commas, tabs or semicolons"
    else:
        remedy = ways
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
        _refuse_markdown(text, source)
        _refuse_arff(text, source)
        self._text, self._delimiter, notes = _without_lines_above(text)
        self.notes |= dict.fromkeys(notes)
        if (table := _of_blanks(self._text, source)) is not None:
            self._text, self._delimiter = table, "\t"
        data = data if self._text is text else None
        self._width, self.header, self.rows, self._counted = 0, [], 0, True
        blocks = self._blocks()
        first = next(filter(None, blocks), None)
        if first is None:
            raise InputError(f"{source}: no cell holds anything; write the file again")
        head = first[0]
        width = len(head) - (len(head) > 1 and not head[-1].strip())
        if len(first) > 1 and all(len(row) > width and not any(row[width:]) for row in first[1:]):
            self._width = width  # each line ends in a separator
            first = [row[:width] for row in first]
        self.header = first[0]
        self._counted = _are_counted(first)
        first = [row for k, row in enumerate(first) if not k or (row != self.header and self._is_row(row))]
        self._columns: list[Column] = []
        ragged: tuple[int, int] | None = None
        width = len(self.header)
        cells = [ColumnParts() for _ in self.header]
        repeats = self._text.count(self._text.strip().partition("\n")[0]) > 1  # some line may be the header
        empty = not self._counted and re.search(rf"\n[{re.escape(self._delimiter)} \t]+(?:\n|\Z)", self._text)
        for block in chain([first[1:]], blocks):
            if ragged is None and not set(map(len, block)) <= {width}:
                row = next(row for row, cells_of in enumerate(block) if len(cells_of) != width)
                ragged = self.rows + row, len(block[row])
            if ragged is None and block:
                for parts, more in zip(cells, zip(*block, strict=True), strict=True):
                    parts.add(more)
            self.rows += len(block)
            numeric = [parts.numeric for parts in cells]
            plain = block and self.rows == len(block) and not self._width and not empty
            if plain and not repeats and self._read_at_once(numeric, data):
                break
        self._check_shape(ragged)
        if not self._columns:
            self._columns = [cells.pop(0).column(partial(self._named, c)) for c in range(width)]
        again = sum(row == self.header for row in islice(self._reader(), 1, None)) if repeats else 0
        if again:
            self.notes[Note("parts-left-out", {"case": "headers", "lines": again})] = None
        self._refuse_two_headers()
        if self._delimiter != ",":
            self._columns = list(map(self._with_points, self._columns))

    def _with_points(self, column: Column) -> Column:
        """A column with points in its numbers, where all of those that are not whole have decimal commas."""
        if isinstance(column, NumberColumn) or not any("," in level for level in column.levels):
            return column
        commas = list(map(has_decimal_comma, column.levels))
        if not all(
            comma or is_missing(level) or (is_number(level) and level.strip().lstrip("+-").isdigit())
            for comma, level in zip(commas, column.levels, strict=True)
        ):
            return column
        if all(has_thousands(level) for level in column.levels if "," in level):
            return column
        self.notes[Note("cells-read", {"case": "decimal-commas"}, "info")] = None
        return Column(column.codes, [level.replace(",", ".") for level in column.levels])

    def _refuse_two_headers(self) -> None:
        """Refuse names in two rows, such as measures above systems."""
        if len(set(self.header[1:])) == len(self.header) - 1:
            return
        below = [column.cells(np.array([0]))[0] for column in self._columns[1:]]
        if self.rows > 1 and all(below) and not any(map(is_number, below)):
            raise InputError(
                f"{self.place(0)}names stand in two rows; keep one, such as the systems of one measure, "
                "or write one row per score: topic, system, measure, value"
            )

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
        rows = chain.from_iterable(self._blocks())
        return Column.of(row[column] for row in rows)

    def _reader(self) -> Any:
        return csv.reader(_lines(self._text), delimiter=self._delimiter, skipinitialspace=True, strict=True)

    def _blocks(self) -> Iterator[list[list[str]]]:
        """The rows that are not empty, several at once."""
        reader = self._reader()
        try:
            while block := list(islice(reader, BLOCK)):
                found = [row for row in block if self._is_row(row) and row != self.header]
                yield [row[: self._width] for row in found] if self._width else found
        except csv.Error:
            _ = self._lines  # says where

    def _is_row(self, row: Sequence[str]) -> bool:
        """Whether a line is a row: some cell is filled, or it counts as a topic whose cells are empty."""
        return any(map(str.strip, row)) or (self._counted and len(row) > 1)

    def _starts(self) -> Iterator[int]:
        """The line on which each row begins that is not empty, header first."""
        reader, line, first = self._reader(), 1, True
        try:
            for row in reader:
                if self._is_row(row) and (first or row[: self._width or None] != self.header):
                    first = False
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
        if _holds_scores(self.header):
            raise first_line_of_scores(self.place())
        if not self.rows:
            raise InputError(f"{self.place()}no scores below the header; add one row per topic")
        if ragged is not None:
            (row, cells), width = ragged, len(self.header)
            remedy = "give every row one cell per column"
            if cells == width + 1 and row == 0:
                remedy = "name the topic column in the header too"
            elif width == 1:
                remedy = "keep one line with the names of the columns, and nothing above it"
            raise InputError(f"{self.place(row)}{cells} cells where the header has {width}; {remedy}")

    def place(self, row: int | None = None) -> str:
        """`file:line: ` of a row, or of the header."""
        return at(self.source, next(self._starts(), 1) if row is None else self._lines[row + 1])


def _holds_scores(header: Sequence[str]) -> bool:
    """Whether a first line such as `301,0.25,0.5` or `T1,0.25,0.5` is a row of scores."""
    numeric = list(map(is_number, header))
    scores = len(header) > 1 and all(numeric[1:]) and not is_topic(header[0])
    fractions = all(re.search(r"[.eE]", name) for name in header[1:])
    return all(numeric) or (scores and (fractions or any(map(str.isdigit, header[0]))))


def _are_counted(rows: Sequence[Sequence[str]]) -> bool:
    """Whether rows below a header have no names but their number, so that an empty one counts, too."""
    roles = (*NAMES["wide"], *NAMES["long"], "question", "topic_or_row")
    if any(is_unnamed(name) or has_role(name, *roles) for name in rows[0]):
        return False
    return all(Column.of(cells).holds_scores for cells in zip(*rows[1 : _LOOKED_AT + 1], strict=False))


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
    if series.dtype.kind in "iuf" and getattr(series.dtype, "itemsize", 8) <= 8:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return NumberColumn(values, lambda: _texts(series))
    cells = series.tolist()
    kinds = set(map(type, cells))
    found = Column.of(cells if kinds == {str} else map(_text, cells))
    found.mixed = str in kinds and not kinds.isdisjoint((int, float))
    return found


def _texts(series: pd.Series[Any]) -> Column:
    codes, values = series.factorize(use_na_sentinel=False)
    return Column(codes.astype(np.intp), [_text(cell) for cell in values.tolist()])


def _counts(index: pd.Index[Any]) -> bool:
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


def _refuse_arff(text: str, source: str) -> None:
    """Refuse Weka's format, with the command that makes a table of it."""
    names = _ATTRIBUTE.findall(text[:OPENING])
    if names and "@data" in text[:OPENING].casefold():
        head, path = shlex.quote(",".join(names)), shlex.quote(source)
        raise InputError(
            f"{source}: this is ARFF, which is not read. Make a table of it: "
            f"(echo {head}; sed '1,/^@data/Id' {path}) > scores.csv"
        )


def _refuse_markdown(text: str, source: str) -> None:
    """Refuse a table in Markdown, which a line of dashes below its header shows."""
    for k, line in enumerate(text[:OPENING].split("\n")):
        if "|" in line and "--" in line and not line.strip(" |:-\r"):
            raise InputError(
                f"{at(source, k + 1)}this is a table in Markdown, which is not read; save the table as CSV"
            )


def _without_lines_above(text: str) -> tuple[str, str, list[Note]]:
    """The text without Excel's line on the separator and titles above the header, and the separator."""
    lines = list(_lines(text[:OPENING]))
    given, above = "", next((k for k, line in enumerate(lines) if line.strip()), 0)
    first = lines[above] if lines else ""
    if first.startswith("sep=") and len(first.strip()) == 5:
        given, above = first[4], above + 1
    for mark in given or _MARKS:
        titles, skipped = _titles(lines[above:], mark, bool(given))
        if titles:
            break
    above += skipped
    if not above:
        return text, _delimiter(text), []
    below = text[sum(map(len, lines[:above])) :]
    notes = [Note("parts-left-out", {"case": "title", "lines": titles})] if titles else []
    return "\n" * above + below, given or _delimiter(below), notes


def _titles(lines: Sequence[str], mark: str, sure: bool) -> tuple[list[str], int]:
    """The titles above a header, and the number of lines to it; `sure` where the file names its separator.

    A title is alone on its line, whose other cells are empty. Without such cells it holds no separator, and
    the lines below it have one number of cells.
    """
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=True, strict=True)
    titles: list[list[str]] = []
    header, widths, start = list[str](), list[int](), 0
    try:
        for row in islice(reader, _LOOKED_AT):
            filled = list(filter(str.strip, row))
            if header:
                widths += [len(row)] * bool(filled)
            elif len(filled) > 1 or (filled and not row[0].strip()):
                header = row
            else:
                titles += [row] * bool(filled)
                start = reader.line_num
    except csv.Error:
        return [], 0
    if not header or (titles and _holds_scores(header)):
        return [], 0
    even = len(widths) > 1 and set(widths[:-1]) == {len(header)}
    for title in titles:
        alone = even and len(title) == 1 and not any(sign in title[0] for sign in _MARKS)
        if not (sure or alone or len(title) == len(header)):
            return [], 0
    return [title[0].strip()[:60] for title in titles], start


def _of_blanks(text: str, source: str) -> str | None:
    """Cells between blanks as lines of cells between tabs; None where lines differ in their number."""
    lines = [] if any(mark in text for mark in _MARKS) else text.split("\n")
    reader = csv.reader(map(str.strip, lines), delimiter=" ", skipinitialspace=True, strict=True)
    try:
        rows = list(reader)
    except csv.Error:
        return None
    header, *below = list(filter(None, rows)) or [[]]
    more = {len(row) - len(header) for row in below}
    if len(header) < 2 or len(more) != 1 or any(map(is_number, header)):
        return None
    if more == {1}:
        raise InputError(
            f"{source}: each row has one cell more than the header: names of rows, as R's write.table "
            "and pandas' to_string write them, or names with blanks. Save the table as CSV"
        )
    aligned = {len(re.split(r"\s{2,}", line.strip())) for line in lines if line.strip()}
    words = len(aligned) == 1 and aligned.isdisjoint({1, len(header)})  # names of words between wider gaps
    if more != {0} or words or Column.of(list(filter(str.strip, lines))[1 : _LOOKED_AT + 1]).holds_scores:
        return None
    if len(rows) != len(lines) or any('"' in cell or "\t" in cell for row in rows for cell in row):
        return None
    return "\n".join(map("\t".join, rows)) + "\n"


_ATTRIBUTE = re.compile(r"^@attribute\s+['\"]?([^\s'\"]+)", re.IGNORECASE | re.MULTILINE)

_MARKS = "\t;,|"

OPENING = 1 << 16
"""Characters in which what stands above a table is looked for."""

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
    reader = csv.reader(_lines(text), delimiter=mark, skipinitialspace=True, strict=True)
    try:
        rows = [row for row in islice(reader, _LOOKED_AT) if any(cell.strip() for cell in row)]
    except csv.Error:
        return False
    return len(rows) > 1 and len({len(row) for row in rows}) == 1
