"""Lists of resolved ids, as SWE-bench's harness and its archive of submissions have them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.formats.agents import is_terminal_bench
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    json_lines,
    within,
)
from truerank.readers.formats.source import Source
from truerank.readers.names import refuse_second_file
from truerank.readers.options import Options
from truerank.readers.roles import TOPIC, TOPIC_FIRST, find
from truerank.scores import ScoreMatrix

_SUBMISSION = "results.json"
_SOLVED = ("resolved_ids", "resolved")
_GENERIC = ("results", "report", "final_report", "eval", "evaluation", "logs")
"""What files and folders are called, whichever system they are of."""


def _is_ids(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def _is_map(document: Any) -> bool:
    """Whether a document is instance → outcome, each with a truth value `resolved`."""
    return (
        isinstance(document, dict)
        and bool(document)
        and all(isinstance(one, dict) and isinstance(one.get("resolved"), bool) for one in document.values())
    )


def _recognizes(source: Source) -> bool:
    document = source.document
    if is_terminal_bench(document):  # which lists resolved ids, too
        return False
    return any(_is_ids(within(document, key)) for key in _SOLVED) or _is_map(document)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = _files(sources)
    if not files:
        raise InputError(f"{sources[0].given}: no lists of resolved ids; give the reports of SWE-bench")
    roots = [Path(source.given).resolve() for source in sources if source.given != source.path]
    reports: dict[str, _Report] = {}
    paths: dict[str, str] = {}
    seen: dict[tuple[str, str], str] = {}
    for source in files:
        report = _report(source.json, f"{source.path}: ")
        source.forget()
        folder = Path(source.path).resolve().parent
        if report.whole and report.tried == [folder.name]:  # MODEL/INSTANCE/report.json of the harness
            name = folder.parent.name
        else:
            name = _system_swe_bench(source, roots)
            refuse_second_file(seen, (name, ""), source.path, "swe_bench")
        reports[name] = _together(reports.get(name), report)
        paths[name] = source.path
    scores = Collected(files[0].path)
    topics = dict.fromkeys(one for report in reports.values() for one in report.tried)
    if options.topics:
        topics = dict.fromkeys(_topics(str(options.topics)))
        for name, report in reports.items():
            stranger = next((one for one in report.solved if one not in topics), None)
            if stranger is not None:
                raise InputError(
                    f"{options.topics}: {stranger!r}, which {name!r} resolved, is not among the topics; give "
                    "the file of the same set"
                )
    else:
        scores.note(*_notes(reports, list(topics)))
    for name, report in reports.items():
        done = set(report.solved)
        untried = set() if options.topics else set(report.untried) - done
        for topic in topics:
            value = None if topic in untried else float(topic in done)
            scores.add(name, topic, value, "resolved", source=paths[name])
    return scores.table(options)


@dataclass(frozen=True)
class _Report:
    """What a file says: resolved ids, all that were tried, those that were not, and whether this is all."""

    solved: list[str]
    tried: list[str]
    untried: list[str]
    whole: bool


def _files(sources: Sequence[Source]) -> list[Source]:
    """The files that are of this format; of a folder of submissions each `results.json`, and not its logs."""
    found = []
    for given in dict.fromkeys(source.given for source in sources):
        files = [source for source in sources if source.given == given]
        submissions = [one for one in files if Path(one.path).name == _SUBMISSION and _recognizes(one)]
        found += submissions or [one for one in files if _recognizes(one)]
    return found


def _together(one: _Report | None, other: _Report) -> _Report:
    """What two files say of one system."""
    if one is None:
        return other
    untried = [name for name in [*one.untried, *other.untried] if name not in {*one.tried, *other.tried}]
    solved, tried = [*one.solved, *other.solved], [*one.tried, *other.tried]
    return _Report(solved, tried, untried, one.whole and other.whole)


def _report(document: Any, where: str) -> _Report:
    """The ids of a file."""
    document = an_object(document, where, "the file")
    if _is_map(document):
        return _Report(
            [one for one, found in document.items() if found["resolved"]], list(document), [], True
        )
    key = next(key for key in _SOLVED if _is_ids(document.get(key)))
    solved = [a_name(one, where, "an id") for one in a_list(document[key], where, key)]
    untried = document.get("incomplete_ids")
    untried = untried if _is_ids(untried) else []
    lists = [value for name, value in document.items() if _is_ids(value) and name != "incomplete_ids"]
    tried = list(dict.fromkeys([*solved, *(one for value in lists for one in value)]))
    return _Report(solved, tried, untried, document.get("total_instances") == len({*tried, *untried}))


def _notes(reports: Mapping[str, _Report], tried: Sequence[str]) -> list[Note]:
    """What to say of topics that are not in all files."""
    notes = []
    if not all(report.whole for report in reports.values()):
        notes.append(Note("scores-missing", {"case": "unlisted", "number": len(tried)}))
    left = {one for report in reports.values() for one in report.untried} - set(tried)
    if left:
        notes.append(Note("topics-left-out", {"case": "untried", "number": len(left)}))
    gaps = dict.fromkeys(name for name, report in reports.items() if set(report.untried) & set(tried))
    if gaps:
        notes.append(Note("scores-missing", {"case": "untried", "names": list(gaps)}))
    return notes


def _system_swe_bench(source: Source, roots: Sequence[Path]) -> str:
    """What the system of a file is called: like the file, or the nearest folder with its own name."""
    path = Path(source.path).resolve()
    stem = path.name.removesuffix(".json")
    if stem.casefold() not in _GENERIC:
        return stem
    for folder in path.parents:
        if folder.name.casefold() not in _GENERIC and folder not in roots:
            return folder.name
    return path.parent.name


def _topics(path: str) -> list[str]:
    """The ids in a file: lines, a column, JSON lines, a list in JSON, or the names of an object."""
    source = Source(path)
    found: list[Any]
    document = source.document
    if source.first_record is not None:
        found = [_id(record) for _, record in json_lines(source.text, path)]
    elif isinstance(document, dict):
        lists = [one for one in document.values() if isinstance(one, list)]
        found = [_id(one) for one in lists[0]] if len(lists) == len(document) == 1 else list(document)
    elif source.looks_like_json:
        found = [_id(one) for one in a_list(source.json, f"{path}: ", "the file")]
    elif (column := find(source.header, (*TOPIC, *TOPIC_FIRST))) is not None:
        found = source.sheet.names(column)
    else:
        lines = [line.split(",")[0].strip() for line in source.text.splitlines() if line.strip()]
        found = lines[1:] if find(lines[:1], TOPIC) is not None else lines
    topics = [a_name(one, f"{path}: ", "an id") for one in found]
    if len(topics) < 2:
        raise InputError(f"{path}: {count(len(topics), 'topic')} ({few(topics)}); write one id per line")
    return topics


def _id(one: Any) -> Any:
    """The id of a topic, which may stand in an object."""
    if not isinstance(one, dict):
        return one
    names = list(one)
    at = find(names, TOPIC)
    return None if at is None else one[names[at]]


SWE_BENCH = declared("swe_bench", recognizes=_recognizes, read=_read)
