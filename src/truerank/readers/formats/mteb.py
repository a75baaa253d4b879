"""The results of mteb: one file per model and task, with one score for each split and language."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Remark, Row
from truerank.readers.formats.source import Source, is_number, text_within, within

_MAIN = "main_score"
_OLD = "mteb_dataset_name"
"""What results of mteb before 1.11 call the task."""
_META = "model_meta.json"
"""What says the model and its revision, beside the files of the tasks."""


def _recognizes(source: Source) -> bool:
    document = source.document
    return bool(text_within(document, _OLD)) or bool(
        text_within(document, "task_name")
        and isinstance(within(document, "scores"), dict)
        and {"dataset_revision", "mteb_version"} & document.keys()
    )


def _rows(source: Source, remarks: list[Remark]) -> Iterator[Row | Remark]:
    document = source.json
    task, (model, _) = document["task_name"], _model(source)
    entries = [entry for each in document["scores"].values() for entry in each]
    numbers = [{name: value for name, value in entry.items() if is_number(value)} for entry in entries]
    # A measure that one of the parts lacks has no mean over them.
    measures = dict.fromkeys(name for entry in numbers for name in entry)
    for entry in numbers:
        yield Row(model, task, entry[_MAIN], data_set=task)
        for measure in measures:
            yield Row(model, task, entry.get(measure), measure, task)
    yield from remarks


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


def _together(sources: Sequence[Source]) -> list[Remark]:
    """What the means of tasks are of, where they are of several splits, languages or revisions."""
    parts: dict[str, list[list[str]]] = {}
    revisions: dict[str, set[str]] = {}
    for source in sources:
        document = source.json
        if "scores" not in document:
            raise InputError(
                f"{source.path}: results of mteb before 1.11; write them again with its TaskResult"
            )
        model, revision = _model(source)
        revisions.setdefault(model, set()).add(revision)
        parts.setdefault(document["task_name"], []).append(
            [
                f"{split} {entry.get('hf_subset') or ''}".removesuffix(" default").rstrip()
                for split, entries in document["scores"].items()
                for entry in entries
            ]
        )
    several = {
        task: list(dict.fromkeys(part for found in of for part in found))
        for task, of in parts.items()
        if any(len(found) > 1 for found in of)
    }
    differing = [task for task, of in parts.items() if len(set(map(frozenset, of))) > 1]
    mixed = [model for model, found in revisions.items() if len(found) > 1]
    facts: tuple[tuple[str, dict[str, Any]], ...] = (
        ("averaged", {"case": "splits", "splits": several}),
        ("scores-missing", {"case": "splits", "names": differing}),
        ("averaged", {"case": "revisions", "names": mixed}),
    )
    return [Remark(Note(code, each)) for code, each in facts if list(each.values())[1]]


MTEB = Adapter(
    name="mteb",
    label="a result file of mteb",
    explanation="MODEL/REVISION/TASK.json, as mteb writes them. A model's score on a task is the mean "
    "of the main scores of all splits and languages; -m takes another measure.",
    rows=_rows,
    together=_together,
    recognizes=_recognizes,
    files=("*.json",),
    repeats="mean",
    noun="topic",
    one_file=True,
)
