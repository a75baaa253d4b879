"""The shared schema of Every Eval Ever: scores of each sample, and results of whole evaluations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat, starts_with
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    json_lines,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.scores import ScoreMatrix

_has_results = starts_with("evaluation_id", "model_info", "evaluation_results")


def _read_samples(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    found: list[tuple[str, int, str, str, str, str, str, Any]] = []
    for source in sources:
        for line, entry in json_lines(source.text, source.path):
            where = f"{source.path}:{line}: "
            record = an_object(entry, where, "this line")
            model, evaluation, sample, run = (
                a_name(record.get(key), where, key)
                for key in ("model_id", "evaluation_name", "sample_id", "evaluation_id")
            )
            result = text_within(record, "evaluation_result_id")
            value = within(record, "evaluation", "score")
            found.append((source.path, line, model, evaluation, sample, run, result, value))
        source.forget()
    results: dict[tuple[str, str], set[str]] = {}
    for _, _, _, evaluation, sample, _, result, _ in found:
        results.setdefault((evaluation, sample), set()).add(result)
    several = {evaluation for (evaluation, _), ids in results.items() if len(ids) > 1}
    scores = Collected(sources[0].path, repeats="runs")
    seen: dict[tuple[str, ...], int] = {}
    for path, line, model, evaluation, sample, run, result, value in found:
        measure = result if evaluation in several else ""
        first = seen.setdefault((model, evaluation, sample, run, measure), line)
        if first != line:
            raise InputError(
                f"{path}:{line}: sample {sample!r} of {evaluation!r} is there twice in one evaluation, first "
                f"at line {first}; remove one of the two"
            )
        scores.add(model, sample, value, measure, data_set=evaluation, source=path, line=line)
    return scores.table(options)


def _results(source: Source) -> Iterator[tuple[str, str, str, Any, bool, bool]]:
    """Model, evaluation, metric, score, whether lower is better, and whether an error is given."""
    where = f"{source.path}: "
    document = an_object(source.json, where, "the file")
    model = text_within(document, "model_info", "id") or text_within(document, "model_info", "name")
    model = a_name(model, where, "the id in model_info")
    for entry in a_list(document.get("evaluation_results"), where, "evaluation_results"):
        result = an_object(entry, where, "a result")
        name = a_name(result.get("evaluation_name"), where, "evaluation_name")
        config = result.get("metric_config")
        metric = text_within(config, "metric_name") or text_within(config, "metric_id")
        lower = within(config, "lower_is_better") is True
        score, error = (within(result, "score_details", key) for key in ("score", "uncertainty"))
        yield model, name, metric, score, lower, isinstance(error, dict)


def _read_results(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = [one for one in sources if _has_results(one)]
    if not files:
        raise InputError(f"{sources[0].given}: no results of Every Eval Ever; give its aggregate files")
    scores = Collected(files[0].path)
    found = [(source.path, *result) for source in files for result in _results(source)]
    metrics: dict[str, set[str]] = {}
    for _, _, name, metric, *_ in found:
        metrics.setdefault(name, set()).add(metric)
    alone = all(len(of) == 1 for of in metrics.values())  # a metric may be called like its evaluation
    for path, model, name, own, score, is_lower, _ in found:
        metric = "" if alone else own
        scores.once((model, name, metric), path, f"a result of model {model!r} on {name!r}")
        scores.add(model, name, score, metric, data_set=name, source=path, lower_is_better=is_lower)
    if any(has_error for *_, has_error in found):
        said = "standard errors of the results are not used; samples would tell more"
        scores.note(Note("errors-not-used", said))
    return scores.table(options)


EVERY_EVAL_EVER = ScoreFormat(
    "every_eval_ever",
    "a file of samples of Every Eval Ever",
    "The instance files (.jsonl) of evaleval's shared schema: evaluation.score of each model and sample; an "
    "evaluation is a data set.",
    ("files", "folder"),
    starts_with("evaluation_id", "model_id", "evaluation_name", "sample_id", "evaluation", of="lines"),
    _read_samples,
    inside=("*.jsonl",),
    noun="question",
    content=("json",),
)
EVERY_EVAL_EVER_RESULTS = ScoreFormat(
    "every_eval_ever_results",
    "a file of results of Every Eval Ever",
    "The aggregate files (.json) of the same schema: one score for each model and evaluation.",
    ("files", "folder"),
    _has_results,
    _read_results,
    inside=("*.json",),
    gives_way=EVERY_EVAL_EVER,
    aggregates=True,
    noun="question",
    content=("json",),
)
