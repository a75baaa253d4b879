from __future__ import annotations

import io

import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores

WIDE = "topic,A,B\n301,0.25,0.5\n302,1e-04,0\n"


def refuse(path, message, *args, error=InputError, **kwargs):
    """Reading must fail with one line that starts with the path."""
    with pytest.raises(error, match=message) as caught:
        read_scores(path, *args, **kwargs)
    assert "\n" not in str(caught.value)
    assert str(caught.value).startswith(str(path))


# ── wide ──────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["", "query_id", "Unnamed: 0", "#"])
def test_topic_column_by_name(write, name):
    scores = read_scores(write("a.csv", f"{name},A,B\n301,0.25,0.5\n302,1e-04,0\n"))
    assert scores.topics == ("301", "302")
    assert scores.systems == ("A", "B")
    np.testing.assert_array_equal(scores.values, [[0.25, 0.5], [1e-4, 0]])


@pytest.mark.parametrize("head", ["topic,A,B,cluster,data_set", "A,data_set,cluster,B,topic"])
def test_names_say_what_columns_are_wherever_they_stand(write, head):
    cells = ({"topic": t, "A": t / 10, "B": 0.5, "cluster": t // 2, "data_set": t // 4} for t in range(8))
    lines = [",".join(str(row[name]) for name in head.split(",")) for row in cells]
    scores = read_scores(write("a.csv", "\n".join([head, *lines])))
    assert (scores.systems, scores.data_sets) == (("A", "B"), ("0", "1"))
    assert scores.topics == tuple(str(t) for t in range(8))
    assert scores.clusters is not None
    assert len(set(scores.clusters.tolist())) == 4
    np.testing.assert_array_equal(scores.values[:, 0], [t / 10 for t in range(8)])


@pytest.mark.parametrize("separator", ["\t", ";", ","])
@pytest.mark.parametrize("compress", [False, True])
@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_separators_compression_and_line_ends(write, separator, compress, end):
    text = WIDE.replace(",", separator).replace("\n", end)
    scores = read_scores(write("whatever.dat", text, compress))
    assert scores.systems == ("A", "B")
    assert scores.values[0, 0] == 0.25


@pytest.mark.parametrize("name", ["Mean (all)", "Mittelwert", "平均", "p-value"])
def test_what_sums_up_systems_or_topics_by_its_name_is_left_out_with_a_line(write, name):
    values = np.array([[0.13, 0.27, 0.91], [0.25, 0.5, 0.33], [0.44, 0.17, 0.08]])
    rows = [[f"q{t}", *row] for t, row in enumerate(values.tolist())]
    wide = "".join(f"{','.join(map(str, row))},0.7\n" for row in [*rows, [name, 0.9, 0.9, 0.9]])
    long = "".join(f"{row[0]},{s},{row[k]}\n" for row in rows for k, s in enumerate("ABC", 1))
    long += "".join(f"q{t},{name},0.7\n" for t in range(3)) + "".join(f"{name},{s},0.9\n" for s in "ABC")
    for text in (f"topic,A,B,C,{name}\n{wide}", f"topic,system,score\n{long}"):
        scores = read_scores(write("a.csv", text))
        assert scores.systems == ("A", "B", "C")
        np.testing.assert_array_equal(scores.values, values)
        assert len([note for note in scores.warnings if repr(name) in note or f" {name} " in note]) == 2


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("topic,A,B\n1,0.5,0.2\n\n2,0.5\n", r":4: 2 cells where the header has 3"),
        ("topic,A,B\n1,0.5,0.2,0.3\n", r":2: 4 cells where the header has 3; name the topic column"),
        ("\n\ntopic,A,B\n1,0.5,0.2\n2,x,0.1\n", r":5: column 'A' holds 'x' where a number belongs"),
        ("topic,A,B\n1,0.5,inf\n", r":2: column 'B' holds 'inf' .* finite"),
        ('topic,A,B\n1,"0,5",1\n', r":2: column 'A' holds '0,5' where a number belongs"),
        ("topic,A,B\n1,0.5,0.2\n1,0.4,0.1\n", ":3: topic '1' was already given at .*:2; no column"),
        ("topic,A,A\n1,0.5,0.2\n", r":1: columns 2 and 3 are both named 'A'"),
        ("0.1,0.2\n0.3,0.4\n", r":1: the first line holds scores, not names; put a line"),
        ("1,2\n0.3,0.4\n", r":1: the first line holds scores, not names"),
        ("T1,0.1,0.2\nT2,0.3,0.4\n", r":1: the first line holds scores, not names"),
        ('topic,"A,B\n1,0.5,0.2\n', r":1: unexpected end of data; check the quotes"),
        ('topic,A,B\n1,0.5,0.2\n2,"0.5"x,0.2\n', r":3: .*check the quotes"),
        ("qid,docno,score\n1,d1,0.5\n", "documents"),
    ],
)
def test_unusable_tables(write, text, message):
    refuse(write("a.csv", text), message)


# ── missing scores ────────────────────────────────────────────────────────────────────────────────

GAPS = "topic,A,B\n1,0.5,{}\n2,0.25,0.75\n"


@pytest.mark.parametrize(
    ("gone", "where"),
    [
        ("", "a.csv: system 'B' has no score on topic 'q1' at judge '2'"),
        ("q1,B,2,\n", "a.csv:9: system 'B' has no score on topic 'q1' at judge '2'"),
    ],
)
def test_a_missing_score_at_a_level_is_in_its_line_or_in_none(write, gone, where):
    rows = [f"q{t},{s},{j},0.{t + 2}{j}\n" for t in range(3) for s in "AB" for j in (1, 2)]
    text = "topic,system,judge,score\n" + "".join(rows).replace("q1,B,2,0.32\n", gone)
    refuse(write("a.csv", text), f"{where}.*add it")
    bare = "topic,system,score\nq0,A,0.1\nq0,B,0.2\nq1,A,0.3\n"
    refuse(write("a.csv", bare), "a.csv: system 'B' has no score on topic 'q1'; add it")
    refuse(write("a.csv", bare + "q1,B,\n"), "a.csv:5: system 'B' has no score on topic 'q1'; add it")


@pytest.mark.parametrize("mark", ["", "NA", "nan"])
def test_missing_marks(write, mark):
    path = write("a.csv", GAPS.format(mark))
    refuse(path, r":2: system 'B' has no score on topic '1'; add it, or use missing='model' .*zero")
    zero = read_scores(path, missing="zero")
    np.testing.assert_array_equal(zero.values, [[0.5, 0], [0.25, 0.75]])
    assert zero.warnings[0].startswith("1 of 4 scores missing, counted as zero: ")
    dropped = read_scores(path, missing="common")
    assert dropped.topics == ("2",)
    assert dropped.warnings[0] == "1 of 2 topics left out for lack of 1 score"


def test_missing_everywhere(write):
    path = write("a.csv", "topic,A,B,C\n1,0.5,,0.1\n2,,0.75,0.1\n")
    refuse(path, r"2 scores are missing in all")
    refuse(path, "missing='common' leaves none", missing="common")
    disjoint = write("b.csv", "topic,A,B\n1,0.5,\n2,,0.75\n")
    for missing in ("error", "zero", "common"):
        refuse(disjoint, "no topic has scores of two systems", missing=missing)


# ── long ──────────────────────────────────────────────────────────────────────────────────────────

PYTERRIER = """name,qid,measure,value
BM25,302,AP,0.25
BM25,302,P@10,0.5
BM25,301,AP,0.125
BM25,301,P@10,0.75
TF,302,AP,0.5
TF,302,P@10,0.25
TF,301,AP,1
TF,301,P@10,0
TF,all,AP,0.75
"""


def test_a_column_per_measure(write):
    """The output of gdeval, and of any pivot of per-query results."""
    text = (
        "runid,topic,ndcg@20,err@20\nA,1,0.5,0.25\nA,2,0.1,0.2\nA,amean,0.3,0.2\nB,1,0.3,0.4\nB,2,0.6,0.8\n"
    )
    path = write("a.csv", text)
    scores = read_scores(path, "nDCG@20")
    assert scores.measure == "ndcg@20"
    assert scores.topics == ("1", "2")
    np.testing.assert_array_equal(scores.values, [[0.5, 0.3], [0.1, 0.6]])
    refuse(path, r"2 measures \(ndcg@20, err@20\)")
    assert read_scores(write("b.csv", "name,qid,AP\nA,1,0.5\nB,1,0.25\n")).measure == "AP"
    refuse(write("c.csv", "name,qid,AP\nA,1,x\nB,1,y\n"), "no column of scores")


@pytest.mark.parametrize(
    ("rows", "message"),
    [
        ("1,A,0.5\n1,B,1\n\n1,A,0.5\n", r":5: system 'A' already has a score on topic '1', at .*:2"),
        ("1,A,0.5\n1,B,x\n", r":3: column 'score' holds 'x'"),
        ("1,A,0.5\n1,B,inf\n", r":3: column 'score' .*finite"),
        ("1,A,0.5\n,B,1\n", r":3: the topic has no name"),
        ("1,A,0.5\n1,,1\n", r":3: the system has no name"),
        ("all,A,0.5\nall,B,1\n", r"only averages"),
        ("1,A,0.5\n1,B\n", r":3: 2 cells where the header has 3"),
    ],
)
def test_unusable_long_tables(write, rows, message):
    refuse(write("a.csv", "topic,system,score\n" + rows), message)


# ── Parquet, several files ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("compress", [False, True])
def test_parquet_wide_and_long_whatever_its_name(write, compress):
    wide = pd.DataFrame({"A": [0.5, 0.25], "B": [0.1, 0.2]}, index=pd.Index(["q1", "q2"], name="anything"))
    buffer = io.BytesIO()
    wide.to_parquet(buffer)
    scores = read_scores(write("a.csv", buffer.getvalue(), compress))
    assert scores.topics == ("q1", "q2")
    assert scores.systems == ("A", "B")
    buffer = io.BytesIO()
    pd.read_csv(io.StringIO(PYTERRIER)).to_parquet(buffer)
    path = write("b.parquet", buffer.getvalue())
    assert read_scores(path, "map").values[0, 1] == 0.5
    assert read_scores(path, "map").source == path


def test_unusable_parquet(write):
    refuse(write("a.parquet", b"PAR1 and nothing more PAR1"), "broken Parquet")
    buffer = io.BytesIO()
    # Latin-1 where UTF-8 is said to be: it can be read, but not be looked at.
    names = pa.array([b"t\xfc1", b"t2"])
    text = pa.Array.from_buffers(pa.string(), 2, names.buffers())
    pq.write_table(pa.table({"topic": text, "A": [0.5, 0.2]}), buffer, store_schema=False)
    refuse(write("b.parquet", buffer.getvalue()), "broken Parquet")
    buffer = io.BytesIO()
    pd.DataFrame({"topic": ["1", "2"], "A": [0.5, np.inf]}).to_parquet(buffer)
    refuse(write("b.parquet", buffer.getvalue()), r", row 2: column 'A' .*finite")


# ── what would be read as something else without a word ───────────────────────────────────────────


@pytest.mark.parametrize(
    "text",
    [
        "topic,A,A \n1,0.5,0.25\n",
        "topic,system,value\n1,BM25,0.5\n1,TF,0.5\n2,BM25 ,0.25\n2,TF,0.25\n",
        "topic,system,value\nq1,BM25,0.5\nq1 ,TF,0.5\n",
        "data_set,topic,A\nx,1,0.5\nx ,2,0.5\n",
    ],
)
@pytest.mark.parametrize("missing", ["error", "model", "zero"])
def test_names_that_differ_by_blanks_alone_are_refused(write, text, missing):
    refuse(write("a.csv", text), "differ by blanks alone; name them alike", missing=missing)
