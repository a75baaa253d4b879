"""Which format a file, a folder or an object is of, and its scores."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from truerank._support.arguments import either, setting
from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError, reading
from truerank.readers.formats.format import FORMATS, ScoreFormat, fitting_formats
from truerank.readers.formats.source import Source
from truerank.readers.joining import join_systems
from truerank.readers.options import COLUMNS, Options
from truerank.scores import ScoreMatrix


class SeveralDataSetsError(InputError):
    """A file of a folder, where each should be a data set, has several."""


def read_files(files: Sequence[str | Source], options: Options) -> ScoreMatrix:
    """The scores of one table, or of several files of one system or more each."""
    sources: list[Source] = []
    formats = []
    for file in files:
        path = file.path if isinstance(file, Source) else file
        if path in {source.path for source in sources}:
            raise InputError(f"{path}: given twice; give every system once")
        sources.append(file if isinstance(file, Source) else Source(file))
        with reading(path):
            formats.append(format_of(sources[-1], options.format))
        if len(files) > 1 and "files" not in formats[-1].takes and not formats[-1].tabular:
            raise InputError(
                f"{path}: this is {formats[-1].label}, and several cannot be read as one. Give one table, a "
                "folder with one table for each data set, or one trec_eval file per system"
            )
        if formats[-1] is not formats[0]:
            raise InputError(
                f"{path}: this is {formats[-1].label}, and {sources[0].path} is {formats[0].label}; "
                "give files of one format, or make tables of them first"
            )
    if len(sources) > 1 and "files" not in formats[0].takes:
        with reading(sources[0].path):
            return join_systems(
                [one.path for one in sources], [read_as(formats[0], [one], options) for one in sources]
            )
    return read_as(formats[0], sources, options)


def format_of(source: Source, name: str | None = None) -> ScoreFormat:
    """The format of a file."""
    if name is not None:
        found = FORMATS.find(name)
        if found.read is None or found.takes == ("folder",):
            raise InputError(
                f"{source.path}: {setting('format', name)}: {found.label} is not a file; name another format"
            )
        return found
    fitting = fitting_formats(source, "file")
    if all(one.general for one in fitting):
        _refuse_lookalike(source)
    return _choose(fitting, source.path) or _unknown(source)


def folder_format(source: Source, name: str | None = None) -> ScoreFormat | None:
    """The format of a folder as a whole; None where its files are to be looked at one by one."""
    found = _found(source, "folder", name)
    return found if found is not None and "folder" in found.takes else None


def takes_several(source: Source, name: str | None = None) -> bool:
    """Whether a file is of a format of which several files make one table of more systems."""
    found = None if source.is_folder else _found(source, "file", name)
    return found is not None and "files" in found.takes


def _found(source: Source, kind: str, name: str | None) -> ScoreFormat | None:
    return FORMATS.find(name) if name is not None else _choose(fitting_formats(source, kind), source.path)


def read_object(thing: Any, options: Options) -> ScoreMatrix:
    """The scores of a Python object."""
    if isinstance(thing, Iterator):
        thing = list(thing)  # ir_measures.iter_calc: looking at it would use it up
    elif getattr(getattr(thing, "index", None), "nlevels", 1) > 1 and not hasattr(thing, "columns"):
        thing = thing.to_frame("score" if thing.name is None else thing.name)  # a group's means, say
    elif isinstance(thing, Mapping) and any(isinstance(inner, Iterator) for inner in thing.values()):
        thing = {name: list(inner) if isinstance(inner, Iterator) else inner for name, inner in thing.items()}
    if options.format is not None:
        found: ScoreFormat | None = FORMATS.find(options.format)
        if found is not None and found.read_object is None:
            raise InputError(f"format {options.format!r} is read from files; give a path")
    else:
        of_objects = [(one, one.recognizes_object) for one in FORMATS.values()]
        found = _choose([one for one, fits in of_objects if fits and fits(thing)], "this object")
    if found is None or found.read_object is None:
        kind = "this dictionary"
        if not isinstance(thing, Mapping):
            kind = f"an object of type {type(thing).__name__}"
        raise InputError(
            f"scores cannot be read from {kind}; give system → topic → score, a data frame or an array"
        )
    return _checked(found, _called(found, found.read_object(thing, options)), options)


def _choose(fitting: Sequence[ScoreFormat], what: str) -> ScoreFormat | None:
    """The only one, or the only one that gives way to no other."""
    special = [one for one in fitting if not one.general] or list(fitting)
    if len(special) > 1:
        either = " or ".join(one.label for one in special)
        names = " or ".join(setting("format", one.name) for one in special)
        raise InputError(f"{what}: this may be {either}; say which with {names}")
    return special[0] if special else None


def read_as(found: ScoreFormat, sources: Sequence[Source], options: Options) -> ScoreMatrix:
    """The scores of files or a folder of one format."""
    if found.read is None:
        raise InputError(f"{sources[0].path}: {found.label} cannot be read from files; name another format")
    with reading(", ".join(source.path for source in sources)):
        raw = _checked(found, _called(found, found.read(found.files_of(sources), options)), options)
        if any(source.joins_names for source in sources):
            raw = raw.noting(Note("reading", {"case": "names-by-accents"}))
        return raw


def _called(found: ScoreFormat, raw: ScoreMatrix) -> ScoreMatrix:
    """The scores with what the format calls its topics."""
    return raw if found.noun == "topic" else replace(raw, noun=found.noun)


def _checked(found: ScoreFormat, raw: ScoreMatrix, options: Options) -> ScoreMatrix:
    """The scores under the name that their data set has from elsewhere."""
    if options.transpose is not None and not found.transposes:
        raise InputError(
            f"{raw.where}this is {found.label}, whose systems are known; leave out "
            f"{setting('transpose', options.transpose)}"
        )
    of_columns = options.given(*COLUMNS, "cluster", "family", "missing_value")
    if of_columns and not found.tabular:
        raise InputError(
            f"{raw.where}this is {found.label}, whose columns are known; leave out {few(of_columns)}"
        )
    if options.topics is not None and not found.lists_some:
        raise InputError(
            f"{raw.where}{found.label} has all its topics; leave out {setting('topics', options.topics)}"
        )
    if options.data_set is None:
        return raw
    own = raw.data_sets
    if len(own) > 1:
        raise SeveralDataSetsError(
            f"{raw.where}holds {len(own)} data sets of its own ({few(own)}), but in a folder each file is "
            "one; give this file alone, or split it"
        )
    name, origin = options.data_set, raw.origin
    if origin is not None:
        weights, families = origin.weights, origin.families
        origin = replace(
            origin,
            weights=None if weights is None else {name: weights[own[0]]},
            families=None if families is None else {name: families[own[0]]},
        )
    return replace(raw, data_sets=(name,), strata=np.zeros(raw.n, np.intp), origin=origin)


def _refuse_lookalike(source: Source) -> None:
    """Say what a file is that holds no scores, but what scores are made of."""
    cells = source.first_line.split()
    if len(cells) == 6 and cells[1] in ("Q0", "0"):
        remedy = either("truerank.evaluate makes scores of it with judgments", "give judgments with --qrels")
        raise InputError(f"{source.path}: this is a run, not scores; {remedy}")
    if len(cells) == 4 and cells[1] in ("0", "Q0") and cells[3].lstrip("-").isdigit():
        remedy = either("truerank.evaluate makes scores of runs with them", "give the runs, and --qrels")
        raise InputError(f"{source.path}: these are judgments, not scores; {remedy}")


def _refuse_documents(source: Source) -> None:
    """Say of a file that no format of scores fits where it holds what scores are made of."""
    from truerank.readers.run_formats.run_format_registry import RUN_FORMATS, holds_judgments, holds_run

    # A head alone can't tell topic → document → score from other dictionaries that begin with a number.
    if source.looks_like_json and RUN_FORMATS["json"].fits(source, "run") and not _holds_numbers(source):
        return
    run, judgments = holds_run(source), holds_judgments(source)
    if not (run or judgments):
        return
    what = (
        "a run or judgments (documents of topics)" if run and judgments else "a run" if run else "judgments"
    )
    remedy = either(
        "truerank.evaluate makes scores of runs and judgments", "give runs, and judgments with --qrels"
    )
    raise InputError(f"{source.path}: this reads as {what}, not as scores; {remedy}")


def _holds_numbers(source: Source) -> bool:
    """Whether a file is one object of objects of numbers."""
    document = source.document
    return isinstance(document, dict) and all(
        isinstance(one, dict) and all(isinstance(value, int | float) for value in one.values())
        for one in document.values()
    )


def _unknown(source: Source) -> ScoreFormat:
    """Say why a file is of no format that is known."""
    if source.is_folder:
        raise InputError(f"{source.path}: this is a folder; give the files, or the folder alone")
    if source.looks_like_json and source.first_record is None:
        _ = source.json  # where it is broken, this says so
    _refuse_documents(source)
    _ = source.text  # where it is no text, this says so
    if not source.looks_like_json:
        raise InputError(
            f"{source.path}: nothing in it looks like scores; name its format with {setting('format')}"
        )
    what = "JSON" if source.first_record is None else "JSON lines"
    remedy = either(
        "from Python, truerank.read_scores(pandas.DataFrame(records)) takes such records",
        "or save them as CSV, TSV or Parquet",
    )
    raise InputError(
        f"{source.path}: this is {what}, but of no format that is known. Write a list of records, "
        '[{"topic": …, "system": …, "score": …}, …], or system → topic → score, {"A": {"q1": 0.5}, …}; '
        f"{remedy}"
    )
