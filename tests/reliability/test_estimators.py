"""The estimators, each against a plain version written pair by pair, and against published figures."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.special import erfinv
from scipy.stats import norm, rankdata
from scipy.stats import t as student

import truerank
from truerank._support.seeds import stream
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError
from truerank.numerics import kernel_density
from truerank.numerics.kernel_density import plug_in_bandwidth, share_below_zero
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.estimators.estimator import (
    replicate_means,
    resampled,
)
from truerank.reliability.estimators.published import bias_correction, kd, ml, msqd
from truerank.reliability.means.means import plain_means
from truerank.scores import ScoreMatrix
from validation.published import published_kd

continuous = arrays(
    np.float64, st.tuples(st.integers(3, 12), st.integers(2, 6)), elements=st.floats(0, 1, width=32)
)
discrete = arrays(
    np.float64,
    st.tuples(st.integers(3, 12), st.integers(2, 6)),
    elements=st.sampled_from([0, 0.1, 0.2, 0.3, 1]),
)
matrices = st.one_of(continuous, discrete).map(lambda v: v[:, np.argsort(-v.mean(0), kind="stable")])


def pair_by_pair(values, probability):
    m = values.shape[1]
    table = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            d = values[:, i] - values[:, j]
            table[i, j] = 0.0 if np.ptp(d) <= 1e-12 else probability(d)
    return table


def plain_ml(d):
    n = len(d)
    sigma = d.std(ddof=1) * math.sqrt((n - 1) / 2) * math.gamma((n - 1) / 2) / math.gamma(n / 2)
    return student.cdf(-math.sqrt(n) * d.mean() / sigma, n - 1)


def plain_msqd(d):
    n = len(d)
    e = erfinv(2 * rankdata(np.round(d, 10)) / (n + 1) - 1)
    sigma = math.sqrt(2) * np.sum((d - d.mean()) * e) / (2 * np.sum(e**2)) if np.any(e) else 0.0
    return student.cdf(-math.sqrt(n) * d.mean() / sigma, n - 1) if sigma > 0 else 0.0


@given(matrices)
def test_ml_is_the_plain_version(values):
    np.testing.assert_allclose(ml(values), pair_by_pair(values, plain_ml), atol=1e-10)


@given(matrices)
def test_msqd_is_the_plain_version_with_average_ranks(values):
    np.testing.assert_allclose(msqd(values), pair_by_pair(values, plain_msqd), atol=1e-10)


def test_the_bias_correction_makes_s_unbiased():
    rng = np.random.default_rng(1)
    for n in (3, 5, 20):
        s = rng.standard_normal((100_000, n)).std(axis=1, ddof=1) * bias_correction(n)
        assert s.mean() == pytest.approx(1, abs=4 * s.std() / math.sqrt(len(s)))


def test_identical_and_constantly_better_systems_are_never_swapped():
    rng = np.random.default_rng(1)
    a = rng.random(20)
    values = np.column_stack([a + 0.1, a, a])
    sample = TopicSample(values, 1000, seed=1)
    for name in ("ml", "msqd", "res", "kd"):
        assert not ESTIMATORS.find(name).fit(sample).probabilities.any(), name


def test_a_tied_pair_is_swapped_with_probability_one_half():
    values = np.array([[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [0.2, 0.3], [0.3, 0.2]])
    assert ml(values)[0, 1] == pytest.approx(0.5)
    assert msqd(values)[0, 1] == pytest.approx(0.5)


def test_the_bootstrap_is_balanced_and_joint():
    values = np.eye(7)
    replicates = replicate_means(plain_means(values).replicates, 2500, stream(3))
    # With the identity as scores, a replicate's means are the topics' shares.
    np.testing.assert_allclose(replicates.sum(axis=0), 1)
    np.testing.assert_allclose(replicates.mean(axis=1), 1 / 7, atol=1e-12)


def test_res_approaches_the_enumerated_bootstrap():
    values = np.array([[0.9, 0.2], [0.1, 0.4], [0.5, 0.3]])
    d = values[:, 0] - values[:, 1]
    means = [(d[a] + d[b] + d[c]) / 3 for a in range(3) for b in range(3) for c in range(3)]
    exact = np.mean(np.array(means) < -1e-12)
    resamples = 40_000
    found = resampled(replicate_means(plain_means(values).replicates, resamples, stream(1)))[0][0, 1]
    assert found == pytest.approx(exact, abs=4 * math.sqrt(exact * (1 - exact) / resamples))


def plain_bandwidth(x):
    """Two-stage plug-in, all n² pairs, no binning (Wand & Jones 1995)."""
    n = len(x)
    scale = min(x.std(ddof=1), (np.quantile(x, 0.75) - np.quantile(x, 0.25)) / 1.349)
    if scale <= 1e-12:
        return 0.0
    z = x / scale
    u = z[:, None] - z[None, :]

    def psi(g, r):
        v = u / g
        he = {4: v**4 - 6 * v**2 + 3, 6: v**6 - 15 * v**4 + 45 * v**2 - 15}[r]
        return np.sum(he * norm.pdf(v)) / (n**2 * g ** (r + 1))

    # ψ₈ of a normal density: 105 / (32 √π); then g = (−2 φ⁽ʳ⁾(0) / (ψ_{r+2} n))^{1/(r+3)}.
    psi8 = 105 / (32 * math.sqrt(math.pi))
    g6 = (2 * 15 / math.sqrt(2 * math.pi) / (psi8 * n)) ** (1 / 9)
    g4 = (-2 * 3 / math.sqrt(2 * math.pi) / (psi(g6, 6) * n)) ** (1 / 7)
    return scale * (1 / (2 * math.sqrt(math.pi) * psi(g4, 4) * n)) ** (1 / 5)


@pytest.mark.parametrize(("most", "tolerance"), [(1e9, 1e-7), (0, 5e-3)])
def test_the_bandwidth_is_that_of_all_pairs_of_points(monkeypatch, most, tolerance):
    monkeypatch.setattr(kernel_density, "MOST_TERMS", most)
    rng = np.random.default_rng(5)
    for n in (10, 50, 200):
        two = np.where(rng.random(n) < 0.5, -3, 3) + 0.3 * rng.standard_normal(n)
        some = [rng.standard_normal(n), rng.gamma(2, size=n), rng.choice([-0.1, 0, 0.1, 0.2], n), two]
        expected = [plain_bandwidth(row) for row in some]
        np.testing.assert_allclose(plug_in_bandwidth(np.vstack(some)), expected, rtol=tolerance)


def test_a_pilot_too_wide_for_transforms_goes_to_bins(monkeypatch):
    x = np.random.default_rng(1).standard_normal((20, 30))
    expected = plug_in_bandwidth(x)
    monkeypatch.setattr(kernel_density, "WIDEST", 0.9)  # of some rows
    np.testing.assert_allclose(plug_in_bandwidth(x), expected, rtol=5e-3)


def discrete(n, m, step, most):
    """Scores of 0 to `most` steps."""
    rng = np.random.default_rng(n)
    values = step * rng.binomial(most, np.linspace(0.6, 0.3, m), (n, m))
    return values[:, np.argsort(-values.mean(0), kind="stable")]


@pytest.mark.parametrize(("n", "step", "most"), [(60, 1, 1), (120, 0.25, 4), (200, 0.05, 20)])
def test_kd_is_that_of_the_bandwidth_of_all_pairs_of_points(n, step, most):
    values = discrete(n, 6, step, most)
    points = np.ascontiguousarray((values[:, :, None] - values[:, None, :])[:, *np.triu_indices(6, 1)].T)
    bandwidths = np.array([plain_bandwidth(d) for d in points])
    usable = bandwidths > 0
    expected = ml(values)[np.triu_indices(6, 1)]
    expected[usable] = share_below_zero(points[usable], bandwidths[usable])
    np.testing.assert_allclose(kd(values)[np.triu_indices(6, 1)], expected, rtol=0, atol=2e-4)


def estimates_of(scores, name, **settings):
    sample = TopicSample(scores.ranked().values, **settings)
    p = ESTIMATORS.find(name).fit(sample).probabilities
    return TAU.of_swaps(p), TAU_AP.of_swaps(p)


def test_published_figures_of_adhoc6(data):
    scores = truerank.read_scores(data / "trec" / "adhoc6_ap.csv")
    assert estimates_of(scores, "ml") == pytest.approx((0.856061, 0.812693), abs=6e-7)
    assert estimates_of(scores, "msqd") == pytest.approx((0.860027, 0.816099), abs=1e-5)
    # Published from T = 1,000: one estimate has a Monte Carlo error of about 0.0012.
    assert estimates_of(scores, "res", seed=1) == pytest.approx((0.862, 0.819), abs=3 * 0.0012 + 0.0005)
    assert estimates_of(scores, "kd", seed=1) == pytest.approx((0.858, 0.814), abs=3 * 0.0012 + 0.0005)


def test_msqd_on_scores_full_of_ties(data):
    scores = truerank.read_scores(data / "trec" / "web2010_p10.csv")
    ranked = scores.ranked().values
    plain = pair_by_pair(ranked, plain_msqd)
    assert estimates_of(scores, "msqd") == pytest.approx(
        (TAU.of_swaps(plain), TAU_AP.of_swaps(plain)), abs=1e-9
    )


def test_split_half_finds_the_published_figures(data):
    scores = truerank.read_scores(data / "trec" / "adhoc6_ap.csv")
    published = {"sh-w": ((0.8945, 0.8606), 0.003), "sh-wo": ((0.8810, 0.8491), 0.002)}
    for name, (expected, per_run) in published.items():
        runs = [
            ESTIMATORS.find(name).estimates(scores.values, (TAU, TAU_AP), stream(s, name)) for s in range(10)
        ]
        mean = [np.mean([r[c].estimate for r in runs]) for c in ("tau", "tau_ap")]
        assert mean == pytest.approx(expected, abs=3 * per_run / math.sqrt(10) + 5e-5)


def test_full_size_split_half_is_the_mean_over_all_resamples_on_a_tiny_case():
    values = np.array([[0.9, 0.2], [0.1, 0.4], [0.5, 0.3]])
    d = values[:, 0] - values[:, 1]
    signs = [np.sign(round(d[a] + d[b] + d[c], 9)) for a in range(3) for b in range(3) for c in range(3)]
    # τ of two systems: −1 when the second sample strictly reverses the first; a first tie keeps input order.
    outcomes = [-1 if (b < 0 if a >= 0 else b > 0) else 1 for a in signs for b in signs]
    result = ESTIMATORS.find("sh").estimates(values, (TAU,), stream(1, "sh"))["tau"]
    standard_error = result.observations.std() / math.sqrt(len(result.observations))
    assert len(result.observations) == 1000
    assert result.estimate == pytest.approx(np.mean(outcomes), abs=4 * standard_error)


def test_split_half_certain_too_small_and_without_estimate():
    a = np.linspace(0, 1, 12)
    certain = np.column_stack([a + 0.2, a + 0.1, a])
    for name in ("sh-w", "sh-wo"):
        assert ESTIMATORS.find(name).estimates(certain, (TAU,), stream(1))["tau"].estimate == 1.0
        with pytest.raises(InputError, match="at least four topics, not 3"):
            ESTIMATORS.find(name).estimates(certain[:3], (TAU,), stream(1))


@given(matrices)
def test_probabilities_do_not_depend_on_scale_or_topic_order(values):
    scores = ScoreMatrix.build(values)
    for function in (ml, msqd):
        expected = function(scores.values)
        np.testing.assert_allclose(function(scores.values[::-1].copy()), expected, atol=1e-9)
        np.testing.assert_allclose(function(scores.values * 4), expected, atol=1e-9)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (np.zeros((2, 2)), r"'mine' must give 4 × 4 swap probabilities, not \(2, 2\)"),
        (None, r"'mine' must give 4 × 4 swap probabilities, not \(\)"),
        (np.triu(np.full((4, 4), 2.0), 1), "'mine' gave 2, which is not a probability"),
        (np.triu(np.full((4, 4), np.nan), 1), "'mine' gave nan, which is not a probability"),
        (np.full((4, 4), 0.5), "'mine' must give 0 on and below the diagonal"),
    ],
)
def test_what_a_users_estimator_gives_is_checked(given, message):
    mine = PairEstimator("mine", "mine", lambda sample: given)
    with pytest.raises(InputError, match=message):
        truerank.assess(np.random.default_rng(1).uniform(size=(8, 4)), [mine], draws=10)


@pytest.mark.validation
def test_the_published_kd_leaves_out_the_maximum_and_differs_by_nothing_else(data):
    """At 10 topics: with the maximum far off the published values, without it within Monte Carlo error."""
    import pandas as pd

    table = pd.read_csv(data / "published" / "adhoc6_collections.csv.gz").query("n_t == 10")
    estimates = pd.read_csv(data / "published" / "adhoc6_tau.csv.gz").query("n_t == 10").set_index("trial")
    off = []
    for trial, group in table.groupby("trial"):
        values = ScoreMatrix.build(group.iloc[:, 2:].to_numpy()).ranked().values
        published = estimates.loc[trial, "KD"]
        off.append([TAU.of_swaps(p(values)) - published for p in (kd, published_kd)])
    mean, error = np.mean(off, axis=0), np.std(off, axis=0, ddof=1) / len(off) ** 0.5
    assert mean[0] < -10 * error[0]
    assert abs(mean[1]) < 3.3 * error[1]
