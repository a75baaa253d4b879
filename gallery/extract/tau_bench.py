"""tau-bench: one row per task and run of one agent, with its reward."""

from __future__ import annotations

import json

import pandas as pd

from gallery.extract.repository import Repository


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Task, run and reward; the conversations are left out."""
    runs = json.loads(repository.text("historical_trajectories/gpt-4o-airline.json"))
    rows = [(one["task_id"], "gpt-4o", one["trial"], one["reward"]) for one in runs]
    return pd.DataFrame(rows, columns=["question", "system", "run", "reward"]).sort_values(
        ["question", "run"]
    )
