"""What the numbers rest on is called by its name, on the page and in the terminal."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.readers import read_scores
from truerank.report.views import view
from truerank.report.words import score_word

QUICK = {"estimator": ["ml"], "draws": 200, "seed": 1}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """One score per system and data set, and topics of three data sets in clusters."""
    rng = np.random.default_rng(2)
    folder = tmp_path_factory.mktemp("boards")
    sets = [f"set{k}" for k in range(9)]
    means = rng.normal([0.6, 0.55, 0.4, 0.1], 0.05, (9, 4)).round(3)
    pd.DataFrame(means, columns=list("ABCD")).assign(dataset=sets).set_index("dataset").to_csv(
        folder / "board.csv"
    )
    rows = [
        (f"set{k}", f"q{t}", f"c{k}.{t // 2}", s, round(0.5 - 0.05 * i + rng.normal(0, 0.1), 3))
        for k in range(3)
        for t in range(12)
        for i, s in enumerate("ABCD")
    ]
    pd.DataFrame(rows, columns=["dataset", "query", "conv", "system", "value"]).to_csv(
        folder / "topics.csv", index=False
    )
    return folder


@pytest.fixture(scope="module")
def board(files):
    return read_scores(files / "board.csv")


def test_units_are_named_by_what_is_a_sample(files, board):
    topics = read_scores(files / "topics.csv")
    fixed = truerank.assess(topics, generalize_to="topics", **QUICK)
    random = truerank.assess(topics, generalize_to="data_sets", **QUICK)
    assert (fixed.counted.many, random.counted.many) == ("topics", "data sets")
    assert view(fixed).subject.endswith("4 systems · 36 topics · 3 data sets")
    assert "on new topics of these 3 data sets" in fixed.summary()
    assert "on new data sets like these" in random.summary()
    clustered = truerank.assess(
        read_scores(files / "topics.csv", cluster="conv"), generalize_to="topics", **QUICK
    )
    assert clustered.counted.many == "clusters of topics"
    assert view(clustered).subject.endswith("4 systems · 36 topics in 18 clusters · 3 data sets")
    assert "on 36 topics in 18 clusters of 3 data sets" in view(clustered).sentence + clustered.summary()
    assert view(truerank.assess(board, **QUICK)).subject.endswith("4 systems · 9 data sets")


@pytest.mark.parametrize(
    ("aggregate", "word", "highest"), [("borda", "points", 27.0), ("win-rate", "win rate", 1.0)]
)
def test_votes_are_not_called_means_and_stay_within_what_there_is(board, aggregate, word, highest):
    assessment = truerank.assess(board, aggregate=aggregate, **QUICK)
    assert score_word(assessment) == word
    assert f"{word.capitalize()} (95% interval)" in [
        c.heading for c in view(assessment).table("ranking").columns
    ]
    low = [s.mean_low for s in assessment.ranking]
    high = [s.mean_high for s in assessment.ranking]
    assert min(low) >= 0.0
    assert max(high) <= highest
    assert all(s.mean_low <= s.mean <= s.mean_high for s in assessment.ranking)
