"""Evaluation results of OpenSearch's Search Relevance Workbench."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from truerank._support.wording import count
from truerank.errors import InputError
from truerank.readers.columns import Asked
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import a_list, a_name, an_object, json_lines
from truerank.readers.formats.source import Source
from truerank.readers.raw_scores import RawScores

_EVALUATION = {"searchConfigurationId", "searchText", "metrics"}
_DASHBOARD = {"search_config", "query", "metric", "value"}
_EXPERIMENT = {"searchConfigurationList", "querySetId"}


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


def _is_result(entry: Any) -> bool:
    return isinstance(entry, dict) and any(
        keys <= entry.keys() for keys in (_EVALUATION, _DASHBOARD, _EXPERIMENT)
    )


def _recognises(source: Source) -> bool:
    found = source.first_record if source.first_record is not None else source.document
    entries = _entries(found)
    return bool(entries) and _is_result(entries[0])


def _documents(source: Source) -> Iterator[tuple[int | None, Any]]:
    if source.first_record is not None:
        yield from json_lines(source.text, source.path)
    else:
        yield None, source.json


def _read(sources: Sequence[Source], asked: Asked) -> RawScores:
    scores = Collected(sources[0].path)
    for source in sources:
        for line, document in _documents(source):
            hits = _hits(document)
            if hits is not None:
                _note_on_size(scores, document, len(hits))
            for entry in _entries(document):
                _add(scores, entry, source.path, line)
    return scores.raw(asked)


def _note_on_size(scores: Collected, document: dict[str, Any], there: int) -> None:
    """Say how many results the search found and left out, as it does after ten unless asked for more."""
    total = document["hits"].get("total")
    found = total.get("value") if isinstance(total, dict) else total
    if isinstance(found, int) and found > there:
        scores.notes.append(
            f'the search found {count(found, "result")} and gave {there}; ask it for more with "size"'
        )


def _add(scores: Collected, entry: Any, path: str, line: int | None) -> None:
    """Take in the metrics of one query and one search configuration."""
    where = f"{path}: " if line is None else f"{path}:{line}: "
    result = an_object(entry, where, "a result")
    if result.keys() >= _DASHBOARD:
        system = a_name(result["search_config"], where, "search_config")
        topic = a_name(result["query"], where, "query")
        measure = a_name(result["metric"], where, "metric")
        scores.add(system, topic, result["value"], measure, source=path, line=line)
        return
    if result.keys() >= _EXPERIMENT and "metrics" not in result:
        raise InputError(
            f"{where}this is an experiment, whose scores are in the index "
            "search-relevance-evaluation-result; search that for its experimentId"
        )
    if not result.keys() >= _EVALUATION:
        raise InputError(
            f"{where}a document that is no evaluation result; search the index "
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
    for entry in a_list(found, where, "metrics"):
        metric = an_object(entry, where, "a metric")
        yield a_name(metric.get("metric"), where, "the name of a metric"), metric.get("value")


OPENSEARCH = ScoreFormat(
    "opensearch",
    "evaluation results of OpenSearch",
    "Documents of the index search-relevance-evaluation-result (Search Relevance Workbench): a search's "
    "response, a list, or JSON lines. A system is a search configuration, a topic a query.",
    ("files",),
    _recognises,
    _read,
)
