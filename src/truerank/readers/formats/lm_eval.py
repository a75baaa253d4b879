"""lm-evaluation-harness: samples, one file per model and task; or results, one file per model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError, at
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source, has_keys, is_number, text_within, within
from truerank.readers.roles import NAMES

_FILE = re.compile(
    r"(samples_)?(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*))?\.jsonl(\.gz)?"
)
_PRETRAINED = re.compile(r"(?:^|,)(?:pretrained|model|engine)=(?P<name>[^,\s]+)")
_CHECKPOINT = re.compile(r"(?:^|,)revision=(?P<name>(?!main(?:,|$))[^,\s]+)")
_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bypass"))
"""Metrics whose lines hold log likelihoods, of which the metric is no mean, or nothing at all."""
_NO_MEAN, _GROUPS, _OLDER = (
    Note("parts-left-out", {"case": case, "names": []})
    for case in ("other-metrics", "task-groups", "older-samples")
)


def _rows(files: Files) -> Iterator[Row | Remark]:
    """The scores of samples, where there are some; else those of results."""
    results = [source for source in files if _has_results(source)]
    if len(results) < len(files):
        if given := next((source.path for source in results if source.given == source.path), None):
            raise InputError(f"{given}: results, and other files are samples; give files of one kind")
        yield from _rows_of_samples(files)
    for source in files if len(results) == len(files) else ():
        yield from _rows_of_results(source)


def _measure(metric: str, filter_name: str) -> str:
    return metric if filter_name in ("", "none") else f"{metric},{filter_name}"


def _named_model(results: Any) -> str:
    """The model that results name, with its checkpoint; empty where they do not."""
    given = within(results, "config", "model_args")
    arguments = ",".join(f"{k}={v}" for k, v in given.items()) if isinstance(given, dict) else str(given)
    named, checkpoint = _PRETRAINED.search(arguments), _CHECKPOINT.search(arguments)
    model = text_within(results, "model_name") or (named["name"] if named else "")
    return f"{model}@{checkpoint['name']}" if model and checkpoint is not None else model


def _model(source: Source, results: Any) -> str:
    """The model of a file: as the results beside it say, or as the folder is called."""
    name = _named_model(results) or source.folder_name.replace("__", "/")
    if not name:
        raise InputError(f"{source.path}: nothing says which model this is of; put it in a folder named so")
    return name


def _rows_of_samples(files: Files) -> Iterator[Row | Remark]:
    newest = _newest(files)
    contents: dict[tuple[str, str], tuple[str, str]] = {}  # of documents, and the file that has it first
    answers = 1
    for source in files:
        if (one := newest.get(source.path)) is None:
            if not _has_results(source):
                yield Remark(_OLDER, source.path)
            continue
        for record in source.records():
            content, topic = text_within(record, "doc_hash"), record["doc_id"]
            first, file = contents.setdefault((one.task, str(topic)), (content, source.path))
            if content and first and first != content:
                raise InputError(
                    f"{at(source.path, source.line)}document {topic} of task {one.task!r} is another one in "
                    f"{file}; give samples of the same data"
                )
            responses = record.get("resps")  # several where the task has `repeats`
            responses = responses if isinstance(responses, list) else []
            answers = max(answers, *(len(each) for each in responses if isinstance(each, list)), 1)
            for metric in _metrics(record):
                value = record.get(metric)
                if metric in _NO_MEANS or not (value is None or is_number(value)):
                    yield Remark(_NO_MEAN, f"{metric} of {one.task}")
                    continue
                lower = within(one.results, "higher_is_better", one.task, metric) is False
                measure = _measure(metric, text_within(record, "filter"))
                yield Row(one.model, topic, value, measure, one.task, lower)
        source.forget()
    if answers > 1:
        yield Remark(Note("averaged", {"case": "answers", "most": answers}, "info"))


def _metrics(record: dict[str, Any]) -> list[str]:
    if "metrics" in record:
        return list(record["metrics"])
    beside = NAMES["beside_lm_eval"]
    return [name for name, value in record.items() if name not in beside and is_number(value)]


@dataclass(frozen=True)
class _Samples:
    """A file of samples; `certain` is whether something but the folder's plain name says the model."""

    path: str
    model: str
    task: str
    date: str
    results: Any
    certain: bool


def _newest(files: Files) -> dict[str, _Samples]:
    """The samples that are read: of each model and task the newest file, by the date in its name."""
    found: dict[tuple[str, str], _Samples] = {}
    for source in files:
        match = _FILE.fullmatch(Path(source.path).name)
        if match is None or _has_results(source):
            continue
        date = match["date"] or ""
        results = source.beside(f"results_{date}.json")
        # The harness calls the folder of a model ORGANISATION__MODEL.
        certain = bool(_named_model(results)) or "__" in source.folder_name
        one = _Samples(source.path, _model(source, results), match["task"], date, results, certain)
        other = found.setdefault((one.model, one.task), one)
        if other is one:
            continue
        if not (date and other.date and date != other.date and certain and other.certain):
            raise InputError(
                f"{source.path}: samples of model {one.model!r} on task {one.task!r}, as in {other.path}. "
                "Give each once, in a folder named like its model, or keep its results_DATE.json beside it"
            )
        found[one.model, one.task] = max(one, other, key=lambda sample: sample.date)
    return {one.path: one for one in found.values()}


def _has_results(source: Source) -> bool:
    document = source.document
    return (
        isinstance(within(document, "results"), dict)
        and "config" in document
        and bool({"versions", "n-shot", "lm_eval_version", "group_subtasks"} & document.keys())
    )


def _rows_of_results(source: Source) -> Iterator[Row | Remark]:
    model, results = _model(source, source.json), source.json["results"]
    # Before version 0.4 metrics had no filter: `acc` in place of `acc,none`.
    filters = any("," in key for entry in results.values() for key in entry)
    for task, entry in results.items():
        if within(source.json, "group_subtasks", task):
            yield Remark(_GROUPS, task)
            continue
        for key, value in entry.items():
            metric, comma, filter_name = key.partition(",")
            if metric.endswith("_stderr") or not is_number(value) or (filters and not comma):
                continue
            lower = within(source.json, "higher_is_better", task, metric) is False
            yield Row(model, task, value, _measure(metric, filter_name), task, lower)


LM_EVAL = Adapter(
    name="lm_eval",
    label="a file of lm-evaluation-harness",
    explanation="samples_TASK_DATE.jsonl, as lm_eval --log_samples writes them: one file per model and "
    "task, one line per document and filter. A metric of a filter is called METRIC,FILTER. Without samples "
    "results_DATE.json: one score for each task and metric; groups of tasks are left out.",
    together=_rows,
    recognizes=lambda source: (
        has_keys(source.first_record, "doc_id", "filtered_resps", "target") or _has_results(source)
    ),
    files=("samples_?*.jsonl", "samples_?*.jsonl.gz", "*.json"),
)
