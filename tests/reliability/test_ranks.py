"""Statements on ranks against plain loops, enumerations and closed forms."""

from __future__ import annotations

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.reliability.best import best_set
from truerank.reliability.cuts import tiers
from truerank.reliability.letters import letters
from truerank.reliability.rank_draws import KURTOSIS, scaled_draws, swaps_by_share
from truerank.reliability.ranks import rank_bands
from truerank.reliability.swaps import SwapDraws


def rankings(seed: int, m: int, draws: int, spread: float = 1.0) -> np.ndarray:
    """Ranks in draws of noisy scores, a permutation a row."""
    rng = np.random.default_rng(seed)
    scores = rng.normal(-spread * np.arange(m), 1.0, (draws, m))
    return stats.rankdata(-scores, axis=1).astype(np.int64)


def swaps_of(ranks: np.ndarray) -> SwapDraws:
    """The swaps of draws of whole rankings, counted pair by pair."""
    draws, m = ranks.shape
    gained, lost = np.zeros((draws, m), int), np.zeros((draws, m), int)
    for i, j in combinations(range(m), 2):
        swapped = ranks[:, i] > ranks[:, j]
        gained[:, j] += swapped
        lost[:, i] += swapped
    return SwapDraws(gained, lost)


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


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(2, 80), st.sampled_from([0.5, 0.8, 0.95]))
def test_joint_bands_have_the_largest_common_tail_that_holds_enough_draws(seed, m, draws, level):
    ranks = rankings(seed, m, draws, 0.7)
    found = rank_bands(ranks, level)
    own = (1 - level) / 2 * draws
    assert (found.low.tolist(), found.high.tolist()) == plain_band(ranks, own)
    for tail in [own, *(t for t in range(draws, -1, -1) if t < own)]:
        low, high = plain_band(ranks, tail)
        if ((ranks >= low) & (ranks <= high)).all(axis=1).mean() >= level - 1e-9:
            break
    assert (found.joint_low.tolist(), found.joint_high.tolist()) == (low, high)
    assert (found.joint_low <= found.low).all()
    assert (found.high <= found.joint_high).all()


@given(
    st.integers(0, 10_000),
    st.integers(2, 7),
    st.sampled_from([0.5, 0.8, 0.95]),
    st.floats(0.5, 3.0),
    st.booleans(),
)
def test_no_cut_lies_inside_a_band_and_all_of_it_holds_together(seed, m, level, spread, whole):
    ranks = rankings(seed, m, 90, spread)
    swaps = swaps_of(ranks)
    if not whole:  # draws of pairs that need not make a ranking
        rng = np.random.default_rng(seed)
        swapped = np.triu(rng.random((90, m, m)) < 0.04, 1)
        swaps = SwapDraws(swapped.sum(axis=1).astype(np.int32), swapped.sum(axis=2).astype(np.int32))
        ranks = swaps.ranks()
    cuts = tiers(swaps, level)
    found = rank_bands(ranks, level, tiers=cuts.tiers)
    ends = [r for r in range(1, m) if cuts.tiers[r - 1] != cuts.tiers[r]]
    for low, high in ((found.low, found.high), (found.joint_low, found.joint_high)):
        for r in ends:
            assert (high[:r] <= r).all()
            assert (low[r:] > r).all()
        alone = ((ranks >= low) & (ranks <= high)).mean(axis=0)
        assert (alone >= level - 1e-9).all()  # each interval by itself keeps its promise
    inside = ((ranks >= found.joint_low) & (ranks <= found.joint_high)).all(axis=1)
    hold = np.ones(90, dtype=bool)
    for r in ends:
        hold &= (swaps.lost - swaps.gained)[:, :r].sum(axis=1) == 0
    assert (inside & hold).mean() >= level - 1e-9
    assert (found.joint_low <= found.low).all()
    assert (found.high <= found.joint_high).all()


def test_bands_of_identical_systems_are_the_same():
    bands = rank_bands(rankings(1, 6, 400), 0.9, [[1, 2, 4]])
    for ends in (bands.low, bands.high, bands.joint_low, bands.joint_high):
        assert len(set(ends[[1, 2, 4]])) == 1


# The best -------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(2, 6), st.integers(1, 3), st.sampled_from([0.6, 0.9]))
def test_the_best_set_is_the_smallest_of_all_subsets(seed, m, k, level):
    ranks = rankings(seed, m, 60, 0.5)
    k = min(k, m)
    found = best_set(ranks, k, level)

    def held(subset):
        return np.mean([{s for s in range(m) if row[s] <= k} <= set(subset) for row in ranks])

    assert found.members.sum() == pytest.approx(k)
    assert held(found.systems) == pytest.approx(found.probability)
    assert found.probability >= level - 1e-12
    if k == 1:  # of several, systems enter by their own probability, which need not give the smallest set
        smaller = combinations(range(m), len(found.systems) - 1)
        assert all(held(subset) < level for subset in smaller)


@given(st.integers(0, 10_000), st.integers(1, 4))
def test_shared_places_are_drawn_without_order(seed, k):
    rng = np.random.default_rng(seed)
    ranks = rng.integers(1, 5, (30, 6))  # no rankings: places are shared and left out
    found = best_set(ranks, k, 0.7)
    shares = np.zeros(6)
    inside = 0.0
    for row in ranks:
        border = np.sort(row)[k - 1]
        sure, shared = np.flatnonzero(row < border), np.flatnonzero(row == border)
        choices = list(combinations(shared, k - len(sure)))
        for choice in choices:
            top = {*sure, *choice}
            shares[list(top)] += 1 / len(choices)
            inside += (top <= set(found.systems)) / len(choices)
    np.testing.assert_allclose(found.members, shares / 30)
    assert found.probability == pytest.approx(inside / 30)


def test_k_systems_are_named_only_where_each_is_above_all_others():
    ranks = np.array([[1, 2, 3]] * 97 + [[2, 1, 3]] * 3)
    above = np.triu(np.ones((3, 3), dtype=bool), 1)
    assert best_set(ranks, 1, 0.95, above=above).systems == (0,)
    above[0, 1] = False
    assert best_set(ranks, 1, 0.95, above=above).systems == (0, 1)


def test_identical_systems_share_and_enter_together():
    ranks = np.array([[1, 2, 3]] * 98 + [[3, 2, 1]] * 2)
    found = best_set(ranks, 1, 0.95, [[0, 1]])
    assert found.systems == (0, 1)
    assert found.members.tolist() == [0.49, 0.49, 0.02]


# Tiers ----------------------------------------------------------------------------------------------------


@given(st.integers(0, 10_000), st.integers(2, 7), st.sampled_from([0.5, 0.8, 0.95]))
def test_cuts_hold_where_no_pair_across_is_swapped(seed, m, level):
    ranks = rankings(seed, m, 70, 2.0)
    found = tiers(swaps_of(ranks), level)
    holds = np.array([[max(row[:r]) < min(row[r:]) for r in range(1, m)] for row in ranks])
    np.testing.assert_allclose(found.cuts, holds.mean(axis=0))
    chosen = [r for r in range(m - 1) if found.tiers[r] != found.tiers[r + 1]]
    together = holds[:, chosen].all(axis=1)
    assert found.probability == pytest.approx(together.mean())
    assert not chosen or together.mean() >= level
    for r in set(range(m - 1)) - set(chosen):  # no further cut fits
        assert (together & holds[:, r]).mean() < level


def test_no_cut_goes_where_a_pair_across_it_is_not_apart():
    draws = swaps_of(np.tile(np.arange(1, 6), (50, 1)))
    above = np.triu(np.ones((5, 5), dtype=bool), 1)
    assert tiers(draws, 0.9, above).tiers == (1, 2, 3, 4, 5)
    above[1, 3] = False
    assert tiers(draws, 0.9, above).tiers == (1, 2, 2, 2, 3)


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


@given(st.integers(0, 10_000), st.integers(2, 5), st.integers(1, 200))
def test_pairs_are_swapped_where_their_difference_is_lowest(seed, m, k):
    rng = np.random.default_rng(seed)
    values = rng.normal(size=(m, k))
    probabilities = np.triu(rng.random((m, m)), 1) * 0.6
    found = swaps_by_share(values, probabilities, np.random.default_rng(seed))
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
    values = scaled_draws(covariance, 40, 200_000, np.random.default_rng(2)).astype(float) * 2  # unit: 2
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


def test_a_single_pair_and_constant_systems_are_defined():
    draws = swaps_by_share(
        scaled_draws(np.zeros((2, 2)), 9, 100, np.random.default_rng(1)),
        np.array([[0.0, 0.25], [0.0, 0.0]]),
        np.random.default_rng(1),
    )
    assert draws.ranks().shape == (100, 2)
    assert set(np.unique(draws.ranks())) <= {1, 2}


@pytest.mark.parametrize("m", [3, 26, 27, 30, 60])
@pytest.mark.parametrize("width", [1, 2, 4])
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


def test_very_many_systems_have_no_letters() -> None:
    assert letters(np.zeros((301, 301), dtype=bool)) == (None,) * 301
    assert letters(np.zeros((300, 300), dtype=bool)) == ("a",) * 300
