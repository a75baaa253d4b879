"""The tables of `eb` against integrals over its prior, closed forms, and each other."""

from __future__ import annotations

import importlib

import numpy as np
import pytest
from eb_samples import (
    Curves,
    by_integral,
    density_tolerance,
    panels,
    probability_tolerance,
    with_normal_prior,
)
from scipy.special import ndtr, voigt_profile
from scipy.stats import chi, norm

from truerank.reliability.estimators.eb import (
    EDGES,
    EFFECT,
    EFFECT_SPREAD,
    EFFECTS,
    FAR,
    FAR_SHARE,
    LEVEL,
    SHAPE,
    SHAPE_SPREAD,
    SHAPES,
    STATISTICS,
)

eb = importlib.import_module("truerank.reliability.estimators.eb")


def far_density(z, n):
    """Density of |z| when ζ is Cauchy: given u, zu is Cauchy plus normal, whose density is Voigt's."""
    log_u, weight = panels(np.linspace(np.log(1e-9), np.log(6), 41))
    u, root = np.exp(log_u), np.sqrt(n - 1)
    chance = weight * u * root * chi.pdf(u * root, n - 1)
    return 2 * voigt_profile(np.multiply.outer(z, u), 1, FAR) @ (u * chance)


@pytest.mark.parametrize("n", [3, 10])
def test_the_tables_are_the_integral_over_the_prior(n):
    table = Curves(n)
    columns = np.searchsorted(table.statistics, [0, 0.3, 1, 1.7, 2.5, 4, 6, 7.5, 12, 50, 300])
    rows = np.flatnonzero(np.isin(table.effects, EFFECTS[[0, 13, 20, 26, 39]]))
    assert len(rows) == 5 * len(SHAPES)
    z, effects, shapes = table.statistics[columns], table.effects[rows], table.shapes[rows]
    density, swapped = by_integral(z, n, effects, shapes)
    found = np.exp(table.log_density[np.ix_(rows, columns)])
    assert np.all(np.abs(found / density - 1) <= density_tolerance(z, n))
    off = np.abs(table.swapped[np.ix_(rows, columns)] - swapped)
    assert np.all(off <= probability_tolerance(n, effects, shapes)[:, None])


@pytest.mark.parametrize("n", [3, 10, 50])
def test_the_density_of_a_normal_prior_and_far_pairs_is_the_closed_form_and_voigts(n):
    table = Curves(n)
    rows = np.flatnonzero(table.shapes == 2.0)
    z = table.statistics
    density = (1 - FAR_SHARE) * with_normal_prior(z, n, table.effects[rows])[0]
    density += FAR_SHARE * far_density(z, n)
    error = np.abs(np.exp(table.log_density[rows]) / density - 1)
    assert np.all(error <= density_tolerance(z, n))


def test_the_grid_of_hyperparameters_and_their_prior():
    table = Curves(10)
    usual = table.effects >= EFFECTS[0] * 0.999
    np.testing.assert_allclose(
        sorted(zip(table.effects[usual], table.shapes[usual], strict=True)),
        [(c, b) for c in EFFECTS for b in SHAPES],
    )
    # A level density beside the log-normal one, whose peak is e^LEVEL times as high.
    density = norm.pdf(np.log(table.effects), np.log(EFFECT), EFFECT_SPREAD)
    expected = np.log(density + np.exp(-LEVEL) * norm.pdf(0, 0, EFFECT_SPREAD))
    expected += norm.logpdf(np.log(table.shapes), np.log(SHAPE), SHAPE_SPREAD)
    # A shape stands for half the way to either neighbour in log β; the first and the last for a whole step.
    steps = np.diff(np.log(SHAPES))
    widths = dict(zip(SHAPES, [steps[0], *(steps[1:] + steps[:-1]) / 2, steps[-1]], strict=True))
    expected += np.log([widths[b] for b in table.shapes])
    difference = table.log_prior - expected
    np.testing.assert_allclose(difference, difference[0], atol=1e-12)


@pytest.mark.parametrize("n", [3, 10, 249])
def test_swap_probabilities_fall_as_the_statistic_grows(n):
    """A larger z speaks for a larger ζ under any prior, so every curve falls."""
    table = Curves(n)
    assert np.diff(table.swapped, axis=1).max() <= 1e-7
    assert np.diff(table.swapped[:, table.statistics <= FAR], axis=1).max() < 0
    np.testing.assert_allclose(table.swapped[:, 0], 0.5, atol=1e-12)


@pytest.mark.parametrize("degrees", [3.0, 49.0])
def test_the_kernels_are_those_of_every_slice_and_every_scale(
    degrees: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The quick version leaves out scales of no weight, and slices that no normal distribution reaches."""
    plain = np.zeros((4, len(STATISTICS), len(EDGES) - 1))
    with monkeypatch.context() as patch:
        patch.setattr(eb, "UNLIKELY", -1.0)
        scales = eb.scale_nodes(degrees)
    for u, weight in zip(*scales, strict=True):
        c = (STATISTICS * u)[:, None]
        for place, side in enumerate((1, -1)):
            away = side * EDGES - c
            heights = norm.pdf(away)
            mass, slope = side * np.diff(ndtr(away), axis=1), side * np.diff(heights, axis=1)
            curve = side * np.diff((side * EDGES + c) * heights, axis=1)
            plain[place] += weight * u * mass
            plain[2] += weight * (c * mass - slope)
            plain[3] += weight * ((c**2 + 1) * mass - curve) / u
    prior = eb._prior(50.0)
    for quick, slow in zip(eb.kernels(degrees), plain, strict=True):
        np.testing.assert_allclose(prior @ quick.T, prior @ slow.T, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("degrees", [5.0, 1024.0])
def test_no_product_with_the_prior_underflows(degrees):
    """Processors take six times as long for numbers too small to be normal."""
    prior = eb._prior(degrees + 1)
    least = prior[prior > 0].min()
    for kernel in map(np.abs, eb.kernels(degrees)):
        assert kernel[kernel > 0].min() * least > np.finfo(np.float64).smallest_normal
