"""Scores in Python's own objects: data frames, arrays, dictionaries, ir_measures' tuples."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.readers.cell_values import TRUTH
from truerank.readers.formats.adapter import OF_TABLES, Collected, Remark, Row
from truerank.readers.formats.format import checked
from truerank.readers.options import Options
from truerank.readers.records import Records
from truerank.readers.sheets import frame_sheet, has_truth, is_frame
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
    if is_frame(thing):
        return checked(read_sheet(frame_sheet(thing), options), "a table", OF_TABLES, options)
    if isinstance(thing, Mapping):
        return _of_dictionary(
            {name: list(one) if isinstance(one, Iterator) else one for name, one in thing.items()}, options
        )
    if _are_metrics(thing):
        return checked(_of_metrics({"sys1": thing}, options), "a list of Metric tuples", (), options)
    return checked(_of_array(thing, options), "an array", (), options)


def _of_dictionary(thing: dict[Any, Any], options: Options) -> ScoreMatrix:
    from truerank.readers.formats.nested import is_nested, rows_of

    takes = tuple[str, ...]()
    if thing and _are_metrics(next(iter(thing.values()))):
        raw = _of_metrics(thing, options)
    elif is_nested(thing):
        scores, takes = Collected("dictionary"), ("transpose",)
        for row in rows_of(thing, options, "dictionary", "sys1"):
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
    return checked(raw, "a dictionary", takes, options)


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
    columns = {str(name): _column(str(name), value) for name, value in thing.items()}
    if len({topics is None for topics, _ in columns.values()}) > 1:
        raise InputError("dictionary: some systems have series and some have vectors; give all of one kind")
    lengths = {name: len(values) for name, (topics, values) in columns.items() if topics is None}
    (first, length), *others = lengths.items() or [("", 0)]
    for name, other in others:
        if other != length:
            raise InputError(
                f"dictionary: {first!r} has {length} scores and {name!r} has {other}; give each system one a "
                "topic, or name the topics"
            )
    for name, (topics, values) in columns.items():
        for topic, value in zip(topics or map(str, range(1, length + 1)), values.tolist(), strict=True):
            scores.add(Row(name, topic, value))
    if lengths:
        scores.unnamed = "array"
    return scores.table(options)


def _column(name: str, value: Any) -> tuple[Sequence[str] | None, Vector]:
    """The names of the topics, ``None`` where there are none, and the scores."""
    topics = None
    if hasattr(value, "index") and hasattr(value, "to_dict"):
        topics, value = [str(topic) for topic in value.index], value.to_numpy()
    elif isinstance(value, (list, tuple)):
        value = [np.nan if one is None else one for one in value]
    try:
        return topics, real_numbers(value)
    except (TypeError, ValueError) as error:
        raise InputError(f"dictionary: scores of {name!r} must be numbers ({error})") from None
