"""Results of EuroEval: one line per model and data set."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truerank._support.notes import Note
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    has_keys,
    json_lines,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.measures import pick_measure
from truerank.scores import ScoreMatrix

_Metric = tuple[str, Any, bool]
"""Name, score, and whether lower is better; the first of a data set is its primary metric."""


def _recognizes(source: Source) -> bool:
    first = source.document if source.first_record is None else source.first_record
    if text_within(first, "eval_library", "name") == "euroeval":
        return has_keys(first, "model_info", "evaluation_results")
    return has_keys(first, "dataset", "task", "model") and isinstance(within(first, "results", "total"), dict)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    found = [
        (
            source.path,
            line,
            *_result(an_object(entry, f"{source.path}:{line}: ", "this line"), source.path, line),
        )
        for source in sources
        if _recognizes(source)
        for line, entry in json_lines(source.text, source.path)
    ]
    names = list(dict.fromkeys(name for *_, metrics in found for name, _, _ in metrics))
    wanted = options.measure and pick_measure(names, options.measure, f"{sources[0].path}: ")
    for path, line, model, data_set, metrics in found:
        scores.once((model, data_set), f"{path}:{line}", f"a result of model {model!r} on {data_set!r}")
        chosen = next((one for one in metrics if wanted in (None, one[0])), None)
        if chosen is not None:
            _, value, lower = chosen
            scores.add(
                model, data_set, value, data_set=data_set, source=path, line=line, lower_is_better=lower
            )
    said = "the iterations of a data set share its test set, so they are averaged and not read as runs"
    scores.note(Note("iterations-averaged", said))
    return scores.table(options)


def _result(record: dict[str, Any], path: str, line: int) -> tuple[str, str, list[_Metric]]:
    """Model, data set and metrics of a line, of today's shape or of the one before it."""
    where = f"{path}:{line}: "
    if "eval_library" in record:
        about = within(record, "eval_library", "additional_details")
        model = text_within(record, "model_info", "name") or within(record, "model_info", "id")
        data_set = within(about, "dataset")
        generative = within(record, "model_info", "additional_details", "generative") == "true"
        zero_shot = generative and within(about, "few_shot") == "false"
        metrics = list(_metrics(record, where))
    else:
        model, data_set = record.get("model"), record.get("dataset")
        zero_shot = bool(record.get("generative")) and record.get("few_shot") is False
        total = an_object(within(record, "results", "total"), where, "the total")
        left_out = ("_se", "num_failed_instances")
        metrics = [
            (_plain(name), value, False) for name, value in total.items() if not name.endswith(left_out)
        ]
    name = a_name(model, where, "the model")
    return name + " (zero-shot)" * zero_shot, a_name(data_set, where, "the data set"), metrics


def _metrics(record: dict[str, Any], where: str) -> Iterator[_Metric]:
    for entry in a_list(record.get("evaluation_results"), where, "evaluation_results"):
        result = an_object(entry, where, "a result")
        name = a_name(result.get("evaluation_name"), where, "evaluation_name")
        lower = within(result, "metric_config", "lower_is_better") is True
        yield _plain(name), within(result, "score_details", "score"), lower


def _plain(name: str) -> str:
    return name.removeprefix("test_")


EUROEVAL = ScoreFormat(
    "euroeval",
    "the results of EuroEval",
    "euroeval_benchmark_results.jsonl: one score per model and data set, by the primary metric of the data "
    "set, or by the one that -m names. Zero-shot results of a generative model are another system.",
    ("files", "folder"),
    _recognizes,
    _read,
    inside=("*.jsonl",),
    aggregates=True,
    noun="question",
    content=("json",),
)
