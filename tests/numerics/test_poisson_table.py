"""Poisson counts from a table: exactly the distribution, the tail included, however the stream is cut."""

import numpy as np
import pytest
from scipy import stats

from truerank.numerics.poisson_table import PoissonTable

RATES = [0.5, 1.0, 2.0, 10.0, 1_000.0]


def words_above(table: PoissonTable, k: int) -> int:
    """How many of the 2⁶⁴ words stand for a count above k: halving, as counts fall when words rise."""
    low, high = 0, 2**64  # words below `low` do, those from `high` on do not
    while low < high:
        middle = (low + high) // 2
        if table.counts(np.array([middle], dtype=np.uint64))[0] > k:
            low = middle + 1
        else:
            high = middle
    return low


@pytest.mark.parametrize("rate", RATES)
def test_as_many_words_for_a_count_as_its_probability_says(rate):
    table = PoissonTable(rate)
    poisson = stats.poisson(rate)
    for k in np.unique(np.linspace(0, poisson.isf(1e-15), 40).astype(int)):
        above = words_above(table, k) / 2**64
        assert 1 - above == pytest.approx(poisson.cdf(k), abs=1e-15)
        # In the tail that holds for nearly nothing too; there the terms are summed to know it.
        terms = poisson.pmf(np.arange(k + 1, k + 200))
        if above < 0.1:
            assert above == pytest.approx(terms.sum(), rel=1e-9, abs=2**-63)


@pytest.mark.parametrize("rate", RATES)
def test_counts_fall_as_words_rise(rate):
    """What the halving above rests on: at random words, and on both sides of every edge of a cell."""
    edges = np.arange(1, 2**12, dtype=np.uint64) << np.uint64(52)
    words = np.random.default_rng(1).integers(0, 2**64, 20_000, dtype=np.uint64)
    words = np.sort(np.concatenate([words, edges, edges - np.uint64(1)]))
    assert np.all(np.diff(PoissonTable(rate).counts(words).astype(int)) <= 0)


@pytest.mark.parametrize("rate", RATES[:-1])
def test_draws_have_the_distribution(rate):
    """Chi-square over counts expected five times or more, the tails joined."""
    n = 200_000
    drawn = PoissonTable(rate).draw((n // 100, 100), np.random.default_rng(3))
    first, last = stats.poisson.ppf([5 / n, 1 - 5 / n], rate).astype(int)
    counts = np.bincount(np.clip(drawn.ravel(), first, last) - first)
    upto = stats.poisson.cdf(np.arange(first, last), rate)
    expected = n * np.diff(upto, prepend=0, append=1)
    assert stats.chisquare(counts, expected).pvalue > 0.01


def test_draws_do_not_depend_on_how_many_are_drawn_at_a_time():
    table = PoissonTable(1.0)
    rng = np.random.default_rng(5)
    pieces = [table.draw((rows, 7), rng) for rows in (1, 9, 90)]
    assert np.array_equal(np.concatenate(pieces), table.draw((100, 7), np.random.default_rng(5)))
