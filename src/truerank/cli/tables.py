"""Tables that fit a terminal: no digit is cut off, and no word broken; what is too wide goes on below."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console
from rich.measure import Measurement
from rich.table import Column, Table
from rich.text import Text

from truerank.cli.console import Sentence, longest_word, printable
from truerank.report.lettering import fitted, shortened_middle

ROOMY, SHORTEST = 20, 10
"""Columns to which names are shortened before headings break, and at last."""

PROSE = 24
"""Columns to which sentences in cells are wrapped before names are shortened."""

HEADING = 24
"""Columns of a heading, which may be the name of a measure."""

LETTERS, LETTERS_LEAST = "letters", 11
"""The column of what can’t be told apart, and how narrow it may get so that names stay whole."""

MOST_PARTS = 4
"""Tables below each other that a wide one is shown as, at most; the files have those that are wider."""


def table(*columns: tuple[str, str]) -> Table:
    """An empty table; each column is its heading and ``left``, ``right`` or ``name``.

    Cells on the left are wrapped at spaces; those on the right never; names are shortened in the middle.
    """
    made = Table(box=SIMPLE_HEAD, pad_edge=False, show_edge=False)
    for heading, kind in columns:
        made.add_column(
            shortened_middle(heading, HEADING) if " " not in heading else heading,
            justify="right" if kind == "right" else "left",
            no_wrap=kind != "left",
            overflow="ellipsis" if kind == "name" else "fold",
        )
    return made


def show_table(
    out: Console, title: str, made: Table, note: str = "", keys: int | None = None, elsewhere: str = ""
) -> None:
    """Print a table under its title, over a note if there is one, with a blank line behind it.

    Args:
        out: where to.
        title: of the table.
        made: the table, from :func:`table`.
        note: how it is to be read.
        keys: how many columns say what a row is about, and are repeated where the table goes on below; by
            default those up to the last one of names.
        elsewhere: where a table is written that is far too wide to be shown; it is shown anyway without.
    """
    out.print(Text(printable(title), style="bold"))
    parts = fit(made, out, keys)
    if len(parts) > MOST_PARTS and elsewhere:
        out.print(Text(f"{len(made.columns)} columns, too many for a terminal: {elsewhere}"))
    else:
        for place, part in enumerate(parts):
            if place:
                out.print("\nFurther columns of the same rows")
            out.print(part)
    if note:
        out.print(Text(printable(note)))
    out.print()


def fit(made: Table, out: Console, keys: int | None = None) -> list[Table]:
    """Make a table as narrow as the console, or cut it into several that are.

    Spaces give way first, then sentences and letters, which go on in further lines, then long names,
    headings, all names. What is too wide even so becomes tables below each other, with the same first
    columns.
    """
    whole = {
        place: [str(cell) for cell in column._cells]
        for place, column in enumerate(made.columns)
        if column.overflow == "ellipsis"
    }
    wrapping = [column for column in made.columns if not column.no_wrap and column.header != LETTERS]
    for column in wrapping:
        column._cells = [Sentence(Text(str(cell))) for cell in column._cells]
    # A name of thousands of letters is wider than anything that is measured.
    _narrow(made, whole, out.width)
    if _excess(made, out) > 0:
        made.collapse_padding = True
    for column in made.columns:
        if column.header == LETTERS:
            column.max_width = max(LETTERS_LEAST, _width(column._cells) - max(_excess(made, out), 0))
    _wrap(made, out, wrapping, PROSE)
    _shorten_names(made, whole, _excess(made, out), ROOMY)
    if _excess(made, out) > 0:
        for column in made.columns:
            if _width([column.header]) > _width(column._cells):
                column.header = str(column.header).replace(" ", "\n")
    _shorten_names(made, whole, _excess(made, out), SHORTEST)
    _wrap(made, out, wrapping, 0)
    if _excess(made, out) <= 0:
        return [made]
    return _below_each_other(made, out, whole, wrapping, _keys(made) if keys is None else max(1, keys))


def _below_each_other(
    made: Table, out: Console, whole: Mapping[int, Sequence[str]], wrapping: Sequence[Column], keys: int
) -> list[Table]:
    """As few tables as can be, with names as long as there is room for in so many."""
    found = _parts(made, out, keys)
    for column in wrapping:
        column.max_width = None if _width([column.header, *column._cells]) <= PROSE else PROSE
    for least in range(ROOMY, SHORTEST, -2):
        _narrow(made, whole, least)
        parts = _parts(made, out, keys)
        if len(parts) <= len(found) and all(_excess(part, out) <= 0 for part in parts):
            found = parts
            break
    # The last one would often have a single column.
    even = _parts(made, out, keys, -(-(len(made.columns) - keys) // len(found)))
    return even if len(even) == len(found) and all(_excess(part, out) <= 0 for part in even) else found


def _excess(made: Table, out: Console) -> int:
    """How many columns a table is too wide."""
    return Measurement.get(out, out.options.update(width=10_000), made).maximum - out.width


def _wrap(made: Table, out: Console, columns: Sequence[Column], least: int) -> None:
    """Let cells go on in further lines, the widest column first; none gets narrower than its longest word."""
    for column in sorted(columns, key=lambda column: -_width(column._cells)):
        excess = _excess(made, out)
        if excess <= 0:
            return
        words = max(longest_word(str(cell)) for cell in [column.header, *column._cells])
        column.max_width = max(min(_shown_width(column), max(least, words)), _shown_width(column) - excess)


def _shown_width(column: Column) -> int:
    width = _width([*str(column.header).split("\n"), *column._cells])
    return width if column.max_width is None else min(width, column.max_width)


def _keys(made: Table) -> int:
    """How many columns say what a row is about: up to the last one of names, or those on the left."""
    names = [place for place, column in enumerate(made.columns) if column.overflow == "ellipsis"]
    if names:
        return names[-1] + 1
    first = next((place for place, column in enumerate(made.columns) if column.no_wrap), len(made.columns))
    return max(1, first)


def _parts(made: Table, out: Console, keys: int, most: int = 1_000) -> list[Table]:
    """Tables of the first columns and as many of the others as there is room for, `most` at the most."""
    parts: list[Table] = []
    taken: list[int] = []
    for place in range(keys, len(made.columns)):
        wider = [*range(keys), *taken, place]
        if taken and (len(taken) == most or _excess(_columns_of(made, wider), out) > 0):
            parts.append(_columns_of(made, [*range(keys), *taken]))
            taken = []
        taken.append(place)
    parts.append(_columns_of(made, [*range(keys), *taken]))
    return parts


def _columns_of(made: Table, places: Sequence[int]) -> Table:
    """A table of some of the columns."""
    part = Table(box=made.box, pad_edge=False, show_edge=False, collapse_padding=made.collapse_padding)
    for place in places:
        column = made.columns[place]
        part.add_column(
            column.header,
            justify=column.justify,
            no_wrap=column.no_wrap,
            overflow=column.overflow,
            max_width=column.max_width,
        )
    for row, about in enumerate(made.rows):
        part.add_row(*(made.columns[place]._cells[row] for place in places), end_section=about.end_section)
    return part


def _shorten_names(made: Table, whole: Mapping[int, Sequence[str]], excess: int, least: int) -> None:
    """Take so many columns off the names, the longest first; none gets shorter than `least`."""
    while excess > 0 and whole:
        widths = sorted((_width(made.columns[place]._cells) for place in whole), reverse=True)
        # Of several columns of names the widest gives way first, down to the next one.
        target = max(widths[0] - excess, least, *[min(widths[0] - 1, other) for other in widths[1:]])
        if target >= widths[0]:
            return
        _narrow(made, whole, target)
        taken = sum(widths) - sum(_width(made.columns[place]._cells) for place in whole)
        if taken <= 0:
            return
        excess -= taken


def _narrow(made: Table, whole: Mapping[int, Sequence[str]], width: int) -> None:
    """Shorten names so that one is written alike in all columns, and different ones differ."""
    short = fitted(list(dict.fromkeys(name for names in whole.values() for name in names)), width, cell_len)
    for place, names in whole.items():
        made.columns[place]._cells = [short[name] for name in names]


def _width(cells: Iterable[object]) -> int:
    """Of the widest cell."""
    return max((cell_len(str(cell)) for cell in cells), default=0)
