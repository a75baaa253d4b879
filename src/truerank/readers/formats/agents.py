"""Trials of agents on tasks: the results of terminal-bench, and of Harbor, its successor."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from truerank._support.files import read_text
from truerank._support.notes import Note
from truerank.errors import InputError
from truerank.readers.formats.adapter import Adapter, Remark, Row
from truerank.readers.formats.json_text import (
    has_keys,
    parse_json,
    text_within,
    within,
)
from truerank.readers.formats.source import Source

_METADATA = "run_metadata.json"


# ── terminal-bench: results.json of a run, which has all its trials, and one of each trial ────────────


def is_terminal_bench(document: Any) -> bool:
    """Whether a document has the results of a run of terminal-bench, or of one of its trials."""
    results = within(document, "results")
    first = results[0] if isinstance(results, list) and results else document
    return has_keys(first, "task_id", "trial_name", "is_resolved")


@dataclass(frozen=True)
class _Runs:
    """The system and data set of each file that is read, and how many trials have no result."""

    of_file: Mapping[str, tuple[str, str]]
    unresolved: int


def _runs_together(sources: Sequence[Source]) -> _Runs:
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
    seen: dict[str, str] = {}
    for source in files:
        if (other := seen.setdefault(str(within(source.json, "id")), source.path)) != source.path:
            raise InputError(
                f"{source.path}: the results of a run that was read, as in {other}; keep one of the two"
            )
    names = {
        source.path: (folder.name if len(folders[name]) > 1 else name, data_set if several else "")
        for source, (name, folder, data_set) in zip(files, runs, strict=True)
    }
    trials = [trial for source in files for trial in source.json.get("results", [source.json])]
    return _Runs(names, sum(within(trial, "is_resolved") is None for trial in trials))


def _rows_of_run(source: Source, runs: _Runs) -> Iterator[Row | Remark]:
    if source.path not in runs.of_file:
        return
    system, data_set = runs.of_file[source.path]
    for trial in source.json.get("results", [source.json]):
        yield Row(system, trial["task_id"], trial.get("is_resolved") or False, "resolved", data_set)
    yield from _failed(runs.unresolved)


def _run(source: Source) -> tuple[str, Path, str]:
    """System, folder of its runs and data set of a run, by the file beside its results, or by the folder."""
    path = Path(source.path).resolve()
    run = path.parent if "results" in source.json else path.parents[2]
    metadata = run / _METADATA
    about = parse_json(read_text(metadata), str(metadata)) if metadata.is_file() else None
    agent, model = text_within(about, "agent_name"), text_within(about, "model_name")
    data_set = " ".join(filter(None, (text_within(about, f"dataset_{part}") for part in ("name", "version"))))
    return _system_trials(agent, model) if agent else run.parent.name, run.parent, data_set


def _system_trials(agent: str, model: str) -> str:
    return f"{agent} ({model})" if model else agent


def _failed(number: int) -> Iterator[Remark]:
    if number:
        yield Remark(Note("counted-as-zero", {"case": "trials", "number": number}))


# ── Harbor: result.json of each trial, beside that of the job ─────────────────────────────────────────


def _is_trial(document: Any) -> bool:
    return has_keys(document, "task_name", "trial_name", "agent_info")


def _is_job(document: Any) -> bool:
    return has_keys(document, "n_total_trials", "stats")


def _trials(source: Source) -> list[dict[str, Any]]:
    """The trials in a file."""
    document = source.document
    if _is_trial(document):
        return [document]
    return list(document.get("trial_results") or []) if _is_job(document) else []


@dataclass(frozen=True)
class _Jobs:
    """The file that each trial is read from, what rewards there are, and how many trials have none."""

    file_of: Mapping[str, str]
    rewards: Sequence[str]
    failed: int


def _rewards(trial: Any) -> dict[str, Any]:
    return within(trial, "verifier_result", "rewards") or {}


def _trials_together(sources: Sequence[Source]) -> _Jobs:
    files: dict[str, str] = {}
    found: dict[str, dict[str, Any]] = {}
    for source in sources:
        for trial in _trials(source):
            key = str(within(trial, "id"))
            if files.setdefault(key, source.path) == source.path:
                found[key] = _rewards(trial)
        source.forget()
    if not files:
        raise InputError(
            f"{sources[0].path}: no trials in it; give the folder of the job, with a result.json per trial"
        )
    rewards = list(dict.fromkeys(name for each in found.values() for name in each)) or ["reward"]
    return _Jobs(files, rewards, sum(not each for each in found.values()))


def _rows_of_trials(source: Source, jobs: _Jobs) -> Iterator[Row | Remark]:
    for trial in _trials(source):
        if jobs.file_of[str(trial.get("id"))] != source.path:
            continue
        system = _system_trials(
            trial["agent_info"]["name"], text_within(trial, "agent_info", "model_info", "name")
        )
        for name in jobs.rewards:
            yield Row(
                system, trial["task_name"], _rewards(trial).get(name, 0), name, text_within(trial, "source")
            )
    yield from _failed(jobs.failed)


ADAPTERS = (
    Adapter(
        name="terminal_bench",
        label="the results of terminal-bench",
        explanation="results.json of each run: agents with their models are systems, tasks questions, "
        "attempts and runs are runs. The name of a system is in run_metadata.json, or is that of the folder "
        "of its runs.",
        rows=_rows_of_run,
        together=_runs_together,
        recognizes=lambda source: is_terminal_bench(source.document),
        files=("results.json",),
        repeats="runs",
    ),
    Adapter(
        name="harbor",
        label="the results of Harbor",
        explanation="The folder of one or several jobs, with a result.json per trial: agents with their "
        "models are systems, tasks questions, and attempts runs. Rewards are measures.",
        rows=_rows_of_trials,
        together=_trials_together,
        recognizes=lambda source: _is_trial(source.document) or _is_job(source.document),
        files=("result.json",),
        repeats="runs",
    ),
)
