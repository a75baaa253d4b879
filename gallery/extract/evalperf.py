"""EvalPerf, two tables.

`evalperf` has one row per task, one column per system: the differential performance score, empty where a
system solved a task too rarely to be profiled. `evalperf_pass` has one row per task and system: how many of
its programs were right, and of how many: 100, or 50 for the o1 models.
"""

from __future__ import annotations

import pandas as pd

from gallery.extract.repository import Repository

ENDING = "_evalperf_results.brief.json"


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Scores from 0 to 100, rounded to three digits, or counts."""
    files = [path for path in repository.names("results/evalperf") if path.endswith(ENDING)]
    found = {_system(path): result for path, result in repository.documents(files)}
    if name == "evalperf.csv.gz":
        columns = {
            system: {task: one["dps"] for task, one in result["eval"].items()}
            for system, result in found.items()
        }
        return pd.DataFrame(columns).round(3).reset_index(names="question")
    rows = [
        (task, system, _right(one["pass@1"], result["config"]["n_samples"]), result["config"]["n_samples"])
        for system, result in found.items()
        for task, one in result["eval"].items()
    ]
    return pd.DataFrame(rows, columns=["question", "system", "successes", "attempts"])


def _system(path: str) -> str:
    system = path.split("/")[-1].split("_")[0].split("--")[-1]
    if "-perf-instruct_" in path:
        system = system.replace("-perf-instruct", "") + " (asked for speed)"
    return system


def _right(percentage: float, programs: int) -> int:
    """How many programs were right."""
    right = percentage * programs / 100
    if abs(right - round(right)) > 1e-6:
        raise ValueError(f"{percentage}% of {programs} programs is no whole number")
    return round(right)
