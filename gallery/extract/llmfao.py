"""LLMFAO: one row per battle: prompt, the two systems, the winner, who judged."""

from __future__ import annotations

import io

import pandas as pd

from gallery.extract.repository import Repository


def table(repository: Repository, name: str) -> pd.DataFrame:
    """The crowd's comparisons as they are, numbers of pairs and models left out."""
    battles = pd.read_csv(io.StringIO(repository.text("crowd-comparisons.csv")))
    battles = battles.rename(columns={"left": "model_a", "right": "model_b"})
    battles["winner"] = battles["winner"].replace({"left": "model_a", "right": "model_b"})
    return battles[["prompt", "worker", "model_a", "model_b", "winner"]]
