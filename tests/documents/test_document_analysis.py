"""`analyze` as a whole: reading, notes, JSON, seeds, odd collections."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pytest
from documents_data import small_collection

from truerank.documents import DocumentAnalyses, DocumentAnalysis, analyze
from truerank.documents.analysis import analyze_collection
from truerank.documents.collection import DocumentCollection, read_collection
from truerank.documents.measures import place_measure
from truerank.errors import InputError, UnknownNameError


def write_run(path: Path, run: dict[str, list[tuple[str, float]]], ranks_from_end: bool = False) -> None:
    lines = []
    for topic, documents in run.items():
        for i, (document, score) in enumerate(documents):
            rank = len(documents) - i if ranks_from_end else i
            lines.append(f"{topic} Q0 {document} {rank} {score} {path.stem}\n")
    path.write_text("".join(lines), encoding="utf-8")


@pytest.fixture
def files(tmp_path: Path) -> tuple[Path, list[Path]]:
    """Three runs: plain, with ties and ranks against its scores, and short with a topic missing."""
    rng = np.random.default_rng(3)
    qrels = tmp_path / "qrels.gz"
    judged = {t: [f"d{i}" for i in range(0, 40, 4)] for t in "abcdef"}
    text = "".join(f"{t} 0 {d} 1\n" for t, documents in judged.items() for d in documents)
    qrels.write_bytes(gzip.compress((text + "zz 0 d0 1\n").encode()))
    runs = []
    for name in ("good", "tied", "short"):
        run = {}
        for topic in "abcdef":
            score = {f"d{i}": rng.normal() + (i % 4 == 0) for i in range(40)}
            if name == "tied":
                score = {d: round(s) for d, s in score.items()}
            ranked = sorted(score.items(), key=lambda item: -item[1])
            run[topic] = ranked[:15] if name == "short" else ranked
        if name == "short":
            del run["f"]
            run["e"] = [("x1", 2.0), ("x2", 1.0)]
        path = tmp_path / f"{name}.txt"
        write_run(path, run, ranks_from_end=name == "tied")
        runs.append(path)
    return qrels, runs


def test_odd_runs_are_defined_and_reported(files: tuple[Path, list[Path]]) -> None:
    result = analyze(*files, "AP", "kde", samples=50)
    notes = "\n".join(result.warnings)
    assert result.scores.topics == tuple("abcdef")
    assert "2 of 18 lists (system and topic) without relevant documents" in notes
    assert "never list as many documents" in notes
    assert "short" in notes
    assert "tied scores" in notes
    assert "contradict" in notes
    short = result.scores.systems.index("short")
    assert result.topic_means[4:, short].tolist() == [0, 0]
    assert np.isfinite(result.topic_means).all()


def test_systems_without_noise_never_move() -> None:
    """Lists of relevant documents only, and lists without any: every sample is the raw collection."""
    qrels = {t: {f"d{i}": 1 for i in range(6)} for t in "abc"}
    full = {t: {f"d{i}": 6.0 - i for i in range(6)} for t in qrels}
    none = {t: {f"x{i}": 6.0 - i for i in range(6)} for t in qrels}
    result = analyze(qrels, {"full": full, "none": none}, samples=30)
    assert result.krcc == 1
    assert result.spread.wrong_order.mean == 0
    assert result.ranking[0].sampled_sd == 0


def test_a_model_that_does_not_fit_is_reported() -> None:
    """Scores that are only ranks: one bandwidth for a list whose relevant documents crowd the top."""
    n = 400
    qrels = {t: {f"d{i:03d}": int(i in (0, 1, 3, 6, 60, 200)) for i in range(n)} for t in "abcd"}
    ranks = {t: {f"d{i:03d}": float(n - i) for i in range(n)} for t in qrels}
    steep = {t: {d: 2.0 ** (s / 40) for d, s in run.items()} for t, run in ranks.items()}
    other = {t: {d: -s for d, s in run.items()} for t, run in ranks.items()}
    runs = {"ranks": ranks, "steep": steep, "other": other}
    kde = analyze(qrels, runs, "AP", "kde", samples=60)
    assert kde.warnings[0].startswith("the model kde does not fit")
    assert "ranks 0." in kde.warnings[0]
    bst_ = analyze(qrels, runs, "AP", "bst", samples=60)
    ranked, same = (next(s for s in bst_.ranking if s.system == name) for name in ("ranks", "steep"))
    assert abs(ranked.sampled_mean - ranked.mean) < abs(
        kde.ranking[kde.scores.systems.index("ranks")].sampled_mean - ranked.mean
    )
    assert ranked.mean == same.mean


def test_wrong_use() -> None:
    collection = small_collection(topics=4)
    ap = place_measure("AP")
    with pytest.raises(UnknownNameError, match="did you mean 'kde'"):
        analyze_collection(collection, ap, "kd")
    for options, message in (
        ({"level": 95}, "write 0.95"),
        ({"samples": 1}, "two samples"),
        ({"seed": -1}, "seed"),
    ):
        with pytest.raises(InputError, match=message):
            analyze_collection(collection, ap, **options)
    with pytest.raises(InputError, match="only one system"):
        analyze_collection(collection.select([0]), ap)
    with pytest.raises(InputError, match="no topic in common"):
        read_collection({"1": {"d": 1}}, {"run": {"2": {"d": 1.0}}})
    with pytest.raises(InputError, match="no runs"):
        read_collection({"1": {"d": 1}}, [])
    with pytest.raises(UnknownNameError, match="unknown way to name runs"):
        read_collection({"1": {"d": 1}}, {"run": {"1": {"d": 1.0}}}, names="title")


def analysed(collection: DocumentCollection, *models: str) -> DocumentAnalyses:
    ap = place_measure("AP")
    found = [analyze_collection(collection, ap, model, samples=80, seed=4) for model in models]
    return DocumentAnalyses(tuple(found))


@pytest.fixture(scope="module")
def both() -> DocumentAnalyses:
    return analysed(small_collection(), "shared", "kde")


@pytest.fixture(scope="module")
def one(both: DocumentAnalyses) -> DocumentAnalysis:
    return both.analyses[0]


def test_every_table_holds_the_numbers_of_the_json(one: DocumentAnalysis) -> None:
    found = one.to_dict()
    summaries = one.to_frame().set_index("summary")
    assert summaries.loc["KRCC: mean τ", "value"] == found["krcc"]
    assert summaries.loc["KRCC: mean τ", ["sample_low", "sample_high"]].tolist() == [
        found["spread"]["tau"][end] for end in ("low", "high")
    ]
    bins = one.to_frame("error_rates")
    assert len(bins) == len(found["error_rate"]) == 21
    assert np.isinf(bins["to"].iloc[-1])
    assert found["error_rate"][-1]["high"] is None
    pairs = one.scores.m * (one.scores.m - 1) // 2
    assert bins["pairs"].sum() == one.settings.samples * pairs  # no sampled difference is 0 here
    systems = one.to_frame("systems")
    assert systems["sampled_mean"].tolist() == [s["sampled_mean"] for s in found["ranking"]]
    topics = one.to_frame("topics")
    assert topics["score"].tolist() == one.scores.values.ravel().tolist()


def test_several_models_are_one_table_which_says_from_where_on_pairs_keep_their_order(
    both: DocumentAnalyses, one: DocumentAnalysis
) -> None:
    bins = both.to_frame("error_rates")
    assert list(bins["model"].unique()) == ["shared", "kde"]
    assert bins[bins["model"] == "shared"]["pairs"].tolist() == [one_bin.count for one_bin in one.error_rate]
    text = " ".join(str(both.to_markdown()).split())
    for model, rows in bins.groupby("model"):
        kept = rows[rows["from"] > rows[rows["error_rate"] > 0]["from"].max()]
        if len(kept):
            assert f"By {model}, pairs that differ by {kept['from'].min():.2f} or more keep" in text


def test_in_a_browser_the_page_never_scrolls_sideways(opened, both) -> None:
    assert opened(both.to_html(), width=320).evaluate("document.documentElement.scrollWidth") <= 320
