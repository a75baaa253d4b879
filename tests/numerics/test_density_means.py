"""The mean of draws from a kernel density, against every bootstrap sample of a few points."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.special import ndtr

from truerank.numerics import kernel_density
from truerank.numerics.kernel_density import share_below_zero


def by_enumeration(d: np.ndarray, h: float) -> float:
    """Each of the nⁿ bootstrap samples has a normal mean with variance h²/n."""
    n = len(d)
    means = np.array([np.mean(sample) for sample in itertools.product(d, repeat=n)])
    return float(np.mean(ndtr(-np.sqrt(n) * means / h)))


@given(st.integers(0, 10_000), st.floats(0.05, 2))
def test_against_every_bootstrap_sample(seed, relative):
    d = np.random.default_rng(seed).normal(0.5, 1, 5)
    h = relative * d.std()
    assert share_below_zero(d[None], np.array([h]))[0] == pytest.approx(by_enumeration(d, h), abs=1e-8)


def test_a_narrow_kernel_leaves_the_bootstrap_share():
    d = np.array([-0.3, 0.1, 0.25, 0.4])
    assert share_below_zero(d[None], np.array([1e-9]))[0] == pytest.approx(by_enumeration(d, 1e-9), abs=1e-8)
    # A mean of exactly 0, which two of the four samples have, counts half.
    assert share_below_zero(np.array([[-1.0, 1.0]]), np.array([1e-9]))[0] == pytest.approx(0.5, abs=1e-10)


def test_rows_do_not_depend_on_each_other():
    rng = np.random.default_rng(1)
    d = rng.normal(rng.uniform(-0.5, 0.5, (40, 1)), rng.uniform(0.1, 2, (40, 1)), (40, 12))
    h = rng.uniform(0.01, 1, 40)
    alone = [share_below_zero(d[k : k + 1], h[k : k + 1])[0] for k in range(40)]
    assert share_below_zero(d, h) == pytest.approx(alone, abs=1e-14)
    assert share_below_zero(-d, h) == pytest.approx(1 - np.array(alone), abs=1e-12)
    scaled = share_below_zero(d * 1e80, h * 1e80)
    assert scaled == pytest.approx(alone, abs=1e-12)


@pytest.mark.parametrize("step", [0.0, 0.5])
def test_nodes_are_skipped_only_where_there_is_nothing(monkeypatch, step):
    # On a grid, the transform comes back to 1 far from where it first vanishes.
    rng = np.random.default_rng(3)
    d = rng.normal(rng.uniform(-0.2, 0.2, (20, 1)), rng.uniform(0.3, 1, (20, 1)), (20, 300))
    d = np.rint(d / step) * step if step else d
    h = np.full(20, 0.02)
    found = share_below_zero(d, h)
    monkeypatch.setattr(kernel_density, "NEGLIGIBLE", 0.0)  # every node
    assert share_below_zero(d, h) == pytest.approx(found, abs=1e-13)
