"""Text separated by commas, tabs, semicolons or bars as a sheet, with what stands around such a table."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cached_property, partial
from importlib.util import find_spec
from itertools import islice

import numpy as np

from truerank._support.notes import Note
from truerank.errors import InputError, at
from truerank.readers.cell_values import (
    BLOCK,
    Codes,
    Column,
    NumberColumn,
    Places,
    in_order,
    is_missing,
    is_number,
    plain_numbers,
)
from truerank.readers.roles import NAMES, has_role, is_topic, is_unnamed
from truerank.readers.sheets import Sheet, first_line_of_scores

LARGE = 1 << 23
"""Characters from which on loading pyarrow takes less time than it saves."""

OPENING = 1 << 16
"""Characters in which what stands above a table is looked for."""

_CHUNK = 1 << 20
"""Characters that are split into lines at once."""

_MARKS = "\t;,|"
_LOOKED_AT = 20
"""Rows by which the separator is found."""

_DECIMAL_COMMA = re.compile(r"\s*[+-]?\d*,\d+([eE][+-]?\d+)?\s*")
_THOUSANDS = re.compile(r"\s*[+-]?[1-9]\d{0,2}(,\d{3})+\s*")
"""Commas that may divide thousands: `1,234` is 1234 or 1.234."""


def text_sheet(text: str, source: str, data: bytes | None = None) -> Sheet:
    """The sheet of separated text, header first, of the file `source`; `data` has the same as bytes."""
    _refuse_other_forms(text[:OPENING], source)
    table, separator, notes = _without_lines_above(text)
    rows = _Rows(table, separator, source)
    first = [row for _, row in islice(rows, BLOCK)]
    if not first:
        raise InputError(f"{source}: no cell holds anything; write the file again")
    width = max((c for c, name in enumerate(first[0], 1) if name.strip()), default=1)
    if width < len(first[0]) and len(first) > 1 and not any(any(row[width:]) for row in first[1:]):
        first = [row[:width] for row in first]  # each line ends in separators
        rows.width = width
    rows.header, rows.counted = first[0], _are_counted(first)
    header = rows.header
    if _holds_scores(header):
        raise first_line_of_scores(rows.place(None))
    again = table.count(table.strip().partition("\n")[0]) > 1  # some line may be the header
    blank = not rows.counted and re.search(rf"\n[{re.escape(separator)} \t]+(?:\n|\Z)", table)
    columns = None
    if len(table) >= LARGE and not (rows.width or again or blank):
        columns = _by_pyarrow(rows, first, data if table is text else None)
    if columns is None:
        columns = _by_csv(rows)
    found = Sheet(header, columns, len(columns[0].codes), f"{source}: ", rows.place, source)
    if not found.rows:
        raise InputError(f"{found.place()}no scores below the header; add one row per topic")
    if rows.again:
        notes.append(Note("parts-left-out", {"case": "headers", "lines": rows.again}))
    if separator != "," and (with_points := list(map(_with_points, columns))) != columns:
        found = replace(found, columns=with_points)
        notes.append(Note("cells-read", {"case": "decimal-commas"}, "info"))
    found.notes.update(dict.fromkeys(notes))
    return found


class _Rows:
    """The rows of separated text, header first, each with the line on which it begins."""

    width: int | None = None
    counted = True  # whether empty rows count, as topics have no other names
    again = 0  # lines that are the header once more, and are left out

    def __init__(self, text: str, separator: str, source: str) -> None:
        self.text, self.separator, self.source = text, separator, source
        self.header: list[str] = []

    def __iter__(self) -> Iterator[tuple[int, list[str]]]:
        reader = csv.reader(_lines(self.text), delimiter=self.separator, skipinitialspace=True, strict=True)
        next_line, self.again, first = 1, 0, True
        try:
            for row in reader:
                line, next_line = next_line, reader.line_num + 1
                if any(map(str.strip, row)) or (self.counted and len(row) > 1):
                    if self.width is not None and not any(map(str.strip, row[self.width :])):
                        row = row[: self.width]
                    if first or row != self.header:
                        first = False
                        yield line, row
                    else:
                        self.again += 1
        except csv.Error as error:
            place = at(self.source, next_line)
            raise InputError(f"{place}{error}; check the quotes from this line on") from None

    @cached_property
    def _lines(self) -> list[int]:
        """The line of each row: looked up where a message names one."""
        return [line for line, _ in self]

    def place(self, row: int | None) -> str:
        """`file:line: ` of a row, or of the header."""
        return at(self.source, next(iter(self), (1, []))[0] if row is None else self._lines[row + 1])

    def column(self, column: int) -> Column:
        """The cells of one column."""
        return Column.of(row[column] for _, row in islice(self, 1, None))


def _by_csv(rows: _Rows) -> list[Column]:
    """The columns below the header; each row has to have as many cells as this."""
    width = len(rows.header)
    below = islice(rows, 1, None)
    places = [Places() for _ in rows.header]
    codes: list[list[Codes]] = [[np.empty(0, np.intp)] for _ in rows.header]
    while block := list(islice(below, BLOCK)):
        for line, row in block:
            if len(row) != width:
                remedy = "give every row one cell per column"
                if len(row) == width + 1 and row is block[0][1] and not len(codes[0][-1]):
                    remedy = "name the topic column in the header too"
                elif width == 1:
                    remedy = "keep one line with the names of the columns, and nothing above it"
                raise InputError(
                    f"{at(rows.source, line)}{len(row)} cells where the header has {width}; {remedy}"
                )
        for of, numbers, cells in zip(
            places, codes, zip(*(row for _, row in block), strict=True), strict=True
        ):
            numbers.append(of.codes(cells))
    return [Column(np.concatenate(of), list(names)) for of, names in zip(codes, places, strict=True)]


def _by_pyarrow(rows: _Rows, first: Sequence[Sequence[str]], data: bytes | None) -> list[Column] | None:
    """The columns as pyarrow reads them, where it is installed and the text is plain; else None."""
    text, width = rows.text, len(rows.header)
    plain = '"' not in text and "\r" not in text and not text[:1].isspace()
    if width < 2 or not plain or find_spec("pyarrow") is None:
        return None
    import pyarrow as pa
    from pyarrow import csv as arrow_csv

    if not set(map(len, first)) <= {width}:
        return None
    opening = [list(cells) for cells in zip(*first[1:], strict=True)]
    numbers = {
        c for c, of in enumerate(opening) if 2 * len(set(of)) > len(of) and plain_numbers(of) is not None
    }
    names = [f"f{c}" for c in range(width)]
    texts = pa.dictionary(pa.int32(), pa.string())
    try:
        table = arrow_csv.read_csv(
            pa.BufferReader(data or text.encode()),
            arrow_csv.ReadOptions(skip_rows=1, column_names=names),
            arrow_csv.ParseOptions(delimiter=rows.separator, quote_char=False),
            arrow_csv.ConvertOptions(
                column_types={name: pa.float64() if c in numbers else texts for c, name in enumerate(names)},
                null_values=[],
                strings_can_be_null=False,
            ),
        )
    except (pa.ArrowException, UnicodeError):
        return None
    found: list[Column] = []
    for c, name in enumerate(names):
        column = table.column(name).unify_dictionaries().combine_chunks()
        # pyarrow's own way to NumPy imports pandas.
        cells = column if c in numbers else column.indices
        here, buffer = slice(cells.offset, cells.offset + len(cells)), cells.buffers()[1]
        if c in numbers:
            values = np.frombuffer(buffer, np.float64)[here]
            if not np.isfinite(values).all():
                return None
            found.append(NumberColumn(values, partial(rows.column, c)))
        else:
            levels = column.dictionary.to_pylist()
            if "\n " in "\n".join(["", *levels]):
                return None
            used, codes = in_order(np.frombuffer(buffer, np.int32)[here].astype(np.intp), len(levels))
            found.append(Column(codes, [levels[k] for k in used.tolist()]))
    return found


def _lines(text: str) -> Iterator[str]:
    """The lines of a text, ends included: they may be part of a quoted name."""
    start = 0
    while start < len(text):
        end = text.find("\n", start + _CHUNK) + 1 or len(text)
        yield from io.StringIO(text[start:end], newline="")
        start = end


def _with_points(column: Column) -> Column:
    """A column with points in its numbers, where all of those that are not whole have decimal commas."""
    if isinstance(column, NumberColumn) or not any("," in level for level in column.levels):
        return column
    for level in column.levels:
        whole = is_number(level) and level.strip().lstrip("+-").isdigit()
        if not (_DECIMAL_COMMA.fullmatch(level) or is_missing(level) or whole):
            return column
    if all(_THOUSANDS.fullmatch(level) for level in column.levels if "," in level):
        return column
    return Column(column.codes, [level.replace(",", ".") for level in column.levels])


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


def _refuse_other_forms(opening: str, source: str) -> None:
    """Refuse tables in Weka's format and in Markdown."""
    for k, line in enumerate(opening.split("\n")):
        ruled = "|" in line and "--" in line and not line.strip(" |:-\r")
        kind = "Markdown" if ruled else "ARFF" if line.strip().casefold() == "@data" else ""
        if kind:
            what = f"this is a table in {kind}, which is not read; save the table as CSV"
            raise InputError(f"{at(source, k + 1)}{what}")


def _without_lines_above(text: str) -> tuple[str, str, list[Note]]:
    """The text without Excel's line on the separator and titles above the header, and the separator."""
    lines = list(_lines(text[:OPENING]))
    lines = lines[:-1] if len(text) > OPENING and len(lines) > 1 else lines  # the last one may be cut
    given, above = "", next((k for k, line in enumerate(lines) if line.strip()), 0)
    first = lines[above] if lines else ""
    if first.startswith("sep=") and len(first.strip()) == 5:
        given, above = first[4], above + 1
    found = {mark: _opening(lines[above:], mark, bool(given)) for mark in given or _MARKS}
    separator = max(found, key=lambda mark: (*found[mark][:2], mark == "," and found[mark][1] == 1))
    _, _, skipped, titles = found[separator]
    if not above + skipped:
        return text, separator, []
    below = text[sum(map(len, lines[: above + skipped])) :]
    notes = [Note("parts-left-out", {"case": "title", "lines": titles})] if titles else []
    return "\n" * (above + skipped) + below, separator, notes


def _opening(lines: Sequence[str], mark: str, sure: bool) -> tuple[bool, int, int, list[str]]:
    """Whether rows have as many cells as the header, how many it has, how many lines and titles are above it.

    A title is alone on its line, whose other cells are empty. Without such cells it holds no separator, and
    all rows below have one number of cells; `sure` where the file names its separator.
    """
    reader = csv.reader(lines, delimiter=mark, skipinitialspace=True, strict=True)
    rows, line, whole = list[tuple[int, list[str]]](), 0, True
    try:
        for row in islice(reader, _LOOKED_AT):
            rows += [(line, row)] if any(map(str.strip, row)) else []
            line = reader.line_num
    except csv.Error:
        whole = False
    filled = [sum(map(bool, map(str.strip, row))) > 1 or not row[0].strip() for _, row in rows]
    widths = [len(row) for _, row in rows] or [1]
    for above in (filled.index(True), 0) if whole and True in filled else (0,):
        width, titles = widths[above], [row for _, row in rows[:above]]
        even = whole and len(rows) > above + 1 and set(widths[above:]) == {width} and width > 1
        alone = even and len(rows) > above + 2
        bare = (alone and len(one) == 1 and not any(sign in one[0] for sign in _MARKS) for one in titles)
        fit = all(sure or is_bare or len(one) == width for is_bare, one in zip(bare, titles, strict=True))
        if not above or (fit and not _holds_scores(rows[above][1])):
            break
    return even, width, rows[above][0] if titles else 0, [one[0].strip()[:60] for one in titles]
