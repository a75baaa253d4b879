"""EvalPerf: one row per task, one column per system.

`evalperf` has the differential performance score, empty where a system solved a task too rarely to be
profiled; `evalperf_pass` has the share of right programs, of 100 answers or, for the o1 models, of 50.
"""

from __future__ import annotations

import pandas as pd

from gallery.extract.repository import Repository

ENDING = "_evalperf_results.brief.json"
FIELDS = {"evalperf.csv.gz": "dps", "evalperf_pass.csv.gz": "pass@1"}


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Scores from 0 to 100, rounded to three digits."""
    files = [path for path in repository.names("results/evalperf") if path.endswith(ENDING)]
    columns = {}
    for path, result in repository.documents(files):
        system = path.split("/")[-1].split("_")[0].split("--")[-1]
        if "-perf-instruct_" in path:
            system = system.replace("-perf-instruct", "") + " (asked for speed)"
        columns[system] = {task: found[FIELDS[name]] for task, found in result["eval"].items()}
    return pd.DataFrame(columns).round(3).reset_index(names="question")
