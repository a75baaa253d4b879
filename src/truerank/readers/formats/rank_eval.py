"""Responses of the ranking evaluation API of Elasticsearch and OpenSearch (`_rank_eval`)."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import an_object
from truerank.readers.formats.source import Source
from truerank.scores import ScoreMatrix

_SCORES = ("metric_score", "quality_level")
"""The score of a query, and what versions before 7 call it."""


def _response(document: Any) -> dict[str, Any] | None:
    """The response in a document, bare or inside `rank_eval`; None where there is none."""
    if not isinstance(document, dict):
        return None
    inside = document.get("rank_eval", document)
    return inside if isinstance(inside, dict) and isinstance(inside.get("details"), dict) else None


def _responses(document: Any) -> dict[str, Any] | None:
    """Responses by the name of their system; None where there are none."""
    if not isinstance(document, dict) or not document or _response(document) is not None:
        return None
    if any(_response(inside) is None for inside in document.values()):
        return None
    return document


def _looks_like_one(response: dict[str, Any] | None) -> bool:
    if response is None:
        return False
    first = next(iter(response["details"].values()), None)
    return any(score in response for score in _SCORES) or (
        isinstance(first, dict) and any(score in first for score in _SCORES)
    )


def _error(document: Any) -> dict[str, Any] | None:
    """The error in the place of a response; None where there is none."""
    found = document.get("error") if isinstance(document, dict) and "status" in document else None
    return found if isinstance(found, dict) and {"type", "reason"} & found.keys() else None


def _recognizes(source: Source) -> bool:
    if _error(source.document) is not None:
        return True
    several = _responses(source.document)
    one = next(iter(several.values())) if several else source.document
    return _looks_like_one(_response(one))


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    for source in sources:
        error = _error(source.json)
        if error is not None:
            reason = str(error.get("reason") or error.get("type"))
            raise InputError(
                f"{source.path}: an error instead of a response: {reason!r}; fix it and run _rank_eval again"
            )
    scores = Collected(sources[0].path)
    alone = [source for source in sources if _responses(source.json) is None]
    names = dict(zip([source.path for source in alone], scores.name_files(alone), strict=True))
    for source in sources:
        where = f"{source.path}: "
        named = _responses(source.json) or {names[source.path]: source.json}
        for system, document in named.items():
            response = _response(document)
            if response is None:
                raise InputError(f"{where}no 'details' of {system!r}; save the whole response of _rank_eval")
            _add(scores, system, response, source.path)
    return scores.table(options)


def _add(scores: Collected, system: str, response: dict[str, Any], path: str) -> None:
    """Take in the queries of one response; those that failed have no score."""
    where = f"{path}: "
    failures = response.get("failures") or {}
    if not response["details"] and not failures:
        raise InputError(f"{where}no query in the response for {system!r}; run _rank_eval with requests")
    for topic, entry in response["details"].items():
        detail = an_object(entry, where, f"query {topic!r}")
        key = next((score for score in _SCORES if score in detail), None)
        if key is None:
            raise InputError(
                f"{where}query {topic!r} has no metric_score; save the whole response of _rank_eval"
            )
        scores.add(system, topic, detail[key], _measure(detail), source=path)
    failed = [
        str(topic) for topic in an_object(failures, where, "failures") if topic not in response["details"]
    ]
    if failed:
        said = f"queries of {few([system])} that failed ({len(failed)}): {few(failed)}"
        scores.note(Note("queries-failed", said))
    measures = scores.measures
    for topic in failed:
        scores.add(system, topic, None, measures[-1] if measures else "", source=path)


def _measure(detail: Mapping[str, Any]) -> str:
    """What the metric is called: the key of its details (``precision``, ``dcg`` …); empty without."""
    details = detail.get("metric_details")
    return next(iter(details), "") if isinstance(details, dict) else ""


def _bodies(thing: Any) -> Iterator[tuple[str, Any]]:
    """System and response of what the client gives: a response, or a dictionary of them."""
    if _response(_body(thing)) is not None:
        yield "sys1", _body(thing)
    elif isinstance(thing, Mapping):
        for name, inside in thing.items():
            yield str(name), _body(inside)


def _body(thing: Any) -> Any:
    """What a response of the Python client holds."""
    return getattr(thing, "body", thing)


def _recognizes_object(thing: Any) -> bool:
    return _looks_like_one(next((_response(body) for _, body in _bodies(thing)), None))


def _read_object(thing: Any, options: Options) -> ScoreMatrix:
    scores = Collected("response")
    for system, body in _bodies(thing):
        response = _response(body)
        if response is None:
            raise InputError(f"response: no 'details' of {system!r}; give whole responses of _rank_eval")
        _add(scores, system, response, "response")
    return scores.table(options)


RANK_EVAL = ScoreFormat(
    "rank_eval",
    "a response of _rank_eval",
    "The ranking evaluation API of Elasticsearch and OpenSearch: one response per system, in files of "
    "their own or in one document by system.",
    ("files",),
    _recognizes,
    _read,
    _recognizes_object,
    _read_object,
    content=("json",),
)
