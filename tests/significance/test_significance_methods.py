"""F, randomized Tukey, max-T, power: against statsmodels, SciPy, enumerations, closed forms."""

from __future__ import annotations

import json
import math
from itertools import combinations, permutations, product

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.comparison.significance import TESTS, analyze, pairwise_tests
from truerank.comparison.significance.significance_test import anova
from truerank.errors import InputError, UnknownNameError
from truerank.readers import read_scores
from truerank.scores import ScoreMatrix


def scores(n, m, seed=0, digits=3):
    rng = np.random.default_rng(seed)
    return (rng.normal(0.4, 0.1, (n, 1)) + rng.normal(0, 0.08, (n, m)) - 0.03 * np.arange(m)).round(digits)


def long(x):
    rows = [(str(t), str(s), x[t, s]) for t in range(len(x)) for s in range(x.shape[1])]
    return pd.DataFrame(rows, columns=["topic", "system", "score"])


# ── analysis of variance ──────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("n", "m"), [(3, 2), (14, 4), (30, 7)])
def test_the_table_is_statsmodels(n, m):
    sm = pytest.importorskip("statsmodels.stats.anova")
    formula = pytest.importorskip("statsmodels.formula.api")
    x = scores(n, m)
    found = anova(x)
    table = sm.anova_lm(formula.ols("score ~ system + topic", long(x)).fit())
    assert found.ss_systems == pytest.approx(table.loc["system", "sum_sq"], rel=1e-9)
    assert found.ss_topics == pytest.approx(table.loc["topic", "sum_sq"], rel=1e-9)
    assert found.ss_error == pytest.approx(table.loc["Residual", "sum_sq"], rel=1e-9)
    assert [found.df_systems, found.df_topics, found.df_error] == table["df"].tolist()
    assert found.f == pytest.approx(table.loc["system", "F"], rel=1e-9)
    assert found.p_value == pytest.approx(table.loc["system", "PR(>F)"], rel=1e-9)
    repeated = sm.AnovaRM(long(x), "score", "topic", within=["system"]).fit().anova_table
    assert found.f == pytest.approx(repeated["F Value"].iloc[0], rel=1e-9)
    assert found.p_value == pytest.approx(repeated["Pr > F"].iloc[0], rel=1e-7)


def test_epsilon_is_that_of_orthonormal_contrasts() -> None:
    x = np.random.default_rng(5).normal(size=(12, 4)) * [1.0, 2.0, 0.5, 3.0]
    contrasts = np.linalg.qr(np.column_stack([np.ones(4), np.eye(4)[:, :3]]))[0][:, 1:]
    covariance = contrasts.T @ np.cov(x, rowvar=False) @ contrasts
    found = anova(x)
    assert found.epsilon == pytest.approx(np.trace(covariance) ** 2 / (3 * np.sum(covariance**2)))
    assert anova(x[:, :2]).epsilon == pytest.approx(1)
    expected = stats.f.sf(found.f, found.epsilon * 3, found.epsilon * 33)
    assert found.p_corrected == pytest.approx(expected)
    assert anova(x[:3]).epsilon == pytest.approx(_by_columns(x[:3]))  # fewer topics than systems


def _by_columns(x: np.ndarray) -> float:
    centered = x - x.mean(axis=0) - x.mean(axis=1, keepdims=True) + x.mean()
    roots = np.linalg.eigvalsh(centered.T @ centered)
    return float(roots.sum() ** 2 / (3 * (roots**2).sum()))


@given(st.integers(2, 12), st.integers(2, 6), st.integers(0, 1000))
def test_the_sums_of_squares_add_up(n, m, seed):
    x = np.random.default_rng(seed).normal(size=(n, m))
    found = anova(x)
    assert found.ss_systems + found.ss_topics + found.ss_error == pytest.approx(np.sum((x - x.mean()) ** 2))
    shifted = anova(x + 3 * np.arange(n)[:, None])
    assert shifted.f == pytest.approx(found.f, rel=1e-6)  # what a topic does to all systems cancels


def test_f_of_two_systems_is_t_squared():
    x = scores(25, 2)
    t, p = stats.ttest_rel(x[:, 0], x[:, 1])
    assert anova(x).f == pytest.approx(t**2, rel=1e-9)
    assert pairwise_tests(x, "f").p_values[0, 1] == pytest.approx(p, rel=1e-9)


def test_the_published_reliability_is_one_less_the_inverse_of_f(data):
    # Generalizability theory's index of the ranking, (MS_s − MS_e)/MS_s, of all systems of TREC-6 ad hoc.
    found = anova(read_scores(data / "trec" / "adhoc6_ap.csv"))
    assert 1 - 1 / found.f == pytest.approx(0.94795, abs=5e-6)
    parts = found.variance_components
    assert parts["systems"] / (parts["systems"] + parts["error"] / 50) == pytest.approx(0.94795, abs=5e-6)
    phi = parts["systems"] / (parts["systems"] + (parts["topics"] + parts["error"]) / 50)
    assert phi == pytest.approx(0.91113, abs=5e-6)


def test_contrasts_are_the_least_significant_difference():
    x = scores(12, 5)
    found, p = anova(x), pairwise_tests(x, "f").p_values
    assert found.p_value < 0.01
    least = found.least_significant_difference(0.05)
    means = x.mean(axis=0)
    for i, j in combinations(range(5), 2):
        assert (p[i, j] < 0.05) == (abs(means[i] - means[j]) > least)
    assert p.min() >= found.p_value


def test_contrasts_are_protected_by_f():
    x = np.random.default_rng(0).normal(size=(15, 12))
    found = anova(x)
    assert found.p_value > 0.05
    t = np.ptp(x.mean(axis=0)) / np.sqrt(2 * found.ms_error / 15)
    assert 2 * stats.t.sf(t, found.df_error) < 0.05  # the extreme pair by itself
    assert pairwise_tests(x, "f").share(0.05) == 0


# ── randomized Tukey HSD, max-T ───────────────────────────────────────────────────────────────────


def test_randomized_tukey_is_near_the_enumeration_of_all_permutations():
    x = scores(4, 3, seed=5)
    ranges = [
        np.ptp(np.mean([x[t, list(p)] for t, p in enumerate(orders)], axis=0))
        for orders in product(permutations(range(3)), repeat=4)
    ]
    means = x.mean(axis=0)
    p = pairwise_tests(x, "randomized-tukey", permutations=4000, seed=1)
    assert p.permutations == 4000
    for i, j in combinations(range(3), 2):
        exact = np.mean(np.array(ranges) >= abs(means[i] - means[j]) - 1e-9)
        assert p.p_values[i, j] == pytest.approx(exact, abs=4 * math.sqrt(0.25 / 4000) + 1 / 4000)


def test_randomized_tukey_of_two_systems_is_the_randomization_test():
    x = scores(10, 2, seed=2)
    drawn = pairwise_tests(x, "randomized-tukey", permutations=4000).p_values[0, 1]
    exact = pairwise_tests(x, "randomization").p_values[0, 1]
    assert drawn == pytest.approx(exact, abs=4 * math.sqrt(exact / 4000) + 1 / 4000)


@pytest.mark.parametrize("test", ["t", "randomization"])
def test_max_t_is_the_enumeration_of_all_signs(test):
    x = scores(9, 4, seed=7)
    first, second = np.triu_indices(4, 1)
    d = x[:, first] - x[:, second]
    t = np.abs(stats.ttest_1samp(d, 0).statistic)
    null = np.array(
        [np.abs(stats.ttest_1samp(d * np.array(s)[:, None], 0).statistic) for s in product((1, -1), repeat=9)]
    )
    order = np.argsort(-t)
    expected = np.empty(6)
    running = 0.0
    for place, pair in enumerate(order):
        largest = null[:, order[place:]].max(axis=1)
        running = max(running, np.mean(largest >= t[pair] - 1e-9))
        expected[pair] = running
    found = pairwise_tests(x, test, "max-t")
    assert found.exact
    assert found.permutations == 256
    assert found.p_values[first, second] == pytest.approx(expected, abs=1e-12)
    assert found.unadjusted == pytest.approx(pairwise_tests(x, test).p_values)


# ── all of it together ────────────────────────────────────────────────────────────────────────────


def test_comparisons_with_a_baseline_are_a_family_of_their_own():
    table = ScoreMatrix.build(scores(20, 5), systems="abcde")
    found = analyze(table, "t", "bonferroni", baseline="c")
    for one in found.against:
        p = stats.ttest_rel(table.values[:, "abcde".index(one.system)], table.values[:, 2]).pvalue
        assert one.unadjusted == pytest.approx(p, rel=1e-9)
        assert one.p_value == pytest.approx(min(1, 4 * p), rel=1e-9)
        assert one.difference == pytest.approx(
            table.means["abcde".index(one.system)] - table.means[2], abs=1e-12
        )
    assert [one.system for one in found.against] == [s for s in found.scores.systems if s != "c"]
    stepped = analyze(table, "t", "max-t", baseline="c")
    assert all(a.p_value <= b.p_value + 0.02 for a, b in zip(stepped.against, found.against, strict=True))


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("x", [scores(3, 2), np.full((3, 3), 0.25), scores(3, 3)[:, [0, 0, 1]]])
def test_small_and_equal(test, x):
    found = analyze(x, test, permutations=50)
    document = found.to_dict()
    assert json.loads(json.dumps(document, allow_nan=False)) == document
    assert np.all((found.tests.p_values >= 0) & (found.tests.p_values <= 1))
    if not np.ptp(x):
        assert found.significant_pairs == 0
        assert any("same score on every topic" in warning for warning in found.warnings)


def test_what_is_refused():
    x = scores(5, 3)
    for alpha in (0, 1, -0.1, float("nan")):
        with pytest.raises(InputError, match="alpha must be between 0 and 1"):
            analyze(x, alpha=alpha)
    with pytest.raises(InputError, match=r"write 0\.05 for 5%"):
        analyze(x, alpha=5)
    with pytest.raises(UnknownNameError, match="unknown system 'sys9'"):
        analyze(x, baseline="sys9")
    with pytest.raises(UnknownNameError, match="unknown significance test"):
        analyze(x, "anova")
    with pytest.raises(InputError, match="two of each"):
        analyze([[0.1, 0.2]])
