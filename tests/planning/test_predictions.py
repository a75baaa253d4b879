"""What a pilot says of other collections, against integrals, plain simulation and enumeration."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from scipy.special import gamma, ndtr

from truerank.coefficients import TAU, TAU_AP
from truerank.numerics.intervals import first_reach
from truerank.numerics.pairs import root_of
from truerank.planning.beliefs import STATISTICS, Beliefs, after_pilot, before_scores, unbiased_spread
from truerank.planning.curves import (
    Curve,
    _contrasts,
    curve_of,
    draw_collections,
    total_sizes,
    winner_chances,
)
from truerank.reliability.estimators import eb
from truerank.reliability.means.means import plain_means
from truerank.scores import ranking_order


def pilot(n: int = 20, m: int = 12, seed: int = 1) -> np.ndarray:
    rng = np.random.default_rng(seed)
    x = rng.normal(size=(n, m)) + rng.normal(0, 0.4, m) + rng.normal(size=(n, 1))
    return np.ascontiguousarray(x[:, ranking_order(x.mean(axis=0))])


@pytest.fixture(scope="module")
def beliefs() -> Beliefs:
    return after_pilot(plain_means(pilot()))


def prior_density(beliefs: Beliefs, zeta: np.ndarray, point: int) -> np.ndarray:
    """π(ζ) at one point of the hyperparameters, from its formula; of groups, the slices of the prior."""
    if point >= len(eb.grid(beliefs.topics)[0]):
        return beliefs.prior.densities[point][np.searchsorted(eb.EDGES, np.abs(zeta), "right") - 1] / 2
    c, b, n = beliefs.prior.effects[point], beliefs.prior.shapes[point], beliefs.topics
    a = math.sqrt(2 * c / math.pi) * gamma(1 / b) / gamma(2 / b)
    own = np.exp(-((np.abs(zeta) / math.sqrt(n) / a) ** b)) * b / (2 * a * gamma(1 / b)) / math.sqrt(n)
    return (1 - eb.FAR_SHARE) * own + eb.FAR_SHARE / (math.pi * eb.FAR) / (1 + (zeta / eb.FAR) ** 2)


def by_integration(beliefs: Beliefs, z: float, wrong) -> float:
    """The average of ``wrong(ζ, u)`` over a pair's posterior of both, by plain sums on a fine grid."""
    nu = beliefs.degrees
    zeta = np.linspace(-14, 14 + z, 2401)[:, None]
    u = np.linspace(0.01, 3, 600)[None, :]
    log = nu * np.log(u) - nu * u**2 / 2 - (z * u - zeta) ** 2 / 2  # f(u)·u·φ(zu − ζ)
    likelihood = np.exp(log - log.max())
    kept, total = (likelihood * wrong(zeta, u)).sum(axis=1), likelihood.sum(axis=1)
    found = 0.0
    for point in np.flatnonzero(beliefs.prior.weights > 1e-6):
        prior = prior_density(beliefs, zeta[:, 0], point)
        found += beliefs.prior.weights[point] * (prior @ kept) / (prior @ total)
    return found


def of_pairs(beliefs, curve):
    """A curve over tabulated statistics at each pair's z; 0 where all differences are equal."""
    known = np.isfinite(beliefs.pairs)
    return np.where(known, np.interp(np.where(known, beliefs.pairs, 0.0), STATISTICS, curve), 0.0)


@pytest.mark.parametrize(("place", "topics"), [(0, 5), (5, 20), (40, 300)])
def test_a_new_collection_by_integration(beliefs, place, topics):
    n = beliefs.topics
    expected = by_integration(
        beliefs, beliefs.pairs[place], lambda zeta, u: ndtr(-np.sqrt(topics / n) * np.abs(zeta)) + 0 * u
    )
    assert of_pairs(beliefs, beliefs._error_curve(topics))[place] == pytest.approx(
        expected, abs=1e-3, rel=5e-3
    )


@pytest.mark.parametrize(("place", "added"), [(0, 0), (40, 3), (0, 20), (40, 2000)])
def test_an_extension_by_integration(beliefs, place, added):
    """ζ and u together: without the factor u of the density this would be 0.003 to 0.009 too low."""
    n, z = beliefs.topics, beliefs.pairs[place]

    def wrong(zeta, u):
        if added == 0:
            return (zeta < 0) + 0 * u
        total = math.sqrt(n) * z * u + added * zeta / math.sqrt(n)
        return ndtr(-np.sign(zeta) * total / math.sqrt(added))

    expected = by_integration(beliefs, z, wrong)
    assert of_pairs(beliefs, beliefs._extension_curve(added))[place] == pytest.approx(
        expected, abs=1.5e-3, rel=1e-2
    )


def test_an_extension_by_nothing_is_the_estimator(beliefs):
    mine = 1 - 2 * beliefs.wrong_by_extension([0.0])[0]
    assert mine == pytest.approx(TAU.of_swaps(eb.eb(pilot())), abs=5e-4)


def test_pairs_with_equal_differences_are_never_wrong():
    x = pilot(m=4)
    x[:, 1] = x[:, 0] - 0.25
    believed = after_pilot(plain_means(x))
    assert of_pairs(believed, believed._error_curve(3))[0] == 0
    drawn = draw_collections(believed, [3.0], [TAU], 64, np.random.default_rng(1))
    assert np.isfinite(drawn.values["tau"]).all()


def test_before_scores_with_a_normal_prior():
    """With β = 2 the expected τ of n topics is 1 − (2/π) arctan(1/κ), κ² = nc
    (docs/methods/empirical-bayes.md)."""
    believed = before_scores(9, effect=0.1)
    c, prior = 0.1, believed.prior
    weights = np.zeros_like(prior.weights)
    weights[np.flatnonzero((prior.shapes == 2) & (prior.weights > 0))] = 1.0
    only = replace(believed, prior=replace(prior, weights=weights))
    for n in (10, 50, 200):
        tau = 1 - 2 * only.wrong([n])[0]
        assert tau == pytest.approx(1 - 2 / math.pi * math.atan(1 / math.sqrt(n * c)), abs=2e-4)


@pytest.mark.parametrize("extend", [False, True])
def test_draws_are_the_closed_form_on_average(beliefs, extend):
    sizes = [1.0, 10.0, 40.0, 200.0]
    drawn = draw_collections(beliefs, sizes, [TAU], 4096, np.random.default_rng(2), extend)
    wrong = beliefs.wrong_by_extension(sizes) if extend else beliefs.wrong(sizes)
    error = drawn.values["tau"].std(axis=1) / 64
    # The most likely u stands for its distribution in the draws of an extension.
    slack = 0.01 if extend else 0.002
    assert np.all(np.abs(drawn.values["tau"].mean(axis=1) - (1 - 2 * wrong)) < 4 * error + slack)


def test_the_coupling_keeps_the_second_moment():
    """Shrunk for the least error of each, correlations have too small a second moment; these have not."""
    rng = np.random.default_rng(7)
    m, n = 30, 20
    loadings = rng.normal(size=(m, 3))
    covariance = loadings @ loadings.T + np.eye(m)
    scale = 1 / np.sqrt(np.diag(covariance))
    covariance *= np.outer(scale, scale)
    root = np.linalg.cholesky(covariance)
    found = []
    for _ in range(200):
        x = rng.standard_normal((n, m)) @ root.T
        found.append(np.sum(unbiased_spread(x - x.mean(axis=0), n - 1) ** 2))
    true = np.sum(covariance**2)
    assert np.mean(found) == pytest.approx(true, abs=4 * np.std(found) / math.sqrt(200) + 0.02 * true)


def curve(beliefs: Beliefs, coefficient=TAU) -> Curve:
    sizes = total_sizes(beliefs.topics, False)
    drawn = draw_collections(beliefs, sizes.tolist(), [TAU, TAU_AP], 512, np.random.default_rng(8))
    return curve_of(beliefs, coefficient, drawn, sizes, False, 0.9)


def test_topics_for_the_lower_end_by_plain_simulation():
    """Each truth's own collections, drawn one by one, say how many topics it takes for 95% of them."""
    believed = after_pilot(plain_means(pilot(8, 10, seed=3)))
    m, target = believed.systems, 0.8
    rng = np.random.default_rng(5)
    points = np.resize(believed.points, 384)
    different, which = np.unique(points, return_inverse=True)
    tables = np.stack([believed.quantiles(int(point)) for point in different]).astype(np.float32)
    i, j = np.triu_indices(m, 1)
    deviations, root = believed.deviations[i, j], root_of(believed.covariance)
    truth = (rng.standard_normal((len(points), m)) @ root).T
    score = ((truth[i] - truth[j]) / deviations[:, None]).astype(np.float32)
    contrasts = _contrasts(believed, tables, which, score, False)[0]
    noise = rng.standard_normal((400, m)) @ root
    g = (noise[:, i] - noise[:, j]) / deviations
    sizes = total_sizes(believed.topics, False)
    each = []
    for d in contrasts.T:
        tau = [1 - 2 * ((math.sqrt(n) * d + g) * d < 0).mean(axis=1) for n in sizes]
        each.append(first_reach(sizes, np.quantile(tau, 0.05, axis=1), target))
    low, high = np.quantile(each, [0.05, 0.95], method="inverted_cdf")
    found = curve(believed).needed(target)[1]
    assert 0.6 < found.low / low < 1.6
    assert 0.6 < found.high / high < 1.6


def test_where_a_curve_reaches_a_target():
    topics = np.array([10.0, 100.0, 1000.0])
    assert first_reach(topics, np.array([0.5, 0.7, 0.9]), 0.6) == math.ceil(10**1.5)
    assert first_reach(topics, np.array([0.5, 0.7, 0.9]), 0.4) == 10
    assert first_reach(topics, np.array([0.5, 0.7, 0.9]), 0.95) == math.inf


def test_chances_of_the_best_system_by_plain_simulation():
    """Two systems: the chance of the better one is Φ(√n δ), averaged over the posterior."""
    believed = after_pilot(plain_means(pilot(20, 2, seed=9)))
    sizes = np.array([5.0, 50.0])
    drawn = draw_collections(believed, sizes.tolist(), [TAU], 2048, np.random.default_rng(10))
    chances = winner_chances(believed, drawn, sizes, np.random.default_rng(11)).mean(axis=0)
    right = 1 - believed.wrong(sizes)
    assert chances == pytest.approx(right, abs=4 * 0.25 / math.sqrt(256) + 0.01)
