"""The evaluation tables of MLflow: one system each, a row a question, and its metrics as columns."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import SYSTEM, Asked, find, plain
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object
from truerank.readers.formats.one_system import Table, add_sheet, named_frames, system_names
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import text_within, within
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import FrameSheet, TextSheet
from truerank.readers.trecfiles import is_frame

_FILE = "eval_results_table"
_QUESTION = ("request", "inputs", "input", "question", "query", "prompt", "questions", "queries", "prompts")
_SUFFIXES = ("/score", "/value")


def _fits(header: Sequence[str]) -> bool:
    """Whether columns are those of an evaluation: of `mlflow.evaluate`, or of `mlflow.genai.evaluate`."""
    questions = find(header, (*_QUESTION, "trace_id")) is not None
    return questions and any(name.endswith(_SUFFIXES) for name in header) and find(header, SYSTEM) is None


def _recognises(source: Source) -> bool:
    if source.looks_like_json:
        document = source.document
        return (
            isinstance(document, dict)
            and {"columns", "data"} <= document.keys() <= {"columns", "data", "index"}
            and isinstance(document["columns"], list)
        )
    try:
        return _fits(next(csv.reader([source.first_line]), []))
    except csv.Error:
        return False


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    names, notes = system_names(sources, (_FILE,))
    scores.notes += notes
    for source, name in zip(sources, names, strict=True):
        sheet: Table = _Rows(source) if source.looks_like_json else TextSheet(source.text, source.path)
        _add(scores, sheet, name, source.path)
        source.forget()
    return scores.raw(asked)


class _Rows:
    """The table of a file that MLflow's `log_table` writes: names of columns, and rows."""

    def __init__(self, source: Source) -> None:
        """Take it out of the document."""
        self._where = f"{source.path}: "
        document = an_object(source.json, self._where, "the file")
        names = a_list(document.get("columns"), self._where, "columns")
        self.header = [a_name(name, self._where, "a column") for name in names]
        rows = a_list(document.get("data"), self._where, "data")
        self._cells = [a_list(row, self._where, "a row") for row in rows]
        self.rows = len(rows)
        if not rows:
            raise InputError(f"{self._where}no scores, for there are no rows; write the file again")
        for number, row in enumerate(self._cells, 1):
            if len(row) != len(names):
                raise InputError(
                    f"{self._where}row {number} has {len(row)} cells, where there are {len(names)} columns; "
                    "write the file again"
                )

    def place(self, row: int | None = None) -> str:
        """`file, row 3: `."""
        return self._where if row is None else f"{self._where.removesuffix(': ')}, row {row + 1}: "

    def names(self, column: int) -> list[str]:
        """The cells of a column as text; null as no text at all."""
        return ["" if row[column] is None else str(row[column]) for row in self._cells]


def _recognises_frame(thing: Any) -> bool:
    if not is_frame(thing):
        return False
    header = [str(name) for name in thing.columns]
    return _fits(header) or {"trace_id", "assessments"} <= set(header)


def _recognises_object(thing: Any) -> bool:
    return _recognises_frame(thing) or named_frames(thing, _recognises_frame)


def _read_object(thing: Any, asked: Asked) -> RawScores:
    frames = thing if isinstance(thing, Mapping) else {"system": thing}
    scores = Collected("data frame")
    for system, frame in frames.items():
        _add(scores, FrameSheet(_with_values(frame)), str(system), None)
    return scores.raw(asked)


def _with_values(frame: Any) -> Any:
    """A frame of `mlflow.search_traces` with a column a scorer, as `mlflow.genai.evaluate` gives it."""
    if _fits([str(name) for name in frame.columns]):
        return frame
    values = [_feedback(cell) for cell in frame["assessments"]]
    names = dict.fromkeys(name for row in values for name in row)
    return frame.assign(**{f"{name}/value": [row.get(name) for row in values] for name in names})


def _feedback(cell: Any) -> dict[str, Any]:
    """The value of each scorer in the assessments of one trace, dictionaries or MLflow's objects."""
    found: dict[str, Any] = {}
    for one in cell if isinstance(cell, (list, tuple)) else ():
        entry = one if isinstance(one, dict) else one.to_dictionary() if hasattr(one, "to_dictionary") else {}
        name = text_within(entry, "assessment_name") or text_within(entry, "name")
        value = within(entry, "feedback", "value")
        if name and value is not None:
            found[name] = value
    return found


def _add(scores: Collected, sheet: Table, system: str, path: str | None) -> None:
    suffix = next((s for s in _SUFFIXES if any(name.endswith(s) for name in sheet.header)), "")
    metrics = [
        column
        for column, name in enumerate(sheet.header)
        if (name.endswith(suffix) if suffix else plain(name) not in _QUESTION)
    ]
    add_sheet(scores, sheet, system, _QUESTION, metrics, path, suffix)


MLFLOW = ScoreFormat(
    "mlflow",
    "an evaluation table of MLflow",
    "eval_results_table.json of mlflow.evaluate, or the frame of mlflow.genai.evaluate or search_traces, "
    "also saved as CSV: one system a file, which is named like it, or its folder; a column a metric.",
    ("files",),
    _recognises,
    _read,
    _recognises_object,
    _read_object,
)
