"""JSON of records, or JSON lines: an object per score, as most scripts write them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.battles import battle_columns, refuse_unread
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import is_number, line_objects
from truerank.readers.formats.retrieval import is_table_of_systems
from truerank.readers.formats.source import Source
from truerank.readers.guesses import listed, one_row_per_score
from truerank.readers.names import names_of_files
from truerank.readers.options import COLUMNS, Options
from truerank.readers.roles import (
    DATA_SET,
    SCORE_BY_MEANING,
    SYSTEM,
    TASK,
    TOPIC,
    TOPIC_OR_ROW,
    VALUE,
    find,
    has_role,
    is_measure,
    like_topics,
    numbered,
)
from truerank.readers.sheets import RecordSheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix

VALUE_OR_TOPIC = (*VALUE, *SCORE_BY_MEANING, *TOPIC, *TOPIC_OR_ROW)

_LOOKED_AT = 100
"""Records of a list that are searched for a name of a score."""

_Record = dict[str, Any]


def _list_of(document: Any) -> list[_Record] | None:
    """The records of a document, in one of the forms that tables have; None where there are none."""
    if not isinstance(document, dict):
        return document if _is_list_of_records(document) else None
    lists = _lists_within(document)
    for found in (lists, _with_scores(lists)):
        if len(found) == 1:
            return next(iter(found.values()))
    if lists:
        return _named_lists(document) if lists.keys() == document.keys() else None
    forms = (of(document) for of in (_of_split, _of_columns, _of_table_within, _of_rows, _of_cells))
    return next((found for found in forms if found), None)


def _lists_within(document: Any) -> dict[str, list[_Record]]:
    """The lists of records in an object, by name, or else those in its inner objects."""
    outer = document if isinstance(document, dict) else {}
    inner = {
        f"{name}.{key}": part
        for name, value in outer.items()
        if isinstance(value, dict)
        for key, part in value.items()
    }
    found = ({name: of for name, of in one.items() if _is_list_of_records(of)} for one in (outer, inner))
    return next((lists for lists in found if lists), {})


def _with_scores(lists: dict[str, list[_Record]]) -> dict[str, list[_Record]]:
    return {
        name: of
        for name, of in lists.items()
        if any(_is_score(key) for one in of[:_LOOKED_AT] for key in one)
    }


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and one for one in value)


def _named_lists(document: _Record) -> list[_Record] | None:
    """Name → records: the name is that of a system, or of a data set where records name systems."""
    names = {name for records in document.values() for one in records for name in one}
    kind = "system" if find(names, SYSTEM) is None else "data_set"
    if kind == "system" and find(names, VALUE_OR_TOPIC) is None:
        return None
    return [{kind: name, **one} for name, records in document.items() for one in records]


def _of_split(document: _Record) -> list[_Record] | None:
    """Names of columns, rows of cells and maybe names of rows, as pandas has it with ``orient="split"``."""
    columns, rows = document.get("columns"), document.get("data")
    if not (isinstance(columns, list) and isinstance(rows, list) and rows):
        return None
    columns = list(map(str, columns))
    if len(set(columns)) < len(columns) or not all(
        isinstance(row, list) and len(row) == len(columns) for row in rows
    ):
        return None
    index = document.get("index")
    keys = index if isinstance(index, list) and len(index) == len(rows) else range(len(rows))
    return _keyed(zip(keys, (dict(zip(columns, row, strict=True)) for row in rows), strict=True))


def _of_columns(document: _Record) -> list[_Record] | None:
    """Column → cells, each a list or by the name of its row; some column is called like what tables have."""
    columns = list(document.values())
    if all(isinstance(one, list) for one in columns):
        lengths = {len(one) for one in columns}
        scalars = all(cell is None or isinstance(cell, str | int | float) for one in columns for cell in one)
        if len(columns) < 2 or len(lengths) > 1 or lengths == {0} or not scalars:
            return None
        return [dict(zip(document, row, strict=True)) for row in zip(*columns, strict=True)]
    if not _is_grid(document) or find(document, (*SYSTEM, *VALUE_OR_TOPIC, *DATA_SET, *TASK)) is None:
        return None
    return _keyed((row, {name: cells[row] for name, cells in document.items()}) for row in columns[0])


def _of_rows(document: _Record) -> list[_Record] | None:
    """Row → cells by column: with cells that are no numbers, or scores of all systems on each topic."""
    rows = list(document.values())
    if len(rows) < 2 or not all(isinstance(row, dict) and row for row in rows):
        return None
    numbers = all(isinstance(cell, int | float) for row in rows for cell in row.values())
    if numbers:
        found = _is_grid(document) and len(rows[0]) > 1 and like_topics(list(document))
        # A run has numbered documents, or not the same ones for each topic.
        return _keyed(document.items()) if found and not numbered(list(rows[0])) else None
    plain = all(any(not isinstance(cell, dict | list) for cell in row.values()) for row in rows)
    return _keyed(document.items()) if plain else None


def _of_cells(document: _Record) -> list[_Record] | None:
    """System → topic → what is known of its answer, with its score; or topic → system."""
    if not all(isinstance(inner, dict) and inner for inner in document.values()):
        return None
    cells = [cell for inner in document.values() for cell in inner.values()]
    if not all(isinstance(cell, dict) and any(map(_is_score, cell)) for cell in cells):
        return None
    first, second = ("topic", "system") if like_topics(list(document)) else ("system", "topic")
    return [{first: a, second: b, **cell} for a, inner in document.items() for b, cell in inner.items()]


def _is_score(name: str) -> bool:
    """Whether a name in an answer is that of a score."""
    return has_role(name, "value", "score_by_meaning") or is_measure(name)


def _holds_vectors(document: Any) -> bool:
    """Whether a document is system → its scores, in the order of the topics."""
    return isinstance(document, dict) and all(
        isinstance(one, list) and all(map(is_number, one)) for one in document.values()
    )


def _of_table_within(document: _Record) -> list[_Record] | None:
    """System → topic → score under one name of the document, beside what tells of it."""
    found = [value for value in document.values() if is_table_of_systems(value)]
    if len(found) != 1 or any(is_measure(name) for scores in found[0].values() for name in scores):
        return None
    return [
        {"system": system, "topic": topic, "score": score}
        for system, scores in found[0].items()
        for topic, score in scores.items()
    ]


def _is_grid(document: _Record) -> bool:
    """Whether all values are objects of the same names."""
    first = next(iter(document.values()), None)
    return isinstance(first, dict) and all(
        isinstance(one, dict) and one.keys() == first.keys() for one in document.values()
    )


def _spread(records: list[_Record]) -> list[_Record]:
    """Records whose only scores are one list of numbers each, with a column for each place in it."""
    lists = {(name, len(value)) for one in records for name, value in one.items() if isinstance(value, list)}
    if len(lists) != 1 or find(records[0], (*TOPIC, *TOPIC_OR_ROW)) is not None:
        return records
    ((name, length),) = lists
    values = [one.get(name) for one in records]
    if length < 2 or not all(isinstance(of, list) and all(map(is_number, of)) for of in values):
        return records
    return [
        {key: value for key, value in one.items() if key != name}
        | {str(place): value for place, value in enumerate(one[name], 1)}
        for one in records
    ]


def _exploded(records: list[_Record]) -> list[_Record]:
    """Records with one list of records each, such as a system with its answers, as one for each of these."""
    lists = {name: value for one in records for name, value in one.items() if _is_list_of_records(value)}
    inner = {name for of in lists.values() for name in of[0]}
    if len(lists) != 1 or (find(inner, SYSTEM) is None and not any(map(_is_score, inner))):
        return records
    (name,) = lists
    return [
        {**{key: value for key, value in one.items() if key != name}, **inner}
        for one in records
        for inner in one.get(name) or [{}]
    ]


def _keyed(rows: Iterable[tuple[Any, _Record]]) -> list[_Record]:
    """Records with the names of their rows in a column without a name, unless these only count."""
    found = [(str(key), row) for key, row in rows]
    if [key for key, _ in found] == [str(number) for number in range(len(found))]:
        return [row for _, row in found]
    return [{"": key, **row} for key, row in found]


def _recognizes(source: Source) -> bool:
    document = source.document
    return (
        isinstance(source.first_record, dict)
        or _list_of(document) is not None
        or len(_with_scores(_lists_within(document))) > 1
    )


def _records(source: Source) -> list[tuple[int | None, dict[str, Any]]]:
    """The records of a file, with their lines where they have some."""
    found = _list_of(source.document)
    if found is not None:
        return [(None, record) for record in _spread(_exploded(found))]
    scored = list(_with_scores(_lists_within(source.document)))
    if scored:
        raise InputError(
            f"{source.path}: {count(len(scored), 'list')} of records with scores ({few(scored)}); write the "
            "one that is meant to a file of its own"
        )
    lines = list(line_objects(source.text, source.path))
    return [(line, record) for line, _, one in lines for record in _exploded([one])]


def _left_out(document: Any) -> list[Note]:
    """What to say where only one of several lists of records has scores."""
    lists = _lists_within(document)
    scored = list(_with_scores(lists))
    if len(scored) != 1 or len(lists) == 1:
        return []
    beside = [
        name for name, of in {**document, **lists}.items() if isinstance(of, list) and name not in scored
    ]
    return [Note("parts-left-out", {"case": "lists", "read": scored[0], "names": beside})]


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = [(source.path, _records(source)) for source in sources]
    if not any(records for _, records in files):
        raise InputError(f"{sources[0].path}: no records in it; write one object per score")
    sheet = RecordSheet(files)
    sheet.notes |= dict.fromkeys(note for source in sources for note in _left_out(source.document))
    if battle_columns(sheet) is not None:
        return read_sheet(sheet, options)
    if not options.given(*COLUMNS):
        refuse_unread(sheet)
    parts = (*TOPIC, *TOPIC_OR_ROW, *SYSTEM, *VALUE, *SCORE_BY_MEANING, *DATA_SET, *TASK)
    named_rows = "" in sheet.header or _holds_vectors(sources[0].document)
    if not options.given(*COLUMNS) and not named_rows and find(sheet.header, parts) is None:
        what = "JSON" if sources[0].first_record is None else "JSON lines"
        raise InputError(
            f"{sources[0].path}: this is {what}, but of no format that is known, and no name says what the "
            f"records hold. Name them with {setting('topic_column')}, {setting('system_column')} and "
            f"{setting('score_column')}; they have {listed(sheet)}"
        )
    named = options.system_column is not None or find(sheet.header, SYSTEM) is not None
    scored = options.score_column is not None or find(sheet.header, (*VALUE, *SCORE_BY_MEANING)) is not None
    if not named and (len(files) > 1 or scored):
        # Without a column of systems, a file is one system; but topics that come again may have several.
        topic = find(sheet.header, TOPIC)
        again = topic is not None and len(set(sheet.names(topic))) < sheet.rows
        use = one_row_per_score(sheet) if again and len(files) == 1 and not options.given(*COLUMNS) else None
        if use is not None:
            raise InputError(
                f"{sources[0].path}: topics come several times, and no name says what the systems are. If "
                f"there is one row per score, use {use}"
            )
        paths = [path for path, _ in files]
        names, notes = names_of_files(paths)
        rows = [[name] * len(records) for name, (_, records) in zip(names, files, strict=True)]
        sheet.add("system", [name for part in rows for name in part])
        notes.append(Note("reading", {"case": "unnamed-files", "names": names}))
        sheet.notes |= dict.fromkeys(notes)
    return read_sheet(sheet, options)


RECORDS = declared("records", recognizes=_recognizes, read=_read)
