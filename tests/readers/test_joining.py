"""Several files of scores in one table: what is matched, and what is refused."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run

FIRST = np.array([0.12, 0.5, 0.77, 0.2, 0.9, 0.35])
SECOND = np.array([0.2, 0.55, 0.85, 0.3, 0.98, 0.5])


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def write(name: str, heading: str, scores: Sequence[float], topics: Sequence[str] | None = None) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    names = topics if topics is not None else [str(t) for t in range(1, len(scores) + 1)]
    lines = [f"topic,{heading}", *(f"{t},{x}" for t, x in zip(names, scores, strict=True))]
    Path(name).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return name


def text(name: str, content: str) -> str:
    Path(name).parent.mkdir(parents=True, exist_ok=True)
    Path(name).write_text(content, encoding="utf-8")
    return name


def refusal(capsys: pytest.CaptureFixture[str], *arguments: str) -> str:
    assert run([*arguments]) == 2
    err = capsys.readouterr().err
    assert err.count("\n") == 1
    return err


def verdict(capsys: pytest.CaptureFixture[str], *arguments: str) -> dict[str, object]:
    assert run(["gate", *arguments, "--json", "-"]) in (0, 1, 4)
    found: dict[str, object] = json.loads(capsys.readouterr().out)
    return found


def test_two_files_and_one_table_have_one_verdict(capsys: pytest.CaptureFixture[str]) -> None:
    one, two = write("old.csv", "score", FIRST), write("new.csv", "score", SECOND)
    pairs = enumerate(zip(FIRST, SECOND, strict=True))
    text("both.csv", "topic,old,new\n" + "".join(f"{t},{a},{b}\n" for t, (a, b) in pairs))
    for direction, sign in (("--lower-is-better", -1), ("--higher-is-better", 1)):
        apart = verdict(capsys, one, two, direction)
        together = verdict(capsys, "both.csv", direction)
        assert apart["verdict"] == together["verdict"] == {-1: "fail", 1: "better"}[sign]
        assert apart["difference"] == pytest.approx(sign * float((SECOND - FIRST).mean()), rel=1e-9)
        for key in ("difference", "low", "high"):
            assert apart[key] == pytest.approx(together[key], rel=1e-9)


def test_an_anchor_takes_the_direction_of_each_measure(capsys: pytest.CaptureFixture[str]) -> None:
    for name, scores in (("release", FIRST), ("now", SECOND)):
        pairs = enumerate(zip(scores, scores[::-1], strict=True))
        text(
            f"{name}.csv", "topic,system,Fehl,Gut\n" + "".join(f"{t},{name},{a},{b}\n" for t, (a, b) in pairs)
        )
    both = ["now.csv", "--anchor", "release.csv", "-m", "Fehl", "-m", "Gut", "--direction", "Fehl=lower"]
    assert run(["gate", *both, "--json", "-"]) in (0, 1, 4)
    worse, better = json.loads(capsys.readouterr().out)
    assert worse["difference"] == pytest.approx(float((FIRST - SECOND).mean()), rel=1e-9)
    assert better["difference"] == pytest.approx(float((SECOND - FIRST).mean()), rel=1e-9)


def test_topics_with_and_without_names_are_not_matched(capsys: pytest.CaptureFixture[str]) -> None:
    named = write("named.csv", "score", FIRST, ["3", "1", "5", "2", "4", "6"])
    text("bare.csv", "score\n" + "".join(f"{x}\n" for x in SECOND))
    message = "no column names the topics, but named.csv names them"
    for command in ("gate", "significance"):
        assert message in refusal(capsys, command, named, "bare.csv")
        assert message in refusal(capsys, command, "bare.csv", named)
    assert message in refusal(capsys, "gate", named, "--anchor", "bare.csv")


def test_rows_without_names_are_matched_in_their_order(capsys: pytest.CaptureFixture[str]) -> None:
    for name, scores in (("a", FIRST), ("b", SECOND), ("short", SECOND[:5])):
        text(f"{name}.csv", "score\n" + "".join(f"{x}\n" for x in scores))
    found = verdict(capsys, "a.csv", "b.csv")
    assert found["difference"] == pytest.approx(float((SECOND - FIRST).mean()), rel=1e-9)
    assert any("in their order" in str(one) for one in found["warnings"])  # type: ignore[attr-defined]
    assert "5 rows, but a.csv has 6" in refusal(capsys, "gate", "a.csv", "short.csv")


@pytest.mark.parametrize(("one", "other"), [("00{}", "{}"), ("Q{}", "q{}"), ("{}", "{}.0")])
def test_names_that_only_look_alike_are_shown(
    one: str, other: str, capsys: pytest.CaptureFixture[str]
) -> None:
    first = write("a.csv", "bm25", FIRST, [one.format(t) for t in range(1, 6)] + ["x"])
    second = write("b.csv", "dense", SECOND, [other.format(t) for t in range(1, 6)] + ["x"])
    said = refusal(capsys, "gate", first, second)
    assert f"topic {other.format(1)!r} looks like {one.format(1)!r} of a.csv" in said


def test_runs_levels_and_clusters_of_several_files_are_those_of_one_table() -> None:
    rng = np.random.default_rng(1)
    frames = {}
    header = ["topic", "group", "prompt", "seed"]
    rows = [
        [f"q{t}", f"g{t // 2}", p, r, *rng.uniform(0, 1, 3).round(4)]
        for t in range(6)
        for p in "uv"
        for r in range(2)
    ]
    for k, name in enumerate("xyz"):
        frames[name] = [[*header, name], *([*row[:4], row[4 + k]] for row in rows)]
    frames["all"] = [[*header, *"xyz"], *rows]
    for name, lines in frames.items():
        text(f"{name}.csv", "\n".join(",".join(map(str, line)) for line in lines) + "\n")
    for given in (
        {"run_column": "seed", "facet": "prompt", "cluster": "group"},
        {"run_column": "#", "cluster": "group", "ignore_columns": ["prompt", "seed"]},
        {"run_column": "seed", "facet": "prompt", "ignore_columns": "group"},
    ):
        apart = truerank.read_scores([f"{name}.csv" for name in "xyz"], **given)  # type: ignore[arg-type]
        together = truerank.read_scores("all.csv", **given)  # type: ignore[arg-type]
        np.testing.assert_allclose(apart.values, together.values, rtol=1e-12)
        assert (apart.clusters is None) == (together.clusters is None)
        if apart.clusters is not None and together.clusters is not None:
            same = apart.clusters[:, None] == apart.clusters
            assert (same == (together.clusters[:, None] == together.clusters)).all()
        if together.repeats is not None:
            assert apart.repeats is not None
            np.testing.assert_array_equal(apart.repeats.counts, together.repeats.counts)
            np.testing.assert_allclose(apart.repeats.variances, together.repeats.variances, rtol=1e-9)
        if together.facets is not None:
            assert apart.facets is not None
            np.testing.assert_allclose(apart.facets.values, together.facets.values, rtol=1e-12)
            assert apart.facets.levels == together.facets.levels
            assert apart.facets.runs == pytest.approx(together.facets.runs)
            assert apart.facets.run_variance == pytest.approx(together.facets.run_variance)


@pytest.mark.parametrize("path", ["runs/{system}/{run}.csv", "runs/{run}/{system}.csv"])
@pytest.mark.parametrize("word", ["seed{}", "fold_{}"])
def test_files_and_folders_called_like_runs_are_runs(path: str, word: str) -> None:
    scores = np.random.default_rng(4).uniform(0, 1, (3, 2, 6)).round(3)
    rows = ["topic,system,run,score"]
    for k in range(3):
        for s, system in enumerate(("knn", "tree")):
            of_run = [f"t{t},{scores[k, s, t]}" for t in range(6)]
            file = path.format(system=system, run=word.format(k))
            text(file, "\n".join(["topic,score", *of_run]) + "\n")
            rows += [f"t{t},{system},{k},{scores[k, s, t]}" for t in range(6)]
    text("long.csv", "\n".join(rows) + "\n")
    found, together = truerank.read_scores("runs"), truerank.read_scores("long.csv")
    assert (found.systems, found.topics) == (together.systems, together.topics)
    np.testing.assert_allclose(found.values, together.values, rtol=1e-12)
    assert found.repeats is not None
    assert together.repeats is not None
    np.testing.assert_allclose(found.repeats.variances, together.repeats.variances, rtol=1e-9)
    assert any("runs or folds" in note.text for note in found.notes)


@pytest.mark.parametrize("path", ["runs/{run}.csv", "runs/{run}/scores.csv"])
@pytest.mark.parametrize("word", ["seed{}", "fold_{}"])
def test_tables_called_like_runs_are_runs_of_their_systems_or_folds(path: str, word: str) -> None:
    scores = np.random.default_rng(5).uniform(0, 1, (3, 6, 2)).round(3)
    for k, table in enumerate(scores):
        lines = ["topic,knn,tree", *(f"t{t},{a},{b}" for t, (a, b) in enumerate(table))]
        text(path.format(run=word.format(k)), "\n".join(lines) + "\n")
        lines = ["topic,knn,tree", *(f"t{6 * k + t},{a},{b}" for t, (a, b) in enumerate(table))]
        text(f"folds/{path.format(run=word.format(k))}", "\n".join(lines) + "\n")
    runs, folds = truerank.read_scores("runs"), truerank.read_scores("folds/runs")
    assert runs.data_sets == folds.data_sets == ()
    assert runs.systems == folds.systems == ("knn", "tree")
    np.testing.assert_allclose(runs.values, scores.mean(axis=0), rtol=1e-12)
    assert runs.repeats is not None
    np.testing.assert_allclose(runs.repeats.variances, scores.var(axis=0, ddof=1) / 3, rtol=1e-9)
    np.testing.assert_allclose(folds.values, scores.reshape(18, 2), rtol=1e-12)
    assert folds.repeats is None
    for found in (runs, folds):
        assert any("runs or folds" in note.text for note in found.notes)


@pytest.mark.parametrize(
    "word", ["run{}", "trial_{}", "attempt{}", "epoch{}0", "iter{}", "rep {}", "gpt_seed{}"]
)
def test_tables_called_like_any_runs_are_runs_unless_their_topics_differ(word: str) -> None:
    scores = np.random.default_rng(6).uniform(0, 1, (3, 6, 2)).round(3)
    for k, table in enumerate(scores):
        for folder, first in (("same", 0), ("apart", 6 * k)):
            lines = ["topic,knn,tree", *(f"t{first + t},{a},{b}" for t, (a, b) in enumerate(table))]
            text(f"{folder}/{word.format(k)}.csv", "\n".join(lines) + "\n")
    runs, apart = truerank.read_scores("same"), truerank.read_scores("apart")
    assert (runs.systems, runs.data_sets) == (("knn", "tree"), ())
    np.testing.assert_allclose(runs.values, scores.mean(axis=0), rtol=1e-12)
    assert runs.repeats is not None
    np.testing.assert_allclose(runs.repeats.variances, scores.var(axis=0, ddof=1) / 3, rtol=1e-9)
    np.testing.assert_allclose(apart.values, scores.reshape(18, 2), rtol=1e-12)


def test_a_missing_score_is_found_in_the_row_or_else_in_the_file_that_lacks_it(
    capsys: pytest.CaptureFixture[str],
) -> None:
    text("sets/x.csv", "topic,A,B\nq1,.1,.2\nq2,,.3\nq3,.3,.2\n")
    text("sets/y.csv", "topic,A,B\nq1,.1,.2\nq2,.2,.3\n")
    error = refusal(capsys, "import", "auto", "sets", "-o", "out.csv", "--missing", "error")
    assert "sets/x.csv:3: system 'A' has no score on topic 'q2' of data set 'x'" in error
    write("one.csv", "A", FIRST)
    write("two.csv", "B", SECOND[:5])
    error = refusal(capsys, "import", "auto", "one.csv", "two.csv", "-o", "out.csv", "--missing", "error")
    assert "two.csv: system 'B' has no score on topic '6'" in error


def test_files_of_several_measures_are_compared_by_the_named_one(tmp_path: Path) -> None:
    rows = [(f"t{t}", 0.3 + 0.1 * (t % 3), 5 - t % 2) for t in range(6)]
    for name, by in (("old", 0.0), ("new", 0.2)):
        lines = [f"{topic},{wer - by / 2:g},{seconds + by:g},easy" for topic, wer, seconds in rows]
        (tmp_path / f"{name}.csv").write_text("\n".join(["id,wer,latency,kind", *lines, ""]))
    files = [str(tmp_path / "old.csv"), str(tmp_path / "new.csv")]
    quality, time = (truerank.read_scores(files, name) for name in ("wer", "latency"))
    assert quality.systems == time.systems == ("old", "new")
    assert (quality.measure, time.measure) == ("−wer", "−latency")
    assert np.allclose(quality.values[:, 1] - quality.values[:, 0], 0.1)
    assert np.allclose(time.values[:, 1] - time.values[:, 0], -0.2)
    # What both files have is said once.
    assert [note.facts["names"] for note in quality.notes if note.code == "parts-left-out"] == [
        ["latency", "kind"]
    ]


def test_files_of_one_column_are_not_taken_for_another_measure(tmp_path: Path) -> None:
    """Recall does not become nDCG by -m; another spelling does, and systems are called like their files."""
    columns = {"base": ("ndcg", "recall"), "other": ("recall",), "same": ("nDCG",)}
    for name, measures in columns.items():
        rows = [
            f"q{t}," + ",".join(str((t * 7 + k) % 10 / 10) for k in range(len(measures))) for t in range(9)
        ]
        (tmp_path / f"{name}.csv").write_text("\n".join(["topic," + ",".join(measures), *rows]) + "\n")
    base, other, same = (str(tmp_path / f"{name}.csv") for name in columns)
    with pytest.raises(truerank.TruerankError, match=r"other\.csv:1: unknown measure 'ndcg'.* recall"):
        truerank.read_scores([base, other], measure="ndcg")
    assert truerank.read_scores([base, same], measure="ndcg").systems == ("base", "same")
    assert truerank.read_scores([base, other], measure="recall").systems == ("base", "other")
    frames = [pd.read_csv(path)[["topic", name]] for path, name in ((base, "ndcg"), (other, "recall"))]
    with pytest.raises(
        truerank.InputError, match=r"candidate holds scores by 'recall', and the baseline .*'ndcg'"
    ):
        truerank.gate(*frames)
    assert truerank.gate(*(frame.set_axis(["topic", "recall"], axis=1) for frame in frames)).candidate


@pytest.mark.parametrize("beside", [["run"], ["prompt"], ["prompt", "run"]])
def test_files_with_runs_and_facets_say_what_one_table_says(tmp_path, beside):
    rng = np.random.default_rng(4)
    rows = [
        (data_set, f"q{t}", s, prompt, run, rng.integers(2))
        for data_set in ("x", "y")
        for t in range(5)
        for s in "ab"
        for prompt in (("p1", "p2") if "prompt" in beside else ("p1",))
        for run in (("1", "2", "3") if "run" in beside else ("1",))
    ]
    columns = ["data_set", "topic", "system", "prompt", "run", "score"]
    frame = pd.DataFrame(rows, columns=columns)[["data_set", "topic", "system", *beside, "score"]]
    for name, part in frame.groupby("data_set"):
        part.drop(columns="data_set").to_csv(tmp_path / f"{name}.csv", index=False)
    facet = ["prompt"] if "prompt" in beside else []
    joined, whole = (truerank.read_scores(source, facet=facet) for source in (tmp_path, frame))
    assert joined.fingerprint() == whole.fingerprint()
    if facet:
        assert joined.facets.runs == pytest.approx(whole.facets.runs, rel=1e-9)
        assert joined.facets.run_variance == pytest.approx(whole.facets.run_variance, rel=1e-9, nan_ok=True)
    else:
        assert joined.repeats.binary
        np.testing.assert_allclose(joined.repeats.labeled.values, whole.repeats.labeled.values)
