"""EvalPerf: one row per task and system: differential performance score, right answers, answers asked for."""

from __future__ import annotations

import pandas as pd

from gallery.extract.repository import Repository

ENDING = "_evalperf_results.brief.json"


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Long table; no `dps` where a system solved the task too rarely to be profiled."""
    files = [path for path in repository.names("results/evalperf") if path.endswith(ENDING)]
    rows = []
    for path, result in repository.documents(files):
        system = path.split("/")[-1].split("_")[0].split("--")[-1]
        if "-perf-instruct_" in path:
            system += " (asked for speed)"
        attempts = result["config"]["n_samples"]
        for task, found in result["eval"].items():
            right = found["pass@1"] * attempts / 100
            if abs(right - round(right)) > 1e-6:
                raise ValueError(f"{path}: {task} has {right} right answers")
            dps = None if found["dps"] is None else round(found["dps"], 3)
            rows.append((task, system, dps, round(right), attempts))
    return pd.DataFrame(rows, columns=["question", "system", "dps", "successes", "attempts"])
