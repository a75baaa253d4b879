"""Adapters for tools whose files hold whole evaluations: HELM, EvalPlus, DeepEval, mteb, promptfoo."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Files, Remark, Row
from truerank.readers.formats.source import Source, a_name, has_keys, is_number, text_within, within
from truerank.readers.measures import pick_measure
from truerank.readers.names import file_stem
from truerank.readers.options import Options
from truerank.readers.records import over_runs
from truerank.readers.sheets import record_sheet
from truerank.readers.tables import read_sheet
from truerank.scores import ScoreMatrix

# HELM: per_instance_stats.json beside run_spec.json, in a folder called SCENARIO:…,model=MODEL

_NAMED_MODEL = re.compile(r"(?:(?<=[,:])|^)(?P<key>model|model_deployment)=(?P<name>[^,]*),?")
_PERTURBED = Remark(Note("parts-left-out", {"case": "beside-instances", "names": []}), "perturbed instances")
_OTHER_SPLITS = Note("parts-left-out", {"case": "other-splits", "names": []})


def _helm(source: Source) -> Iterator[Row | Remark]:
    spec = source.beside("run_spec.json")
    name = text_within(spec, "name") or source.folder_name
    named = {match["key"]: match["name"] for match in _NAMED_MODEL.finditer(name)}
    model = text_within(spec, "adapter_spec", "model") or named.get("model", "")
    model = model or text_within(spec, "adapter_spec", "model_deployment")
    scenario = _NAMED_MODEL.sub("", name).rstrip(",:")
    if not model or not scenario:
        raise InputError(
            f"{source.path}: nothing says which model and scenario this is of; keep run_spec.json beside it"
        )
    for instance in source.json:
        if instance.get("perturbation") is not None:
            yield _PERTURBED
            continue
        for stat in instance["stats"]:
            about = stat["name"]
            split, part = about.get("split") or "", about.get("sub_split")
            if about.get("perturbation") is not None:
                yield _PERTURBED
            elif split not in ("test", ""):
                yield Remark(_OTHER_SPLITS, split)
            else:
                measure = f"{about['name']} ({part})" if part else about["name"]
                value = stat.get("mean") if stat.get("count") else None
                yield Row(model, instance["instance_id"], value, measure, scenario)


# EvalPlus, and BigCodeBench after it: MODEL_eval_results.json

_SUFFIX = re.compile(r"(^|[_.])eval_results$")
_STATUS = {"base": ("base_status",), "plus": ("base_status", "plus_status"), "passed": ("status",)}
"""What has to be "pass" where a measure counts 1: the added tests count with those before."""
_STATUSES = ("pass", "fail", "timeout")


def _evalplus(source: Source) -> Iterator[Row]:
    system = _SUFFIX.sub("", file_stem(source.path)) or source.folder_name
    for task, samples in source.json["eval"].items():
        for sample in samples:
            for measure, keys in _STATUS.items():
                status = [sample[key] for key in keys if sample.get(key) is not None]
                if strange := [one for one in status if one not in _STATUSES]:
                    raise InputError(
                        f"{source.path}: {task}: {strange[0]!r} is not a status; evaluate again with a "
                        f"version that writes {', '.join(_STATUSES)}"
                    )
                if len(status) == len(keys):
                    yield Row(system, task, all(one == "pass" for one in status) * 1.0, measure)


def _is_evalplus(source: Source) -> bool:
    tasks = within(source.document, "eval")
    samples = next(iter(tasks.values()), None) if isinstance(tasks, dict) else None
    first = samples[0] if isinstance(samples, list) and samples else None
    return isinstance(first, dict) and bool(first.keys() & {"base_status", "status"})


# DeepEval: a test run of one system, whose metrics are the measures


def _deepeval(source: Source) -> Iterator[Row]:
    run = source.json.get("testRunData", source.json)
    for case in run["testCases"]:
        for metric in case["metricsData"] or ():
            yield Row("", case["input"], metric["score"], metric["name"])


def _is_test_run(source: Source) -> bool:
    run = within(source.document, "testRunData") or source.document
    cases = within(run, "testCases")
    return isinstance(cases, list) and bool(cases) and has_keys(cases[0], "input", "metricsData")


HELM = Adapter(
    name="helm",
    label="a run of HELM",
    explanation="per_instance_stats.json of HELM, beside run_spec.json: one folder per model and "
    "scenario. The split test counts, without perturbations; the trials of an instance are "
    "averaged.",
    rows=_helm,
    keys=("instance_id", "train_trial_index", "stats"),
    files=("per_instance_stats.json",),
    repeats="runs",
    one_file=True,
)

EVALPLUS = Adapter(
    name="evalplus",
    label="a result file of EvalPlus",
    explanation="Files of EvalPlus or BigCodeBench that end in eval_results.json, one per model. plus "
    "needs both tests to pass. Samples of a task are runs.",
    rows=_evalplus,
    recognizes=_is_evalplus,
    files=("*eval_results.json",),
    repeats="runs",
    one_file=True,
)

DEEPEVAL = Adapter(
    name="deepeval",
    label="a test run of DeepEval",
    explanation="The test run that DeepEval saves as JSON, one file per system, which is called like "
    "the file. Metrics are measures, inputs questions.",
    rows=_deepeval,
    recognizes=_is_test_run,
)


# mteb: MODEL/REVISION/TASK.json, with one score for each split and language

_MAIN = "main_score"
_OLD = "mteb_dataset_name"
"""What results of mteb before 1.11 call the task."""
_META = "model_meta.json"
"""What says the model and its revision, beside the files of the tasks."""


def _is_mteb(source: Source) -> bool:
    document = source.document
    return bool(text_within(document, _OLD)) or bool(
        text_within(document, "task_name")
        and isinstance(within(document, "scores"), dict)
        and {"dataset_revision", "mteb_version"} & document.keys()
    )


def _mteb(files: Files) -> Iterator[Row | Remark]:
    parts: dict[str, list[list[str]]] = {}
    revisions: dict[str, set[str]] = {}
    for source in files:
        document = source.json
        if "scores" not in document:
            raise InputError(
                f"{source.path}: results of mteb before 1.11; write them again with its TaskResult"
            )
        task, (model, revision) = document["task_name"], _mteb_model(source)
        entries = [(split, entry) for split, each in document["scores"].items() for entry in each]
        names = (f"{split} {entry.get('hf_subset') or ''}".rstrip() for split, entry in entries)
        parts.setdefault(task, []).append([name.removesuffix(" default").rstrip() for name in names])
        revisions.setdefault(model, set()).add(revision)
        numbers = [{name: value for name, value in entry.items() if is_number(value)} for _, entry in entries]
        # A measure that one of the parts lacks has no mean over them.
        measures = dict.fromkeys(name for entry in numbers for name in entry)
        for entry in numbers:
            yield Row(model, task, entry[_MAIN], data_set=task)
            for measure in measures:
                yield Row(model, task, entry.get(measure), measure, task)
        source.forget()
    several = {
        task: list(dict.fromkeys(part for found in of for part in found))
        for task, of in parts.items()
        if any(len(found) > 1 for found in of)
    }
    differing = [task for task, of in parts.items() if len(set(map(frozenset, of))) > 1]
    mixed = [model for model, found in revisions.items() if len(found) > 1]
    if several:
        yield Remark(Note("averaged", {"case": "splits", "splits": several}))
    if differing:
        yield Remark(Note("scores-missing", {"case": "splits", "names": differing}))
    if mixed:
        yield Remark(Note("averaged", {"case": "revisions", "names": mixed}))


def _mteb_model(source: Source) -> tuple[str, str]:
    """The model and its revision, by `model_meta.json` beside the file, or by the folders' names."""
    meta = source.beside(_META)
    folders = Path(source.path).absolute().parent.parts if source.path != "-" else ()
    name = text_within(meta, "name") or (folders[-2].replace("__", "/") if len(folders) > 2 else "")
    revision = text_within(meta, "revision") or (folders[-1] if folders else "")
    if not name:
        raise InputError(
            f"{source.path}: nothing says which model this is of; keep it in folders MODEL/REVISION"
        )
    return name, revision


MTEB = Adapter(
    name="mteb",
    label="a result file of mteb",
    explanation="MODEL/REVISION/TASK.json, as mteb writes them. A model's score on a task is the mean "
    "of the main scores of all splits and languages; -m takes another measure.",
    together=_mteb,
    recognizes=_is_mteb,
    files=("*.json",),
    repeats="mean",
    noun="topic",
    one_file=True,
)

# promptfoo: providers on test cases, with several prompts and repeats

_KEYS = ("provider", "vars", "score", "success", "testIdx")
_ERROR = 2
"""The reason of a failure that no assertion found: the provider gave no answer."""


def _results(source: Source) -> list[Any]:
    found = within(source.document, "results", "results") or source.first
    return found if isinstance(found, list) else [found]


def _recognizes(source: Source) -> bool:
    found = _results(source)
    return bool(found) and has_keys(found[0], *_KEYS)


def _read(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    files = []
    errors = 0
    for source in sources:
        where = f"{source.path}: "
        results = _results(source) if source.first_record is None else list(source.records())
        for one in results:
            if not has_keys(one, *_KEYS) or type(one["testIdx"]) is not int:
                raise InputError(f"{where}a result without {few(_KEYS)}; export the evaluation again")
        files.append((source.path, _records(results, where, _named(results, options.measure, where))))
        errors += sum(one.get("failureReason") == _ERROR for one in results)
        source.forget()
    several = any(record["run"] > 1 for _, records in files for record in records)
    sheet = record_sheet([(path, [(None, record) for record in records]) for path, records in files])
    columns = replace(
        options,
        topic_column="question",
        system_column="model",
        score_column="score",
        run_column="run" if several else None,
        ignore_columns=() if several else ("run",),
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
    providers = [_provider(one, where) for one in results]
    prompts = [text_within(one, "prompt", "label") or text_within(one, "prompt", "raw") for one in results]
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


def _variables(variables: Any) -> str:
    values = list(variables.values()) if isinstance(variables, dict) else []
    alone = len(values) == 1 and isinstance(values[0], str)
    return str(values[0]) if alone else json.dumps(variables, sort_keys=True, ensure_ascii=False)


PROMPTFOO = Adapter(
    name="promptfoo",
    label="the results of promptfoo",
    explanation="The output of promptfoo eval (.json, .jsonl): providers are systems, test cases "
    "questions, and repeats runs. Several prompts are a facet, or the systems of one "
    "provider. Named scores are measures.",
    recognizes=_recognizes,
    table=_read,
)
