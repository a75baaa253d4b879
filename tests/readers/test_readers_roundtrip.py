from __future__ import annotations

import os
from unicodedata import normalize

import numpy as np
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from truerank.errors import InputError
from truerank.readers import read_scores, write_scores
from truerank.scores import ScoreMatrix

SUFFIXES = ["csv", "tsv", "parquet"]
TOUCHY = st.sampled_from(
    [
        "topic",
        "system",
        "run 1",
        "name",
        "",
        " x",
        "x ",
        'a"b',
        "a,b",
        "a;b",
        "a\tb",
        "a\nb",
        "a\r\nb",
        "1",
        "0.5",
        "nan",
    ]
)
NAME = (
    st.text(st.characters(exclude_categories=["Cs"], exclude_characters="\0"), min_size=1, max_size=8)
    | TOUCHY
).filter(str.strip)


@st.composite
def matrices(draw):
    systems = draw(st.lists(NAME, min_size=1, max_size=5, unique=True))
    topics = draw(st.lists(NAME, min_size=1, max_size=5, unique=True))
    values = draw(arrays(np.float64, (len(topics), len(systems)), elements=st.floats(-1e100, 1e100)))
    return ScoreMatrix.build(values, topics, systems)


@pytest.mark.parametrize("suffix", SUFFIXES)
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(scores=matrices())
def test_what_is_written_is_read_back_to_the_bit(tmp_path, suffix, scores):
    path = tmp_path / f"scores.{suffix}"
    try:
        write_scores(scores, path)
    except InputError:  # names that would be read back as something else
        assume(False)
    back = read_scores(path, missing_value="none")  # -1 may be a score
    # Text is read in composed form.
    for now, before in ((back.topics, scores.topics), (back.systems, scores.systems)):
        assert [normalize("NFC", name) for name in now] == [normalize("NFC", name) for name in before]
    assert back.values.tobytes() == scores.values.tobytes()
    assert os.listdir(tmp_path) == [path.name]


@pytest.mark.parametrize("names", [["a↓", "b↓"], ["↓"], ["a↓", "b↑"]])
def test_names_with_arrows_that_would_turn_the_scores_are_not_written(tmp_path, names):
    scores = ScoreMatrix.build(np.full((3, len(names)), 0.5), systems=names)
    with pytest.raises(InputError, match=r"direction|not read back: by their arrows"):
        write_scores(scores, tmp_path / "s.csv")


@pytest.mark.parametrize(
    ("topics", "systems", "message"),
    [
        (["all"], ["A"], "not read back: only averages over all topics"),
        (["1"], ["system", "value"], "would be read back as something else"),
        (["Mean", "q1"], ["A"], "the name 'Mean' would be read back as something else"),
        (["1"], ["a\0b"], "cannot be written as text"),
    ],
)
def test_names_that_a_table_cannot_hold(tmp_path, topics, systems, message):
    scores = ScoreMatrix.build(np.zeros((len(topics), len(systems))), topics, systems)
    with pytest.raises(InputError, match=message):
        write_scores(scores, tmp_path / "a.csv")
    assert os.listdir(tmp_path) == []


def test_unusable_targets(tmp_path):
    scores = ScoreMatrix.build([[1, 2]])
    with pytest.raises(InputError, match=r"name it \.csv, \.tsv or \.parquet"):
        write_scores(scores, tmp_path / "a.xlsx")
    with pytest.raises(InputError, match="does not exist"):
        write_scores(scores, tmp_path / "no" / "a.csv")
