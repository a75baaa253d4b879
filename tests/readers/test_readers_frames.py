from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

WIDE = pd.DataFrame({"A": [0.5, 0.25], "B": [0.125, 1]})
LONG = pd.DataFrame(
    {
        "name": ["A", "A", "B", "B"] * 2,
        "qid": ["q2", "q1"] * 4,
        "measure": ["AP"] * 4 + ["P@10"] * 4,
        "value": [0.5, 0.25, 0.125, 1, 0.1, 0.2, 0.3, 0.4],
    }
)


@pytest.mark.parametrize(
    ("frame", "topics"),
    [
        (WIDE, ("1", "2")),
        (WIDE.set_axis(["q2", "q1"]), ("q2", "q1")),
        (WIDE.set_axis([302, 301]), ("302", "301")),
        (WIDE.set_axis([302.0, 301.0]), ("302", "301")),
        (WIDE.set_axis(pd.Index([0, 1], name="docs")), ("0", "1")),
        (WIDE.assign(qid=["q2", "q1"])[["qid", "A", "B"]], ("q2", "q1")),
        (WIDE.assign(id=["q2", "q1"])[["id", "A", "B"]], ("q2", "q1")),
        (WIDE.assign(qid=[7, 8])[["qid", "A", "B"]].set_axis([5, 3]), ("7", "8")),
    ],
)
def test_wide_frames(frame, topics):
    scores = read_scores(frame, "AP")
    assert scores.topics == topics
    assert scores.systems == ("A", "B")
    assert scores.measure == "AP"
    assert scores.source is None
    np.testing.assert_array_equal(scores.values, WIDE)


def test_long_frames():
    scores = read_scores(LONG, "map")
    assert scores.topics == ("q2", "q1")
    np.testing.assert_array_equal(scores.values, WIDE)
    shuffled_index = LONG[LONG.measure == "P@10"]
    np.testing.assert_array_equal(read_scores(shuffled_index).values, [[0.1, 0.3], [0.2, 0.4]])
    np.testing.assert_array_equal(read_scores(LONG.set_index("qid"), "AP").values, WIDE)
    np.testing.assert_array_equal(read_scores(LONG.set_index(["name", "qid"]), "AP").values, WIDE)


@pytest.mark.parametrize(
    ("frame", "message"),
    [
        (WIDE.assign(B=["0.1", "x"]), r"^data frame, row 2: column 'B' holds 'x' where a number belongs"),
        (WIDE.set_axis(["q", "q"]), r"^data frame, row 2: topic 'q' was already given at data frame, row 1"),
        (WIDE.set_axis(["A", "A"], axis=1), r"^data frame: columns 1 and 2 are both named 'A'"),
        (WIDE.set_axis(["q", None]), r"^data frame, row 2: the topic has no name"),
        (pd.concat([LONG, LONG.iloc[:1]]), "^data frame, row 9: system 'A' already has a score on topic"),
    ],
)
def test_unusable_frames(frame, message):
    with pytest.raises(InputError, match=message):
        read_scores(frame, "AP")


@pytest.mark.parametrize(
    ("array", "message"),
    [
        ([1, 2], "one column"),
        (np.zeros((0, 3)), "no scores"),
        ([[1, 2], [3]], "numbers"),
        (None, "0 dimensions"),
    ],
)
def test_unusable_arrays(array, message):
    with pytest.raises(InputError, match=message):
        read_scores(array)


def test_the_caller_s_array_is_left_alone():
    array = np.array([[0.5, np.nan], [0.125, 1]])
    read_scores(array, missing="zero")
    assert np.isnan(array[0, 1])
