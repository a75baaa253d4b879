"""What names do not decide is asked in one message: the first rows, what columns are, what decides."""

from __future__ import annotations

import re
import subprocess

import numpy as np
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.readers.run_formats import read_run
from validation.tables_read import offers


def refusal(source, **options) -> str:
    with pytest.raises(InputError) as asked:
        read_scores(source, **options)
    assert "\n" not in str(asked.value)
    return str(asked.value)


def table(head: str, *rows: str) -> str:
    return "\n".join([head, *rows, ""])


def test_a_text_column_beside_scores_is_offered_as_the_system_and_never_taken(write):
    rows = [
        f"q{t},{kind},0.{(3 * t + s) % 8 + 1}" for t in range(4) for s, kind in enumerate(("red", "blue"))
    ]
    path = write("a.csv", table("topic,colour,score", *rows))
    (way,) = offers(refusal(path))
    assert way == {"topic_column": "topic", "system_column": "colour", "score_column": "score"}
    assert read_scores(path, **way).systems == ("red", "blue")


@pytest.mark.parametrize(
    ("text", "ways"),
    [
        (
            table("lr,q1,q2,q3", "0.1,.1,.2,.3", "0.01,.2,.3,.4", "0.001,.2,.1,.5"),
            [({"transpose": True, "system_column": "lr"}, (3, 3, 1)), ({"transpose": False}, (3, 4, 1))],
        ),
        (
            table("thing,A,B", "one,.1,.2", "two,.3,.1", "three,.2,.2"),
            [({"topic_column": "thing"}, (3, 2, 1)), ({"transpose": True}, (2, 3, 2))],
        ),
        (
            table("dataset,thing,A,B", "d,x,.1,.2", "d,y,.3,.1", "e,z,.2,.2"),
            [({"topic_column": "thing"}, (3, 2, 2))],
        ),
        (
            table("dataset,kind,accuracy", "x,p,.1", "x,q,.2", "y,p,.4", "y,q,.3"),
            [
                ({"system_column": "kind", "score_column": "accuracy"}, (2, 2, 2)),
                ({"topic_column": "kind"}, (4, 1, 2)),
            ],
        ),
        (table("thing,mark", "a,.1", "b,.2", "c,.4"), [({"topic_column": "thing"}, (3, 1, 1))]),
        (
            table("topic,recall,f1", "1,.1,.2", "2,.3,.1", "3,.2,.2"),
            [({"score_column": "recall"}, (3, 1, 1)), ({"transpose": False}, (3, 2, 1))],
        ),
        (
            table("topic,latency_ms,n_tokens", "1,100,20", "2,300,10", "3,200,20"),
            [({"score_column": "latency_ms"}, (3, 1, 1)), ({"transpose": False}, (3, 2, 1))],
        ),
    ],
)
def test_each_way_that_is_offered_reads_the_table(write, text, ways):
    path = write("a.csv", text)
    assert offers(refusal(path)) == [way for way, _ in ways]
    for way, shape in ways:
        scores = read_scores(path, **way)
        assert (scores.n, scores.m, scores.k) == shape


def test_topics_of_two_columns_with_repeated_rows_are_offered_together(write):
    cells = [(size, radius) for size in (100, 200) for radius in (0.05, 0.1, 0.2) for _ in range(4)]
    values = np.arange(48).reshape(24, 2) * 7 % 31
    rows = [f"{size},{radius},{a},{b}" for (size, radius), (a, b) in zip(cells, values, strict=True)]
    path = write("a.csv", table("Size,Radius,x,y", *rows))
    first = offers(refusal(path))[0]
    assert first == {"topic_column": "Size"}
    message = refusal(path, **first)
    assert "facet='x'" not in message
    assert "facet='y'" not in message
    second = offers(message)[0]
    assert second == {"topic_column": "Size,Radius"}
    third = offers(refusal(path, **second))[0]
    scores = read_scores(path, **second, **third)
    np.testing.assert_allclose(scores.values, values.reshape(6, 4, 2).mean(axis=1), rtol=1e-12)
    assert scores.systems == ("x", "y")


def test_judges_who_saw_some_of_the_answers_are_averaged_as_runs(write):
    judged = [("q0", "A", "j1", 3), ("q0", "A", "j2", 5), ("q0", "B", "j3", 4), ("q0", "B", "j4", 1)]
    judged += [("q1", "A", "j3", 2), ("q1", "A", "j4", 1), ("q1", "B", "j1", 5), ("q1", "B", "j2", 3)]
    path = write("a.csv", table("topic,system,judge,score", *(",".join(map(str, one)) for one in judged)))
    (way,) = offers(refusal(path, missing="model"))
    assert way == {"run_column": "judge"}
    np.testing.assert_array_equal(read_scores(path, **way).values, [[4, 2.5], [1.5, 4]])


@pytest.mark.parametrize("cell", ["TIMEOUT", "n.d."])
def test_one_bad_cell_is_shown_and_leaves_no_system_out(write, cell):
    path = write("a.csv", table("topic,A,B", "q1,0.5,0.25", f"q2,{cell},0.5", "q3,0.75,1", "q4,1,0.5"))
    message = refusal(path)
    assert message.startswith(f"{path}:3: column 'A' holds '{cell}'")
    assert offers(message) == [{"missing_value": cell}]
    assert read_scores(path, missing_value=cell, missing="common").topics == ("q1", "q3", "q4")


def test_a_standard_error_is_never_the_score(write):
    head = "question_id,model,AP,stderr"
    rows = [f"q{t},{s},{10 + 7 * t + k}%,0.0{t + 1}" for t in range(4) for k, s in enumerate("AB")]
    assert read_scores(write("a.csv", table(head, *rows))).measure == "AP"
    path = write("b.csv", table(head, *[rows[0].replace("10%", "late"), *rows[1:]]))
    (way,) = offers(refusal(path))
    assert way == {"missing_value": "late"}
    assert read_scores(path, **way, missing="model").measure == "AP"
    pandas = write("c.csv", table(head, *[rows[0].replace("10%", "<NA>"), *rows[1:]]))
    assert np.isnan(read_scores(pandas, missing="model").values).sum() == 1


def test_runs_of_three_columns_are_refused_with_a_command_that_adds_the_others(write, capsys, tmp_path):
    path = write("a.run", "".join(f"30{t} D{t}_{k} {k}\n" for t in (1, 2) for k in (1, 2, 3)))
    qrels = write("q.qrels", "301 0 D1_2 1\n302 0 D2_3 1\n")
    assert run(["assess", "--qrels", qrels, "-m", "RR@10", path]) == 2
    command = re.search(r"write TREC's six: (.*) > six.run", " ".join(capsys.readouterr().err.split()))
    assert command is not None
    subprocess.run(f"{command[1]} > {tmp_path / 'six.run'}", check=True, shell=True)
    assert list(read_run(tmp_path / "six.run").documents["301"]) == ["D1_1", "D1_2", "D1_3"]


def test_a_wide_table_with_a_column_of_numbered_runs(write):
    rows = [f"q{t},0.{t + 1},0.{9 - t},0.{r + t},{r}" for t in range(6) for r in (1, 2, 3)]
    path = write("a.csv", "\n".join(["topic,A,B,C,run", *rows]) + "\n")
    with pytest.raises(
        InputError, match="run_column='run' if it numbers runs, or system_column='run' if systems"
    ):
        read_scores(path)
    assert read_scores(path, run_column="run").systems == ("A", "B", "C")
    assert read_scores(path, "A", system_column="run").systems == ("1", "2", "3")
