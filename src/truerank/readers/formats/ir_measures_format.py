"""What ir_measures gives: JSON lines of `-o jsonl`, and its `Metric` tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_name, an_object, json_lines
from truerank.readers.formats.source import Source
from truerank.readers.formats.trec_eval import read_treceval
from truerank.scores import ScoreMatrix

_SUMMARY = "all"
_KEYS = {"query_id", "measure", "value"}


def _recognizes(source: Source) -> bool:
    record = source.first_record or source.document
    return isinstance(record, dict) and record.keys() in (_KEYS, {"measure", "value"})


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    if not any(source.looks_like_json for source in sources):
        return read_treceval(sources, options)
    scores = Collected(sources[0].path)
    for source, name in zip(sources, scores.name_files(sources), strict=True):
        for line, document in json_lines(source.text, source.path):
            where = f"{source.path}:{line}: "
            record = an_object(document, where, "the line")
            if "query_id" not in record:
                raise InputError(f"{where}an average over all topics; run ir_measures with --by_query")
            topic = a_name(record["query_id"], where, "query_id")
            if topic == _SUMMARY:
                continue
            measure = a_name(record.get("measure"), where, "measure")
            scores.add(name, topic, record.get("value"), measure, source=source.path, line=line)
    return scores.table(options)


def _is_metric(entry: Any) -> bool:
    return all(hasattr(entry, key) for key in _KEYS)


def _are_metrics(thing: Any) -> bool:
    return isinstance(thing, (list, tuple)) and len(thing) > 0 and _is_metric(thing[0])


def _recognizes_object(thing: Any) -> bool:
    if isinstance(thing, Mapping):
        return bool(thing) and _are_metrics(next(iter(thing.values())))
    return _are_metrics(thing)


def _read_object(thing: Any, options: Options) -> ScoreMatrix:
    scores = Collected("Metric tuples")
    systems: Mapping[Any, Any] = thing if isinstance(thing, Mapping) else {"sys1": thing}
    for system, metrics in systems.items():
        if isinstance(metrics, Iterator):
            metrics = list(metrics)
        if not isinstance(metrics, (list, tuple)):
            raise InputError(f"Metric tuples: {system!r} is not a list of them; give what iter_calc gives")
        for number, metric in enumerate(metrics, 1):
            if not _is_metric(metric):
                raise InputError(f"Metric tuples: entry {number} of {system!r} is no Metric; give them alone")
            scores.add(str(system), str(metric.query_id), metric.value, str(metric.measure), line=number)
    return scores.table(options)


IR_MEASURES = ScoreFormat(
    "ir_measures",
    "the JSON lines of ir_measures",
    "What ir_measures --by_query prints with -o jsonl, one file per system; in Python the tuples of "
    "iter_calc, or a dictionary of those of several systems. (Its -o tsv is read as trec_eval's output.)",
    ("files",),
    _recognizes,
    _read,
    _recognizes_object,
    _read_object,
    content=("json",),
)
