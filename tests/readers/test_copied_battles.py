"""Battles that stand in a file twice are counted, where that is hardly chance."""

from __future__ import annotations

import numpy as np
import pandas as pd

from truerank import read_scores


def battles(rows: int = 400, seed: int = 1) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    first = rng.integers(0, 4, rows)
    second = (first + rng.integers(1, 4, rows)) % 4
    return pd.DataFrame(
        {
            "model_a": [f"s{s}" for s in first],
            "model_b": [f"s{s}" for s in second],
            "winner": rng.choice(["model_a", "model_b", "tie"], rows),
            "question_id": [f"q{q}" for q in rng.integers(0, 40, rows)],
            "judge": [f"v{v}" for v in rng.integers(0, 30, rows)],
        }
    )


def said(frame: pd.DataFrame, **options: object) -> list[dict[str, object]]:
    return [n.facts for n in read_scores(frame, **options).notes if n.code == "battles-copied"]


def test_copies_of_battles_with_a_number_each_are_counted() -> None:
    frame = battles().assign(battle_id=range(400))
    doubled = pd.concat([frame, frame[:30]], ignore_index=True)
    (facts,) = said(doubled)
    assert (facts["copies"], facts["of"]) == (int(doubled.duplicated().sum()), 430)
    assert not said(frame)


def test_equal_rows_are_usual_without_voters_or_with_counts() -> None:
    plain = battles().drop(columns="judge")
    assert plain.duplicated().sum() > 0
    assert not said(plain)
    counts = pd.DataFrame(
        {"model_a": list("aabaa"), "model_b": list("bcccb"), "wins_a": [3] * 5, "wins_b": [2] * 5}
    )
    assert not said(counts)
