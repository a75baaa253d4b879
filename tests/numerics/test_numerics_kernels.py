"""The kernels that several rooms share, each against a plain version."""

from __future__ import annotations

import itertools
import math
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from truerank.coefficients import TAU
from truerank.numerics import pairs as module
from truerank.numerics import resampling
from truerank.numerics.pairs import (
    absolute_t_of_samples,
    critical_t,
    doubly_centered,
    mirror,
    paired_t,
    squared_distances,
    t_statistics,
    two_sided_p,
)
from truerank.numerics.resampling import (
    all_resamples,
    balanced_counts,
    balanced_sums,
    bootstrap_counts,
    disjoint_blocks,
)
from truerank.reliability.estimators.split_half import extrapolated, full_size
from truerank.reliability.means.means import plain_means


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    rng = np.random.default_rng(3)
    return rng.beta(1, 2, (23, 1)) + rng.normal(0, 0.1, (23, 7))


def test_paired_t_is_scipys_pair_by_pair(scores: np.ndarray) -> None:
    t = paired_t(scores)
    p = two_sided_p(t, len(scores))
    for i, j in itertools.combinations(range(scores.shape[1]), 2):
        theirs = stats.ttest_rel(scores[:, i], scores[:, j])
        assert t[i, j] == pytest.approx(theirs.statistic, rel=1e-12)  # positive where i is the better
        assert p[i, j] == pytest.approx(theirs.pvalue, rel=1e-10)
    assert not np.tril(t).any()


def test_t_of_samples_is_that_of_each_sample(scores: np.ndarray) -> None:
    samples = np.stack([scores, scores[::-1] ** 2, scores + np.arange(7)])
    t = absolute_t_of_samples(samples)
    upper = np.triu_indices(7, 1)
    for sample, found in zip(samples, t, strict=True):
        np.testing.assert_allclose(found, np.abs(paired_t(sample))[upper], rtol=1e-9)


def test_t_where_all_differences_are_equal() -> None:
    differences = np.array([[0.25] * 4, [-0.1 - 1e-14, -0.1, -0.1, -0.1], [0.0] * 4, [1e-14, 0, 0, 0]])
    assert t_statistics(differences).tolist() == [math.inf, -math.inf, 0.0, 0.0]


def test_half_widths_are_those_of_scipys_interval(scores: np.ndarray) -> None:
    mean, half = scores.mean(axis=0), plain_means(scores).half_widths(0.9)
    theirs = stats.t.interval(0.9, len(scores) - 1, mean, stats.sem(scores, axis=0))
    np.testing.assert_allclose([mean - half, mean + half], theirs, rtol=1e-10)
    assert critical_t(0.1, len(scores)) == pytest.approx(stats.t.ppf(0.95, len(scores) - 1), rel=1e-10)


def plain_bootstrap(n: int, resamples: int, rng: np.random.Generator, size: int) -> np.ndarray:
    """Item by item, from the same stream."""
    counts = np.zeros((resamples, n), dtype=int)
    for row in counts:
        for item in rng.integers(0, n, size):
            row[item] += 1
    return counts


@given(n=st.integers(1, 12), resamples=st.integers(1, 9), size=st.integers(1, 12), seed=st.integers(0, 99))
def test_bootstrap_counts_are_the_plain_ones(n: int, resamples: int, size: int, seed: int) -> None:
    ours = bootstrap_counts(n, resamples, np.random.default_rng(seed), size)
    np.testing.assert_array_equal(ours, plain_bootstrap(n, resamples, np.random.default_rng(seed), size))


@given(n=st.integers(1, 12), resamples=st.integers(1, 9), seed=st.integers(0, 99))
def test_balanced_counts_have_every_item_equally_often(n: int, resamples: int, seed: int) -> None:
    counts = balanced_counts(n, resamples, np.random.default_rng(seed))
    assert counts.shape == (resamples, n)
    assert (counts.sum(axis=1) == n).all()
    assert (counts.sum(axis=0) == resamples).all()


@given(n=st.integers(2, 15), resamples=st.integers(1, 9), seed=st.integers(0, 99))
def test_disjoint_blocks_share_no_item(n: int, resamples: int, seed: int) -> None:
    size = n // 2
    blocks = disjoint_blocks(n, size, resamples, np.random.default_rng(seed))
    first, second = map(np.concatenate, zip(*blocks, strict=True))
    assert len(first) == len(second) == resamples
    assert ((first + second) <= 1).all()
    assert (first.sum(axis=1) == size).all()
    assert (second.sum(axis=1) == size).all()


def test_all_resamples_are_all_draws_with_replacement() -> None:
    """Three topics: the counts of all 27 orders of drawing."""
    counts, orders = all_resamples(3)
    every = Counter(
        tuple(int(np.sum(np.array(drawn) == item)) for item in range(3))
        for drawn in itertools.product(range(3), repeat=3)
    )
    assert dict(zip(map(tuple, counts.tolist()), orders.tolist(), strict=True)) == every


def plain_residuals(values: np.ndarray) -> np.ndarray:
    """Least squares on a grand mean, row and column effects, by their design matrix."""
    n, m = values.shape
    rows, columns = np.repeat(np.arange(n), m), np.tile(np.arange(m), n)
    design = np.column_stack([np.ones(n * m), np.eye(n)[rows], np.eye(m)[columns]])
    fitted = design @ np.linalg.lstsq(design, values.ravel(), rcond=None)[0]
    return (values.ravel() - fitted).reshape(n, m)


def test_double_centring_is_what_least_squares_leaves(scores: np.ndarray) -> None:
    before = scores.copy()
    np.testing.assert_allclose(doubly_centered(scores), plain_residuals(scores), atol=1e-12)
    np.testing.assert_array_equal(scores, before)


def plain_balanced_sums(values: np.ndarray, resamples: int, rng: np.random.Generator) -> np.ndarray:
    """The sums over the resamples of one permutation of all copies of all items."""
    n = len(values)
    items = rng.permutation(np.repeat(np.arange(n), resamples)).reshape(resamples, n)
    return values[items].sum(axis=1).T


def test_balanced_sums_are_those_of_one_permutation() -> None:
    values = np.random.default_rng(1).normal(size=(40, 3))
    ours = balanced_sums(values, 25, np.random.default_rng(2))
    np.testing.assert_allclose(ours, plain_balanced_sums(values, 25, np.random.default_rng(2)), atol=1e-12)


def test_balanced_sums_beyond_what_numpy_takes_are_balanced_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(resampling, "WHOLE_VALUES", 0)
    monkeypatch.setattr(resampling, "MOST_BALANCED", 30)
    sums = balanced_sums(np.eye(10), 7, np.random.default_rng(4))
    np.testing.assert_allclose(sums.sum(axis=0), 10)
    for part in np.array_split(sums, 3, axis=1):
        np.testing.assert_allclose(part.sum(axis=1), part.shape[1])


@pytest.mark.parametrize("work", ["sh", "sh-w", "sh-wo"])
def test_split_half_has_the_digits_of_whole_matrices(
    work: str, scores: np.ndarray, monkeypatch: pytest.MonkeyPatch
) -> None:
    def observations() -> np.ndarray:
        rng = np.random.default_rng(5)
        if work == "sh":
            return full_size(scores, [TAU], rng)["tau"].observations
        return extrapolated(work == "sh-w", scores, [TAU], rng)["tau"].observations

    monkeypatch.setattr(resampling, "CHUNK_VALUES", 1 << 30)  # every sample at once
    whole = observations()
    monkeypatch.setattr(resampling, "CHUNK_VALUES", 50)  # two samples at a time
    np.testing.assert_allclose(observations(), whole, rtol=1e-9, atol=1e-12)


def plain(values: np.ndarray, equal: float) -> np.ndarray:
    """One pair after the other."""
    m = values.shape[1]
    found = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            d = values[:, i] - values[:, j]
            found[i, j] = 0.0 if np.abs(d).max() <= equal else np.sum(d * d)
    return found


@pytest.mark.parametrize("many", [0, 1_000])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_both_ways_are_the_plain_one(monkeypatch: pytest.MonkeyPatch, many: int, shift: float) -> None:
    monkeypatch.setattr(module, "MANY", many)
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    rng = np.random.default_rng(1)
    values = rng.random((30, 40)) + shift * rng.random((30, 1))
    values[:, 5] = values[:, 9]
    values[:, 7] = values[:, 3] + 1e-6 * rng.random(30)
    values[:, 11] = values[:, 3] + 0.25
    values[:, [20, 21]] = 0.3
    found = squared_distances(values, 1e-14)
    np.testing.assert_allclose(found, plain(values, 1e-14), rtol=1e-11)
    assert found[5, 9] == found[20, 21] == 0 < found[3, 7]


def test_columns_as_near_as_said_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 0)
    assert squared_distances(np.array([[1e-3, 0.0], [0.0, 0.0]]), 1e-3)[0, 1] == 0
    assert squared_distances(np.zeros((3, 2)), 1e280)[0, 1] == 0


def test_a_mirrored_table_is_symmetric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.numerics.pairs.MIRRORED", 3)
    table = np.triu(np.random.default_rng(1).random((8, 8)))
    expected = table + np.triu(table, 1).T
    mirror(table)
    np.testing.assert_array_equal(table, expected)


FIRST = "from truerank.numerics.special import ndtr; assert 'scipy.special._basic' not in sys.modules"
THEN = "import scipy.special; from truerank.numerics.special import polygamma, stdtrit"
SAME = (
    "assert (ndtr, stdtrit, polygamma) == tuple(map(scipy.special.__dict__.get, "
    "('ndtr', 'stdtrit', 'polygamma'))); assert scipy.special.logsumexp([0.0]) == 0"
)
THREADED = (
    "import threading; threading.Thread(target=threading.Event().wait, daemon=True).start(); "
    "from truerank.numerics.special import ndtr; assert 'scipy.special._basic' in sys.modules"
)


@pytest.mark.parametrize("script", [f"{FIRST}; {THEN}; {SAME}", f"{THREADED}; {THEN}; {SAME}"])
def test_the_functions_are_scipy_s_own(script):
    """Without all of `scipy.special` where it can be, as another thread might see it half made."""
    subprocess.run([sys.executable, "-c", f"import sys; {script}"], check=True)
