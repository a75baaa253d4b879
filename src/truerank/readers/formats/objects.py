"""Scores in Python's own objects: frames, arrays, ir_measures' tuples, and dictionaries, also as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.cell_values import TRUTH
from truerank.readers.formats.adapter import OF_TABLES, Adapter, Collected, Remark, Row
from truerank.readers.formats.format import checked
from truerank.readers.formats.source import Source
from truerank.readers.measures import known
from truerank.readers.options import Options
from truerank.readers.records import Records
from truerank.readers.roles import like_topics
from truerank.readers.sheets import has_truth, object_sheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix, real_numbers


def read_object(thing: Any, options: Options) -> ScoreMatrix:
    """The scores of a Python object."""
    if options.format is not None:
        raise InputError(
            f"{setting('format', options.format)} is for files, and this is an object; leave it out"
        )
    if isinstance(thing, Iterator):
        thing = list(thing)  # ir_measures.iter_calc: looking at it would use it up
    elif getattr(getattr(thing, "index", None), "nlevels", 1) > 1 and not hasattr(thing, "columns"):
        thing = thing.to_frame("score" if thing.name is None else thing.name)  # a group's means, say
    if (sheet := object_sheet(thing)) is not None:
        return checked(read_sheet(sheet, options), "a table", OF_TABLES, options)
    if isinstance(thing, Mapping):
        return _of_dictionary(
            {name: list(one) if isinstance(one, Iterator) else one for name, one in thing.items()}, options
        )
    if _are_metrics(thing):
        return checked(_of_metrics({"sys1": thing}, options), "a list of Metric tuples", (), options)
    return checked(_of_array(thing, options), "an array", (), options)


def _of_dictionary(thing: dict[Any, Any], options: Options) -> ScoreMatrix:
    if thing and _are_metrics(next(iter(thing.values()))):
        raw = _of_metrics(thing, options)
    elif _of_one(thing) or _of_several(thing) or _plain(thing):
        scores = Collected("dictionary")
        for row in _rows_of(thing, "dictionary", "sys1"):
            if isinstance(row, Row):
                scores.add(row)
        raw = scores.table(options)
    elif thing and all(map(_is_column, thing.values())):
        raw = _of_columns(thing, options)
    else:
        raise InputError(
            "scores cannot be read from this dictionary; give system → topic → score, a data frame or an "
            "array"
        )
    return checked(raw, "a dictionary", (), options)


def _is_metric(entry: Any) -> bool:
    return all(hasattr(entry, key) for key in ("query_id", "measure", "value"))


def _are_metrics(thing: Any) -> bool:
    return isinstance(thing, (list, tuple)) and len(thing) > 0 and _is_metric(thing[0])


def _of_metrics(systems: Mapping[Any, Any], options: Options) -> ScoreMatrix:
    """The scores of ir_measures' tuples, as iter_calc gives them for each system."""
    scores = Collected("Metric tuples")
    for system, metrics in systems.items():
        for number, metric in enumerate(metrics if isinstance(metrics, (list, tuple)) else [metrics], 1):
            if not _is_metric(metric):
                raise InputError(
                    f"Metric tuples: entry {number} of {system!r} is not a Metric; give them alone"
                )
            scores.add(Row(str(system), str(metric.query_id), metric.value, str(metric.measure)), line=number)
    return scores.table(options)


def _of_array(source: Any, options: Options) -> ScoreMatrix:
    """The scores of an array; masked cells are missing."""
    try:
        values = real_numbers(source)
    except (TypeError, ValueError) as error:
        raise InputError(f"array: scores must be numbers ({error})") from None
    if values.ndim != 2 or not values.size:
        ScoreMatrix.build(values)  # says what is wrong
    n, m = values.shape
    topics, systems = [("", str(t)) for t in range(1, n + 1)], [f"sys{s}" for s in range(1, m + 1)]
    records = Records.grid(values, topics, systems, "array: ")
    notes = [TRUTH] if has_truth(source) else []
    return records.table(records.pivot(), None, options.measure or "", None, notes, False, unnamed="array")


def _is_column(value: Any) -> bool:
    """Whether it is a vector of numbers, by its first."""
    if isinstance(value, (list, tuple)):
        return len(value) > 0 and (value[0] is None or isinstance(value[0], (int, float, np.number)))
    return getattr(value, "ndim", None) == 1


def _of_columns(thing: Mapping[Any, Any], options: Options) -> ScoreMatrix:
    """The scores; series are matched by their index, vectors by their place."""
    scores = Collected("dictionary")
    if any(map(has_truth, thing.values())):
        scores.note(Remark(TRUTH))
    topics = {name: value.index if hasattr(value, "to_dict") else None for name, value in thing.items()}
    unnamed = [name for name, index in topics.items() if index is None]
    if 0 < len(unnamed) < len(topics):
        raise InputError("dictionary: some systems have series and some have vectors; give all of one kind")
    for name in unnamed:
        if len(thing[name]) != len(thing[unnamed[0]]):
            raise InputError(
                f"dictionary: {unnamed[0]!r} has {len(thing[unnamed[0]])} scores and {name!r} has "
                f"{len(thing[name])}; give each system one a topic, or name the topics"
            )
    for name, value in thing.items():
        index = topics[name]
        if isinstance(value, (list, tuple)):
            value = [np.nan if one is None else one for one in value]
        try:
            values = real_numbers(value.to_numpy() if index is not None else value).tolist()
        except (TypeError, ValueError) as error:
            raise InputError(f"dictionary: scores of {str(name)!r} must be numbers ({error})") from None
        for topic, number in zip(range(1, len(values) + 1) if index is None else index, values, strict=True):
            scores.add(Row(str(name), str(topic), number))
    if unnamed:
        scores.unnamed = "array"
    return scores.table(options)


# Dictionaries of dictionaries, as pytrec_eval returns them and people save them as JSON


def _first(found: Any) -> Any:
    """The first value of a dictionary; None of anything else."""
    return next(iter(found.values()), None) if isinstance(found, Mapping) else None


def _is_score(value: Any) -> bool:
    """Whether a leaf is a number, of Python or of NumPy."""
    return hasattr(value, "__float__") and not hasattr(value, "__len__")


def _is_measure(name: Any) -> bool:
    """Whether a name is a measure's; of one letter (P, R) it would lack its cutoff, and is a topic."""
    return len(str(name)) > 1 and known(str(name))


def _of_one(found: Any) -> bool:
    """Whether these are the scores of one system: topic → measure → number."""
    inner = _first(found)
    if not isinstance(inner, Mapping) or any(isinstance(value, str) for value in inner.values()):
        return False
    # BEIR's ndcg → NDCG@10 → mean has no topics.
    measures = any(map(_is_measure, inner)) and not all(map(_is_measure, found))
    return measures and _is_score(_first(inner))


def _of_several(found: Any) -> bool:
    """Whether these are the scores of several systems: system → topic → measure → number."""
    return _of_one(_first(found))


def _plain(found: Any) -> bool:
    """Whether this is system → topic → number, of a measure without a name."""
    inner = _first(found)
    numbers = isinstance(inner, Mapping) and bool(inner) and all(map(_is_score, inner.values()))
    return numbers and all(isinstance(other, Mapping) for other in found.values()) and not _of_one(found)


def _recognizes(source: Source) -> bool:
    found = source.document
    if not _plain(found):
        return _of_one(found) or _of_several(found)
    # Systems share topics; a run has the same shape: topic → document → score.
    topics = {topic for inner in found.values() for topic in inner}
    shared = 2 * sum(map(len, found.values())) >= len(found) * len(topics)
    numbers = not any(isinstance(_first(inner), str) for inner in found.values())
    return len(found) > 1 and shared and numbers and not like_topics(list(found))


def _rows_of(found: Any, path: str, system: str = "") -> Iterator[Row | Remark]:
    """The scores of a dictionary; of `system`, or of one called like the file, where it names none."""
    if _plain(found):
        inner = list(dict.fromkeys(name for one in found.values() for name in one))
        if not system and len(found) > len(inner) and not like_topics(inner):
            raise InputError(
                f"{path}: {few(list(found), 3)} may be systems or topics, with scores of {few(inner, 3)}. "
                'Write a list of records, [{"topic": …, "system": …, "score": …}, …]'
            )
        if not system:
            yield Remark(Note("reading", {"case": "nested", "path": path}))
        for name, topics in found.items():
            yield from (Row(str(name), str(topic), value) for topic, value in topics.items())
        return
    for name, topics in found.items() if _of_several(found) else [(system, found)]:
        for topic, values in _items(topics, f"{path}: {name!r}"):
            for measure, value in _items(values, f"{path}: {name!r}, {topic!r}"):
                yield Row(str(name), str(topic), value, str(measure))


def _items(found: Any, where: str) -> Sequence[tuple[Any, Any]]:
    if not isinstance(found, Mapping):
        raise InputError(f"{where}: {found!r:.40} where a dictionary belongs; give topic → measure → score")
    return list(found.items())


PYTREC_EVAL = Adapter(
    name="pytrec_eval",
    label="a dictionary of pytrec_eval",
    explanation="Topic → measure → score of one system, as RelevanceEvaluator.evaluate returns it, or "
    "system → topic → measure → score; in Python, or saved as JSON. Also system → topic → "
    "score.",
    recognizes=_recognizes,
    rows=lambda source: _rows_of(source.json, source.path),
    files=(),
    noun="topic",
)
