"""JSON of records, or JSON lines: an object per score, as most scripts write them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.battles import battle_columns
from truerank.readers.columns import Options
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import an_object, json_lines
from truerank.readers.formats.source import Source
from truerank.readers.guesses import listed, long_reading, to_paste
from truerank.readers.names import names_of_files
from truerank.readers.raw_scores import RawScores
from truerank.readers.roles import DATA_SET, SCORE_BY_MEANING, SYSTEM, TASK, TOPIC, TOPIC_OR_ROW, VALUE, find
from truerank.readers.sheets import RecordSheet
from truerank.readers.tables import read_sheet


def _list_of(document: Any) -> list[Any] | None:
    """The records of a document: a list of objects, or the only one in an object, one or two levels deep."""
    if isinstance(document, dict):
        inner = [part for value in document.values() if isinstance(value, dict) for part in value.values()]
        for values in (document.values(), inner):
            lists = [value for value in values if _is_list_of_records(value)]
            if lists:
                return lists[0] if len(lists) == 1 else None
        return None
    return document if _is_list_of_records(document) else None


def _is_list_of_records(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and all(isinstance(one, dict) and one for one in value)


def _recognizes(source: Source) -> bool:
    return isinstance(source.first_record, dict) or _list_of(source.document) is not None


def _records(source: Source) -> list[tuple[int | None, dict[str, Any]]]:
    """The records of a file, with their lines where they have some."""
    found = _list_of(source.document)
    if found is not None:
        return [(None, record) for record in found]
    lines = json_lines(source.text, source.path)
    return [(line, an_object(one, f"{source.path}:{line}: ", "this line")) for line, one in lines]


def _read(sources: Sequence[Source], options: Options) -> RawScores:
    files = [(source.path, _records(source)) for source in sources]
    if not any(records for _, records in files):
        raise InputError(f"{sources[0].path}: no records in it; write one object per score")
    sheet = RecordSheet(files)
    if battle_columns(sheet) is not None:
        return read_sheet(sheet, options)
    parts = (*TOPIC, *TOPIC_OR_ROW, *SYSTEM, *VALUE, *SCORE_BY_MEANING, *DATA_SET, *TASK)
    if not options.columns.given and find(sheet.header, parts) is None:
        what = "JSON" if sources[0].first_record is None else "JSON lines"
        raise InputError(
            f"{sources[0].path}: this is {what}, but of no format that is known, and no name says what the "
            f"records hold. Name them with {setting('topic_column')}, {setting('system_column')} and "
            f"{setting('score_column')}; they have {listed(sheet)}"
        )
    named = options.columns.system is not None or find(sheet.header, SYSTEM) is not None
    scored = options.columns.score is not None or find(sheet.header, (*VALUE, *SCORE_BY_MEANING)) is not None
    if not named and (len(files) > 1 or scored):
        # Without a column of systems, a file is one system; but topics that come again may have several.
        topic = find(sheet.header, TOPIC)
        again = topic is not None and len(set(sheet.names(topic))) < sheet.rows
        guess = long_reading(sheet) if again and len(files) == 1 and not options.columns.given else None
        if guess is not None:
            raise InputError(
                f"{sources[0].path}: topics come several times, and no name says what the systems are. Use "
                f"{to_paste(guess)} if {guess.system!r} does. The columns are {listed(sheet)}"
            )
        paths = [path for path, _ in files]
        names, notes = names_of_files(paths)
        rows = [[name] * len(records) for name, (_, records) in zip(names, files, strict=True)]
        sheet.add("system", [name for part in rows for name in part])
        notes.append(Note("systems-assumed", f"no column names systems, so each file is one ({few(names)})"))
        sheet.notes |= dict.fromkeys(notes)
    return read_sheet(sheet, options)


RECORDS = ScoreFormat(
    "records",
    "a list of records (JSON)",
    "JSON lines, or a list of objects in JSON: one object per score, or per topic. Inner objects are read: "
    "results.score is a column. Without a column of systems each file is one system.",
    ("files",),
    _recognizes,
    _read,
    general=True,
    transposes=True,
    tabular=True,
    content=("json",),
)
