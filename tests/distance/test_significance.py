"""Tests of all pairs: each against SciPy's or statsmodels' one pair at a time, or an enumeration."""

from __future__ import annotations

from itertools import combinations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from plain_distance import AP, values_of
from scipy import stats

from truerank.comparison.significance import (
    CORRECTIONS,
    TESTS,
    pairwise_tests,
    significant_agreement,
)
from truerank.comparison.significance.significance_test import studentized_range_sf
from truerank.errors import InputError, UnknownNameError


def scores(n, m, seed=0, digits=3):
    rng = np.random.default_rng(seed)
    return (rng.normal(0.4, 0.1, (n, 1)) + rng.normal(0, 0.08, (n, m)) - 0.02 * np.arange(m)).round(digits)


def by_pair(x, p_value):
    p = np.ones((x.shape[1],) * 2)
    for i, j in combinations(range(x.shape[1]), 2):
        p[i, j] = p[j, i] = p_value(x[:, i], x[:, j])
    return p


@pytest.mark.parametrize("n", [3, 20, 80])
def test_t_is_scipys(n):
    x = scores(n, 5)
    expected = by_pair(x, lambda a, b: stats.ttest_rel(a, b).pvalue)
    assert pairwise_tests(x, "t").p_values == pytest.approx(expected, rel=1e-9)


@pytest.mark.parametrize(("n", "digits"), [(12, 6), (12, 1), (80, 6), (80, 1)])
def test_wilcoxon_is_scipys(n, digits):
    x = scores(n, 5, digits=digits)

    def p_value(a, b):
        d = (a - b).round(10)
        plain = (d != 0).all() and len(set(np.abs(d))) == n
        return stats.wilcoxon(d, method="auto" if plain else "approx").pvalue if d.any() else 1.0

    assert pairwise_tests(x, "wilcoxon").p_values == pytest.approx(by_pair(x, p_value), rel=1e-9)


@pytest.mark.parametrize("digits", [1, 6])
def test_sign_is_the_binomial_test(digits):
    x = scores(15, 5, digits=digits)

    def p_value(a, b):
        better, worse = np.sum(a - b > 1e-9), np.sum(b - a > 1e-9)
        return stats.binomtest(int(better), int(better + worse)).pvalue if better + worse else 1.0

    assert pairwise_tests(x, "sign").p_values == pytest.approx(by_pair(x, p_value), rel=1e-9)


def test_randomization_of_few_topics_is_the_enumeration_of_all_signs():
    x = scores(8, 4, digits=1)  # full of ties between permutations

    def p_value(a, b):
        d = a - b
        means = [np.dot(signs, d) / 8 for signs in product((1, -1), repeat=8)]
        return np.mean(np.abs(means) >= abs(d.mean()) - 1e-9)

    found = pairwise_tests(x, "randomization")
    assert found.exact
    assert found.permutations == 128
    assert found.p_values == pytest.approx(by_pair(x, p_value), abs=1e-12)


def test_randomization_by_samples_is_near_the_exact_one_and_scipys():
    x = scores(12, 5, seed=3)
    exact = pairwise_tests(x, "randomization").p_values
    assert pairwise_tests(x, "randomization").exact
    drawn = pairwise_tests(x, "randomization", permutations=2000, seed=1)
    assert not drawn.exact
    # Four standard errors of a share of 2,000, and the one that the observed signs add.
    assert np.abs(drawn.p_values - exact).max() < 4 * np.sqrt(0.25 / 2000) + 1 / 2000
    scipys = stats.permutation_test(
        (x[:, 0], x[:, 1]), lambda a, b: np.mean(a - b), permutation_type="samples", n_resamples=np.inf
    ).pvalue
    assert exact[0, 1] == pytest.approx(scipys, abs=1e-12)


@pytest.mark.parametrize(("k", "degrees"), [(3, 2), (10, 18), (110, 27032)])
def test_the_studentized_range_is_scipys(k, degrees):
    q = np.array([0.0, 0.3, 1.0, 2.0, 3.3, 4.5, 6.0, 9.0, 30.0])
    assert studentized_range_sf(q, k, degrees) == pytest.approx(
        stats.studentized_range.sf(q, k, degrees), abs=1e-9
    )


@pytest.mark.parametrize("degrees", [1, 30])
def test_the_studentized_range_of_two_is_students_t(degrees):
    q = np.linspace(0, 12, 40)
    expected = 2 * stats.t.sf(q / np.sqrt(2), degrees)
    assert studentized_range_sf(q, 2, degrees) == pytest.approx(expected, abs=1e-10)


def test_tukey_is_statsmodels_analysis_of_variance_with_scipys_range():
    anova = pytest.importorskip("statsmodels.stats.anova")
    formula = pytest.importorskip("statsmodels.formula.api")
    import pandas as pd

    x = scores(14, 4)
    long = pd.DataFrame(
        [(str(t), str(s), x[t, s]) for t in range(14) for s in range(4)], columns=["topic", "system", "score"]
    )
    table = anova.anova_lm(formula.ols("score ~ topic + system", long).fit())
    residual = table.loc["Residual"]
    assert residual["df"] == 39
    error = np.sqrt(residual["mean_sq"] / 14)
    expected = by_pair(
        x, lambda a, b: stats.studentized_range.sf(abs(a.mean() - b.mean()) / error, 4, residual["df"])
    )
    assert pairwise_tests(x, "tukey").p_values == pytest.approx(expected, abs=1e-9)


@given(st.lists(st.floats(0, 1), min_size=1, max_size=30))
def test_corrections_are_their_definitions(p):
    k, p = len(p), np.array(p)
    holm = [
        max(
            min(1.0, p[j] * np.sum((p > p[j]) | (np.arange(k) == j) | ((p == p[j]) & (np.arange(k) > j))))
            for j in range(k)
            if p[j] <= p[i]
        )
        for i in range(k)
    ]
    bh = [min(min(1.0, p[j] * k / np.sum(p <= p[j])) for j in range(k) if p[j] >= p[i]) for i in range(k)]
    # Where p-values are equal Holm's first factor among them counts, which the maximum takes care of.
    assert CORRECTIONS["holm"].adjust(p) == pytest.approx(holm, abs=1e-12)
    assert CORRECTIONS["bh"].adjust(p) == pytest.approx(bh, abs=1e-12)


@pytest.mark.parametrize(("ours", "theirs"), [("holm", "holm"), ("bh", "fdr_bh")])
def test_corrections_are_statsmodels(ours, theirs):
    multitest = pytest.importorskip("statsmodels.stats.multitest")
    p = np.random.default_rng(0).beta(0.3, 1, 200)
    p[::7] = p[0]
    adjusted = CORRECTIONS[ours].adjust(p)
    assert adjusted == pytest.approx(multitest.multipletests(p, method=theirs)[1], abs=1e-14)


@pytest.mark.parametrize(
    ("ranking", "share"),
    # The table of carterette-2009, §3.1: A differs from B and from C, B and C do not.
    [("ABC", 0), ("ACB", 0), ("BAC", 0.5), ("CAB", 0.5), ("BCA", 1), ("CBA", 1)],
)
def test_the_discriminative_power_of_the_paper(ranking, share):
    assert significant_agreement(AP, values_of(ranking)) == share
    assert pairwise_tests(AP).share() == pytest.approx(2 / 3)


def test_a_tie_is_not_the_same_order_and_no_significant_pair_gives_nan():
    assert significant_agreement(AP, [1, 1, 2]) == 0.5
    assert np.isnan(significant_agreement(AP, [1, 2, 3], alpha=1e-9))


@pytest.mark.parametrize("test", TESTS)
def test_equal_and_constant_systems(test):
    x = scores(9, 3)
    x = np.column_stack([x, x[:, 0], x[:, 1] + 0.125, np.full(9, 0.4), np.full(9, 0.3)])
    p = pairwise_tests(x, test).p_values
    assert np.all((p >= 0) & (p <= 1))
    assert np.array_equal(p, p.T)
    assert p[0, 3] == pytest.approx(1, abs=1e-12)
    expected = {"t": 0, "sign": 2**-8, "randomization": 2**-8}.get(test)
    if expected is not None:
        assert p[1, 4] == pytest.approx(expected, abs=1e-12)
    assert np.all(pairwise_tests(np.full((4, 3), 0.5), test).p_values == 1)


def test_what_is_refused():
    with pytest.raises(UnknownNameError, match="did you mean 'wilcoxon'"):
        pairwise_tests(AP, "wilcox")
    with pytest.raises(UnknownNameError, match="did you mean 'holm'"):
        pairwise_tests(AP, "t", "holms")
    with pytest.raises(InputError, match="two of each"):
        pairwise_tests([[0.1, 0.2]])
    with pytest.raises(InputError, match="at least one permutation"):
        pairwise_tests(AP, "randomization", permutations=0)
