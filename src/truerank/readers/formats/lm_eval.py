"""lm-evaluation-harness: samples, one file per model and task; and results, one file per model."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    has_keys,
    is_number,
    line_objects,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.options import Options
from truerank.readers.roles import NAMES
from truerank.scores import ScoreMatrix

_FILE = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*))?\.jsonl(\.gz)?")
_PRETRAINED = re.compile(r"(?:^|,)(?:pretrained|model|engine)=(?P<name>[^,\s]+)")
_CHECKPOINT = re.compile(r"(?:^|,)revision=(?P<name>(?!main(?:,|$))[^,\s]+)")
_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bypass"))
"""Metrics whose lines hold log likelihoods, of which the metric is no mean, or nothing at all."""


def _measure(metric: str, filter_name: str) -> str:
    """A metric as a measure: that of no filter by itself, any other as the harness prints it."""
    return metric if filter_name in ("", "none") else f"{metric},{filter_name}"


def _as_measure(options: Options) -> Options:
    """What the user asks for, where the harness' own spelling `acc,none` means `acc`."""
    return replace(options, measure=options.measure.removesuffix(",none")) if options.measure else options


def _named_model(results: Any) -> str:
    """The model that results name, with its checkpoint; empty where they do not."""
    given = within(results, "config", "model_args")
    arguments = (
        ",".join(f"{key}={value}" for key, value in given.items()) if isinstance(given, dict) else given
    )
    named, checkpoint = (pattern.search(str(arguments or "")) for pattern in (_PRETRAINED, _CHECKPOINT))
    model = text_within(results, "model_name") or (named["name"] if named else "")
    return f"{model}@{checkpoint['name']}" if model and checkpoint is not None else model


def _model(source: Source, results: Any) -> str:
    """The model of a file: as the results beside it say, or as the folder is called."""
    name = _named_model(results) or source.folder_name.replace("__", "/")
    if not name:
        raise InputError(f"{source.path}: nothing says which model this is of; put it in a folder named so")
    return name


def _read_samples(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    hashes: dict[tuple[str, str], tuple[str, str]] = {}
    answers = 1
    for one in _newest(sources, scores):
        path, task = one.source.path, one.task
        for line, where, record in line_objects(one.source.text, path):
            topic = a_name(record.get("doc_id"), where, "doc_id")
            content = text_within(record, "doc_hash")
            first = hashes.setdefault((task, topic), (content, path))
            if content and first[0] and first[0] != content:
                raise InputError(
                    f"{where}document {topic} of task {task!r} is another one in {first[1]}; give samples of "
                    "the same data"
                )
            answers = max(answers, _answers(record))
            for metric in _metrics(record, where):
                value = record.get(metric)
                if metric in _NO_MEANS or not (value is None or is_number(value)):
                    note = Note("parts-left-out", {"case": "other-metrics", "names": []})
                    scores.note(note, names=[f"{metric} of {task}"])
                    continue
                scores.add(
                    one.model,
                    topic,
                    value,
                    _measure(metric, text_within(record, "filter")),
                    data_set=task,
                    source=path,
                    line=line,
                    lower_is_better=within(one.results, "higher_is_better", task, metric) is False,
                )
        one.source.forget()
    if answers > 1:
        scores.note(Note("averaged", {"case": "answers", "most": answers}, "info"))
    return scores.table(_as_measure(options))


def _answers(record: dict[str, Any]) -> int:
    """How many answers a line's score is of: `repeats` of the task."""
    requests = record.get("resps")
    if not isinstance(requests, list):
        return 1
    return max((len(one) for one in requests if isinstance(one, list)), default=1)


def _metrics(record: dict[str, Any], where: str) -> list[str]:
    """The names of a line's scores."""
    if "metrics" in record:
        return [a_name(name, where, "a metric") for name in a_list(record["metrics"], where, "metrics")]
    beside = NAMES["beside_lm_eval"]
    return [name for name, value in record.items() if name not in beside and is_number(value)]


@dataclass(frozen=True)
class _Samples:
    """A file of samples; `certain` is whether something but the folder's plain name says the model."""

    source: Source
    model: str
    task: str
    date: str
    results: Any
    certain: bool


def _newest(files: Sequence[Source], scores: Collected) -> list[_Samples]:
    """Of each model and task the newest file, by the date in its name.

    A file with its own name is a task of the model that its folder is called like; where files of a
    folder start with the same document, each is a model.
    """
    found: dict[tuple[str, str], _Samples] = {}
    older, tasks = [], []
    results: dict[Path, Any] = {}
    of_models = _files_of_models(files)
    for source in files:
        match = _FILE.fullmatch(Path(source.path).name)
        task, date = (match["task"], match["date"] or "") if match else (_stem(source), "")
        together = Path(source.path).parent / f"results_{date}.json"
        if together not in results:
            results[together] = source.beside(together.name)
        beside = results[together]
        model = _named_model(beside)
        # The harness calls the folder of a model ORGANISATION__MODEL.
        certain = bool(model) or "__" in source.folder_name
        if source.path in of_models and not model:
            model, task = task, source.folder_name
        elif not model:
            model = _model(source, beside)
            tasks += [] if match else [source.path]
        one = _Samples(source, model, task, date, beside, certain)
        other = found.setdefault((model, task), one)
        if other is one:
            continue
        if date == other.date or not (date and other.date):
            raise InputError(
                f"{source.path}: samples of model {model!r} on task {task!r}, as in {other.source.path}; "
                "give each once, in a folder named like its model"
            )
        if not (certain and other.certain):
            raise InputError(
                f"{source.path}: samples of task {task!r}, as in {other.source.path}, and nothing says "
                "whether both are of one model. Put each in a folder named like its model, or keep its "
                "results_DATE.json beside it"
            )
        older.append((source if date < other.date else other.source).path)
        if date > other.date:
            found[model, task] = one
    if older:
        scores.note(Note("parts-left-out", {"case": "older-samples", "names": older}))
    if of_models:
        scores.note(Note("reading", {"case": "files-as-models", "names": of_models}))
    if tasks:
        scores.note(Note("reading", {"case": "files-as-tasks", "names": list(tasks)}))
    return list(found.values())


def _files_of_models(files: Sequence[Source]) -> list[str]:
    """The files of names of their own that start with the same document as another one in their folder."""
    alike: dict[tuple[Path, str], list[str]] = {}
    for source in files:
        if _FILE.fullmatch(Path(source.path).name) is not None:
            continue
        record = source.first
        content = text_within(record, "doc_hash") or json.dumps(within(record, "doc"), sort_keys=True)
        source.forget()
        if content != "null":
            alike.setdefault((Path(source.path).parent, content), []).append(source.path)
    return [path for paths in alike.values() if len(paths) > 1 for path in paths]


def _stem(source: Source) -> str:
    return Path(source.path).name.split(".")[0] or source.path


def _has_results(source: Source) -> bool:
    document = source.document
    return (
        isinstance(within(document, "results"), dict)
        and "config" in document
        and bool({"versions", "n-shot", "lm_eval_version", "group_subtasks"} & document.keys())
    )


def _read_results(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    for source in sources:
        if source.given != source.path and not _has_results(source):
            continue  # another file of a folder
        where = f"{source.path}: "
        document = an_object(source.json, where, "the file")
        model = _model(source, document)
        results = an_object(document.get("results"), where, "results")
        # Before version 0.4 metrics had no filter: `acc` in place of `acc,none`.
        filters = any("," in key for entry in results.values() if isinstance(entry, dict) for key in entry)
        for task, entry in results.items():
            scores.once((model, task), source.path, f"results of model {model!r} on task {task!r}")
            if within(document, "group_subtasks", task):
                scores.note(Note("parts-left-out", {"case": "task-groups", "names": []}), names=[task])
                continue
            for key, value in an_object(entry, where, f"results of {task}").items():
                metric, comma, filter_name = key.partition(",")
                if metric.endswith("_stderr") or not is_number(value) or (filters and not comma):
                    continue
                scores.add(
                    model,
                    task,
                    value,
                    _measure(metric, filter_name),
                    data_set=task,
                    source=source.path,
                    lower_is_better=within(document, "higher_is_better", task, metric) is False,
                )
        source.forget()
    return scores.table(_as_measure(options))


LM_EVAL = declared(
    "lm_eval",
    recognizes=lambda source: has_keys(source.first, "doc_id", "filtered_resps", "target"),
    read=_read_samples,
)
LM_EVAL_RESULTS = declared("lm_eval_results", recognizes=_has_results, read=_read_results)
