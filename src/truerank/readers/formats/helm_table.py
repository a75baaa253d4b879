"""The tables of HELM's leaderboards: a row a model, a column a scenario."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import SYSTEM, Asked, plain
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import is_number, left_out, within
from truerank.readers.raw_scores import RawScores
from truerank.readers.transposing import sums_up

_NAMES = (*SYSTEM, "model/adapter", "model_/_adapter")


def _tables(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _recognises(source: Source) -> bool:
    first = next(iter(_tables(source.document)), None)
    return isinstance(first, dict) and {"title", "header", "rows"} <= first.keys()


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    where = f"{sources[0].path}: "
    summaries: list[str] = []
    empty: list[str] = []
    for table in _tables(sources[0].json):
        table = an_object(table, where, "a table")
        title = a_name(table.get("title"), where, "title")
        place = f"{where}table {title!r}: "
        heads = a_list(table.get("header"), place, "header")
        header = [_value(cell, place) for cell in heads]
        downwards = [within(cell, "lower_is_better") is True for cell in heads]
        names = [text if isinstance(text, str) else "" for text in header]
        column = next((c for c, name in enumerate(names) if plain(name) in _NAMES), None)
        if column is None:
            raise InputError(f"{place}no column of models; give a table that has one")
        for row in a_list(table.get("rows"), place, "rows"):
            cells = [_value(cell, place) for cell in a_list(row, place, "a row")]
            if len(cells) != len(names):
                raise InputError(f"{place}a row of {len(cells)} cells, where the header has {len(names)}")
            model = a_name(cells[column], place, "a model")
            for c, (name, cell) in enumerate(zip(names, cells, strict=True)):
                if c == column:
                    continue
                if sums_up(name):
                    summaries.append(name)
                elif cell is None or not is_number(cell):
                    empty.append(name)
                else:
                    scores.add(model, name, cell, title, data_set=name, lower_is_better=downwards[c])
    scores.notes += left_out("columns that sum up others", summaries)
    scores.notes += left_out("cells without a number, in columns", empty)
    raw = scores.raw(asked)
    return raw


def _value(cell: Any, where: str) -> Any:
    return an_object(cell, where, "a cell").get("value")


HELM_TABLE = ScoreFormat(
    "helm_table",
    "a table of HELM's leaderboard",
    "groups/json/GROUP_TABLE.json or groups/GROUP.json of HELM: a row a model, a column a scenario; the "
    "title of a table is the measure.",
    ("file",),
    _recognises,
    _read,
    aggregates=True,
)
