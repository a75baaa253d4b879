"""The results of lm-evaluation-harness: a file a model, with one score for each task and metric."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import an_object
from truerank.readers.formats.lm_eval import asked_metric, metric_name, model_name
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import (
    any_file,
    files_of,
    is_number,
    left_out,
    within,
)
from truerank.readers.raw_scores import RawScores


def _named(path: Path) -> bool:
    return path.name.startswith("results") and path.suffix == ".json"


def _recognises(source: Source) -> bool:
    if source.is_folder:
        if any(path.name.startswith("samples_") for path in source.files):
            return False  # the samples say more
        return any_file(source, _named, _recognises)
    return _is_results(source)


def _is_results(source: Source) -> bool:
    document = source.document
    tells = {"versions", "n-shot", "lm_eval_version", "group_subtasks"}
    return (
        isinstance(within(document, "results"), dict)
        and "config" in document
        and bool(tells & document.keys())
    )


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    asked = asked_metric(asked)
    groups: list[str] = []
    seen: dict[str, str] = {}
    for source in files_of(sources, _named, "results_*.json"):
        where = f"{source.path}: "
        document = an_object(source.json, where, "the file")
        model = model_name(source, document)
        if model in seen:
            raise InputError(f"{where}results of model {model!r}, as in {seen[model]}; keep one of the two")
        seen[model] = source.path
        for task, entry in an_object(document.get("results"), where, "results").items():
            if within(document, "group_subtasks", task):
                groups.append(task)
                continue
            for key, value in an_object(entry, where, f"results of {task}").items():
                metric, comma, filter_name = key.partition(",")
                if not comma or metric.endswith("_stderr") or not is_number(value):
                    continue
                name = metric_name(metric, filter_name)
                lower = within(document, "higher_is_better", task, metric) is False
                place = source.path
                scores.add(model, task, value, name, data_set=task, source=place, lower_is_better=lower)
        source.forget()
    scores.notes += left_out("groups of tasks, which average other tasks, are", groups)
    raw = scores.raw(asked)
    return raw


LM_EVAL_RESULTS = ScoreFormat(
    "lm_eval_results",
    "a result file of lm-evaluation-harness",
    "results_DATE.json, as lm_eval --output_path writes it: a file a model, with one score for each task and "
    "metric. Groups of tasks are left out, for their tasks are there themselves.",
    ("files", "folder"),
    _recognises,
    _read,
    aggregates=True,
)
