"""The leader once its selection is allowed for, and how few topics carry its lead."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from scipy.stats import norm
from scipy.stats import t as student

import truerank
from truerank.reliability.estimators import eb
from truerank.reliability.leader import Leader, contrasts, fragility
from truerank.reliability.means import means_of
from truerank.reliability.means.means import Means
from truerank.report.views import view
from truerank.scores import ScoreMatrix, ranking_order


def ranked(scores: ScoreMatrix) -> tuple[ScoreMatrix, Means]:
    found = scores.select(ranking_order(means_of(scores).theta))
    return found, means_of(found)


def sample(seed: int, topics: int, systems: int, spread: float = 0.03) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    values = (
        rng.normal(0.4, 0.15, (topics, 1))
        + rng.normal(0, spread, systems)
        + rng.normal(0, 0.1, (topics, systems))
    )
    return ScoreMatrix.build(values)


def test_moments_against_an_integral() -> None:
    """E[(ζ/u)^k | z]: the noncentral t density of z over a prior, by another quadrature."""
    degrees, topics = 19.0, 20.0
    tables = eb.tables(degrees, topics)
    first, second = tables.first / tables.density, tables.second / tables.density
    effects, shapes = eb.grid(topics)
    which = int(np.argmin(np.abs(effects - 0.13) + np.abs(shapes - 2.0)))
    prior = eb._prior(topics)[which]
    place = int(np.argmin(np.abs(eb.STATISTICS - 2.0)))
    z = float(eb.STATISTICS[place])
    # u² = χ²/ν; given u, zu is normal around ζ.
    u, weight = eb.scale_nodes(degrees)
    zeta = np.concatenate([-eb.EDGES[::-1], eb.EDGES[1:]])
    density = np.concatenate([prior[::-1], prior])
    sums = np.zeros(3)
    for low, high, height in zip(zeta[:-1], zeta[1:], density, strict=True):
        if height < 1e-12 or low > 15 or high < -15:
            continue
        points = np.linspace(low, high, 9)
        joint = (weight * u)[:, None] * norm.pdf(z * u[:, None] - points)
        for k in range(3):
            values = (joint * (points / u[:, None]) ** k).sum(axis=0)
            sums[k] += height * np.trapezoid(values, points)
    assert first[which, place] == pytest.approx(sums[1] / sums[0], rel=2e-3)
    assert second[which, place] == pytest.approx(sums[2] / sums[0], rel=2e-3)


@pytest.mark.parametrize("seed", range(2))
def test_shrinking_pulls_to_the_average(seed: int) -> None:
    """Contrasts sum to zero before and after; the leader is pulled down, by at most 1 s."""
    _, means = ranked(sample(seed, 25, 12))
    found = contrasts(means)
    assert found.observed.sum() == pytest.approx(0, abs=1e-12)
    assert found.shrunken.sum() == pytest.approx(0, abs=1e-9)
    assert 0 <= found.shrunken[0] < found.observed[0]
    assert found.limited[0] >= found.observed[0] - found.errors[0] - 1e-12
    assert 0 <= found.gap <= found.observed[0] - found.observed[1] + 1e-12


def test_scores_move_by_at_most_the_standard_error_of_their_contrast(data: Path) -> None:
    """As the column says; beside their own, that of the last of adhoc7 moves by three."""
    x = (found := truerank.assess(data / "trec" / "adhoc7_ap.csv", "eb", draws=200)).scores.values
    moved = np.array([abs(row.shrunken - row.mean) for row in found.ranking])
    own, contrast = (y.std(axis=0, ddof=1) / len(x) ** 0.5 for y in (x, x - x.mean(axis=1, keepdims=True)))
    assert (moved <= contrast).all()
    assert (moved / own).max() > 3


def fewest(differences: np.ndarray) -> int | None:
    """By trying all sets of topics."""
    for count in range(len(differences)):
        for gone in itertools.combinations(range(len(differences)), count):
            if np.delete(differences, gone).mean() < -1e-12:
                return count
    return None


@pytest.mark.parametrize("k", [1, 2, 3])
def test_fragility_of_the_first_places(k: int) -> None:
    """Against all sets of topics: the fewest after which one from outside passes one from inside."""
    for seed in range(8):
        rng = np.random.default_rng(seed)
        values = (rng.normal(0, 1, (8, 5)) + np.array([0.9, 0.7, 0.4, 0.2, 0])).round(1)
        scores, means = ranked(ScoreMatrix.build(values))
        counts = [fewest(scores.values[:, i] - scores.values[:, j]) for i in range(k) for j in range(k, 5)]
        found = fragility(scores, means, k)
        assert found is not None
        assert found.topics == min((count for count in counts if count is not None), default=None)


def test_fragility_is_given_only_where_it_is_exact() -> None:
    """Not with empty cells, nor for topics of several data sets."""
    values = np.random.default_rng(11).normal(0, 1, (14, 4)) + np.array([0.6, 0.4, 0.2, 0])
    assert fragility(*ranked(ScoreMatrix.build(values, data_sets=["a"] * 5 + ["b"] * 9))) is None
    values[3, 2] = np.nan
    assert fragility(*ranked(ScoreMatrix.build(values, holes=True))) is None


def test_fragility_counts_what_is_sampled() -> None:
    """Whole clusters, whole data sets and points: by leaving them out and scoring what is left."""
    rng = np.random.default_rng(4)
    values = rng.normal(0, 1, (12, 4)) + np.array([0.5, 0.4, 0.2, 0])
    groups = np.repeat(np.arange(6), [1, 2, 3, 1, 2, 3])

    def turned(means_without, units) -> int:
        for count in range(1, 6):
            for gone in itertools.combinations(range(units), count):
                theta = means_without(gone)
                if theta[1:].max() > theta[0] + 1e-12:
                    return count
        raise AssertionError

    clustered, means = ranked(ScoreMatrix.build(values, clusters=groups.tolist()))
    found = fragility(clustered, means)
    assert found is not None
    without = turned(lambda gone: clustered.values[~np.isin(groups, gone)].mean(axis=0), 6)
    assert (found.topics, found.total, found.unit) == (without, 6, "cluster")

    sets = ScoreMatrix.build(values, data_sets=[f"set {g}" for g in groups])
    sets = sets.select(ranking_order(means_of(sets, "data_sets", "borda").theta))
    points = means_of(sets, "data_sets", "borda")
    found = fragility(sets, points)
    assert found is not None
    assert points.values is not None
    without = turned(lambda gone: np.delete(points.values, gone, axis=0).mean(axis=0), 6)
    assert (found.topics, found.total, found.unit) == (without, 6, "data set")
    assert set(found.names) <= set(sets.data_sets)


def leader(scores: ScoreMatrix, **options: Any) -> Leader:
    found = truerank.assess(scores, "eb", "tau", draws=2, **options).leader
    assert found is not None
    return found


@pytest.fixture
def prototype(monkeypatch: pytest.MonkeyPatch) -> None:
    """The hyperprior of the prototype: log-normal alone, on the grid for 50 topics."""
    monkeypatch.setattr(eb, "LEVEL", np.inf)
    monkeypatch.setattr(eb, "grid", lambda topics: wide_grid(1.0))
    monkeypatch.setattr(eb, "tables", eb.tables.__wrapped__)
    monkeypatch.setattr(eb, "_prior", eb._prior.__wrapped__)


SCORES = {
    "adhoc6_ap": ((0.358705, 0.532179), 0.230211, 0.016920),
    "web2010_p10": ((0.352952, 0.617338), 0.168451, 0.029604),
}
"""By a prototype of its own: interval of the leader's score, b, and the error that moves with no contrast."""


@pytest.mark.parametrize("name", SCORES)
def test_interval_of_the_score_of_a_prototype(name: str, data: Path, prototype: None) -> None:
    """Not the contrast's moved by the average, which leaves out that the average is uncertain."""
    scores, _ = ranked(truerank.read_scores(data / "trec" / f"{name}.csv"))
    ends, slope, rest = SCORES[name]
    found = leader(scores)
    assert (found.low, found.high) == pytest.approx(ends, abs=1e-6)
    x = scores.values
    average = x.mean(axis=1)
    covariance = np.cov(x[:, 0] - average, average)
    b = covariance[0, 1] / covariance[0, 0]
    assert b == pytest.approx(slope, abs=1e-6)
    assert np.sqrt((covariance[1, 1] - b * covariance[0, 1]) / len(x)) == pytest.approx(rest, abs=1e-6)
    assert (found.observed, found.contrast.average) == pytest.approx((x[:, 0].mean(), x.mean()))
    assert found.shrunken - found.observed == pytest.approx(found.contrast.shrunken - found.contrast.observed)


def test_the_score_is_as_uncertain_as_its_topics() -> None:
    """Hard and easy topics widen the interval of the score; that of the contrast stays the same."""
    scores = sample(4, 20, 8)
    moved = ScoreMatrix.build(scores.values + np.random.default_rng(1).normal(0, 5, (20, 1)))
    for options in ({}, {"tried": 40}, {"guarantee": True}):
        one, other = leader(scores, **options), leader(moved, **options)
        assert other.contrast.low == pytest.approx(
            one.contrast.low, abs=0.01 if "guarantee" in options else 1e-9
        )
        assert other.contrast.high == pytest.approx(one.contrast.high)
        assert other.low < one.low - 1
        assert other.high > one.high + 1
        for found in (one, other):
            assert found.low <= found.shrunken <= found.observed <= found.high


def test_lower_ends_that_hold_whatever_the_truth_is() -> None:
    """Bonferroni's for variants tried; with the guarantee, independent systems need almost as much."""
    rng = np.random.default_rng(3)
    values = rng.normal(0, 1, (30, 12))
    scores, _ = ranked(ScoreMatrix.build(values))
    error = scores.values[:, 0].std(ddof=1) / np.sqrt(30)
    q = student.ppf(1 - 0.025 / 12, 29)
    tried, sure = leader(scores, tried=12), leader(scores, guarantee=True)
    assert tried.low == pytest.approx(scores.values[:, 0].mean() - q * error)
    assert 0.9 * q < (sure.observed - sure.low) / error < q + 0.1
    shared = leader(ScoreMatrix.build(values + rng.normal(0, 100, (30, 1))), guarantee=True)
    error = (shared.high - shared.observed) / student.ppf(0.975, 29)
    assert (shared.observed - shared.low) / error == pytest.approx(student.ppf(0.975, 29), abs=0.1)


def test_the_interval_of_a_score_keeps_to_the_range_of_scores() -> None:
    values = (np.random.default_rng(2).random((8, 4)) < [0.9, 0.8, 0.5, 0.4]).astype(float)
    found = leader(ScoreMatrix.build(values))
    assert 0 <= found.low < found.shrunken < found.high == 1


def test_the_answer_says_that_the_leaders_interval_allows_for_its_being_the_best() -> None:
    """The table beside it has the interval of a system that was chosen beforehand."""
    values = (np.random.default_rng(5).random((30, 6)) < [0.5, 0.6, 0.7, 0.75, 0.8, 0.85]).astype(float)
    found = truerank.assess(values, "eb", draws=200)
    leader, first = found.leader, found.ranking[0]
    assert leader is not None
    ends = f"{leader.low:.3f} to {leader.high:.3f}"
    assert ends != f"{first.mean_low:.3f} to {first.mean_high:.3f}"
    assert f"is expected (95% interval, allowing for this, {ends})." in " ".join(view(found).answer)


def test_near_the_largest_score_the_lower_end_is_wilsons() -> None:
    """Where few answers are wrong their variance is underestimated, which nothing tells of other scores."""
    rng = np.random.default_rng(5)
    values = (rng.random((20, 8)) < 0.75).astype(float)
    for options in ({"tried": 8}, {"tried": 80}):
        one = leader(ScoreMatrix.build(values), **options)
        plain = leader(ScoreMatrix.build(100 * values), **options)
        score, low = one.observed, one.low
        half = score - plain.low / 100
        # (θ̂ − L)² = c·L(1 − L), where the half-width at θ̂ gives c
        assert (score - low) ** 2 / (low * (1 - low)) == pytest.approx(half**2 / (score * (1 - score)))
        assert low < plain.low / 100


def test_the_strength_of_a_leader_of_battles_is_its_contrast() -> None:
    """Strengths add up to 0, so both have one interval."""
    rng = np.random.default_rng(1)
    rows = [
        (f"q{q}", a, b, float(rng.uniform() < 0.5 + 0.1 * (ord(b) - ord(a))))
        for q in range(60)
        for a, b in ("AB", "AC", "BC")
    ]
    found = leader(pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"]))
    assert found.contrast.average == pytest.approx(0, abs=1e-12)
    for key in ("observed", "shrunken", "low", "high"):
        assert getattr(found, key) == pytest.approx(getattr(found.contrast, key), abs=1e-9)


@pytest.mark.parametrize("k", [1, 2])
def test_who_is_first_without_the_topics_that_carry_the_lead(k: int) -> None:
    """Often a third system, ahead of the one that needs the fewest topics to pass the leader."""
    for seed in range(12):
        rng = np.random.default_rng(seed)
        values = rng.normal(0, 1, (12, 6)) + np.array([0.6, 0.5, 0.4, 0.4, 0.3, 0])
        scores, means = ranked(ScoreMatrix.build(values))
        found = fragility(scores, means, k)
        assert found is not None
        if found.topics is None:
            continue
        kept = np.array([name not in found.names for name in scores.topics])
        left = ScoreMatrix.build(scores.values[kept], systems=scores.systems)
        after = [scores.systems[s] for s in ranking_order(means_of(left).theta)]
        assert found.by == next(s for s in after if s not in scores.systems[:k])
        assert found.by in after[:k]
        assert found.over == [s for s in after if s in scores.systems[:k]][-1]
        assert found.over not in after[:k]


def test_a_leader_whose_strength_is_hardly_known_is_in_no_class_of_its_own() -> None:
    """It is far above all others in the estimate, and may truly be at any rank."""
    rng = np.random.default_rng(0)
    values, own = rng.normal(0, 1, (20, 30)), rng.normal(0, 1, 20)
    values[:, 0] = 3 * ((own - own.mean()) / own.std(ddof=1) + 3 / np.sqrt(20))
    found = truerank.assess(values, "eb", draws=500)
    assert (found.leader.system, found.leader.limited) == ("sys1", True)
    assert found.ranking[0].rank_high > 1
    assert not any("or more" in one for one in view(found).answer)


wide_grid = eb.grid

CHECKED = {
    "adhoc6_ap": ("sys70", 0.290277, 0.024344, 0.267353, 1.281669, 0.088834, 0.086389, 13, "sys15", 11.75),
    "web2010_p10": ("sys45", 0.194318, 0.044036, 0.168345, 0.895051, 0.031250, 0.030075, 3, "sys46", 2.31),
}
"""By a prototype of its own: leader, a, s, ã, r, gap observed and shrunken, fragility, by whom, usual."""


@pytest.mark.parametrize("name", CHECKED)
def test_figures_of_a_prototype(name: str, data: Path, prototype: None) -> None:
    """On two TREC tables."""
    scores, means = ranked(truerank.read_scores(data / "trec" / f"{name}.csv"))
    leader, a, s, shrunken, spread, gap, gap_shrunken, count, by, law = CHECKED[name]
    found = contrasts(means)
    assert scores.systems[0] == leader
    observed = (found.observed[0], found.errors[0], found.shrunken[0], found.spread[0], found.gap)
    assert observed == pytest.approx((a, s, shrunken, spread, gap_shrunken), abs=1e-6)
    assert found.observed[0] - found.observed[1] == pytest.approx(gap, abs=1e-6)
    fragile = fragility(scores, means)
    assert fragile is not None
    assert (fragile.topics, fragile.by) == (count, by)
    assert fragile.usual == pytest.approx(law, abs=0.006)
    if name == "adhoc6_ap":
        t = student.ppf(0.975, scores.n - 1)
        ends = (found.shrunken[0] - t * np.sqrt(spread) * s, max(found.observed + t * found.errors))
        assert ends == pytest.approx((0.211968, 0.339199), abs=1e-5)
