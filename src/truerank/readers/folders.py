"""A folder that is of one format, or one with the scores of a data set in each file or folder."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.battles import joined
from truerank.readers.columns import Options
from truerank.readers.formats.recognizing import (
    SeveralDataSetsError,
    folder_format,
    read_as,
    read_files,
    takes_several,
)
from truerank.readers.formats.source import Source
from truerank.readers.measures import known
from truerank.readers.names import file_stem
from truerank.readers.roles import has_role, is_measure, lower_is_better
from truerank.reading import Origin
from truerank.repeats import Repeats
from truerank.scores import ScoreMatrix

_T = TypeVar("_T")

_SUFFIXES = re.compile(r"(\.(gz|csv|tsv|tab|txt|parquet|pq))+$", re.IGNORECASE)


def data_set_name(path: Path) -> str:
    """What a file's data set is called: ``fiqa.csv.gz`` holds ``fiqa``."""
    return _SUFFIXES.sub("", path.name) or path.name


def read_folder(source: Source, options: Options) -> ScoreMatrix:
    """The scores of a folder: of one format as a whole, or each file a data set, in the order of their names.

    Where each file is one system, as in trec_eval's output, they are systems of one data set. So are folders
    that each hold one such file, all of one name; other inner folders are data sets.
    """
    whole = folder_format(source, options.format)
    if whole is not None:
        return read_as(whole, [source], options)
    entries = source.entries
    if not any(entry.is_folder for entry in entries) and _take_several(entries, options):
        return read_files(entries, options)
    names: dict[str, Source] = {}
    for entry in entries:
        path = Path(entry.path)
        name = path.name if entry.is_folder else data_set_name(path)
        if name in names:
            raise InputError(
                f"{path}: data set {name!r} is also in {names[name].path}; rename or remove one of the two"
            )
        names[name] = entry
    if all(map(known, names)):
        raise InputError(
            f"{source.path}: files named like measures ({few(list(names))}), where each should be a data "
            "set; give one of the files"
        )
    single = _single_files(entries)
    try:
        parts = {name: _read_entry(entry, replace(options, data_set=name)) for name, entry in names.items()}
    except SeveralDataSetsError as error:
        try:  # each file may be a system, with all data sets
            return read_files(single or entries, options)
        except InputError:
            raise error from None
    files = single if len(single) > 1 else [entry for entry in entries if not entry.is_folder]
    if len(files) == len(entries) and (said := _of_one_system(list(parts.values()), files, options)):
        raw = read_files(files, options)
        return replace(raw, notes=(Note("systems-assumed", said), *raw.notes))
    if any(part.battles is not None for part in parts.values()):
        return joined(list(parts.values()), f"{source.path}: ", source.path)
    return join(parts, f"{source.path}: ", source.path)


def _of_one_system(parts: Sequence[ScoreMatrix], files: Sequence[Source], options: Options) -> str:
    """Why each of several files is read as one system and not as one data set; empty where it is not."""
    if len(parts) < 2 or any(len(part.systems) > 1 or part.unnamed for part in parts):
        return ""
    names = {part.systems[0] for part in parts}
    if len(names) > 1 or names == {file_stem(files[0].path)}:
        return "each file holds one system, so files are systems and not data sets"
    # One name that says nothing of scores was written in the files: a single system, on several data sets.
    (name,) = names
    of_scores = name == options.score_column or has_role(name, "value", "score_by_meaning")
    of_scores = of_scores or is_measure(name) or lower_is_better(name) is not None
    topics = [set(part.topics) for part in parts]
    if not of_scores or 2 * len(set.intersection(*topics)) <= max(map(len, topics)):
        return ""
    return "the files share topics, and no name says what the systems are, so each file is one system"


def _take_several(files: Sequence[Source], options: Options) -> bool:
    return all(takes_several(file, options.format) for file in files)


def _single_files(entries: Sequence[Source]) -> list[Source]:
    """The files of folders that hold one each, all of one name; else none."""
    inner = [entry.entries if entry.is_folder else () for entry in entries]
    alone = [files[0] for files in inner if len(files) == 1 and not files[0].is_folder]
    one_name = len({Path(file.path).name for file in alone}) == 1
    return alone if one_name and len(alone) == len(entries) else []


def _read_entry(entry: Source, options: Options) -> ScoreMatrix:
    """The scores of one data set."""
    if not entry.is_folder:
        return read_files([entry], options)
    whole = folder_format(entry, options.format)
    if whole is not None:
        return read_as(whole, [entry], options)
    files = entry.entries
    if len(files) == 1:
        return read_files(files, options)
    odd = next((file for file in files if not takes_several(file, options.format)), None)
    if odd is not None:
        raise InputError(
            f"{odd.path}: not the output of trec_eval -q; a folder within the folder holds one table, or a "
            "file of that output for each system"
        )
    return read_files(files, options)


def join(parts: Mapping[str, ScoreMatrix], where: str, source: str | None) -> ScoreMatrix:
    """The scores of several data sets in one table; systems in order of first appearance.

    A system that a data set does not have gets a block of empty cells there.
    """
    ordered = list(parts.values())
    measure, notes = _one_measure(parts)
    systems = {name: s for s, name in enumerate(dict.fromkeys(x for part in ordered for x in part.systems))}
    starts = np.cumsum([0, *(len(part.topics) for part in ordered)])
    values = np.full((int(starts[-1]), len(systems)), np.nan)
    for start, part in zip(starts.tolist(), ordered, strict=False):
        columns = [systems[system] for system in part.systems]
        values[start : start + len(part.topics), columns] = part.values

    def place(t: int, _: int) -> str:
        return ordered[int(np.searchsorted(starts, t, side="right")) - 1].where

    clustered = any(part.clusters is not None for part in ordered)
    found = ScoreMatrix.build(
        values,
        [topic for part in ordered for topic in part.topics],
        list(systems),
        measure,
        source,
        [*notes, *(note.within(f"{name}: ") for name, part in parts.items() for note in part.notes)],
        holes=True,
        data_sets=[name for name, part in parts.items() for _ in part.topics],
        # Where one table has no clusters, each of its topics is one.
        clusters=[c for part in ordered for c in _clusters(part)] if clustered else None,
        noun="topic" if any(part.noun == "topic" for part in ordered) else "question",
        origin=Origin(
            where,
            place,
            weights=_of_all("weight", ordered, lambda origin: origin.weights),
            families=_of_all("family", ordered, lambda origin: origin.families),
        ),
    )
    return replace(found, repeats=_joined_runs(ordered, starts.tolist(), systems), reading=ordered[0].reading)


def _clusters(part: ScoreMatrix) -> list[int]:
    return list(range(part.n)) if part.clusters is None else part.clusters.tolist()


def _joined_runs(
    parts: Sequence[ScoreMatrix], starts: Sequence[int], systems: Mapping[str, int]
) -> Repeats | None:
    """The runs of all parts; a part without them has one run a cell."""
    if all(part.repeats is None for part in parts):
        return None
    shape = (starts[-1], len(systems))
    counts, variances = np.zeros(shape, dtype=np.intp), np.full(shape, np.nan)
    for start, part in zip(starts, parts, strict=False):
        here = np.ix_(range(start, start + len(part.topics)), [systems[name] for name in part.systems])
        if part.repeats is None:
            counts[here] = ~np.isnan(part.values)
        else:
            counts[here], variances[here] = part.repeats.counts, part.repeats.variances
    known = [part.repeats for part in parts if part.repeats is not None]
    alone = [part.values[~np.isnan(part.values)] for part in parts if part.repeats is None]
    binary = all(one.binary for one in known) and all(np.isin(one, (0, 1)).all() for one in alone)
    return Repeats(counts, variances, known[0].column, known[0].measure, binary)


def _one_measure(parts: Mapping[str, ScoreMatrix]) -> tuple[str, list[Note]]:
    """The measure that all parts are of, and a note on those that name none."""
    named = [part for part in parts.values() if part.measure]
    for part in named:
        if part.measure != named[0].measure:
            raise InputError(
                f"{part.where}measure {part.measure!r}, but {named[0].where.removesuffix(': ')} has "
                f"{named[0].measure!r}; choose one that all files have with {setting('measure')}"
            )
    unnamed = [name for name, part in parts.items() if not part.measure]
    if not named or not unnamed:
        return (named[0].measure if named else ""), []
    said = f"read as {named[0].measure}, as they name no measure: {few(unnamed, 8)}"
    return named[0].measure, [Note("measure-assumed", said)]


def _of_all(
    kind: str, parts: Sequence[ScoreMatrix], given: Callable[[Origin], Mapping[str, _T] | None]
) -> dict[str, _T] | None:
    """What is known of each data set, from all parts together; None where no part says anything."""
    known = [None if part.origin is None else given(part.origin) for part in parts]
    for of, part in zip(known, parts, strict=True):
        if of is None and any(other is not None for other in known):
            raise InputError(f"{part.where}no column of this table gives a {kind}, but others do; add it")
    return {name: value for of in known if of is not None for name, value in of.items()} or None
