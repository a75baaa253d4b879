"""The bounds of a true difference: against closed forms, enumerations, and other programs."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank import gate
from truerank.comparison.gate.deciding import randomization_p_value
from truerank.reliability.means import means_of
from truerank.reliability.pair.contrast import (
    Differences,
    Outcomes,
    contrast_of,
    interval,
    p_value,
    plain_contrast,
    rule_of,
)
from truerank.scores import ScoreMatrix

LEVEL = 0.95


def differences(n: int, seed: int, ties: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < ties, 0.0, rng.normal(0.01, 0.1, n).clip(-1, 1))


# ── the contrast ─────────────────────────────────────────────────────────────────────────────────────


def test_an_average_over_data_sets_has_the_variance_of_its_parts() -> None:
    rng = np.random.default_rng(3)
    sets = np.repeat(["A", "B", "C"], [8, 20, 5])
    x = rng.uniform(size=(33, 2))
    scores = ScoreMatrix.build(x, data_sets=sets)
    one = contrast_of(means_of(scores), 1.0)
    d = x[:, 1] - x[:, 0]
    parts = [d[sets == name] for name in "ABC"]
    assert one.estimate == pytest.approx(np.mean([part.mean() for part in parts]))
    assert one.error**2 == pytest.approx(sum(part.var(ddof=1) / len(part) for part in parts) / 9)
    # Cumulants of independent parts add up.
    third = sum(stats.skew(part, bias=False) * part.std(ddof=1) ** 3 / len(part) ** 2 for part in parts) / 27
    assert one.skewness == pytest.approx(third / one.error**3 * math.sqrt(one.units))


# ── Student's t ──────────────────────────────────────────────────────────────────────────────────────

WORKED = np.array(
    [
        *(0.31, 0.02, -0.11, 0.05, 0.22, 0.0, 0.08, -0.42, 0.13, 0.07),
        *(0.19, -0.03, 0.04, 0.27, -0.06, 0.11, 0.36, 0.01, -0.17, 0.09),
    ]
)


def test_a_worked_example_has_its_digits() -> None:
    one = gate(
        np.column_stack([np.full(20, 0.5) + 0.01 * np.arange(20), WORKED + 0.5 + 0.01 * np.arange(20)])
    )
    contrast = plain_contrast(WORKED)
    assert contrast.error == pytest.approx(0.039427, abs=1e-6)
    assert contrast.estimate / contrast.error == pytest.approx(1.471055, abs=1e-6)
    assert contrast.degrees == 19
    assert one.difference == pytest.approx(0.058, abs=1e-12)
    assert one.p_value == pytest.approx(0.157645, abs=1e-6)
    assert one.low == pytest.approx(-0.024523, abs=1e-6)
    assert one.high == pytest.approx(0.140523, abs=1e-6)
    assert (one.verdict, one.rule) == ("undecided", "t")


@given(
    n=st.integers(4, 80),
    seed=st.integers(0, 10_000),
    level=st.sampled_from([0.6, 0.95, 0.99]),
    value=st.floats(-0.2, 0.2),
)
def test_interval_and_p_are_scipy_s(n: int, seed: int, level: float, value: float) -> None:
    d = np.random.default_rng(seed).exponential(0.1, n) - 0.05
    one, found = plain_contrast(d), stats.ttest_1samp(d, value)
    assert interval(one, level) == pytest.approx(tuple(found.confidence_interval(level)), rel=1e-9, abs=1e-12)
    assert p_value(one, value) == pytest.approx(found.pvalue, rel=1e-9)


# ── the exact bound ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("n", "losses"), [(5, 0), (20, 1), (50, 3), (300, 12), (7000, 4)])
def test_losses_alone_have_clopper_and_pearson_s_bound(n: int, losses: int) -> None:
    d = -(np.arange(n) < losses).astype(float)
    expected = -stats.beta.ppf(LEVEL, losses + 1, n - losses)
    assert Differences(d, 1.0).bound(LEVEL) == pytest.approx(expected, abs=1e-6)


def test_the_exact_confidence_is_that_of_dirichlet_weights() -> None:
    d = differences(25, 0, ties=0.4)
    rng = np.random.default_rng(0)
    draws = 100_000
    means = rng.dirichlet(np.ones(26), draws) @ np.append(d, -1.0)
    for value in np.quantile(means, [0.02, 0.3, 0.8]):
        error = 4 * math.sqrt(0.25 / draws)
        assert Differences(d, 1.0).confidence(value) == pytest.approx(np.mean(means > value), abs=error)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=3, max_size=30), st.floats(0.6, 0.99))
def test_bound_and_confidence_agree(values: list[float], level: float) -> None:
    d = np.array(values)
    bound = Differences(d, 1.0).bound(level)
    assert -1 <= bound <= d.mean() + 1e-9
    if bound > -1:
        assert Differences(d, 1.0).confidence(bound) == pytest.approx(level, abs=1e-5)


# ── which of the two decides ─────────────────────────────────────────────────────────────────────────


@given(st.integers(4, 60), st.integers(0, 10_000), st.floats(0, 0.95), st.floats(-0.1, 0.1), st.booleans())
def test_intervals_end_where_p_is_one_minus_the_level(
    n: int, seed: int, ties: float, value: float, guaranteed: bool
) -> None:
    one = plain_contrast(differences(n, seed, ties), 1.0, guaranteed)
    low, high = interval(one, LEVEL)
    assert low <= one.estimate <= high
    if min(abs(low - value), abs(high - value)) > 1e-7:
        assert (p_value(one, value) <= 1 - LEVEL) == (not low < value < high)


@pytest.mark.parametrize(
    ("differing", "n", "rule"),
    [(19, 39, "exact"), (19, 38, "t"), (20, 300, "t"), (8, 10, "t"), (4, 10, "exact"), (0, 10, "exact")],
)
def test_the_exact_bound_decides_where_few_of_many_differ(differing: int, n: int, rule: str) -> None:
    d = np.zeros(n)
    d[:differing] = np.where(np.arange(differing) % 4, 0.2, -0.1)
    known, unknown = plain_contrast(d, 1.0), plain_contrast(d)
    assert (rule_of(known), rule_of(unknown)) == (rule, "t")
    tails = Differences(d, 1.0).confidence(-0.01), Differences(-d, 1.0).confidence(0.01)
    if rule == "exact" and differing:
        assert p_value(known, -0.01) == pytest.approx(min(1, 2 * (1 - max(tails))), rel=1e-9)
        assert interval(known, LEVEL)[0] == pytest.approx(Differences(d, 1.0).bound(0.975), abs=1e-9)
    if differing:
        assert p_value(unknown, -0.01) == pytest.approx(stats.ttest_1samp(d, -0.01).pvalue, rel=1e-9)
        assert interval(unknown, LEVEL) == pytest.approx(
            tuple(stats.ttest_1samp(d, 0).confidence_interval(LEVEL)), rel=1e-9
        )


def test_a_guarantee_is_the_exact_bound_alone() -> None:
    d = differences(60, 1)
    one = plain_contrast(d, 1.0, guaranteed=True)
    assert rule_of(one) == "exact"
    assert interval(one, LEVEL) == pytest.approx(
        (Differences(d, 1.0).bound(0.975), -Differences(-d, 1.0).bound(0.975))
    )
    expected = 2 * (1 - max(Differences(x, 1.0).confidence(0.0) for x in (d, -d)))
    assert p_value(one) == pytest.approx(min(1, expected))


def test_differences_that_are_all_the_same_are_a_point() -> None:
    """Known to differ on all topics, and that no spread was seen is noted."""
    for values in ([[1, 2], [2, 3], [3, 4]], [[0.1, 0.4], [0.2, 0.5], [0.3, 0.6]]):
        one = gate(np.array(values))
        assert (one.low, one.high) == pytest.approx((one.difference, one.difference))
        assert (one.verdict, one.p_value) == ("better", 0.0)
        assert "No spread was seen" in one.warnings[-1]


@pytest.mark.parametrize(
    ("n", "wins", "losses"), [(20, 0.0, 0.05), (20, 0.02, 0.07), (20, 0.1, 0.1), (30, 0.05, 0.1)]
)
def test_binary_scores_are_claimed_falsely_about_as_seldom_as_the_level_says(
    n: int, wins: float, losses: float
) -> None:
    """All numbers of wins and losses are enumerated, so that the error is known exactly."""
    truth = wins - losses
    false = 0.0
    for up, down in product(range(n + 1), repeat=2):
        if up + down > n:
            continue
        p = stats.multinomial.pmf([up, down, n - up - down], n, [wins, losses, 1 - wins - losses])
        if p < 1e-6:
            continue
        one = plain_contrast(np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down]), 1.0)
        false += p * (interval(one, 0.9)[0] > truth)
    assert false <= 0.053


def test_equal_scores_have_the_exact_bound_where_a_range_is_known() -> None:
    """Clopper and Pearson's of no losses on n topics, 1 − (α/2)^(1/n); without a range nothing bounds it."""
    one = plain_contrast(np.zeros(1000), 1.0)
    expected = 1 - 0.025 ** (1 / 1000)
    assert interval(one, LEVEL) == pytest.approx((-expected, expected), rel=0.01)
    assert p_value(one) == 1
    assert interval(plain_contrast(np.zeros(1000)), LEVEL) == (-math.inf, math.inf)
    assert p_value(plain_contrast(np.zeros(1000))) == 1


# ── the tests that papers report ─────────────────────────────────────────────────────────────────────


def test_randomization_of_few_differences_is_exact() -> None:
    d = np.append(differences(9, 2), np.zeros(40))
    signs = np.array(list(product([1, -1], repeat=9)))
    sums = np.abs(signs @ d[:9])
    expected = np.mean(sums >= abs(d.sum()) - 1e-12)
    assert randomization_p_value(d, np.random.default_rng(1)) == pytest.approx(expected)


def test_randomization_of_many_differences_is_the_sampled_share() -> None:
    d = differences(40, 3)
    found = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2)
    )
    p = randomization_p_value(d, np.random.default_rng(1), 20_000)
    assert p == pytest.approx(found.pvalue, abs=4 * math.sqrt(2 * 0.25 / 20_000))
    assert p == randomization_p_value(d, np.random.default_rng(1), 20_000)


def test_randomization_of_very_many_verdicts_is_binomial() -> None:
    n, wins = 200_000, 100_420
    d = np.where(np.arange(2 * n) < n, np.where(np.arange(2 * n) < wins, 1.0, -1.0), 0.0)
    expected = 2 * stats.binom.sf(wins - 1, n, 0.5)
    p = randomization_p_value(d, np.random.default_rng(1))
    assert p == pytest.approx(expected, abs=4 * math.sqrt(expected / 10_000))


@pytest.mark.parametrize("heavy", [False, True])
def test_randomization_of_very_many_differences_keeps_the_largest_as_they_are(heavy: bool) -> None:
    d = np.random.default_rng(3).standard_normal(150_000) + 0.005
    if heavy:  # half of the variance stands in four differences
        d[:4] = 200.0, -190.0, 210.0, 180.0
    small = math.sqrt(float(d[4:] @ d[4:]) if heavy else float(d @ d))
    sums = np.array(list(product([1, -1], repeat=4))) @ d[:4] if heavy else np.zeros(1)
    expected = 2 * float(np.mean(stats.norm.sf((abs(d.sum()) - sums) / small)))
    p = randomization_p_value(d, np.random.default_rng(1))
    assert p == pytest.approx(expected, abs=4 * math.sqrt(expected / 10_000) + 1e-3)


@pytest.mark.parametrize(("n", "value"), [(8, 0.0), (15, -0.1)])
def test_the_bound_of_answers_holds_its_level_in_every_population(n: int, value: float) -> None:
    """All samples enumerated: a difference of just that value is seldom claimed to be above it."""
    samples = [(b, c) for b, c in product(range(n + 1), repeat=2) if b + c <= n]
    confidence = np.array([Outcomes(b, c, n).confidence(value) for b, c in samples])
    counts = np.array([(b, c, n - b - c) for b, c in samples])
    for differing in np.linspace(abs(value), 1, 23):
        shares = np.clip([(differing + value) / 2, (differing - value) / 2, 1 - differing], 0, 1)
        likely = stats.multinomial.pmf(counts, n, shares)
        for level in (0.9, 0.95, 0.99):
            assert likely[confidence >= level].sum() <= 1 - level + 1e-3  # between the shares that are tried


def test_the_bound_of_answers_is_where_their_confidence_is_the_level() -> None:
    for gains, losses, n in ((6, 0, 20), (7, 2, 40), (3, 9, 300)):
        one = Outcomes(gains, losses, n)
        found = [one.confidence(value) for value in np.linspace(-1, 1, 201)]
        assert (np.diff(found) <= 1e-12).all()
        assert one.confidence(one.bound(LEVEL)) == pytest.approx(LEVEL, abs=1e-6)


@pytest.mark.parametrize("wins", [3, 5, 8])
def test_answers_right_or_wrong_need_no_range(wins: int) -> None:
    values = np.ones((20, 2))
    values[:wins, 0] = 0.0
    values[-1] = 0.0
    found = gate(values)
    assert found.rule == "exact"
    assert found.p_value == pytest.approx(min(1, 2 * (1 - Outcomes(wins, 0, 20).confidence(0.0))))
    assert found.verdict == ("better" if wins > 4 else "undecided")
    known = gate(values, range=(0, 1))
    assert (found.low, found.high) == pytest.approx((known.low, known.high), rel=1e-9)
