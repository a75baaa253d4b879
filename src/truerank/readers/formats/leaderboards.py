"""AlpacaEval's annotations, the shared schema of Every Eval Ever, and the results of EuroEval."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.collected import Collected, numbered
from truerank.readers.formats.format import declared, starts_with
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    has_keys,
    line_objects,
    objects,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.measures import pick_measure
from truerank.readers.options import Options
from truerank.scores import ScoreMatrix

# Annotations of AlpacaEval: a judge's preferences between each system's outputs and a baseline's


def _read_alpaca(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    baselines: dict[str, str] = {}
    for source in sources:
        times: Counter[tuple[str, str, str]] = Counter()
        for number, entry in enumerate(a_list(source.json, f"{source.path}: ", "the file"), 1):
            where = f"{source.path}: annotation {number}: "
            record = an_object(entry, where, "it")
            topic = a_name(record.get("instruction"), where, "the instruction")
            model = a_name(record.get("generator_2"), where, "generator_2")
            baselines.setdefault(a_name(record.get("generator_1"), where, "generator_1"), source.path)
            judge = str(record.get("annotator") or "")
            topic = numbered(topic, times, model, judge)
            scores.add(model, topic, _share(record.get("preference"), where), judge, source=source.path)
        source.forget()
    if len(baselines) > 1:
        raise InputError(
            f"{list(baselines.values())[1]}: preferences over {few(list(baselines))} are not of one kind; "
            "give files with one baseline"
        )
    baseline = next(iter(baselines), "")
    said = f"a score is the preference minus 1: the chance that the judge prefers the system to {baseline}"
    scores.note(Note("preferences-read", said))
    return scores.table(options)


def _share(preference: object, where: str) -> float | None:
    """A preference as a share of the system: 1 is the baseline, 2 the system, 1.5 and (of old) 0 a draw."""
    if preference is None or preference != preference:
        return None
    if not isinstance(preference, int | float) or not (preference == 0 or 1 <= preference <= 2):
        raise InputError(
            f"{where}preference {preference!r}; it must be 1 (baseline) to 2 (system); annotate again"
        )
    return 0.5 if preference == 0 else float(preference) - 1


ALPACA_EVAL = declared("alpaca_eval", read=_read_alpaca)


# The shared schema of Every Eval Ever: scores of each sample, and results of whole evaluations


_has_results = starts_with("evaluation_id", "model_info", "evaluation_results")


def _read_samples(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    found: list[tuple[str, int, str, str, str, str, str, Any]] = []
    for source in sources:
        for line, where, record in line_objects(source.text, source.path):
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


def _evaluations(document: dict[str, Any], where: str) -> Iterator[tuple[str, str, bool, Any, bool]]:
    """Evaluation, metric, whether lower is better, score, and whether an error is given, of each result."""
    for result in objects(document.get("evaluation_results"), where, "evaluation_results", "a result"):
        name = a_name(result.get("evaluation_name"), where, "evaluation_name")
        config = result.get("metric_config")
        metric = text_within(config, "metric_name") or text_within(config, "metric_id")
        score, error = (within(result, "score_details", key) for key in ("score", "uncertainty"))
        yield name, metric, within(config, "lower_is_better") is True, score, isinstance(error, dict)


def _results(source: Source) -> Iterator[tuple[str, str, str, bool, Any, bool]]:
    """The model, and each of its results."""
    where = f"{source.path}: "
    document = an_object(source.json, where, "the file")
    model = text_within(document, "model_info", "id") or text_within(document, "model_info", "name")
    model = a_name(model, where, "the id in model_info")
    for result in _evaluations(document, where):
        yield model, *result


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
    for path, model, name, own, is_lower, score, _ in found:
        metric = "" if alone else own
        scores.once((model, name, metric), path, f"a result of model {model!r} on {name!r}")
        scores.add(model, name, score, metric, data_set=name, source=path, lower_is_better=is_lower)
    if any(has_error for *_, has_error in found):
        said = "standard errors of the results are not used; samples would tell more"
        scores.note(Note("errors-not-used", said))
    return scores.table(options)


EVERY_EVAL_EVER = declared("every_eval_ever", read=_read_samples)
EVERY_EVAL_EVER_RESULTS = declared("every_eval_ever_results", recognizes=_has_results, read=_read_results)


# Results of EuroEval: one line per model and data set


_Metric = tuple[str, Any, bool]
"""Name, score, and whether lower is better; the first of a data set is its primary metric."""


def _recognizes(source: Source) -> bool:
    first = source.first
    if text_within(first, "eval_library", "name") == "euroeval":
        return has_keys(first, "model_info", "evaluation_results")
    return has_keys(first, "dataset", "task", "model") and isinstance(within(first, "results", "total"), dict)


def _read_euroeval(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given)
    found = [
        (source.path, line, *_result(record, where))
        for source in sources
        if _recognizes(source)
        for line, where, record in line_objects(source.text, source.path)
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


def _result(record: dict[str, Any], where: str) -> tuple[str, str, list[_Metric]]:
    """Model, data set and metrics of a line, of today's shape or of the one before it."""
    if "eval_library" in record:
        about = within(record, "eval_library", "additional_details")
        model = text_within(record, "model_info", "name") or within(record, "model_info", "id")
        data_set = within(about, "dataset")
        generative = within(record, "model_info", "additional_details", "generative") == "true"
        zero_shot = generative and within(about, "few_shot") == "false"
        metrics = [(_plain(name), score, lower) for name, _, lower, score, _ in _evaluations(record, where)]
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


def _plain(name: str) -> str:
    return name.removeprefix("test_")


EUROEVAL = declared("euroeval", recognizes=_recognizes, read=_read_euroeval)
