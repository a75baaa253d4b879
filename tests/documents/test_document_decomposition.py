"""The shared document samples and the decomposition of variance, against known truths."""

from __future__ import annotations

import math

import numpy as np
import pytest
from documents_data import small_collection
from plain_documents import walk_ap, walk_ndcg

from truerank.documents import decomposition
from truerank.documents.collection import read_collection
from truerank.documents.decomposition import (
    DocumentVariance,
    components_and_designs,
    copied_places,
    decompose,
    shared_scores,
)
from truerank.documents.measures import place_measure
from truerank.documents.models import document_model
from truerank.documents.samples import list_scores
from truerank.errors import InputError


def test_copies_against_a_walk_down_the_list() -> None:
    """Repeat each document as often as it is copied, and evaluate that ranking."""
    collection = small_collection(topics=3, systems=2)
    rng = np.random.default_rng(0)
    for t in range(collection.n):
        judged = collection.judged[t]
        levels = np.unique(judged[judged > 0])[::-1]
        copies = rng.poisson(1.0, (20, 40)).astype(np.int32)
        existing = np.stack([copies[:, : len(judged)][:, judged == g].sum(axis=1) for g in levels], axis=1)
        for row in collection.lists:
            documents = row[t]
            places = copied_places(documents, copies.T, levels, existing)
            ap = place_measure("AP").scores(places)
            ndcg = place_measure("nDCG@10").scores(places)
            for i, one in enumerate(copies):
                grades = np.repeat(documents.grades, one[documents.documents])
                unlisted = [d for d in range(len(judged)) if d not in documents.documents]
                missing = np.repeat(judged[unlisted], one[unlisted])
                assert ap[i] == pytest.approx(walk_ap(grades, len(missing)), abs=1e-12)
                assert ndcg[i] == pytest.approx(walk_ndcg(grades, missing, 10), abs=1e-12)


@pytest.mark.parametrize("level", [1, 2])
def test_a_measure_without_grades_scores_alike_with_and_without_them(level: int) -> None:
    """Grades are dropped for speed where nothing reads them; samples stay the same to the last bit."""
    collection, measure = small_collection(topics=3, systems=2), place_measure("AP", level)
    assert collection.graded
    kept, dropped = (collection.at_level(level, graded) for graded in (True, False))
    assert not dropped.graded
    for t in range(collection.n):
        scores = [shared_scores(one, t, measure, 50, 1, np.random.default_rng(t)) for one in (kept, dropped)]
        assert np.array_equal(*scores)
        for row, other in zip(kept.lists, dropped.lists, strict=True):
            sampled = [
                list_scores(documents, measure, document_model("bst"), 50, np.random.default_rng(t))
                for documents in (row[t], other[t])
            ]
            assert np.array_equal(*sampled)


def test_shared_samples_of_two_documents() -> None:
    """P@1 of two systems that rank a relevant and another document in opposite orders, in closed form.

    a, b ~ Poisson(1) copies: the first system has 1 when a > 0, the second when a > 0 and b = 0.
    """
    run = {"one": {"t": {"a": 2.0, "b": 1.0}}, "two": {"t": {"a": 1.0, "b": 2.0}}}
    collection = read_collection({"t": {"a": 1, "b": 0}}, run)
    k = 200_000
    drawn = shared_scores(collection, 0, place_measure("P@1"), k, 1.0, np.random.default_rng(1))
    p = 1 - math.exp(-1)
    q = p * math.exp(-1)
    expected = {(0, 0): p, (1, 1): q, (0, 1): q}  # the second has 1 only where the first has
    for (i, j), probability in expected.items():
        error = math.sqrt(probability * (1 - probability) / k)
        assert np.mean(drawn[i] * drawn[j]) == pytest.approx(probability, abs=5 * error)


@pytest.mark.parametrize("name", ["BLOCK_VALUES", "DRAWN_VALUES"])
def test_shared_samples_do_not_depend_on_how_many_are_drawn_at_a_time(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """But for the rounding of sums. The first samples are also the same however many there are."""
    collection, measure = small_collection(topics=1, systems=2), place_measure("AP")
    drawn = shared_scores(collection, 0, measure, 50, 2, np.random.default_rng(1))
    monkeypatch.setattr(decomposition, name, 300)
    again = shared_scores(collection, 0, measure, 40, 2, np.random.default_rng(1))
    assert again == pytest.approx(drawn[:, :40], abs=1e-14)


def test_components_are_recovered() -> None:
    """Scores made with known variances: the mean estimate over 400 worlds is within 4 standard errors."""
    rng = np.random.default_rng(11)
    n, m, k = 12, 6, 30
    truth = {
        "system": 1.0, "topic": 4.0, "system × topic": 2.0, "documents": 1.5, "system × documents": 0.5
    }  # fmt: skip
    estimates = []
    for _ in range(400):
        sd = {name: math.sqrt(variance) for name, variance in truth.items()}
        clean = (
            sd["system"] * rng.standard_normal(m)
            + sd["topic"] * rng.standard_normal((n, 1))
            + sd["system × topic"] * rng.standard_normal((n, m))
        )

        def documents(shape: tuple[int, ...], sd: dict[str, float] = sd) -> np.ndarray:
            shared = rng.standard_normal((n, 1, *shape)) * sd["documents"]
            return shared + rng.standard_normal((n, m, *shape)) * sd["system × documents"]

        raw = clean + documents(())
        variance = DocumentVariance()
        for scores in documents((k,)) + raw[:, :, None]:
            variance.add(scores)
        components, _ = components_and_designs(raw, variance, variance)
        estimates.append([component.variance for component in components])
    names = [component.source for component in components]
    assert names == list(truth)
    mean, error = np.mean(estimates, axis=0), np.std(estimates, axis=0) / math.sqrt(len(estimates))
    for name, value, margin in zip(names, mean, error, strict=True):
        # Estimates below 0 count as 0, which lifts the mean of the small ones a little.
        assert value == pytest.approx(truth[name], abs=4 * margin + 0.02 * truth[name])


def test_standard_errors_of_designs() -> None:
    """2(σ²_st + σ²_sd)/n, with half of the document part where there are twice the documents."""
    rng = np.random.default_rng(2)
    raw = rng.random((10, 4))
    one, two = DocumentVariance(), DocumentVariance()
    scores = 0.05 * rng.standard_normal((4, 50))
    one.add(scores)
    two.add(scores / math.sqrt(2))
    components, designs = components_and_designs(raw, one, two)
    variance = {component.source: component.variance for component in components}
    error = {design.change: design.standard_error for design in designs}
    st, sd = variance["system × topic"], variance["system × documents"]
    assert error["none"] == pytest.approx(math.sqrt(2 * (st + sd) / 10))
    assert error["twice the topics"] == pytest.approx(error["none"] / math.sqrt(2))
    assert error["twice the documents"] == pytest.approx(math.sqrt(2 * (st + sd / 2) / 10))
    assert error["all documents"] == pytest.approx(math.sqrt(2 * st / 10))
    assert sum(component.share for component in components) == pytest.approx(1)


def test_movements_agree_with_the_components() -> None:
    """Sampling topics moves a difference by its standard error; documents by the document part of it.

    Bootstrap over 40 topics with divisor n: 2% below; pairs differ; 400 samples: 10% in all.
    """
    collection = small_collection(topics=40, systems=5, seed=3)
    result = decompose(collection, place_measure("AP"), samples=400, seed=1)
    variance = {component.source: component.variance for component in result.components}
    moved = {movement.sampled: movement.difference_sd for movement in result.movements}
    assert moved["topics"] == pytest.approx(result.designs[0].standard_error, rel=0.1)
    assert moved["documents"] == pytest.approx(math.sqrt(2 * variance["system × documents"] / 40), rel=0.1)
    assert moved["both"] > moved["topics"] > moved["documents"]
    assert "Twice the topics narrow" in result.advice
    taus = {movement.sampled: movement.tau for movement in result.movements}
    assert taus["documents"] > taus["topics"] > taus["both"] - 0.02


def test_same_seed_same_digits_and_too_little_data() -> None:
    collection = small_collection(topics=6)
    ap = place_measure("AP")
    first, again = (decompose(collection, ap, samples=20, seed=4) for _ in range(2))
    assert first == again
    assert decompose(collection, ap, samples=20, seed=5) != first
    with pytest.raises(InputError, match="two systems"):
        decompose(collection.select([0]), ap)
