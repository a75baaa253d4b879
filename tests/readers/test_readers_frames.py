from __future__ import annotations

import numpy as np
import pandas as pd
import pyarrow as pa
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


class _Polars:
    """What a Polars frame offers of its interface; names of columns are not an index of pandas."""

    def __init__(self, frame: pd.DataFrame) -> None:
        self.columns, self._frame = list(frame.columns), frame

    def to_dicts(self) -> list[dict[str, object]]:
        return self._frame.to_dict("records")

    def to_dict(self, *, as_series: bool) -> dict[str, list[object]]:
        assert not as_series
        return self._frame.to_dict("list")


NAMED = WIDE.set_axis(pd.Index(["q2", "q1"], name="topic"))


def stacked(frame: pd.DataFrame) -> pd.Series:
    return frame.stack()  # noqa: PD013 (melt has no index to read)


@pytest.mark.parametrize(
    "thing",
    [
        NAMED.reset_index().to_dict("records"),
        LONG[:4].drop(columns="measure").to_dict("records"),
        pa.Table.from_pandas(NAMED.reset_index()),
        _Polars(NAMED.reset_index()),
        stacked(NAMED),
        stacked(NAMED).rename("AP"),
        stacked(NAMED.T.rename_axis("system")).to_frame("score").rename_axis(["system", None]),
        pd.concat({name: WIDE.set_axis([302, 301])[name] for name in WIDE}, names=["system"]).rename(
            index={302: "q2", 301: "q1"}
        ),
    ],
    ids=["records", "long records", "Arrow", "Polars", "stack", "named", "transposed", "concat"],
)
def test_what_stands_for_a_frame_is_read_as_one(thing):
    scores = read_scores(thing)
    assert (scores.topics, scores.systems) == (("q2", "q1"), ("A", "B"))
    np.testing.assert_array_equal(scores.values, WIDE)


def test_polars_without_topics_keeps_the_names_of_systems():
    assert read_scores(_Polars(WIDE)).systems == ("A", "B")


@pytest.mark.parametrize(
    "series",
    [
        pd.concat({name: NAMED[name].rename_axis(None) for name in NAMED}),
        stacked(NAMED.rename_axis(None)).to_frame("score"),
        pd.concat({name: WIDE[name] for name in WIDE}),
    ],
)
def test_levels_without_names_beside_one_column_are_asked_about(series):
    message = r"^data frame: levels of the index without names .* \.rename_axis\(\['system', 'topic'\]\)$"
    with pytest.raises(InputError, match=message):
        read_scores(series)
    assert read_scores(series.rename_axis(["system", "topic"])).m == 2


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
