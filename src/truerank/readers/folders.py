"""A folder that is of one format, or one with the scores of a data set in each file or folder."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.checks import one_measure
from truerank.readers.formats.format import (
    SeveralDataSetsError,
    folder_format,
    read_as,
    read_files,
    takes_several,
)
from truerank.readers.formats.source import Source
from truerank.readers.joining import check_topics, join, measure_of
from truerank.readers.measures import Short, known
from truerank.readers.names import file_stem
from truerank.readers.options import Options, UnsureError
from truerank.readers.records import over_runs
from truerank.readers.roles import (
    NAMES,
    has_role,
    is_measure,
    is_property,
    lower_is_better,
    measures_beside,
    named_as_measure,
)
from truerank.scores import ScoreMatrix

_RUN = Short(r"(seed|fold|cv|split|rep|repeat|replicate)[\s#_=.-]*\d+", re.IGNORECASE)
"""What files and folders of runs or folds are called."""

_RUN_OF_TABLE = Short(
    r"(?P<of>.*?)(?<![^\W_])(?P<word>[^\W\d_]+)?[\s#_=.-]*(?P<number>\d+)",
    re.IGNORECASE,
)
"""A counted file, which may be a run of several systems."""

_RUNS = {*NAMES["numbered_runs"], *NAMES["repeats"], "rep", "cv"} - {"bootstrap", "resample"}
_SETS = {"set", "dataset", "data", "task", "collection", "corpus", "bench", "benchmark", "d", "t"}
"""Words of counted files that are data sets."""


def _counted(names: Sequence[str]) -> str | None:
    """The word that counted files share; None for words not of runs unless they count from 0 or 1.

    >>> _counted(["run1", "run2"]), _counted(["gpt_seed42", "gpt_seed7"]), _counted(["robust04", "robust05"])
    ('run', 'seed', None)
    """
    found = [one for one in map(_RUN_OF_TABLE.fullmatch, names) if one is not None]
    alike = {(one["of"], one["word"] or "") for one in found}
    if len(found) < len(names) or len(alike) != 1:
        return None
    word, numbers = alike.pop()[1].casefold(), sorted(int(one["number"]) for one in found)
    in_order = numbers in ([*range(len(names))], [*range(1, len(names) + 1)])
    return word if in_order or word in _RUNS else None


_UNLIKE = 10
"""Tables of so many different scores are not equal by chance."""

_TABLE = re.compile(r"\.(csv|tsv|tab|parquet|pq)(\.gz)?$", re.IGNORECASE)

_DOCUMENTS = (
    ".py",
    ".log",
    ".sh",
    ".yaml",
    ".yml",
    ".toml",
    ".ipynb",
    ".pdf",
    ".gif",
    ".png",
    ".jpg",
    ".jpeg",
    ".svg",
    ".html",
    ".rst",
    ".docx",
)
"""Endings of files beside scores that hold none."""

_BESIDE = re.compile(
    r"(config|args|settings|params|hyperparameters|meta|metadata)\.json|(log|logs|notes|readme|license|requirements)(\.txt)?",
    re.IGNORECASE,
)
"""Files beside tables that hold none."""


def tables_by_measure(paths: Sequence[str]) -> dict[str, str]:
    """Files, or those of one folder, that are each called like another measure, as by `evaluate -o`."""
    sources = [Source(path) for path in paths]
    if len(sources) == 1 and sources[0].is_folder:
        sources = list(sources[0].entries)
    names = [file_stem(source.path) for source in sources]
    measures = _measures(names)
    if len({*measures}) < max(2, len(sources)) or any(source.is_folder for source in sources):
        return {}
    return {name: source.path for name, source in zip(measures, sources, strict=True)}


def _measures(names: Sequence[str]) -> list[str]:
    """The measures that names are but for their common beginning; empty where they are not.

    >>> _measures(["web2010_ap", "web2010_p10"]), _measures(["exam_p1", "exam_p2"]), _measures(["nq", "fiqa"])
    (['ap', 'p10'], [], [])
    >>> _measures(["bleu", "comet"]), _measures(["bleu-mbr", "comet-mbr"]), _measures(["RankSVM", "RankNet"])
    (['bleu', 'comet'], [], [])
    """
    if all(is_measure(name) or named_as_measure(name) for name in names) and any(
        map(named_as_measure, names)
    ):
        return list(names)
    words = [re.split(r"[\s_.-]+", name) for name in names]
    alike = next((k for k, of in enumerate(zip(*words, strict=False)) if len({*of}) > 1), 0)
    ends = ["_".join(of[alike:]) for of in words]
    spelled = [re.sub(r"(?<=[a-z])(\d+)$", r"@\1", end, flags=re.IGNORECASE) for end in ends]
    return ends if all(map(known, spelled)) and any(map(known, ends)) else []


_COPY = Short(
    r"(?P<of>.+?)\s*(\(\d+\)|~|[\s_.-]+(old|orig|bak|backup|copy|copy[ _]\d+))",
    re.IGNORECASE,
)
"""What copies and backups of files are called."""

_SPLITS = {"train", "dev", "val", "valid", "validation", "test"}


def _check_names(sources: Sequence[Source], where: str) -> None:
    """Refuse files that their names make copies of others, splits or measures."""
    names = {
        Path(one.path).name if one.is_folder else file_stem(one.path): Path(one.path).name for one in sources
    }
    splits: dict[tuple[str, ...], str] = {}
    for name, file in names.items():
        copied = _COPY.fullmatch(name)
        of = names.get(file_stem(copied["of"])) if copied is not None else None
        if of is not None and (where or len(sources) > 2):  # two files that are named may be compared
            raise InputError(
                f"{where}{file} is a copy of {of} by its name; remove it, or rename it if it is not one"
            )
        words = [word.casefold() for word in re.split(r"[\s_.-]+", name)]
        rest = tuple(word for word in words if word not in _SPLITS)
        if len(rest) < len(words) and (other := splits.setdefault(rest, file)) != file:
            raise InputError(
                f"{where}{other} and {file} are splits of the same by their names; give those of one "
                "split, or rename them if they are not"
            )
    # Files that are named may be systems called f1 and f2.
    counted = not where and len({name.rstrip("0123456789") for name in names}) == 1
    if len(names) > 1 and not counted and (_measures(list(names)) or any(measures_beside(list(names)))):
        raise InputError(
            f"{where}files named like measures ({few(list(names))}), where each should be a data set or "
            "system; give the files of one measure"
        )


def read_folder(source: Source, options: Options) -> ScoreMatrix:
    """The scores of a folder: of one format as a whole, or each file a data set, in the order of their names.

    Where each file is one system, as in trec_eval's output, they are systems of one data set. So are folders
    that each hold one such file, all of one name. Files and folders that are called ``seed1``, ``fold_2`` are
    runs or folds. Other inner folders are data sets.
    """
    whole = folder_format(source, options.format)
    if whole is not None:
        return read_as(whole, [source], options)
    entries, documents = _without_documents(source.entries)
    raw = _of_entries(source, entries, options)
    left = {"case": "beside-tables", "names": documents}
    return raw.noting(Note("parts-left-out", left, "info")) if documents else raw


def _of_entries(source: Source, entries: Sequence[Source], options: Options) -> ScoreMatrix:
    """The scores in some files and folders of a folder."""
    if not any(entry.is_folder for entry in entries) and _take_several(entries, options):
        try:
            return read_files(entries, options)
        except UnsureError as error:  # records of several systems, as in a table for each data set
            try:
                systems = [name for entry in entries for name in read_files([entry], options).systems]
            except InputError:
                raise error from None
            names = [re.split(r"[./]", name)[-1] for name in systems]
            if len(systems) < 2 * len(entries) or any(
                is_measure(name) or is_property(name, True) for name in names
            ):
                raise
    _check_names(entries, f"{source.path}: ")
    raw = _of_runs(entries, options, source.path) or _of_parts(source, entries, options)
    inner = {Path(file.path).name for entry in entries if entry.is_folder for file in entry.entries}
    beside = sorted(inner - {Path(file.path).name for entry in entries for file in _inside(entry)})
    return raw.noting(Note("parts-left-out", {"case": "beside-tables", "names": beside})) if beside else raw


def _without_documents(entries: Sequence[Source]) -> tuple[tuple[Source, ...], list[str]]:
    """The entries of a folder that may hold scores, and the names of the documents beside them."""
    files = [entry for entry in entries if not entry.is_folder]
    tables = any(_TABLE.search(entry.path) for entry in files)
    documents = [
        entry
        for entry in files
        if _is_document(Path(entry.path)) or (tables and _BESIDE.fullmatch(Path(entry.path).name))
    ]
    left = tuple(entry for entry in entries if entry not in documents)
    return (left, [Path(one.path).name for one in documents]) if left else (tuple(entries), [])


def _is_document(path: Path) -> bool:
    """Whether a file is a picture, a page, or a text without a line that ends in a number."""
    ending = path.suffix.casefold()
    if ending not in (".md", ".txt"):
        return ending in _DOCUMENTS
    text = path.read_bytes()[:100_000].decode("utf-8", "replace")
    return re.search(r"[\s,;|]-?[\d.]+[\s|%]*$", text, re.MULTILINE) is None


def _inside(entry: Source) -> tuple[Source, ...]:
    """The files of a folder, or the only table among them; a file is what it holds."""
    files = entry.entries if entry.is_folder else (entry,)
    tables = tuple(file for file in files if not file.is_folder and _TABLE.search(file.path))
    return tables if len(tables) == 1 else files


def _of_parts(source: Source, entries: Sequence[Source], options: Options) -> ScoreMatrix:
    """Each file or inner folder is a data set, or each is a system."""
    names: dict[str, Source] = {}
    for entry in entries:
        name = Path(entry.path).name if entry.is_folder else file_stem(entry.path)
        if name in names:
            raise InputError(
                f"{entry.path}: data set {name!r} is also in {names[name].path}; rename or remove one"
            )
        names[name] = entry
    files = _files_of_systems(entries)
    if options.of_data_sets is not None:  # the others are read by their own measures
        own = [name for name in names if measure_of(name, options.of_data_sets) in (options.measure, None)]
        names = {name: names[name] for name in own or names}
    try:
        parts = {name: _read_entry(entry, replace(options, data_set=name)) for name, entry in names.items()}
    except SeveralDataSetsError as error:
        try:  # each file may be a system, with all data sets
            return read_files(files or entries, options)
        except InputError:
            raise error from None
    tables: dict[tuple[tuple[str, ...], bytes], str] = {}
    for name, part in parts.items():
        same = tables.setdefault((part.systems, part.values.tobytes()), name)
        if same != name and part.battles is None and len(np.unique(part.values)) >= _UNLIKE:
            raise InputError(
                f"{names[name].path}: holds the same scores as {names[same].path}; remove one of the two"
            )
    _ask_of_counted(parts, source.path)
    if len(files) == len(parts) and _of_one_system(list(parts.values()), files, options):
        raw = read_files(files, options)
        return replace(raw, notes=(Note("reading", {"case": "files-of-systems"}), *raw.notes))
    named = [
        replace(part, notes=tuple(note.of_source(name) for note in part.notes))
        for name, part in parts.items()
    ]
    return join(named, f"{source.path}: ", source.path)


def _ask_of_counted(parts: dict[str, ScoreMatrix], folder: str) -> None:
    """Refuse counted files of the same topics and systems, which may be runs or data sets."""
    word, each = _counted([*parts]), [*parts.values()]
    alike = len({(part.topics, part.systems) for part in each}) == 1 and len(each) > 1
    if word is None or word in _SETS or not alike or each[0].m < 2 or any(part.unnamed for part in each):
        return
    raise InputError(
        f"{folder}: files that are counted ({few([*parts])}) have the same topics and systems. "
        "If they are runs, call them run1, run2 and so on; if they are data sets, call each by its name"
    )


def read_several(files: Sequence[Source], options: Options) -> ScoreMatrix:
    """The scores of files that are given one by one: of a system each, or runs by their names."""
    if _take_several(files, options):
        return read_files(files, options)
    _check_names(files, "")
    stems = [file_stem(file.path) for file in files]
    runs = all(map(_RUN.fullmatch, stems)) or _counted(stems) in _RUNS
    folder = str(Path(files[0].path).parent)
    return (_of_runs(files, options, folder) if runs else None) or read_files(files, options)


def _of_runs(entries: Sequence[Source], options: Options, folder: str) -> ScoreMatrix | None:
    """Runs or folds by the names of their files or folders; None where the entries are others.

    Each is a table of the same systems, or a file of one system: a folder for each run, or for each system.
    Files of scores of one system are called like their folder. Folds share no topics, so their topics are
    joined.
    """
    where = f"{folder}: "
    outer = [Path(entry.path).name if entry.is_folder else file_stem(entry.path) for entry in entries]
    pairs = [(name, file) for name, entry in zip(outer, entries, strict=True) for file in _inside(entry)]
    inner = [file_stem(file.path) for _, file in pairs]
    by_outer, by_inner = (all(map(_RUN.fullmatch, names)) for names in (outer, inner))
    of_systems = by_outer != by_inner and all(entry.is_folder for entry in entries)
    counted = _counted(outer)
    of_tables = not by_outer and counted in _RUNS
    one_each = (by_outer or of_tables) and len({*outer}) == len(pairs) == len(entries)
    if len(entries) < 2 or any(file.is_folder for _, file in pairs) or not (of_systems or one_each):
        return None
    paths, parts = [file.path for _, file in pairs], [read_files([file], options) for _, file in pairs]
    if any(part.battles is not None for part in parts) or options.of_data_sets is not None:
        return None
    shared = set.intersection(*({*part.systems} for part in parts))
    tables = one_each and bool(shared)
    if of_tables and one_each:
        keys = [{*part.keys} for part in parts]
        if len(shared) < 2 or any(part.unnamed or part.data_sets for part in parts) or not keys[0] & keys[1]:
            return None
    if not tables and not of_systems:
        return None
    folds = tables and len({key for part in parts for key in part.keys}) == sum(part.n for part in parts)
    for path, part in zip(paths, parts, strict=True):
        what = "topics without names" if part.unnamed == "table" else ""
        what = what or ("" if tables or part.m == 1 else f"{part.m} systems")
        if not folds and (part.repeats is not None or part.facets is not None or part.data_sets):
            what = what or "its own runs, facets or data sets"
        if what:
            raise InputError(
                f"{path}: {what}, where each file is a run or fold by its name. Write one table with columns "
                "topic, system, run and score"
            )
    case = "files-as-runs" if tables else "folders-as-runs" if by_outer else "folders-as-systems"
    note = Note("reading", {"case": case, "names": outer})
    if tables and all(part.m == 1 and _of_scores(part.systems[0], options) for part in parts):
        measure, system = one_measure([*zip(paths, parts, strict=True)]), Path(folder).resolve().name
        parts = [replace(part, systems=(system,), measure=measure) for part in parts]
    if folds:
        return join(parts, where, folder).noting(note)
    runs = [name for name, _ in pairs] if by_outer or of_tables else inner
    if not tables:
        measure = one_measure([*zip(paths, parts, strict=True)])
        names = inner if by_outer else [name for name, _ in pairs]
        parts = [
            replace(one, systems=(name,), measure=measure) for one, name in zip(parts, names, strict=True)
        ]
    check_topics(paths, parts)
    found = join(parts, where, folder, runs, over_runs(options.measure))
    if found.repeats is not None and found.repeats.counts.max() == 1:  # folds with different topics
        found = replace(found, repeats=None)
    return replace(found, notes=(note, *found.notes))


def _of_one_system(parts: Sequence[ScoreMatrix], files: Sequence[Source], options: Options) -> bool:
    """Whether each of several files is one system and not one data set: by its name, or a name of scores."""
    if len(parts) < 2 or any(len(part.systems) > 1 for part in parts):
        return False
    (name, *others) = {part.systems[0] for part in parts}
    if others or name == file_stem(files[0].path) or _of_scores(name, options):
        return True
    columns = all(part.reading is not None and part.reading.systems == "the columns" for part in parts)
    if not columns or any(part.origin is not None and part.origin.weights for part in parts):
        return False  # another column names the system, or the weight of a data set
    if re.search(r"\d|\S-\S", name):
        raise InputError(
            f"{Path(files[0].path).parent}: each file has one column of scores, {name!r}. Use "
            f"{setting('score_column', name)} if the files are systems. If they are data sets, write one "
            "table with columns data_set, topic, system and score"
        )
    return True


def _of_scores(name: str, options: Options) -> bool:
    """Whether a column is called like scores, and not like a system."""
    named = name == options.score_column or has_role(name, "value", "score_by_meaning")
    return named or is_measure(name) or lower_is_better(name) is not None


def _take_several(files: Sequence[Source], options: Options) -> bool:
    return all(takes_several(file, options.format) for file in files)


def _files_of_systems(entries: Sequence[Source]) -> list[Source]:
    """All entries, where they are files, or the files of folders that hold one each, all of one name."""
    files = [_inside(entry) for entry in entries]
    alone = [of[0] for of in files if len(of) == 1 and not of[0].is_folder]
    one_name = len({Path(file.path).name for file in alone}) == 1
    return alone if len(alone) == len(entries) and (one_name or [*alone] == [*entries]) else []


def _read_entry(entry: Source, options: Options) -> ScoreMatrix:
    if not entry.is_folder:
        return read_files([entry], options)
    whole = folder_format(entry, options.format)
    if whole is not None:
        return read_as(whole, [entry], options)
    files = _inside(entry)
    if len(files) > 1 and not _take_several(files, options):
        folder, file = Path(entry.path), Path(files[0].path)
        here = f"{shlex.quote(str(folder))}/*{file.suffix}", folder.name
        across = f"{shlex.quote(str(folder.parent))}/*/{shlex.quote(file.name)}", file_stem(file.name)
        of_folder, of_files = (
            f"truerank import table {paths} --long -o {shlex.quote(f'{name}.csv')}"
            for paths, name in (here, across)
        )
        raise InputError(
            f"{entry.path}: {len(files)} tables; a folder within the folder holds one. Make a table of each "
            f"data set, with {of_folder} if the folders are data sets, or {of_files} if the files are"
        )
    return read_files(files, options)
