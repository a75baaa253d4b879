"""The tables of RAGAS: one system each, a row a question, and its metrics as columns."""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence
from typing import Any

from truerank.readers.columns import NAMES, SYSTEM, Asked, find, is_unnamed, plain
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.one_system import add_sheet, named_frames, system_names
from truerank.readers.formats.source import Source
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import FrameSheet, Sheet, TextSheet
from truerank.readers.trecfiles import is_frame

_QUESTION = ("user_input", "question")


def _fits(header: Sequence[str]) -> bool:
    names = {plain(name) for name in header}
    newer = "user_input" in names and names & {"response", "reference", "retrieved_contexts"}
    older = "question" in names and "contexts" in names and names & {"answer", "ground_truth"}
    return bool(newer or older) and find(header, SYSTEM) is None


def _recognises(source: Source) -> bool:
    if source.looks_like_json or not source.first_line:
        return False
    try:
        return _fits(next(csv.reader([source.first_line]), []))
    except csv.Error:
        return False


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    names, notes = system_names(sources)
    scores.notes += notes
    for source, name in zip(sources, names, strict=True):
        _add(scores, TextSheet(source.text, source.path), name, source.path)
        source.forget()
    return scores.raw(asked)


def _recognises_frame(thing: Any) -> bool:
    return is_frame(thing) and _fits([str(name) for name in thing.columns])


def _recognises_object(thing: Any) -> bool:
    return _recognises_frame(thing) or named_frames(thing, _recognises_frame)


def _read_object(thing: Any, asked: Asked) -> RawScores:
    frames = thing if isinstance(thing, Mapping) else {"system": thing}
    scores = Collected("data frame")
    for system, frame in frames.items():
        _add(scores, FrameSheet(frame), str(system), None)
    return scores.raw(asked)


def _add(scores: Collected, sheet: Sheet, system: str, path: str | None) -> None:
    metrics = [
        c
        for c, name in enumerate(sheet.header)
        if plain(name) not in NAMES["beside_ragas"] and not is_unnamed(name)
    ]
    add_sheet(scores, sheet, system, _QUESTION, metrics, path)


RAGAS = ScoreFormat(
    "ragas",
    "a table of RAGAS",
    "EvaluationResult.to_pandas() of RAGAS, as a frame or saved as CSV: one system a file, which is named "
    "like it; a column a metric. In Python also a dictionary of a frame for each system.",
    ("files",),
    _recognises,
    _read,
    _recognises_object,
    _read_object,
)
