"""lm-evaluation-harness: samples, one file per model and task; and results, one file per model."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError, at
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source, is_number, text_within, within
from truerank.readers.roles import NAMES

_FILE = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*))?\.jsonl(\.gz)?")
_PRETRAINED = re.compile(r"(?:^|,)(?:pretrained|model|engine)=(?P<name>[^,\s]+)")
_CHECKPOINT = re.compile(r"(?:^|,)revision=(?P<name>(?!main(?:,|$))[^,\s]+)")
_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bypass"))
"""Metrics whose lines hold log likelihoods, whose mean is not the metric, or nothing at all."""
_NO_MEAN = Note("parts-left-out", {"case": "other-metrics", "names": []})
_GROUPS = Note("parts-left-out", {"case": "task-groups", "names": []})
_REMARKS = {
    "older": Note("parts-left-out", {"case": "older-samples", "names": []}),
    "models": Note("reading", {"case": "files-as-models", "names": []}),
}


def _measure(metric: str, filter_name: str) -> str:
    """A metric as a measure: that of no filter by itself, any other as the harness prints it."""
    return metric if filter_name in ("", "none") else f"{metric},{filter_name}"


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


def _rows_of_samples(files: Files) -> Iterator[Row | Remark]:
    newest, remarks = _newest(files)
    yield from remarks
    documents: dict[
        tuple[str, str], tuple[str, str]
    ] = {}  # the content of each, and the file that has it first
    answers = 1
    for source in files:
        if (one := newest.get(source.path)) is None:
            continue
        for record in source.records():
            content, topic = text_within(record, "doc_hash"), record["doc_id"]
            first = documents.setdefault((one.task, str(topic)), (content, source.path))
            if content and first[0] and first[0] != content:
                raise InputError(
                    f"{at(source.path, source.line)}document {topic} of task {one.task!r} is another one in "
                    f"{first[1]}; give samples of the same data"
                )
            answers = max(answers, _answers(record))
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


def _answers(record: dict[str, Any]) -> int:
    """How many answers a line's score is of: `repeats` of the task."""
    requests = record.get("resps")
    if not isinstance(requests, list):
        return 1
    return max((len(one) for one in requests if isinstance(one, list)), default=1)


def _metrics(record: dict[str, Any]) -> list[str]:
    """The names of a line's scores."""
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


def _newest(files: Files) -> tuple[dict[str, _Samples], list[Remark]]:
    """The samples that are read: of each model and task the newest file, by the date in its name.

    Where nothing names the model, a file with a name of its own is one, on a task called like its folder.
    """
    found: dict[tuple[str, str], _Samples] = {}
    names: dict[str, list[str]] = {"older": [], "models": []}
    results: dict[Path, Any] = {}
    for source in files:
        path, match = Path(source.path), _FILE.fullmatch(Path(source.path).name)
        task, date = (match["task"], match["date"] or "") if match else (path.name.split(".")[0], "")
        beside = path.parent / f"results_{date}.json"
        if beside not in results:
            results[beside] = source.beside(beside.name)
        # The harness calls the folder of a model ORGANISATION__MODEL.
        certain = bool(_named_model(results[beside])) or "__" in source.folder_name
        if match is not None or certain:
            model = _model(source, results[beside])
        else:
            model, task = task, source.folder_name
            names["models"].append(source.path)
        one = _Samples(source.path, model, task, date, results[beside], certain)
        other = found.setdefault((model, task), one)
        if other is one:
            continue
        dated = date and other.date and date != other.date
        if not (dated and certain and other.certain):
            whose = f"of model {model!r} on task" if not dated else "of task"
            unsure = ", and nothing says whether both are of one model" if dated else ""
            raise InputError(
                f"{source.path}: samples {whose} {task!r}, as in {other.path}{unsure}. Give each once, in a "
                "folder named like its model, or keep its results_DATE.json beside it"
            )
        names["older"].append(min(one, other, key=lambda sample: sample.date).path)
        found[model, task] = max(one, other, key=lambda sample: sample.date)
    remarks = [Remark(_REMARKS[what], name) for what, each in names.items() for name in each]
    return {one.path: one for one in found.values()}, remarks


def _has_results(source: Source) -> bool:
    document = source.document
    return (
        isinstance(within(document, "results"), dict)
        and "config" in document
        and bool({"versions", "n-shot", "lm_eval_version", "group_subtasks"} & document.keys())
    )


def _rows_of_results(source: Source) -> Iterator[Row | Remark]:
    document = source.json
    if source.given != source.path and not _has_results(source):
        return  # another file of a folder
    model, results = _model(source, document), document["results"]
    # Before version 0.4 metrics had no filter: `acc` in place of `acc,none`.
    filters = any("," in key for entry in results.values() for key in entry)
    for task, entry in results.items():
        if within(document, "group_subtasks", task):
            yield Remark(_GROUPS, task)
            continue
        for key, value in entry.items():
            metric, comma, filter_name = key.partition(",")
            if metric.endswith("_stderr") or not is_number(value) or (filters and not comma):
                continue
            lower = within(document, "higher_is_better", task, metric) is False
            yield Row(model, task, value, _measure(metric, filter_name), task, lower)


LM_EVAL = Adapter(
    name="lm_eval",
    label="a file of samples of lm-evaluation-harness",
    explanation="samples_TASK_DATE.jsonl, as lm_eval --log_samples writes them: one file per model and "
    "task, one line per document and filter. A metric of a filter is called METRIC,FILTER.",
    together=_rows_of_samples,
    keys=("doc_id", "filtered_resps", "target"),
    files=("samples_?*.jsonl", "samples_?*.jsonl.gz"),
)

LM_EVAL_RESULTS = Adapter(
    name="lm_eval_results",
    label="a result file of lm-evaluation-harness",
    explanation="results_DATE.json, as lm_eval --output_path writes it: one score for each task and "
    "metric, also by versions before 0.4. Groups of tasks are left out, as their tasks are "
    "there themselves.",
    rows=_rows_of_results,
    recognizes=_has_results,
    files=("results*.json", "*.json"),
    gives_way="lm_eval",
    one_file=True,
)
