"""Scores of several sources in one table: of other systems, of other data sets or by other measures."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any, TypeVar

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, at
from truerank.numerics.over_runs import OverRuns
from truerank.readers.checks import measure_of_files, one_measure, shared_heading
from truerank.readers.names import names_of_files
from truerank.readers.options import Options
from truerank.readers.records import Factor, Records, over_runs
from truerank.readers.roles import has_role, is_measure_alone, lower_is_better
from truerank.reading import Origin
from truerank.scores import ScoreMatrix

_T = TypeVar("_T")


def join_systems(paths: Sequence[str], parts: Sequence[ScoreMatrix]) -> ScoreMatrix:
    """The scores of files of one system each; a system is called like its column, or else like its file."""
    for path, part in zip(paths, parts, strict=True):
        if part.m != 1 and part.battles is None:
            raise InputError(
                f"{path}: {part.m} systems; several tables are read as one only where each has one "
                "system. Give one table, or a folder with one table for each data set. If the files are "
                "runs, make one table with a column 'run'"
            )
    measure = one_measure(list(zip(paths, parts, strict=True))) or measure_of_files(paths)
    names, notes = [part.systems[0] for part in parts], list[Note]()
    if len(set(names)) < len(names) or all(map(is_measure_alone, names)):
        names, notes = names_of_files(paths)
    parts = [replace(part, systems=(name,), measure=measure) for part, name in zip(parts, names, strict=True)]
    check_topics(paths, parts)
    if parts[0].unnamed == "table":
        notes.append(Note("reading", {"case": "rows-in-order"}, "alert"))
    joined = join(parts, f"{paths[0]} …: ", ", ".join(paths) if len(paths) == 2 else None)
    reading = parts[0].reading and replace(parts[0].reading, systems="the files")
    return replace(joined, notes=(*notes, *joined.notes), reading=reading, unnamed=parts[0].unnamed)


def check_topics(paths: Sequence[str], parts: Sequence[ScoreMatrix]) -> None:
    """Refuse files of which some name their topics and others do not, and names that only look alike."""
    bare = [part.unnamed == "table" for part in parts]
    if any(bare):
        named = next((path for path, none in zip(paths, bare, strict=True) if not none), None)
        without = paths[bare.index(True)]
        if named is not None:
            raise InputError(
                f"{without}: no column names the topics, but {named} names them; name them alike in a column "
                "'topic' in both"
            )
        other = next((k for k, part in enumerate(parts) if part.n != parts[0].n), None)
        if other is not None:
            raise InputError(
                f"{paths[other]}: {parts[other].n} rows, but {paths[0]} has {parts[0].n}, and topics without "
                "names cannot be matched; name them in a column 'topic'"
            )
        return
    own = set(parts[0].topics)
    first: dict[str, str] = {}
    for path, part in zip(paths[1:], parts[1:], strict=True):
        theirs = set(part.topics)
        if theirs <= own:
            continue
        first = first or {key: topic for topic in parts[0].topics if (key := _bare(topic))}
        for topic in part.topics:
            alike = topic if topic in own else first.get(_bare(topic), topic)
            if alike not in theirs:
                raise InputError(
                    f"{path}: {part.unit.one} {topic!r} looks like {alike!r} of {paths[0]}, but is another "
                    f"name; name the {part.unit.many} alike in both"
                )
    apart = next((k for k, part in enumerate(parts) if k and own.isdisjoint(part.topics)), None)
    if apart is not None:
        one, many = parts[0].unit.one, parts[0].unit.many
        raise InputError(
            f"{paths[0]} and {paths[apart]} share no {one}: the first has {parts[0].topics[0]!r}, the other "
            f"{parts[apart].topics[0]!r}. Give scores of the same {many}, named alike. For several data "
            f"sets write one table with columns data_set, {one}, system and score"
        )


def _bare(topic: str) -> str:
    """A topic's name without what spreadsheets and tools change: leading zeros, case, ``.0`` of a number."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", topic.strip().casefold()).removesuffix(".0")


def join(
    parts: Sequence[ScoreMatrix],
    where: str,
    source: str | None,
    runs: Sequence[str] = (),
    over: OverRuns | None = None,
) -> ScoreMatrix:
    """The scores of several files in one table, or of files that are each a run of the same systems.

    Topics and systems are in order of first appearance.
    """
    measure, notes = _one_measure(parts)
    held = _records(parts)
    records = Records.joined(held, where)
    of = np.repeat(np.arange(len(held)), [len(one.scores) for one in held])
    there = np.flatnonzero(~np.isnan(records.scores))
    first = np.full(records.shape, -1).ravel()
    first[records.cell[there[::-1]]] = of[there[::-1]]
    again = there[first[records.cell[there]] != of[there]]
    if runs:
        levels = tuple(dict.fromkeys(runs))
        codes = np.array([levels.index(run) for run in runs])[of]
        records, measure = (
            replace(records, runs=Factor("run", codes, levels, True)),
            over.name if over else measure,
        )
    elif len(again):
        cell, part = int(records.cell[again[0]]), parts[of[again[0]]]
        topic, system = records.topics[records.topic[again[0]]][1], records.systems[records.system[again[0]]]
        raise InputError(
            f"{part.where}system {system!r} already has a score on topic {topic!r}, in "
            f"{parts[first[cell]].where.removesuffix(': ')}; keep one of the two"
        )
    else:
        over = next((over_runs(part.repeats.measure) for part in parts if part.repeats is not None), None)

    def place(t: int, s: int) -> str:
        """Where a cell is empty, or else the file that lacks the topic or the system."""
        key, name = records.topics[t], records.systems[s]
        with_topic = [part for part in parts if key in part.keys]
        for part in reversed(with_topic):
            if name in part.systems and part.origin is not None:
                return part.origin.at(part.keys.index(key), part.systems.index(name))
        with_system = (part for part in parts if name in part.systems)
        alike = (part for part in with_system if key[0] in (part.data_sets or ("",)))
        part = next(alike, with_topic[-1])
        return at(part.source) or part.where

    return records.table(
        records.pivot(over, repeat=any(part.repeats is not None for part in parts)),
        place,
        measure,
        source,
        [*notes, *dict.fromkeys(note for part in parts for note in part.notes)],
        any(part.data_sets for part in parts),
        clusters=_clusters(parts, records.topics),
        weights=_of_all("weight", parts, lambda origin: origin.weights),
        families=_of_all("family", parts, lambda origin: origin.families),
        lower_is_better=_one_direction(parts),
        noun="topic" if any(part.noun == "topic" for part in parts) else "question",
        reading=parts[0].reading,
    )


def _records(parts: Sequence[ScoreMatrix]) -> list[Records]:
    """The records of each file, with the names that its systems and data sets have by now."""
    if (battles := next((part for part in parts if part.battles is not None), None)) is not None:
        raise InputError(f"{battles.where}several files of battles are not read as one; write them into one")
    held: list[Records] = []
    for part in parts:
        assert part.origin is not None
        assert part.origin.records is not None
        held.append(replace(part.origin.records(), topics=part.keys, systems=part.systems))
    names = next(([one.name for one in each.facets] for each in held if each.facets), [])
    for part, each in zip(parts, held, strict=True):
        if [one.name for one in each.facets] != names:
            raise InputError(
                f"{part.where}other files have levels of {few(names)}, and this one has not; add the "
                "columns, or leave the facets out"
            )
        if (each.attempts is None) != (held[0].attempts is None):
            raise InputError(f"{part.where}numbers of attempts are in some files only; write them in all")
    return held


def _clusters(parts: Sequence[ScoreMatrix], keys: Sequence[tuple[str, str]]) -> list[str] | None:
    """The clusters of all files together: topics that one file puts into one cluster are in one.

    Where a file has no clusters, each of its topics is one.
    """
    if all(part.clusters is None for part in parts):
        return None
    from scipy.sparse import coo_array
    from scipy.sparse.csgraph import connected_components

    places = {key: t for t, key in enumerate(keys)}
    start, ties = len(keys), list[tuple[int, int]]()
    for part in parts:
        if part.clusters is not None:
            ties += zip(map(places.__getitem__, part.keys), (start + part.clusters).tolist(), strict=True)
            start += int(part.clusters.max()) + 1
    graph = coo_array((np.ones(len(ties)), np.transpose(ties)), shape=(start, start))
    return list(map(str, connected_components(graph, directed=False)[1][: len(keys)].tolist()))


def _one_measure(parts: Sequence[ScoreMatrix]) -> tuple[str, list[Note]]:
    """The measure that all parts are of, and a note on those that name none."""
    named = [part for part in parts if part.measure]
    for part in named:
        if part.measure != named[0].measure:
            raise InputError(
                f"{part.where}measure {part.measure!r}, but {named[0].where.removesuffix(': ')} has "
                f"{named[0].measure!r}; choose one that all files have with {setting('measure')}"
            )
    unnamed = [part.where.removesuffix(": ") for part in parts if not part.measure]
    if not named or not unnamed:
        return (named[0].measure if named else ""), []
    measure = named[0].measure
    return measure, [Note("reading", {"case": "measure", "measure": measure, "names": unnamed})]


def _one_direction(parts: Sequence[ScoreMatrix]) -> bool:
    """Whether the formats say that lower is better, of all files or of none."""
    lower = [part.origin is not None and part.origin.lower_is_better for part in parts]
    if len(set(lower)) > 1:
        odd = parts[lower.index(True)]
        raise InputError(
            f"{odd.where}lower is better here, and not in other files; choose another measure with "
            f"{setting('measure')}"
        )
    return lower[0]


def _of_all(
    kind: str, parts: Sequence[ScoreMatrix], given: Callable[[Origin], Mapping[str, _T] | None]
) -> dict[str, _T] | None:
    """What is known of each data set, from all parts together; None where no part says anything."""
    known = [None if part.origin is None else given(part.origin) for part in parts]
    found: dict[str, _T] = {}
    for of, part in zip(known, parts, strict=True):
        for name, value in (of or {}).items():
            if found.setdefault(name, value) != value:
                raise InputError(
                    f"{part.where}data set {name!r} has {kind} {value!r} here and {found[name]!r} in another "
                    f"file; give it one {kind}"
                )
    for part in parts if found else ():
        if any(name not in found for name in part.data_sets):
            raise InputError(f"{part.where}no column of this table gives a {kind}, but others do; add it")
    return found or None


# One board of several measures: that of each data set is given, such as arc by acc and gsm8k by f1

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


def measure_of(data_set: str, measures: Mapping[str, str]) -> str | None:
    """The measure of a data set, by its own name or else by the first pattern that fits."""
    if data_set in measures:
        return measures[data_set]
    return next((of for pattern, of in measures.items() if fnmatchcase(data_set, pattern)), None)


def read_by_data_set(
    read: Callable[[Options], ScoreMatrix], options: Options, measures: Mapping[str, str]
) -> tuple[ScoreMatrix, Options, list[str]]:
    """The scores of each data set by its measure, options with their direction, and all measures' names."""
    kept, known = dict[str, ScoreMatrix](), dict[str, None]()
    text = ",".join(f"{name}={of}" for name, of in measures.items())
    for name in dict.fromkeys(measures.values()):
        raw = read(replace(options, measure=name, of_data_sets=measures))
        if raw.battles is not None or not raw.data_sets:
            what = "battles have no measure" if raw.battles is not None else "no data sets are named here"
            raise InputError(f"{raw.where}{what}; leave out {setting('measure', text)}")
        known.update(dict.fromkeys(raw.data_sets))
        of_each = raw.data_set_of_each or []
        rows = [t for t, data_set in enumerate(of_each) if measure_of(data_set, measures) == name]
        if rows:
            notes = tuple(note for note in raw.notes if note.case != "no-score")
            kept[raw.measure] = replace(raw.rows(rows), notes=notes)
    first = next(iter(kept.values()), raw)
    filled = {name for part in kept.values() for name in part.data_sets}
    unfit = (pattern for pattern in measures if not any(fnmatchcase(name, pattern) for name in known))
    for name in (*unfit, *(name for name in known if name not in filled)):
        own = measure_of(name, measures)
        what = f"no data set {name!r} has scores by {own}; the data sets are {few([*known], 8)}"
        if own is None:
            give = setting("measure", f"{text},{name}=MEASURE")
            what = f"data set {name!r} has no measure; give one to each: {give}"
        raise InputError(f"{first.where}{what}")
    lower = {_lower(part, options): name for name, part in kept.items()}
    if len(lower) > 1:
        raise InputError(
            f"{first.where}lower is better by {lower[True]}, and higher by {lower[False]}; read them apart, "
            f"or give {setting('direction', f'{lower[True]}=higher')} if it is"
        )
    parts = [replace(part, measure=text) for part in kept.values()]
    joined = join(parts, first.where, first.source) if len(parts) > 1 else parts[0]
    directed = replace(options, measure=text, direction=(), lower_is_better=next(iter(lower)))
    return joined, directed, [*kept]


def _lower(part: ScoreMatrix, options: Options) -> bool:
    told = options.lower(part.measure)
    of_format = part.origin is not None and part.origin.lower_is_better
    return told if told is not None else of_format or bool(lower_is_better(part.measure))


# Two series, arrays or dictionaries of one system each

ARMS = ("baseline", "candidate")
"""What two systems are called where nothing names them."""


def side_by_side(baseline: Any, candidate: Any, measure: str | None = None) -> tuple[dict[str, Any], str]:
    """The scores of two systems by name, and the measure that both are named like.

    ``{topic: score}``, series and frames with a column of topics are matched by topic, arrays by place.
    """
    pair = (baseline, candidate)
    if not all(hasattr(one, "iloc") for one in pair):
        return dict(zip(ARMS, pair, strict=True)), ""
    columns = [_series(one, measure) for one in pair]
    names = [str(one.name) for one in columns]
    if names[0] != names[1]:
        if all(map(is_measure_alone, names)):
            raise InputError(
                f"the candidate holds scores by {names[1]!r}, and the baseline scores by {names[0]!r}; give "
                "scores of one measure, called alike"
            )
        return dict(zip(names, columns, strict=True)), ""
    return dict(zip(ARMS, columns, strict=True)), "" if columns[0].name is None else shared_heading(names)


def _series(scores: Any, measure: str | None) -> Any:
    """A series, or the column of scores of a frame, by topic where another column holds the topics."""
    if scores.ndim > 1:
        topics = [name for name in scores.columns if has_role(str(name), "topic")]
        if topics and scores.shape[1] > 1:
            scores = scores.set_index(topics[0])
        names = [str(name) for name in scores.columns]
        if len(names) > 1 and measure not in names:
            raise InputError(
                f"a frame of one system has several columns of scores: {few(names, 8)}; choose one, such as "
                f"{setting('measure', names[0])}"
            )
        scores = scores.iloc[:, names.index(measure) if measure in names else 0]
    return scores.rename(index=str)
