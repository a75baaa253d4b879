"""Sheets: named columns of cells, from JSON records or data frames, and their cells as scores."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank.errors import InputError, at
from truerank.readers.cell_values import (
    LIKE_VERDICTS,
    TEXT,
    Codes,
    Column,
    NumberColumn,
    first_rows,
    is_number,
    joint,
)
from truerank.readers.options import UnsureError, Way
from truerank.readers.roles import (
    NAMES,
    averages,
    find,
    has_role,
    is_average,
)

if TYPE_CHECKING:
    import pandas as pd

_NINES = (99.0, 999.0, 9999.0)
"""Numbers that often stand for a missing score, beside those below 0."""

_PLAIN = "write a plain number, such as 1234.5"

_DECIMAL_COMMA = re.compile(r"[-−+]?(0,\d+|\d+,(\d\d?|\d{4,}))")
"""A number with a comma that does not divide thousands."""

_MOST_WORDS = 5
"""How many words for a missing score a message names."""

ROWS = "#"
"""The name of the column of runs where there is none: the rows are runs, in the order of the file."""


@dataclass(frozen=True, eq=False)
class Sheet:
    """Named columns of cells; rows and columns are counted from 0."""

    header: list[str]
    columns: Sequence[Column]
    rows: int
    where: str  # the start of a message about all of it
    place_of: Callable[[int | None], str]  # the same of a row, or of the header
    source: str | None = None  # the file, for messages
    notes: dict[Note, None] = field(default_factory=dict)  # on how the cells were read, in order
    missing: tuple[float, ...] | None = None  # what stands for a missing score; None where nothing is said

    def place(self, row: int | None = None) -> str:
        """Where a row (None: the header) is, as the start of a message."""
        return self.place_of(row)

    def at(self, row: int) -> str:
        """Where a row is, within a message."""
        return self.place(row).removesuffix(": ")

    def counts_rows(self, column: int) -> bool:
        """Whether a column counts the rows from 0 or 1 on, as pandas does."""
        values = self.columns[column].values()  # the texts of all are looked up only where these count
        start = 0 if values[0] == 0 else 1
        counts = np.array_equal(values, np.arange(start, start + self.rows))
        return counts and self.names(column) == [str(row + start) for row in range(self.rows)]

    def with_column(self, name: str, column: Column) -> Sheet:
        """The sheet with one more column."""
        return replace(self, header=[*self.header, name], columns=[*self.columns, column])

    def joined(self, columns: Sequence[int], name: str) -> Sheet:
        """The sheet with columns joined in the place of the first; its cells are ``Size 3, Radius 4``."""
        parts = [self.columns[c] for c in columns]
        places = np.unique(joint(*(part.codes for part in parts)), return_inverse=True)[1].reshape(-1)
        cells = zip(*(part.cells(first_rows(places)) for part in parts), strict=True)
        levels = []
        for row in cells:
            filled = [cell.strip() for cell in row if cell.strip()]
            names = [f"{self.header[c]} {cell.strip()}" for c, cell in zip(columns, row, strict=True)]
            # A row with an empty cell has no name, unless the others name a mean.
            sums = len(filled) < len(row) and any(averages(filled))
            levels.append(", ".join(names if len(filled) == len(row) else filled if sums else []))
        one = Column.of(np.array(levels, dtype=object)[places])
        kept = [c for c in range(len(self.header)) if c == columns[0] or c not in columns]
        return replace(
            self,
            header=[name if c == columns[0] else self.header[c] for c in kept],
            columns=[one if c == columns[0] else self.columns[c] for c in kept],
        )

    def with_missing(self, given: Sequence[float | str]) -> Sheet:
        """The sheet with what stands for a missing score: numbers, words in any case, or ``none``."""
        words, numbers = set[str](), list[float]()
        for one in given:
            try:
                numbers.append(float(one))
            except ValueError:
                words.add(str(one).strip().casefold())
        told = numbers or "none" in words
        words.discard("none")
        columns = [column.emptied(words) for column in self.columns] if words else self.columns
        return replace(self, columns=columns, missing=tuple(numbers) if told else None)

    def some(self, rows: Codes) -> Sheet:
        """Some of the rows."""
        kept = rows.tolist()
        return replace(
            self,
            columns=[column.some(rows) for column in self.columns],
            rows=len(kept),
            place_of=lambda row: self.place(row if row is None else kept[row]),
        )

    def find(self, *roles: str, among: Collection[int] | None = None) -> int | None:
        """The first column, of some, that is called like a role, the first role's first name first."""
        if among is None:
            return find(self.header, *roles)
        return find([name if c in among else "" for c, name in enumerate(self.header)], *roles)

    def names(self, column: int) -> list[str]:
        """The cells of a column as text, as they stand."""
        return self.columns[column].cells()

    def numbers(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """The cells of some columns as finite numbers, NaN where there is none."""
        held = [self.columns[c] for c in columns]
        unread = [(column.unread, c) for column, c in zip(held, columns, strict=True)]
        if bad := [(row, c) for row, c in unread if row is not None]:
            row, c = min(bad)
            raise self.unread(c, row, len(columns) == 1, columns)
        self.notes.update(dict.fromkeys(note for column in held for note in column.word_notes))
        return np.stack([column.values() for column in held], axis=1)

    def scores(self, columns: Sequence[int]) -> NDArray[np.float64]:
        """The numbers as scores: NaN, too, where a number such as −1 stands for a missing one."""
        values = self.numbers(columns)
        for number in self.missing or ():
            missing = values == number
            if missing.any():
                facts = {"case": "missing", "number": int(missing.sum()), "value": number}
                self.notes[Note("cells-read", facts)] = None
            values = np.where(missing, np.nan, values)
        mark = standing_for_missing(values) if self.missing is None else None
        if mark is not None:
            row, j = (int(k) for k in np.argwhere(values == mark)[0])
            others = values[~np.isnan(values) & (values != mark)]
            what = f"{self.place(row)}column {self.header[columns[j]]!r} holds {mark:g} among scores from "
            raise UnsureError(
                f"{what}{others.min():g} to {others.max():g}",
                ({"missing_value": f"{mark:g}"}, "if it stands for a missing score"),
                ({"missing_value": "none"}, "if it is a score"),
            )
        for c, of in zip(columns, values.T, strict=True):
            # A number among words such as true and false may sum them up.
            if (words := self.columns[c].score_words) is None:
                continue
            if (odd := ~np.isnan(of) & (of != 0) & (of != 1)).any():
                row = int(np.argmax(odd))
                raise InputError(
                    f"{self.place(row)}column {self.header[c]!r} holds {of[row]:g} among {words}; remove the "
                    "row if it sums up others, or write only numbers"
                )
        return values

    def unread(
        self, number: int, row: int | None = None, only: bool = False, beside: Sequence[int] = ()
    ) -> InputError:
        """The error for a cell (the first) that is not a score; `only` where no other has scores."""
        column, name = self.columns[number], self.header[number]
        if row is None:
            row = int(np.argmax(column.codes == np.argmax(column.kinds == TEXT)))
        cell = column.levels[column.codes[row]].strip()
        words = dict[str, str]()
        for held in (self.columns[c] for c in dict.fromkeys((number, *beside))):
            texts = held.texts if TEXT in held.held and held.mostly_scores else []
            # A text with a digit may be a number, unless it is the only text of its column.
            for text in texts:
                if len(texts) == 1 or not re.search(r"\d", text):
                    words.setdefault(text.casefold(), text)
        none: list[Way] = []
        if cell.casefold() in words and len(words) <= _MOST_WORDS:
            stand, given = "it stands" if len(words) == 1 else "these stand", [*words.values()]
            none = [({"missing_value": given if len(given) > 1 else given[0]}, f"if {stand} for none")]
        leave: list[Way] = [] if only else [({"ignore_columns": [name]}, "to leave the column out")]
        holds = f"{self.place(row)}column {name!r} holds {cell!r}"
        if column.score_words and column.kinds[column.codes[row]] == TEXT:
            empty = "write one of them, or leave it empty where there is no score"
            return UnsureError(f"{holds} among {column.score_words}; {empty}", *none or leave)
        if is_number(cell):
            return not_a_number(self.place(row), name, cell)
        holds += " where a number belongs"
        if number == 0 and len(self.header) > 1 and is_average(cell):
            return UnsureError(holds, ({"topic_column": name}, "if it names the rows"))
        if cell.casefold() in LIKE_VERDICTS:
            return InputError(f"{holds}; write yes or no, true or false, pass or fail, or 1 and 0")
        if is_number(bare := cell.strip("*_†‡§¶ ")):
            return InputError(f"{holds}; write {bare}")
        if _DECIMAL_COMMA.fullmatch(cell):
            other = next((one.strip() for one in column.levels if "." in one and is_number(one)), None)
            if other is not None:
                return InputError(f"{holds}, and {other!r} has a point; write all numbers with a point")
            point = f"{holds}; write {cell.replace(',', '.')}"
            return InputError(f"{point}, or separate cells by semicolons where numbers have commas")
        leave = leave * (not column.mostly_scores)
        return UnsureError(f"{holds}; {_PLAIN}, or leave it empty when missing", *none or leave)


def standing_for_missing(values: NDArray[np.float64]) -> float | None:
    """A number that may stand for a missing score: the one below 0, or nines far above the others."""
    low, top = np.nanmin(values, initial=0.0), np.nanmax(values, initial=0.0)
    if low <= -1 and low % 1 == 0 and values.min(initial=0.0, where=values > low) >= 0 < (values > low).sum():
        return float(low)
    if low < 0 or top not in _NINES:
        return None
    others = values[values < top]
    return float(top) if others.size and 10 * others.max() <= top else None


def not_a_number(place: str, column: str, cell: str, ways: str = "") -> InputError:
    """The error for a cell that is text, or infinite."""
    remedy = "every score must be finite" if is_number(cell) else ways or _PLAIN
    return InputError(f"{place}column {column!r} holds {cell.strip()!r} where a number belongs; {remedy}")


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


def record_sheet(files: Sequence[tuple[str, Sequence[tuple[int | None, Mapping[str, Any]]]]]) -> Sheet:
    """The sheet of the JSON records of files, each with its line where it has one; one row per record."""
    first = files[0][0]
    flat = [_flat(record) for _, records in files for _, record in records]
    places = [(path, k, line) for path, records in files for k, (line, _) in enumerate(records, 1)]
    paths = list(dict.fromkeys(path for cells in flat for path in cells))
    if not paths:
        raise InputError(f"{first}: records without values; write the scores of systems on topics")
    # Inner names stand alone (`results.score` is `score`) where they say something (not `provider.id`), once.
    times = Counter(path[-1] for path in paths)
    header = [
        path[-1]
        if times[path[-1]] == 1 and path[-1].casefold() not in NAMES["of_anything"]
        else ".".join(path)
        for path in paths
    ]

    def place(row: int | None) -> str:
        if row is None:
            return f"{first}: "
        path, number, line = places[row]
        return f"{path}: record {number}: " if line is None else at(path, line)

    return Sheet(
        header,
        [Column.of(cells.get(path, "") for cells in flat) for path in paths],
        len(flat),
        f"{first}: ",
        place,
        first if len(files) == 1 else None,
    )


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


def _json_cell(value: Any) -> str:
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    return "" if value is None else repr(value)


def is_frame(data: Any) -> bool:
    """Whether this is a pandas data frame, without importing pandas to ask."""
    return hasattr(data, "iloc") and hasattr(data, "columns")


def object_sheet(thing: Any) -> Sheet | None:
    """The sheet of a data frame of pandas or Polars, of an Arrow table, or of records; else None."""
    if is_frame(thing):
        return frame_sheet(thing)
    if isinstance(thing, (list, tuple)) and thing and all(isinstance(record, Mapping) for record in thing):
        names = dict.fromkeys(name for record in thing for name in record)
        return _columns_sheet({name: [record.get(name) for record in thing] for name in names}, "record")
    if hasattr(thing, "columns") and hasattr(thing, "to_pydict"):
        return _columns_sheet(thing.to_pydict(), "row")
    if hasattr(thing, "columns") and hasattr(thing, "to_dicts"):
        return _columns_sheet(thing.to_dict(as_series=False), "row")
    return None


def _columns_sheet(cells: Mapping[Any, Sequence[Any]], row_word: str) -> Sheet:
    where, rows = "records" if row_word == "record" else "data frame", len(next(iter(cells.values()), ()))
    if not rows:
        raise InputError(f"{where}: no scores; it has {rows} rows and {len(cells)} columns")
    return Sheet(
        [_text(name) for name in cells],
        [Column.of(map(_text, column)) for column in cells.values()],
        rows,
        f"{where}: ",
        lambda row: f"{where}: " if row is None else f"{where}, {row_word} {row + 1}: ",
        None,
    )


def frame_sheet(frame: pd.DataFrame, source: str | None = None) -> Sheet:
    """The sheet of a data frame; an index that is more than a row count is its first column."""
    where = f"{source or 'data frame'}: "
    if frame.columns.nlevels > 1:
        raise InputError(
            f"{where}columns have {frame.columns.nlevels} levels; flatten them to one, or give a "
            "long table with columns data_set, topic, system and value"
        )
    if not frame.size:
        raise InputError(f"{where}no scores; it has {frame.shape[0]} rows and {frame.shape[1]} columns")
    header = [_text(name) for name in frame.columns]
    columns = [frame.iloc[:, j] for j in range(frame.shape[1])]
    index = frame.index
    if index.nlevels > 1 or index.name is not None or not _counts(index):
        levels = [index.get_level_values(level) for level in range(index.nlevels)]
        rows = [level.name is None and level.dtype.kind in "iu" for level in levels]
        names = _index_names([level.name for level in levels], header, rows, where)
        # Beside other levels, numbers without a name only count rows.
        kept = [level for level, name in enumerate(names) if name or len(names) == 1]
        columns[:0] = [levels[level].to_series() for level in kept]
        header[:0] = [names[level] for level in kept]
    return Sheet(
        header,
        list(map(_column, columns)),
        len(frame),
        where,
        lambda row: where if row is None else f"{where[:-2]}, row {row + 1}: ",
        source,
    )


def _index_names(given: Sequence[Any], header: Sequence[str], rows: Sequence[bool], where: str) -> list[str]:
    """What the levels of an index are called; `rows` says which have no name and may count rows."""
    names = ["" if name is None else _text(name) for name in given]
    if len(names) == 1:
        # In a wide frame the index holds the topics, whatever its name.
        return names if has_role(names[0], *NAMES["long"]) else [""]
    unnamed = [level for level, name in enumerate(names) if not name]
    if len(header) == 1 and any(not rows[level] for level in unnamed):
        # One column of scores: pandas' stack, or concat of one series per system.
        missing = [name for name in ("topic", "system") if find(names, name) is None]
        if len(missing) == len(unnamed) == 1:
            names[unnamed[0]] = missing[0]
            return names
        if missing:
            roles = [role for role in ("run", "data_set", "system", "topic") if find(names, role) is None]
            shown = (
                "levels of the index without names"
                if len(unnamed) > 1
                else "a level of the index without a name"
            )
            for level, role in zip(reversed(unnamed), reversed(roles), strict=False):
                names[level] = role
            raise InputError(
                f"{where}{shown} may hold systems or topics. Name the levels in their order: "
                f".rename_axis({names})"
            )
    if not names[0]:
        names[0] = "data_set"  # the keys of pandas.concat
    if len(names) == 2 and has_role(names[0], "data_set", "task") and not has_role(names[1], *NAMES["long"]):
        names[1] = "" if find(header, "topic") is not None else "topic"
    return names


def _column(series: pd.Series[Any]) -> Column:
    if series.dtype.kind in "iuf" and getattr(series.dtype, "itemsize", 8) <= 8:
        values = series.to_numpy(dtype=np.float64, na_value=np.nan)
        return NumberColumn(values, lambda: _texts(series))
    cells = series.tolist()
    return Column.of(cells if set(map(type, cells)) == {str} else map(_text, cells))


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
