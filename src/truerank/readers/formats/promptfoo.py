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
from truerank.readers.formats.adapter import Adapter
from truerank.readers.formats.source import Source, a_name, has_keys, text_within, within
from truerank.readers.measures import pick_measure
from truerank.readers.options import Options
from truerank.readers.records import over_runs
from truerank.readers.sheets import record_sheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix

_KEYS = ("provider", "vars", "score", "success", "testIdx")
_ERROR = 2
"""The reason of a failure that no assertion found: the provider gave no answer."""


def _results(source: Source) -> list[Any]:
    """The results of a file; none where promptfoo did not write it."""
    if source.first_record is not None:
        return list(source.records()) if has_keys(source.first_record, *_KEYS) else []
    found = within(source.document, "results", "results")
    found = source.document if found is None else found
    return found if isinstance(found, list) else []


def _recognizes(source: Source) -> bool:
    found = [source.first_record] if source.first_record is not None else _results(source)
    return bool(found) and has_keys(found[0], *_KEYS)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = []
    errors = 0
    for source in sources:
        where = f"{source.path}: "
        results = _results(source)
        for one in results:
            if not has_keys(one, *_KEYS) or type(one["testIdx"]) is not int:
                raise InputError(f"{where}a result without {few(_KEYS)}; export the evaluation again")
        files.append((source.path, _records(results, where, _named(results, options.measure, where))))
        errors += sum(one.get("failureReason") == _ERROR for one in results)
        source.forget()
    several = any(record["run"] > 1 for _, records in files for record in records)
    if not several:
        for _, records in files:
            for record in records:
                del record["run"]
    sheet = record_sheet([(path, [(None, record) for record in records]) for path, records in files])
    columns = replace(
        options,
        topic_column="question",
        system_column="model",
        score_column="score",
        run_column="run" if several else None,
        facet=("template",) if "template" in sheet.header else (),
    )
    raw = read_sheet(sheet, columns)
    return raw.noting(Note("counted-as-zero", {"case": "results", "number": errors})) if errors else raw


def _named(results: Sequence[dict[str, Any]], measure: str | None, where: str) -> str | None:
    """The named score that is asked for; None for the score itself."""
    if measure is None or measure == "score" or over_runs(measure) is not None:
        return None
    names = dict.fromkeys(name for one in results for name in one.get("namedScores") or {})
    return pick_measure(["score", *names], measure, where)


def _records(results: Sequence[dict[str, Any]], where: str, measure: str | None) -> list[dict[str, Any]]:
    """A record for each result: repeats of a test case have other places among the tests, and its content."""
    results = sorted(results, key=lambda one: one["testIdx"])
    providers, prompts = [_provider(one, where) for one in results], [_prompt(one) for one in results]
    several = len(set(providers)) > 1 or len(set(prompts)) == 1
    columns: dict[tuple[str, str], Any] = {}
    cases: dict[str, str] = {}
    names: Counter[str] = Counter()
    times: Counter[tuple[str, str, str]] = Counter()
    found = []
    for one, provider, prompt in zip(results, providers, prompts, strict=True):
        if columns.setdefault((provider, prompt), one.get("promptIdx")) != one.get("promptIdx"):
            raise InputError(f"{where}two providers are called {provider!r}; give each another label")
        case = json.dumps([one["vars"], within(one, "testCase", "assert")], sort_keys=True)
        if case not in cases:  # called like its variables, which others of other assertions may have, too
            name = _variables(one["vars"])
            names[name] += 1
            cases[case] = name if names[name] == 1 else f"{name} ({names[name]})"
        topic = cases[case]
        times[provider, prompt, topic] += 1
        record = {
            "question": topic,
            "model": provider if several else prompt,
            "run": times[provider, prompt, topic],
            "score": one["score"] if measure is None else within(one, "namedScores", measure),
        }
        if several and len(set(prompts)) > 1:
            record["template"] = prompt
        found.append(record)
    return found


def _provider(one: dict[str, Any], where: str) -> str:
    provider = one["provider"]
    if isinstance(provider, dict):
        provider = provider.get("label") or provider.get("id")
    return a_name(provider, where, "a provider")


def _prompt(one: dict[str, Any]) -> str:
    return text_within(one, "prompt", "label") or text_within(one, "prompt", "raw")


def _variables(variables: Any) -> str:
    values = list(variables.values()) if isinstance(variables, dict) else []
    if len(values) == 1 and isinstance(values[0], str):
        return values[0]
    return json.dumps(variables, sort_keys=True, ensure_ascii=False)


PROMPTFOO = Adapter(
    name="promptfoo",
    label="the results of promptfoo",
    explanation="The output of promptfoo eval (.json, .jsonl): providers are systems, test cases "
    "questions, and repeats runs. Several prompts are a facet, or the systems of one "
    "provider. Named scores are measures.",
    recognizes=_recognizes,
    table=_read,
)
