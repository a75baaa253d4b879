"""Several scores of a system on a topic: what columns are taken for, and what is kept of the scores."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.readers import read_scores, write_scores
from truerank.reliability.means import means_of
from truerank.scores import ScoreMatrix

Write = Callable[[str, str], str]


def text(header: str, rows: Iterable[Sequence[object]]) -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows([header.split(","), *rows])
    return out.getvalue()


def cells(seed: int = 1, n: int = 4, m: int = 2, k: int = 3) -> np.ndarray:
    return np.random.default_rng(seed).random((n, m, k)).round(3)


def long(runs: np.ndarray, column: str, system: str = "model") -> str:
    n, m, k = runs.shape
    rows = [(f"q{t}", f"s{s}", f"r{r}", runs[t, s, r]) for r in range(k) for t in range(n) for s in range(m)]
    return text(f"query,{system},{column},value", rows)


REPEATS = ("epoch", "train_trial_index", "replicate", "run")


@pytest.mark.parametrize("column", REPEATS)
def test_columns_of_runs(write: Write, column: str) -> None:
    """Also the trap: of query, model, run and value the systems are the models."""
    runs = cells()
    scores = read_scores(write("a.csv", long(runs, column)))
    assert scores.systems == ("s0", "s1")
    np.testing.assert_allclose(scores.values, runs.mean(axis=2), rtol=1e-14)
    assert scores.repeats is not None
    np.testing.assert_allclose(scores.repeats.variances, runs.var(axis=2, ddof=1) / 3, rtol=1e-9)
    assert scores.repeats.labeled is not None
    np.testing.assert_array_equal(
        scores.repeats.labeled.values, runs.transpose(0, 2, 1).reshape(-1, runs.shape[1])
    )
    assert not scores.repeats.shared
    # A note names the column of the runs; what topics and systems are stands at the end of every result.
    assert [one.level for one in scores.notes if f"(column '{column}')" in one.text] == ["info"]
    assert not [one.text for one in scores.notes if "are read from" in one.text]


@pytest.mark.parametrize("column", ["seed", "index_build"])
def test_seeds_are_shared_by_all_topics(write: Write, column: str) -> None:
    scores = read_scores(write("a.csv", long(cells(), column)))
    assert scores.repeats is not None
    assert scores.repeats.shared


FACETS = ("template", "variant", "judge")


@pytest.mark.parametrize("column", [*FACETS, "fold", "experiment"])
def test_columns_of_facets(write: Write, column: str) -> None:
    runs = cells()
    scores = read_scores(write("a.csv", long(runs, column)))
    facets = scores.facets
    assert facets is not None
    assert (facets.names, facets.levels, scores.repeats) == ((column,), (("r0", "r1", "r2"),), None)
    np.testing.assert_array_equal(facets.values, runs.transpose(0, 2, 1).reshape(-1, runs.shape[1]))


@pytest.mark.parametrize("numbered", [True, False])
def test_columns_that_distinguish_rows_together(write: Write, numbered: bool) -> None:
    """What the message says to use is what reads the table."""
    x = np.random.default_rng(2).random((4, 2, 3, 5))
    cells = np.ndenumerate(x)
    rows = [(f"q{t}", f"s{s}", f"p{p}", *[r] * numbered, repr(float(v))) for (t, s, p, r), v in cells]
    path = write("a.csv", text(f"query,model,tone,{'take,' * numbered}score", rows))
    with pytest.raises(InputError) as refused:
        read_scores(path)
    given = dict(re.findall(r"(facet|run_column)='([^']*)'", str(refused.value)))
    assert given == {"facet": "tone", "run_column": "take" if numbered else "#"}
    facets = read_scores(path, **given).facets
    assert facets is not None
    np.testing.assert_allclose(facets.values, x.mean(axis=3).transpose(0, 2, 1).reshape(-1, 2))


def test_runs_within_levels(write: Write) -> None:
    rng = np.random.default_rng(2)
    x = rng.random((4, 2, 3, 5))
    rows = [(f"q{t}", f"s{s}", f"p{p}", r, repr(float(v))) for (t, s, p, r), v in np.ndenumerate(x)]
    scores = read_scores(write("a.csv", text("query,model,prompt_id,trial,score", rows)))
    facet = scores.facets
    assert facet is not None
    np.testing.assert_allclose(facet.values, x.mean(axis=3).transpose(0, 2, 1).reshape(12, 2))
    assert facet.runs == 5
    assert facet.run_variance == pytest.approx(x.var(axis=3, ddof=1).mean())


def test_unequal_numbers_of_runs(write: Write) -> None:
    rows = [
        ("q1", "a", 1, 0.5),
        ("q1", "a", 2, 0.7),
        ("q1", "b", 1, 0.1),
        ("q2", "a", 1, 0.2),
        ("q2", "b", 1, 0.4),
    ]
    scores = read_scores(write("a.csv", text("query,system,trial,score", rows)))
    assert scores.repeats is not None
    assert scores.repeats.counts.tolist() == [[2, 1], [1, 1]]
    np.testing.assert_allclose(scores.repeats.variances, [[0.01, np.nan], [np.nan, np.nan]])
    assert scores.repeats.labeled is None


def test_runs_that_are_missing_are_counted(write: Write) -> None:
    """Not where one system has fewer on every topic: nothing says that some are missing."""
    rows = [(f"q{t}", f"s{s}", k, 0.5 + k / 10) for t in range(4) for s in range(2) for k in range(3 - s)]
    says = "if failed runs were left out, the scores are too high"
    full = read_scores(write("a.csv", text("question,model,run,score", rows)))
    assert not any(says in note for note in full.warnings)
    scores = read_scores(write("b.csv", text("question,model,run,score", [*rows[:2], *rows[3:-1]])))
    (note,) = (one for one in scores.notes if says in one.text)
    assert note.text.startswith("2 of 20 runs are missing")
    assert note.level == "warning"


def test_rows_of_which_no_column_says_that_they_are_runs(write: Write) -> None:
    runs = cells()
    n, m, k = runs.shape
    rows = [(f"q{t}", f"s{s}", runs[t, s, r]) for t in range(n) for s in range(m) for r in range(k)]
    path = write("a.csv", text("question,model,score", rows))
    says = r"on question 'q0', at .*no column distinguishes the rows.*run_column='#'"
    with pytest.raises(InputError, match=says):
        read_scores(path)
    scores = read_scores(path, run_column="#")
    labeled = read_scores(write("b.csv", long(runs, "run")))
    np.testing.assert_allclose(scores.values, labeled.values)
    assert scores.repeats is not None
    assert labeled.repeats is not None
    np.testing.assert_allclose(scores.repeats.variances, labeled.repeats.variances)
    assert scores.repeats.labeled is None, "the third row of one topic is no run of the others"
    assert any("runs in the order of the rows" in note for note in scores.warnings)


def test_what_an_answer_took_is_no_run(write: Write) -> None:
    """Latencies differ by chance; the column that counts repeats is taken, however it is written."""
    runs = cells()
    n, m, k = runs.shape
    rows = [
        (f"q{t}", f"s{s}", 100 + r, r, runs[t, s, r]) for t in range(n) for s in range(m) for r in range(k)
    ]
    with pytest.raises(InputError, match="run_column='#'"):
        read_scores(write("a.csv", text("question,model,latencyMs,tokens_used,score", rows)))
    scores = read_scores(write("b.csv", text("question,model,latencyMs,repeatIndex,score", rows)))
    np.testing.assert_allclose(scores.values, runs.mean(axis=2))


def test_levels_of_one_topic_each_are_drawn_with_their_topics(write: Write) -> None:
    rows = [(f"q{t}", f"s{s}", f"q{t}-v{v}", t + s + v) for t in range(3) for s in range(2) for v in range(2)]
    scores = read_scores(write("a.csv", text("query,model,variant,score", rows)))
    assert scores.facets is not None
    assert scores.facets.nested == ("variant",)
    fixed, new = means_of(scores), means_of(scores, "topics,variant")
    np.testing.assert_allclose(new.deviations, fixed.deviations, atol=1e-15)


# ── scores over runs ──────────────────────────────────────────────────────────────────────────────────


def binary() -> np.ndarray:
    return (np.random.default_rng(3).random((5, 2, 4)) < 0.5) * 1.0


@pytest.mark.parametrize(
    ("measure", "expected"),
    [
        ("pass@4", lambda x: x.max(axis=2)),
        ("pass^4", lambda x: x.min(axis=2)),
        ("best@4", lambda x: x.max(axis=2)),
        ("pass@1", lambda x: x.mean(axis=2)),
    ],
)
def test_measures_over_runs(write: Write, measure: str, expected: Callable[[np.ndarray], np.ndarray]) -> None:
    x = binary()
    scores = read_scores(write("a.csv", long(x, "trial")), measure)
    np.testing.assert_allclose(scores.values, expected(x), atol=1e-12)
    assert scores.measure == measure


def test_refused_measures_over_runs(write: Write) -> None:
    with pytest.raises(InputError, match=r"pass@5 needs 5\. Ask for at most 4"):
        read_scores(write("a.csv", long(binary(), "trial")), "pass@5")
    with pytest.raises(InputError, match="Use best@2"):
        read_scores(write("b.csv", long(cells(), "trial")), "pass@2")
    with pytest.raises(InputError, match="levels that differ"):
        read_scores(write("c.csv", long(binary(), "judge")), "pass@2")


def test_counts_of_successes_are_the_runs_that_they_count(write: Write) -> None:
    x = binary()
    rows = [(f"q{t}", f"s{s}", int(x[t, s].sum()), 4) for t in range(5) for s in range(2)]
    path = write("a.csv", text("query,model,successes,attempts", rows))
    runs = write("b.csv", long(x, "trial"))
    for measure in (None, "pass@2", "pass^2"):
        counted, scored = read_scores(path, measure), read_scores(runs, measure)
        np.testing.assert_allclose(counted.values, scored.values)
        assert counted.repeats is not None
        assert scored.repeats is not None
        np.testing.assert_allclose(counted.repeats.variances, scored.repeats.variances, atol=1e-12)
        assert counted.repeats.binary
        assert counted.measure == (measure or "")
        what = f"{measure} of the successes" if measure else "the share of successes"
        assert f"a score is {what} in 4 attempts of each system on each topic" in counted.warnings
    with pytest.raises(InputError, match=r":2: 5 successes in 4 attempts"):
        read_scores(
            write("c.csv", text("query,model,successes,attempts", [("q", "a", 5, 4), ("q", "b", 1, 4)]))
        )


# ── runs by their names, and back to files ────────────────────────────────────────────────────────────


def test_runs_of_a_system_by_their_names(write: Write) -> None:
    x = cells(k=2)
    rows = [(f"q{t}", *x[t].ravel()) for t in range(4)]
    path = write("a.csv", text("topic,a-x-1,a-x-2,b-1,b-2", rows))
    scores = read_scores(path, runs_of="{system}-{run}")
    assert scores.systems == ("a-x", "b")
    np.testing.assert_allclose(scores.values, x.mean(axis=2))
    assert scores.repeats is not None
    assert scores.repeats.shared
    assert scores.repeats.labeled is not None


def test_run_files_of_a_system_are_evaluated_together() -> None:
    qrels = {"q1": {"d": 1, "e": 0}, "q2": {"d": 0, "e": 1}}
    up, down = {"d": 2.0, "e": 1.0}, {"d": 1.0, "e": 2.0}
    runs = {
        "a-seed1": {"q1": up, "q2": up},
        "a-seed2": {"q1": up, "q2": down},
        "b-seed1": {"q1": down, "q2": up},
        "b-seed2": {"q1": down, "q2": up},
    }
    assert any("'{system}-seed{run}'" in note for note in truerank.evaluate(qrels, runs, "RR").warnings)
    found = truerank.evaluate(qrels, runs, "RR", runs_of="{system}-seed{run}")
    assert found.systems == ("a", "b")
    np.testing.assert_allclose(found.values, [[1.0, 0.5], [0.75, 0.5]])
    apart = truerank.evaluate(qrels, runs, "RR")
    apart = ScoreMatrix.build(np.tile(apart.values, (2, 1)), systems=apart.systems, notes=apart.notes)
    remedy = r"use runs_of='\{system\}-seed\{run\}'"
    with pytest.raises(InputError, match=f"'[ab]' has several runs, and .* as a system; {remedy}"):
        truerank.gate(apart, baseline="a")
    with pytest.raises(InputError, match=rf"say which one is the baseline .*look like runs of 2 .*{remedy}"):
        truerank.gate(apart)


@pytest.mark.parametrize("column", ["trial", "prompt_id"])
@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_written_and_read_back(write: Write, tmp_path: Path, column: str, suffix: str) -> None:
    scores = read_scores(write("a.csv", long(cells(), column)))
    write_scores(scores, tmp_path / f"b.{suffix}")
    again = read_scores(tmp_path / f"b.{suffix}")
    assert again.fingerprint() == scores.fingerprint()


# ── runs that are taken for topics ────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("name", ["q{t}/run{r}", "q{t}_trial_{r}"])
def test_topics_that_look_like_runs(write: Write, name: str) -> None:
    rows = [(name.format(t=t, r=r), f"s{s}", t + s + r) for t in range(3) for r in range(2) for s in range(2)]
    notes = read_scores(write("a.csv", text("query,model,score", rows))).warnings
    assert any("topics look like the runs of 3 topics" in note for note in notes)


def of_facet(lacking: Callable[[int, int, int, int], bool]) -> str:
    """6 questions × 4 systems × 2 prompts × 3 runs, without the rows that are lacking."""
    rows = [
        (f"q{t}", f"s{s}", f"p{f}", r, (5 * t + 3 * s * s + 2 * f + r * (t + s)) % 11 / 10)
        for t in range(6)
        for s in range(4)
        for f in range(2)
        for r in range(3)
        if not lacking(t, s, f, r)
    ]
    return text("question,model,prompt_template,run,score", rows)


def test_a_system_without_one_level_on_any_question(write: Write) -> None:
    """Empty cells are no way out where a system has no complete cell; its scores at other levels exist."""
    path = write("a.csv", of_facet(lambda t, s, f, r: s == 2 and f == 1))
    with pytest.raises(InputError, match=r"6 scores are missing in all, of 1 of 4 systems") as found:
        read_scores(path)
    assert "'model'" not in str(found.value)
    assert "missing='complete'" in str(found.value)
    with pytest.raises(InputError, match=r"'s2' lacks some level of 'prompt_template' on every question"):
        truerank.assess(path, missing="model")
    zero = read_scores(path, missing="zero")
    assert any(note.startswith("6 of 48 scores missing, counted as zero") for note in zero.warnings)


def test_scores_left_out_with_a_level_that_is_missing(write: Write) -> None:
    path = write("a.csv", of_facet(lambda t, s, f, r: s == 2 and f == 1 and t < 2))
    found = truerank.assess(path, missing="model")
    (note,) = (one for one in found.notes if one.code == "empty-cells")
    assert note.text.startswith("2 of 24 cells are empty")
    assert "Of these cells, 2 (s2) lack only some levels of 'prompt_template'" in note.text
    # What is said is what is done: the mean is that of the other questions, beside those of complete systems.
    alone = read_scores(write("b.csv", of_facet(lambda t, s, f, r: s == 2 and t < 2)), missing="model")
    other = {row.system: row.mean for row in truerank.assess(alone).ranking}
    assert {row.system: row.mean for row in found.ranking} == pytest.approx(other)


def test_runs_missing_at_some_level(write: Write) -> None:
    scores = read_scores(write("a.csv", of_facet(lambda t, s, f, r: (t, s, r) == (3, 1, 2))))
    assert any(note.startswith("2 of 144 runs are missing") for note in scores.warnings)
    full = read_scores(write("b.csv", of_facet(lambda *_: False)))
    assert not any("runs are missing" in note for note in full.warnings)
    shown = truerank.assess(scores).to_markdown()
    assert re.search(r"prompt\S*template +\| +2 ", shown), (
        "whole numbers stay whole beside a mean number of runs"
    )
