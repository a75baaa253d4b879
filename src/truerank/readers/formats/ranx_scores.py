"""Runs of ranx with the scores that `ranx.evaluate` keeps in them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.raw_scores import RawScores
from truerank.readers.trecfiles import holds_documents


def _runs(thing: Any) -> list[tuple[str, Any]]:
    """Names and runs of one run, a list or a dictionary of them; empty where it is something else."""
    runs: list[Any] = [thing] if holds_documents(thing) else []
    names: list[Any] = []
    if isinstance(thing, Mapping):
        names, runs = list(thing), list(thing.values())
    elif isinstance(thing, (list, tuple)):
        runs = list(thing)
    if not all(holds_documents(run) and hasattr(run, "run") for run in runs):
        return []
    names = names or [getattr(run, "name", None) or f"sys{s}" for s, run in enumerate(runs, 1)]
    return list(zip(map(str, names), runs, strict=True))


def _recognizes(thing: Any) -> bool:
    return bool(_runs(thing))


def _read(thing: Any, asked: Asked) -> RawScores:
    scores = Collected("ranx runs")
    for name, run in _runs(thing):
        kept = getattr(run, "scores", None)
        if not isinstance(kept, Mapping) or not kept:
            raise InputError(
                f"run {name!r} holds no scores; call ranx.evaluate(qrels, run, metrics) before, which keeps "
                "them, or truerank.evaluate(qrels, runs, measure)"
            )
        for measure, of_topics in kept.items():
            if not isinstance(of_topics, Mapping):
                raise InputError(f"run {name!r}: the scores by {measure!r} are no dictionary of topics")
            for topic, value in of_topics.items():
                scores.add(name, str(topic), value, str(measure))
    return scores.raw(asked)


RANX = ScoreFormat(
    "ranx",
    "a run of ranx",
    "In Python: ranx's Run objects after ranx.evaluate, which keeps each query's scores in the run.",
    recognizes_object=_recognizes,
    read_object=_read,
)
