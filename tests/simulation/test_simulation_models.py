"""The copula and effects models: their truth, their topics, what-if changes, and odd data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy import stats

import truerank
from truerank import simulation
from truerank.errors import InputError, UnknownNameError
from truerank.scores import ScoreMatrix
from truerank.simulation import COPULAS, CopulaFamily
from truerank.simulation.copulas import GaussianCopula, kendall_matrix
from truerank.simulation.effects import fit_effects, logit
from truerank.simulation.margins import BetaMargin, PointMargin


def toy(n=40, m=6, seed=1, discrete=False):
    """Beta scores with a common topic effect; by tenths where discrete."""
    rng = np.random.default_rng(seed)
    normal = 0.8 * rng.normal(size=(n, 1)) + 0.6 * rng.normal(size=(n, m))
    values = stats.beta.ppf(stats.norm.cdf(normal), np.linspace(0.6, 1.5, m), 3.0)
    return ScoreMatrix.build(np.round(values, 1 if discrete else 4), measure="P@10" if discrete else "AP")


def assert_mean_is_the_truth(model, topics=20_000, seed=1):
    values = model.draw(topics, np.random.default_rng(seed))
    assert ((values >= 0) & (values <= 1)).all()
    error = values.std(axis=0, ddof=1) / np.sqrt(topics)
    assert (np.abs(values.mean(axis=0) - model.true_means) <= 4 * error + 1e-12).all()
    return values


# ── copula ────────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.validation
@pytest.mark.parametrize("discrete", [False, True])
@pytest.mark.parametrize("copula", ["gaussian", "vine"])
def test_simulated_means_are_the_true_means_and_these_the_observed(discrete, copula):
    scores = toy(discrete=discrete)
    model = simulation.fit(scores, copula=copula)
    assert model.true_means.tolist() == pytest.approx(scores.means.tolist(), abs=1e-9)
    values = assert_mean_is_the_truth(model)
    if discrete:
        assert np.isin(np.round(values, 9), np.arange(11) / 10).all()


def test_identical_systems_stay_identical_and_constant_ones_constant():
    values = toy().values
    scores = ScoreMatrix.build(np.column_stack([values, values[:, 2], np.full(40, 0.3)]))
    for copula in ("gaussian", "vine"):
        model = simulation.fit(scores, copula=copula)
        drawn = model.draw(500, np.random.default_rng(1))
        np.testing.assert_array_equal(drawn[:, 6], drawn[:, 2])
        assert (drawn[:, 7] == 0.3).all()
        assert model.margins[7] == PointMargin(0.3)


def test_more_systems_than_topics():
    scores = toy(n=8, m=30)
    values = assert_mean_is_the_truth(simulation.fit(scores))
    pairs = np.triu_indices(30, 1)
    # The real τ_b of 8 topics make no valid matrix; the nearest one stays close.
    assert np.abs(kendall_matrix(values[:2_000]) - kendall_matrix(scores.values))[pairs].mean() < 0.05


odd = st.one_of(
    arrays(
        np.float64, st.tuples(st.integers(3, 8), st.integers(1, 6)), elements=st.sampled_from([0.0, 0.5, 1.0])
    ),
    arrays(np.float64, st.tuples(st.integers(3, 8), st.integers(1, 6)), elements=st.floats(0, 1, width=16)),
)


@given(odd, st.sampled_from(["copula", "effects"]))
def test_any_scores_in_the_unit_interval_can_be_simulated(values, simulator):
    scores = ScoreMatrix.build(values)
    if simulator == "effects" and scores.m < 2:
        return
    model = simulation.fit(scores, simulator)
    assert model.true_means.tolist() == pytest.approx(scores.means.tolist(), abs=1e-9)
    drawn = model.sample(20, seed=1)
    assert ((drawn.values >= 0) & (drawn.values <= 1)).all()


def test_equal_margins_make_equal_systems_and_a_wanted_difference_is_one():
    model = simulation.fit(toy(m=4))
    equal = model.with_margin("sys2", "sys3")
    assert equal.true_means[1] == equal.true_means[2]
    values = assert_mean_is_the_truth(equal)
    # Same margin, but not the same scores: the dependence is still that of the two systems.
    assert stats.ks_2samp(values[:2_000, 1], values[2_000:4_000, 2]).pvalue > 1e-3
    assert not np.array_equal(values[:, 1], values[:, 2])
    apart = model.with_means({"sys2": model.true_means[2] + 0.05})
    assert apart.true_means[1] - apart.true_means[2] == pytest.approx(0.05)
    assert_mean_is_the_truth(apart)
    assert apart.origin.changes == (f"means of sys2 = {apart.true_means[1]:g}",)
    own = model.with_margin("sys1", BetaMargin(2.0, 2.0))
    assert own.true_means[0] == 0.5


def test_changing_one_margin_leaves_the_other_systems_digits():
    model = simulation.fit(toy())
    before, after = model.sample(30, 5), model.with_means({"sys1": 0.7}).sample(30, 5)
    np.testing.assert_array_equal(before.values[:, 1:], after.values[:, 1:])


def test_copula_errors():
    scores = toy()
    for options, message in [
        ({"copula": "gausian"}, "did you mean 'gaussian'"),
        ({"margins": "beta-binomial"}, "finite support"),
        ({"truncation": 2}, "choose the copula 'vine'"),
        ({"support": "P@ten"}, "unknown support"),
        ({"support": [0.0, 1.0]}, "not on the support"),
    ]:
        with pytest.raises((InputError, UnknownNameError), match=message):
            simulation.fit(scores, **options)
    with pytest.raises(UnknownNameError, match="did you mean 'copula'"):
        simulation.fit(scores, "copulla")
    with pytest.raises(InputError, match="at least 3 topics"):
        simulation.fit(scores.values[:2])
    with pytest.raises(InputError, match=r"'sys1' on topic '2' is 1.5; .* rescale"):
        simulation.fit([[0.1, 0.2], [1.5, 0.3], [0.2, 0.2]])
    model = simulation.fit(scores)
    for bad in (0, 2.5, True):
        with pytest.raises(InputError, match="whole number"):
            model.sample(bad)
    with pytest.raises(InputError, match="seed"):
        model.sample(5, seed=-1)
    with pytest.raises(InputError, match=r"system 'sys1': .* between 0 and 1"):
        model.with_means({"sys1": 1.5})


# ── series and threads ────────────────────────────────────────────────────────────────────────────


def test_each_collection_of_a_series_has_its_own_stream():
    model = simulation.load_embedded("web2010-p10")
    first, second = model.sample(20, 3, collection=1), model.sample(20, 3, collection=2)
    assert model.sample(20, 3).fingerprint() == first.fingerprint()
    assert first.fingerprint() != second.fingerprint()
    assert model.sample(20, 4).fingerprint() != first.fingerprint()


# ── effects ───────────────────────────────────────────────────────────────────────────────────────


def test_the_effects_are_those_of_a_two_way_table():
    scores = toy()
    model = fit_effects(scores)
    y = logit(scores.values)
    again = np.array(model.levels) + model.topic_effects[:, None] + model.residuals[:, list(model.dimensions)]
    np.testing.assert_allclose(again, y, atol=1e-12)
    assert np.abs(model.residuals.mean(axis=0)).max() < 1e-12
    assert np.abs(model.residuals.mean(axis=1)).max() < 1e-12


def test_effects_keep_the_correlation_of_effects():
    scores = toy(n=60)
    model = fit_effects(scores)
    drawn = logit(model.draw(40_000, np.random.default_rng(4)))
    real = np.corrcoef(logit(scores.values).T)
    # Smoothing adds variance to each effect and clipping takes some; 0.1 is a small part of what 60
    # topics leave uncertain (standard error 0.13 at ρ = 0).
    assert np.abs(np.corrcoef(drawn.T) - real).max() < 0.1


def test_the_models_own_means_are_those_of_a_long_simulation():
    for options in ({}, {"normal": True}, {"homoscedastic": True}, {"uncorrelated": True}):
        model = fit_effects(toy(), truth="model", **options)
        assert_mean_is_the_truth(model, 100_000)
        assert model.true_means is model.model_means


def test_effects_with_wanted_means():
    model = fit_effects(toy()).with_means({"sys2": 0.4})
    assert model.truth == "model"
    assert model.true_means[1] == pytest.approx(0.4, abs=1e-9)
    assert_mean_is_the_truth(model, 100_000)
    with pytest.raises(InputError, match="between 0 and 1"):
        model.with_means({"sys2": 1.0})
    with pytest.raises(InputError, match="no margins"):
        model.with_margin("sys1", "sys2")


def test_collections_of_biased_topics_differ_more_in_difficulty_than_random_ones():
    base = fit_effects(toy())
    wild = fit_effects(toy(), topics="biased")
    means = [wild.sample(50, 1, k).values.mean() for k in range(40)]
    random = [base.sample(50, 1, k).values.mean() for k in range(40)]
    assert np.std(means) > 2 * np.std(random)


def test_effects_errors():
    with pytest.raises(InputError, match="2 systems"):
        fit_effects(toy(m=1))
    with pytest.raises(UnknownNameError, match="truth"):
        fit_effects(toy(), truth="orignal?")
    with pytest.raises(UnknownNameError, match="random"):
        fit_effects(toy(), topics="randm")


@pytest.mark.validation
@pytest.mark.parametrize(("file", "coefficient"), [("tau", truerank.tau), ("tauAP", truerank.tau_ap)])
def test_effects_reproduce_the_published_actual_correlations(data, file, coefficient):
    # The validation has all three topic set sizes; here the smallest, 300 collections.
    scores = truerank.read_scores(data / "trec" / "adhoc6_ap.csv").drop_bottom(0.25)
    model = fit_effects(scores)
    found = np.array([coefficient(model.true_means, model.sample(10, 1, k).means) for k in range(1, 301)])
    table = pd.read_csv(data / "published" / f"adhoc6_{file}.csv.gz")
    published = table.actual[table.n_t == 10]
    error = published.std() * np.sqrt(1 / 300 + 1 / len(published))
    assert abs(found.mean() - published.mean()) < 3 * error
    # Standard error of a standard deviation of nearly normal values: σ/√(2N).
    error = published.std() * np.sqrt(1 / 600 + 1 / (2 * len(published)))
    assert abs(found.std(ddof=1) - published.std()) < 3 * error


def test_a_copula_of_ones_own_gets_the_options_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COPULAS, "_things", dict(COPULAS))
    got: dict[str, Any] = {}

    def fit(values: Any, rng: Any, truncation: int = 1, threads: int = 1) -> GaussianCopula:
        got.update(truncation=truncation, threads=threads)
        return GaussianCopula.fit(values)

    COPULAS.register(CopulaFamily("mine", "my own", fit, GaussianCopula.rebuild))
    scores = np.random.default_rng(1).beta(2, 3, (20, 3))
    model = simulation.fit(scores, copula="mine", truncation=2, threads=3)
    assert got == {"truncation": 2, "threads": 3}
    assert np.allclose(model.true_means, scores.mean(axis=0))
