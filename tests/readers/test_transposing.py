"""Wide tables whose rows are systems."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

BOARD = "model,fiqa,nq,scifact\nbm25,0.2,0.3,0.6\nsplade,0.4,0.5,0.7\n"


def refusal(source, *args, **kwargs) -> str:
    with pytest.raises(InputError) as caught:
        read_scores(source, *args, **kwargs)
    assert "\n" not in str(caught.value)
    return str(caught.value)


def test_a_frame_and_its_transpose_are_read_alike():
    frame = pd.DataFrame({"org/a": [0.1, 0.2, 0.3], "org/b": [0.2, 0.3, 0.4]}, index=["fiqa", "nq", "quora"])
    frame.index.name = "task_name"
    expected = read_scores(frame)
    assert expected.k == 3
    for other, transpose in ((frame.T, True), (frame.T.rename_axis("model_name"), None)):
        scores = read_scores(other, transpose=transpose)
        assert (scores.systems, scores.data_sets) == (expected.systems, expected.data_sets)
        np.testing.assert_array_equal(scores.values, expected.values)


def test_the_user_decides(write):
    path = write("a.csv", ",A,B,C\nx,0.1,0.2,0.4\ny,0.3,0.4,0.5\nz,0.2,0.1,0.3\n")
    assert read_scores(path).systems == read_scores(path, transpose=False).systems == ("A", "B", "C")
    assert read_scores(path, transpose=True).systems == ("x", "y", "z")
    read = read_scores(path)
    assert read.reading.doubts == ("transpose=True reads rows as systems",)
    assert read.warnings == (read.reading.line,)
    assert read_scores(path, transpose=False).warnings == ()
    board = write("b.csv", BOARD)
    assert read_scores(board, transpose=False).systems == ("fiqa", "nq", "scifact")
    measures = write("c.csv", "model,AP,P@10\na,0.2,0.3\nb,0.4,0.5\n")
    assert "with one mean each by a measure" in refusal(measures)
    assert read_scores(measures, transpose=True).systems == ("a", "b")
    assert "no column holds names" in refusal(write("d.csv", "A,B\n1,2\n3,4\n"), transpose=True)
    long = write("e.csv", "topic,system,value\n1,A,0.5\n1,B,0.25\n")
    assert "nothing to transpose" in refusal(long, transpose=True)
    assert "this is an array, so leave out transpose=True" in refusal([[1, 2], [3, 4]], transpose=True)


def test_what_a_leaderboard_says_beside_scores_is_left_out_and_named(write):
    text = (
        "Rank (Borda),Model,Memory Usage (MB),Mean (Task),By,FiQA2018,SciFact,NFCorpus,Average,Score\n"
        "1,a,100,0.5,X,0.4,0.5,0.6,0.5,7\n2,b,200,0.4,Y,0.3,0.4,0.5,0.4,6\nx,Mean,150,0.45,,0.35,0.45,0.55,0.45,5\n"
    )
    scores = read_scores(write("a.csv", text))
    assert scores.systems == ("a", "b")
    assert scores.data_sets == ("FiQA2018", "SciFact", "NFCorpus")
    notes = " ".join(scores.warnings)
    assert "left out: Rank (Borda), Memory Usage (MB), Mean (Task), Average, Score" in notes
    assert "not used: By" in notes
    assert "rows that sum up the systems left out: Mean" in notes


def test_columns_that_are_measures_are_no_data_sets(write):
    header = "nDCG@10,recall_at_5,MRR"
    text = BOARD.replace("fiqa,nq,scifact", header)
    assert "with one mean each by a measure" in refusal(write("a.csv", text))


def test_faults(write):
    assert "a.csv:3: system 'bm25' was already given" in refusal(
        write("a.csv", BOARD.replace("splade", "bm25"))
    )
    assert "columns 2 and 3 are both named 'nq'" in refusal(write("a.csv", BOARD.replace("fiqa", "nq")))
    assert "a.csv:3: column 'nq' holds 'x'" in refusal(write("a.csv", BOARD.replace("0.5,", "x,")))
    assert "a.csv:2: the system has no name" in refusal(write("a.csv", BOARD.replace("bm25", " ")))
    assert "a.csv:3: system 'splade' has no score on data set 'nq'" in refusal(
        write("a.csv", BOARD.replace("0.5,", ","))
    )
    assert "only averages" in refusal(write("a.csv", "model,fiqa,nq\nMean,0.1,0.2\n"))


def board(systems, columns, corner="") -> str:
    rows = [
        [system, *(f"0.{(3 * i + j) % 8 + 1}5" for j in range(len(columns)))]
        for i, system in enumerate(systems)
    ]
    return "\n".join(",".join(row) for row in [[corner, *columns], *rows]) + "\n"


NAMES = ["BM25", "DPR", "E5", "SPLADE"]
SETS = ["FiQA2018", "NFCorpus", "SCIDOCS", "my own"]


@pytest.mark.parametrize("corner", ["modèle", "team"])
@pytest.mark.parametrize("columns", [SETS, ["q1", "q2", "q10"], ["301", "302", "303"]])
def test_rows_are_systems_by_the_name_of_their_column(write, columns, corner):
    path = write("a.csv", board(NAMES, columns, corner))
    scores = read_scores(path)
    assert scores.systems == tuple(NAMES)
    assert scores.topics == tuple(columns)
    assert scores.data_sets == (tuple(SETS) if columns is SETS else ())
    assert scores.reading.doubts == ("transpose=False reads columns as systems",)
    assert read_scores(path, transpose=False).systems == tuple(columns)


@pytest.mark.parametrize("corner", ["", "Unnamed: 0", "index"])
@pytest.mark.parametrize("columns", [["q1", "q2", "q10"], ["301", "302", "303"]])
def test_columns_that_are_called_like_topics_are_asked_about(write, columns, corner):
    path = write("a.csv", board(NAMES, columns, corner))
    assert "transpose=True if rows are systems" in refusal(path)
    assert read_scores(path, transpose=True).systems == tuple(NAMES)
    assert read_scores(path, transpose=False).systems == tuple(columns)


@pytest.mark.parametrize(
    ("rows", "corner"),
    [
        (NAMES, "topic"),
        (["301", "302", "303"], ""),
        (["MB01", "MB02", "MB03"], ""),
        (["5ab4f2c1", "0ddc00de", "5a7e1190"], ""),
    ],
)
def test_plain_tables_have_no_note(write, rows, corner):
    columns = ["uwmt1", "uwmt2", "ibm1"]
    scores = read_scores(write("a.csv", board(rows, columns, corner)))
    assert scores.systems == tuple(columns)
    assert scores.warnings == ()
