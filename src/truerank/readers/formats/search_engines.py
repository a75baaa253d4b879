"""Evaluations by Elasticsearch and OpenSearch (`_rank_eval`, the Search Relevance Workbench) and Quepid."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import count, few
from truerank.errors import InputError, at
from truerank.readers.cell_values import is_number
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import declared, each_file
from truerank.readers.formats.json_text import a_name, an_object, has_keys, json_lines, objects, within
from truerank.readers.formats.source import Source
from truerank.readers.names import choose_names
from truerank.readers.roles import find, plain
from truerank.scores import ScoreMatrix

# Responses of the ranking evaluation API of Elasticsearch and OpenSearch (`_rank_eval`)


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


def _recognizes_rank_eval(source: Source) -> bool:
    if _error(source.document) is not None:
        return True
    several = _responses(source.document)
    one = next(iter(several.values())) if several else source.document
    return _looks_like_one(_response(one))


def _read_rank_eval(sources: Sequence[Source], options: Options) -> ScoreMatrix:
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
            _add_rank_eval(scores, system, response, source.path)
    return scores.table(options)


def _add_rank_eval(scores: Collected, system: str, response: dict[str, Any], path: str) -> None:
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
        _add_rank_eval(scores, system, response, "response")
    return scores.table(options)


RANK_EVAL = declared(
    "rank_eval",
    recognizes=_recognizes_rank_eval,
    read=_read_rank_eval,
    recognizes_object=_recognizes_object,
    read_object=_read_object,
)


# Evaluation results of OpenSearch's Search Relevance Workbench


_EVALUATION = ("searchConfigurationId", "searchText", "metrics")
_DASHBOARD = ("search_config", "query", "metric", "value")
_EXPERIMENT = ("searchConfigurationList", "querySetId")


def _hits(document: Any) -> list[Any] | None:
    """The hits of a search's response; None where it is none."""
    hits = document.get("hits") if isinstance(document, dict) else None
    inner = hits.get("hits") if isinstance(hits, dict) else None
    return inner if isinstance(inner, list) else None


def _entries(document: Any) -> list[Any]:
    """What may be evaluation results: hits, a list of them, or one by itself."""
    hits = _hits(document)
    entries = hits if hits is not None else document if isinstance(document, list) else [document]
    return [entry.get("_source", entry) if isinstance(entry, dict) else entry for entry in entries]


def _recognizes_opensearch(source: Source) -> bool:
    first = next(iter(_entries(source.first)), None)
    return any(has_keys(first, *keys) for keys in (_EVALUATION, _DASHBOARD, _EXPERIMENT))


def _take(scores: Collected, source: Source) -> None:
    lines: Iterable[tuple[int | None, Any]]
    several = source.first_record is not None
    lines = json_lines(source.text, source.path) if several else [(None, source.json)]
    for line, document in lines:
        hits = _hits(document)
        if hits is not None:
            # A search gives ten results unless it is asked for more.
            total = document["hits"].get("total")
            found = total.get("value") if isinstance(total, dict) else total
            if isinstance(found, int) and found > len(hits):
                gave = f"the search found {count(found, 'result')} and gave {len(hits)}"
                scores.note(Note("results-missing", f'{gave}; ask it for more with "size"'))
        for entry in _entries(document):
            _add_opensearch(scores, entry, source.path, line)


def _add_opensearch(scores: Collected, entry: Any, path: str, line: int | None) -> None:
    """Take in the metrics of one query and one search configuration."""
    where = f"{path}: " if line is None else f"{path}:{line}: "
    result = an_object(entry, where, "a result")
    if has_keys(result, *_DASHBOARD):
        system = a_name(result["search_config"], where, "search_config")
        topic = a_name(result["query"], where, "query")
        measure = a_name(result["metric"], where, "metric")
        scores.add(system, topic, result["value"], measure, source=path, line=line)
        return
    if has_keys(result, *_EXPERIMENT) and "metrics" not in result:
        raise InputError(
            f"{where}this is an experiment, whose scores are in the index "
            "search-relevance-evaluation-result; search that for its experimentId"
        )
    if not has_keys(result, *_EVALUATION):
        raise InputError(
            f"{where}a document that is not an evaluation result; search the index "
            "search-relevance-evaluation-result alone"
        )
    system = a_name(result["searchConfigurationId"], where, "searchConfigurationId")
    variant = result.get("experimentVariantId")
    if variant is not None:
        system = f"{system}, variant {a_name(variant, where, 'experimentVariantId')}"
    topic = a_name(result["searchText"], where, "searchText")
    for measure, value in _metrics(result["metrics"], where):
        scores.add(system, topic, value, measure, source=path, line=line)


def _metrics(found: Any, where: str) -> Iterator[tuple[str, Any]]:
    """Name and value of each metric, from a list of both or a dictionary."""
    if isinstance(found, dict):
        yield from found.items()
        return
    for metric in objects(found, where, "metrics", "a metric"):
        yield a_name(metric.get("metric"), where, "the name of a metric"), metric.get("value")


OPENSEARCH = declared("opensearch", recognizes=_recognizes_opensearch, read=each_file(_take))


# Query scores of a Quepid case: the CSV export, and what its API gives of cases, scores and snapshots


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


def _recognizes_quepid(source: Source) -> bool:
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


def _read_quepid(sources: Sequence[Source], options: Options) -> ScoreMatrix:
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
        for query in objects(found.get("queries") or [], where, "queries", "a query"):
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


QUEPID = declared("quepid", recognizes=_recognizes_quepid, read=_read_quepid)
