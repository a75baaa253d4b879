"""Tables of RAGAS and MLflow: one system each, one row per question, and among the columns the metrics."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected, left_out, numbered
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import a_list, a_name, an_object, text_within, within
from truerank.readers.formats.source import Source
from truerank.readers.roles import NAMES, SYSTEM, find, is_unnamed, plain
from truerank.readers.sheets import FrameSheet, RecordSheet, Sheet, is_frame, refuse_other_words
from truerank.scores import ScoreMatrix


@dataclass(frozen=True)
class _Tool:
    """What a tool calls its columns, and its files."""

    fits: Callable[[Sequence[str]], bool]
    questions: tuple[str, ...]
    metrics: Callable[[Sequence[str]], dict[int, str]]
    """Names of the metrics by column; among them may be columns of text."""
    file: str = ""

    def recognizes(self, source: Source) -> bool:
        """Whether a file of separated text has such columns."""
        return self.fits(source.header)

    def read(self, sources: Sequence[Source], options: Options) -> ScoreMatrix:
        """The scores of one file per system."""
        scores = Collected(sources[0].given)
        for source, name in zip(sources, scores.name_files(sources, self.file), strict=True):
            sheet = _records(source) if source.looks_like_json else source.sheet
            self.take(scores, sheet, name, source.path)
            source.forget()
        return scores.table(options)

    def recognizes_object(self, thing: Any) -> bool:
        """Whether it is such a frame, or a dictionary of a frame for each system."""
        frames = list(thing.values()) if isinstance(thing, Mapping) else [thing]
        return bool(frames) and all(is_frame(frame) and self.fits(_header(frame)) for frame in frames)

    def read_object(self, thing: Any, options: Options) -> ScoreMatrix:
        """The scores of one frame, or of one per system."""
        scores = Collected("data frame")
        for system, frame in (thing if isinstance(thing, Mapping) else {"system": thing}).items():
            self.take(scores, FrameSheet(_with_values(frame)), str(system), None)
        return scores.table(options)

    def take(self, scores: Collected, sheet: Sheet, system: str, path: str | None) -> None:
        """Take in all metrics of a system; columns of text are left out."""
        topics = self._topics(scores, sheet)
        found = False
        for column, name in self.metrics(sheet.header).items():
            refuse_other_words(sheet, column)
            if not sheet.column(column).holds_scores:
                scores.note(left_out("columns that are not metrics"), names=[name])
                continue
            found = True
            sheet.notes.clear()
            for topic, value in zip(topics, sheet.numbers([column])[:, 0].tolist(), strict=True):
                scores.add(system, topic, value, name, source=path)
            scores.note(*sheet.notes, of=name)
        if not found:
            raise InputError(f"{sheet.place()}no column of scores; give the table with its metrics")

    def _topics(self, scores: Collected, sheet: Sheet) -> list[str]:
        """The topic of each row: its question, and which time it is asked; or the row's number."""
        column = find(sheet.header, self.questions)
        questions = [] if column is None else [" ".join(cell.split()) for cell in sheet.names(column)]
        if not questions or not all(questions):
            said = "no column of questions, so the rows of a file are read as questions, in their order"
            scores.note(Note("rows-are-topics", said))
            scores.unnamed = "table"
            return [str(row + 1) for row in range(sheet.rows)]
        times: Counter[Any] = Counter()
        names = [numbered(question, times) for question in questions]
        again = [question for (question,), number in times.items() if number > 1]
        if again:
            said = f"questions that are asked several times count as questions each: {few(again)}"
            scores.note(Note("asked-again", said))
        return names


def _header(frame: Any) -> list[str]:
    return [str(name) for name in frame.columns]


# RAGAS


def _fits_ragas(header: Sequence[str]) -> bool:
    names = {plain(name) for name in header}
    newer = "user_input" in names and names & {"response", "reference", "retrieved_contexts"}
    older = "question" in names and "contexts" in names and names & {"answer", "ground_truth"}
    return bool(newer or older) and find(header, SYSTEM) is None


def _metrics_of_ragas(header: Sequence[str]) -> dict[int, str]:
    beside = NAMES["beside_ragas"]
    return {c: name for c, name in enumerate(header) if plain(name) not in beside and not is_unnamed(name)}


_RAGAS = _Tool(_fits_ragas, ("user_input", "question"), _metrics_of_ragas)

RAGAS = declared(
    "ragas",
    recognizes=_RAGAS.recognizes,
    read=_RAGAS.read,
    recognizes_object=_RAGAS.recognizes_object,
    read_object=_RAGAS.read_object,
)


# MLflow

_INPUTS = NAMES["mlflow_input"]
_SUFFIXES = ("/score", "/value")


def _fits_mlflow(header: Sequence[str]) -> bool:
    """Whether columns are those of `mlflow.evaluate`, `mlflow.genai.evaluate` or `mlflow.search_traces`."""
    if {"trace_id", "assessments"} <= set(header):
        return True
    questions = find(header, (*_INPUTS, "trace_id")) is not None
    return questions and any(name.endswith(_SUFFIXES) for name in header) and find(header, SYSTEM) is None


def _metrics_of_mlflow(header: Sequence[str]) -> dict[int, str]:
    suffix = next((one for one in _SUFFIXES if any(name.endswith(one) for name in header)), "")
    return {
        column: name.removesuffix(suffix)
        for column, name in enumerate(header)
        if (name.endswith(suffix) if suffix else plain(name) not in _INPUTS)
    }


def _recognizes_mlflow(source: Source) -> bool:
    found = source.document
    if not source.looks_like_json:
        return _MLFLOW.recognizes(source)
    return (
        isinstance(found, dict)
        and {"columns", "data"} <= found.keys() <= {"columns", "data", "index"}
        and isinstance(found["columns"], list)
        and find(list(map(str, found["columns"])), SYSTEM) is None
        and ("index" not in found or _fits_mlflow(list(map(str, found["columns"]))))
    )


def _records(source: Source) -> RecordSheet:
    """The table of a file that MLflow's `log_table` writes: names of columns, and rows."""
    where = f"{source.path}: "
    document = an_object(source.json, where, "the file")
    names = [a_name(name, where, "a column") for name in a_list(document.get("columns"), where, "columns")]
    rows = [a_list(row, where, "a row") for row in a_list(document.get("data"), where, "data")]
    if not rows:
        raise InputError(f"{where}no scores, for there are no rows; write the file again")
    if len(set(names)) < len(names):
        raise InputError(f"{where}two columns have one name; give each another name")
    for number, row in enumerate(rows, 1):
        if len(row) != len(names):
            raise InputError(
                f"{where}row {number} has {len(row)} cells, where there are {len(names)} columns; "
                "write the file again"
            )
    return RecordSheet([(source.path, [(None, dict(zip(names, row, strict=True))) for row in rows])])


def _with_values(frame: Any) -> Any:
    """A frame of `mlflow.search_traces` with one column per scorer, as `mlflow.genai.evaluate` has."""
    header = _header(frame)
    if "assessments" not in header or any(name.endswith(_SUFFIXES) for name in header):
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


_MLFLOW = _Tool(_fits_mlflow, _INPUTS, _metrics_of_mlflow, "eval_results_table")

MLFLOW = declared(
    "mlflow",
    recognizes=_recognizes_mlflow,
    read=_MLFLOW.read,
    recognizes_object=_MLFLOW.recognizes_object,
    read_object=_MLFLOW.read_object,
)
