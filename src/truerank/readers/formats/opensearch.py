"""Evaluation results of OpenSearch's Search Relevance Workbench."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat, each_file
from truerank.readers.formats.json_text import a_list, a_name, an_object, has_keys, json_lines
from truerank.readers.formats.source import Source

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


def _recognizes(source: Source) -> bool:
    first = next(
        iter(_entries(source.document if source.first_record is None else source.first_record)), None
    )
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
            _add(scores, entry, source.path, line)


def _add(scores: Collected, entry: Any, path: str, line: int | None) -> None:
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
    for entry in a_list(found, where, "metrics"):
        metric = an_object(entry, where, "a metric")
        yield a_name(metric.get("metric"), where, "the name of a metric"), metric.get("value")


OPENSEARCH = ScoreFormat(
    "opensearch",
    "evaluation results of OpenSearch",
    "Documents of the index search-relevance-evaluation-result (Search Relevance Workbench): a search's "
    "response, a list, or JSON lines. A system is a search configuration, a topic a query.",
    ("files",),
    _recognizes,
    each_file(_take),
    content=("json",),
)
