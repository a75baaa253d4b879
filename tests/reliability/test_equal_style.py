"""Strengths at equal style: as statsmodels fits and clusters them, and by hand."""

from __future__ import annotations

import itertools
from dataclasses import replace

import numpy as np
import pytest

from truerank.battles import Battles, Covariates
from truerank.errors import InputError
from truerank.reliability.means.bradley_terry import (
    bradley_terry,
    clustered,
    fitted,
    influence_rows,
    likeliest,
    win_table,
)

SYSTEMS = [f"s{s}" for s in range(6)]
EFFECTS = np.array([0.7, -0.3])


def styled(seed: int, m: int = 6, prompts: int = 40, each: int = 12, voters: bool = False) -> Battles:
    """Battles that strengths, the prompt's own strengths and two covariates decide; weighted by no one."""
    rng = np.random.default_rng(seed)
    theta, cluster = rng.normal(0, 0.6, m), np.repeat(np.arange(prompts), each)
    own = rng.normal(0, 0.5, (prompts, m))
    a = rng.integers(0, m, len(cluster))
    b = (a + rng.integers(1, m, len(cluster))) % m
    x = rng.normal(0, [0.5, 3.0], (len(a), 2)) + 0.4 * (theta[a] - theta[b])[:, None]
    logits = theta[a] + own[cluster, a] - theta[b] - own[cluster, b] + x / [0.5, 3.0] @ EFFECTS
    y = np.where(rng.uniform(size=len(a)) < 0.15, 0.5, rng.uniform(size=len(a)) < 1 / (1 + np.exp(-logits)))
    judged = rng.integers(0, 30, len(a)) if voters else None
    covariates = Covariates(x, ("length", "lists"), (True, False))
    return Battles.build(a, b, y, cluster, judged, covariates=covariates)


def columns(battles: Battles, m: int = 6) -> np.ndarray:
    """The plain design: a column per system, and the covariates in units of their root mean squares."""
    d = np.zeros((len(battles.first), m))
    rows = np.arange(len(d))
    d[rows, battles.first], d[rows, battles.second] = 1, -1
    x = battles.covariates.values
    return np.column_stack([d, x / np.sqrt(np.mean(x**2, axis=0))])


def test_fit_and_clustered_errors_are_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    battles = styled(0)
    theirs = sm.GLM(battles.outcomes, columns(battles)[:, 1:], family=sm.families.Binomial()).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": battles.clusters, "use_correction": False}
    )
    fit = fitted(battles, win_table(battles, 6))
    strengths = np.concatenate([[0], theirs.params[:5]])
    np.testing.assert_allclose(fit.theta, strengths - strengths.mean(), atol=1e-8)
    np.testing.assert_allclose(fit.coefficients, theirs.params[5:], atol=1e-8)
    squares = clustered(battles, fit, battles.clusters).squares
    contrasts = [np.eye(8)[i] - np.eye(8)[j] for i, j in itertools.combinations(range(6), 2)]
    for a in (*contrasts, np.eye(8)[6], np.eye(8)[7]):
        assert a @ squares @ a == pytest.approx(a[1:] @ theirs.cov_params() @ a[1:], abs=1e-8)
    plain = clustered(battles, fit, battles.clusters, counted=False).squares
    np.testing.assert_allclose(plain, squares, atol=1e-12)


def test_two_way_errors_of_coefficients_are_statsmodels() -> None:
    sm = pytest.importorskip("statsmodels.api")
    battles = styled(4, voters=True)
    groups = np.stack([battles.clusters, battles.voters], axis=1)
    theirs = sm.GLM(battles.outcomes, columns(battles)[:, 1:], family=sm.families.Binomial()).fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": groups, "use_correction": False}
    )
    fit = fitted(battles, win_table(battles, 6))
    cells = np.unique(battles.clusters * 30 + battles.voters, return_inverse=True)[1]
    parts = [clustered(battles, fit, one).squares for one in (battles.clusters, battles.voters, cells)]
    squares = parts[0] + parts[1] - parts[2]
    assert squares[6, 6] == pytest.approx(theirs.cov_params()[5, 5], abs=1e-8)
    assert squares[7, 7] == pytest.approx(theirs.cov_params()[6, 6], abs=1e-8)


@pytest.mark.parametrize("weighted", [False, True])
def test_sizes_follow_the_working_model_by_hand(weighted: bool) -> None:
    """Every group's ``H⁺ Ω_c H⁺`` written out with plain matrices."""
    battles = styled(5, prompts=15)
    if weighted:
        w = np.random.default_rng(1).uniform(0.5, 2, len(battles.first))
        battles = replace(battles, weights=w / w.mean())
    w = np.ones(len(battles.first)) if battles.weights is None else battles.weights
    fit = fitted(battles, win_table(battles, 6))
    found = clustered(battles, fit, battles.clusters)
    x = columns(battles)
    q, r = fit.information, fit.residuals
    inverse = np.linalg.pinv(x.T @ (q[:, None] * x), rcond=1e-10)
    phi = len(q) / (len(q) - 7) * np.sum(r**2) / np.sum(w * q)
    assert fit.dispersion == pytest.approx(phi)
    here = [battles.clusters == c for c in range(15)]
    scores = np.array([x[h, :6].T @ r[h] for h in here])
    across = [x[h, :6].T @ (q[h, None] * x[h]) for h in here]
    weighed = [x[h].T @ ((w * q)[h, None] * x[h]) for h in here]
    spread = np.einsum("bp,pq,bq->b", x, inverse, x)
    above = (
        np.sum(scores**2)
        - 2 * np.sum(r**2)
        + phi
        * (
            sum(np.trace(v[:6] @ inverse @ a.T) for a, v in zip(across, weighed, strict=True))
            - 2 * np.sum(w * q**2 * spread)
        )
    )
    below = sum(np.sum(a[:, :6] ** 2) for a in across) - 4 * np.sum(q**2)
    assert found.interaction == pytest.approx(above / below)
    single = max(phi - 2 * above / below * np.sum(q**2) / np.sum(w * q), 0.1 * phi)
    forms = [
        inverse @ (single * v + above / below * a.T @ a) @ inverse
        for a, v in zip(across, weighed, strict=True)
    ]
    np.testing.assert_allclose(found.pooled, sum(forms), atol=1e-12)
    for a in (np.eye(8)[2] - np.eye(8)[4], np.eye(8)[0] - np.eye(8)[5]):
        i, j = np.flatnonzero(a)
        parts = np.array([a @ form @ a for form in forms])
        assert found.sizes[i, j] == pytest.approx(parts.sum() ** 2 / np.sum(parts**2))
    for k in range(8):
        parts = np.array([form[k, k] for form in forms])
        assert found.own_sizes[k] == pytest.approx(parts.sum() ** 2 / np.sum(parts**2))


def test_influence_rows_are_the_infinitesimal_jackknife() -> None:
    """A prompt weighed a little more moves strengths and coefficients by its row."""
    battles = styled(7, prompts=20)
    wins = win_table(battles, 6)
    fit = fitted(battles, wins)
    rows = influence_rows(battles, fit, battles.clusters)
    h = 1e-5
    for c in (0, 7, 19):
        moved = []
        for sign in (1, -1):
            weights = 1 + sign * h * (battles.clusters == c)
            # One unit of the coefficients stays: it is a root mean square over battles, whatever they weigh.
            moved.append(np.concatenate(likeliest(replace(battles, weights=weights), wins)))
        np.testing.assert_allclose((moved[0] - moved[1]) / (2 * h), rows[c], atol=1e-6)


def test_sides_do_not_matter() -> None:
    battles = styled(9)
    swapped = np.random.default_rng(1).uniform(size=len(battles.first)) < 0.5
    styles = battles.covariates.values
    turned = replace(
        battles,
        first=np.where(swapped, battles.second, battles.first),
        second=np.where(swapped, battles.first, battles.second),
        outcomes=np.where(swapped, 1 - battles.outcomes, battles.outcomes),
        covariates=replace(battles.covariates, values=np.where(swapped[:, None], -styles, styles)),
    )
    one, other = (bradley_terry(each, SYSTEMS) for each in (battles, turned))
    np.testing.assert_allclose(one.theta, other.theta, atol=1e-9)
    np.testing.assert_allclose(one.deviations, other.deviations, atol=1e-9)
    held = [each.in_order(6)[0].covariates.values for each in (battles, turned)]
    np.testing.assert_array_equal(*held)


def test_drawn_battles_keep_strengths_finite() -> None:
    battles = styled(10)
    never = replace(battles, outcomes=np.where(battles.first == 0, 0.0, battles.outcomes))
    never = replace(never, outcomes=np.where(battles.second == 0, 1.0, never.outcomes))
    with pytest.raises(InputError, match="never won or tied"):
        bradley_terry(never, SYSTEMS)
    means = bradley_terry(replace(never, draw_prior=1.0), SYSTEMS)
    assert np.isfinite(means.theta).all()
    assert means.theta.argmin() == 0
    np.testing.assert_allclose(means.influences.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (lambda b: np.sign(b.outcomes - 0.5) * 0.3 + 0.1 * (b.outcomes - 0.5), "'x' decides every battle"),
        (lambda b: np.arange(6.0)[b.first] - np.arange(6.0)[b.second], "nothing tells it from strength"),
        # A price as (a − b)/(a + b) does not add up over systems, and still says nothing but who they are.
        (lambda b: (b.first - b.second) / (b.first + b.second + 1.0), "nothing tells it from strength"),
    ],
)
def test_what_cannot_be_fitted_is_refused(values, message: str) -> None:
    battles = styled(11)
    x = Covariates(values(battles)[:, None], ("x",), (False,))
    with pytest.raises(InputError, match=message):
        bradley_terry(replace(battles, covariates=x), SYSTEMS)


def test_two_that_say_the_same_are_named() -> None:
    battles = styled(12)
    x = battles.covariates.values[:, 0]
    other = np.random.default_rng(1).normal(size=len(x))
    same = Covariates(np.stack([x, other, -2 * x], axis=1), ("length", "other", "words"), (False,) * 3)
    with pytest.raises(InputError, match="'length', 'words' say the same"):
        bradley_terry(replace(battles, covariates=same), SYSTEMS)
