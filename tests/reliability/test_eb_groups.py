"""`eb` where systems fall into groups of nearly equal ones: one ahead of equals, tiers."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import numpy as np
import pytest
from eb_samples import ranked
from scipy.optimize import minimize
from scipy.special import logsumexp
from scipy.stats import cauchy, nct, norm

import truerank
from truerank._support.notes import Note
from truerank.coefficients import TAU
from truerank.reliability.estimators import groups
from truerank.reliability.estimators.eb import FAR, FAR_SHARE, eb, grid, posterior
from truerank.reliability.means.means import plain_means


def table(seed, truth, n, error=0.1):
    rng = np.random.default_rng(seed)
    values = rng.normal(0.5, 0.15, (n, 1)) + truth + rng.normal(0, error, (n, len(truth)))
    order = np.argsort(-values.mean(axis=0), kind="stable")
    return values[:, order], np.asarray(truth)[order]


def ahead(seed, n):
    spread = 0.0015 * np.random.default_rng(1_000 + seed).standard_normal(20)
    return table(seed, np.append(spread, 0.05), n)


def largest_likelihood(center, errors, k, spread):
    """Of K groups with that spread in each, the largest from many starts of a general optimizer."""
    total = np.sqrt(errors**2 + spread**2)[:, None]

    def minus(x):
        shares = x[:k] - logsumexp(x[:k])
        return -logsumexp(norm.logpdf(center[:, None], x[k:], total) + shares, axis=1).sum()

    rng = np.random.default_rng(1)
    starts = (np.append(rng.normal(0, 0.5, k), rng.choice(center, k)) for _ in range(8))
    return max(-minimize(minus, start, method="L-BFGS-B").fun for start in starts)


def test_fits_against_a_general_optimizer():
    values, _ = table(3, np.repeat([0.0, 0.06], 4), 60)
    rest = values - values.mean(axis=1, keepdims=True)
    errors = rest.std(axis=0, ddof=1) / np.sqrt(len(values))
    unit = np.sqrt(np.mean(errors**2))
    center = (values.mean(axis=0) - values.mean()) / unit
    found = groups.fitted(plain_means(values)).log_likelihoods
    for k in (1, 2):
        for at in (0, 2):
            expected = largest_likelihood(center, errors / unit, k, groups.SPREADS[at])
            # Ten steps of EM come close.
            assert expected - 0.15 < found[k - 1, at] < expected + 1e-6


def test_the_prior_of_two_far_groups_and_its_swaps_by_scipy():
    values, _ = table(7, np.repeat([0.0, 0.2], 8), 100)
    found = posterior(plain_means(values))
    prior = found.prior
    assert prior.grouped > 0.9
    base = len(grid(100)[0])
    assert prior.grouped == pytest.approx(prior.weights[base:].sum(), abs=1e-12)
    one = base + int(np.argmax(prior.weights[base:]))
    alone = dataclasses.replace(prior, weights=np.eye(len(prior.weights))[one])
    p = dataclasses.replace(found, prior=alone).probabilities()
    rest = values - values.mean(axis=1, keepdims=True)
    unit = np.sqrt(np.mean(rest.var(axis=0, ddof=1)) * 2 * 16 / 15 / 100)
    distance = (values[:, :8].mean() - values[:, 8:].mean()) / unit
    # The mean square of ζ is that of the distance, in half of the pairs, and of the spread.
    spread = np.sqrt(max(prior.effects[one] * 100 - distance**2 / 2, 0.02**2))
    z = found.statistics
    for i, j in ((0, 1), (3, 12), (7, 8), (9, 14)):
        # Half of the pairs are equal, a quarter each is apart one way and the other.
        shares, at = np.array([0.5, 0.25, 0.25]), np.array([0.0, distance, -distance])
        zeta = np.linspace(-distance - 4, distance + 4, 4_001)
        density = (shares * norm.pdf(zeta[:, None], at, spread)).sum(axis=1)
        density = (1 - FAR_SHARE) * density + FAR_SHARE * cauchy.pdf(zeta, scale=FAR)
        likely = density * nct.pdf(z[i, j], 99, zeta)
        expected = (likely[zeta < 0].sum() + likely[zeta == 0].sum() / 2) / likely.sum()
        assert p[i, j] == pytest.approx(expected, abs=0.01)
    assert found.tau == pytest.approx(8 * 8 / (16 * 15 / 2), abs=0.05)


def test_a_system_far_away_makes_no_groups_of_the_others():
    values, _ = table(4, np.linspace(0, 0.1, 20), 50)
    without = posterior(plain_means(values))
    broken = np.column_stack([values, np.full(50, -3.0) + 0.01 * np.arange(50)])
    found = posterior(plain_means(broken))
    assert max(without.prior.grouped, found.prior.grouped) < 0.05
    upper = np.triu_indices(20, 1)
    tau = 1 - 2 * found.probabilities()[upper].mean()
    assert tau == pytest.approx(without.tau, abs=0.01)


def test_the_unit_and_the_order_of_systems_do_not_matter():
    values, _ = ahead(1, 100)
    shuffled = np.random.default_rng(6).permutation(21)
    names = np.array([f"s{k}" for k in range(21)])
    one = truerank.assess(truerank.ScoreMatrix.build(values, systems=names.tolist()), "eb", draws=100)
    other = 40 + 100 * values[:, shuffled]
    again = truerank.assess(
        truerank.ScoreMatrix.build(other, systems=names[shuffled].tolist()), "eb", draws=100
    )
    assert one.learned["eb"] == pytest.approx(again.learned["eb"], rel=1e-6)


def test_an_alert_where_groups_are_probable():
    scores = truerank.ScoreMatrix.build(table(7, np.repeat([0.0, 0.2], 8), 100)[0])
    found = truerank.assess(scores, "eb", draws=100)
    (note,) = [note for note in found.notes if note.code == "nearly-equal"]
    assert note.level == "alert"
    assert note.facts["weight"] == found.learned["eb"]["grouped"]
    assert any(note.code == "nearly-equal" for note in truerank.plan(scores).notes)


@pytest.mark.parametrize("weight", [0.02, 0.3, 0.7])
def test_the_alert_has_the_figures_of_the_documented_table(weight):
    """What was measured at this weight: docs/methods/nearly-equal.md, the last table."""
    page = (Path(__file__).parents[2] / "docs/methods/nearly-equal.md").read_text(encoding="utf-8")
    rows = [line.split("|")[1:-1] for line in page.splitlines() if line.startswith(("| 0.", "| above 0.5"))]
    _, _, bias, high, low, _, ranges = rows[(weight > 0.1) + (weight > 0.5)]
    text = Note("nearly-equal", {"weight": weight, "unit": "topic"}, "alert").text
    if weight < 0.5:
        said = {"three": 3, "four": 4, "eight": 8}[text.split("failed in one of ")[1].split(".")[0].strip()]
        assert f"τ was {float(bias.split('±')[0]):.2f} too high on average" in text
        assert 1 / said == pytest.approx(1 - float(ranges.strip(" %")) / 100, abs=0.03)
    else:
        assert "off by more than 0.15 in one of five" in text
        assert float(high.strip(" %")) + float(low.strip(" %")) == pytest.approx(20, abs=3)


def test_one_ahead_of_twenty_equal():
    """τ was 0.29 too high without groups in the prior."""
    off = []
    for seed in range(30):
        values, truth = ahead(seed, 100)
        actual = TAU.of_swaps(np.triu(truth[:, None] < truth, 1))
        off.append(posterior(plain_means(values)).tau - actual)
    assert abs(np.mean(off)) < 0.12 + 3 * np.std(off) / np.sqrt(len(off))


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
