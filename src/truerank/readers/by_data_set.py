"""One board of several measures: the one of each data set is given, such as arc by acc and gsm8k by f1."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from truerank._support.arguments import setting
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.joining import join
from truerank.readers.options import Options
from truerank.readers.roles import lower_is_better
from truerank.scores import ScoreMatrix

_NAMED = re.compile(r"([^,=()]+)=(.+)")
_BETWEEN = re.compile(r",(?=[^,=()]+=)")


def measures_by_data_set(measure: Any) -> dict[str, str] | None:
    """The measure of each data set, or of a pattern of data sets; None for one measure of all.

    >>> measures_by_data_set("arc=acc,gsm8k=exact_match,strict-match")
    {'arc': 'acc', 'gsm8k': 'exact_match,strict-match'}
    >>> measures_by_data_set("P(rel=2)@10")
    """
    if isinstance(measure, Mapping):
        return {str(name): str(of) for name, of in measure.items()}
    found = [_NAMED.fullmatch(part) for part in _BETWEEN.split(measure)] if isinstance(measure, str) else []
    named = {match[1]: match[2] for match in found if match is not None}
    return named if found and all(found) else None


def as_text(measures: Mapping[str, str]) -> str:
    """The same as one text, which is what the measure of such a board is called."""
    return ",".join(f"{name}={of}" for name, of in measures.items())


def measure_of(data_set: str, measures: Mapping[str, str]) -> str | None:
    """The measure of a data set, by its own name or else by the first pattern that fits."""
    if data_set in measures:
        return measures[data_set]
    return next((of for pattern, of in measures.items() if fnmatchcase(data_set, pattern)), None)


def read_by_data_set(
    read: Callable[[Options], ScoreMatrix], options: Options, measures: Mapping[str, str]
) -> tuple[ScoreMatrix, Options, list[str]]:
    """The scores of each data set by its measure, options with their direction, and all measures' names."""
    kept: dict[str, ScoreMatrix] = {}
    known: dict[str, None] = {}
    for name in dict.fromkeys(measures.values()):
        raw = read(replace(options, measure=name, of_data_sets=measures))
        if raw.battles is not None or not raw.data_sets:
            what = "battles have no measure" if raw.battles is not None else "no data sets are named here"
            raise InputError(f"{raw.where}{what}; leave out {setting('measure', as_text(measures))}")
        known.update(dict.fromkeys(raw.data_sets))
        notes = tuple(note for note in raw.notes if note.case != "no-score")
        of_each = raw.data_set_of_each or []
        rows = [t for t, data_set in enumerate(of_each) if measure_of(data_set, measures) == name]
        if rows:
            kept[raw.measure] = replace(raw.rows(rows), notes=notes)
    first = next(iter(kept.values()), raw)
    for pattern, of in measures.items():
        if not any(fnmatchcase(name, pattern) for name in known):
            there = few([*known], 8)
            raise InputError(
                f"{first.where}no data set {pattern!r} has scores by {of}; the data sets are {there}"
            )
    filled = {name for part in kept.values() for name in part.data_sets}
    for name in known:
        own = measure_of(name, measures)
        if own is None:
            give = setting("measure", as_text({**measures, name: "MEASURE"}))
            raise InputError(f"{first.where}data set {name!r} has no measure; give one to each: {give}")
        if name not in filled:
            raise InputError(
                f"{first.where}no data set {name!r} has scores by {own}; give it another measure"
            )
    lower = {name: _lower(part, options) for name, part in kept.items()}
    if len(set(lower.values())) > 1:
        down, up = (next(name for name, is_low in lower.items() if is_low is way) for way in (True, False))
        raise InputError(
            f"{first.where}lower is better by {down}, and higher by {up}; read them apart, or give "
            f"{setting('direction', f'{down}=higher')} if it is"
        )
    parts = [replace(part, measure=as_text(measures)) for part in kept.values()]
    joined = join(parts, first.where, first.source) if len(parts) > 1 else parts[0]
    is_lower = next(iter(lower.values()))
    return (
        joined,
        replace(options, measure=as_text(measures), direction=(), lower_is_better=is_lower),
        [*kept],
    )


def _lower(part: ScoreMatrix, options: Options) -> bool:
    told = options.lower(part.measure)
    of_format = part.origin is not None and part.origin.lower_is_better
    return told if told is not None else of_format or bool(lower_is_better(part.measure))
