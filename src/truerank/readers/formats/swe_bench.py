"""Lists of resolved ids, as SWE-bench's harness and its archive of submissions have them."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truerank._support.arguments import setting
from truerank._support.files import decode, read_bytes
from truerank._support.wording import count, few
from truerank.errors import InputError
from truerank.readers.columns import TOPIC, Asked, find
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object, parse_json
from truerank.readers.formats.source import Source
from truerank.readers.formats.tool_files import any_file, files_of
from truerank.readers.names import choose_names
from truerank.readers.raw_scores import RawScores

_SOLVED = ("resolved_ids", "resolved")
_GENERIC = ("results", "report", "eval", "evaluation", "logs")
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


def _named(path: Path) -> bool:
    return path.suffix == ".json"


def _recognises(source: Source) -> bool:
    if source.is_folder:
        return any_file(source, _named, _recognises)
    document = source.document
    if not isinstance(document, dict):
        return False
    return any(_is_ids(document.get(key)) for key in _SOLVED) or _is_map(document)


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    files = [one for one in files_of(sources, _named, "lists of resolved ids") if _recognises(one)]
    if not files:
        raise InputError(f"{sources[0].path}: no lists of resolved ids; give the reports of SWE-bench")
    roots = [Path(source.path).resolve() for source in sources if source.is_folder]
    names, notes = choose_names(
        [_system(source, roots) for source in files], [source.path for source in files], "name"
    )
    scores = Collected(files[0].path)
    scores.notes += notes
    solved: dict[str, list[str]] = {}
    listed: dict[str, None] = {}
    complete = True
    for source, name in zip(files, names, strict=True):
        ids, others, whole = _outcomes(source.json, f"{source.path}: ")
        solved[name] = ids
        listed |= dict.fromkeys([*ids, *others])
        complete = complete and whole
        source.forget()
    topics = list(dict.fromkeys(_topics(asked.topics))) if asked.topics else list(listed)
    stranger = next(
        ((name, one) for name, ids in solved.items() for one in ids if one not in set(topics)), None
    )
    if stranger is not None:
        raise InputError(
            f"{asked.topics}: {stranger[1]!r}, which {stranger[0]!r} resolved, is not among the topics; "
            "give the file of the same set"
        )
    if not asked.topics and not complete:
        scores.notes.append(
            f"topics are the {len(topics)} that some file lists, so those that none solved may lack; give "
            f"all with {setting('topics', 'FILE')}"
        )
    for name, ids in solved.items():
        done = set(ids)
        path = files[names.index(name)].path
        for topic in topics:
            scores.add(name, topic, float(topic in done), "resolved", source=path)
    return scores.raw(asked)


def _outcomes(document: Any, where: str) -> tuple[list[str], list[str], bool]:
    """Resolved ids, others that are listed, and whether these are all.

    Raises:
        InputError: an id that is no name.
    """
    document = an_object(document, where, "the file")
    if _is_map(document):
        return [one for one, found in document.items() if found["resolved"]], list(document), True
    key = next(key for key in _SOLVED if _is_ids(document.get(key)))
    ids = [a_name(one, where, "an id") for one in a_list(document[key], where, key)]
    others = [one for value in document.values() if _is_ids(value) for one in value]
    total = document.get("total_instances")
    return ids, others, isinstance(total, int) and total == len({*ids, *others})


def _system(source: Source, roots: Sequence[Path]) -> str:
    """What the system of a file is called: like the file, or the nearest folder with a name of its own."""
    path = Path(source.path).resolve()
    stem = path.name.removesuffix(".json")
    if stem.casefold() not in _GENERIC:
        return stem
    for folder in path.parents:
        if folder.name.casefold() not in _GENERIC and folder not in roots:
            return folder.name
    return path.parent.name


def _topics(path: str) -> list[str]:
    """The ids in a file: one per line, a list in JSON, or JSON lines with an id each.

    Raises:
        InputError: none, or something else.
    """
    text = decode(read_bytes(path), path)
    found: list[Any]
    if text.lstrip().startswith("["):
        found = [one.get("instance_id") if isinstance(one, dict) else one for one in parse_json(text, path)]
    elif text.lstrip().startswith("{"):
        records = [json.loads(line) for line in text.splitlines() if line.strip()]
        names = list(records[0])
        at = find(names, TOPIC)
        found = [None if at is None else record.get(names[at]) for record in records]
    else:
        lines = [line.split(",")[0].strip() for line in text.splitlines() if line.strip()]
        found = lines[1:] if find(lines[:1], TOPIC) is not None else lines
    topics = [a_name(one, f"{path}: ", "an id") for one in found]
    if len(topics) < 2:
        raise InputError(f"{path}: {count(len(topics), 'topic')} ({few(topics)}); write one id per line")
    return topics


SWE_BENCH = ScoreFormat(
    "swe_bench",
    "a list of resolved ids (SWE-bench)",
    "A file per system with the ids that it resolved: resolved or resolved_ids, or id → resolved. Other ids "
    "count 0: those of a file of topics, or else those that some file lists.",
    ("files", "folder"),
    _recognises,
    _read,
)
