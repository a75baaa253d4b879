"""Query scores of a Quepid case: the CSV export, and what its API gives of cases, scores and snapshots."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError, at
from truerank.readers.cell_values import is_number
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object, has_keys, within
from truerank.readers.formats.source import Source
from truerank.readers.names import choose_names
from truerank.readers.roles import find, plain
from truerank.scores import ScoreMatrix

_NONE = frozenset({"", "--", "?", "zsr", "em", "null"})
"""What stands for the score of a query that has none: not rated, or nothing found."""


@dataclass(frozen=True)
class _Score:
    """The score of a query in one case, try or snapshot."""

    system: str
    query: str
    value: Any
    line: int | None = None


_COLUMNS = ("case_name", "case_id", "query_text", "score")


def _recognizes(source: Source) -> bool:
    return set(_COLUMNS) <= set(map(plain, source.header)) or _kind(source.document) != ""


def _kind(found: Any) -> str:
    """Which of the API's documents this is; empty where it is none."""
    if has_keys(_last_score(found), "queries"):
        return "case"
    scores = within(found, "scores")
    first = scores[0] if isinstance(scores, list) and scores else None
    if has_keys(first, "query_id", "score") and "name" in found:
        return "snapshot"
    return "tries" if has_keys(first, "try_id", "queries") else ""


def _last_score(found: Any) -> Any:
    return within(found, "last_score" if has_keys(found, "last_score") else "lastScore")


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
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
        scores.note(*notes)
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
        said = f"{count(empty, 'query score')} missing: not rated, or nothing found"
        scores.note(Note("scores-missing", said))
    return scores.table(options)


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
    sheet = source.sheet
    columns = [find(sheet.header, [name]) for name in _COLUMNS]
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
    kind = _kind(found)
    if kind == "snapshot":
        texts = {}
        for entry in a_list(found.get("queries") or [], where, "queries"):
            query = an_object(entry, where, "a query")
            texts[str(query.get("query_id"))] = query.get("query_text")
        for entry in found["scores"]:
            score = an_object(entry, where, "a score")
            number = a_name(score.get("query_id"), where, "query_id")
            text = texts.get(number)
            query_name = number if text is None else a_name(text, where, "query_text")
            yield _Score(a_name(found["name"], where, "name"), query_name, score.get("score"))
    elif kind == "case":
        case = a_name(found.get("case_name", found.get("caseName")), where, "case_name")
        yield from _queries(case, _last_score(found), where)
    elif kind == "tries":
        for place, entry in enumerate(found["scores"], 1):
            score = an_object(entry, where, f"score {place}")
            yield from _queries(f"try {a_name(score.get('try_id'), where, 'try_id')}", score, where)
    else:
        raise InputError(f"{where}no scores of queries; export the case with its scores")


def _queries(system: str, score: dict[str, Any], where: str) -> Iterator[_Score]:
    for name, entry in an_object(score.get("queries"), where, "queries").items():
        query = an_object(entry, where, f"query {name!r}")
        text = query.get("text")
        yield _Score(system, name if text is None else a_name(text, where, "text"), query.get("score"))


QUEPID = ScoreFormat(
    "quepid",
    "the query scores of a Quepid case",
    "The general CSV export of a case, a snapshot, or the scores of its tries from the API. A system is a "
    "case, a try or a snapshot.",
    ("files",),
    _recognizes,
    _read,
    content=(
        "text",
        "json",
    ),
)
