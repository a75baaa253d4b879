"""What looks wrong in scores: their direction, other scales, and runs that were read as topics or systems."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath

import numpy as np
from numpy.typing import NDArray

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import frozen
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.readers.measures import Short
from truerank.readers.names import file_stem
from truerank.readers.roles import (
    NAMES,
    PATTERNS,
    is_measure,
    is_measure_alone,
    lower_is_better,
    named_as_measure,
    plain,
)
from truerank.reading import Reading
from truerank.scores import ScoreMatrix

_GENERIC = frozenset({"score", "scores", "value", "values", "system"})
"""Headings of a column of scores that name neither a system nor a measure."""


def shared_heading(systems: Sequence[str]) -> str:
    """The heading that files of one system each share, which is the name of their measure; else empty."""
    heading = systems[0]
    return heading if len(set(systems)) == 1 and heading.casefold() not in _GENERIC else ""


def one_measure(files: Sequence[tuple[str, ScoreMatrix]]) -> str:
    """The measure of files of one system each; empty where none names one, refused where they differ."""
    named = [(path, _measure_of(scores)) for path, scores in files]
    first, measure = next(((path, one) for path, one in named if one), ("", ""))
    for path, other in named:
        if other == measure or (not other and not lower_is_better(measure)):
            continue
        holds = f"holds scores by {other!r}" if other else "names no measure"
        way = "called alike" if other else f"or use {setting('measure', measure)} if they are"
        raise InputError(
            f"{path}: {holds}, and {first} holds scores by {measure!r}; give files of one measure, {way}"
        )
    return measure or shared_heading([scores.systems[0] for _, scores in files])


def _measure_of(scores: ScoreMatrix) -> str:
    """The measure's name as it was read, without the minus sign that shows the direction."""
    name = scores.measure.removeprefix("−")
    if name.casefold() not in _GENERIC | {""}:
        return name
    return scores.systems[0] if is_measure(scores.systems[0]) else ""


def higher_is_better(raw: ScoreMatrix, lower: bool | None) -> ScoreMatrix:
    """The scores with a minus sign where lower is better, once files are joined and the measure is known."""
    if raw.battles is not None:
        return raw  # who won is read with them
    if not raw.measure and raw.m == 1 and is_measure(raw.systems[0]):
        raw = replace(raw, measure=raw.systems[0])
    if not raw.measure and not word_of_all(raw.systems, raw.where):
        raw = replace(raw, measure=measure_of_files((raw.source or "").split(", ")))
    measure = raw.measure or word_of_all(raw.systems, raw.where)
    known = True if raw.origin is not None and raw.origin.lower_is_better else lower_is_better(measure)
    if lower is None and known is None and _are_ranks(raw):
        down, up = (setting("lower_is_better", way) for way in (True, False))
        raise InputError(
            f"{raw.where}each row holds ranks from 1 to {len(raw.systems)}, of which lower is most likely "
            f"better. Use {down} if it is, or {up} if not"
        )
    of_files = raw.reading is not None and raw.reading.systems == "the files" and not raw.measure
    if lower is None and of_files and measure.casefold() in ("loss", "rank"):
        down, up = (setting("lower_is_better", way) for way in (True, False))
        raise InputError(
            f"{raw.where}the names of all files have {measure!r}, a measure or a part of the systems' names. "
            f"Use {down} if lower scores are better, or {up} if not"
        )
    raw = replace(raw, reading=_directed(raw, lower, known))
    if lower is False or (lower is None and not known):
        return raw
    negated = lower is None and bool((raw.values < 0).any() and not (raw.values > 0).any())
    facts = {"measure": measure or "the score", "given": bool(lower), "negated": negated}
    note = Note("lower-is-better", facts, "warning" if lower else "alert")
    raw = replace(raw, measure=f"−{raw.measure}" if raw.measure else "−score")
    if negated:  # as truerank itself writes them
        reading = raw.reading and replace(raw.reading, direction="higher is better")
        return replace(raw, reading=reading, notes=(note, *raw.notes))
    return replace(
        raw,
        values=frozen(-raw.values),
        notes=(note, *raw.notes),
        repeats=raw.repeats and raw.repeats.negated(),
        facets=raw.facets and raw.facets.negated(),
    )


def word_of_all(systems: Sequence[str], where: str = "") -> str:
    """The word that all systems' names end or begin with, or the arrow they share; empty without one."""
    arrows = [mark for mark in "↓↑" if any(mark in name for name in systems)]
    if len(arrows) > 1:
        raise InputError(
            f"{where}by their arrows lower is better in some systems and higher in others: "
            f"{few(list(systems), 8)}. Leave one kind out with {setting('ignore_column')}"
        )
    arrow = "".join(mark for mark in arrows if all(mark in name for name in systems))
    words = [re.findall(r"[^\W_]+", name) or [""] for name in systems]
    for place in (-1, 0):
        found = {each[place] for each in words}
        if len(words) > 1 and len(found) == 1 and all(len(each) > 1 for each in words):
            word = found.pop() + arrow
            # Cross-encoders and rerankers, and Time-LLM: more likely than measures.
            other = word.casefold() == "ce" or (place == 0 and not is_measure_alone(word))
            return "" if other else word
    return arrow


_ALSO_OTHERS = ("error", "errors", "loss", "rank", "ranks")
"""Words at the end of a file's name that may tell of something else than a measure."""

_UNITS, _LAST_WORDS = {*NAMES["units"]}, {*NAMES["last_word"]}


def _measure_of_file(path: str) -> str:
    """The measure that a file is called like, or ends in, where lower is better by it; else empty."""
    words = re.findall(r"[^\W_]+", file_stem(path))
    words = [word for word in words if not word.isdigit() and word.casefold() not in NAMES["beside_measure"]]
    if any(word.casefold() in NAMES["negative"] for word in words):
        return ""
    for first in range(len(words)):
        name = "_".join(words[first:])
        unclear = first > 0 and name.casefold() in _ALSO_OTHERS
        whole = not first and named_as_measure(name) and file_stem(path).casefold() not in ("rank", "ranks")
        said = whole or is_measure_alone(name) or _LAST_WORDS.issuperset({*plain(name).split("_")} - _UNITS)
        if said and lower_is_better(name) and not unclear:
            return name
    return ""


def measure_of_files(paths: Sequence[str]) -> str:
    """The measure that all files are called like, or the folder of several; else empty."""
    folders = [str(PurePath(path).parent) for path in paths] * (len(paths) > 1)
    for names in (paths, folders):
        called_like = set(map(_measure_of_file, names))
        if len(called_like) == 1 and (found := called_like.pop()):
            return found
    return ""


_RANKED = 0.75
"""Share of rows from which on they hold ranks."""


def _are_ranks(raw: ScoreMatrix) -> bool:
    """Whether four complete rows or more rank three systems or more, or average such ranks, but for ties."""
    values = raw.values[~np.isnan(raw.values).any(axis=1)]
    n, m = values.shape
    if n < 4 or m < 3:
        return False
    within = bool(((values >= 1) & (values <= m)).all())
    ranked = np.isclose(values.sum(axis=1), m * (m + 1) / 2, rtol=0, atol=1e-9)
    return within and bool(ranked.mean() > _RANKED)


def _directed(raw: ScoreMatrix, lower: bool | None, known: bool | None) -> Reading | None:
    """How the scores were read, with the direction; shares of a measure without a name need no question."""
    found = raw.reading
    if found is None:
        return found
    if raw.m == 1 and not raw.measure and known is None:
        known = lower_is_better(raw.systems[0])  # the heading, until another file shares it
    if lower if lower is not None else known:
        return replace(found, direction="lower is better")
    shares = not raw.measure and bool(((raw.values >= 0) & (raw.values <= 1) | np.isnan(raw.values)).all())
    if lower is not None or known is not None or shares or "score" in found.scores:
        return found
    decides = setting("lower_is_better", True)
    doubt = f"higher is better, as nothing says otherwise; {decides} if not"
    return replace(found, doubts=(*found.doubts, doubt))


_WILD = 10.0
"""How many times 1 a score is that no share could be, where other systems have shares."""

_WILDER = 50.0
"""How many times the largest score of the median system one is that is on no scale of theirs."""


def other_scale(values: NDArray[np.float64], systems: Sequence[str]) -> Note | None:
    """A warning where some systems have scores of at most 1 and others do not; None where there is none."""
    top, low = _tops(values), np.nanmin(values, initial=np.inf)
    if not len(top) or not (top.max() > 1.5 and top.min() <= 1 and low >= 0):
        return None
    others = int(np.sum(top <= 1))
    largest = systems[int(top.argmax())]
    return Note(
        "several-scales",
        {"case": "systems", "largest": float(top.max()), "others": others},
        "alert",
        (largest,),
    )


def other_scale_of_data_sets(scores: ScoreMatrix) -> Note | None:
    """A warning where some data sets have scores of at most 1 and others do not; None where there is none."""
    if len(scores.data_sets) < 2 or scores.strata is None or np.nanmin(scores.values, initial=0.0) < 0:
        return None
    sets = range(len(scores.data_sets))
    top = np.array([np.nanmax(scores.values[scores.strata == k], initial=0.0) for k in sets])
    if not (top.max() > 1.5 and top.min() <= 1):
        return None
    facts = {"case": "data-sets", "largest": float(top.max()), "others": int(np.sum(top <= 1))}
    return Note("several-scales", {**facts, "data_set": scores.data_sets[int(top.argmax())]}, "alert")


def refuse_other_scales(scores: ScoreMatrix, systems: Sequence[str]) -> None:
    """Refuse to compare systems whose scores cannot be on one scale."""
    places = [scores.systems.index(system) for system in systems]
    values = scores.values[:, places]
    top = _tops(values)
    if len(top) < 2:
        return
    shares = top.min() <= 1 and np.nanmin(values, initial=np.inf) >= 0
    others = top[top < top.max()]
    far, near = int(top.argmax()), int(top.argmin())
    if shares:
        lowest = np.nanmin(values, axis=0, initial=np.inf)
        wild = top[far] > _WILD or (lowest[far] > 1 and lowest[near] < 1)
    else:
        wild = len(others) > 0 and top[far] > _WILDER * float(np.median(others))
    if wild:
        raise InputError(
            f"{at(scores.source)}scores up to {top[far]:g} in {systems[far]!r}, but up to {top[near]:g} in "
            f"{systems[near]!r}, are not on one scale; convert the scores to one scale"
        )


def _tops(values: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.nanmax(np.abs(values), axis=0, initial=0.0)


_RUN_OF = Short(
    r"(?P<of>.*\S)(?P<glue>[\s#@:/._-]+\(?(run|trial|epoch|attempt|repeat|replicate|rollout|seed|fold|cv)[\s#_=-]*)"
    r"\d+(?P<end>\)?)",
    re.IGNORECASE,
)

_NUMBERED = Short(r"(?P<of>.*\S)(?P<glue>\s*#)\d+(?P<end>)")
"""Systems with a number after a hash; topics are often numbered so."""

_COUNTED = Short(r"(?P<of>.*\S)(?P<glue>[_./:-])(?P<number>\d+)(?P<end>)")
"""Systems with a number after another mark: a version, unless each has the same three numbers or more."""


def runs_as_topics(topics: Sequence[str]) -> Note | None:
    """A warning where the names of all topics end in the number of a run; None where they do not."""
    names = set[str]()
    for topic in topics:
        match = _RUN_OF.fullmatch(topic)
        if match is None:
            return None
        names.add(match["of"])
    if not names or 2 * len(names) > len(topics):
        return None
    return Note("runs-as-topics", {"number": len(names)}, "alert")


def runs_as_systems(systems: Sequence[str]) -> Note | None:
    """A warning where the names of all systems end in the number of a run; None where they do not.

    >>> runs_as_systems(["gpt-3", "gpt-4", "llama-2", "llama-3"]) is None
    True
    """
    found = [_RUN_OF.fullmatch(system) or _NUMBERED.fullmatch(system) for system in systems]
    if found and not any(found):
        found = _counted(systems)
    if not found or not all(found):
        return None
    matches = [match for match in found if match is not None]
    ways = {(match["glue"], match["end"]) for match in matches}
    of = {match["of"] for match in matches}
    if len(ways) > 1 or not 1 < len(of) <= len(systems) / 2:
        return None
    ((glue, end),) = ways
    facts = {"number": len(systems), "pattern": f"{{system}}{glue}{{run}}{end}"}
    return Note("runs-as-systems", facts, "alert", tuple(sorted(of)))


def _counted(systems: Sequence[str]) -> list[re.Match[str] | None]:
    """The names of all systems where each ends in the same three numbers or more; else none."""
    found = [_COUNTED.fullmatch(system) for system in systems]
    numbers: dict[str, set[int]] = {}
    for match in filter(None, found):
        numbers.setdefault(match["of"], set()).add(int(match["number"]))
    first = next(iter(numbers.values()), set())
    counted = len(first) > 2 and first in (set(range(len(first))), set(range(1, len(first) + 1)))
    return found if all(found) and counted and all(one == first for one in numbers.values()) else []


def of_whole_run(found: ScoreMatrix) -> Note | None:
    """An alert where rows are topics, and the measure is one of a whole run, such as BLEU."""
    name = found.measure.removeprefix("−")
    if found.data_sets or found.noun == "data set" or not PATTERNS["of_whole_run"].fullmatch(plain(name)):
        return None
    return Note("of-whole-run", {"measure": name, "unit": found.unit.one}, "alert")
