"""WMT 2020 MQM: one row per segment, one column per system, minus the error points that experts gave."""

from __future__ import annotations

import io

import pandas as pd

from gallery.extract.repository import Repository


def table(repository: Repository, name: str) -> pd.DataFrame:
    """The published averages over three raters, rounded to three digits."""
    pair = name.removeprefix("wmt20_").removesuffix(".csv.gz")
    text = repository.text(f"newstest2020/{pair}/mqm_newstest2020_{pair}.avg_seg_scores.tsv")
    long = pd.read_csv(io.StringIO(text), sep=r"\s+")
    wide = long.pivot_table(index="seg_id", columns="system", values="mqm_avg_score", sort=True).round(3)
    wide.columns = [column.rsplit(".", 1)[0] for column in wide.columns]
    if wide.isna().any(axis=None) or wide.columns.has_duplicates:
        raise ValueError("the table has empty cells, or two systems of one name")
    wide.index = [f"s{number}" for number in wide.index]
    return wide.reset_index(names="segment")
