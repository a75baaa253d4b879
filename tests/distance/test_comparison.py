"""`compare`: every number is that of its own function, on the systems that both rankings have."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from plain_distance import AP, P10
from scipy import stats
from scipy.stats import ttest_rel

from truerank import coefficients
from truerank.comparison import Comparison, compare
from truerank.comparison.distance import rank_distance_test
from truerank.errors import InputError
from truerank.readers import read_scores
from truerank.report.shown import page as page_of
from truerank.report.views import view
from truerank.report.views.comparison import place_of
from truerank.scores import ScoreMatrix


@pytest.fixture
def ap():
    return ScoreMatrix.build(AP, systems="ABC", measure="AP")


@pytest.fixture
def four():
    return ScoreMatrix.build(np.column_stack([AP, [0.1, 0.3, 0.2, 0.1]]), systems="ABCD", measure="AP")


def test_the_example(ap):
    found = compare(ap, P10)
    assert found.tau == pytest.approx(1 / 3)
    assert found.distance.distance == pytest.approx(0.6508, abs=5e-5)
    assert found.distance.p_value == 54 / 256
    assert found.significant_agreement == 1
    assert found.discordant == 1
    (swap,) = found.swaps
    assert (swap.reference_above, swap.other_above) == ("C", "B")
    reference = stats.ttest_rel(*np.array(AP).T[[2, 1]])
    assert (swap.t, swap.p_value) == (pytest.approx(reference.statistic), pytest.approx(reference.pvalue))
    assert swap.difference == pytest.approx(0.02775)
    # Nothing but the swapped pair has to move here, so the distance is its t statistic.
    assert found.distance.distance == pytest.approx(swap.t)
    assert found.evidence()[1, 2] == found.evidence()[2, 1] == pytest.approx(swap.t)


def test_every_number_is_its_own_functions(data):
    ap = read_scores(data / "trec" / "terabyte2006_ap.csv")
    ndcg = read_scores(data / "trec" / "terabyte2006_ndcg.csv")
    found = compare(ap, ndcg, resamples=200, rbo_p=0.8)
    x, y = ap.means, ndcg.means
    assert found.tau == coefficients.tau(x, y) == pytest.approx(0.7650, abs=5e-5)
    assert found.tau_b == pytest.approx(stats.kendalltau(x, y).statistic)
    assert found.tau_ap == coefficients.tau_ap(x, y)
    assert found.rbo == coefficients.rbo(x, y, 0.8)
    assert found.kendall_interval == coefficients.kendall_interval(found.tau, 61)
    test = rank_distance_test(ap, ndcg, resamples=200)
    assert (found.distance.distance, found.distance.p_value) == (test.distance, test.p_value)
    # τ counts the discordant pairs, and the distance is at least the evidence against the worst.
    assert found.tau == pytest.approx(1 - 2 * found.discordant / (61 * 30))
    assert found.distance.distance >= found.swaps[0].t
    assert [swap.t for swap in found.swaps] == sorted((swap.t for swap in found.swaps), reverse=True)
    assert len(found.swaps) == 10
    (warning,) = found.warnings  # the rows of both tables are only counted
    assert warning.startswith("without names it is unknown whether the other ranking is of the same topics")


def test_rankings_of_other_topics_are_warned_of(four):
    """Only those of the reference are resampled, so that other topics are rejected more often."""
    reference = ScoreMatrix.build(four.values, topics="1234", systems=four.systems)
    for topics, both, few in (("5678", 0, True), ("4567", 1, True), ("3456", 2, False), ("1234", 4, False)):
        other = ScoreMatrix.build(four.values, topics=topics, systems=four.systems)
        notes = [note for note in compare(reference, other).notes if note.code == "other-topics"]
        if both == 4:
            assert notes == []
            continue
        (note,) = notes
        assert note.level == "warning"
        assert f"is of 4 topics, {both} of them among the reference’s 4: the rank distance" in note.text
        assert ("Rankings by other topics are rejected far more often" in note.text) is few


def test_the_answer_blames_the_topics_only_where_both_have_the_same():
    """The p-value is for a ranking of the same topics; two halves of one collection differ more."""
    values = np.random.default_rng(0).normal(size=(40, 4)) + np.array([0, 0, 0, 5])
    names = [str(topic) for topic in range(80)]
    reference = ScoreMatrix.build(values, topics=names[:40], systems="ABCD")
    others = "The rankings are not of the same topics, and that alone may explain how they differ."
    differ = "differ by more than the choice of topics explains: rank distance"
    for topics, first in (
        (names[:40], f"The rankings {differ}"),
        (names[40:], others),
        (names[20:60], others),
        (None, f"If both are of the same topics, the rankings {differ}"),
    ):
        found = compare(reference, ScoreMatrix.build(-values, topics=topics, systems="ABCD"), resamples=200)
        assert found.distance.p_value < 0.05
        text = " ".join(view(found).answer)
        assert text.startswith(first)
        assert ("for a ranking of the same topics" in text) is ("not of the same topics" in text)
        assert f"are that far (p {'<' if not found.distance.p_value else '='}" in text or "none of" in text


def test_systems_are_matched_by_name_and_missing_ones_reported(four):
    other = ScoreMatrix.build([[0.7, 0.2, 0.75, 0.1]], topics=["1"], systems=["C", "Z", "B", "D"])
    found = compare(four, other)
    assert found.reference.systems == ("B", "C", "D")
    assert (found.missing, found.extra) == (("A",), ("Z",))
    assert found.values.tolist() == [0.75, 0.7, 0.1]
    # The same as comparing the three columns alone.
    alone = compare(ScoreMatrix.build(four.values[:, 1:], systems="BCD"), [0.75, 0.7, 0.1])
    assert found.distance.distance == pytest.approx(alone.distance.distance, rel=1e-9)
    assert any("lacks them: A" in warning for warning in found.warnings)
    assert any("lacks them: Z" in warning for warning in found.warnings)
    assert any("is of 1 topic, the reference of 4; without names" in warning for warning in found.warnings)
    named = ScoreMatrix.build(four.values, topics="1234", systems=four.systems)
    assert any("is of 1 topic, 1 of them among" in warning for warning in compare(named, other).warnings)


def test_several_at_once_share_one_bootstrap(four, tmp_path):
    path = tmp_path / "ranking.txt"
    path.write_text("B\nC\nA\nD\n")
    found = compare(four, [*P10, 0.1], str(path), {"B": 3, "A": 2, "C": 1, "D": 0}, {"B": 1, "C": 2, "D": 3})
    assert [c.other for c in found] == ["ranking 1", str(path), "ranking 3", "ranking 4"]
    assert [c.name for c in found] == ["ranking 1", "ranking.txt", "ranking 3", "ranking 4"]
    assert found[0].distance.distribution is found[1].distance.distribution is found[2].distance.distribution
    assert found[3].distance.distribution is not found[0].distance.distribution
    assert found[0].distance.distance == pytest.approx(found[1].distance.distance, rel=1e-9)
    alone = compare(four, {"B": 3, "A": 2, "C": 1, "D": 0})
    assert found[2].distance.distance == pytest.approx(alone.distance.distance, rel=1e-9)


@pytest.mark.parametrize("topics", [6, 40])
def test_lambda_is_spoken_of_with_more_systems_than_topics(topics):
    x = np.random.default_rng(1).normal(0.5, 0.1, (topics, 10))
    found = compare(x, np.arange(10), resamples=50)
    assert any("its verdict rest on λ" in warning for warning in found.warnings) == (topics < 10)


def test_what_is_refused(ap, tmp_path):
    with pytest.raises(InputError, match="give one or more"):
        compare(ap)
    with pytest.raises(InputError, match="shares no system with the reference, whose first is 'A'"):
        compare(ap, {"x": 1, "y": 2})
    with pytest.raises(InputError, match=r"shares only one system \('B'\)"):
        compare(ap, {"B": 1, "y": 2})
    with pytest.raises(InputError, match="a value for each of the 3 systems"):
        compare(ap, [1, 2])
    with pytest.raises(InputError, match="no such file"):
        compare(ap, tmp_path / "none")
    with pytest.raises(InputError, match="0 or more"):
        compare(ap, P10, swaps=-1)
    with pytest.raises(InputError, match="persistence"):
        compare(ap, P10, rbo_p=1.0)


def compared(m: int) -> Comparison:
    rng = np.random.default_rng(m)
    values = rng.beta(2, 4, (30, 1)) * np.linspace(0.9, 0.5, m) + rng.normal(0, 0.1, (30, m))
    other = values.mean(axis=0) + np.random.default_rng(0).normal(0, 0.05, m)
    return compare(ScoreMatrix.build(values, measure="AP"), other, resamples=200)


def test_the_answer_counts_the_discordant_pairs_that_differ_significantly() -> None:
    result = compared(12)
    means, values, scores = result.reference.means, result.values, result.reference.values
    pairs = [(i, j) for i in range(12) for j in range(12) if means[i] > means[j] and values[i] < values[j]]
    tests = [ttest_rel(scores[:, i], scores[:, j]) for i, j in pairs]
    significant, strongest = sum(one.pvalue < 0.05 for one in tests), max(one.statistic for one in tests)
    answer = " ".join(view(result).answer)
    assert f"{len(pairs)} of 66 pairs of systems are in the other order" in answer
    assert f"; {significant or 'none'} of them" in answer
    assert f"(t = {strongest:.2f})" in answer
    left, right = place_of(result)
    assert left == (1 + np.argsort(np.argsort(-means))).tolist()
    assert right == (1 + np.argsort(np.argsort(-values))).tolist()


def test_ties_in_the_other_ranking_do_not_cross() -> None:
    result = compare(np.random.default_rng(5).random((30, 5)), [1.0] * 5, resamples=50)
    left, right = place_of(result)
    assert left == right


def test_in_a_browser_nothing_is_wide_and_tables_sort(opened: Any) -> None:
    html = page_of([compared(7), compared(7)])
    page = opened(html, width=320)
    assert page.evaluate("document.documentElement.scrollWidth") <= 320
    heading = page.locator("#coefficients-table thead th", has_text="RBO").first
    heading.locator("button").click()
    assert heading.get_attribute("aria-sort") is not None
