"""Names in tables that have no room for them: shortened where they are alike, and distinct as they are."""

from __future__ import annotations

from dataclasses import replace

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank.report.lettering import fitted

LONGEST = 60
"""Characters of a name in a table of a paper."""

SHORTEST = 12


def shortened_names(table: Table, room: int | None = None, longest: int = LONGEST) -> Table:
    """The table with names of at most `longest` characters, and shorter ones where it has to fit a room."""
    places = table.names
    if not places:
        return table
    if room is not None:
        rest = sum(
            2
            + max(
                len(text) for text in (column.heading, *(column.kind.text(row[place]) for row in table.rows))
            )
            for place, column in enumerate(table.columns)
            if place not in places
        )
        longest = max(SHORTEST, min(longest, (room - rest) // len(places) - 2))
    names = dict.fromkeys(printable(str(row[place])) for row in table.rows for place in places)
    short = fitted(list(names), longest, len)
    rows = [
        [
            short[printable(str(value))] if place in places and value is not None else value
            for place, value in enumerate(row)
        ]
        for row in table.rows
    ]
    return replace(table, rows=rows)
