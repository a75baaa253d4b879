"""Trials of agents on tasks: the results of terminal-bench, and of Harbor, its successor."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from truerank._support.files import read_text
from truerank._support.notes import Note
from truerank._support.wording import count
from truerank.errors import InputError
from truerank.readers.columns import Options
from truerank.readers.formats.collected import Collected
from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.json_text import (
    a_list,
    a_name,
    an_object,
    has_keys,
    parse_json,
    text_within,
    within,
)
from truerank.readers.formats.source import Source
from truerank.scores import ScoreMatrix

_METADATA = "run_metadata.json"


# ── terminal-bench: results.json of a run, which has all its trials, and one of each trial ────────────


def is_terminal_bench(document: Any) -> bool:
    """Whether a document has the results of a run of terminal-bench, or of one of its trials."""
    results = within(document, "results")
    first = results[0] if isinstance(results, list) and results else document
    return has_keys(first, "task_id", "trial_name", "is_resolved")


def _read_runs(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given, repeats="runs")
    files = [one for one in sources if is_terminal_bench(one.document)]
    if not files:
        raise InputError(
            f"{sources[0].given}: no results.json of terminal-bench; give the folders of its runs"
        )
    whole = {Path(one.path).resolve().parent for one in files if "results" in one.json}
    # A trial has a file of its own, which is read where its run has none.
    files = [
        one for one in files if "results" in one.json or whole.isdisjoint(Path(one.path).resolve().parents)
    ]
    runs = [_run(source) for source in files]
    folders: dict[str, set[Path]] = {}
    for name, folder, _ in runs:
        folders.setdefault(name, set()).add(folder)
    several = len({data_set for *_, data_set in runs if data_set}) > 1
    unresolved = 0
    for source, (name, folder, data_set) in zip(files, runs, strict=True):
        where = f"{source.path}: "
        scores.once((str(within(source.json, "id")),), source.path, "the results of a run that was read")
        for entry in a_list(source.json.get("results", [source.json]), where, "results"):
            trial = an_object(entry, where, "a trial")
            unresolved += trial.get("is_resolved") is None
            scores.add(
                folder.name if len(folders[name]) > 1 else name,
                a_name(trial.get("task_id"), where, "task_id"),
                trial.get("is_resolved") or False,
                "resolved",
                data_set=data_set if several else "",
                source=source.path,
            )
        source.forget()
    _note_failed(scores, unresolved)
    return scores.table(options)


def _run(source: Source) -> tuple[str, Path, str]:
    """System, folder of its runs and data set of a run, by the file beside its results, or by the folder."""
    path = Path(source.path).resolve()
    run = path.parent if "results" in source.json else path.parents[2]
    metadata = run / _METADATA
    about = parse_json(read_text(metadata), str(metadata)) if metadata.is_file() else None
    agent, model = text_within(about, "agent_name"), text_within(about, "model_name")
    data_set = " ".join(filter(None, (text_within(about, f"dataset_{part}") for part in ("name", "version"))))
    return _system(agent, model) if agent else run.parent.name, run.parent, data_set


def _system(agent: str, model: str) -> str:
    return f"{agent} ({model})" if model else agent


def _note_failed(scores: Collected, failed: int) -> None:
    if failed:
        said = f"{count(failed, 'trial')} without a result (an error or a timeout) count 0"
        scores.note(Note("no-answer", said))


# ── Harbor: result.json of each trial, beside that of the job ─────────────────────────────────────────


def _is_trial(document: Any) -> bool:
    return has_keys(document, "task_name", "trial_name", "agent_info")


def _is_job(document: Any) -> bool:
    return has_keys(document, "n_total_trials", "stats")


def _trials(sources: Sequence[Source]) -> Iterator[tuple[str, dict[str, Any]]]:
    """The trials of all files, each with its path."""
    for source in sources:
        document = source.document
        if _is_trial(document):
            yield source.path, document
        elif _is_job(document):
            for entry in document.get("trial_results") or []:
                yield source.path, an_object(entry, f"{source.path}: ", "a trial")
        source.forget()


def _read_trials(sources: Sequence[Source], options: Options) -> ScoreMatrix:
    scores = Collected(sources[0].given, repeats="runs")
    trials = {str(trial.get("id")): (path, trial) for path, trial in _trials(sources)}
    if not trials:
        raise InputError(
            f"{sources[0].path}: no trials in it; give the folder of the job, with a result.json per trial"
        )
    rewards = {key: within(trial, "verifier_result", "rewards") or {} for key, (_, trial) in trials.items()}
    measures = list(dict.fromkeys(name for found in rewards.values() for name in found)) or ["reward"]
    for key, (path, trial) in trials.items():
        agent = a_name(within(trial, "agent_info", "name"), f"{path}: ", "the agent")
        system = _system(agent, text_within(trial, "agent_info", "model_info", "name"))
        task = a_name(trial["task_name"], f"{path}: ", "task_name")
        for measure in measures:
            value = rewards[key].get(measure, 0)
            scores.add(system, task, value, measure, data_set=text_within(trial, "source"), source=path)
    _note_failed(scores, sum(not found for found in rewards.values()))
    return scores.table(options)


TERMINAL_BENCH = ScoreFormat(
    "terminal_bench",
    "the results of terminal-bench",
    "results.json of each run: agents with their models are systems, tasks questions, attempts and runs are "
    "runs. The name of a system is in run_metadata.json, or is that of the folder of its runs.",
    ("files", "folder"),
    lambda source: is_terminal_bench(source.document),
    _read_runs,
    inside=("results.json",),
    noun="question",
    content=("json",),
)
HARBOR = ScoreFormat(
    "harbor",
    "the results of Harbor",
    "The folder of one or several jobs, with a result.json per trial: agents with their models are systems, "
    "tasks questions, and attempts runs. Rewards are measures.",
    ("files", "folder"),
    lambda source: _is_trial(source.document) or _is_job(source.document),
    _read_trials,
    inside=("result.json",),
    noun="question",
    content=("json",),
)
