"""The experiment on document samples: against the command's own analysis, and against plain loops."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truerank.documents.analysis import analyze_collection
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.measures import place_measure
from truerank.documents.summaries import replicate_weights
from truerank.errors import InputError, TruerankError, UnknownNameError
from truerank.experiments import run, show
from truerank.experiments.studies.documents import estimated_difference, significance_levels
from truerank.numerics.pairs import absolute_t_of_samples, critical_t
from truerank.report.outputs.data import frame

TOPICS, SYSTEMS = 9, 4
SETTINGS = {"samples": 70, "rank_samples": 40}


@pytest.fixture(scope="session")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Binary qrels and a folder of runs of falling quality."""
    folder = tmp_path_factory.mktemp("collection")
    rng = np.random.default_rng(8)
    (folder / "runs").mkdir()
    judged = [f"{t} 0 d{i} {int(i % 6 == 0)}\n" for t in range(1, TOPICS + 1) for i in range(40)]
    (folder / "qrels.txt").write_text("".join(judged))
    for s in range(SYSTEMS):
        lines = [
            f"{t} Q0 d{i} 0 {rng.normal() + (1.5 - 0.3 * s) * (i % 6 == 0):.5f} s{s}\n"
            for t in range(1, TOPICS + 1)
            for i in range(40)
        ]
        (folder / "runs" / f"s{s}").write_text("".join(lines))
    return folder


@pytest.fixture(scope="session")
def collection(files: Path) -> DocumentCollection:
    """The same, read."""
    return read_collection(files / "qrels.txt", files / "runs")


@pytest.fixture(autouse=True)
def _small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.documents.samples.CHUNK", 30)


@pytest.fixture
def go(files: Path, tmp_path: Path) -> Callable[..., Any]:
    """Runs it on the files, in this process."""

    def start(folder: str = "found", **options: Any) -> Any:
        given = {"qrels": str(files / "qrels.txt"), "seed": 3, "workers": 1} | SETTINGS | options
        return run("documents", [str(files / "runs")], tmp_path / folder, **given)

    return start


def frame_of(found: Any, name: str) -> Any:
    return next(frame(table) for table in found.findings.tables if table.name == name)


def test_digits_are_those_of_the_command(go: Any, collection: DocumentCollection) -> None:
    found = go(measures="AP,P@5")
    assert found.total == 3 * 2 * 2
    rows = frame_of(found, "table-1").set_index(["measure", "model"])
    bins = frame_of(found, "bins").set_index(["measure", "model"])
    systems = frame_of(found, "systems").set_index(["measure", "model"])
    for measure in ("AP", "P@5"):
        for model in ("bst", "kde"):
            expected = analyze_collection(collection, place_measure(measure), model, seed=3, **SETTINGS)
            row = rows.loc[(measure, model)]
            assert row["krcc"] == pytest.approx(expected.krcc, rel=1e-9)
            of_bins = bins.loc[(measure, model)]
            assert of_bins["count"].tolist() == [b.count for b in expected.error_rate]
            assert of_bins["errors"].tolist() == [b.errors for b in expected.error_rate]
            of_systems = systems.loc[(measure, model)]
            assert of_systems["system"].tolist() == [s.system for s in expected.ranking]
            assert of_systems["sampled"].tolist() == pytest.approx([s.sampled_mean for s in expected.ranking])


def test_summaries_follow_from_the_stored_rows(go: Any) -> None:
    """Algorithms 1 to 4 again, in loops over what the tasks stored."""
    found = go(models="bst")
    systems, samples = found.frame("systems"), found.frame("samples")
    raw = np.stack(systems.loc[systems["chunk"] == 0, "raw"])
    means, t = np.stack(samples["means"]), np.stack(samples["t"])
    assert means.shape == (70, SYSTEMS)
    pairs = [(i, j) for i in range(SYSTEMS) for j in range(i + 1, SYSTEMS)]
    one = frame_of(found, "table-1").iloc[0]
    taus = [stats.kendalltau(raw.mean(axis=1), sample).statistic for sample in means[:40]]
    assert one["krcc"] == pytest.approx(np.mean(taus))
    limit = stats.t.ppf(0.975, TOPICS - 1)
    asl = [np.mean([sample[p] > limit for sample in t]) for p in range(len(pairs))]
    assert one["pct"] == pytest.approx(np.mean([share < 0.05 for share in asl]))
    assert one["asl_0.95"] == pytest.approx(np.mean([share >= 0.95 for share in asl]))
    significant = [stats.ttest_rel(raw[i], raw[j]).pvalue < 0.05 for i, j in pairs]
    assert one["raw"] == pytest.approx(np.mean(significant))
    fourth = []
    for p, (i, j) in enumerate(pairs):
        gaps = np.abs(means[:, i] - means[:, j])
        fourth.append(gaps[np.argsort(t[:, p])[-4]])
    assert one["ed"] == pytest.approx(max(fourth))  # ⌈0.05 · 70⌉ = 4
    counts, errors = np.zeros(21, int), np.zeros(21, int)
    for sample in means:
        for i, j in pairs:
            d = sample[i] - sample[j]
            counts[min(int(abs(d) * 100), 20)] += 1
            errors[min(int(abs(d) * 100), 20)] += d * (raw[i].mean() - raw[j].mean()) < 0
    bins = frame_of(found, "bins")
    assert bins["count"].tolist() == counts.tolist()
    assert bins["errors"].tolist() == errors.tolist()


def test_it_goes_on_where_it_ended_and_shows_what_is_there(
    go: Any, collection: DocumentCollection, tmp_path: Path
) -> None:
    whole = go()
    expected = {t.name: frame(t).to_csv() for t in whole.findings.tables}
    for lost in sorted((tmp_path / "found" / "rows").glob("*.parquet"))[3:]:
        lost.unlink()
    # Left are both first chunks, and the second of bst.
    partial = show(tmp_path / "found")
    for model, samples in (("bst", 60), ("kde", 30)):
        so_far = analyze_collection(
            collection, place_measure("AP"), model, seed=3, samples=samples, rank_samples=40
        )
        row = frame_of(partial, "table-1").set_index("model").loc[model]
        assert row["krcc"] == pytest.approx(so_far.krcc, rel=1e-9)
    assert {t.name: frame(t).to_csv() for t in go().findings.tables} == expected


@pytest.mark.parametrize(
    ("options", "kind", "message"),
    [
        ({"qrels": ""}, InputError, "qrels='FILE'"),
        ({"models": "bst,kd"}, UnknownNameError, "did you mean 'kde'"),
        ({"measures": "AP,map"}, InputError, "measures names something twice: AP,map"),
        ({"measures": "ERR@10"}, InputError, "not known for documents"),
        ({"system": "s9"}, UnknownNameError, "unknown system"),
        ({"alpha": 3}, InputError, "alpha must be between 0 and 1"),
    ],
)
def test_wrong_use(go: Any, options: dict[str, Any], kind: type[TruerankError], message: str) -> None:
    with pytest.raises(kind, match=message):
        go(**options)


def test_other_data_and_grades_are_refused(go: Any, files: Path, tmp_path: Path) -> None:
    go(models="bst")
    graded = tmp_path / "graded.txt"
    graded.write_text((files / "qrels.txt").read_text().replace("d6 1", "d6 2"))
    with pytest.raises(InputError, match="use the model shared or bst"):
        go("other", qrels=str(graded), measures="nDCG@5")
    same_name = tmp_path / "again" / "qrels.txt"
    same_name.parent.mkdir()
    same_name.write_text(graded.read_text())
    with pytest.raises(InputError, match="this folder holds a run with qrels"):
        go(models="bst", qrels=str(same_name))


@pytest.fixture(scope="module")
def drawn() -> tuple[np.ndarray, np.ndarray]:
    """Raw scores n × m in ranking order, and 300 samples, k × n × m."""
    rng = np.random.default_rng(5)
    raw = rng.uniform(0.2, 0.5, (12, 1)) + np.array([0.06, 0.04, 0.03, 0.0]) + rng.normal(0, 0.05, (12, 4))
    return raw, raw + rng.normal(0, 0.06, (300, 12, 4))


def test_asl_is_algorithm_3(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    raw, scores = drawn
    n = len(raw)
    weights = replicate_weights(len(scores), np.random.default_rng(0))
    result = significance_levels(
        absolute_t_of_samples(raw[None])[0], absolute_t_of_samples(scores), n, 0.05, weights, 0.95
    )
    below, above, mean, here = result
    levels = []
    raw_significant = []
    for i, j in itertools.combinations(range(raw.shape[1]), 2):
        p = [stats.ttest_rel(x[:, i], x[:, j]).pvalue for x in scores]
        levels.append(np.mean(np.array(p) < 0.05))
        raw_significant.append(stats.ttest_rel(raw[:, i], raw[:, j]).pvalue < 0.05)
    found = np.round(np.array(levels) * len(scores)).astype(int)  # of 300: 15 are 5%, and 285 are 95%
    assert below.value == pytest.approx(np.mean(found < 15))
    assert above.value == pytest.approx(np.mean(found >= 285))
    assert mean.value == pytest.approx(np.mean(levels))
    assert here.value == pytest.approx(np.mean(raw_significant))
    assert critical_t(0.05, n) == pytest.approx(stats.t.ppf(0.975, n - 1))
    # The mean ASL's Monte Carlo error is that of the samples' shares of significant pairs.
    share = np.mean(absolute_t_of_samples(scores) > critical_t(0.05, n), axis=1)
    width = 2 * 1.96 * share.std() / math.sqrt(len(share))
    assert mean.interval.high - mean.interval.low == pytest.approx(width, rel=0.2)


@pytest.mark.parametrize("alpha", [0.05, 0.07, 0.051])
def test_ed_is_algorithm_4(drawn: tuple[np.ndarray, np.ndarray], alpha: float) -> None:
    _, scores = drawn
    means, t = scores.mean(axis=1), absolute_t_of_samples(scores)
    rank = {0.05: 15, 0.07: 21, 0.051: 16}[alpha]  # ⌈α·300⌉
    expected = []
    for pair, (i, j) in enumerate(itertools.combinations(range(means.shape[1]), 2)):
        by_t = sorted(zip(t[:, pair], np.abs(means[:, i] - means[:, j]), strict=True), reverse=True)
        expected.append(by_t[rank - 1][1])
    weights = replicate_weights(len(means), np.random.default_rng(0))
    result = estimated_difference(means, t, alpha, weights, 0.95)
    assert result.value == pytest.approx(max(expected), rel=1e-12)


def test_ed_replicates_are_those_of_resampled_samples(drawn: tuple[np.ndarray, np.ndarray]) -> None:
    """The short cut through weights gives what resampling and sorting the samples gives."""
    _, scores = drawn
    means, t = scores.mean(axis=1)[:, :2], absolute_t_of_samples(scores)[:, :1]
    weights = replicate_weights(len(means), np.random.default_rng(0), 50)
    result = estimated_difference(means, t, 0.05, weights, 0.9)
    interval = result.interval
    plain = []
    for row in weights.astype(int):
        again = np.repeat(np.arange(len(means)), row)
        by_t = sorted(zip(t[again, 0], np.abs(means[again, 0] - means[again, 1]), strict=True), reverse=True)
        plain.append(by_t[14][1])
    assert (interval.low, interval.high) == pytest.approx(tuple(np.quantile(plain, [0.05, 0.95])))
