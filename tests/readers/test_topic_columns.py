"""Topics that several columns name together."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError, UnknownNameError
from truerank.readers import read_scores

ROWS = ["Size,Radius,model,score"] + [
    f"{size},{radius},{model},{size / 10 + radius / 100 + (model == 'B') / 1000:.3f}"
    for size in (1, 2, 3)
    for radius in (4, 5)
    for model in "AB"
]
TABLE = "\n".join(ROWS) + "\n"


def test_columns_that_name_topics_together_are_one() -> None:
    scores = read_scores(TABLE.encode(), topic_column="Size,Radius")
    assert scores.topics == tuple(f"Size {size}, Radius {radius}" for size in (1, 2, 3) for radius in (4, 5))
    expected = [[s / 10 + r / 100, s / 10 + r / 100 + 0.001] for s in (1, 2, 3) for r in (4, 5)]
    np.testing.assert_allclose(scores.values, expected, rtol=1e-12)


def test_a_list_a_frame_and_another_case_say_the_same() -> None:
    frame = pd.DataFrame([row.split(",") for row in ROWS[1:]], columns=ROWS[0].split(","))
    frame["score"] = frame["score"].astype(float)
    frame["Size"] = frame["Size"].astype(int)
    expected = read_scores(TABLE.encode(), topic_column="Size,Radius")
    for given in (["Size", "Radius"], "size, radius", ("SIZE", "Radius")):
        for source in (frame, TABLE.encode()):
            scores = read_scores(source, topic_column=given)
            assert scores.topics == expected.topics
            np.testing.assert_array_equal(scores.values, expected.values)


def test_a_row_of_means_is_left_out_and_an_empty_name_refused(tmp_path: Path) -> None:
    wide = "part,item,A,B\nx,1,0.1,0.3\nx,2,0.2,0.1\ny,1,0.5,0.4\n"
    scores = read_scores(f"{wide}Mean,,0.27,0.27\n".encode(), topic_column="part,item")
    assert scores.n == 3
    assert "Mean" in "".join(map(str, scores.notes))
    path = tmp_path / "scores.csv"
    path.write_text(f"{wide}y,,0.27,0.27\n")
    with pytest.raises(InputError, match=r"scores\.csv:5: the topic has no name"):
        read_scores(path, topic_column="part,item")


def test_columns_that_are_not_there_or_twice_are_refused() -> None:
    with pytest.raises(UnknownNameError, match="'Radios'"):
        read_scores(TABLE.encode(), topic_column="Size,Radios")
    with pytest.raises(InputError, match="name each column once"):
        read_scores(TABLE.encode(), topic_column="Size,size")
