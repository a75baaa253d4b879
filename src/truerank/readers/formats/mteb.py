"""The results of mteb: one file per model and task, with one score for each split and language."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import (
    a_name,
    an_object,
    is_number,
    objects,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.options import Options
from truerank.scores import ScoreMatrix

_MAIN = "main_score"
_OLD = "mteb_dataset_name"
"""What results of mteb before 1.11 call the task."""
_META = "model_meta.json"
"""What lies among the tasks in a folder of results, and is none."""


def _recognizes_mteb(source: Source) -> bool:
    document = source.document
    return bool(text_within(document, _OLD)) or bool(
        text_within(document, "task_name")
        and isinstance(within(document, "scores"), dict)
        and {"dataset_revision", "mteb_version"} & document.keys()
    )


def _read_mteb(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given, repeats="mean")
    parts: dict[str, dict[str, tuple[str, ...]]] = {}
    revisions: dict[str, set[str]] = {}
    for source in sources:
        if Path(source.path).name == _META:
            continue
        where = f"{source.path}: "
        document = an_object(source.json, where, "the file")
        if _OLD in document and "scores" not in document:
            raise InputError(f"{where}results of mteb before 1.11; write them again with its TaskResult")
        task = a_name(document.get("task_name"), where, "task_name")
        model, revision = _model(source)
        what = f"results of model {model!r}, revision {revision!r}, on task {task!r}"
        scores.once((model, task), source.path, what)
        revisions.setdefault(model, set()).add(revision)
        parts.setdefault(task, {})[model] = _add(scores, source, model, task, document.get("scores"))
        source.forget()
    scores.note(*_notes(parts, revisions))
    measure = options.measure or (_MAIN if _MAIN in scores.measures else None)
    raw = scores.table(Options(measure))
    if options.measure:
        return raw
    # That subsets are averaged is the harness' own rule, and said above where they differ.
    notes = [note for note in raw.notes if (note.code, note.case) != ("averaged", "scores")]
    return replace(raw, measure="", notes=tuple(notes))


def _add(scores: Collected, source: Source, model: str, task: str, found: Any) -> tuple[str, ...]:
    """Take in all scores of a task, whose mean counts as with mteb; which splits and subsets these are."""
    where = f"{source.path}: "
    parts: list[str] = []
    taken: list[dict[str, Any]] = []
    for split, entries in an_object(found, where, "scores").items():
        for entry in objects(entries, where, f"scores of {split}", f"a score of {split}"):
            subset = text_within(entry, "hf_subset") or "default"
            if not is_number(entry.get(_MAIN)):
                raise InputError(f"{where}{split}, subset {subset!r}: no main_score; run mteb again")
            parts.append(split if subset == "default" else f"{split} {subset}")
            taken.append({measure: value for measure, value in entry.items() if is_number(value)})
    if not parts:
        raise InputError(f"{where}no scores of task {task!r}; run mteb again")
    # A measure that one of the parts lacks has no mean over them.
    for measure in dict.fromkeys(measure for entry in taken for measure in entry):
        for entry in taken:
            scores.add(model, task, entry.get(measure), measure, data_set=task, source=source.path)
    return tuple(parts)


def _model(source: Source) -> tuple[str, str]:
    """The model and its revision, by `model_meta.json` beside the file, or by the folders' names."""
    meta = source.beside(_META)
    folders = Path(source.path).absolute().parent.parts if source.path != "-" else ()
    name = text_within(meta, "name") or (folders[-2].replace("__", "/") if len(folders) > 2 else "")
    revision = text_within(meta, "revision") or (folders[-1] if folders else "")
    if not name:
        raise InputError(
            f"{source.path}: nothing says which model this is of; keep it in folders MODEL/REVISION"
        )
    return name, revision


def _notes(parts: dict[str, dict[str, tuple[str, ...]]], revisions: dict[str, set[str]]) -> list[Note]:
    def splits(task: str) -> list[str]:
        return list(dict.fromkeys(part for found in parts[task].values() for part in found))

    notes = []
    several = [task for task, of in parts.items() if any(len(found) > 1 for found in of.values())]
    if several:
        notes.append(Note("averaged", {"case": "splits", "splits": {task: splits(task) for task in several}}))
    differing = [task for task, of in parts.items() if len({frozenset(found) for found in of.values()}) > 1]
    if differing:
        notes.append(Note("scores-missing", {"case": "splits", "names": differing}))
    mixed = [model for model, found in revisions.items() if len(found) > 1]
    if mixed:
        notes.append(Note("averaged", {"case": "revisions", "names": mixed}))
    return notes


MTEB = declared("mteb", recognizes=_recognizes_mteb, read=_read_mteb)
