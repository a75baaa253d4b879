"""Documents that all systems share, against collections whose documents are copied one by one."""

from __future__ import annotations

import math

import numpy as np
import pytest
from documents_data import small_collection
from plain_documents import walk_ndcg

from truerank.documents import analyze
from truerank.documents.measures import place_measure
from truerank.documents.samples import shared_scores

Ranked = dict[str, dict[str, list[str]]]  # the documents of each run and topic, best first


def copied_means(
    ranked: Ranked, grades: dict[str, dict[str, int]], samples: int, seed: int, measure: str = "AP"
) -> np.ndarray:
    """Means of all systems, samples × m: every list is written out with its copies."""
    rng = np.random.default_rng(seed)
    total = np.zeros((samples, len(ranked)))
    for topic, judged in grades.items():
        lists = [run.get(topic, []) for run in ranked.values()]
        pool = sorted({*judged, *(document for documents in lists for document in documents)})
        place = {document: i for i, document in enumerate(pool)}
        grade = np.array([judged.get(document, 0) for document in pool])
        at = [np.array([place[document] for document in documents], dtype=int) for documents in lists]
        for row in total:
            copies = rng.poisson(1.0, len(pool))
            every = np.repeat(grade, copies)
            for s, own in enumerate(at):
                found = np.repeat(grade[own], copies[own])
                if measure == "AP":
                    at_relevant = np.flatnonzero(found) + 1.0
                    precisions = np.arange(1, len(at_relevant) + 1) / at_relevant
                    row[s] += precisions.sum() / max(np.count_nonzero(every), 1)
                else:
                    row[s] += walk_ndcg(found, np.repeat(np.delete(grade, own), np.delete(copies, own)), 10)
    return total / len(grades)


def wrong_shares(raw: np.ndarray, means: np.ndarray) -> np.ndarray:
    """In each sample the share of pairs whose order is the opposite of the raw one."""
    pairs = [(i, j) for i in range(len(raw)) for j in range(i)]
    return np.mean([(raw[i] - raw[j]) * (means[:, i] - means[:, j]) < 0 for i, j in pairs], axis=0)


@pytest.mark.parametrize("measure", ["AP", "nDCG@10"])
def test_a_tiny_case_against_copies_of_documents(measure: str) -> None:
    rng = np.random.default_rng(4)
    topics, documents = "abcd", [f"d{i}" for i in range(9)]
    grades = {t: {d: int(rng.integers(0, 3)) for d in [*documents, "unlisted"]} for t in topics}
    ranked: Ranked = {
        f"s{s}": {t: [str(d) for d in rng.permutation(documents)[: 9 - s]] for t in topics} for s in range(4)
    }
    runs = {
        s: {t: {d: float(-i) for i, d in enumerate(of_topic)} for t, of_topic in run.items()}
        for s, run in ranked.items()
    }
    found = analyze(grades, runs, measure, samples=10_000, seed=1)
    plain = copied_means(ranked, grades, 1_000, 2, measure)
    raw = {one.system: one.mean for one in found.ranking}
    for one in found.ranking:
        own = plain[:, list(ranked).index(one.system)]
        assert one.sampled_mean == pytest.approx(own.mean(), abs=4 * own.std() / math.sqrt(len(own)))
        assert one.sampled_sd == pytest.approx(own.std(), rel=0.11)  # 5 standard errors of an sd
    wrong = wrong_shares(np.array([raw[s] for s in ranked]), plain)
    error = wrong.std() / math.sqrt(len(wrong))
    assert found.spread.wrong_order.mean == pytest.approx(wrong.mean(), abs=5 * error)
    # Drawn for each system by itself, more pairs are swapped.
    assert (
        analyze(grades, runs, measure, "bst", samples=2_000).spread.wrong_order.mean
        > found.spread.wrong_order.mean + 5 * error
    )


def test_what_one_system_finds_later_never_beats_it_in_a_shared_collection() -> None:
    """P@1 of two systems that rank a relevant and another document in opposite orders, in closed form.

    a, b ~ Poisson(1) copies: the first system has 1 when a > 0, the second when a > 0 and b = 0.
    """
    grades = {"t": {"a": 1, "b": 0}}
    runs = {"one": {"t": {"a": 2.0, "b": 1.0}}, "two": {"t": {"a": 1.0, "b": 2.0}}}
    thrice = {s: dict.fromkeys("tuv", run["t"]) for s, run in runs.items()}
    found = analyze(dict.fromkeys("tuv", grades["t"]), thrice, "P@1", samples=20_000)
    p = 1 - math.exp(-1)
    for one, expected in zip(found.ranking, (p, p * math.exp(-1)), strict=True):
        sd = math.sqrt(expected * (1 - expected) / 3)
        assert one.sampled_mean == pytest.approx(expected, abs=5 * sd / math.sqrt(20_000))
        assert one.sampled_sd == pytest.approx(sd, rel=0.03)
    assert found.spread.wrong_order.mean == 0


@pytest.mark.parametrize("level", [1, 2])
def test_a_measure_without_grades_scores_alike_with_and_without_them(level: int) -> None:
    """Grades are dropped for speed where nothing reads them; samples stay the same."""
    collection, measure = small_collection(topics=3, systems=2), place_measure("AP", level)
    assert collection.graded
    kept, dropped = (collection.at_level(level, graded) for graded in (True, False))
    for t in range(collection.n):
        scores = [shared_scores(one, t, measure, 50, np.random.default_rng(t)) for one in (kept, dropped)]
        assert scores[0] == pytest.approx(scores[1], rel=1e-12)


def test_topics_without_a_relevant_document_left_are_named() -> None:
    """One relevant document has no copy in 37% of the samples, where every system scores 0."""
    grades = {t: {"a": 1} for t in "tuv"}
    runs = {
        s: {t: {"a": 9.0, **{f"{s}{i}": float(10 * above - i) for i in range(3)}} for t in grades}
        for s, above in (("one", 0), ("two", 1))
    }
    found = analyze(grades, runs, "RR", samples=4_000)
    assert found.ranking[0].sampled_mean == pytest.approx(1 - math.exp(-1), abs=0.02)
    assert found.warnings[0].startswith("the model shared does not fit")
    assert "few relevant documents" in found.warnings[0]
