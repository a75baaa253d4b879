from __future__ import annotations

import csv
import json
import re
import shutil
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import HealthCheck, assume, given, settings
from hypothesis import strategies as st

from truerank.cli import run
from truerank.errors import InputError, UnknownNameError
from truerank.readers import read_scores, write_scores
from truerank.scores import ScoreMatrix

# ── every form of a board gives the same board ────────────────────────────────────────────────────

NAMES = st.sampled_from(["fiqa", "nq", "B 25", "a,b", 'say "x"', "2019", "é", "x.y", "Q;1", "robust-04"])
IDS = st.sampled_from(["1", "2", "q1", "q 2", "301", "7.5", "ü", "a,b"])


@st.composite
def boards(draw):
    """Data sets with topics of their own or shared, clusters, weights, families, and empty cells."""
    sets = draw(st.lists(NAMES, min_size=2, max_size=4, unique=True))
    systems = draw(
        st.lists(st.sampled_from(["A", "BM25 k=3", "s,1", "é", "run 1"]), min_size=2, max_size=4, unique=True)
    )
    topics, of, clusters = [], [], []
    for name in sets:
        for topic in draw(st.lists(IDS, min_size=1, max_size=4, unique=True)):
            topics.append(topic)
            of.append(name)
            clusters.append(draw(st.sampled_from("xyz")))
    cells = st.floats(-1e6, 1e6) | st.sampled_from([0.5, np.nan])
    values = np.array([[draw(cells) for _ in systems] for _ in topics])
    # Some score in each row and column: what no form can hold is tested apart.
    values[np.isnan(values).all(axis=1), 0] = 0.25
    values[0, np.isnan(values).all(axis=0)] = 0.75
    values[0] = np.where(np.isnan(values[0]), 0.125, values[0])
    weights = {name: draw(st.integers(0, 5)) for name in sets} if draw(st.booleans()) else None
    if weights is not None and not any(weights.values()):
        weights = None
    families = {name: draw(st.sampled_from(["f", "g"])) for name in sets} if draw(st.booleans()) else None
    return ScoreMatrix.build(
        values,
        topics,
        systems,
        holes=True,
        data_sets=of,
        weights=weights,
        families=families,
        clusters=clusters if draw(st.booleans()) else None,
    )


def rows_of(board: ScoreMatrix, inside: int | None = None) -> list[dict[str, object]]:
    """The topics of a board, or of one data set of it, as rows of a wide table."""
    rows = []
    for t, topic in enumerate(board.topics):
        k = int(board.strata[t])
        if inside is not None and k != inside:
            continue
        row: dict[str, object] = {} if inside is not None else {"data_set": board.data_sets[k]}
        row["topic"] = topic
        if board.clusters is not None:
            row["cluster"] = f"c{board.clusters[t]}"
        if board.weights:
            row["weight"] = repr(board.weights[k])
        if board.families:
            row["family"] = board.families[k]
        row["scores"] = [None if np.isnan(x) else x for x in board.values[t].tolist()]
        rows.append(row)
    return rows


def wide_rows(board: ScoreMatrix, inside: int | None = None) -> list[dict[str, object]]:
    return [
        {k: v for k, v in row.items() if k != "scores"} | dict(zip(board.systems, row["scores"], strict=True))
        for row in rows_of(board, inside)
    ]


def long_rows(board: ScoreMatrix) -> list[dict[str, object]]:
    return [
        {k: v for k, v in row.items() if k != "scores"} | {"system": system, "value": value}
        for row in rows_of(board)
        for system, value in zip(board.systems, row["scores"], strict=True)
    ]


def write_rows(path: Path, rows: list[dict[str, object]]) -> Path:
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    return path


def same(found: ScoreMatrix, board: ScoreMatrix) -> None:
    assert found.systems == board.systems
    assert found.data_sets == board.data_sets
    assert found.topics == board.topics
    np.testing.assert_array_equal(found.values, board.values)
    np.testing.assert_array_equal(found.strata, board.strata)
    np.testing.assert_allclose(found.weights, board.weights, rtol=1e-12)
    assert found.families == board.families
    assert (found.clusters is None) == (board.clusters is None)
    if board.clusters is not None:
        np.testing.assert_array_equal(found.clusters, board.clusters)


@pytest.mark.parametrize("form", ["long", "wide", "folder", "long frame", "index", "parquet"])
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(board=boards())
def test_a_board_is_read_back_identical_from_any_form(tmp_path, form, board):
    family = "family" if board.families else None
    assume(len({name.replace(",", "_") for name in board.data_sets}) == board.k)
    if form == "long":
        source = write_rows(tmp_path / "long.csv", long_rows(board))
    elif form == "wide":
        source = write_rows(tmp_path / "wide.csv", wide_rows(board))
    elif form == "folder":
        # The files are read in the order of their names.
        order = np.argsort([f"{name}.csv" for name in board.data_sets], kind="stable")
        source = tmp_path / "folder"
        shutil.rmtree(source, ignore_errors=True)
        source.mkdir()
        for k in order:
            write_rows(source / f"{board.data_sets[k]}.csv", wide_rows(board, int(k)))
        (source / ".hidden").write_bytes(b"\0")
        board = sorted_by_name(board)
    elif form == "frame":
        source = pd.DataFrame(wide_rows(board))
    elif form == "long frame":
        source = pd.DataFrame(long_rows(board)).sample(frac=1, random_state=1).sort_index()
    elif form == "index":
        source = pd.DataFrame(wide_rows(board)).set_index(["data_set", "topic"])
    else:
        source = tmp_path / f"board.{form}"
        write_scores(board, source)
    same(read_scores(source, missing="model", family=family, missing_value="none"), board)


def sorted_by_name(board: ScoreMatrix) -> ScoreMatrix:
    rank = {name: i for i, name in enumerate(sorted(board.data_sets, key=lambda name: f"{name}.csv"))}
    rows = sorted(range(board.n), key=lambda t: (rank[board.data_sets[board.strata[t]]], t))
    return ScoreMatrix.build(
        board.values[rows],
        [board.topics[t] for t in rows],
        board.systems,
        holes=True,
        data_sets=[board.data_sets[board.strata[t]] for t in rows],
        weights=dict(zip(board.data_sets, board.weights, strict=True)) if board.weights else None,
        families=dict(zip(board.data_sets, board.families, strict=True)) if board.families else None,
        clusters=None if board.clusters is None else [board.clusters[t] for t in rows],
    )


# ── long tables as tools write them ───────────────────────────────────────────────────────────────


def test_repeated_ids_are_fine_where_a_column_names_data_sets(write):
    text = "dataset,qid,model,score\nnq,1,A,0.5\nnq,1,B,0.25\nfiqa,1,A,0.1\nfiqa,1,B,0.2\n"
    scores = read_scores(write("a.csv", text))
    assert scores.data_sets == ("nq", "fiqa")
    assert scores.topics == ("1", "1")
    assert scores.warnings == ()
    without = write("b.csv", text.replace("dataset", "part"))
    with pytest.raises(
        InputError,
        match=r":4: .*column 'part' distinguishes them.*data_set_column='part' if it names data sets",
    ):
        read_scores(without)
    again = write("c.csv", text + "nq,1,A,0.5\n")
    with pytest.raises(
        InputError, match=r"c\.csv:6: system 'A' already has a score on topic '1' of data set 'nq', at"
    ):
        read_scores(again)


def test_one_data_set_is_a_table_as_ever(write):
    text = "dataset,topic,system,value\nx,1,A,0.5\nx,1,B,0.25\nx,2,A,0.1\nx,2,B,0.2\n"
    scores = read_scores(write("a.csv", text))
    assert (scores.data_sets, scores.strata, scores.k) == ((), None, 1)
    assert scores.warnings == ("all topics are of one data set, 'x'",)
    plain = read_scores(write("b.csv", text.replace("dataset,", "").replace("\nx,", "\n")))
    assert plain.fingerprint() == scores.fingerprint()
    assert scores.one_table("this") is scores


def test_tasks_of_data_sets_are_topics_where_nothing_else_is(write):
    """Benchmarks of agents: a data set has tasks, and each task has a score."""
    text = (
        "dataset,task,model,score\nswe,t1,A,1\nswe,t2,A,0\nswe,t1,B,0\nswe,t2,B,0\nweb,t1,A,1\nweb,t1,B,0\n"
    )
    scores = read_scores(write("a.csv", text))
    assert scores.data_sets == ("swe", "web")
    assert scores.topics == ("t1", "t2", "t1")
    assert scores.warnings == ("column 'task' is read as the topics of the data sets",)
    wide = read_scores(write("b.csv", "dataset,task,A,B\nswe,t1,1,0\nswe,t2,0,0\nweb,t1,1,0\n"))
    np.testing.assert_array_equal(wide.values, scores.values)
    assert (wide.data_sets, wide.topics) == (scores.data_sets, scores.topics)
    swapped = read_scores(write("c.csv", "task,dataset,A,B\nt1,swe,1,0\nt2,swe,0,0\nt1,web,1,0\n"))
    assert (swapped.data_sets, swapped.topics) == (scores.data_sets, scores.topics)


# ── weights, clusters, families ───────────────────────────────────────────────────────────────────

BOARD = (
    "data_set,topic,session,group,weight,A,B\n"
    "x,1,s1,g,2,0.5,0.25\nx,2,s1,g,2,0.1,0.2\ny,1,s1,g,1,0.3,0.4\nz,1,s2,h,1,0.6,0.7\nz,2,s3,h,1,0.6,0.7\n"
)
PARTS = {"cluster": "session", "family": "group"}


def test_clusters_families_and_weights_by_their_columns(write):
    path = write("a.csv", BOARD)
    scores = read_scores(path, cluster="session", family="group")
    np.testing.assert_allclose(scores.weights, [0.5, 0.25, 0.25])
    assert scores.families == ("g", "g", "h")
    assert scores.clusters.tolist() == [0, 0, 1, 2, 3]
    assert scores.systems == ("A", "B")
    own = read_scores(path, cluster="Session", family="group", weights={"x": 1, "y": 1, "z": 2})
    np.testing.assert_allclose(own.weights, [0.25, 0.25, 0.5])
    assert own.warnings == ("columns that are not used: weight",)


def test_a_column_called_cluster_needs_no_option(write):
    text = "topic,cluster,A,B\n1,1,0.5,0.25\n2,1,0.1,0.2\n3,2,0.1,0.2\n"
    assert read_scores(write("a.csv", text)).clusters.tolist() == [0, 0, 1]
    long = "qid,cluster,run,value\n1,a,A,0.5\n1,a,B,0.1\n2,a,A,0.5\n2,a,B,0.1\n3,b,A,0.5\n3,b,B,0.1\n"
    assert read_scores(write("b.csv", long)).clusters.tolist() == [0, 0, 1]
    # Fractions are scores: a system of that name.
    assert read_scores(write("c.csv", "topic,cluster,B\n1,0.5,0.25\n2,0.1,0.2\n")).systems == ("cluster", "B")


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (BOARD.replace("g,2,0.1", "g,3,0.1"), PARTS, ":3: data set 'x' has weight '3' here and '2' at"),
        (BOARD.replace("g,2,0.1", "g,,0.1"), PARTS, ":3: data set 'x' has no weight; fill the cell"),
        (BOARD, {"cluster": "sessions"}, r":1: unknown column 'sessions': did you mean 'session'"),
        (BOARD.replace("s1,g,2,0.1", "s1,h,2,0.1"), PARTS, r":3: data set 'x' has family 'h' here"),
        (BOARD, {"weights": {"x": 1}, "cluster": "session", "family": "group"}, "data set 'y' has no"),
        (BOARD, {"weights": {"q": 1}, "cluster": "session", "family": "group"}, "there is no data set 'q'"),
        (
            "data_set,topic,weight,A,B\nx,1,0,0.5,0.2\nx,2,0,0.1,0.3\ny,1,1,0.3,\n",
            {"missing": "common"},
            r"the data sets of these topics all have weight 0",
        ),
        ("topic,c,system,value\n1,x,A,0.5\n1,y,B,1\n", {"cluster": "c"}, ":3: topic '1' has cluster 'y'"),
        ("data_set,topic,A\nx,1,0.5\nx,1,0.5\n", {}, ":3: topic '1' of data set 'x' was already given at"),
    ],
)
def test_unusable_boards(write, text, options, message):
    path = write("a.csv", text)
    with pytest.raises((InputError, UnknownNameError), match=message) as caught:
        read_scores(path, **options)
    assert str(caught.value).startswith(path)
    assert "\n" not in str(caught.value)


# ── wide tables and frames ────────────────────────────────────────────────────────────────────────


def test_frames_that_pandas_joins_under_keys():
    one = pd.DataFrame({"A": [0.5, 0.25], "B": [0.1, 0.2]}, index=["q1", "q2"])
    two = pd.DataFrame({"A": [0.5], "C": [0.3]}, index=["q1"])
    joined = pd.concat({"x": one, "y": two})
    scores = read_scores(joined, missing="model")
    assert scores.data_sets == ("x", "y")
    assert scores.topics == ("q1", "q2", "q1")
    # C has no score in x, nor B in y: blocks of empty cells.
    np.testing.assert_array_equal(np.isnan(scores.values), [[0, 0, 1], [0, 0, 1], [0, 1, 0]])
    counted = pd.concat({"x": one.reset_index(names="qid"), "y": two.reset_index(names="qid")})
    assert read_scores(counted, missing="model").fingerprint() == scores.fingerprint()
    long = pd.DataFrame({"qid": ["q1", "q1"], "name": ["A", "B"], "value": [0.5, 0.1]})
    assert read_scores(pd.concat({"x": long, "y": long})).data_sets == ("x", "y")
    with pytest.raises(InputError, match=r"columns have 2 levels; flatten them to one, or give a long table"):
        read_scores(pd.concat({"x": one, "y": two}, axis=1))


# ── folders ───────────────────────────────────────────────────────────────────────────────────────


def test_a_folder_has_a_table_for_each_data_set(write, tmp_path):
    write("board/nq.csv", "topic,A,B\n1,0.5,0.25\n2,0.1,0.2\n")
    write("board/fiqa.tsv.gz", "qid\tB\tC\n1\t0.25\t0.75\n", compress=True)
    write("board/trec.csv", "topic,system,value,fold\n7,A,0.5,x\n7,C,0.25,x\n")
    write("board/.DS_Store", b"\0\1")
    scores = read_scores(tmp_path / "board", missing="model")
    assert scores.data_sets == ("fiqa", "nq", "trec")
    assert scores.systems == ("B", "C", "A")
    np.testing.assert_array_equal(
        scores.values, [[0.25, 0.75, np.nan], [0.25, np.nan, 0.5], [0.2, np.nan, 0.1], [np.nan, 0.25, 0.5]]
    )
    assert scores.source == str(tmp_path / "board")
    assert "trec: columns that are not used: fold" in scores.warnings
    with pytest.raises(
        InputError,
        match=r"fiqa\.tsv\.gz: system 'A' has no score on topic '1' of data set 'fiqa' "
        r"\(4 scores are missing in all, of 3 of 3 systems\)",
    ):
        read_scores(tmp_path / "board")


def test_documents_in_a_folder_are_left_out_with_a_note(write, tmp_path):
    write("board/nq.csv", "topic,A,B\n1,0.5,0.25\n2,0.1,0.2\n")
    write("board/fiqa.txt", "topic\tA\tB\n1\t0.25\t0.75\n")
    expected = read_scores(tmp_path / "board").fingerprint()
    write("board/README.md", "# Results\n\nTwo data sets, read on 2 days.\n")
    write("board/notes.txt", "None of these\n")
    write("board/plot.png", b"\x89PNG\0")
    write("board/config.json", '{"rate": 0.1}')
    write("board/log.txt", "epoch 1 loss 0.3\n")
    write("board/run.py", "x = 3\n")
    scores = read_scores(tmp_path / "board")
    assert scores.fingerprint() == expected
    (note,) = [note for note in scores.notes if note.case == "beside-tables"]
    assert note.facts["names"] == [
        *("README.md", "config.json", "log.txt", "notes.txt", "plot.png", "run.py")
    ]


@pytest.mark.parametrize("form", ["jsonl", "json"])
def test_records_of_several_systems_are_data_sets_as_tables_are(tmp_path, form):
    for name in ("fiqa", "nq"):
        rows = [{"topic": f"{name}{t}", "bm25": t / 8, "dense": (7 - t) / 9, "splade": 0.5} for t in range(4)]
        for kind in ("csv", form):
            (tmp_path / kind).mkdir(exist_ok=True)
        pd.DataFrame(rows).to_csv(tmp_path / "csv" / f"{name}.csv", index=False)
        text = "\n".join(map(json.dumps, rows)) if form == "jsonl" else json.dumps(rows)
        (tmp_path / form / f"{name}.{form}").write_text(text)
    tables, records = read_scores(tmp_path / "csv"), read_scores(tmp_path / form)
    assert (records.systems, records.data_sets) == (tables.systems, tables.data_sets)
    np.testing.assert_allclose(records.values, tables.values, rtol=1e-12)


def test_counted_tables_of_the_same_topics_are_asked_about(write, tmp_path):
    for k in (1, 2, 3):
        rows = "".join(f"q{t},0.{t}{k},0.{k}{t},0.{9 - t}{k}\n" for t in range(1, 9))
        write(f"r/part{k}.csv", "topic,a,b,c\n" + rows)
        write(f"apart/part{k}.csv", "topic,a,b,c\n" + rows.replace("q", f"q{k}-"))
    with pytest.raises(
        InputError, match="call them run1, run2 and so on; if they are data sets, call each by"
    ):
        read_scores(tmp_path / "r")
    assert read_scores(tmp_path / "apart").data_sets == ("part1", "part2", "part3")
    for k in (1, 2, 3):
        (tmp_path / "r" / f"part{k}.csv").rename(tmp_path / "r" / f"run{k}.csv")
    assert (read_scores(tmp_path / "r").n, read_scores(tmp_path / "r").data_sets) == (8, ())


LONG = "topic,system,measure,value\n1,A,{0},0.5\n1,B,{0},0.2\n"


@pytest.mark.parametrize(
    ("files", "message"),
    [
        ({}, "no files in this folder"),
        ({"a.csv": "topic,A,B\n1,0.5,0.2\n", "a.tsv": "topic\tA\tB\n1\t0.5\t0.2\n"}, r"a\.tsv: data set"),
        ({"a.csv": "topic,A,B\n1,0.5,0.2\n", "b.csv": b"\x93PK\0\1"}, r"b\.csv:1: a binary file"),
        ({"a.csv": LONG.format("AP"), "b.csv": LONG.format("RR")}, r"b\.csv:1: measure 'RR', but"),
        (
            {"a.csv": "topic,A,B\n1,0.5,0.2\n", "b.csv": "data_set,A,B\nx,0.5,0.2\ny,0.5,0.2\n"},
            r"b\.csv:1: holds 2 data sets of its own",
        ),
        ({"a.csv": "topic,weight,A\n1,2,0.5\n", "b.csv": "topic,A\n1,0.5\n"}, r"b\.csv:1: no column of"),
    ],
)
def test_unusable_folders(write, tmp_path, files, message):
    (tmp_path / "board").mkdir()
    for name, text in files.items():
        write(f"board/{name}", text)
    with pytest.raises(InputError, match=message) as caught:
        read_scores(tmp_path / "board")
    assert str(caught.value).startswith(str(tmp_path / "board"))
    assert "\n" not in str(caught.value)


# ── missing scores ────────────────────────────────────────────────────────────────────────────────

HOLES = (
    "data_set,topic,weight,A,B,C\nx,1,1,0.5,,0.1\nx,2,1,0.5,0.25,0.1\ny,1,3,0.5,0.25,\nz,1,2,0.5,0.5,0.5\n"
)


def test_what_can_be_done_about_missing_scores(write):
    path = write("a.csv", HOLES)
    with pytest.raises(
        InputError,
        match=r":2: system 'B' has no score on topic '1' of data set 'x' \(2 scores are "
        r"missing in all, of 2 of 3 systems\); add it, or use missing='model' .*zero",
    ):
        read_scores(path)
    model = read_scores(path, missing="model")
    np.testing.assert_array_equal(np.argwhere(np.isnan(model.values)), [[0, 1], [2, 2]])
    assert model.warnings == ()
    common = read_scores(path, missing="common")
    assert (common.topics, common.data_sets) == (("2", "1"), ("x", "z"))
    np.testing.assert_allclose(common.weights, [1 / 3, 2 / 3])
    assert common.warnings[0] == (
        "2 of 4 data sets left out for lack of 2 scores, and with them 1 data set (y)"
    )
    zero = read_scores(path, missing="zero")
    assert (zero.values[0, 1], zero.values[2, 2]) == (0, 0)
    assert "as if it had failed" in zero.warnings[0]
    with pytest.raises(
        InputError, match=r"of 3 systems only 'A' has all scores, so missing='complete' leaves no"
    ):
        read_scores(path, missing="complete")
    complete = read_scores(write("b.csv", HOLES.replace("0.5,,0.1", "0.5,0.3,0.1")), missing="complete")
    assert complete.systems == ("A", "B")
    assert complete.warnings == ("1 of 3 systems left out because they lack scores: C",)
    assert complete.n == 4


@pytest.mark.parametrize(
    ("header", "row"),
    [("data_set,model,MASE,MAE", "{task},{name},{value},1"), ("data_set,score", "{task},{value}")],
)
def test_a_table_in_a_folder_for_each_system(write, tmp_path, header, row):
    values = {"naive": (1.0, 1.5), "net": (0.5, 0.75), "tree": (0.25, 1.25)}
    for name, of in values.items():
        rows = [
            row.format(task=task, name=name, value=v) for task, v in zip(("sun", "rain"), of, strict=True)
        ]
        (tmp_path / "results" / name).mkdir(parents=True)
        write(f"results/{name}/all.csv", "\n".join([header, *rows]) + "\n")
        write(f"results/{name}/config.json", "{}")
    measure = "MASE" if "MASE" in header else None
    scores = read_scores(tmp_path / "results", measure=measure, lower_is_better=False)
    assert any("not read: config.json" in line for line in scores.warnings)
    assert scores.data_sets == ("sun", "rain")
    assert dict(zip(scores.systems, map(tuple, scores.values.T.tolist()), strict=True)) == values


@pytest.mark.parametrize(
    ("text", "options"),
    [
        ("runid,topic,ndcg@20\n{name},1,{a}\n{name},2,{b}\n{name},amean,0\n", {}),
        ("index,hit\n1,{a}\n2,{b}\n", {"topic_column": "index", "score_column": "hit"}),
        ("question_id,pass@1\nx1,{a}\nx2,{b}\n", {}),
        ("question_id,points\nx1,{a}\nx2,{b}\n", {}),
        ("question_id,label\nx1,{a}\nx2,{b}\n", {}),
        ("question_id,likert\nx1,{a}\nx2,{b}\n", {}),
        ("question_id,e5-large\nx1,{a}\nx2,{b}\n", {"score_column": "e5-large"}),
    ],
)
def test_files_with_one_system_each_are_no_data_sets(write, tmp_path, text, options):
    (tmp_path / "runs").mkdir()
    for name, (a, b) in {"BM25": (0.5, 0.25), "DPH": (0.75, 0.5)}.items():
        write(f"runs/{name}.csv", text.format(name=name, a=a, b=b))
    scores = read_scores(tmp_path / "runs", **options)
    assert scores.systems == ("BM25", "DPH")
    assert scores.values.T.tolist() == [[0.5, 0.25], [0.75, 0.5]]


def test_files_of_one_column_that_is_called_like_a_system_are_asked_about(write, tmp_path):
    for name in ("nq", "fiqa"):
        write(f"r/{name}.csv", f"question_id,e5-large\n{name}1,0.5\n{name}2,0.{len(name)}\n")
    with pytest.raises(
        InputError, match=r"score_column='e5-large' if the files are systems\. If they are data"
    ):
        read_scores(tmp_path / "r")


def test_a_folder_of_files_without_topics_holds_a_system_in_each(write, tmp_path):
    """As the files do when they are given by name; their scores are not pooled as of one system."""
    for name, scores in (("alpha", (0.9, 0.8, 0.95)), ("beta", (0.1, 0.2, 0.15))):
        write(f"two/{name}.csv", "\n".join(["score", *map(str, scores)]) + "\n")
    scores = read_scores(tmp_path / "two")
    assert (scores.systems, scores.n) == (("alpha", "beta"), 3)
    assert any("matched in their order" in note for note in scores.warnings)
    write("two/gamma.csv", "score\n0.5\n0.4\n")
    with pytest.raises(InputError, match="topics without names cannot be matched"):
        read_scores(tmp_path / "two")


def test_copies_and_measures_are_no_data_sets(write, tmp_path, capsys):
    rows = "".join(f"q{t},0.{t + 1},0.{9 - t}5,0.{2 * t % 9 + 1}\n" for t in range(9))
    for name in ("copies/c1", "copies/c2", "by/web_ap", "by/web_p10"):
        text = rows.replace("0.1,", "0.15,") if name.endswith("p10") else rows
        write(f"{name}.csv", "topic,a,b,c\n" + text)
    with pytest.raises(InputError, match=r"c2\.csv: holds the same scores as .*c1\.csv; remove one"):
        read_scores(tmp_path / "copies")
    with pytest.raises(InputError, match="files named like measures"):
        read_scores(tmp_path / "by")
    assert run(["assess", str(tmp_path / "by"), "--json", "-"]) == 0
    assert [one["measure"] for one in json.loads(capsys.readouterr().out)] == ["ap", "p10"]


def test_files_of_one_column_of_scores_are_systems_though_their_topics_differ(write, tmp_path):
    def files(folder, ids_of):
        for name, ids in ids_of.items():
            lines = "".join(f"{topic},0.{t + 1}\n" for t, topic in enumerate(ids))
            write(f"{folder}/{name}.csv", "question_id,score\n" + lines)
        return tmp_path / folder

    part = files("part", {"a": "pqrs", "b": "pqrs", "c": "pq"})
    with pytest.raises(InputError, match=r"c\.csv: system 'c' has no score on question 'r'"):
        read_scores(part)
    complete = read_scores(part, missing="complete")
    assert (complete.systems, complete.n) == (("a", "b"), 4)
    for folder, first, other in (
        ("zeros", ["0", "1"], ["000", "001"]),
        ("letters", ["1", "2"], ["Q1", "Q2"]),
        ("sets", ["n1", "n2"], ["f1", "f2"]),
    ):
        found = files(folder, {"alpha_x": first, "alpha_y": other, "beta_x": first, "beta_y": other})
        with pytest.raises(InputError, match=r"looks like|share no question") as caught:
            read_scores(found)
        with pytest.raises(InputError) as alone:
            read_scores(sorted(found.glob("*.csv")))
        assert str(alone.value) == str(caught.value)


@pytest.mark.parametrize("ids", ["{t}", "{k}-{t}"])
def test_files_called_like_runs_are_runs_or_folds_of_one_system(write, tmp_path, ids):
    values = np.random.default_rng(3).uniform(size=(3, 5)).round(3)
    for k, of in enumerate(values):
        lines = (f"{ids.format(k=k, t=t)},{value}\n" for t, value in enumerate(of))
        write(f"net/seed{k}.csv", "question_id,score\n" + "".join(lines))
    for source in (tmp_path / "net", sorted((tmp_path / "net").glob("*.csv"))):
        scores = read_scores(source)
        assert scores.systems == ("net",)
        expected = values.ravel() if "k" in ids else values.mean(axis=0)
        np.testing.assert_allclose(scores.values[:, 0], expected, rtol=1e-9)
        assert any("runs or folds" in note.text for note in scores.notes)


@pytest.mark.parametrize(
    ("names", "message"),
    [
        ("alpha.csv beta.csv alpha.csv.bak", r"alpha\.csv\.bak is a copy of alpha\.csv by its name"),
        ("alpha.csv beta.csv alpha.old.csv", r"alpha\.old\.csv is a copy of alpha\.csv"),
        ("alpha.csv beta.csv alpha_backup.csv", r"alpha_backup\.csv is a copy of alpha\.csv"),
        ("nq.csv fiqa.csv nq\u0020(1).csv", r"nq \(1\)\.csv is a copy of nq\.csv"),
        ("dev.csv test.csv", r"dev\.csv and test\.csv are splits of the same"),
        ("a_dev.csv a_test.csv b_dev.csv b_test.csv", r"a_dev\.csv and a_test\.csv are splits"),
        ("a_f1.csv a_wer.csv b_f1.csv b_wer.csv", "files named like measures"),
        ("loss.csv acc.csv f1.csv", "files named like measures"),
        ("bleu.csv comet.csv", "files named like measures"),
        ("accuracy.csv latency.csv", "files named like measures"),
    ],
)
@pytest.mark.parametrize("head", ["question_id,score", "topic,a,b,c"])
def test_copies_splits_and_measures_are_neither_systems_nor_data_sets(write, tmp_path, names, message, head):
    files = re.findall(r"\S+?(?: \(1\))?\.csv(?:\.bak)?", names)
    for k, name in enumerate(files):
        rows = (f"q{t}" + f",0.{t}{k}" * head.count(",") for t in range(1, 5))
        write(f"r/{name}", "\n".join([head, *rows]))
    with pytest.raises(InputError, match=message):
        read_scores(tmp_path / "r")
    with pytest.raises(InputError, match=message):
        read_scores([tmp_path / "r" / name for name in files])


def test_files_of_dates_or_versions_stay_systems(write, tmp_path):
    for k, name in enumerate(
        ("2026-03-01", "2026-03-02", "net", "net-2026-03-01", "net-v2", "net_20260301", "test")
    ):
        write(f"r/{name}.csv", f"question_id,score\nq1,0.{k + 1}\nq2,0.3{k}\n")
    systems = ("2026-03-01", "2026-03-02", "net-2026-03-01", "net-v2", "net", "net_20260301", "test")
    assert set(read_scores(tmp_path / "r").systems) == set(systems)


@pytest.mark.parametrize(
    "names",
    [
        "RankSVM RankNet LambdaRank",
        "RankVicuna RankZephyr",
        "bleu-mbr comet-mbr",
        "contrastive_loss triplet_loss",
    ],
)
def test_systems_that_a_word_of_a_measure_is_in_stay_systems(write, tmp_path, names):
    for k, name in enumerate(names.split()):
        write(f"r/{name}.csv", f"question_id,score\nq1,0.{k + 1}\nq2,0.3{k}\n")
    if "loss" in names:
        with pytest.raises(InputError, match=r"a part of the systems' names\. Use lower_is_better=True if"):
            read_scores(tmp_path / "r")
    scores = read_scores(tmp_path / "r", lower_is_better=False if "loss" in names else None)
    assert set(scores.systems) == {*names.split()}
    assert scores.values.min() > 0


@pytest.mark.parametrize("path", ["{set}/{system}.csv", "{system}/{set}.csv"])
def test_the_command_for_tables_in_inner_folders_works(write, tmp_path, monkeypatch, path):
    monkeypatch.chdir(tmp_path)
    for k, system in enumerate("abc"):
        for of in ("nq", "fiqa"):
            rows = f"question_id,score\n{of}1,0.{k + 1}\n{of}2,0.5\n"
            write(f"r/{path.format(set=of, system=system)}", rows)
    with pytest.raises(InputError, match="a folder within the folder holds one") as caught:
        read_scores("r")
    folders, files = re.findall(r"truerank (import table) (\S+) (--long -o) (\S+\.csv)", str(caught.value))
    words, pattern, more, table = folders if path.startswith("{set}") else files
    assert run([*words.split(), *sorted(map(str, Path().glob(pattern))), *more.split(), table]) == 0
    scores = read_scores(table)
    assert (scores.systems, scores.topics) == (("a", "b", "c"), ("fiqa1", "fiqa2"))


def test_records_of_several_files_are_topics_by_doc_id(write, tmp_path):
    for k, name in enumerate(("alpha", "beta")):
        of = ({"doc_id": t, "scores": {"em": 1.0, "f1": t / 8 + k / 2}, "usage": {"n": 7}} for t in range(4))
        write(f"r/{name}.jsonl", "\n".join(map(json.dumps, of)) + "\n")
    with pytest.raises(InputError, match="Use measure='em' or another one"):
        read_scores(tmp_path / "r")
    scores = read_scores(tmp_path / "r", measure="f1")
    assert scores.systems == ("alpha", "beta")
    np.testing.assert_allclose(scores.values, [[t / 8, t / 8 + 0.5] for t in range(4)], rtol=1e-9)


def test_a_data_set_on_another_scale_is_warned_about(write):
    rows = [f"{of},q{t},{by * t / 4},{by * 0.5}" for of, by in (("nq", 100), ("fiqa", 1)) for t in range(4)]
    scores = read_scores(write("m.csv", "\n".join(["dataset,topic,a,b", *rows])))
    assert any(
        "scores up to 75 in data set 'nq', but at most 1 in 1 other" in note for note in scores.warnings
    )
    one = [row for row in rows if row.startswith("fiqa") or row.startswith("nq,q0")]
    same = read_scores(write("n.csv", "\n".join(["dataset,topic,a,b", *one]).replace("50.0", "0.5")))
    assert not any("scale" in note for note in same.warnings)
