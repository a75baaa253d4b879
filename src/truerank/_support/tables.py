"""Tables of results, declared once: columns of a kind, and rows of plain values.

What a column holds is said where the value lives, on the field of a result's row::

    mean: Annotated[float, Column("Mean", Bounded(low="mean_low", high="mean_high"))]

The field's docstring says what it means. The writers of all formats (:mod:`truerank.report.outputs`), the
data frames, the JSON schemas and the pages on them read these declarations, and know no column by name.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Annotated, Any, Literal, get_args, get_origin, get_type_hints

from truerank._support.plain import attributes, unmarked
from truerank._support.units import TOPIC, Unit
from truerank._support.wording import (
    NONE,
    number,
    p_text,
    percent,
    ranks,
    score_digits,
    share,
    span,
    two_digits,
)

Align = Literal["left", "right", "center"]


@dataclass(frozen=True)
class Kind:
    """What the values of a column are, which decides how every format shows them."""

    align: Align = "left"

    def fields(self, key: str) -> tuple[str, ...]:
        """The fields of a row that make up the value: columns of their own in files of data."""
        return (key,)

    def text(self, value: Any) -> str:
        """The value as people read it; a dash where there is none."""
        return NONE if value is None else str(value)

    def filled(self, fill: Callable[[str], str]) -> Kind:
        """The kind with its fixed words filled in."""
        return self

    def order(self, value: Any) -> float | str | None:
        """What the column is sorted by, of several fields the first; ``None`` goes last."""
        first = value[0] if isinstance(value, tuple | list) else value
        if first is None or isinstance(first, str):
            return first
        return float(first) if math.isfinite(first) else None


@dataclass(frozen=True)
class Text(Kind):
    """Words, wrapped where there is no room."""

    none: str = NONE

    def text(self, value: Any) -> str:
        return self.none if value is None else str(value)


@dataclass(frozen=True)
class Name(Kind):
    """A name from the data: escaped everywhere, shortened where there is no room, never wrapped."""


@dataclass(frozen=True)
class Word(Kind):
    """One of a few fixed words, some of them shown as others."""

    shown: Mapping[str, str] = field(default_factory=dict)

    def text(self, value: Any) -> str:
        return NONE if value is None else self.shown.get(str(value), str(value))

    def filled(self, fill: Callable[[str], str]) -> Kind:
        return replace(self, shown={word: fill(text) for word, text in self.shown.items()})


@dataclass(frozen=True)
class _OfNumbers(Kind):
    align: Align = "right"


@dataclass(frozen=True)
class Count(_OfNumbers):
    """A whole number; an estimated one is `rough`: it has two digits (files of data have all)."""

    rough: bool = False

    def text(self, value: Any) -> str:
        if value is None or (isinstance(value, float) and math.isnan(value)):
            return NONE
        if math.isinf(value):
            return "∞"
        return f"{two_digits(value) if self.rough else value:,.0f}"


@dataclass(frozen=True)
class Number(_OfNumbers):
    """A number with `digits` after the point (files of data have all), and a plus if `sign`."""

    digits: int = 3
    sign: bool = False

    def text(self, value: Any) -> str:
        return "∞" if value == math.inf else number(value, self.digits, self.sign)


@dataclass(frozen=True)
class Significant(_OfNumbers):
    """A number with three significant digits (files of data have all)."""

    def text(self, value: Any) -> str:
        if value is None or not math.isfinite(value) or value == 0:
            return number(value)
        return number(value, max(2 - math.floor(math.log10(abs(value))), 0))


@dataclass(frozen=True)
class Share(_OfNumbers):
    """A probability, as a percentage that never says 0 or 100."""

    def text(self, value: Any) -> str:
        return share(value)


@dataclass(frozen=True)
class Percent(_OfNumbers):
    """A share of a whole, as a percentage."""

    digits: int = 0

    def text(self, value: Any) -> str:
        return NONE if value is None else percent(value, self.digits)


@dataclass(frozen=True)
class PValue(_OfNumbers):
    """A p-value; what is less than `least` is printed so."""

    least: float = 0.001

    def text(self, value: Any) -> str:
        return NONE if value is None else p_text(value, self.least)


@dataclass(frozen=True)
class _WithEnds(_OfNumbers):
    """Several fields: the column's own, then those that `low` and `high` name."""

    low: str = ""
    high: str = ""
    digits: int = 3
    sign: bool = False

    def fields(self, key: str) -> tuple[str, ...]:
        return tuple(name for name in (key, self.low, self.high) if name)


@dataclass(frozen=True)
class Interval(_WithEnds):
    """An interval, ``0.281 to 0.422``: the field is its lower end, `high` names that of the upper one."""

    def text(self, value: Any) -> str:
        low, high = value
        if low is not None and high == math.inf:
            return f"{number(low, self.digits, self.sign)} and more"
        return NONE if low is None or high is None else span(low, high, self.digits, self.sign)


@dataclass(frozen=True)
class Percents(Interval):
    """An interval of a share of a whole, as percentages."""

    def text(self, value: Any) -> str:
        ends = dict.fromkeys(percent(end, self.digits) for end in value if end is not None)
        return " to ".join(ends) or NONE


@dataclass(frozen=True)
class Bounded(_WithEnds):
    """A number with its interval, ``0.351 (0.281 to 0.422)``: `low` and `high` name the fields of these."""

    def text(self, value: Any) -> str:
        shown, low, high = (number(item, self.digits, self.sign) for item in value)
        if NONE in (low, high):
            ends = f"up to {high}" if high != NONE else f"from {low} up" if low != NONE else ""
            return f"{shown} ({ends})" if ends else shown
        return f"{shown} ({low} to {high})"


@dataclass(frozen=True)
class Shares(Bounded):
    """A probability with its interval, as percentages."""

    def text(self, value: Any) -> str:
        shown, low, high = map(share, value)
        return f"{shown} ({low} to {high})"


@dataclass(frozen=True)
class Ranks(_WithEnds):
    """A range of ranks: the field is the best one, `high` names that of the worst."""

    def text(self, value: Any) -> str:
        return ranks(*value)


@dataclass(frozen=True)
class Marked:
    """A text with marks set high behind it, as in tables of significance; in bold if `strong`."""

    text: str
    marks: str = ""
    strong: bool = False

    def __str__(self) -> str:
        return f"{self.text}^{self.marks}" if self.marks else self.text

    def __iter__(self) -> Iterator[float | str]:
        """The value as a number, and its marks: two columns in files of data."""
        yield math.nan if self.text == NONE else float(self.text.replace("−", "-"))
        yield self.marks


@dataclass(frozen=True)
class Marks(_OfNumbers):
    """Values that are :class:`Marked`."""

    def fields(self, key: str) -> tuple[str, ...]:
        return key, f"{key}_marks"

    def order(self, value: Any) -> float | str | None:
        return None


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        heading: above it; ``{words}`` in braces are filled in from the table's own words.
        kind: of its values.
        key: its name in files of data: by default that of the field it is declared on.
        meaning: what it holds, with words as in the heading: by default the first sentence of the field's
            docstring, without what only data need.
        details: shown in files and behind a click, not at first sight.

    Example:
        >>> Column("System", key="system").keys
        ('system',)
    """

    heading: str
    kind: Kind = field(default_factory=Text)
    key: str = ""
    meaning: str = ""
    details: bool = False

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns that it becomes in files of data."""
        return self.kind.fields(self.key)


# What only readers of data need to know of a field: where it has no value, and its range.
_OF_DATA = re.compile(r"[;,] (?:null\b|empty\b|``None``).*|, in [\[(][^\])]*[\])]")


def _of_a_heading(docstring: str) -> str:
    """What a docstring says of a field, for those who see the column: its first sentence, with the unit."""
    first = " ".join(docstring.split()).split(". ")[0]
    text = unmarked(_OF_DATA.sub("", re.sub(r"\*(\w+)\*", r"\1", first))).rstrip(".,;")
    return re.sub(r"(?<!{)\b(topics?)\b", r"{\1}", text)


@cache
def columns_of(kind: type) -> tuple[Column, ...]:
    """The columns that a class of rows declares, in the order of its fields."""
    hints, meanings = get_type_hints(kind, include_extras=True), attributes(kind)
    result = []
    for item in fields(kind):
        hint = hints[item.name]
        if get_origin(hint) is Annotated:
            for column in get_args(hint)[1:]:
                if isinstance(column, Column):
                    result.append(
                        replace(
                            column,
                            key=column.key or item.name,
                            meaning=column.meaning or _of_a_heading(meanings.get(item.name, "")),
                        )
                    )
    return tuple(result)


@dataclass(frozen=True)
class Table:
    """A table with all that any format needs; names in it are data, and escaped when it is written.

    Attributes:
        name: in file names, labels and ``to_frame(name)``.
        caption: what it holds, a sentence or two.
        columns: from left to right.
        rows: one value per column: what its kind takes, a tuple where that has several fields.
        note: how to read it.
        files_only: in files and data frames alone: every digit of what other tables and figures show.
        strong: numbers of rows that stand out.
        advice: which command says more; not for a paper.
        bold: what bold cells mean; not for a terminal, which prints none.

    Example:
        >>> table = Table("systems", "All systems.", (Column("System", key="system"),), [("a",), ("b",)])
        >>> list(table.keys), len(table.rows)
        (['system'], 2)
    """

    name: str
    caption: str
    columns: tuple[Column, ...]
    rows: Sequence[Sequence[Any]]
    note: str = ""
    files_only: bool = False
    strong: frozenset[int] = frozenset()
    advice: str = ""
    bold: str = ""

    @property
    def below(self) -> str:
        """What stands below it, but in a paper."""
        return " ".join(part for part in (self.note, self.bold, self.advice) if part)

    @classmethod
    def of(
        cls,
        name: str,
        caption: str,
        kind: type,
        rows: Iterable[Any],
        words: Mapping[str, str] | None = None,
        without: Iterable[str] = (),
        order: Sequence[str] = (),
        sparse: str = "",
        unit: Unit = TOPIC,
        **more: Any,
    ) -> Table:
        """A table of a class of rows: the columns that its fields declare, those in `order` first.

        A column in `without` is left out, and so is a `sparse` one that is empty in every row. `words` and
        the unit fill the braces of headings and meanings; `more` are further attributes of the table.
        """

        def fill(text: str) -> str:
            return unit.fill(text, **(words or {}))

        rows = list(rows)
        empty = (key for key in sparse.split() if all(getattr(row, key) is None for row in rows))
        dropped = {*without, *empty}
        kept = [column for column in columns_of(kind) if column.key not in dropped]
        places = {key: place for place, key in enumerate(order)}
        kept.sort(key=lambda column: places.get(column.key, len(places)))
        filled = [
            replace(one, heading=fill(one.heading), meaning=fill(one.meaning), kind=one.kind.filled(fill))
            for one in kept
        ]
        cells = [tuple(_value(row, column) for column in filled) for row in rows]
        return cls(name, caption, tuple(filled), cells, **more)

    def changed(self, change: Callable[[Column], Column]) -> Table:
        return replace(self, columns=tuple(map(change, self.columns)))

    def shown(self, details: bool = False) -> Table:
        """The table without the columns that are details, or with them."""
        kept = [place for place, column in enumerate(self.columns) if details or not column.details]
        return replace(
            self,
            columns=tuple(self.columns[place] for place in kept),
            rows=[[row[place] for place in kept] for row in self.rows],
        )

    def behind(self, keys: Collection[str]) -> Table:
        return self.changed(lambda one: replace(one, details=one.details or one.key in keys))

    def rounded(self, digits: Mapping[str, int]) -> Table:

        def change(one: Column) -> Column:
            if one.key not in digits or not isinstance(one.kind, Number | Bounded):
                return one
            return replace(one, kind=replace(one.kind, digits=digits[one.key]))

        return self.changed(change)

    def rounded_for(self, scores: Iterable[float]) -> Table:
        """The table with fewer digits where its scores are large: 0.759, 75.93, 1,012."""
        fewer = 3 - score_digits(scores, 3)
        of = {one.key: one.kind.digits for one in self.columns if isinstance(one.kind, Number | Bounded)}
        return self.rounded({key: max(digits - fewer, 0) for key, digits in of.items()} if fewer else {})

    def first(self, rows: int) -> Table:
        """Its first rows, and those of the others that stand out."""
        kept = [place for place in range(len(self.rows)) if place < rows or place in self.strong]
        strong = frozenset(k for k, place in enumerate(kept) if place in self.strong)
        return replace(self, rows=[self.rows[place] for place in kept], strong=strong)

    @property
    def keys(self) -> list[str]:
        """What its columns are called in files of data; a system may be called like another column."""
        return [key for column in self.columns for key in column.keys]

    def values(self) -> list[list[Any]]:
        return [
            [
                item
                for column, value in zip(self.columns, row, strict=True)
                for item in (value if len(column.keys) > 1 else (value,))
            ]
            for row in self.rows
        ]

    @property
    def names(self) -> list[int]:
        return [place for place, column in enumerate(self.columns) if isinstance(column.kind, Name)]


def _value(row: Any, column: Column) -> Any:
    values = tuple(getattr(row, key) for key in column.keys)
    return values if len(values) > 1 else values[0]
