"""OpenCLIP: one row per data set, one column per model, zero-shot accuracy or recall."""

from __future__ import annotations

import io

import pandas as pd

from gallery.extract.repository import Repository

FILE = "docs/openclip_results.csv"
ABOUT = ["name", "pretrained", "params (M)", "FLOPs (B)", "Average perf. on 38 datasets"]


def table(repository: Repository, name: str) -> pd.DataFrame:
    """Models are named by architecture and training data."""
    found = pd.read_csv(io.StringIO(repository.text(FILE)))
    scores = found.drop(columns=ABOUT).T
    scores.columns = found["name"] + " " + found["pretrained"]
    scores.insert(0, "data_set", scores.index)
    return scores.dropna(axis="columns")


def costs(repository: Repository) -> pd.DataFrame:
    """Billions of operations for one image and one text, by model."""
    found = pd.read_csv(io.StringIO(repository.text(FILE)))
    return pd.DataFrame({"system": found["name"] + " " + found["pretrained"], "GFLOPs": found["FLOPs (B)"]})
