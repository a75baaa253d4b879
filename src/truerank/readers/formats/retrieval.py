"""What evaluation libraries of retrieval give: ir_measures, and pytrec_eval's dictionaries."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import a_name, line_objects
from truerank.readers.formats.source import Source
from truerank.readers.formats.trec_eval import read_treceval
from truerank.readers.measures import known
from truerank.readers.options import Options
from truerank.readers.roles import like_topics
from truerank.scores import ScoreMatrix

# What ir_measures gives: JSON lines of `-o jsonl`, and its `Metric` tuples


_SUMMARY = "all"
_KEYS = {"query_id", "measure", "value"}


def _recognizes_ir_measures(source: Source) -> bool:
    record = source.first
    return isinstance(record, dict) and record.keys() in (_KEYS, {"measure", "value"})


def _read_ir_measures(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    if not any(source.looks_like_json for source in sources):
        return read_treceval(sources, options)
    scores = Collected(sources[0].path)
    for source, name in zip(sources, scores.name_files(sources), strict=True):
        for line, where, record in line_objects(source.text, source.path):
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


def _recognizes_object_ir_measures(thing: Any) -> bool:
    if isinstance(thing, Mapping):
        return bool(thing) and _are_metrics(next(iter(thing.values())))
    return _are_metrics(thing)


def _read_object_ir_measures(thing: Any, options: Options) -> ScoreMatrix:
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


IR_MEASURES = declared(
    "ir_measures",
    recognizes=_recognizes_ir_measures,
    read=_read_ir_measures,
    recognizes_object=_recognizes_object_ir_measures,
    read_object=_read_object_ir_measures,
)


# Dictionaries of dictionaries, as `pytrec_eval` returns them and people save them as JSON


_SHOWN = 40


def _first(found: Any) -> Any:
    """The first value of a dictionary; None of anything else."""
    return next(iter(found.values()), None) if isinstance(found, Mapping) else None


def _is_score(value: Any) -> bool:
    """Whether a leaf is a number, of Python or of NumPy."""
    return hasattr(value, "__float__") and not hasattr(value, "__len__")


def _of_one(found: Any) -> bool:
    """Whether these are the scores of one system: topic → measure → number."""
    inner = _first(found)
    if not isinstance(inner, Mapping) or any(isinstance(value, str) for value in inner.values()):
        return False
    if all(map(_is_measure, found)):  # such as BEIR's ndcg → NDCG@10 → mean: no topics
        return False
    return _is_score(_first(inner)) and any(map(_is_measure, inner))


def _is_measure(name: Any) -> bool:
    """Whether a name is a measure's; of one letter (P, R) it would lack its cutoff, and is a topic."""
    return len(str(name)) > 1 and known(str(name))


def _of_several(found: Any) -> bool:
    """Whether these are the scores of several systems: system → topic → measure → number."""
    return isinstance(_first(found), Mapping) and _of_one(_first(found))


def _recognizes_nested(source: Source) -> bool:
    found = source.document
    return _of_one(found) or _of_several(found) or is_table_of_systems(found)


def is_table_of_systems(found: Any) -> bool:
    """Whether this is system → topic → number, with topics that systems share."""
    return _plain(found) and _is_table(found)


def _is_table(found: Mapping[str, Any]) -> bool:
    """Whether these are systems that share topics; a run has the same shape: topic → document → score."""
    topics = {topic for inner in found.values() for topic in inner}
    shared = 2 * sum(map(len, found.values())) >= len(found) * len(topics)
    numbers = not any(isinstance(_first(inner), str) for inner in found.values())
    return len(found) > 1 and shared and numbers and not like_topics(list(found))


def _read_nested(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].path)
    documents = {source.path: source.json for source in sources}
    unnamed = [path for path, document in documents.items() if _plain(document)]
    for path in unnamed:
        documents[path] = _without_measure(_of_systems(documents[path], options, f"{path}: ", ask=True))
        scores.note(Note("reading", {"case": "nested", "path": path}))
    if options.transpose is not None and len(unnamed) < len(sources):
        raise _needless(f"{sources[0].path}: ", options.transpose)
    alone = [one for one in sources if one.path not in unnamed and not _of_several(documents[one.path])]
    for source, name in zip(alone, scores.name_files(alone), strict=True):
        documents[source.path] = {name: documents[source.path]}
    for source in sources:
        _add(scores, documents[source.path], source.path)
    return scores.table(options)


def _recognizes_object_nested(thing: Any) -> bool:
    return isinstance(thing, Mapping) and (_of_one(thing) or _of_several(thing) or _plain(thing))


def _of_systems(
    found: Mapping[Any, Any], options: Options, where: str, ask: bool = False
) -> Mapping[Any, Any]:
    """System → topic → number; asks of a file with more names outside than inside, which may be topics."""
    inner = list(dict.fromkeys(name for one in found.values() for name in one))
    if ask and options.transpose is None and len(found) > len(inner) and not like_topics(inner):
        systems, topics = (setting("transpose", way) for way in (True, False))
        raise InputError(
            f"{where}{few(list(found), 3)} may be systems or topics, with scores of {few(inner, 3)}. Use "
            f"{systems} if they are systems, or {topics} if they are topics"
        )
    if options.transpose is not False:
        return found
    return {name: {one: of[name] for one, of in found.items() if name in of} for name in inner}


def _needless(where: str, transpose: bool) -> InputError:
    said = setting("transpose", transpose)
    return InputError(f"{where}names of measures say what is what; leave out {said}")


def _without_measure(found: Mapping[Any, Any]) -> dict[Any, Any]:
    """System → topic → number with a measure of no name below each topic."""
    return {
        name: {topic: {"": value} for topic, value in _items(topics, name)} for name, topics in found.items()
    }


def _plain(found: Any) -> bool:
    """Whether this is system → topic → number, of a measure without a name."""
    inner = _first(found)
    return (
        isinstance(inner, Mapping)
        and bool(inner)
        and all(map(_is_score, inner.values()))
        and all(isinstance(other, Mapping) for other in found.values())
        and not _of_one(found)
    )


def _read_object_nested(thing: Any, options: Options) -> ScoreMatrix:
    scores = Collected("dictionary")
    if _plain(thing):
        thing = _without_measure(_of_systems(thing, options, "dictionary: "))
    elif options.transpose is not None:
        raise _needless("dictionary: ", options.transpose)
    _add(scores, thing if not _of_one(thing) else {"sys1": thing}, "dictionary")
    return scores.table(options)


def _add(scores: Collected, systems: Mapping[Any, Any], source: str) -> None:
    """Take in system → topic → measure → number."""
    for system, topics in systems.items():
        for topic, values in _items(topics, f"{source}: {system!r}"):
            for measure, value in _items(values, f"{source}: {system!r}, {topic!r}"):
                scores.add(str(system), str(topic), value, str(measure), source=source)


def _items(found: Any, where: str) -> Sequence[tuple[Any, Any]]:
    if not isinstance(found, Mapping):
        raise InputError(
            f"{where}: {repr(found)[:_SHOWN]} where a dictionary belongs; give topic → measure → score"
        )
    return list(found.items())


PYTREC_EVAL = declared(
    "pytrec_eval",
    recognizes=_recognizes_nested,
    read=_read_nested,
    recognizes_object=_recognizes_object_nested,
    read_object=_read_object_nested,
)
