"""`eb` beside broken systems and nearly equal ones."""

from __future__ import annotations

import numpy as np
import pytest
from eb_samples import ranked
from scipy.stats import norm

from truerank.coefficients import TAU
from truerank.reliability.estimators.eb import eb
from truerank.reliability.estimators.published import ml


def retrieval_scores(n, m, rng):
    """Scores in [0, 1], hard topics hard for all; the systems' true order is that of the columns."""
    latent = 0.8 * rng.standard_normal((n, 1)) + 0.6 * rng.standard_normal((n, m))
    return norm.cdf(latent + norm.ppf(np.linspace(0.4, 0.1, m)) * 1.4)


def test_a_broken_system_and_a_far_better_one_say_nothing_about_the_others():
    n = 10
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
