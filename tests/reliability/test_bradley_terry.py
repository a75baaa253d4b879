"""Strengths from battles: published figures, independent fits, sandwich errors, and what has no answer."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy.optimize import minimize

from truerank import assess, read_scores
from truerank.battles import Battles
from truerank.errors import InputError
from truerank.reliability.estimators import eb
from truerank.reliability.means import bradley_terry as module
from truerank.reliability.means import means_of
from truerank.reliability.means.bradley_terry import (
    bradley_terry,
    clustered,
    fitted,
    refuse_unconnected,
    strengths,
    win_rates,
    win_table,
)
from validation.ledger.arenas import KINDS

SMALL = "01½ 020 02½ 04½ | 101 12½ 12½ 13½ | 24½ 301 311 321 | 34½ 34½ 401 431"
"""First, second and outcome for the first; a bar ends a prompt."""


def small() -> Battles:
    rows = [(row, c) for c, part in enumerate(SMALL.split("|")) for row in part.split()]
    y = [0.5 if row[2] == "½" else float(row[2]) for row, _ in rows]
    return Battles.build([row[0] for row, _ in rows], [row[1] for row, _ in rows], y, [c for _, c in rows])


def games() -> Battles:
    """A:B 2–3, A:D 1–4, B:C 5–3, C:D 1–3, each game its own unit."""
    played = [(0, 1, 2, 3), (0, 3, 1, 4), (1, 2, 5, 3), (2, 3, 1, 3)]
    rows = [(a, b, y) for a, b, won, lost in played for y in [1] * won + [0] * lost]
    return Battles.build(*zip(*rows, strict=True), clusters=range(len(rows)), unit="battle")


def some_battles(seed: int, m: int = 6, prompts: int = 12, each: int = 15, voters: int = 0) -> Battles:
    rng = np.random.default_rng(seed)
    theta, cluster = rng.normal(0, 0.5, m), np.repeat(np.arange(prompts), each)
    own = rng.normal(0, 0.7, (prompts, m))
    a = rng.integers(0, m, len(cluster))
    b = (a + rng.integers(1, m, len(cluster))) % m
    p = 1 / (1 + np.exp(theta[b] + own[cluster, b] - theta[a] - own[cluster, a]))
    y = np.where(rng.uniform(size=len(p)) < 0.2, 0.5, rng.uniform(size=len(p)) < p)
    who = rng.integers(0, voters, len(p)) if voters else None
    return Battles.build(a, b, y, cluster, who)


def by_hand(battles: Battles, theta: np.ndarray, groups: np.ndarray) -> np.ndarray:
    """The sandwich ``H⁺ (Σ s_c s_cᵀ) H⁺`` by loops over battles, with the pseudo-inverse by eigenvectors."""
    m = len(theta)
    bread, scores = np.zeros((m, m)), np.zeros((groups.max() + 1, m))
    for a, b, y, c in zip(battles.first, battles.second, battles.outcomes, groups, strict=True):
        d = np.zeros(m)
        d[a], d[b] = 1, -1
        p = 1 / (1 + np.exp(-d @ theta))
        bread += p * (1 - p) * np.outer(d, d)
        scores[c] += (y - p) * d
    values, vectors = np.linalg.eigh(bread)
    inverse = (vectors[:, 1:] / values[1:]) @ vectors[:, 1:].T
    return inverse @ scores.T @ scores @ inverse


def test_figures_of_22_games() -> None:
    battles = games()
    fit = fitted(battles, win_table(battles, 4))
    np.testing.assert_allclose(fit.theta, [-0.4465452, 0.0424026, -0.4158031, 0.8199457], atol=5e-8)
    np.testing.assert_allclose(
        np.sqrt(np.diag(fit.inverse)), [0.5480697, 0.4817805, 0.5204012, 0.6213426], atol=5e-8
    )
    errors = np.sqrt(np.diag(clustered(battles, fit, battles.clusters).squares))
    np.testing.assert_allclose(errors, [0.5443432, 0.4846549, 0.5281733, 0.6239700], atol=5e-8)
    assert clustered(battles, fit, battles.clusters).interaction == 0


def test_figures_of_16_battles_on_four_prompts() -> None:
    battles = small()
    fit = fitted(battles, win_table(battles, 5))
    expected = [-1.1442781, -0.1958210, -0.1917501, 0.7475845, 0.7842648]
    np.testing.assert_allclose(fit.theta, expected, atol=6e-8)
    single = clustered(battles, fit, np.arange(16))
    errors = [0.4778831, 0.3465467, 0.3431537, 0.4016106, 0.5114590]
    np.testing.assert_allclose(np.sqrt(np.diag(single.squares)), errors, atol=6e-8)
    found = clustered(battles, fit, battles.clusters)
    errors = [0.4747463, 0.3778624, 0.1349026, 0.4735946, 0.5034910]
    np.testing.assert_allclose(np.sqrt(np.diag(found.squares)), errors, atol=6e-8)
    q = fit.information
    shown = [fit.dispersion, np.sum(q**2) / np.sum(q), clustered(battles, fit, battles.clusters).interaction]
    np.testing.assert_allclose(shown, [0.3857166, 0.2108217, 0.2871845], atol=6e-8)
    a = np.array([0, 0, -1, 1, 0])
    shown = [a @ found.squares @ a, found.sizes[3, 2], a @ found.pooled @ a]
    np.testing.assert_allclose(shown, [0.3391290, 2.4245350, 0.6471029], atol=6e-8)
    means = bradley_terry(battles, list("01234"))
    shown = [means.deviations[3, 2], means.degrees[3, 2], means.effective]
    np.testing.assert_allclose(shown, [0.7929336, 5.4245350, 2.2539954], atol=6e-8)


def test_drawn_battles_pull_towards_zero() -> None:
    """The published figures with one drawn battle each, and the fit with a player of strength 0."""
    expected = [-0.9713565, -0.1418650, -0.1405700, 0.6037398, 0.6162711]
    wins = win_table(small(), 5)
    np.testing.assert_allclose(strengths(wins, 1.0), expected, atol=6e-8)
    table = np.zeros((6, 6))
    table[:5, :5] = wins
    table[5, :5] = table[:5, 5] = 0.5
    found = strengths(table)
    np.testing.assert_allclose(found[:5] - found[5], expected, atol=6e-8)


def test_pairs_alike_rank_as_mean_win_rates() -> None:
    """Whatever the outcomes, also where no strengths explain them."""
    rng = np.random.default_rng(1)
    for _ in range(20):
        p = rng.uniform(0.05, 0.95, (5, 5))
        rows = [(a, b, c) for a in range(5) for b in range(a) for c in range(rng.integers(2, 30))]
        y = [float(rng.uniform() < p[a, b]) for a, b, _ in rows]
        battles = Battles.build(*zip(*[(a, b) for a, b, _ in rows], strict=True), y, [c for *_, c in rows])
        won = win_table(battles, 5)
        rates = (won / np.maximum(won + won.T, 1)).sum(axis=1)
        try:
            theta = bradley_terry(battles.counting(pairs_alike=True), list("abcde")).theta
        except InputError:
            continue
        order = np.argsort(rates)
        assert (np.diff(theta[order]) > -1e-9).all()


def test_weights_are_repeated_battles() -> None:
    """Strengths and sandwich of weights 1 and 2 are those of the battles written twice, in one group."""
    battles = some_battles(2)
    twice = np.flatnonzero(battles.clusters % 3 == 0)
    w = np.ones(len(battles.first))
    w[twice] = 2
    places = np.append(np.arange(len(w)), twice)
    repeated = Battles.build(
        *(x[places] for x in (battles.first, battles.second, battles.outcomes, battles.clusters))
    )
    weighted = Battles.build(battles.first, battles.second, battles.outcomes, battles.clusters, weights=w)
    found = [clustered(one, fitted(one, win_table(one, 6)), one.clusters) for one in (weighted, repeated)]
    np.testing.assert_allclose(found[0].squares, found[1].squares, atol=1e-12)


def test_strengths_equal_an_independent_fit() -> None:
    battles = some_battles(0)
    a, b, y = battles.first, battles.second, battles.outcomes

    def loss(free: np.ndarray) -> float:
        theta = np.append(free, -free.sum())
        d = theta[a] - theta[b]
        return float(np.sum(y * np.logaddexp(0, -d) + (1 - y) * np.logaddexp(0, d)))

    found = minimize(loss, np.zeros(5), method="BFGS", options={"gtol": 1e-8}).x
    np.testing.assert_allclose(strengths(win_table(battles, 6))[:5], found, atol=1e-6)


@pytest.mark.parametrize("seed", range(2))
def test_errors_are_the_clustered_sandwich(seed: int) -> None:
    battles = some_battles(seed)
    means = bradley_terry(battles, list("abcdef"))
    assert means.influences is not None
    expected = by_hand(battles, means.theta, battles.clusters)
    np.testing.assert_allclose(means.influences.T @ means.influences, expected, atol=1e-9)
    np.testing.assert_allclose(means.influences.sum(axis=0), 0, atol=1e-9)


@pytest.mark.parametrize("seed", range(2))
def test_prompts_and_voters_add_up(seed: int) -> None:
    """The two-way variance from three sandwiches by hand, each with its own correction, their largest."""
    battles = some_battles(seed, voters=9)
    assert battles.voters is not None
    means = bradley_terry(battles, list("abcdef"))
    fit = fitted(battles, win_table(battles, 6))
    cells = np.unique(battles.clusters * 9 + battles.voters, return_inverse=True)[1]
    parts, sizes = [], []
    for groups in (battles.clusters, battles.voters, cells):
        v = by_hand(battles, means.theta, groups)
        n = clustered(battles, fit, groups).sizes[2, 4]
        parts.append((v[2, 2] + v[4, 4] - 2 * v[2, 4]) * n / (n - 1))
        sizes.append(n)
    expected = max(parts[0], parts[1], parts[0] + parts[1] - parts[2])
    assert means.deviations[2, 4] ** 2 == pytest.approx(expected, rel=1e-9)
    assert means.degrees[2, 4] == pytest.approx(min(sizes[:2]) - 1)


def test_every_outcome_of_a_tiny_arena() -> None:
    """Three systems, each pair twice: of all outcomes with finite strengths the order is that of the wins."""
    pairs = [(0, 1), (0, 2), (1, 2)] * 2
    finite = 0
    of_a_pair = list(itertools.combinations_with_replacement([0, 0.5, 1], 2))  # the order of two is nothing
    for outcomes in itertools.product(of_a_pair, repeat=3):
        first, second = zip(*outcomes, strict=True)
        battles = Battles.build(*zip(*pairs, strict=True), first + second, [0, 0, 0, 1, 1, 1])
        wins = win_table(battles, 3)
        reach = np.linalg.matrix_power((wins > 0) + np.eye(3), 3) > 0
        if not reach.all():
            with pytest.raises(InputError, match=r"nothing|never"):
                bradley_terry(battles, list("abc"))
            continue
        finite += 1
        theta = bradley_terry(battles, list("abc")).theta
        totals = wins.sum(axis=1)
        np.testing.assert_array_equal(
            np.sign(np.subtract.outer(theta, theta).round(9)), np.sign(np.subtract.outer(totals, totals))
        )
    assert finite > 60


def test_groups_that_took_nothing_are_named() -> None:
    wins = np.zeros((4, 4))
    wins[0, 1] = wins[1, 0] = wins[2, 3] = wins[3, 2] = 1
    with pytest.raises(InputError, match=r"^f.csv: '[ac]', '[bd]' never met '[ac]', '[bd]', so no finite"):
        refuse_unconnected(wins, list("abcd"), "f.csv: ")
    wins[0, 2] = 1
    with pytest.raises(InputError, match="'c', 'd' never won or tied against 'a', 'b'"):
        refuse_unconnected(wins, list("abcd"), "")
    wins[2, 0] = 1
    refuse_unconnected(wins, list("abcd"), "")


def test_a_system_on_one_prompt_is_refused() -> None:
    battles = Battles.build([0, 1, 0, 0, 2, 0], [1, 0, 1, 2, 0, 2], [1, 1, 0, 1, 1, 0], [0, 0, 1, 1, 1, 1])
    with pytest.raises(InputError, match="'c' has battles on fewer than two prompts"):
        bradley_terry(battles, list("abc"))


def test_ties_alone_are_no_certainty() -> None:
    """A system whose battles are all ties has no residuals if it is average, and an error all the same."""
    base = some_battles(5, m=5)
    extra = np.repeat(np.arange(4), 1)
    battles = Battles.build(
        np.append(base.first, [5] * 4),
        np.append(base.second, [0, 1, 2, 3]),
        np.append(base.outcomes, [0.5] * 4),
        np.append(base.clusters, extra),
    )
    means = bradley_terry(battles, list("abcdef"))
    assert means.deviations[5, :5].min() > 0.1


def test_win_rates_are_means_over_the_others() -> None:
    theta = np.array([1.0, 0.0, -1.0])
    expected = (1 / (1 + np.exp(-1)) + 1 / (1 + np.exp(-2))) / 2
    assert win_rates(theta)[0] == pytest.approx(expected)


def test_strengths_are_as_usual_whatever_their_unit_and_the_battles() -> None:
    """The hyperprior's median is a variance of true differences in logits: c·n of it in squared errors."""
    for prompts, each in ((25, 10), (100, 20)):
        arena = KINDS["uniform"].model(8, np.random.default_rng(1)).sample(prompts, each).scores
        arena = arena.select(np.argsort(-means_of(arena).theta))
        logits, points = (means_of(arena.counting(scale=scale)) for scale in ("logit", "elo"))
        median, _ = eb._usual(logits)
        errors = logits.deviations[np.triu_indices(8, 1)]
        assert median * logits.effective * np.median(errors**2) / 2 == pytest.approx(module.USUAL_SPREAD**2)
        of_logits, of_points = (eb.posterior(means).probabilities() for means in (logits, points))
        np.testing.assert_allclose(of_logits, of_points, atol=1e-9)


LLMFAO = Path(__file__).resolve().parents[2] / "gallery" / "tables" / "llmfao.csv.gz"


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
