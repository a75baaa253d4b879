"""What was once read as something else without a word: ids, scales, missing scores, names."""

from __future__ import annotations

import json
import re

import numpy as np
import pandas as pd
import pytest

from truerank.cli import run
from truerank.errors import InputError, UnforeseenError
from truerank.readers import evaluate, read_scores

SCORES = [(0.5, 0.25), (0.75, 0.5), (0.25, 0.1), (0.3, 0.35)]


def table(head: str, ids) -> str:
    lines = [f"{number},{a},{b}" for number, (a, b) in zip(ids, SCORES, strict=True)]
    return "\n".join([f"{head},gpt,claude", *lines, ""])


@pytest.mark.parametrize("head", ["example", "seed", "Fall"])
@pytest.mark.parametrize("ids", [range(4), (301, 17, 44, 5)])
def test_a_first_column_of_ids_is_never_a_system(write, head, ids):
    path = write("m.csv", table(head, ids))
    with pytest.raises(InputError, match=f"topic_column='{head}'") as refused:
        read_scores(path)
    assert str(refused.value).startswith(f"{path}:1: ")
    scores = read_scores(path, topic_column=head)
    assert (scores.topics, scores.systems) == (tuple(map(str, ids)), ("gpt", "claude"))
    np.testing.assert_array_equal(scores.values, SCORES)
    assert read_scores(path, ignore_columns=[head]).topics == ("1", "2", "3", "4")


@pytest.mark.parametrize("text", ["a,b,Fall\n{0},{1},{t}", "topic,Fall,a,b\nq{t},{t},{0},{1}"])
@pytest.mark.parametrize("start", [0, 1])
def test_a_column_that_counts_the_rows_is_no_system_anywhere(write, text, start):
    head, row = text.split("\n")
    lines = [row.format(a, b, t=t) for t, (a, b) in enumerate(SCORES, start)]
    path = write("m.csv", "\n".join([head, *lines]))
    with pytest.raises(InputError, match="column 'Fall' holds whole numbers like ids"):
        read_scores(path)
    assert read_scores(path, ignore_columns=["Fall"]).systems == ("a", "b")
    assert read_scores(path, topic_column="Fall").systems[-2:] == ("a", "b")


@pytest.mark.parametrize(
    "command",
    ["assess m.csv", "gate m.csv --baseline gpt --candidate claude", "simulate fit m.csv -o model.json"],
)
def test_every_command_refuses_ids_and_has_the_option(write, capsys, tmp_path, monkeypatch, command):
    monkeypatch.chdir(tmp_path)
    write("m.csv", table("Fall", range(4)))
    assert run([*command.split(), "--quiet"]) == 2
    assert "--topic-column Fall" in capsys.readouterr().err
    name = command.partition(" m.csv")[0].split()[: 2 if command[0] in "se" and "fit" in command else 1]
    words = {"simulate": ["simulate", "fit"], "experiment": ["experiment", "run"]}.get(name[0], name[:1])
    assert run([*words, "--help-all"]) == 0
    assert "--topic-column" in capsys.readouterr().out


def test_systems_of_one_letter_stay(write):
    scores = read_scores(write("m.csv", "topic,N,Q\na,0.5,1\nb,0.25,0\n"))
    assert scores.systems == ("N", "Q")
    binary = read_scores(write("b.csv", "topic,N,Q\na,1,1\nb,1,0\n"))
    assert binary.systems == ("N", "Q")


# ── scales ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("factor", [100, 3.5])
def test_another_scale_is_said_everywhere_and_refused_by_gate(write, capsys, factor):
    lines = [f"q{t},{a},{factor * (1 + b)}" for t, (a, b) in enumerate(SCORES)]
    path = write("m.csv", "\n".join(["topic,gpt,other", *lines]))
    assert any("on one scale" in note for note in read_scores(path).warnings)
    assert run(["gate", path, "--baseline", "gpt", "--candidate", "other"]) == 2
    assert "one scale" in capsys.readouterr().err
    assert run(["significance", path]) == 0
    printed = capsys.readouterr()
    assert "one scale" in " ".join((printed.out + printed.err).split())


@pytest.mark.parametrize("form", ["wide", "long", "rows"])
def test_thousands_with_a_dot_are_asked_about(write, form):
    rows = [(970 + t, 985 + t, 1.001 + t / 1000) for t in range(6)]
    if form == "wide":
        lines = ["topic;old;mid;new", *(f"q{t};{a};{b};{c:.3f}" for t, (a, b, c) in enumerate(rows))]
        way = {"transpose": False}
    elif form == "long":
        names = ("old", "mid", "new")
        cells = [(t, *cell) for t, row in enumerate(rows) for cell in zip(names, row, strict=True)]
        lines = ["topic;system;points", *(f"q{t};{s};{x if x > 9 else f'{x:.3f}'}" for t, s, x in cells)]
        lines[0], way = "topic;system;score", {"score_column": "score"}
    else:
        lines = ["model;B1;B2", *(f"s{t};{a};{c:.3f}" for t, (a, _, c) in enumerate(rows))]
        way = {"transpose": True}
    path = write("m.csv", "\n".join([*lines, ""]))
    with pytest.raises(InputError, match=r"'1\.001' may be 1001, as others are whole") as refused:
        read_scores(path)
    assert f"{next(iter(way))}={next(iter(way.values()))!r}" in str(refused.value)
    assert np.nanmin(read_scores(path, **way).values) == 1.001
    decimals = write("d.csv", "\n".join([*lines, ""]).replace("1.00", "931.00"))
    assert np.nanmin(read_scores(decimals).values) == 931.001


# ── rows that sum up ──────────────────────────────────────────────────────────────────────────────

NAMED = (
    "MEAN (n=20);Avg (40);Avg over 40 queries;Mean ± SD;Среднее значение;Snitt;Gemiddeld;ממוצע;ค่าเฉลี่ย;SD;"
    "CI95;Count;N;Suma;Toplam;合计;總計;小计;합계;Correct;Score;Accuracy;Wins"
)


def summed(name, row, first=False):
    topics = np.round(np.random.default_rng(3).uniform(size=(20, 3)), 3)
    rows = [f"q{t},{','.join(map(str, scores))}" for t, scores in enumerate(topics)]
    rows.insert(0 if first else 20, f"{name},{','.join(f'{x:.3f}' for x in row(topics))}")
    return "\n".join(["topic,a,b,c", *rows, ""]), topics


@pytest.mark.parametrize("name", NAMED.split(";"))
def test_a_row_that_sums_up_by_its_name_is_left_out(write, name):
    text, topics = summed(name, lambda scores: scores[0])
    scores = read_scores(write("m.csv", text))
    np.testing.assert_array_equal(scores.values, topics)
    assert any(repr(name) in str(note) for note in scores.notes)


@pytest.mark.parametrize("first", [True, False])
@pytest.mark.parametrize(
    ("kind", "row"),
    [
        ("mean", lambda scores: scores.mean(axis=0)),
        ("sum", lambda scores: scores.sum(axis=0)),
        ("number", lambda scores: [20, 20, 20]),
        ("standard deviation", lambda scores: scores.std(axis=0, ddof=1)),
    ],
)
def test_a_row_that_sums_up_by_its_scores_is_asked_about(write, kind, row, first):
    path = write("m.csv", summed("Math avg", row, first)[0])
    with pytest.raises(InputError, match=f"this row is the {kind} of the others; remove the row") as refused:
        read_scores(path)
    assert str(refused.value).startswith(f"{path}:{2 if first else 22}: ")
    assert "topic_column='topic'" in str(refused.value)
    assert read_scores(path, topic_column="topic").n == 21


def test_means_of_parts_are_asked_about(write):
    rows = [
        "m1,0.5,0.25",
        "m2,0.7,0.5",
        "Math avg,0.6,0.375",
        "c1,0.1,0.9",
        "c2,0.2,0.3",
        "Code avg,0.15,0.6",
    ]
    with pytest.raises(InputError, match=r":4: each cell of this row is the mean of the rows above"):
        read_scores(write("m.csv", "\n".join(["topic,a,b", *rows, ""])))


# ── columns that are no systems ───────────────────────────────────────────────────────────────────

BESIDE = "diff delta_new_old p Range entropy hardness temperature y_true"


@pytest.mark.parametrize("name", BESIDE.split())
def test_what_stands_beside_systems_is_asked_about(write, name):
    lines = [f"q{t},{a},{b},{a - b:.2f}" for t, (a, b) in enumerate(SCORES)]
    path = write("m.csv", "\n".join([f"topic,old,new,{name}", *lines, ""]))
    with pytest.raises(InputError, match=f"ignore_columns=\\['{name}'\\]") as refused:
        read_scores(path)
    assert "transpose=False if all columns are systems" in str(refused.value)
    assert read_scores(path, ignore_columns=[name]).systems == ("old", "new")
    assert read_scores(path, transpose=False).systems == ("old", "new", name)


def test_a_difference_under_any_name_is_asked_about(write):
    lines = [f"q{t},{a},{b},{b - a:.2f}" for t, (a, b) in enumerate(SCORES * 2)]
    with pytest.raises(InputError, match="'lift' is the difference of 'b' and 'a'"):
        read_scores(write("m.csv", "\n".join(["topic,a,b,lift", *lines, ""])))


def test_columns_of_tables_that_were_merged_are_asked_about(write):
    lines = [f"q{t},{a},{b},{a},{b}" for t, (a, b) in enumerate(SCORES)]
    path = write("m.csv", "\n".join(["topic,alpha_x,beta_x,alpha_y,beta_y", *lines, ""]))
    with pytest.raises(
        InputError, match="alpha_x and alpha_y may be one system, in two tables that were merged"
    ):
        read_scores(path)
    assert read_scores(path, ignore_columns=["alpha_y", "beta_y"]).systems == ("alpha_x", "beta_x")


def test_a_transposed_table_without_a_corner_is_asked_about(write):
    lines = [f"s{t},{','.join(map(str, [a, b] * 3))}" for t, (a, b) in enumerate(SCORES)]
    path = write("m.csv", "\n".join([",t0,t1,t2,t3,t4,t5", *lines, ""]))
    with pytest.raises(InputError, match="columns are called like topics"):
        read_scores(path)
    assert read_scores(path, transpose=True).systems == ("s0", "s1", "s2", "s3")
    assert read_scores(path, transpose=False).systems == ("t0", "t1", "t2", "t3", "t4", "t5")


SYSTEMS = (
    "A,ensemble,C;A,weighted-sum,C;A,weighted_average,C;A,geo-mean,C;A,min-max,C;A,rank-avg,C;A,best,C;"
    "A,All,C;A,SE,C;A,CI,C;alpha,beta,delta;no-rag,rag;no context,with context;n-gram,bm25;num-bert,bert;"
    "count-based,b;zero-shot,few-shot;GPT-4 (zero-shot),b;o3,o3-low,o3-high;CL00T,CL00TD,CL00TDN;"
    "Lemur,Lemurn,b;Rank-R1,Rank-K;Time-LLM,Time-MoE;Q,A,B;test,prod;GAP,GMP;cost-sensitive,b;low-cost,b;delta-tfidf,tfidf;borda-count,b"
)


@pytest.mark.parametrize("whole", [False, True])
@pytest.mark.parametrize("names", SYSTEMS.split(";"))
def test_systems_whose_names_have_such_words_stay(write, names, whole):
    systems = tuple(names.split(","))
    values = np.random.default_rng(5).uniform(size=(12, len(systems))).round(0 if whole else 3)
    rows = [f"q{t},{','.join(map(str, row))}" for t, row in enumerate(values.tolist())]
    scores = read_scores(write("m.csv", "\n".join([f"topic,{names}", *rows, ""])))
    assert scores.systems == systems
    np.testing.assert_array_equal(scores.values, values)


@pytest.mark.parametrize("head", ["case_id", "uuid", "claim_id", "doc_id", "image_id", "example", "row"])
def test_a_first_column_of_texts_that_is_called_like_ids_holds_topics(write, head):
    scores = read_scores(write("m.csv", table(head, ("kv", "ab", "cx", "dt"))))
    assert (scores.topics, scores.systems) == (("kv", "ab", "cx", "dt"), ("gpt", "claude"))


def test_such_systems_are_left_out_where_their_scores_sum_up_the_others(write):
    values = np.random.default_rng(6).uniform(size=(12, 2)).round(3)
    low, high = values.min(axis=1), values.max(axis=1)
    sums = {"best": high, "all": values.sum(axis=1), "geo-mean": np.sqrt(low * high), "min-max": high - low}
    for name, column in sums.items():
        rows = [f"q{t},{a},{b},{c:.4f}" for t, ((a, b), c) in enumerate(zip(values, column, strict=True))]
        assert read_scores(write("m.csv", "\n".join([f"topic,A,B,{name}", *rows, ""]))).systems == ("A", "B")
    rows = [f"q{t},{a},{b},{0.7 * a + 0.3 * b:.4f}" for t, (a, b) in enumerate(values)]
    path = write("m.csv", "\n".join(["topic,A,B,weighted avg", *rows, ""]))
    with pytest.raises(InputError, match="'weighted avg' may sum up the other systems"):
        read_scores(path)
    assert read_scores(path, transpose=False).m == 3


# ── values ────────────────────────────────────────────────────────────────────────────────────────


def mteb(entries):
    return json.dumps(
        {"task_name": "T", "mteb_version": "1.20", "dataset_revision": "r", "scores": {"test": entries}}
    )


def test_nan_in_a_result_of_mteb_is_missing_before_any_mean(write, tmp_path):
    for model, scores in (("a", (0.8, float("nan"))), ("b", (0.6, 0.7))):
        entries = [
            {"hf_subset": lang, "main_score": score, "f1": 0.5}
            for lang, score in zip(("de", "en"), scores, strict=True)
        ]
        write(f"r/{model}/v1/T.json", mteb(entries))
        write(f"r/{model}/v1/U.json", mteb([{"main_score": 0.5}]).replace('"T"', '"U"'))
    with pytest.raises(InputError, match="system 'a' has no score on data set 'T'"):
        read_scores(tmp_path / "r")
    kept = read_scores(tmp_path / "r", missing="model")
    assert np.isnan(kept.values).sum() == 1
    assert kept.values[0, 1] == pytest.approx(0.65, abs=1e-15)


def test_a_measure_that_a_part_lacks_has_no_mean(write, tmp_path):
    write("r/a/v1/T.json", mteb([{"hf_subset": "de", "main_score": 0.8, "f1": 0.5}, {"main_score": 0.2}]))
    write("r/b/v1/T.json", mteb([{"hf_subset": "de", "main_score": 0.8, "f1": 0.5}, {"main_score": 0.2}]))
    with pytest.raises(InputError, match="f1"):
        read_scores(tmp_path / "r", "f1", missing="model")


def test_truth_values_are_said(tmp_path):
    frame = pd.DataFrame({"topic": ["a", "b"], "A": [True, False], "B": [True, True]})
    assert "True counts as 1, False as 0" in read_scores(frame).warnings
    assert "True counts as 1, False as 0" in read_scores({"A": {"q1": True}, "B": {"q1": False}}).warnings
    assert not read_scores(frame.astype({"A": float, "B": float})).warnings
    for thing in ([[True, False], [True, True]], np.array([[True, False]]), {"A": [True], "B": [False]}):
        assert "True counts as 1, False as 0" in read_scores(thing).warnings


# ── what nobody foresaw ───────────────────────────────────────────────────────────────────────────


def test_what_is_unforeseen_names_the_file(write, monkeypatch, capsys):
    path = write("a.csv", "topic,A,B\n1,0.5,0.25\n")

    def fails(*_):
        raise KeyError("oops")

    monkeypatch.setattr("truerank.readers.formats.tables.read_sheet", fails)
    with pytest.raises(UnforeseenError, match="KeyError: 'oops'"):
        read_scores(path)
    assert run(["assess", path]) == 2
    (line,) = capsys.readouterr().err.strip().splitlines()
    assert path in line
    assert "Traceback" not in line
    monkeypatch.setattr("truerank.readers.run_formats._format_of", fails)
    with pytest.raises(UnforeseenError, match="KeyError"):
        evaluate(path, [path], "AP")


@pytest.mark.parametrize("form", ["csv", "jsonl", "frame"])
def test_a_measure_that_is_a_column_is_that_column(write, form):
    rows = [("q1", "a", 7, True), ("q1", "b", 6, False), ("q2", "a", 3, False), ("q2", "b", 6, True)]
    rows += [("q3", "a", 4, True), ("q3", "b", 8, False)]
    frame = pd.DataFrame(rows, columns=["question_id", "model", "score", "correct"])
    given = frame
    if form == "csv":
        given = write("both.csv", frame.to_csv(index=False))
    elif form == "jsonl":
        given = write("both.jsonl", frame.to_json(orient="records", lines=True))
    for measure in ("score", "correct"):
        found = read_scores(given, measure=measure)
        expected = frame[measure].to_numpy(dtype=float).reshape(3, 2)
        assert found.measure == measure
        np.testing.assert_array_equal(found.values, expected)
    # A column that the user names stays the scores, and what is no column names them.
    assert read_scores(given, measure="correct", score_column="score").values[0, 0] == 7
    assert (read_scores(given).measure, read_scores(given, measure="fit").measure) == ("", "fit")


@pytest.mark.parametrize("name", ["model", "algorithm"])
def test_systems_that_are_numbers_are_no_topics(write, capsys, name):
    topics = "q1,q2,q3,q4"
    rows = ["0.1,0.29,0.54,0.40,0.58", "0.3,0.15,0.11,0.77,0.31", "0.5,0.90,0.48,0.77,0.48", ""]
    path = write("sweep.csv", "\n".join([f"{name},{topics}", *rows]))
    assert run(["assess", path, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["system"]: row["mean"] for row in found["ranking"]} == {
        "0.5": pytest.approx(0.6575),
        "0.1": pytest.approx(0.4525),
        "0.3": pytest.approx(0.335),
    }
    assert found["topics"] == 4


def test_a_column_of_numbers_that_may_be_runs_or_systems_is_asked_about(write):
    path = write("runs.csv", "run,A,B\n1,0.5,0.4\n2,0.25,0.5\n3,0.75,0.125\n")
    with pytest.raises(
        InputError, match="transpose=True if they are, or ignore_columns=\\['run'\\] if they are runs"
    ):
        read_scores(path)
    assert read_scores(path, transpose=True).systems == ("1", "2", "3")
    assert read_scores(path, ignore_columns="run").systems == ("A", "B")


def test_percent_signs_on_some_cells_are_a_mistake(write):
    with pytest.raises(InputError, match="'85%' where a number belongs"):
        read_scores(write("a.csv", "topic,A,B\n1,85%,90%\n2,85,80%\n"))


@pytest.mark.parametrize(
    "name", ["summary", "Summary:", "Zusammenfassung", "résumé", "Resumen", "总结", "まとめ"]
)
def test_a_row_called_summary_is_left_out(write, name):
    path = write("m.csv", table("qid", ["q1", "q2", "q3", "q4"]) + f"{name},0.45,0.3\n")
    scores = read_scores(path)
    assert scores.topics == ("q1", "q2", "q3", "q4")
    assert any(name in note for note in scores.warnings)


@pytest.mark.parametrize("head", ["hops", "Anzahl", "level", "category", "batch"])
def test_whole_numbers_among_fractions_are_asked_about(write, head):
    rows = [f"q{t},{t % 2 + 1},{a},{b},{b}" for t, (a, b) in enumerate(SCORES)]
    path = write("m.csv", "\n".join([f"qid,{head},a,b,c", *rows, ""]))
    with pytest.raises(InputError, match=rf"on another scale .* Use ignore_columns=\['{head}'\]"):
        read_scores(path)
    assert read_scores(path, ignore_columns=[head]).systems == ("a", "b", "c")
    assert read_scores(path, transpose=False).systems == (head, "a", "b", "c")


def test_latencies_as_the_only_numbers_are_named_as_the_score(write):
    rows = [f"u{t},{s},{200.5 + 10 * t + k}" for t in range(4) for k, s in enumerate("AB")]
    path = write("m.csv", "\n".join(["utt,model,latency_p95_ms", *rows, ""]))
    options = {"topic_column": "utt", "system_column": "model", "score_column": "latency_p95_ms"}
    with pytest.raises(InputError, match=", ".join(f"{key}='{of}'" for key, of in options.items())):
        read_scores(path)
    assert read_scores(path, **options).systems == ("A", "B")


@pytest.mark.parametrize(
    "names",
    ["a.em,b.em,a.wer,b.wer", "a_acc,a_f1,b_acc,b_f1", "a WER,a CER,b WER,b CER", "f1-a,em-a,f1-b,em-b"],
)
def test_systems_by_several_measures_in_one_wide_table_are_asked_about(write, names):
    rows = [f"q{t}," + ",".join(f"0.{(t * k + k) % 9}5" for k in range(1, 5)) for t in range(1, 6)]
    path = write("m.csv", "\n".join([f"topic,{names}", *rows]))
    with pytest.raises(InputError, match="measures"):
        read_scores(path)
    assert read_scores(path, transpose=False).m == 4
    first = [name for name in names.split(",") if re.split(r"\W|_", name)[-1] in ("em", "acc", "WER")]
    others = [name for name in names.split(",") if name not in first]
    if "-" not in names:
        with pytest.raises(InputError, match=re.escape(f"ignore_columns={others}")):
            read_scores(path)
        assert read_scores(path, ignore_columns=others).systems == tuple(first)


def test_numbers_called_runs_are_asked_about_where_no_column_names_systems(write, capsys):
    rows = [f"q{t},{run},{(3 * t + 5 * run) % 7 % 2}" for t in range(8) for run in range(3)]
    paths = [write(f"{name}.csv", "\n".join(["question,run,correct", *rows])) for name in ("old", "new")]
    with pytest.raises(InputError, match="run_column='run' if it numbers runs, or system_column='run'"):
        read_scores(paths[0])
    runs = read_scores(paths[0], run_column="run")
    values = [[(3 * t + 5 * run) % 7 % 2 for run in range(3)] for t in range(8)]
    np.testing.assert_allclose(runs.values[:, 0], np.mean(values, axis=1), rtol=1e-9)
    assert read_scores(paths[0], system_column="run").systems == ("0", "1", "2")
    assert run(["gate", *paths]) == 2
    assert "--run-column run" in capsys.readouterr().err
    assert read_scores(paths, run_column="run").systems == ("old", "new")
