"""Names in tables that have no room for them: shortened where they are alike, and distinct as they are."""

from __future__ import annotations

from dataclasses import replace

from truerank._support.escaping import printable
from truerank._support.tables import Table
from truerank.report.lettering import fitted

LONGEST = 60
"""Characters of a name in a table for a pull request."""


def shortened_names(table: Table, longest: int = LONGEST) -> Table:
    """The table with names of at most `longest` characters."""
    places = table.names
    if not places:
        return table
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
