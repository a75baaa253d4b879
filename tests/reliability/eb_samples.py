"""What the tests of `eb` share: samples, and the plain versions of its integrals."""

from __future__ import annotations

import numpy as np
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.stats import gennorm, halfcauchy, nct
from scipy.stats import t as student

from truerank.reliability.estimators.eb import (
    FAR,
    FAR_SHARE,
    LARGEST,
    STATISTICS,
    grid,
    log_hyperprior,
    tables,
)


class Curves:
    """The tables for plain means of n topics."""

    def __init__(self, n, tables=tables):
        made = tables(n - 1, n)
        self.statistics = STATISTICS
        self.effects, self.shapes = grid(n)
        self.log_prior = log_hyperprior(self.effects, self.shapes)
        self.log_density = np.log(made.density)
        self.swapped = made.wrong / made.density


SLICE = 0.05
"""Width of the slices of ζ within which the tables take the prior to be flat, near 0."""


QUADRATURE = 1e-4
"""What the trapezoidal rule over u = s/σ and the wider slices far out may add to a relative error."""


FAR_SLICES = 0.016
"""Relative error of the density beyond FAR.

There a slice is 3.6% of its ζ wide and the Cauchy prior in it falls by 7%. A node of u may meet any part
of a slice: 7%/√12 = 2.1% of error, averaged over the 15 nodes that carry the weight, and three times that.
"""


def ranked(values):
    return values[:, np.argsort(-values.mean(axis=0), kind="stable")]


def panels(edges, count=12):
    """Gauss–Legendre nodes and weights on panels between edges."""
    x, w = np.polynomial.legendre.leggauss(count)
    half = np.diff(edges)[:, None] / 2
    return (edges[:-1, None] + half * (x + 1)).ravel(), (half * w).ravel()


ZETA, WEIGHT = panels(np.concatenate([[0.0], np.geomspace(0.02, 4 * LARGEST, 56)]))


def prior_of_size(n, c, beta):
    """Density of |ζ| at the nodes: generalised normal, scaled until E|ζ| = √n·√(2c/π) by quadrature."""
    mean_of_standard = WEIGHT @ (ZETA * 2 * gennorm.pdf(ZETA, beta))
    return 2 * gennorm.pdf(ZETA, beta, scale=np.sqrt(n * 2 * c / np.pi) / mean_of_standard)


def by_integral(z, n, effects, shapes):
    """Density of |z| and P(ζ < 0 | z), both H × Z, from SciPy's noncentral t."""
    near = np.array([prior_of_size(n, c, b) for c, b in zip(effects, shapes, strict=True)])
    prior = ((1 - FAR_SHARE) * near + FAR_SHARE * halfcauchy.pdf(ZETA, scale=FAR)) * WEIGHT
    right, wrong = (prior @ nct.pdf(z, n - 1, s * ZETA[:, None]) for s in (1, -1))
    return right + wrong, wrong / (right + wrong)


def with_normal_prior(z, n, effects):
    """Density of |z| and P(ζ < 0 | z), both H × Z, when ζ ~ N(0, κ²), κ² = c·n, and no pair is far.

    z is √(1 + κ²)·t, and ζ given z comes from the t with a degree of freedom more.
    """
    kappa2 = np.asarray(effects)[:, None] * n
    b = kappa2 / (1 + kappa2)
    density = 2 * student.pdf(z, n - 1, scale=np.sqrt(1 + kappa2))
    return density, student.cdf(-np.sqrt(b) * z * np.sqrt(n / (n - 1 + z**2 / (1 + kappa2))), n)


def density_tolerance(z, n):
    """Relative: a flat slice has h²/12 of variance, which a kernel of curvature (zu)² feels.

    Given z, (zu)² is near z²·n/(n − 1 + z²). Beyond FAR slices are wide.
    """
    near = SLICE**2 / 12 * np.maximum(1, z**2 * n / (n - 1 + z**2)) + QUADRATURE
    return np.where(z > FAR, np.maximum(near, FAR_SLICES), near)


def probability_tolerance(n, effects, shapes):
    """Absolute: a flat slice moves the mean of ζ by at most h²/12·p(0), the rest is a slope.

    P(ζ < 0 | z) changes with that mean at most by zu/2 ≤ √n/2. Where a slice is not narrow beside the prior,
    the next term counts: (h/κ)²/2 of that at most.
    """
    at_zero = np.array([2 * gennorm.pdf(0, b) for b in shapes])
    unit_mean = np.array([WEIGHT @ (ZETA * 2 * gennorm.pdf(ZETA, b)) for b in shapes])
    density_at_zero = at_zero * unit_mean / np.sqrt(n * 2 * effects / np.pi)
    first = SLICE**2 / 12 * density_at_zero * np.sqrt(n) / 2
    return first * (1 + SLICE**2 / (2 * n * effects)) + QUADRATURE / 4


scores_of_four_decimals = st.integers(0, 10_000).map(lambda k: k / 10_000)


precisions = st.sampled_from([0.0, 0.1, 0.2, 0.3, 0.5, 1.0])


def matrices(elements):
    return arrays(np.float64, st.tuples(st.integers(3, 12), st.integers(2, 6)), elements=elements).map(ranked)


any_matrix = st.one_of(matrices(scores_of_four_decimals), matrices(precisions))
