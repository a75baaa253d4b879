"""Simulators of many topics: kernels and bandwidths that grow with n, beside those that grow with n²."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.numerics import kernel_density
from truerank.simulation import kernels
from truerank.simulation.kernels import BetaKernelMargin, GaussianKernelMargin


@pytest.mark.parametrize("family", [GaussianKernelMargin, BetaKernelMargin])
def test_a_margin_of_few_kernels_is_that_of_all_scores(
    family: type[GaussianKernelMargin] | type[BetaKernelMargin], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(1).beta(1, 3, 900)
    x[:40] = 0.0
    whole = family.fit(x)
    monkeypatch.setattr(kernels, "MOST_CENTERS", 250)
    few = family.fit(x)
    assert (len(whole.centers), len(few.centers)) == (900, 250)
    assert few.bandwidth == pytest.approx(whole.bandwidth, rel=1e-12)
    points = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(few.cdf(points), whole.cdf(points), atol=2e-3)


@pytest.mark.parametrize("n", [1_001, 2_500])
def test_centers_keep_the_mean_also_where_they_do_not_divide_the_scores(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kernels, "MOST_CENTERS", 300)
    x = np.sort(np.random.default_rng(2).beta(0.5, 2, n))
    centers = kernels.kernel_centers(x)
    assert (np.diff(centers) >= 0).all()
    assert centers.mean() == pytest.approx(x.mean(), abs=1e-12)


def test_a_binned_bandwidth_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(3).gamma(2.0, 1.0, 1_500)
    plain = kernel_density.cdf_bandwidth(x)
    monkeypatch.setattr(kernel_density, "MOST_POINTS", 10)
    assert kernel_density.cdf_bandwidth(x) == pytest.approx(plain, rel=1e-4)
