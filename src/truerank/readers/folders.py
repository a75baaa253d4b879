"""A folder that is of one format, or one with the scores of a data set in each file or folder."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.battles import joined
from truerank.readers.checks import one_measure
from truerank.readers.formats.format import (
    SeveralDataSetsError,
    folder_format,
    read_as,
    read_files,
    takes_several,
)
from truerank.readers.formats.source import Source
from truerank.readers.joining import check_topics, join, join_systems, measure_of
from truerank.readers.measures import Short, known
from truerank.readers.names import file_stem
from truerank.readers.options import Options
from truerank.readers.records import runs_together
from truerank.readers.roles import has_role, is_measure, lower_is_better
from truerank.scores import ScoreMatrix

_RUN = Short(r"(seed|fold|cv|split|rep|repeat|replicate)[\s#_=.-]*\d+", re.IGNORECASE)
"""What files and folders of runs or folds are called."""

_SUFFIXES = re.compile(r"(\.(gz|csv|tsv|tab|txt|parquet|pq))+$", re.IGNORECASE)


def data_set_name(path: Path) -> str:
    """What a file's data set is called: ``fiqa.csv.gz`` holds ``fiqa``."""
    return _SUFFIXES.sub("", path.name) or path.name


def tables_by_measure(paths: Sequence[str]) -> dict[str, str]:
    """Files, or those of one folder, that are each called like another measure, as by `evaluate -o`."""
    sources = [Source(path) for path in paths]
    if len(sources) == 1 and sources[0].is_folder:
        sources = list(sources[0].entries)
    names = {data_set_name(Path(source.path)): source.path for source in sources}
    named = len(names) == len(sources) > 1 and all(map(is_measure, names))
    return names if named and not any(source.is_folder for source in sources) else {}


def read_folder(source: Source, options: Options) -> ScoreMatrix:
    """The scores of a folder: of one format as a whole, or each file a data set, in the order of their names.

    Where each file is one system, as in trec_eval's output, they are systems of one data set. So are folders
    that each hold one such file, all of one name. Folders of the same topics, each in one file of theirs, are
    systems too, and so are those whose files are called ``seed1``, ``fold_2``. Files called so that share
    systems are their runs or folds. Other inner folders are data sets.
    """
    whole = folder_format(source, options.format)
    if whole is not None:
        return read_as(whole, [source], options)
    entries = source.entries
    if not any(entry.is_folder for entry in entries) and _take_several(entries, options):
        return read_files(entries, options)
    raw = _tables_of_runs(source, options) or _of_runs(entries, options)
    if raw is not None:
        return raw
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
    if options.of_data_sets is not None:  # the others are read by their own measures
        own = {name: measure_of(name, options.of_data_sets) for name in names}
        names = {
            name: entry for name, entry in names.items() if own[name] in (options.measure, None)
        } or names
    try:
        parts = {name: _read_entry(entry, replace(options, data_set=name)) for name, entry in names.items()}
    except SeveralDataSetsError as error:
        try:  # each file may be a system, with all data sets
            return read_files(single or entries, options)
        except InputError:
            raise error from None
    files = single if len(single) > 1 else [entry for entry in entries if not entry.is_folder]
    if len(files) == len(entries) and (why := _of_one_system(list(parts.values()), files, options)):
        raw = read_files(files, options)
        return replace(raw, notes=(Note("reading", {"case": why}), *raw.notes))
    if any(part.battles is not None for part in parts.values()):
        return joined(list(parts.values()), f"{source.path}: ", source.path)
    named = [
        replace(part, notes=tuple(note.of_source(name) for note in part.notes))
        for name, part in parts.items()
    ]
    return join(named, f"{source.path}: ", source.path)


def _tables_of_runs(source: Source, options: Options) -> ScoreMatrix | None:
    """Tables that are runs or folds by their names, and share systems; None where the entries are others.

    Where tables share topics each is a run; of folds the topics are joined.
    """
    entries, where = source.entries, f"{source.path}: "
    of_folders = [entry.entries if entry.is_folder else (entry,) for entry in entries]
    names = [Path(entry.path).name if entry.is_folder else file_stem(entry.path) for entry in entries]
    one_each = all(len(files) == 1 and not files[0].is_folder for files in of_folders)
    if not one_each or len({*names}) < max(2, len(names)) or not all(map(_RUN.fullmatch, names)):
        return None
    paths = [file.path for (file,) in of_folders]
    parts = [read_files(files, options) for files in of_folders]
    if options.of_data_sets is not None or any(part.battles is not None or part.m < 2 for part in parts):
        return None
    if not set.intersection(*({*part.systems} for part in parts)):
        return None
    note = Note("reading", {"case": "files-as-runs", "names": names})
    if any(part.unnamed == "table" for part in parts):
        raise InputError(
            f"{paths[0]}: topics without names, where each file is a run or fold by its name. Name them in a "
            "column 'topic'"
        )
    if len({key for part in parts for key in part.keys}) == sum(part.n for part in parts):
        return join(parts, where, source.path).noting(note)
    if any(part.repeats is not None or part.facets is not None or part.data_sets for part in parts):
        raise InputError(
            f"{where}each file is a run by its name ({few(names)}), and holds runs, facets or data sets of "
            "its own. Write one table with columns topic, system, run and score"
        )
    check_topics(paths, parts)
    named = [
        replace(part, systems=tuple(f"{system}/{name}" for system in part.systems))
        for part, name in zip(parts, names, strict=True)
    ]
    found = runs_together(join(named, where, source.path), "{system}/{run}", options.measure)
    said = [one for one in found.notes if (one.code, one.case) != ("reading", "runs")]
    return replace(found, notes=(note, *said))


def _of_runs(entries: Sequence[Source], options: Options) -> ScoreMatrix | None:
    """Folders of systems with runs or folds as files, by their names, or of folds with systems as files."""
    if len(entries) < 2 or not all(entry.is_folder for entry in entries):
        return None
    files = [(Path(entry.path).name, file) for entry in entries for file in entry.entries]
    if not files or any(file.is_folder for _, file in files):
        return None
    stems = [file_stem(file.path) for _, file in files]
    by_folder = all(map(_RUN.fullmatch, (name for name, _ in files)))
    if by_folder == all(map(_RUN.fullmatch, stems)):
        return None
    names = [
        f"{stem}/{name}" if by_folder else f"{name}/{stem}"
        for (name, _), stem in zip(files, stems, strict=True)
    ]
    parts = [read_files([file], options) for _, file in files]
    for (_, file), part in zip(files, parts, strict=True):
        if part.m != 1 or part.unnamed == "table":
            what = "topics without names" if part.m == 1 else f"{part.m} systems"
            raise InputError(
                f"{file.path}: {what}, where each file is a run or fold of one system by its name. "
                "Write one table with columns topic, system, run and score"
            )
    paths = [file.path for _, file in files]
    measure = one_measure(list(zip(paths, parts, strict=True)))
    parts = [replace(part, systems=(name,), measure=measure) for part, name in zip(parts, names, strict=True)]
    found = runs_together(join_systems(paths, parts), "{system}/{run}", options.measure)
    alone = found.repeats is not None and found.repeats.counts.max() == 1
    if alone:  # folds with topics of their own
        found = replace(found, repeats=None)
    said = [one for one in found.notes if not (one.case == "runs" or (alone and one.code == "averaged"))]
    case = "folders-as-runs" if by_folder else "folders-as-systems"
    note = Note("reading", {"case": case, "names": [Path(entry.path).name for entry in entries]})
    return replace(found, notes=(note, *said))


def _of_one_system(parts: Sequence[ScoreMatrix], files: Sequence[Source], options: Options) -> str:
    """Why each of several files is read as one system and not as one data set; empty where it is not."""
    if len(parts) < 2 or any(len(part.systems) > 1 or part.unnamed for part in parts):
        return ""
    names = {part.systems[0] for part in parts}
    if len(names) > 1 or names == {file_stem(files[0].path)}:
        return "files-of-systems"
    # One name that says nothing of scores was written in the files: a single system, on several data sets.
    (name,) = names
    of_scores = name == options.score_column or has_role(name, "value", "score_by_meaning")
    of_scores = of_scores or is_measure(name) or lower_is_better(name) is not None
    topics = [set(part.topics) for part in parts]
    if not of_scores or 2 * len(set.intersection(*topics)) <= max(map(len, topics)):
        return ""
    return "files-share-topics"


def _take_several(files: Sequence[Source], options: Options) -> bool:
    return all(takes_several(file, options.format) for file in files)


def _single_files(entries: Sequence[Source]) -> list[Source]:
    """The files of folders that hold one each, all of one name; else none."""
    inner = [entry.entries if entry.is_folder else () for entry in entries]
    alone = [files[0] for files in inner if len(files) == 1 and not files[0].is_folder]
    one_name = len({Path(file.path).name for file in alone}) == 1
    return alone if one_name and len(alone) == len(entries) else []


def _read_entry(entry: Source, options: Options) -> ScoreMatrix:
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
