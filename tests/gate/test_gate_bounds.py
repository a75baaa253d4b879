"""The bounds of a true difference: against closed forms, enumerations, and other programs."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.comparison.gate import paired_tests
from truerank.comparison.gate.bounds import (
    confidence_above,
    confidence_below,
    few_of,
    lower_bound,
    upper_bound,
    uses_exact,
)
from truerank.comparison.gate.contrast import Contrast, contrast_of, plain_contrast
from truerank.comparison.gate.exact import exact_bound, exact_confidence
from truerank.comparison.gate.paired_tests import randomization_p_value, two_sided_p_value
from truerank.comparison.gate.studentized import (
    HEAVY,
    SHOWN,
    Shape,
    cautious_skewness,
    confidence_of,
    corrected,
    critical,
    shape_of,
    studentized_bound,
    transformed,
    weight_of_loss,
    with_one_more_loss,
)
from truerank.reliability.means import means_of
from truerank.scores import ScoreMatrix

LEVEL = 0.95


def differences(n: int, seed: int, ties: float = 0.0) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return np.where(rng.random(n) < ties, 0.0, rng.normal(0.01, 0.1, n).clip(-1, 1))


# ── the contrast ─────────────────────────────────────────────────────────────────────────────────────


def test_a_contrast_has_the_moments_that_scipy_gives() -> None:
    d = differences(37, 1)
    one = plain_contrast(d)
    assert one.error == pytest.approx(stats.sem(d), rel=1e-12)
    assert one.unit_skewness == pytest.approx(stats.skew(d, bias=False), rel=1e-10)
    assert one.deviation == pytest.approx(d.std(ddof=1), rel=1e-12)
    assert one.reversed().unit_skewness == pytest.approx(-one.unit_skewness)


def test_equal_differences_leave_no_error() -> None:
    one = plain_contrast(np.full(30, 0.1) + np.linspace(0, 1e-14, 30))
    assert (one.error, one.skewness) == (0.0, 0.0)


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
    assert one.skewness == pytest.approx(third / one.error**3)


# ── the studentized bound ────────────────────────────────────────────────────────────────────────────


def shape(d: np.ndarray) -> Shape:
    return shape_of(plain_contrast(d))


@given(n=st.integers(4, 80), seed=st.integers(0, 10_000), ties=st.sampled_from([0.0, 0.4, 0.9]))
def test_the_critical_value_is_where_the_confidence_reaches_the_level(n: int, seed: int, ties: float) -> None:
    d = differences(n, seed, ties)
    if np.ptp(d) == 0:
        return
    one = shape(d)
    t = float(critical(LEVEL, one))
    if math.isinf(t):
        assert float(confidence_of(1e6, one)) < LEVEL
    else:
        assert float(confidence_of(t, one)) >= LEVEL - 1e-9
        assert float(confidence_of(t * (1 - 1e-6), one)) <= LEVEL + 1e-9


def test_one_more_loss_is_the_t_of_the_differences_with_it() -> None:
    """From n = 5 to 75 differences with a long tail, the added one counts as a whole topic."""
    rng = np.random.default_rng(3)
    d = np.append(rng.normal(0.02, 0.05, 29), 0.6)
    value = -0.01
    one = plain_contrast(d)
    assert float(weight_of_loss(shape(d))) == 1.0
    whole = np.append(d, d.mean() - np.abs(d - d.mean()).max())
    expected = stats.ttest_1samp(whole, value).statistic
    found = with_one_more_loss((one.estimate - value) / one.error, shape(d))
    assert float(found) == pytest.approx(expected, rel=1e-10)


def test_no_loss_is_added_to_differences_with_light_tails_and_less_to_many() -> None:
    even = np.linspace(-0.1, 0.12, 40)
    assert float(weight_of_loss(shape(even))) == 0.0
    assert float(with_one_more_loss(1.3, shape(even))) == 1.3
    tail = np.append(even, [0.9] * 2)
    assert shape(tail).kurtosis > HEAVY
    assert float(weight_of_loss(shape(np.tile(tail, 20)))) == pytest.approx(SHOWN / (20 * len(tail)))


def test_the_excess_kurtosis_is_scipy_s() -> None:
    d = np.random.default_rng(1).standard_t(5, 25)
    assert float(shape(d).kurtosis) == pytest.approx(stats.kurtosis(d, bias=False), rel=1e-10)


@given(n=st.integers(4, 60), seed=st.integers(0, 1_000), t=st.floats(-20, 50), more=st.floats(0, 50))
def test_both_corrections_never_fall_with_t(n: int, seed: int, t: float, more: float) -> None:
    d = np.random.default_rng(seed).standard_t(2, n)
    low, high = (float(corrected(at, shape(d))) for at in (t, t + more))
    assert low <= high + 1e-9 * max(1.0, abs(low))


@given(skewness=st.floats(-5, 0), ties=st.booleans(), t=st.floats(-50, 50), more=st.floats(0, 50))
def test_the_transformation_never_falls(skewness: float, ties: bool, t: float, more: float) -> None:
    low, high = transformed([t, t + more], skewness, ties)
    assert low <= high + 1e-9 * max(1.0, abs(low))


def test_it_is_hall_s_transformation() -> None:
    # Hall (1992), eq. 2.2 of the monotone kind: its inverse is 3/a·((1 + a(y − a/6))^(1/3) − 1).
    a, y = -0.3, 1.4
    t = 3 / a * ((1 + a * (y - a / 6)) ** (1 / 3) - 1)
    assert float(transformed(t, a, False)) == pytest.approx(y)


def test_without_skewness_and_with_very_many_topics_the_bound_is_t_s() -> None:
    d = np.tile([-0.3, -0.1, 0.1, 0.3], 50_000)
    one = plain_contrast(d)
    expected = stats.t.interval(2 * LEVEL - 1, len(d) - 1, d.mean(), stats.sem(d))[0]
    assert studentized_bound(one, LEVEL) == pytest.approx(expected, abs=1e-7)


def test_caution_is_never_in_favour_of_a_claim() -> None:
    assert cautious_skewness(5.0, 1000, 1.0) < cautious_skewness(5.0, 1000) < 0
    assert cautious_skewness(0.0, 50) < 0
    assert cautious_skewness(-0.5, 50) < cautious_skewness(0.0, 50)
    assert cautious_skewness(0.0, 10) < cautious_skewness(0.0, 50)


# ── the exact bound ──────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(("n", "losses"), [(5, 0), (20, 1), (50, 3), (300, 12), (7000, 4)])
def test_losses_alone_have_clopper_and_pearson_s_bound(n: int, losses: int) -> None:
    d = -(np.arange(n) < losses).astype(float)
    expected = -stats.beta.ppf(LEVEL, losses + 1, n - losses)
    assert exact_bound(d, LEVEL, 1.0) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("seed", range(3))
def test_the_exact_confidence_is_that_of_dirichlet_weights(seed: int) -> None:
    d = differences(25, seed, ties=0.4)
    rng = np.random.default_rng(seed)
    draws = 200_000
    means = rng.dirichlet(np.ones(26), draws) @ np.append(d, -1.0)
    for value in np.quantile(means, [0.02, 0.3, 0.8]):
        error = 4 * math.sqrt(0.25 / draws)
        assert exact_confidence(d, value, 1.0) == pytest.approx(np.mean(means > value), abs=error)


@given(st.lists(st.sampled_from([-1.0, -0.5, 0.0, 0.5, 1.0]), min_size=3, max_size=30), st.floats(0.6, 0.99))
def test_bound_and_confidence_agree(values: list[float], level: float) -> None:
    d = np.array(values)
    bound = exact_bound(d, level, 1.0)
    assert -1 <= bound <= d.mean() + 1e-9
    if bound > -1:
        assert exact_confidence(d, bound, 1.0) == pytest.approx(level, abs=1e-5)


# ── both ─────────────────────────────────────────────────────────────────────────────────────────────


@given(st.integers(4, 60), st.integers(0, 10_000), st.floats(0, 0.95), st.floats(-0.1, 0.1))
def test_bounds_are_where_the_confidence_is_the_level(n: int, seed: int, ties: float, value: float) -> None:
    one = plain_contrast(differences(n, seed, ties))
    low, high = lower_bound(one, LEVEL, 1.0), upper_bound(one, LEVEL, 1.0)
    assert low <= high
    if abs(low - value) > 1e-7:
        assert (confidence_above(one, value, 1.0) >= LEVEL) == (low > value)
    if abs(high - value) > 1e-7:
        assert (confidence_below(one, value, 1.0) >= LEVEL) == (high < value)


@pytest.mark.parametrize("share", [(0.0, 0.05), (0.02, 0.05), (0.05, 0.1), (0.1, 0.1), (0.2, 0.3)])
@pytest.mark.parametrize("n", [10, 20, 40])
def test_binary_scores_pass_falsely_in_fewer_cases_than_the_level_allows(
    n: int, share: tuple[float, float]
) -> None:
    """All numbers of wins and losses are enumerated, so that the error is known exactly."""
    wins, losses = share
    truth = wins - losses
    false = 0.0
    for up, down in product(range(n + 1), repeat=2):
        if up + down > n:
            continue
        p = stats.multinomial.pmf([up, down, n - up - down], n, [wins, losses, 1 - wins - losses])
        if p < 1e-7:
            continue
        one = plain_contrast(np.repeat([1.0, -1.0, 0.0], [up, down, n - up - down]))
        if one.differing and confidence_above(one, truth, 1.0) >= LEVEL:
            false += p
    assert false <= 1 - LEVEL
    if share == (0.0, 0.05) and n == 20:
        # Where t, which knows only what it sees, passes in more than a third of the cases.
        one = plain_contrast(np.zeros(n))
        assert stats.binom.pmf(0, n, 0.05) > 0.35
        assert confidence_above(one, -0.05, 1.0) == 0.0


def test_equal_scores_are_no_evidence() -> None:
    one = plain_contrast(np.zeros(1000))
    assert confidence_above(one, -0.5, 1.0) == 0.0
    assert (lower_bound(one, LEVEL, 1.0), upper_bound(one, LEVEL, 1.0)) == (-1.0, 1.0)
    assert lower_bound(one, LEVEL) == -math.inf


def test_nothing_bounds_scores_without_a_bound_where_few_topics_differ() -> None:
    one = plain_contrast(np.array([0.2, 0.3] + [0.0] * 48))
    assert lower_bound(one, LEVEL) == -math.inf
    assert lower_bound(one, LEVEL, 1.0) > -0.1


def test_a_contrast_of_other_means_has_no_exact_bound() -> None:
    d = np.array([0.2, 0.3] + [0.0] * 48)
    plain = plain_contrast(d)
    other = Contrast(plain.estimate, plain.rows, plain.strata, plain.degrees, plain.units, plain.differing)
    assert lower_bound(other, LEVEL, 1.0) == -1.0 < lower_bound(plain, LEVEL, 1.0)


# ── the tests that papers report ─────────────────────────────────────────────────────────────────────


def test_t_is_scipy_s() -> None:
    d = differences(30, 5)
    assert two_sided_p_value(plain_contrast(d)) == pytest.approx(stats.ttest_1samp(d, 0).pvalue, rel=1e-10)


def test_randomization_of_few_differences_is_exact() -> None:
    d = np.append(differences(9, 2), np.zeros(40))
    signs = np.array(list(product([1, -1], repeat=9)))
    sums = np.abs(signs @ d[:9])
    expected = np.mean(sums >= abs(d.sum()) - 1e-12)
    assert randomization_p_value(d, np.random.default_rng(1)) == pytest.approx(expected)


@pytest.mark.parametrize("n", [15, 40, 203])
def test_randomization_of_many_differences_is_the_sampled_share(n: int) -> None:
    d = differences(n, 3)
    found = stats.permutation_test(
        (d,), np.mean, permutation_type="samples", n_resamples=20_000, rng=np.random.default_rng(2)
    )
    p = randomization_p_value(d, np.random.default_rng(1), 20_000)
    assert p == pytest.approx(found.pvalue, abs=4 * math.sqrt(2 * 0.25 / 20_000))
    assert p == randomization_p_value(d, np.random.default_rng(1), 20_000)


def test_a_family_asks_the_exact_bound_of_more_topics() -> None:
    """At a family's level a skewed T is transformed past the flat point: its bound is no use there."""
    d = np.concatenate([np.full(64, 0.2), [-0.9, -0.9, -0.2, 0.4, 0.2]])
    level, few = LEVEL ** (1 / 13), few_of(13, LEVEL)
    assert few_of(1, LEVEL) == 20 < few
    one = plain_contrast(d)
    assert lower_bound(one, level, 1.0) == studentized_bound(one, level)
    assert lower_bound(one, level, 1.0, few) == max(exact_bound(d, level, 1.0), studentized_bound(one, level))
    assert not uses_exact(one, 1.0)
    assert uses_exact(one, 1.0, few)


WINS, LOSSES = 0.6, 0.1
"""Of the candidate: the shares of topics where it alone scores 1, and where the baseline does."""


def decided(n: int, wins: float, losses: float) -> float:
    """The probability of the verdict better over n topics, by every possible outcome."""
    found = 0.0
    for w in range(1, n + 1):
        for b in range(min(w, n - w + 1)):
            chance = stats.multinomial.pmf([w, b, n - w - b], n, [wins, losses, 1 - wins - losses])
            if chance > 1e-6:
                d = np.repeat([1.0, -1.0, 0.0], [w, b, n - w - b])
                found += chance * (confidence_above(plain_contrast(d), 0.0, 1.0) >= LEVEL)
    return found


def test_more_topics_of_the_same_kind_decide_more_often() -> None:
    """Of 20 the exact bound decides; it must not be dropped before the other bound decides as often."""
    powers = [decided(n, WINS, LOSSES) for n in (12, 20, 30, 44)]
    assert powers == sorted(powers)
    assert powers[-1] > 0.95


def test_the_better_of_both_bounds_is_false_no_more_often_than_the_level_says() -> None:
    for n in (3, 4, 20, 30, 40):  # three topics can all be won by chance, and then show no spread
        assert max(decided(n, share, share) for share in (0.05, 0.2, 0.45, 0.5)) <= 1 - LEVEL


def test_randomization_of_very_many_differences_in_blocks_is_that_in_one_table(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The plain way: every group of eight looked up at once, from the same bytes."""
    d = np.sort(np.abs(differences(1_003, 7)))
    monkeypatch.setattr(paired_tests, "TABLES", 10**9)
    whole = np.concatenate(list(paired_tests._flipped_sums(d, 5_001, np.random.default_rng(2))))
    monkeypatch.setattr(paired_tests, "TABLES", 7)
    monkeypatch.setattr(paired_tests, "BYTES", 1 << 18)
    found = np.concatenate(list(paired_tests._flipped_sums(d, 5_001, np.random.default_rng(2))))
    np.testing.assert_allclose(found, whole, atol=1e-12 * d.sum())
