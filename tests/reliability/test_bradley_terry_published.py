"""Strengths as evalica has them, errors as statsmodels has them, and published figures of a real arena."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from truerank import assess, read_scores
from truerank.battles import Battles
from truerank.reliability.means.bradley_terry import clustered, fitted, win_table

LLMFAO = Path(__file__).resolve().parents[2] / "gallery" / "tables" / "llmfao.csv.gz"


def some_battles(seed: int, m: int = 6, prompts: int = 30, each: int = 12) -> Battles:
    rng = np.random.default_rng(seed)
    theta, cluster = rng.normal(0, 0.6, m), np.repeat(np.arange(prompts), each)
    own = rng.normal(0, 0.7, (prompts, m))
    a = rng.integers(0, m, len(cluster))
    b = (a + rng.integers(1, m, len(cluster))) % m
    p = 1 / (1 + np.exp(theta[b] + own[cluster, b] - theta[a] - own[cluster, a]))
    y = np.where(rng.uniform(size=len(p)) < 0.2, 0.5, rng.uniform(size=len(p)) < p)
    return Battles.build(a, b, y, cluster)


@pytest.mark.parametrize("seed", range(3))
def test_strengths_are_evalica_s(seed: int) -> None:
    evalica = pytest.importorskip("evalica")
    battles = some_battles(seed)
    won = {1.0: evalica.Winner.X, 0.0: evalica.Winner.Y, 0.5: evalica.Winner.Draw}
    names = [f"s{s}" for s in range(6)]
    found = evalica.bradley_terry(
        [names[s] for s in battles.first],
        [names[s] for s in battles.second],
        [won[y] for y in battles.outcomes.tolist()],
        tolerance=1e-14,
        limit=100_000,
    )
    theirs = np.log(found.scores[names].to_numpy())
    fit = fitted(battles, win_table(battles, 6))
    np.testing.assert_allclose(fit.theta, theirs - theirs.mean(), atol=1e-6)


@pytest.mark.validation
@pytest.mark.parametrize("seed", range(3))
def test_clustered_errors_are_statsmodels(seed: int) -> None:
    sm = pytest.importorskip("statsmodels.api")
    battles = some_battles(seed)
    design = np.zeros((len(battles.first), 6))
    rows = np.arange(len(design))
    design[rows, battles.first], design[rows, battles.second] = 1, -1
    model = sm.GLM(battles.outcomes, design[:, 1:], family=sm.families.Binomial())
    theirs = model.fit(
        tol=1e-14, cov_type="cluster", cov_kwds={"groups": battles.clusters, "use_correction": False}
    )
    squares = clustered(battles, fitted(battles, win_table(battles, 6)), battles.clusters).squares
    for i, j in itertools.combinations(range(1, 6), 2):
        a = np.zeros(5)
        a[i - 1], a[j - 1] = 1, -1
        ours = squares[i, i] + squares[j, j] - 2 * squares[i, j]
        assert np.sqrt(ours) == pytest.approx(np.sqrt(a @ theirs.cov_params() @ a), abs=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_errors_by_prompts_and_voters_are_statsmodels(seed: int) -> None:
    """Its two-way covariance, V_P + V_V − V_PV, of the same logistic fit without small-sample factors."""
    sm = pytest.importorskip("statsmodels.api")
    battles = some_battles(seed)
    voters = np.random.default_rng(seed + 9).integers(0, 25, len(battles.first))
    cells = np.unique(battles.clusters * 25 + voters, return_inverse=True)[1]
    design = np.zeros((len(voters), 6))
    rows = np.arange(len(design))
    design[rows, battles.first], design[rows, battles.second] = 1, -1
    theirs = sm.GLM(battles.outcomes, design[:, 1:], family=sm.families.Binomial()).fit(
        tol=1e-14,
        cov_type="cluster",
        cov_kwds={"groups": np.stack([battles.clusters, voters], axis=1), "use_correction": False},
    )
    fit = fitted(battles, win_table(battles, 6))
    prompts, users, both = (clustered(battles, fit, one) for one in (battles.clusters, voters, cells))
    squares = prompts.squares + users.squares - both.squares
    for i, j in itertools.combinations(range(1, 6), 2):
        a = np.zeros(6)
        a[i], a[j] = 1, -1
        plain = a[1:] @ theirs.cov_params() @ a[1:]
        assert a @ squares @ a == pytest.approx(plain, abs=1e-6)


def test_the_figures_of_llmfao() -> None:
    frame = pd.read_csv(LLMFAO)
    scores = read_scores(frame)
    battles = scores.battles
    fit = fitted(battles, win_table(battles, 59))
    a, b = (scores.systems.index(name) for name in ("GPT 4", "LLaMA-2-Chat (70B)"))
    assert fit.theta[[a, b]] == pytest.approx([0.9908746, 0.5447651], abs=6e-8)
    assert fit.dispersion == pytest.approx(0.5741998, abs=3e-7)
    assert clustered(battles, fit, battles.clusters).interaction == pytest.approx(0.1830846, abs=6e-8)
    cells = np.unique(battles.clusters * 1_000 + battles.voters, return_inverse=True)[1]
    squares = []
    for groups in (np.arange(len(battles.first)), battles.clusters, battles.voters, cells):
        v = clustered(battles, fit, groups, counted=False).squares
        squares.append(v[a, a] + v[b, b] - 2 * v[a, b])
    both = np.sqrt(squares[1] + squares[2] - squares[3])
    errors = [*np.sqrt(squares[:3]), both]
    assert errors == pytest.approx([0.2117621, 0.2956146, 0.2091835, 0.2979606], abs=6e-8)
    taus = []
    for columns in (["prompt", "worker"], ["prompt"], ["worker"], []):
        result = assess(frame.drop(columns=columns), "eb", "tau", draws=100)
        taus.append(result.estimate("tau").estimate)
    assert taus == pytest.approx([0.849, 0.830, 0.724, 0.688], abs=1.5e-3)
