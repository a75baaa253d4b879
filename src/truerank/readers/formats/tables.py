"""Score tables in files: separated text, Parquet, JSON of records; and Langfuse's table of scores."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.battles import battle_columns, refuse_unread
from truerank.readers.cell_values import Column
from truerank.readers.formats.adapter import OF_TABLES, Adapter, Row
from truerank.readers.formats.source import Source
from truerank.readers.names import names_of_files
from truerank.readers.options import COLUMNS, Options
from truerank.readers.questions import ask, one_row_per_score
from truerank.readers.sheets import record_sheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    (source,) = sources
    return read_sheet(source.sheet, options)


TABLE = Adapter(
    name="table",
    label="a table",
    explanation="One column per system and one row per topic, or one row per score; between commas, tabs or "
    "semicolons, or as Parquet.",
    recognizes=lambda source: (
        source.content == "parquet" or (source.content == "text" and bool(source.first_line))
    ),
    table=_read,
    files=(),
    noun="topic",
    takes=OF_TABLES,
    joined=True,
)


def _list_of(document: Any, depth: int = 3) -> list[dict[str, Any]]:
    """The list of records that a document is, or that alone is in it; empty where there is none."""
    if isinstance(document, list):
        return document if all(isinstance(one, dict) and one for one in document) else []
    values = list(document.values()) if isinstance(document, dict) and depth > 1 else []
    lists = [one for one in values if isinstance(one, list) and one and isinstance(one[0], dict)]
    found: list[Any] = lists or [one for one in values if isinstance(one, dict)]
    return _list_of(found[0], depth - 1) if len(found) == 1 else []


def _records(source: Source) -> Sequence[tuple[int | None, dict[str, Any]]]:
    """The records of a file, with their lines where they have some."""
    if source.first_record is not None:
        return [(source.line, record) for record in source.records()]
    return [(None, record) for record in _list_of(source.json)]


_NAMED = ("topic", "topic_or_row", "topic_of_long", "system", "value", "score_by_meaning", "data_set", "task")


def _read_records(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = [(source.path, _records(source)) for source in sources]
    path = sources[0].path
    if not any(records for _, records in files):
        raise InputError(f"{path}: no records in it; write one object per score")
    sheet = record_sheet(files)
    if battle_columns(sheet) is not None:
        return read_sheet(sheet, options)
    columns = options.given(*COLUMNS)
    if not columns:
        refuse_unread(sheet)
        if sheet.find(*_NAMED) is None:
            ways = ", ".join(map(setting, ("topic_column", "system_column", "score_column")))
            raise ask(sheet, f"no name says what the records hold; use {ways}")
    named = options.system_column is not None or sheet.find("system") is not None
    scored = options.score_column is not None or sheet.find("value", "score_by_meaning") is not None
    if not named and (len(files) > 1 or scored):
        # Without a column of systems, a file is one system; but topics that come again may have several.
        topic = sheet.find("topic")
        again = topic is not None and len(sheet.columns[topic].levels) < sheet.rows
        use = one_row_per_score(sheet) if again and len(files) == 1 and not columns else []
        if use:
            raise ask(sheet, "topics come several times, and no name says what the systems are", *use)
        names, notes = names_of_files([path for path, _ in files])
        rows = [[name] * len(records) for name, (_, records) in zip(names, files, strict=True)]
        sheet = sheet.with_column("system", Column.of(name for part in rows for name in part))
        notes.append(Note("reading", {"case": "unnamed-files", "names": names}))
        sheet.notes.update(dict.fromkeys(notes))
    return read_sheet(sheet, options)


RECORDS = Adapter(
    name="records",
    label="a list of records (JSON)",
    explanation="JSON lines, or a list of objects in JSON: one object per score, or per topic. Inner "
    "objects are read: results.score is a column. Without a column of systems each file is "
    "one system.",
    recognizes=lambda source: isinstance(source.first_record, dict) or bool(_list_of(source.document)),
    table=_read_records,
    files=(),
    noun="topic",
    takes=OF_TABLES,
)


def _langfuse(source: Source) -> Iterator[Row]:
    for score in source.records():
        if score["dataType"] in ("NUMERIC", "BOOLEAN"):
            topic, value = score.get("datasetItemId") or score["traceId"], score["value"]
            number = float(value) if value not in ("", None) else None
            yield Row(score["traceName"], topic, number, score["name"])


LANGFUSE = Adapter(
    name="langfuse",
    label="a table of scores from Langfuse",
    explanation="The table of scores as Langfuse exports it (CSV, JSON, JSON lines). The name of a "
    "score is a measure, that of its trace a system; items of a data set are questions. A "
    "trace is one answer of a system.",
    rows=_langfuse,
    keys=("traceId", "traceName", "name", "value", "dataType"),
    files=("*.csv", "*.json", "*.jsonl"),
    repeats="runs",
)
