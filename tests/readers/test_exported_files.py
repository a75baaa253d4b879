"""Files as people export them: values, records, runs, directions, and formats of leaderboards.

Real public files that nobody here wrote are read at the first try, or after the one option that the message
names; `docs/formats.md` lists them. Small cuts are in `fixtures/` where the license allows it.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import read_scores

FIXTURES = Path(__file__).parent / "fixtures"


def refusal(source, **options):
    with pytest.raises(InputError) as refused:
        read_scores(source, **options)
    message = str(refused.value)
    assert "\n" not in message
    return message


# ── values ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("yes", "no", "says"),
    [
        ("True", "False", "True counts as 1"),
        ("yes", "no", "pass, yes and correct"),
        ("C", "I", "grades C, P, I and N"),
    ],
)
@pytest.mark.parametrize("long", [False, True])
def test_words_are_scores(write, yes, no, says, long):
    if long:
        rows = [("q1", "a", yes), ("q1", "b", no), ("q2", "a", yes), ("q2", "b", yes)]
        text = "\n".join(["question,model,score", *map(",".join, rows)])
    else:
        text = f"question,a,b\nq1,{yes},{no}\nq2,{yes},{yes}\n"
    scores = read_scores(write("a.csv", text))
    assert scores.systems == ("a", "b")
    np.testing.assert_array_equal(scores.values, [[1, 0], [1, 1]])
    assert any(note.startswith(says) for note in scores.warnings)


def test_a_grade_among_numbers_is_a_mistake(write):
    assert "holds 'C' where a number belongs" in refusal(write("a.csv", "topic,A,B\n1,0.5,C\n2,0.25,0.5\n"))
    scores = read_scores(write("b.csv", "topic,A,B\n1,C,P\n2,I,N\n"))
    np.testing.assert_array_equal(scores.values, [[1, 0.5], [0, 0]])


def test_percentages_are_shares(write):
    scores = read_scores(write("a.csv", "topic,A,B\n1,85%,12.5 %\n2,0%,100%\n"))
    np.testing.assert_allclose(scores.values, [[0.85, 0.125], [0, 1]], rtol=1e-15)
    assert "percentages count as shares: 85% is 0.85" in scores.warnings


def test_a_column_of_text_beside_the_scores_is_left_out(write):
    text = "topic,A,B,comment\n1,0.5,0.25,fine\n2,0.1,0.2,2025-08-04T14:29:22\n"
    scores = read_scores(write("a.csv", text))
    assert scores.systems == ("A", "B")
    assert "columns that are not used: comment" in scores.warnings
    frame = pd.read_csv(write("b.csv", text)).assign(when=pd.to_datetime(["2020-01-01", "2021-01-01"]))
    assert read_scores(frame).warnings == ("columns that are not used: comment, when",)


# ── columns by name, and runs ─────────────────────────────────────────────────────────────────────


def test_repeats_name_the_column_that_tells_them_apart(write):
    rows = [
        f"q{t},{name},{seed},{t + s + seed}"
        for seed in (1, 2)
        for t in range(3)
        for s, name in enumerate("ab")
    ]
    path = write("a.csv", "\n".join(["question,model,version,score", *rows]))
    assert "run_column='version' if it names runs" in refusal(path)
    scores = read_scores(path, run_column="version")
    np.testing.assert_array_equal(scores.values, [[1.5, 2.5], [2.5, 3.5], [3.5, 4.5]])
    assert "2 runs of each system on each question are averaged (column 'version')" in scores.warnings
    again = write("b.csv", "\n".join(["question,model,seed,score", *rows, rows[0]]))
    assert "in seed '1'" in refusal(again, run_column="seed")


def test_measures_of_one_system_are_no_systems(write, capsys):
    for head in ("question,score,confidence", "question,accuracy,f1", "question,correct,answer_length"):
        rows = [f"q{t},{t % 2},{t / 4}" for t in range(4)]
        path = write("gpt.csv", "\n".join([head, *rows]))
        name = head.split(",")[1]
        assert f"score_column='{name}'" in refusal(path)
        scores = read_scores(path, score_column=name)
        assert scores.systems == (name,)
        np.testing.assert_array_equal(scores.values[:, 0], [0, 1, 0, 1])


def test_a_table_per_system(write, capsys):
    paths = [
        write(
            f"{model}.csv", "\n".join(["question,correct", *(f"q{t},{(t + s) % 2 == 0}" for t in range(4))])
        )
        for s, model in enumerate(("gpt", "claude", "llama"))
    ]
    scores = read_scores(paths)
    assert (scores.systems, scores.topics) == (("gpt", "claude", "llama"), ("q0", "q1", "q2", "q3"))
    np.testing.assert_array_equal(scores.values[0], [1, 0, 1])
    assert run(["assess", *paths, "--json", "-"]) == 0
    assert json.loads(capsys.readouterr().out)["systems"] == 3
    two = write("two.csv", "question,a,b\nq1,0.5,0.25\nq2,0.5,0.5\n")
    assert "two.csv: 2 systems; several tables are read as one only where each has one system" in refusal(
        [paths[0], two]
    )
    counted = write("counted.csv", "x\n0.5\n0.25\n")
    assert "name them alike in a column 'topic'" in refusal([paths[0], counted])


# ── JSON ──────────────────────────────────────────────────────────────────────────────────────────

RECORDS = [
    {"id": f"q{t}", "model": name, "results": {"score": s + t, "judge": "x"}, "tags": ["a"], "extra": None}
    for t in range(3)
    for s, name in enumerate("ab")
]


@pytest.mark.parametrize("how", ["lines", "list", "object", "flat", "strings"])
def test_records(write, how):
    records = RECORDS
    if how in ("flat", "strings"):
        records = [{"id": r["id"], "model": r["model"], "score": r["results"]["score"]} for r in RECORDS]
    if how == "strings":
        records = [r | {"score": str(r["score"])} for r in records]
    if how == "list":
        text = json.dumps(records, indent=1)
    elif how == "object":
        text = json.dumps({"about": "x", "results": records})
    else:
        text = "\n".join(map(json.dumps, records))
    scores = read_scores(write("a.json", text))
    assert (scores.topics, scores.systems) == (("q0", "q1", "q2"), ("a", "b"))
    np.testing.assert_array_equal(scores.values, [[0, 1], [1, 2], [2, 3]])


def test_records_two_levels_deep_whose_system_has_an_id(write):
    """As promptfoo writes them: the id is the provider's, and no topic's."""
    records = [
        {
            "provider": {"id": f"p:{name}"},
            "vars": {"question": f"q{t}"},
            "score": (t + s) / 4,
            "latencyMs": 9 * t,
        }
        for t in range(3)
        for s, name in enumerate("ab")
    ]
    path = write("a.json", json.dumps({"evalId": "x", "results": {"version": 3, "results": records}}))
    named = "topic_column='question', system_column='provider.id', score_column='score'"
    assert named in refusal(path)
    scores = read_scores(path, system_column="provider.id")
    assert (scores.topics, scores.systems) == (("q0", "q1", "q2"), ("p:a", "p:b"))
    np.testing.assert_array_equal(scores.values, [[0, 0.25], [0.25, 0.5], [0.5, 0.75]])


def test_rewards_of_tau_bench():
    """A cut of tau-bench's historical trajectories (MIT): rewards of each task in four trials."""
    path = FIXTURES / "tau_bench" / "gpt-4o-airline.json"
    scores = read_scores(path)
    frame = pd.DataFrame(json.loads(path.read_text(encoding="utf-8")))
    expected = frame.groupby("task_id")["reward"].mean()
    np.testing.assert_allclose(scores.values[:, 0], expected[list(map(int, scores.topics))], rtol=1e-15)
    assert scores.systems == ("gpt-4o-airline",)
    variances = frame.groupby("task_id")["reward"].var() / 4
    np.testing.assert_allclose(scores.repeats.variances[:, 0], variances[list(map(int, scores.topics))])


# ── formats ───────────────────────────────────────────────────────────────────────────────────────


SOLVED = {"agent-a": ["x__1", "x__2"], "agent-b": ["x__2", "x__3"], "agent-c": []}


@pytest.mark.parametrize("how", ["archive", "report", "map", "files"])
def test_swe_bench(write, tmp_path, how):
    for name, ids in SOLVED.items():
        if how == "archive":
            write(f"r/{name}/results/results.json", json.dumps({"no_generation": ["x__4"], "resolved": ids}))
        elif how == "report":
            report = {
                "total_instances": 4,
                "resolved_ids": ids,
                "submitted_ids": [f"x__{k}" for k in (1, 2, 3, 4)],
            }
            write(f"r/{name}.json", json.dumps(report))
        elif how == "map":
            write(
                f"r/{name}/report.json",
                json.dumps({f"x__{k}": {"resolved": f"x__{k}" in ids} for k in (1, 2, 3, 4)}),
            )
        else:
            write(f"r/{name}.json", json.dumps({"resolved": ids}))
    scores = read_scores(tmp_path / "r")
    assert scores.systems == tuple(SOLVED)
    where = {topic: t for t, topic in enumerate(scores.topics)}
    for s, ids in enumerate(SOLVED.values()):
        for topic, t in where.items():
            assert scores.values[t, s] == (topic in ids)
    warned = any("--topics" in note or "topics='FILE'" in note for note in scores.warnings)
    assert warned == (how in ("archive", "files"))
    assert scores.n == (3 if how == "files" else 4)


def test_all_topics_of_swe_bench(write, tmp_path, capsys):
    for name, ids in SOLVED.items():
        write(f"r/{name}/results.json", json.dumps({"resolved": ids}))
    ids = [f"x__{k}" for k in range(1, 11)]
    for name, text in {
        "t.txt": "\n".join(ids),
        "t.csv": "instance_id,repo\n" + "\n".join(f"{one},x" for one in ids),
        "t.json": json.dumps(ids),
        "t.jsonl": "\n".join(json.dumps({"repo": "x", "instance_id": one}) for one in ids),
    }.items():
        scores = read_scores(tmp_path / "r", topics=write(name, text))
        assert scores.topics == tuple(ids), name
        np.testing.assert_array_equal(scores.values.mean(axis=0), [0.2, 0.2, 0])
        assert scores.warnings == ()
    table = write("table.csv", "topic,a,b\nq1,0.5,0.25\nq2,0.25,0.5\n")
    assert "leave out topics=" in refusal(table, topics=str(tmp_path / "t.txt"))
    short = write("short.txt", "x__1\nx__2\n")
    assert "'x__3', which 'agent-b' resolved, is not among the topics" in refusal(
        tmp_path / "r", topics=short
    )
    out = str(tmp_path / "o.csv")
    assert run(["import", "auto", str(tmp_path / "r"), "-o", out, "--topics", str(tmp_path / "t.txt")]) == 0
    assert "10 topics, 3 systems" in capsys.readouterr().out


def test_folders_of_submissions_and_of_the_harness(write, tmp_path):
    """Submissions have logs and trajectories beside results; the harness writes a report per instance."""
    for name, ids in SOLVED.items():
        write(f"verified/{name}/results/results.json", json.dumps({"no_logs": ["x__4"], "resolved": ids}))
        write(
            f"verified/{name}/results/resolved_by_repo.json", json.dumps({"x": {"resolved": 1, "total": 2}})
        )
        for k in (1, 2, 3, 4):
            report = json.dumps({f"x__{k}": {"patch_exists": True, "resolved": f"x__{k}" in ids}})
            write(f"verified/{name}/logs/x__{k}/report.json", report)
            write(f"logs/run_evaluation/run/{name}/x__{k}/report.json", report)
            write(f"verified/{name}/a_trajs/x__{k}.json", json.dumps({"history": ["..."] * 20}))
    for folder in ("verified", "logs"):
        scores = read_scores(tmp_path / folder)
        assert scores.systems == tuple(SOLVED), folder
        assert sorted(scores.topics) == ["x__1", "x__2", "x__3", "x__4"]
        np.testing.assert_array_equal(scores.values.sum(axis=0), [2, 2, 0])


def test_instances_that_were_not_submitted(write, tmp_path):
    """A partial run of the harness: what nobody submitted is no topic, what one submitted counts for all."""
    for name, submitted in {"a": ["x__1", "x__2"], "b": ["x__2", "x__3"]}.items():
        ids = [f"x__{k}" for k in range(1, 7)]
        report = {
            "total_instances": 6,
            "resolved_ids": submitted[:1],
            "submitted_ids": submitted,
            "incomplete_ids": [one for one in ids if one not in submitted],
        }
        write(f"r/{name}.json", json.dumps(report))
    assert "system 'b' has no score on question 'x__1'" in refusal(tmp_path / "r")
    scores = read_scores(tmp_path / "r", missing="model")
    assert scores.topics == ("x__1", "x__2", "x__3")
    np.testing.assert_array_equal(scores.values, [[1, np.nan], [0, 1], [np.nan, 0]])
    assert scores.warnings[0].startswith("3 questions that no system tried left out")
    assert scores.warnings[1].startswith("questions that a system did not try have no score (a, b)")
    everyone = read_scores(tmp_path / "r", topics=write("t.txt", "\n".join(f"x__{k}" for k in range(1, 7))))
    np.testing.assert_array_equal(everyone.values.sum(axis=0), [1, 1])


def test_samples_of_evalplus_are_runs(write, tmp_path):
    def sample(base, plus):
        return {"base_status": base, "plus_status": plus, "solution": "x"}

    results = {
        "a": {"T/0": [sample("pass", "pass"), sample("pass", "fail")], "T/1": [sample("fail", "pass")] * 2},
        "b": {
            "T/0": [sample("timeout", "fail")] * 2,
            "T/1": [sample("pass", "pass"), sample("fail", "fail")],
        },
    }
    for (name, tasks), mark in zip(results.items(), "._", strict=True):
        write(f"r/{name}{mark}eval_results.json", json.dumps({"date": "x", "hash": "y", "eval": tasks}))
    assert "2 measures (base, plus)" in refusal(tmp_path / "r")
    base, plus = (read_scores(tmp_path / "r", measure=one) for one in ("base", "plus"))
    assert (base.systems, base.topics, base.noun) == (("a", "b"), ("T/0", "T/1"), "question")
    np.testing.assert_array_equal(base.values, [[1, 0], [0, 0.5]])
    np.testing.assert_array_equal(plus.values, [[0.5, 0], [0, 0.5]])  # both tests have to pass
    assert base.repeats is not None
    assert np.unique(base.repeats.counts).tolist() == [2]
