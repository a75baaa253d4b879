"""Query scores of a Quepid case: the CSV export, and what its API gives of cases, scores and snapshots."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.readers.columns import Asked, find, plain
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object
from truerank.readers.formats.source import Source
from truerank.readers.names import choose_names
from truerank.readers.raw_scores import RawScores
from truerank.readers.sheets import TextSheet, is_number

_NONE = frozenset({"", "--", "?", "zsr", "em", "null"})
"""What stands for the score of a query that has none: not rated, or nothing found."""


@dataclass(frozen=True)
class _Score:
    """The score of a query in one case, try or snapshot."""

    system: str
    query: str
    value: Any
    line: int | None = None


def _recognises(source: Source) -> bool:
    header = next(csv.reader(io.StringIO(source.first_line)), [])
    names = [plain(name) for name in header]
    if "case_name" in names and "case_id" in names and "query_text" in names and "score" in names:
        return True
    found = source.document
    if not isinstance(found, dict):
        return False
    return _last_score(found) is not None or _tries(found) is not None or _snapshot(found) is not None


def _last_score(found: dict[str, Any]) -> dict[str, Any] | None:
    score = found.get("last_score", found.get("lastScore"))
    return score if isinstance(score, dict) and "queries" in score else None


def _tries(found: dict[str, Any]) -> list[Any] | None:
    scores = found.get("scores")
    if not isinstance(scores, list) or not scores or not isinstance(scores[0], dict):
        return None
    return scores if {"try_id", "queries"} <= scores[0].keys() else None


def _snapshot(found: dict[str, Any]) -> list[Any] | None:
    scores = found.get("scores")
    if not isinstance(scores, list) or not scores or not isinstance(scores[0], dict):
        return None
    return scores if {"query_id", "score"} <= scores[0].keys() and "name" in found else None


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    lists = [
        (source.path, list(_of_json(source) if source.looks_like_json else _of_csv(source)))
        for source in sources
    ]
    named = [(system, path) for path, found in lists for system in dict.fromkeys(one.system for one in found)]
    given = [system for system, _ in named]
    if len(set(given)) < len(given):
        # The same case, exported at different times: the files tell which.
        if len(named) != len(lists):
            twice = next(system for system in given if given.count(system) > 1)
            raise InputError(f"{named[0][1]} …: case {twice!r} is in several files; give each of them once")
        names, notes = choose_names(given, [path for _, path in named], "case")
        scores.notes.extend(notes)
    else:
        names = given
    called = dict(zip(named, names, strict=True))
    empty = 0
    for path, found in lists:
        for one in found:
            value = _value(one, path)
            empty += value is None
            scores.add(called[one.system, path], one.query, value, source=path, line=one.line)
    if empty:
        scores.notes.append(f"{count(empty, 'query score')} missing: not rated, or nothing found")
    return scores.raw(asked)


def _value(one: _Score, path: str) -> Any:
    """The score as a number, None where the query has none."""
    if not isinstance(one.value, str):
        return one.value
    text = one.value.strip().casefold()
    if text in _NONE:
        return None
    if not is_number(text):
        raise InputError(
            f"{at(path, one.line)}the score of query {one.query!r} is {one.value[:40]!r}; "
            "export the case again"
        )
    return float(text)


def _of_csv(source: Source) -> Iterator[_Score]:
    sheet = TextSheet(source.text, source.path)
    columns = [find(sheet.header, [name]) for name in ("case_name", "case_id", "query_text", "score")]
    if None in columns:
        raise InputError(
            f"{sheet.place()}no columns Case Name, Case ID, Query Text and Score; export the case again"
        )
    names, ids, queries, values = (sheet.names(column) for column in columns if column is not None)
    by_id = len(set(zip(names, ids, strict=True))) > len(set(names))
    for row in range(sheet.rows):
        system = f"{names[row]} ({ids[row]})" if by_id else names[row]
        place = sheet.place(row).removesuffix(": ")
        line = place.rpartition(":")[2]
        yield _Score(system, queries[row], values[row], int(line) if line.isdigit() else None)


def _of_json(source: Source) -> Iterator[_Score]:
    where = f"{source.path}: "
    found = an_object(source.json, where, "the document")
    snapshot, tries, last = _snapshot(found), _tries(found), _last_score(found)
    if snapshot is not None:
        texts = {}
        for entry in a_list(found.get("queries") or [], where, "queries"):
            query = an_object(entry, where, "a query")
            texts[query.get("query_id") if _hashable(query.get("query_id")) else None] = query.get(
                "query_text"
            )
        for entry in snapshot:
            score = an_object(entry, where, "a score")
            number = a_name(score.get("query_id"), where, "query_id")
            text = texts.get(score.get("query_id"))
            query_name = number if text is None else a_name(text, where, "query_text")
            yield _Score(a_name(found["name"], where, "name"), query_name, score.get("score"))
    elif last is not None:
        case = a_name(found.get("case_name", found.get("caseName")), where, "case_name")
        yield from _queries(case, last, where)
    elif tries is not None:
        for place, entry in enumerate(tries, 1):
            score = an_object(entry, where, f"score {place}")
            yield from _queries(f"try {a_name(score.get('try_id'), where, 'try_id')}", score, where)
    else:
        raise InputError(f"{where}no scores of queries; export the case with its scores")


def _hashable(value: Any) -> bool:
    return isinstance(value, (int, str))


def _queries(system: str, score: dict[str, Any], where: str) -> Iterator[_Score]:
    for name, entry in an_object(score.get("queries"), where, "queries").items():
        query = an_object(entry, where, f"query {name!r}")
        text = query.get("text")
        yield _Score(system, name if text is None else a_name(text, where, "text"), query.get("score"))


QUEPID = ScoreFormat(
    "quepid",
    "the query scores of a Quepid case",
    "The general CSV export of a case, a snapshot, or the scores of its tries from the API; a case (a try, a "
    "snapshot) is a system.",
    ("files",),
    _recognises,
    _read,
)
