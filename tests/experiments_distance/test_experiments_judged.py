"""Experiments on runs and judgments: against `evaluate`, `compare` and constructed collections."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.comparison import compare
from truerank.errors import InputError
from truerank.experiments import run
from truerank.experiments.studies.judged import first_of_each, pseudo_judgments
from truerank.readers import RankedRuns, evaluate, read_ranked_runs
from truerank.readers.run_formats import read_qrels, read_run
from truerank.report.outputs.data import frame

MEASURES = ["AP", "P@10", "Rprec", "Bpref", "RR", "nDCG@10"]


def frame_of(found: Any, name: str) -> Any:
    return next(frame(table) for table in found.findings.tables if table.name == name)


# ── the collection ────────────────────────────────────────────────────────────────────────────────


def test_scores_by_all_judgments_are_those_of_evaluate(collection: Path, judged: RankedRuns) -> None:
    expected = evaluate(collection / "qrels.txt", [collection / "runs"], MEASURES)
    found = judged.evaluate(MEASURES, judged.judgments())
    assert list(found) == list(expected)
    for name, table in expected.items():
        assert found[name].systems == table.systems
        assert found[name].topics == table.topics
        assert np.array_equal(found[name].values, table.values)


def test_scores_by_some_judgments_are_those_of_a_smaller_qrels_file(
    collection: Path, judged: RankedRuns
) -> None:
    rng = np.random.default_rng(0)
    qrels = read_qrels(collection / "qrels.txt")
    kept = [(d, g) for d, g in judged.judgments()]
    smaller: dict[str, dict[str, int]] = {}
    for t, topic in enumerate(judged.topics):
        some = np.sort(rng.choice(len(kept[t][0]), len(kept[t][0]) // 3, replace=False)).astype(np.int32)
        kept[t] = some, judged.grades[t][some]
        names = list(qrels[topic])
        smaller[topic] = {names[d]: qrels[topic][names[d]] for d in some.tolist()}
    expected = evaluate(smaller, [collection / "runs"], MEASURES)
    for name, table in judged.evaluate(MEASURES, kept).items():
        assert np.array_equal(table.values, expected[name].values)


def test_ties_are_ranked_as_trec_eval_does_and_late_topics_may_lack_documents() -> None:
    runs = {
        "a": {"1": {"x": 1.0, "y": 1.0, "z": 0.5}, "2": {"x": 1.0}},
        "b": {"1": {"z": 3.0, "x": 2.0, "y": 2.0 + 1e-12}},
    }
    qrels = {"1": {"x": 1, "y": 0, "w": 1}, "2": {"x": 1}, "3": {"x": 1}}
    found = read_ranked_runs(qrels, runs)
    expected = evaluate(qrels, runs, MEASURES)
    for name, table in found.evaluate(MEASURES, found.judgments()).items():
        assert table.topics == expected[name].topics == ("1", "2")
        assert np.array_equal(table.values, expected[name].values)


def test_what_cannot_be_used_is_refused(collection: Path, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="qrels='FILE'"):
        run("pools", [str(collection / "runs")], tmp_path / "a")
    one = next((collection / "runs").iterdir())
    with pytest.raises(InputError, match="two runs"):
        run("pools", [str(one)], tmp_path / "b", qrels=str(collection / "qrels.txt"))
    with pytest.raises(InputError, match="no topic in common"):
        read_ranked_runs({"1": {"x": 1}}, {"a": {"9": {"x": 1.0}}})
    for options, message in (
        ({"depths": "0"}, "depths"),
        ({"measures": "AP,map"}, "twice"),
    ):
        with pytest.raises(InputError, match=message):
            run("pools", [str(collection / "runs")], tmp_path / "c", **options)
    for options, message in (
        ({"shares": "0"}, "shares"),
        ({"shares": "0.1,0.1"}, "twice"),
    ):
        with pytest.raises(InputError, match=message):
            run("incomplete", [str(collection / "runs")], tmp_path / "c", **options)


# ── pools ─────────────────────────────────────────────────────────────────────────────────────────


def test_a_pool_is_the_union_of_the_runs_first_documents(collection: Path, tmp_path: Path) -> None:
    """Counted again from the files, and compared by the command's own function."""
    qrels = collection / "qrels.txt"
    found = run(
        "pools",
        [str(collection / "runs")],
        tmp_path / "r",
        workers=1,
        qrels=str(qrels),
        depths="2,60",
        resamples=300,
        seed=4,
    )
    rows = found.frame().set_index("depth")
    judged = read_qrels(qrels)
    pooled: dict[str, set[str]] = {}
    for path in (collection / "runs").iterdir():
        for topic, documents in read_run(path).documents.items():
            order = sorted(documents, key=lambda d, s=documents: (s[d], d), reverse=True)  # type: ignore[misc]
            pooled.setdefault(topic, set()).update(order[:2])
    shallow = {topic: {d: g for d, g in judged[topic].items() if d in pooled[topic]} for topic in judged}
    assert rows.loc[2, "pooled"] == sum(map(len, pooled.values()))
    assert rows.loc[2, "judgments"] == sum(map(len, shallow.values()))
    base = truerank.evaluate(qrels, [collection / "runs"], "AP")
    other = truerank.evaluate(shallow, [collection / "runs"], "AP")
    expected = compare(base, other, resamples=300, seed=4)
    row = rows.loc[2]
    assert row["tau"] == pytest.approx(expected.tau, abs=1e-12)
    assert row["tau_ap"] == pytest.approx(expected.tau_ap, abs=1e-12)
    assert row["distance"] == pytest.approx(expected.distance.distance, abs=1e-9)
    assert row["p"] == pytest.approx(expected.distance.p_value)
    assert row["kept"] == pytest.approx(expected.significant_agreement)
    # The judged documents are the pool of depth 20: from there on nothing is missing.
    assert rows.loc[60, "judgments"] == sum(map(len, judged.values()))
    assert rows.loc[60, ["tau", "distance", "p"]].tolist() == [1, 0, 1]


# ── incomplete ────────────────────────────────────────────────────────────────────────────────────


def test_subsets_keep_the_share_of_each_kind_and_lie_in_each_other() -> None:
    rng = np.random.default_rng(1)
    relevant = np.arange(300) % 3 == 0
    order = rng.permutation(300).astype(np.int32)
    before: set[int] = set()
    for share, good, others in ((0.001, 1, 10), (0.1, 10, 20), (0.5, 50, 100), (1.0, 100, 200)):
        kept = first_of_each(order, relevant, share)
        assert (relevant[kept].sum(), (~relevant[kept]).sum()) == (good, others)
        assert before <= set(kept.tolist())
        before = set(kept.tolist())
    few = first_of_each(np.arange(4, dtype=np.int32), np.array([False, False, True, False]), 0.01)
    assert few.tolist() == [0, 1, 2, 3]


def test_all_judgments_are_the_ranking_itself_and_fewer_are_further(
    judged: RankedRuns, tmp_path: Path
) -> None:
    found = run(
        "incomplete", judged, tmp_path / "r", workers=1, trials=6, shares="0.02,0.4,1", resamples=200, seed=1
    )
    rows = found.frame()
    assert len(rows) == 6 * 3 * 4
    whole = rows[rows["share"] == 1]
    assert (whole["tau"] == 1).all()
    assert (whole["distance"] == 0).all()
    assert (whole["p"] == 1).all()
    means = rows.pivot_table(index="measure", columns="share", values="distance")
    assert (means[0.02] > means[1.0]).all()
    assert means[0.02].mean() > means[0.4].mean()
    shown = frame_of(found, "incomplete").set_index(["measure", "share"])
    some = rows[(rows["measure"] == "AP") & (rows["share"] == 0.02)]
    assert shown.loc[("AP", 0.02), "tau"] == pytest.approx(some["tau"].mean())
    assert shown.loc[("AP", 0.02), "tau_sd"] == pytest.approx(some["tau"].std())
    assert shown.loc[("AP", 0.02), "rejected"] == pytest.approx((some["p"] < 0.05).mean())
    assert frame_of(found, "needed")["distance"].notna().all()


def test_the_share_needed_is_the_least_from_which_all_pass() -> None:
    from truerank.experiments.studies.judged import needed

    rows = [("a", 0.1, 0.95), ("a", 0.2, 0.85), ("a", 0.3, 0.95), ("b", 0.3, 0.9), ("b", 0.1, 0.9)]
    rows += [("c", 0.1, 0.95), ("c", 0.2, 0.85)]
    means = pd.DataFrame(rows, columns=["measure", "share", "tau"]).assign(distance=1.0, critical=0.5, p=0.5)
    found = needed(means)
    assert list(found["tau"])[:2] == [0.3, 0.1]
    assert np.isnan(found["tau"][2])
    assert list(found["p"]) == [0.1] * 3
    assert found["distance"].isna().all()


# ── pseudo-judgments ──────────────────────────────────────────────────────────────────────────────


def test_pseudo_judgments_come_from_the_pool_in_the_right_numbers(judged: RankedRuns) -> None:
    pools = [judged.pool(t, 20) for t in range(len(judged.topics))]
    shares = [
        np.mean([d < len(g) and g[d] > 0 for d in pool.tolist()])
        for pool, g in zip(pools, judged.grades, strict=True)
    ]
    drawn = []
    for seed in range(200):
        for pool, (documents, grades) in zip(pools, pseudo_judgments(judged, 20, seed), strict=True):
            assert np.array_equal(documents, pool)
            assert set(grades.tolist()) == {0, 1}
            drawn.append(grades.mean())
    # 200 draws a topic: standard error of the mean sd/49, of the standard deviation sd/69; and rounding.
    assert np.mean(drawn) == pytest.approx(np.mean(shares), abs=4 * np.std(shares) / 49)
    assert np.std(drawn) == pytest.approx(np.std(shares), rel=4 / 69 + 0.02)


# ── measures ──────────────────────────────────────────────────────────────────────────────────────


def test_measures_are_compared_both_ways_as_compare_does(collection: Path, tmp_path: Path) -> None:
    found = run(
        "measures",
        [str(collection / "runs")],
        tmp_path / "r",
        workers=1,
        seed=2,
        qrels=str(collection / "qrels.txt"),
        measures="AP,P@10,RR",
        resamples=300,
    )
    tables = evaluate(collection / "qrels.txt", [collection / "runs"], ["AP", "P@10", "RR"])
    rows = found.frame().set_index(["reference", "other"])
    assert len(rows) == 6
    for (base, other), row in rows.iterrows():
        expected = compare(tables[base], tables[other], resamples=300, seed=2)
        assert row["tau"] == pytest.approx(expected.tau, abs=1e-12)
        assert row["distance"] == pytest.approx(expected.distance.distance, abs=1e-9)
        assert row["p"] == pytest.approx(expected.distance.p_value)
    printed = frame_of(found, "tau").set_index("measure")
    assert printed.loc["AP", "AP"] == "1"
    assert printed.loc["P@10", "AP"] == ""
    low, high = compare(tables["AP"], tables["RR"], resamples=9).kendall_interval
    written = f"{rows.loc[('AP', 'RR'), 'tau']:.2f} ({low:.2f}, {high:.2f})"
    assert low < 0
    assert printed.loc["AP", "RR"] == written.replace("-", "\N{MINUS SIGN}")
    own = frame_of(found, "references").set_index("reference")
    for (base, other), _ in rows.iterrows():
        assert own.loc[base, "ridge"] == compare(tables[base], tables[other], resamples=9).to_dict()["ridge"]
    daggers = frame_of(found, "distance").set_index("measure")
    for (base, other), row in rows.iterrows():
        assert daggers.loc[base, other].endswith("†") == (row["p"] >= 0.05)
