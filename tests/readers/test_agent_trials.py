"""Results of terminal-bench 0.2.18 and Harbor 0.25, in the shapes that these write."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores


def _write(path: Path, document: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(document), encoding="utf-8")
    return path


# ── terminal-bench ─────────────────────────────────────────────────────────────────────────────────────


def _trial(run: str, task: int, resolved: bool | None, attempt: int = 1) -> dict[str, Any]:
    return {
        "id": f"{run}-{task}-{attempt}",
        "trial_name": f"task{task}.{attempt}-of-2.{run}",
        "task_id": f"task{task}",
        "instruction": "Do it.",
        "is_resolved": resolved,
        "failure_mode": "unset",
        "parser_results": {"test_it": "passed"},
    }


def _run(folder: Path, outcomes: list[bool | None], agent: str = "", model: str | None = None) -> float:
    """A run with its results, those of each trial, and what it was; its accuracy."""
    trials = [_trial(str(folder), task, outcome) for task, outcome in enumerate(outcomes)]
    resolved = [one["task_id"] for one in trials if one["is_resolved"]]
    unresolved = [one["task_id"] for one in trials if not one["is_resolved"]]
    accuracy = len(resolved) / len(trials)
    _write(
        folder / "results.json",
        {
            "id": f"run {folder}",
            "results": trials,
            "pass_at_k": {},
            "n_resolved": len(resolved),
            "n_unresolved": len(unresolved),
            "resolved_ids": resolved,
            "unresolved_ids": unresolved,
            "accuracy": accuracy,
        },
    )
    for one in trials:
        _write(folder / one["task_id"] / one["trial_name"].replace("/", "_") / "results.json", one)
    if agent:
        about = {"agent_name": agent, "model_name": model, "dataset_name": "core", "dataset_version": "0.1.1"}
        _write(folder / "run_metadata.json", about)
    return accuracy


def test_runs_of_terminal_bench_are_runs(tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    accuracy: dict[str, list[float]] = {}
    for agent, chance in (("one", 0.4), ("two", 0.7)):
        for run in range(5):
            folder = tmp_path / f"20250101_{agent}" / f"run{run}"
            outcomes = (rng.random(12) < chance).tolist()
            accuracy.setdefault(f"{agent} (gpt)", []).append(_run(folder, outcomes, agent, "gpt"))
    found = read_scores(tmp_path)
    assert (found.systems, found.noun, found.measure) == (tuple(accuracy), "question", "resolved")
    np.testing.assert_allclose(found.values.mean(axis=0), [np.mean(one) for one in accuracy.values()])
    assert found.repeats is not None
    assert np.unique(found.repeats.counts).tolist() == [5]
    folders = [str(path) for path in sorted(tmp_path.iterdir())]
    np.testing.assert_array_equal(read_scores(folders).values, found.values)


def test_trials_without_a_result_count_zero_and_a_folder_names_what_no_file_names(tmp_path: Path) -> None:
    _run(tmp_path / "20250101_one" / "run", [True, None, False, None])
    _run(tmp_path / "20250202_two" / "run", [True, True, False, True])
    for one in range(2):  # the same agent twice: the folders tell the two apart
        _run(tmp_path / f"submission{one}" / "run", [True, bool(one), False, False], "droid")
    found = read_scores(tmp_path)
    assert sorted(found.systems) == ["20250101_one", "20250202_two", "submission0", "submission1"]
    by_name = dict(zip(found.systems, found.values.T.tolist(), strict=True))
    assert by_name["20250101_one"] == [1, 0, 0, 0]
    assert by_name["submission1"] == [1, 1, 0, 0]
    assert next(note.text for note in found.notes if note.code == "counted-as-zero").startswith("2 trials")


# ── Harbor ─────────────────────────────────────────────────────────────────────────────────────────────


def _harbor(folder: Path, agent: str, rewards: list[list[dict[str, float] | None]]) -> None:
    """A job: rewards of attempts × tasks, `None` where the verifier gave none."""
    for attempt, of_tasks in enumerate(rewards):
        for task, reward in enumerate(of_tasks):
            trial = {
                "id": f"{agent}-{attempt}-{task}",
                "task_name": f"task{task}",
                "trial_name": f"task{task}__{attempt}",
                "source": "terminal-bench",
                "agent_info": {"name": agent, "version": "1", "model_info": {"name": "gpt", "provider": "x"}},
                "verifier_result": None if reward is None else {"rewards": reward},
                "exception_info": None if reward else {"exception_type": "AgentTimeoutError"},
            }
            _write(folder / f"task{task}__{attempt}" / "result.json", trial)
    _write(folder / "result.json", {"id": agent, "n_total_trials": 9, "stats": {"evals": {}}})


def test_attempts_of_harbor_are_runs(tmp_path: Path) -> None:
    _harbor(tmp_path / "job1", "terminus", [[{"reward": 1.0}, {"reward": 0.0}], [{"reward": 1.0}, None]])
    _harbor(tmp_path / "job2", "codex", [[{"reward": 0.5}, {"reward": 0.25}], [{"reward": 0.5}, None]])
    found = read_scores(tmp_path)
    assert (found.systems, found.measure, found.noun) == (
        ("terminus (gpt)", "codex (gpt)"),
        "reward",
        "question",
    )
    assert found.values.tolist() == [[1, 0.5], [0, 0.125]]
    assert found.repeats is not None
    assert next(note.text for note in found.notes if note.code == "counted-as-zero").startswith("2 trials")


def test_a_trial_without_its_task_is_named(tmp_path: Path) -> None:
    trials = [{"trial_name": f"t{k}", "task_id": f"t{k}", "is_resolved": True} for k in range(3)]
    del trials[2]["task_id"]
    path = tmp_path / "runs" / "one" / "results.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps({"id": "1", "results": trials}), encoding="utf-8")
    with pytest.raises(InputError, match=r"results\.json: .*terminal-bench, but it lacks 'task_id'"):
        read_scores(tmp_path / "runs")
    job = tmp_path / "job" / "t1" / "result.json"
    job.parent.mkdir(parents=True)
    trial = {"id": "a", "task_name": "x", "trial_name": "x-1", "agent_info": {"version": "1"}}
    job.write_text(json.dumps(trial), encoding="utf-8")
    with pytest.raises(InputError, match=r"result\.json: .*Harbor, but it lacks 'name'"):
        read_scores(tmp_path / "job")
