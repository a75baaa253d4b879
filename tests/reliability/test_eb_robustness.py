"""`eb` on scores as they come: bounded, discrete, few, many, broken, nearly equal."""

from __future__ import annotations

import numpy as np
import pytest
from eb_samples import ranked, swapped_shares
from scipy.stats import norm

from truerank.coefficients import TAU
from truerank.reliability.estimators.eb import eb
from truerank.reliability.estimators.published import ml

CLOSE, FAR_APART = (0.3, 0.2), (0.4, 0.1)
"""Medians of the best and the worst system: c near 0.05 and 0.5, a third and thrice the median."""


def retrieval_scores(n, m, rng, discrete=None, medians=FAR_APART):
    """Scores in [0, 1], hard topics hard for all; the systems' true order is that of the columns."""
    latent = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, m))
    values = norm.cdf(latent + norm.ppf(np.linspace(*medians, m)) * 1.4)
    if discrete == "P@10":
        return np.round(values * 10) / 10
    if discrete == "RR":
        reciprocal = 1 / np.ceil(1 / np.maximum(values, 1e-3))
        return np.where(reciprocal < 0.02, 0.0, reciprocal)
    return values


@pytest.mark.parametrize(("discrete", "medians"), [(None, FAR_APART), ("P@10", CLOSE), ("RR", FAR_APART)])
def test_bias_on_bounded_and_discrete_scores_with_evenly_spaced_systems(discrete, medians):
    """No case of the model, and even spacing no draw from it: close systems gain, far ones lose a little.

    Far apart at ten topics, eb is too cautious, more than ml is; with normal scores the loss was
    0.025 of the pairs at most (0.05 in τ), which is what is allowed here.
    """
    rng = np.random.default_rng(12)
    n, m, trials = 10, 20, 100
    truth = -np.arange(m, dtype=float)
    off = np.empty((trials, 2))
    for k in range(trials):
        values = retrieval_scores(n, m, rng, discrete, medians)
        off[k] = [swapped_shares(estimator, values, truth) for estimator in (eb, ml)]
    bias, bias_of_ml = off.mean(axis=0)
    error, of_difference = (np.std(x) / np.sqrt(trials) for x in (off[:, 0], off[:, 0] - off[:, 1]))
    if medians == CLOSE:
        assert abs(bias) + 3 * of_difference < abs(bias_of_ml)
    else:
        assert -3 * error < bias < 0.025 + 3 * error


@pytest.mark.parametrize("discrete", [None, "P@10", "RR"])
@pytest.mark.parametrize(("n", "m"), [(3, 2), (3, 30), (5, 5), (50, 5), (20, 300), (120, 40)])
def test_estimates_are_sane_on_few_and_many_topics_and_systems(n, m, discrete):
    """Where topics and systems abound no prior says much: ml within 0.01 of τ; everywhere, probabilities."""
    values = ranked(retrieval_scores(n, m, np.random.default_rng(11), discrete))
    p = eb(values)
    assert np.all((p >= 0) & (p <= 0.5 + 1e-12))
    if n >= 20 and m >= 30:
        assert TAU.of_swaps(p) == pytest.approx(TAU.of_swaps(ml(values)), abs=0.01)


@pytest.mark.parametrize("n", [10, 50])
def test_a_broken_system_and_a_far_better_one_say_nothing_about_the_others(n):
    values = ranked(retrieval_scores(n, 30, np.random.default_rng(4)))
    without = TAU.of_swaps(eb(values))
    rng = np.random.default_rng(1)
    broken = np.zeros(n)
    better = 3 + 0.05 * rng.standard_normal(n)
    for extra in ([better], [broken], [better, broken]):
        table = ranked(np.column_stack([values, *extra]))
        others = np.flatnonzero(~np.any([np.all(table == e[:, None], axis=0) for e in extra], axis=0))
        assert len(others) == 30
        assert TAU.of_swaps(eb(table)[np.ix_(others, others)]) == pytest.approx(without, abs=0.03)


def with_an_outlier(z, rng):
    """Thirty close systems on ten topics, and a last one worse by z standard errors of a difference."""
    values = rng.standard_normal((10, 30)) + 0.3 * rng.standard_normal(30)
    outlier = values.mean() - z * np.sqrt(2 / 10) + rng.standard_normal(10)
    return ranked(values), outlier


def test_the_further_off_an_outlier_the_less_it_says_about_the_others_and_the_surer_its_place():
    """Between near and far it does say something: up to 0.05 of τ, gone where nothing else is so far."""
    distances = [4, 5, 6, 7, 8, 9, 12, 17, 50]
    moves, chances = [], []
    for z in distances:
        moved, of_outlier = np.empty(10), np.empty(10)
        for seed in range(10):
            values, outlier = with_an_outlier(z, np.random.default_rng(seed))
            table = ranked(np.column_stack([values, outlier]))
            place = np.flatnonzero(np.all(table == outlier[:, None], axis=0))[0]
            p = eb(table)
            others = np.delete(np.arange(31), place)
            moved[seed] = TAU.of_swaps(p[np.ix_(others, others)]) - TAU.of_swaps(eb(values))
            of_outlier[seed] = np.mean((p + p.T)[place, others])
        moves.append(abs(moved.mean()))
        chances.append(of_outlier.mean())
    assert max(moves) < 0.05
    assert max(moves[distances.index(17) :]) < 0.01
    assert np.all(np.diff(chances) < 0)
    assert 0.01 < chances[0] < 0.1
    assert max(chances[distances.index(17) :]) < 0.001


def test_twenty_near_duplicates_are_less_sure_among_themselves_than_ml_makes_them():
    """Copies of one system up to noise have no true order: half of all orders are wrong."""
    rng = np.random.default_rng(6)
    values = retrieval_scores(30, 10, rng)
    copies = values[:, [4]] + 1e-4 * rng.standard_normal((30, 20))
    table = np.column_stack([values, copies])
    order = np.argsort(-table.mean(axis=0), kind="stable")
    same = np.flatnonzero(order >= 10)

    def among(p):
        return np.mean(p[np.ix_(same, same)][np.triu_indices(20, 1)])

    assert among(ml(table[:, order])) < among(eb(table[:, order])) < 0.5
