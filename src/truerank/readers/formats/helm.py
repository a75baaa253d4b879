"""HELM: runs, one folder per model and scenario, with statistics of each instance."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from truerank.errors import InputError
from truerank.readers.formats.collected import Collected, left_out
from truerank.readers.formats.format import declared, each_file
from truerank.readers.formats.json_text import (
    a_name,
    an_object,
    objects,
    text_within,
)
from truerank.readers.formats.source import Source

_SPLIT = "test"
_MODEL = re.compile(r"(?:(?<=[,:])|^)(?P<key>model|model_deployment)=(?P<name>[^,]*),?")


def _run(scores: Collected, source: Source) -> tuple[str, str]:
    """The model and the scenario of a run, by the `run_spec.json` beside it or the folder's name."""
    spec = source.beside("run_spec.json")
    name = text_within(spec, "name") or source.folder_name
    named = {match["key"]: match["name"] for match in _MODEL.finditer(name)}
    model = text_within(spec, "adapter_spec", "model") or named.get("model", "")
    model = model or text_within(spec, "adapter_spec", "model_deployment")
    scenario = _MODEL.sub("", name).rstrip(",:")
    if not model or not scenario:
        raise InputError(
            f"{source.path}: nothing says which model and scenario this is of; keep run_spec.json beside it"
        )
    scores.once((model, scenario), source.path, f"a run of model {model!r} on {scenario!r}")
    return model, scenario


_PERTURBED = left_out("what HELM measured beside the instances")
_OTHER_SPLITS = left_out("scores of other splits than test")


def _stats(entries: Any, where: str, scores: Collected) -> Iterator[tuple[str, Any]]:
    """Name and mean of each statistic on the test split, without perturbed instances."""
    for entry in objects(entries, where, "stats", "a statistic"):
        naming = an_object(entry.get("name"), where, "the name of a statistic")
        name = a_name(naming.get("name"), where, "the name of a statistic")
        split, part = text_within(naming, "split"), text_within(naming, "sub_split")
        if naming.get("perturbation") is not None:
            scores.note(_PERTURBED, names=["perturbed instances"])
        elif split not in (_SPLIT, ""):
            scores.note(_OTHER_SPLITS, names=[split])
        else:
            yield f"{name} ({part})" if part else name, entry.get("mean") if entry.get("count") else None


def _take_instances(scores: Collected, source: Source) -> None:
    where = f"{source.path}: "
    model, scenario = _run(scores, source)
    for entry in objects(source.json, where, "the file", "an instance"):
        topic = a_name(entry.get("instance_id"), where, "instance_id")
        if entry.get("perturbation") is not None:
            scores.note(_PERTURBED, names=["perturbed instances"])
            continue
        for name, mean in _stats(entry.get("stats"), f"{where}instance {topic!r}: ", scores):
            scores.add(model, topic, mean, name, data_set=scenario, source=source.path)


HELM = declared("helm", read=each_file(_take_instances, repeats="runs"))
