"""Document samples against enumeration and closed forms, and measures from places against ir_measures."""

from __future__ import annotations

import itertools
import math

import ir_measures
import numpy as np
import pytest
from documents_data import list_of, random_list, small_collection
from hypothesis import given
from hypothesis import strategies as st
from plain_documents import draw_ranking, walk_ap, walk_ndcg
from scipy import stats

from truerank.documents.collection import read_collection
from truerank.documents.measures import place_measure
from truerank.documents.models import bandwidth, document_model, share_above
from truerank.documents.samples import list_scores, observed_places, raw_scores, sampled_counts
from truerank.errors import InputError, UnknownNameError

AP = place_measure("AP")


def poisson_capped(mean: float, most: int) -> list[float]:
    """P(min(Poisson(mean), most) = 0 … most)."""
    return [stats.poisson.pmf(i, mean) for i in range(most)] + [stats.poisson.sf(most - 1, mean)]


def enumerated_ap(grades: list[int], missing: int) -> dict[float, float]:
    """AP → probability under bst for a short list: every draw of every r*, sorted by place."""
    n = len(grades)
    relevant = [i for i in range(n) if grades[i]]
    others = [i for i in range(n) if not grades[i]]
    counts = poisson_capped(len(relevant), n) if others else [0.0] * n + [1.0]
    distribution: dict[float, float] = {}
    for r, probability in enumerate(counts):
        draws = list(itertools.product(*([relevant] * r + [others] * (n - r))))
        for draw in draws:
            ranking = np.array([grades[i] for i in sorted(draw)])
            ap = round(walk_ap(ranking, missing), 12)
            distribution[ap] = distribution.get(ap, 0.0) + probability / len(draws)
    return distribution


@pytest.mark.parametrize(
    ("grades", "missing"),
    [([0, 1, 0], 0), ([0, 1, 1], 1), ([1, 1, 1], 2), ([0, 0, 1, 0, 1], 1)],
)
def test_ap_distribution_is_the_enumerated_one(grades: list[int], missing: int) -> None:
    """Of 40,000 samples, each value as often as every possible draw says, to five standard errors."""
    documents = list_of([9 - i for i in range(len(grades))], grades, [1] * missing)
    expected = enumerated_ap(grades, missing)
    assert sum(expected.values()) == pytest.approx(1, abs=1e-12)
    k = 40_000
    drawn = list_scores(documents, AP, document_model("bst"), k, np.random.default_rng(3))
    values, counts = np.unique(np.round(drawn, 12), return_counts=True)
    assert set(values) <= set(expected)
    observed = dict(zip(values.tolist(), counts.tolist(), strict=True))
    for ap, p in expected.items():
        assert abs(observed.get(ap, 0) - k * p) <= 5 * math.sqrt(k * p * (1 - p)) + 1e-6


def test_number_of_relevant_documents_is_poisson_and_capped() -> None:
    documents = list_of(list(range(12)), [1] * 8 + [0] * 4)
    drawn = sampled_counts(documents, 200_000, np.random.default_rng(1))
    expected = np.array(poisson_capped(8, 12))
    shares = np.bincount(drawn, minlength=13) / len(drawn)
    # Five standard errors of a share.
    assert np.all(np.abs(shares - expected) < 5 * np.sqrt(expected * (1 - expected) / len(drawn)) + 1e-9)


@pytest.mark.parametrize(("model", "seed"), [("bst", 1), ("kde", 2)])
def test_fast_and_plain_agree(model: str, seed: int) -> None:
    """Two-sample Kolmogorov–Smirnov and mean, 3,000 plain and 60,000 fast samples."""
    rng = np.random.default_rng(seed)
    documents = random_list(rng)
    plain = [walk_ap(draw_ranking(documents, model, rng), len(documents.missing)) for _ in range(3_000)]
    fast = list_scores(documents, AP, document_model(model), 60_000, rng)
    assert stats.ks_2samp(plain, fast).pvalue > 1e-3
    error = np.std(plain) * math.sqrt(1 / len(plain) + 1 / len(fast))
    assert abs(np.mean(plain) - fast.mean()) < 4 * error


def test_fast_and_plain_agree_on_graded_ndcg() -> None:
    rng = np.random.default_rng(8)
    documents = random_list(rng, n=25, r=8)
    plain = [walk_ndcg(draw_ranking(documents, "bst", rng), documents.missing, 10) for _ in range(4_000)]
    fast = list_scores(documents, place_measure("nDCG@10"), document_model("bst"), 60_000, rng)
    assert stats.ks_2samp(plain, fast).pvalue > 1e-3
    error = np.std(plain) * math.sqrt(1 / len(plain) + 1 / len(fast))
    assert abs(np.mean(plain) - fast.mean()) < 4 * error


def test_precision_is_binomial_where_scores_do_not_tell() -> None:
    """Relevant and other scores of one distribution, all places alike: P@k is a share of k draws.

    With r* relevant documents among N placed at random, the number in the first k is hypergeometric;
    over r* ~ Poisson(r) capped at N that is a mixture, and binomial(k, r/N) when r* is binomial.
    Both kde fits are made equal by giving both sets the same scores.
    """
    scores = np.repeat(np.linspace(0, 1, 50), 2)
    documents = list_of(scores.tolist(), [0, 1] * 50)
    n, r, k = 100, 50, 10
    k_samples = 40_000
    drawn = list_scores(
        documents, place_measure("P@10"), document_model("kde"), k_samples, np.random.default_rng(4)
    )
    found = np.round(drawn * k).astype(int)
    counts = poisson_capped(r, n)
    mixture = sum(p * stats.hypergeom.pmf(np.arange(k + 1), n, x, k) for x, p in enumerate(counts))
    assert stats.chisquare(np.bincount(found, minlength=k + 1), mixture * k_samples).pvalue > 1e-4
    # The binomial itself: its mean exactly, its variance up to that of r*/N about the binomial's.
    assert found.mean() == pytest.approx(k * r / n, abs=4 * found.std() / math.sqrt(k_samples))
    given_binomial = [stats.binom.pmf(x, n, r / n) for x in range(n + 1)]
    thinned = sum(p * stats.hypergeom.pmf(np.arange(k + 1), n, x, k) for x, p in enumerate(given_binomial))
    np.testing.assert_allclose(thinned, stats.binom.pmf(np.arange(k + 1), k, r / n), atol=1e-12)


def test_models_recover_score_quantiles() -> None:
    """Keys are shares above: those of relevant draws have the quantiles of the model's distribution."""
    rng = np.random.default_rng(2)
    documents = random_list(rng, n=200, r=40)
    relevant = np.sort(documents.scores[documents.relevant])
    others = documents.scores[documents.grades == 0]
    levels = np.array([0.05, 0.25, 0.5, 0.75, 0.95])
    # kde: scores drawn by scipy's own kernel density estimate, with the same default bandwidth rule.
    density = stats.gaussian_kde(relevant)
    keys = document_model("kde").fit(documents).draw(100_000, rng)
    above = stats.gaussian_kde(others)
    for level, key in zip(levels, np.quantile(keys, levels), strict=True):
        # The key at this level is the share above of the score at the opposite quantile.
        score = _quantile(density, 1 - level)
        share = above.integrate_box_1d(score, np.inf)
        slope = above(score)[0] / density(score)[0]
        assert key == pytest.approx(share, abs=5 * slope * math.sqrt(level * (1 - level) / 100_000) + 1e-6)
    # bst: each relevant document equally often.
    drawn = document_model("bst").fit(documents).draw(100_000, rng)
    assert stats.chisquare(np.bincount(drawn, minlength=40)).pvalue > 1e-4


def _quantile(density: stats.gaussian_kde, level: float) -> float:
    from scipy.optimize import brentq

    return brentq(lambda x: density.integrate_box_1d(-np.inf, x) - level, -20, 20)


@pytest.mark.parametrize("kind", ["heavy", "two", "lumps"])
def test_table_of_the_distribution_function(kind: str) -> None:
    """The tabulated share above is within the stated 1e-6 of the exact mean of normal tails."""
    rng = np.random.default_rng(6)
    scores = {
        "heavy": rng.standard_t(1.2, 1000),
        "two": np.array([0.2, 0.9]),
        "lumps": rng.integers(0, 3, 300) + 0.0,
    }[kind]
    h = bandwidth(scores)
    assert h == pytest.approx(float(np.sqrt(stats.gaussian_kde(scores).covariance[0, 0])), rel=1e-12)
    at = np.concatenate([np.linspace(scores.min() - 9 * h, scores.max() + 9 * h, 5000), [-1e9, 1e9]])
    exact = stats.norm.sf((at[:, None] - scores) / h).mean(axis=1)
    np.testing.assert_allclose(share_above(scores)(at), exact, atol=1e-6)


def test_scores_only_matter_up_to_unit_and_origin() -> None:
    """Huge, tiny and negative scores: the same samples, to rounding."""
    rng = np.random.default_rng(7)
    base = random_list(rng)
    ordered = base.scores.tolist()
    grades = base.grades.tolist()
    same = [
        list_of([a * x + b for x in ordered], grades, base.missing.tolist())
        for a, b in ((1.0, 0.0), (1e-9, 0.0), (1e6, -1e7), (1e30, 0.0))
    ]
    means = [
        list_scores(one, AP, document_model("kde"), 4_000, np.random.default_rng(1)).mean() for one in same
    ]
    np.testing.assert_allclose(means, means[0], rtol=1e-6)


def test_equal_scores_fall_back_to_the_documents_themselves() -> None:
    """No spread anywhere: kde draws what bst draws, ties by document id, descending."""
    documents = list_of([1.0] * 6, [0, 1, 0, 0, 1, 0])
    np.testing.assert_array_equal(documents.relevant, [1, 4])  # d0004 before d0001
    drawn = [
        list_scores(documents, AP, document_model(model), 1_000, np.random.default_rng(1))
        for model in ("bst", "kde")
    ]
    np.testing.assert_array_equal(drawn[0], drawn[1])


MEASURES = ["AP", "AP(rel=2)", "AP@20", "P@10", "P(rel=2)@5", "Rprec", "RR", "nDCG", "nDCG@10", "R@15"]

score = st.one_of(
    st.integers(-3, 3).map(float),
    st.floats(-10, 10, width=32),
    st.sampled_from([1 + 1e-9, 1e38, 1e300, -1e300, 1e-40]),
)
topic = st.fixed_dictionaries(
    {
        "run": st.dictionaries(st.sampled_from("abcdefghijklé"), score, max_size=12),
        "qrels": st.dictionaries(st.sampled_from("abcdefghijklé"), st.integers(-1, 3), min_size=1),
    }
)


@given(st.lists(topic, min_size=1, max_size=3))
def test_raw_scores_are_those_of_ir_measures(topics: list[dict[str, dict[str, float]]]) -> None:
    """Ties, scores beyond 32 bits, negative grades, topics without documents or relevant ones."""
    qrels = {f"t{i}": t["qrels"] for i, t in enumerate(topics)}
    run = {f"t{i}": t["run"] for i, t in enumerate(topics) if t["run"]}
    if not run:
        return
    collection = read_collection(qrels, {"run": run})
    for name in MEASURES:
        ours = raw_scores(collection, place_measure(name))
        assert ours.measure == str(ir_measures.parse_measure(name))
        theirs = ir_measures.iter_calc([ir_measures.parse_measure(name)], qrels, run)
        expected = {metric.query_id: metric.value for metric in theirs}
        for t, value in zip(ours.topics, ours.values[:, 0], strict=True):
            assert value == pytest.approx(expected[t], abs=1e-12), name


@pytest.mark.parametrize("seed", range(2))
def test_against_a_walk_down_the_list(seed: int) -> None:
    documents = random_list(np.random.default_rng(seed))
    places = observed_places(documents)
    ap = place_measure("AP").scores(places)[0]
    assert ap == pytest.approx(walk_ap(documents.grades, len(documents.missing)), abs=1e-12)
    ndcg = place_measure("nDCG@10").scores(places)[0]
    assert ndcg == pytest.approx(walk_ndcg(documents.grades, documents.missing, 10), abs=1e-12)


def test_names_levels_and_parameters() -> None:
    assert place_measure("map").name == "AP"
    assert place_measure("P_10").name == "P@10"
    assert place_measure("AP", 2).level == 2
    assert place_measure("AP(rel=2)", 2).name == "AP(rel=2)"
    assert place_measure("nDCG@10").graded
    with pytest.raises(UnknownNameError, match="did you mean"):
        place_measure("nDGC@10")
    for name, level, message in (
        ("ERR@20", None, "choose from AP"),
        ("nDCG(dcg='exp-log2')@10", None, "dcg is not known"),
        ("AP(judged_only=True)", None, "judged_only"),
        ("nDCG", 2, "no relevance level"),
        ("AP(rel=1)", 2, "names its own"),
        ("AP", 0, "from 1 on"),
    ):
        with pytest.raises(InputError, match=message):
            place_measure(name, level)


def test_level_moves_documents_out_of_the_relevant() -> None:
    collection = small_collection().at_level(2)
    assert not collection.graded
    for row in collection.lists:
        for documents, judged in zip(row, collection.judged, strict=True):
            relevant = int(np.count_nonzero(judged))
            assert len(documents.relevant) + len(documents.missing) == relevant
