"""Statements on ranks and the guarantee for all pairs, against plain loops, enumerations and closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.reliability.means.means import plain_means
from truerank.reliability.standings import consistent, guarantee, letters, rank_bands
from truerank.reliability.swaps import KURTOSIS, PairDraws, scaled_draws, unit_root


def rankings(seed: int, m: int, draws: int, spread: float = 1.0) -> np.ndarray:
    """Ranks in draws of noisy scores, a permutation a row."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-spread * np.arange(m), 1.0, (draws, m))
    return stats.rankdata(-scores, axis=1).astype(np.int64)


# Bands ----------------------------------------------------------------------------------------------------


def plain_band(ranks: np.ndarray, tail: float) -> tuple[list[int], list[int]]:
    """Ranks with more than `tail` draws on either side, one system and rank at a time."""
    m = ranks.shape[1]
    low, high = [], []
    for s in range(m):
        inside = [
            r for r in range(1, m + 1) if (ranks[:, s] <= r).sum() > tail and (ranks[:, s] >= r).sum() > tail
        ]
        low.append(min(inside))
        high.append(max(inside))
    return low, high


def with_observed(low: list[int], high: list[int]) -> tuple[list[int], list[int]]:
    """The band, extended to each system's own place."""
    places = range(1, len(low) + 1)
    return list(map(min, low, places)), list(map(max, high, places))


@given(
    st.integers(0, 10_000),
    st.integers(2, 6),
    st.integers(2, 80),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.sampled_from([0.7, -0.7]),
)
def test_joint_bands_have_the_largest_common_tail_that_holds_enough_draws(seed, m, draws, level, spread):
    # With a negative spread the draws contradict the observed ranking, which stays in every interval.
    ranks = rankings(seed, m, draws, spread)
    found = rank_bands(ranks, level)
    own = (1 - level) / 2 * draws
    assert (found.low.tolist(), found.high.tolist()) == with_observed(*plain_band(ranks, own))
    for tail in [own, *(t for t in range(draws, -1, -1) if t < own)]:
        low, high = plain_band(ranks, tail)
        if ((ranks >= low) & (ranks <= high)).all(axis=1).mean() >= level - 1e-9:
            break
    assert (found.joint_low.tolist(), found.joint_high.tolist()) == with_observed(low, high)
    assert (found.joint_low <= found.low).all()
    assert (found.high <= found.joint_high).all()


def test_bands_of_identical_systems_are_the_same():
    plain = rank_bands(rankings(1, 6, 400), 0.9, [[1, 2, 4]])
    for bands in (plain, consistent(plain)):
        for ends in (bands.low, bands.high, bands.joint_low, bands.joint_high):
            assert len(set(ends[[1, 2, 4]])) == 1


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([0.5, 0.8, 0.95]))
def test_consistent_bands_lose_no_draw_and_leave_no_rank_to_nobody(seed, m, level):
    ranks = rankings(seed, m, 60, 1.0)
    plain, found = rank_bands(ranks, level), consistent(rank_bands(ranks, level))
    place = np.arange(1, m + 1)
    inside = (ranks >= plain.joint_low) & (ranks <= plain.joint_high)
    kept = (ranks >= found.joint_low) & (ranks <= found.joint_high)
    assert kept.all(axis=1)[inside.all(axis=1)].all()
    assert (found.joint_low <= place).all()
    assert (place <= found.joint_high).all()
    assert (found.joint_low <= found.low).all()
    assert (found.high <= found.joint_high).all()
    for k in place:  # who else may be among the first k, where k systems alone may
        first = found.joint_low <= k
        assert first.sum() > k or (found.joint_high[first] <= k).all()
        last = found.joint_high > k
        assert last.sum() > m - k or (found.joint_low[last] > k).all()


# Letters --------------------------------------------------------------------------------------------------


@given(st.integers(1, 12), st.integers(0, 10_000), st.floats(0.0, 1.0))
def test_systems_share_a_letter_if_and_only_if_they_are_not_apart(m, seed, density):
    upper = np.triu(np.random.default_rng(seed).random((m, m)) < density, 1)
    apart = upper | upper.T
    found = [set(text.split() if " " in "".join(letters(apart)) else text) for text in letters(apart)]
    assert all(found)
    for i, j in combinations(range(m), 2):
        assert bool(found[i] & found[j]) == (not apart[i, j])
    for letter in set().union(*found):  # and none is there for nothing
        pairs = [
            (i, j)
            for i, j in combinations(range(m), 2)
            if letter in found[i] & found[j] and found[i] & found[j] == {letter}
        ]
        assert pairs or any(one == {letter} for one in found)


def test_the_letters_of_a_published_example():
    # Piepho (2004, section 3): systems in the order of their means, pairs apart as told there by intervals.
    apart = np.abs(np.subtract.outer(np.arange(30), np.arange(30))) > 1
    found = letters(apart)
    assert found[:3] == ("a", "a b", "b c")
    assert found[-1] == "ac"


# Draws ----------------------------------------------------------------------------------------------------


@given(
    st.integers(0, 10_000),
    st.integers(2, 5),
    st.integers(1, 200) | st.sampled_from([999, 1000]),
    st.sampled_from([0.5, 100.0]),
)
def test_pairs_are_swapped_where_their_difference_is_lowest(seed, m, k, degrees):
    rng = np.random.default_rng(seed)
    values = rng.standard_t(degrees, size=(m, k))
    probabilities = np.triu(rng.random((m, m)), 1) * 0.6
    found = PairDraws.by_share(values, probabilities, np.random.default_rng(seed)).swaps()
    gained, lost = np.zeros((k, m)), np.zeros((k, m))
    rounded = np.floor(probabilities * k + np.random.default_rng(seed).random((m, m))).astype(int)
    for i, j in combinations(range(m), 2):
        swapped = np.argsort(np.argsort(values[i] - values[j])) < rounded[i, j]
        gained[:, j] += swapped
        lost[:, i] += swapped
    np.testing.assert_array_equal(found.gained, gained)
    np.testing.assert_array_equal(found.lost, lost)


def test_each_system_has_a_scale_of_its_own_with_the_degrees_of_its_variance():
    covariance = np.array([[4.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 0.25]])
    values = (
        scaled_draws(covariance, unit_root(covariance), 40, 200_000, np.random.default_rng(2)).astype(float)
        * 2
    )  # unit: 2
    degrees = 2 * 40 / (KURTOSIS - 1)
    for i, scale in enumerate([2.0, 1.0, 0.5]):  # a t distribution each
        assert stats.kstest(values[i] / scale, stats.t(degrees).cdf).statistic < 0.004
    assert np.corrcoef(values)[0, 1] == pytest.approx(0.5, abs=0.02)
    # The variances of the first two are correlated by 0.25 and no more, as sample variances are.
    logs = np.log(values[:2] ** 2)
    normal = np.random.default_rng(3).multivariate_normal([0, 0], [[1, 0.5], [0.5, 1]], 200_000).T
    common = np.corrcoef(np.log(normal**2))[0, 1] * (np.pi**2 / 2)  # covariance of the logs without scales
    of_scales = 0.25 * np.var(np.log(stats.chi2(degrees).rvs(200_000, random_state=4)))
    assert np.cov(logs)[0, 1] == pytest.approx(common + of_scales, abs=0.06)


@pytest.mark.parametrize(("m", "width"), [(3, 1), (26, 2), (27, 1), (60, 4)])
def test_letters_can_be_split_as_the_documentation_says(m, width):
    place = np.arange(m)
    apart = np.abs(place[:, None] - place) >= width
    texts = letters(apart)
    spaced = any(" " in text or text == "aa" for text in texts)  # more than 26 letters stand apart
    named = [text.split() if spaced else list(text) for text in texts]
    for i in range(m):
        for j in range(m):
            assert bool(set(named[i]) & set(named[j])) != apart[i, j]
    assert len({name for some in named for name in some}) == max(m - width + 1, 1)


def test_the_guarantee_holds_where_all_systems_are_equal_and_finds_what_is_far_apart():
    rng = np.random.default_rng(7)
    wrong, collections = 0, 200
    for _ in range(collections):
        values = rng.normal(0, 1, (12, 1)) + rng.normal(0, [1.0, 0.5, 2.0, 1.0, 1.0, 0.3], (12, 6))
        covariance = np.diag([1.0, 0.25, 4.0, 1.0, 1.0, 0.09])
        found = guarantee(plain_means(values), covariance, 0.95, rng, 199)
        wrong += (found.p_values <= 0.05).any()
        assert ((found.low <= 0) & (found.high >= 0)).all() or (found.p_values <= 0.05).any()
    assert wrong / collections <= 0.05 + 3 * np.sqrt(0.05 * 0.95 / collections)
    apart = values + np.array([0, 0, 0, 50, 50, 50])
    p = guarantee(plain_means(apart), covariance, 0.95, rng, 199).p_values
    assert p[:3, 3:].max() <= 0.05 < p[:3, :3].min()


def test_one_pair_under_the_guarantee_is_its_t_test():
    values = np.random.default_rng(1).normal([0.1, 0.0], 0.2, (15, 2))
    found = guarantee(plain_means(values), np.cov(values.T), 0.9, np.random.default_rng(1), 40_000)
    result = stats.ttest_rel(values[:, 0], values[:, 1])
    assert found.p_values[0, 1] == pytest.approx(result.pvalue, abs=4 * np.sqrt(0.25 / 40_000))
    low, high = result.confidence_interval(0.9)
    assert (found.low[0, 1], found.high[0, 1]) == pytest.approx((low, high), abs=0.004)


def test_identical_systems_are_never_apart_and_constant_differences_always():
    values = np.random.default_rng(2).normal(0, 1, (10, 3))
    values[:, 1] = values[:, 0]
    values[:, 2] = values[:, 0] + 1.0
    covariance = np.ones((3, 3))
    found = guarantee(plain_means(values), covariance, 0.95, np.random.default_rng(3), 99)
    assert found.p_values[0, 1] == 1
    assert found.p_values[0, 2] == pytest.approx(0.01)
    assert (found.low[2, 0], found.high[2, 0]) == pytest.approx((1.0, 1.0))
