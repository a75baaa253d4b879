"""Margins against scipy.stats, closed forms, enumeration and their own samples."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats
from scipy.integrate import quad
from scipy.optimize import minimize

from truerank.errors import InputError, UnknownNameError
from truerank.numerics import kernel_density
from truerank.simulation import FAMILIES, margin_families
from truerank.simulation.margin_families import (
    BetaKernelMargin,
    DiscreteKernelMargin,
    GaussianKernelMargin,
    fit_margin,
    margin_from_json,
    margin_to_json,
)
from truerank.simulation.margins import (
    SHAPES,
    BetaBinomialMargin,
    BetaMargin,
    PointMargin,
    TruncatedNormalMargin,
    interior,
    with_mean,
)

TENTHS = np.arange(11) / 10
RECIPROCAL = np.array([0, 1 / 5, 1 / 4, 1 / 3, 1 / 2, 1])
SPIKES = tuple(np.repeat([0.04, 0.5, 0.95], [40, 30, 30]).tolist())
CONTINUOUS = {
    "beta": BetaMargin(0.6, 2.5),
    "beta, narrow": BetaMargin(0.05, 60.0),
    "beta, bell": BetaMargin(4.0, 9.0),
    "normal, cut": TruncatedNormalMargin(0.25, 0.25),
    "normal, far tail": TruncatedNormalMargin(-4.0, 0.5),
    "normal, beyond 1": TruncatedNormalMargin(1.5, 0.2),
    "gaussian kernels": GaussianKernelMargin(SPIKES, 0.03, 5.0),
    "beta kernels": BetaKernelMargin((0.0, 0.0, 0.1, 0.3, 0.5, 1.0), 0.02, 5.0),
}
DISCRETE = {
    "beta-binomial": BetaBinomialMargin(tuple(TENTHS), 0.7, 1.5),
    "beta-binomial on RR": BetaBinomialMargin(tuple(RECIPROCAL), 0.5, 0.5),
    "discrete kernels": DiscreteKernelMargin(tuple(TENTHS), (20, 0, 0, 0, 0, 10, 0, 0, 0, 0, 20), 0.1, 3.0),
    "point": PointMargin(0.25),
}
EVERY = CONTINUOUS | DISCRETE


@pytest.mark.parametrize("margin", CONTINUOUS.values(), ids=CONTINUOUS)
def test_continuous_cdf_and_quantile_invert_each_other(margin):
    u = np.random.default_rng(1).random(4_000)
    assert np.abs(margin.cdf(margin.quantile(u)) - u).max() < 4e-6  # as promised


@pytest.mark.parametrize("margin", DISCRETE.values(), ids=DISCRETE)
def test_discrete_quantile_is_the_smallest_score_that_reaches_u(margin):
    u = np.random.default_rng(2).random(500)
    q = margin.quantile(u)
    assert np.isin(q, margin.points).all()
    assert (margin.cdf(q) >= u - 1e-12).all()
    assert (margin.cdf(q - 1e-6) < u + 1e-12).all()


@pytest.mark.parametrize("margin", CONTINUOUS.values(), ids=CONTINUOUS)
def test_density_is_the_slope_of_the_cdf(margin):
    x = margin.quantile(np.linspace(0.05, 0.95, 19))
    step = 1e-4 * np.minimum(x, 1 - x)
    slope = (margin.cdf(x + step) - margin.cdf(x - step)) / (2 * step)
    np.testing.assert_allclose(slope, margin.density(x), rtol=1e-4, atol=1e-9)


@pytest.mark.parametrize("margin", EVERY.values(), ids=EVERY)
def test_mean_variance_and_samples_agree(margin):
    x = margin.sample(100_000, np.random.default_rng(3))
    assert ((x >= 0) & (x <= 1)).all()
    error = x.std() / np.sqrt(len(x))
    assert abs(x.mean() - margin.mean) <= 4 * error + 1e-15
    # Four standard errors of a variance: √(μ₄ − σ⁴)/√N.
    spread = np.sqrt(max(np.mean((x - x.mean()) ** 4) - x.var() ** 2, 0) / len(x))
    assert abs(x.var() - margin.variance) <= 4 * spread + 1e-9


@pytest.mark.parametrize("margin", EVERY.values(), ids=EVERY)
def test_ends(margin):
    q = margin.quantile(np.array([0.0, 1.0]))
    assert ((q >= 0) & (q <= 1)).all()
    assert margin.cdf(np.array([-0.1, 1.0])).tolist() == pytest.approx([0.0, 1.0], abs=1e-12)
    assert margin.density(np.array([-0.5, 1.5])).tolist() == [0.0, 0.0]


@pytest.mark.parametrize("margin", EVERY.values(), ids=EVERY)
def test_json_brings_back_the_same_digits(margin):
    u = np.linspace(0, 1, 101)
    moved = [] if isinstance(margin, PointMargin) else [with_mean(margin, margin.mean * 0.9)]
    for each in (margin, *moved):
        again = margin_from_json(margin_to_json(each))
        assert again.quantile(u).tolist() == each.quantile(u).tolist()
        assert again.mean == each.mean
        assert again.degrees == each.degrees


def test_beta_is_scipys():
    x = np.linspace(0.01, 0.99, 50)
    np.testing.assert_allclose(BetaMargin(0.6, 2.5).density(x), stats.beta(0.6, 2.5).pdf(x))


@pytest.mark.parametrize(("mu", "sigma"), [(0.25, 0.25), (-4.0, 0.5), (1.5, 0.2), (0.5, 2.0)])
def test_truncated_normal_is_scipys(mu, sigma):
    ours, theirs = TruncatedNormalMargin(mu, sigma), stats.truncnorm(-mu / sigma, (1 - mu) / sigma, mu, sigma)
    x, u = np.linspace(0, 1, 41), np.linspace(0.001, 0.999, 41)
    np.testing.assert_allclose(ours.density(x), theirs.pdf(x), rtol=1e-9)
    np.testing.assert_allclose(ours.cdf(x), theirs.cdf(x), atol=1e-12)
    np.testing.assert_allclose(ours.quantile(u), theirs.ppf(u), rtol=1e-8)
    # The mean comes from the tabulated quantile function, right to 1e-6.
    assert ours.mean == pytest.approx(theirs.mean(), abs=1e-6)


def test_beta_binomial_is_scipys():
    ours = BetaBinomialMargin(tuple(TENTHS), 0.7, 1.5)
    np.testing.assert_allclose(ours.masses, stats.betabinom(10, 0.7, 1.5).pmf(np.arange(11)))


def test_gaussian_kernels_are_a_mixture_of_scipys_truncated_normals():
    ours, h = GaussianKernelMargin((0.0, 0.1, 0.95), 0.05, 1.0), 0.05
    x = np.linspace(0, 1, 21)
    parts = [stats.truncnorm(-c / h, (1 - c) / h, c, h) for c in (0.0, 0.1, 0.95)]
    np.testing.assert_allclose(ours.density(x), np.mean([p.pdf(x) for p in parts], axis=0))
    assert ours.mean == pytest.approx(np.mean([p.mean() for p in parts]), abs=1e-6)


def test_beta_kernels_are_a_mixture_of_scipys_betas():
    ours, b = BetaKernelMargin((0.0, 0.1, 0.95), 0.05, 1.0), 0.05
    x = np.linspace(0, 1, 21)
    parts = [stats.beta(c / b + 1, (1 - c) / b + 1) for c in (0.0, 0.1, 0.95)]
    np.testing.assert_allclose(ours.cdf(x), np.mean([p.cdf(x) for p in parts], axis=0), atol=1e-14)
    assert ours.mean == pytest.approx(np.mean([p.mean() for p in parts]), abs=1e-6)


def test_discrete_kernel_by_hand():
    # Counts (2, 0, 1), λ = 0.5: kernel weights 1, ¼, ⅛ over their sum on the support, for each score.
    margin = DiscreteKernelMargin((0.0, 0.5, 1.0), (2, 0, 1), 0.5, 1.0)
    end, left, right = 1 / 1.375, 0.25 / 1.375, 0.125 / 1.375
    expected = [(2 * end + right) / 3, (2 * left + left) / 3, (2 * right + end) / 3]
    assert margin.masses.tolist() == pytest.approx(expected)


def test_discrete_kernel_cross_validation_is_the_best_of_a_fine_grid():
    scores = np.random.default_rng(4).choice(TENTHS, 60, p=np.arange(11, 0, -1) / 66)
    counts = np.array([np.isclose(scores, s).sum() for s in TENTHS])

    def loss(bandwidth):  # score by score, as the definition reads
        def masses(of):
            kept = tuple(float(c) for c in of)
            return DiscreteKernelMargin(tuple(TENTHS), kept, bandwidth, 1.0).masses

        one_out = [masses(counts - (np.arange(11) == i))[i] * counts[i] for i in np.flatnonzero(counts)]
        return np.sum(masses(counts) ** 2) - 2 * sum(one_out) / len(scores)

    fitted = DiscreteKernelMargin.fit(scores, TENTHS)
    best = min(loss(b) for b in np.linspace(0, 1, 201))
    assert loss(fitted.bandwidth) <= best + 1e-6


@pytest.mark.parametrize("shapes", SHAPES)
@pytest.mark.parametrize(("a", "b"), [(0.3, 3.0), (0.5, 0.6), (3.0, 5.0)])
def test_shapes_are_another_optimisers_maximum_within_the_bounds(a, b, shapes):
    # scipy's densities, another optimiser, and a and b themselves rather than their logs.
    low, rng = 1.0 if shapes == "bounded" else 1e-3, np.random.default_rng(10)
    for n in (6, 48):
        x = interior(rng.beta(a, b, n))
        rounded = np.rint(10 * x)

        def beta_loss(p, x=x):
            return -stats.beta.logpdf(x, *p).sum()

        def beta_binomial_loss(p, rounded=rounded):
            return -stats.betabinom.logpmf(rounded, 10, *p).sum()

        for scores, family, support, loss in (
            (x, "beta", None, beta_loss),
            (rounded / 10, "beta-binomial", TENTHS, beta_binomial_loss),
        ):
            ours = fit_margin(scores, [family], support=support, shapes=shapes)
            assert min(ours.a, ours.b) >= low
            best = minimize(loss, (1.5, 1.5), method="Nelder-Mead", bounds=[(low, 1e3)] * 2).fun
            assert loss((ours.a, ours.b)) <= best + 1e-3
            assert -ours.log_likelihood(scores) == pytest.approx(loss((ours.a, ours.b)), rel=1e-9)


def test_the_bounded_maximum_is_not_the_free_one_cut_off():
    # With a held at 1 the other shape has a closed form: b = −1 / mean log(1 − x).
    x = interior(stats.beta(0.4, 3.0).rvs(80, random_state=1))
    free, bounded = (fit_margin(x, ["beta"], shapes=shapes) for shapes in ("free", "bounded"))
    assert free.a < 1 < free.b
    assert (bounded.a, bounded.b) == (1.0, pytest.approx(-1 / np.log1p(-x).mean(), rel=1e-5))
    assert abs(bounded.b - free.b) > 0.5


@given(st.lists(st.sampled_from([0.0, 0.0001, 0.1, 0.2, 0.3, 0.5, 0.9, 1.0]), min_size=3, max_size=40))
def test_bounded_margins_have_bounded_densities_and_no_more_likelihood(values):
    x, u = np.array(values), np.linspace(0, 1, 201)
    if np.ptp(x) == 0:
        return
    for name, scores, support in (("beta", x, None), ("beta-binomial", np.round(x, 1), TENTHS)):
        if np.ptp(scores) == 0:
            continue
        free, bounded = (fit_margin(scores, [name], support=support, shapes=s) for s in ("free", "bounded"))
        # Where a binomial fits best the shapes have no maximum: both searches stop on a plateau.
        assert free.log_likelihood(scores) >= bounded.log_likelihood(scores) - 1e-2
        assert min(bounded.a, bounded.b) >= 1
        assert bounded.degrees == free.degrees == 2
        for margin in (bounded, with_mean(bounded, bounded.mean * 0.9)):
            if support is None:
                assert np.isfinite(margin.density(np.array([0.0, 1.0]))).all()
                assert np.abs(margin.cdf(margin.quantile(u)) - u).max() < 1e-6
            else:  # the masses have a single top: they never rise again after they fell
                steps = np.sign(np.round(np.diff(margin.density(TENTHS)), 12))
                assert (np.diff(steps[steps != 0]) <= 0).all()
                assert (margin.cdf(margin.quantile(u)) >= u - 1e-12).all()


@pytest.mark.parametrize("criterion", ["loglik", "aic", "bic"])
def test_the_selected_margin_has_the_best_criterion(criterion):
    x = BetaMargin(0.8, 3.0).sample(50, np.random.default_rng(8))
    penalty = {"loglik": 0.0, "aic": 2.0, "bic": np.log(50)}[criterion]
    continuous = [f for f in FAMILIES.values() if not f.discrete]
    costs = {f.name: penalty * (m := f.fit(x, None)).degrees - 2 * m.log_likelihood(x) for f in continuous}
    assert fit_margin(x, criterion=criterion).family == min(costs, key=costs.__getitem__)


samples = st.lists(st.sampled_from([0.0, 0.0001, 0.05, 0.1, 0.5, 0.55, 0.9, 1.0]), min_size=3, max_size=30)


@given(samples)
def test_effective_degrees_of_freedom_lie_between_1_and_n(values):
    x = np.array(values)
    if np.ptp(x) == 0:
        return
    for family in (GaussianKernelMargin, BetaKernelMargin):
        assert 1 <= family.fit(x).degrees <= len(x)
    for name in ("discrete-kernel", "discrete-kernel-2", "discrete-kernel-10"):
        assert 1 <= FAMILIES[name].fit(x, np.unique(x)).degrees <= len(x)


@pytest.mark.parametrize("margin", EVERY.values(), ids=EVERY)
@pytest.mark.parametrize("wanted", [0.02, 0.8])
def test_a_moved_margin_has_the_wanted_mean(margin, wanted):
    if isinstance(margin, PointMargin) or not 0.01 < margin.mean < 0.9:
        return  # too far to go: test_a_mean_out_of_reach_is_said
    moved = with_mean(margin, wanted)
    assert moved.mean == wanted
    by_integration = quad(lambda x: 1 - float(moved.cdf(x)), 0, 1, points=[0.04, 0.25, 0.5, 0.95], limit=400)[
        0
    ]
    # The promise is 1e-5; scipy's adaptive integral of steps and of F near 0 is right to about 2e-6.
    assert by_integration == pytest.approx(wanted, abs=1e-5)
    x = moved.sample(20_000, np.random.default_rng(9))
    assert abs(x.mean() - wanted) <= 4 * x.std() / np.sqrt(len(x)) + 1e-9
    spread = np.sqrt(max(np.mean((x - x.mean()) ** 4) - x.var() ** 2, 0) / len(x))
    assert abs(x.var() - moved.variance) <= 4 * spread + 1e-9


def test_a_moved_discrete_margin_keeps_its_support_and_its_mass_is_the_step_of_its_cdf():
    moved = with_mean(BetaBinomialMargin(tuple(TENTHS), 0.7, 1.5), 0.55)
    masses = moved.density(TENTHS)
    np.testing.assert_allclose(masses, np.diff(moved.cdf(TENTHS), prepend=0.0), atol=1e-12)
    assert masses @ TENTHS == pytest.approx(0.55, abs=1e-9)
    assert moved.density(np.array([0.05])) == 0.0


def test_moving_is_the_published_transformation():
    # G = Beta(a, b) ∘ F, by scipy's beta distribution.
    for wanted in (0.1, 0.4):
        moved = with_mean(BetaMargin(0.6, 2.5), wanted)
        x = np.linspace(0.01, 0.99, 21)
        np.testing.assert_allclose(
            moved.cdf(x), stats.beta(moved.a, moved.b).cdf(stats.beta(0.6, 2.5).cdf(x)), rtol=1e-9
        )
        assert min(moved.a, moved.b) == 1.0


def test_a_mean_out_of_reach_is_said():
    with pytest.raises(InputError, match="within reach"):
        with_mean(PointMargin(0.3), 0.4)
    with pytest.raises(InputError, match="within reach"):
        with_mean(BetaBinomialMargin((0.2, 0.4), 1.0, 1.0), 0.5)
    with pytest.raises(InputError, match="between 0 and 1"):
        with_mean(BetaMargin(1.0, 2.0), 1.0)


def test_errors():
    with pytest.raises(UnknownNameError, match="did you mean 'beta'"):
        fit_margin([0.1, 0.2], ["betta"])
    with pytest.raises(UnknownNameError, match=r"kind of shapes 'bound'.*did you mean 'bounded'"):
        fit_margin([0.1, 0.2], shapes="bound")
    with pytest.raises(UnknownNameError, match="criterion"):
        fit_margin([0.1, 0.2], criterion="dic")
    with pytest.raises(InputError, match="needs a support"):
        fit_margin([0.1, 0.2], ["beta-binomial"])
    with pytest.raises(InputError, match=r"0\.15 is not on the support"):
        fit_margin([0.1, 0.15], support=TENTHS)


@pytest.mark.parametrize("family", [GaussianKernelMargin, BetaKernelMargin])
def test_a_margin_of_few_kernels_is_that_of_all_scores(
    family: type[GaussianKernelMargin] | type[BetaKernelMargin], monkeypatch: pytest.MonkeyPatch
) -> None:
    x = np.random.default_rng(1).beta(1, 3, 900)
    x[:40] = 0.0
    whole = family.fit(x)
    monkeypatch.setattr(margin_families, "MOST_CENTERS", 250)
    few = family.fit(x)
    assert (len(whole.centers), len(few.centers)) == (900, 250)
    assert few.bandwidth == pytest.approx(whole.bandwidth, rel=1e-12)
    points = np.linspace(0.0, 1.0, 101)
    np.testing.assert_allclose(few.cdf(points), whole.cdf(points), atol=2e-3)


@pytest.mark.parametrize("n", [1_001, 2_500])
def test_centers_keep_the_mean_also_where_they_do_not_divide_the_scores(
    n: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(margin_families, "MOST_CENTERS", 300)
    x = np.sort(np.random.default_rng(2).beta(0.5, 2, n))
    centers = margin_families.kernel_centers(x)
    assert (np.diff(centers) >= 0).all()
    assert centers.mean() == pytest.approx(x.mean(), abs=1e-12)


def test_a_binned_bandwidth_is_that_of_all_pairs(monkeypatch: pytest.MonkeyPatch) -> None:
    x = np.random.default_rng(3).gamma(2.0, 1.0, 1_500)
    plain = kernel_density.cdf_bandwidth(x)
    monkeypatch.setattr(kernel_density, "MOST_POINTS", 10)
    assert kernel_density.cdf_bandwidth(x) == pytest.approx(plain, rel=1e-4)
