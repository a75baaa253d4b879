"""Runs of HELM: a folder a model and scenario, with the statistics of each instance and of all together."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import (
    any_file,
    beside,
    files_of,
    folder_name,
    left_out,
    text_within,
)
from truerank.readers.raw_scores import RawScores

_INSTANCES, _ALL = "per_instance_stats.json", "stats.json"
_SPLIT = "test"
_MODEL = re.compile(r"(?:(?<=[,:])|^)(?P<key>model|model_deployment)=(?P<name>[^,]*),?")


def _called(name: str) -> Callable[[Path], bool]:
    return lambda path: path.name == name


def _recognises(source: Source) -> bool:
    if source.is_folder:
        return any_file(source, _called(_INSTANCES), _recognises)
    return {"instance_id", "train_trial_index", "stats"} <= _keys_of_first(source)


def _recognises_all(source: Source) -> bool:
    if source.is_folder:
        if any(path.name == _INSTANCES for path in source.files):
            return False  # the instances say more
        return any_file(source, _called(_ALL), _recognises_all)
    return {"name", "count", "sum_squared"} <= _keys_of_first(source)


def _keys_of_first(source: Source) -> set[str]:
    document = source.document
    first = document[0] if isinstance(document, list) and document else None
    return set(first) if isinstance(first, dict) else set()


def _run(source: Source) -> tuple[str, str]:
    """The model and the scenario of a run, by the `run_spec.json` beside it or the folder's name.

    Raises:
        InputError: neither says it.
    """
    spec = beside(source, "run_spec.json")
    name = text_within(spec, "name") or folder_name(source)
    named = {match["key"]: match["name"] for match in _MODEL.finditer(name)}
    model = text_within(spec, "adapter_spec", "model") or named.get("model", "")
    model = model or text_within(spec, "adapter_spec", "model_deployment")
    scenario = _MODEL.sub("", name).rstrip(",:")
    if not model or not scenario:
        raise InputError(
            f"{source.path}: nothing says which model and scenario this is of; keep run_spec.json beside it"
        )
    return model, scenario


def _stats(entries: Any, where: str, skipped: set[str], splits: set[str]) -> Iterator[tuple[str, Any]]:
    """Name and mean of each statistic on the test split, without perturbed instances.

    Raises:
        InputError: not as HELM writes them.
    """
    for entry in a_list(entries, where, "stats"):
        entry = an_object(entry, where, "a statistic")
        naming = an_object(entry.get("name"), where, "the name of a statistic")
        name = a_name(naming.get("name"), where, "the name of a statistic")
        if naming.get("perturbation") is not None:
            skipped.add("perturbed instances")
            continue
        split = text_within(naming, "split")
        if split not in (_SPLIT, ""):
            splits.add(split)
            continue
        part = text_within(naming, "sub_split")
        yield f"{name} ({part})" if part else name, entry.get("mean") if entry.get("count") else None


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path, repeats="runs")

    def add(source: Source, model: str, scenario: str, skipped: set[str], splits: set[str]) -> None:
        where = f"{source.path}: "
        for entry in a_list(source.json, where, "the file"):
            entry = an_object(entry, where, "an instance")
            topic = a_name(entry.get("instance_id"), where, "instance_id")
            if entry.get("perturbation") is not None:
                skipped.add("perturbed instances")
                continue
            for name, mean in _stats(entry.get("stats"), f"{where}instance {topic!r}: ", skipped, splits):
                scores.add(model, topic, mean, name, data_set=scenario, source=source.path)

    return _all_runs(sources, asked, scores, _INSTANCES, add)


def _read_all(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)

    def add(source: Source, model: str, scenario: str, skipped: set[str], splits: set[str]) -> None:
        for name, mean in _stats(source.json, f"{source.path}: ", skipped, splits):
            scores.add(model, scenario, mean, name, data_set=scenario, source=source.path)

    return _all_runs(sources, asked, scores, _ALL, add)


def _all_runs(
    sources: Sequence[Source],
    asked: Asked,
    scores: Collected,
    name: str,
    add: Callable[[Source, str, str, set[str], set[str]], None],
) -> RawScores:
    """The scores of all runs, each taken in by `add`.

    Raises:
        InputError: two runs of one model and scenario, no scores on the test split, or a broken file.
    """
    skipped: set[str] = set()
    splits: set[str] = set()
    seen: dict[tuple[str, str], str] = {}
    for source in files_of(sources, _called(name), name):
        run = _run(source)
        other = seen.setdefault(run, source.path)
        if other != source.path:
            raise InputError(
                f"{source.path}: a run of model {run[0]!r} on {run[1]!r}, as {other}; keep one of the two"
            )
        add(source, *run, skipped, splits)
        source.forget()
    if splits and not scores.measures:
        raise InputError(
            f"{sources[0].path}: scores of the split {', '.join(sorted(splits))} only, none of test; "
            "run HELM with eval_splits test"
        )
    scores.notes += left_out("scores of other splits than test", sorted(splits))
    scores.notes += left_out("what HELM measured beside the instances", sorted(skipped))
    return scores.raw(asked)


HELM = ScoreFormat(
    "helm",
    "a run of HELM",
    "per_instance_stats.json of HELM, beside run_spec.json: a folder a model and scenario. The split test "
    "counts, without perturbations; the trials of an instance are averaged.",
    ("files", "folder"),
    _recognises,
    _read,
)
HELM_STATS = ScoreFormat(
    "helm_stats",
    "the statistics of a run of HELM",
    "stats.json of HELM, beside run_spec.json: one score for each model, scenario and metric.",
    ("files", "folder"),
    _recognises_all,
    _read_all,
    aggregates=True,
)
