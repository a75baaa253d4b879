"""Results of promptfoo: providers on test cases, with several prompts and repeats."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.collected import numbered
from truerank.readers.formats.format import declared
from truerank.readers.formats.json_text import a_name, an_object, has_keys, json_lines, text_within, within
from truerank.readers.formats.source import Source
from truerank.readers.measures import pick_measure
from truerank.readers.options import Options
from truerank.readers.records import over_runs
from truerank.readers.sheets import RecordSheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix

_KEYS = ("provider", "vars", "score", "success", "testIdx")
_ERROR = 2
"""The reason of a failure that no assertion found: the provider gave no answer."""


def _results(source: Source) -> list[Any]:
    """The results of a file; none where it is no output of promptfoo."""
    if source.first_record is not None:
        return [source.first_record]
    found = within(source.document, "results", "results")
    found = source.document if found is None else found
    return found if isinstance(found, list) else []


def _recognizes(source: Source) -> bool:
    found = _results(source)
    return bool(found) and has_keys(found[0], *_KEYS)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = []
    errors = 0
    for source in sources:
        where = f"{source.path}: "
        found = _results(source)
        if source.first_record is not None:
            found = [entry for _, entry in json_lines(source.text, source.path)]
        results = [_checked(one, where) for one in found]
        files.append((source.path, _records(results, where, _named(results, options.measure, where))))
        errors += sum(one.get("failureReason") == _ERROR for one in results)
        source.forget()
    several = any(record["run"] > 1 for _, records in files for record in records)
    if not several:
        for _, records in files:
            for record in records:
                del record["run"]
    sheet = RecordSheet([(path, [(None, record) for record in records]) for path, records in files])
    facets = ("template",) if "template" in sheet.header else ()
    columns = replace(
        options,
        topic_column="question",
        system_column="model",
        score_column="score",
        run_column="run" if several else None,
        facet=facets,
    )
    raw = read_sheet(sheet, columns)
    if errors:
        raw = raw.noting(Note("counted-as-zero", {"case": "results", "number": errors}))
    return raw


def _checked(entry: Any, where: str) -> dict[str, Any]:
    one = an_object(entry, where, "a result")
    if not has_keys(one, *_KEYS) or type(one["testIdx"]) is not int:
        raise InputError(f"{where}a result without {few(_KEYS)}; export the evaluation again")
    return one


def _named(results: Sequence[dict[str, Any]], measure: str | None, where: str) -> str | None:
    """The named score that is asked for; None for the score itself."""
    if measure is None or measure == "score" or over_runs(measure) is not None:
        return None
    names = dict.fromkeys(name for one in results for name in one.get("namedScores") or {})
    return pick_measure(["score", *names], measure, where)


def _records(results: Sequence[dict[str, Any]], where: str, measure: str | None) -> list[dict[str, Any]]:
    """A record for each result: repeats of a test case have other places among the tests, and its content."""
    providers = {_provider(one, where) for one in results}
    prompts = {_prompt(one) for one in results}
    topics = _topics(results, where)
    columns: dict[tuple[str, str], Any] = {}
    times: Counter[tuple[str, str, str]] = Counter()
    found = []
    for one in sorted(results, key=lambda one: one["testIdx"]):
        provider, prompt, topic = _provider(one, where), _prompt(one), topics[_case(one)]
        if columns.setdefault((provider, prompt), one.get("promptIdx")) != one.get("promptIdx"):
            raise InputError(f"{where}two providers are called {provider!r}; give each another label")
        times[provider, prompt, topic] += 1
        several = len(providers) > 1 or len(prompts) == 1
        record = {
            "question": topic,
            "model": provider if several else prompt,
            "run": times[provider, prompt, topic],
            "score": one["score"] if measure is None else within(one, "namedScores", measure),
        }
        if several and len(prompts) > 1:
            record["template"] = prompt
        found.append(record)
    return found


def _provider(one: dict[str, Any], where: str) -> str:
    provider = one.get("provider")
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return a_name(provider, where, "a provider")


def _prompt(one: dict[str, Any]) -> str:
    return text_within(one, "prompt", "label") or text_within(one, "prompt", "raw")


def _case(one: dict[str, Any]) -> str:
    """What a test case is: its variables and assertions."""
    return json.dumps([one.get("vars"), within(one, "testCase", "assert")], sort_keys=True)


def _topics(results: Sequence[dict[str, Any]], where: str) -> dict[str, str]:
    """What each test case is called: like its variables, which others of other assertions may have, too."""
    names: dict[str, str] = {}
    times: Counter[Any] = Counter()
    for one in sorted(results, key=lambda one: one["testIdx"]):
        case = _case(one)
        if case in names:
            continue
        values = list(an_object(one.get("vars") or {}, where, "vars").values())
        alone = len(values) == 1 and isinstance(values[0], str)
        name = values[0] if alone else json.dumps(one.get("vars"), sort_keys=True, ensure_ascii=False)
        names[case] = numbered(name, times)
    return names


PROMPTFOO = declared("promptfoo", recognizes=_recognizes, read=_read)
