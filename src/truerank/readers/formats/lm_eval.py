"""The samples of lm-evaluation-harness: a file a model and task, a line a document and filter."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import NAMES, Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object, json_lines
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import (
    any_file,
    beside,
    files_of,
    folder_name,
    is_number,
    left_out,
    text_within,
    within,
)
from truerank.readers.raw_scores import RawScores

_FILE = re.compile(r"samples_(?P<task>.+?)(_(?P<date>\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d[.\d]*))?\.jsonl(\.gz)?")
_PRETRAINED = re.compile(r"(?:^|,)(?:pretrained|model|engine)=(?P<name>[^,\s]+)")
_NO_MEANS = frozenset(("perplexity", "word_perplexity", "byte_perplexity", "bits_per_byte", "bypass"))
"""Metrics whose lines hold log likelihoods, of which the metric is no mean, or nothing at all."""


def metric_name(metric: str, filter_name: str) -> str:
    """A metric as a measure: that of no filter by itself, any other as the harness prints it."""
    return metric if filter_name in ("", "none") else f"{metric},{filter_name}"


def asked_metric(asked: Asked) -> Asked:
    """What the user asks for, where the harness' own spelling `acc,none` means `acc`."""
    return replace(asked, measure=asked.measure.removesuffix(",none")) if asked.measure else asked


def model_name(source: Source, results: Any) -> str:
    """The model of a file: as the results beside it say, or as the folder is called."""
    name = _said_model(results) or folder_name(source).replace("__", "/")
    if not name:
        raise InputError(f"{source.path}: nothing says which model this is of; put it in a folder named so")
    return name


def _said_model(results: Any) -> str:
    """The model that results name; empty where they do not."""
    named = _PRETRAINED.search(text_within(results, "config", "model_args"))
    return text_within(results, "model_name") or (named["name"] if named else "")


def _named(path: Path) -> bool:
    return _FILE.fullmatch(path.name) is not None


def _recognises(source: Source) -> bool:
    if source.is_folder:
        return any_file(source, _named, _recognises)
    record = _first_record(source)
    return isinstance(record, dict) and {"doc_id", "filtered_resps", "target"} <= record.keys()


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    files = files_of(sources, _named, "samples_*.jsonl")
    hashes: dict[tuple[str, str], tuple[str, str]] = {}
    skipped: list[str] = []
    for source, model, task, results in _newest(files, scores.notes):
        for line, record in json_lines(source.text, source.path):
            where = f"{source.path}:{line}: "
            record = an_object(record, where, "this line")
            topic = a_name(record.get("doc_id"), where, "doc_id")
            content = text_within(record, "doc_hash")
            first = hashes.setdefault((task, topic), (content, source.path))
            if content and first[0] and first[0] != content:
                raise InputError(
                    f"{where}document {topic} of task {task!r} is another one in {first[1]}; give samples of "
                    "the same data"
                )
            filter_name = text_within(record, "filter")
            for metric in _metrics(record, where):
                value = record.get(metric)
                if metric in _NO_MEANS:
                    skipped.append(f"{metric} of {task}")
                elif value is None or is_number(value):
                    name = metric_name(metric, filter_name)
                    lower = within(results, "higher_is_better", task, metric) is False
                    place: dict[str, Any] = {"source": source.path, "line": line}
                    scores.add(model, topic, value, name, data_set=task, lower_is_better=lower, **place)
                else:
                    skipped.append(f"{metric} of {task}")
        source.forget()
    scores.notes += left_out("metrics that are no mean over documents", skipped)
    raw = scores.raw(asked_metric(asked))
    return raw


def _metrics(record: dict[str, Any], where: str) -> list[str]:
    """The names of a line's scores."""
    if "metrics" in record:
        return [a_name(name, where, "a metric") for name in a_list(record["metrics"], where, "metrics")]
    return [
        name for name, value in record.items() if name not in NAMES["beside_lm_eval"] and is_number(value)
    ]


def _newest(files: Sequence[Source], notes: list[str]) -> list[tuple[Source, str, str, Any]]:
    """Of each model and task the newest file, by the date in its name; with both names, and the results.

    A file of a name of its own is a task of the model that its folder is called like; where files of a
    folder start with the same document, each is a model.
    """
    found: dict[tuple[str, str], tuple[str, bool, Source, Any]] = {}
    older, tasks = [], []
    results: dict[Path, Any] = {}
    of_models = _files_of_models(files)
    for source in files:
        match = _FILE.fullmatch(Path(source.path).name)
        task, date = (match["task"], match["date"] or "") if match else (_stem(source), "")
        together = Path(source.path).parent / f"results_{date}.json"
        if together not in results:
            results[together] = beside(source, together.name)
        beside_it = results[together]
        # The harness calls the folder of a model ORGANISATION__MODEL.
        said = bool(_said_model(beside_it)) or "__" in folder_name(source)
        if source.path in of_models and not _said_model(beside_it):
            key = (task, folder_name(source))
        else:
            key = (model_name(source, beside_it), task)
            tasks += [] if match or _said_model(beside_it) else [source.path]
        other = found.get(key)
        if other is not None:
            if date == other[0] or not (date and other[0]):
                raise InputError(
                    f"{source.path}: samples of model {key[0]!r} on task {task!r}, as in {other[2].path}; "
                    "give each once, in a folder named like its model"
                )
            if not (said and other[1]):
                raise InputError(
                    f"{source.path}: samples of task {task!r}, as in {other[2].path}, and nothing says "
                    "whether both are of one model; give each a folder named like its model, or keep its "
                    "results_DATE.json beside it"
                )
            older.append((source if date < other[0] else other[2]).path)
        if other is None or date > other[0]:
            found[key] = (date, said, source, beside_it)
    if older:
        notes.append(f"the newest samples of each model and task count, not {few(older)}")
    if of_models:
        notes.append(
            f"files that hold the same documents are taken for models, called by their files "
            f"({few(of_models)})"
        )
    if tasks:
        notes.append(
            f"files are taken for tasks, of the model that their folder is called like ({few(tasks)})"
        )
    return [(source, model, task, beside_it) for (model, task), (_, _, source, beside_it) in found.items()]


def _files_of_models(files: Sequence[Source]) -> list[str]:
    """The files of names of their own that start with the same document as another one in their folder."""
    alike: dict[tuple[Path, str], list[str]] = {}
    for source in files:
        if _FILE.fullmatch(Path(source.path).name) is not None:
            continue
        record = _first_record(source)
        content = text_within(record, "doc_hash") or json.dumps(within(record, "doc"), sort_keys=True)
        source.forget()
        if content != "null":
            alike.setdefault((Path(source.path).parent, content), []).append(source.path)
    return [path for paths in alike.values() if len(paths) > 1 for path in paths]


def _first_record(source: Source) -> Any:
    return source.first_record if source.first_record is not None else source.document


def _stem(source: Source) -> str:
    return Path(source.path).name.split(".")[0] or source.path


LM_EVAL = ScoreFormat(
    "lm_eval",
    "a file of samples of lm-evaluation-harness",
    "samples_TASK_DATE.jsonl, as lm_eval --log_samples writes them: a file a model and task, a line a "
    "document and filter. A metric of a filter is called METRIC,FILTER.",
    ("files", "folder"),
    _recognises,
    _read,
)
