"""The core of reductions: choice, weights and held-out families, by check figures and by plain versions."""

from __future__ import annotations

import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank import read_scores
from truerank._support.types import Matrix
from truerank.reducing.choosing import Covariance, Places, Rule, chosen, drawn, plain, strata, weighted
from truerank.reducing.held_out import HeldOut, Way, chosen_weighted, dealt, families_found, held_out
from truerank.reducing.reduction import board_swaps
from truerank.scores import ScoreMatrix

SMALL = np.array(
    [
        [0.9, 0.7, 0.8, 0.4, 0.5, 0.2],
        [0.6, 0.6, 0.5, 0.5, 0.3, 0.3],
        [0.8, 0.9, 0.4, 0.6, 0.2, 0.1],
        [0.3, 0.5, 0.4, 0.2, 0.4, 0.3],
        [1, 0.8, 0.9, 0.7, 0.3, 0.4],
        [0.2, 0.1, 0.3, 0.2, 0.1, 0],
        [0.7, 0.4, 0.6, 0.5, 0.6, 0.1],
        [0.5, 0.6, 0.7, 0.1, 0.2, 0.2],
    ]
)
NEW = np.array([[0.8], [0.5], [0.6], [0.4], [0.7], [0.2], [0.5], [0.6]])


def picked(values: Matrix, keep: int) -> Places:
    return chosen(values, strata(values, keep), keep)


def full_covariance(values: Matrix) -> Matrix:
    """C as the formula has it, n × n."""
    a = values - values.mean(axis=1, keepdims=True)
    m, off = a.shape[1], ~np.eye(len(a), dtype=bool)
    sample = a @ a.T / m
    noise = ((a**2) @ (a**2).T / m - sample**2) / m
    shrinkage = np.clip(noise[off].sum() / np.sum(sample[off] ** 2), 0, 1)
    return np.where(off, (1 - shrinkage) * sample, sample)


def test_the_small_example() -> None:
    """Topics, weights and the expected score of a new system, worked out by another program."""
    topics = picked(SMALL, 3)
    assert Covariance.of(SMALL).shrinkage == pytest.approx(0.252887, abs=5e-7)
    assert (topics + 1).tolist() == [1, 3, 8]
    alone = weighted(SMALL, topics, np.arange(6))
    assert alone.penalty == pytest.approx(1)
    assert alone.weights == pytest.approx([0.276573, 0.232303, 0.231976], abs=5e-7)
    assert SMALL[topics].mean(axis=1) == pytest.approx([0.583333, 0.5, 0.383333], abs=5e-7)
    assert alone.error == pytest.approx(0.050166, abs=5e-7)
    assert alone(NEW) == pytest.approx([0.583416], abs=5e-7)
    together = weighted(SMALL, topics, np.array([0, 0, 1, 1, 2, 3]))
    assert together.penalty == pytest.approx(0.0316228, rel=1e-6)
    assert together.weights == pytest.approx([0.361607, 0.189560, 0.124055], abs=5e-7)
    assert together.error == pytest.approx(0.065553, abs=5e-7)
    assert together(NEW) == pytest.approx([0.574183], abs=5e-7)
    assert (chosen(SMALL, np.arange(8), 3) + 1).tolist() == [1, 5, 3]


def test_what_remains_of_the_variance() -> None:
    """The mean of C before and after, from the matrix that the program never forms."""
    before, kept = full_covariance(SMALL), picked(SMALL, 3)
    cross = before[:, kept]
    after = before - cross @ np.linalg.solve(before[np.ix_(kept, kept)], cross.T)
    assert before.mean() == pytest.approx(1.905887e-2, rel=5e-7)
    assert after.mean() == pytest.approx(1.472340e-3, rel=5e-7)


@given(st.integers(0, 10_000), st.integers(5, 12), st.integers(2, 9))
def test_each_choice_is_the_best_of_its_open_strata(seed: int, n: int, m: int) -> None:
    """Against every candidate's remaining variance, by conditioning the whole matrix anew."""
    values = np.random.default_rng(seed).random((n, m))
    groups, covariance = strata(values, 3), full_covariance(values)
    assert Covariance.of(values).with_mean() == pytest.approx(covariance.mean(axis=1), abs=1e-12)
    kept: list[int] = []

    def remaining(topic: int) -> float:
        cross = covariance[:, [*kept, topic]]
        return float((covariance - cross @ np.linalg.pinv(cross[[*kept, topic]]) @ cross.T).mean())

    for topic in chosen(values, groups, 3).tolist():
        open_ones = [t for t in range(n) if groups[t] not in groups[kept]]
        assert topic in open_ones
        assert remaining(topic) <= min(map(remaining, open_ones)) + 1e-9
        kept.append(topic)


def test_identical_topics_are_not_taken_twice() -> None:
    values = np.repeat(np.random.default_rng(1).random((4, 6)), 3, axis=0)
    assert len(set((chosen(values, np.arange(12), 4) // 3).tolist())) == 4


@given(st.integers(0, 10_000), st.integers(3, 40), st.data())
def test_strata_are_of_equal_size_and_ordered(seed: int, n: int, data: st.DataObject) -> None:
    values = np.random.default_rng(seed).random((n, 3)).round(1)
    keep = data.draw(st.integers(1, n))
    groups, means = strata(values, keep), values.mean(axis=1)
    sizes = np.bincount(groups, minlength=keep)
    assert np.ptp(sizes) <= 1
    bounds = [(means[groups == g].min(), means[groups == g].max()) for g in range(keep)]
    assert all(a[1] <= b[0] + 1e-12 for a, b in itertools.pairwise(bounds))
    one_each = drawn(groups, np.random.default_rng(seed))
    assert sorted(groups[one_each].tolist()) == list(range(keep))


def test_errors_of_left_out_families_are_those_of_fits_without_them() -> None:
    """The closed form against ridge regressions that leave each family out, at the penalty found."""
    rng = np.random.default_rng(4)
    values, families = rng.random((30, 12)), np.array([0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8])
    topics = np.arange(0, 30, 6)
    found = weighted(values, topics, families)
    centered = values[topics] - values[topics].mean(axis=1, keepdims=True)
    rest = values.mean(axis=0) - values.mean() - centered.mean(axis=0)
    penalty = found.penalty * np.sum(centered**2) / 12
    errors = []
    for family in np.unique(families):
        known, out = families != family, families == family
        design = np.column_stack([np.ones(known.sum()), centered[:, known].T])
        fit = np.linalg.solve(
            design.T @ design + np.diag([0, *[penalty] * len(topics)]), design.T @ rest[known]
        )
        errors += list(rest[out] - fit[0] - centered[:, out].T @ fit[1:])
    assert found.error == pytest.approx(np.sqrt(np.mean(np.square(errors))), rel=1e-9)


def rows(keep: int, with_weights: bool = False) -> Way:
    """Topics at equal distances in the table."""

    def way(values: Matrix, families: Places, rng: np.random.Generator) -> list[Rule]:
        topics = ((np.arange(keep) + 0.5) * len(values) / keep).astype(int)
        return [weighted(values, topics, families) if with_weights else plain(topics)]

    return way


def table(data: Path, name: str, distinct: bool = False) -> Matrix:
    scores = read_scores(data / "trec" / f"{name}.csv")
    return (scores.drop_identical() if distinct else scores).values


FIGURES = [
    (
        "adhoc6_ap",
        False,
        10,
        (0.698630, 0.067582),
        0.729941,
        (-0.031311, 0.076073),
        0.024355,
        0.676017,
        0.840757,
    ),
    ("robust2003_ap", False, 20, (0.901754, 0.030604), 0.807018, None, 0.006902, 0.837489, 0.875215),
    (
        "web2010_p10",
        False,
        10,
        (0.746922, 0.050437),
        0.571819,
        (0.175103, 0.067311),
        0.035678,
        0.664944,
        0.780679,
    ),
    ("web2010_p10", True, 10, (0.788889, 0.049194), 0.603704, None, None, 0.691424, 0.788057),
    ("terabyte2006_ndcg", False, 30, (0.923977, 0.032232), None, None, 0.007886, 0.903911, 0.931078),
]


@pytest.mark.parametrize(
    ("name", "distinct", "keep", "tau", "by_rows", "gain", "error", "truth", "ceiling"), FIGURES
)
def test_figures_of_held_out_systems(
    data, name, distinct, keep, tau, by_rows, gain, error, truth, ceiling
) -> None:  # type: ignore[no-untyped-def]
    """Every system its own family, dealt to five folds in turn; swaps by `ml`."""
    values = table(data, name, distinct)
    found = every_fifth(values, np.arange(values.shape[1]), keep)
    assert (found.tau().estimate, found.tau().se) == pytest.approx(tau, abs=6e-7)
    swaps = board_swaps(ScoreMatrix.build(values), "ml")
    assert found.tau(0, swaps).estimate == pytest.approx(truth, abs=6e-7)
    assert found.ceiling(swaps).estimate == pytest.approx(ceiling, abs=6e-7)
    if by_rows is not None:
        assert found.tau(1).estimate == pytest.approx(by_rows, abs=6e-7)
    if gain is not None:
        difference = found.tau() - found.tau(1)
        assert (difference.estimate, difference.se) == pytest.approx(gain, abs=6e-7)
    if error is not None:
        assert np.sqrt(np.mean(found.errors**2)) == pytest.approx(error, abs=6e-7)


def every_fifth(values: Matrix, families: Places, keep: int) -> HeldOut:
    ways = [chosen_weighted(keep), rows(keep), rows(keep, with_weights=True)]
    return held_out(values, families, ways, [families % 5])


CHOICES = [
    ("adhoc6_ap", False, 10, 0.096322, [37, 50, 13, 21, 39, 15, 28, 1, 46, 49], 0.316228, 1.034291),
    ("robust2003_ap", False, 20, 0.091292, [25, 85, 42, 52, 56], None, 0.921867),
    ("web2010_p10", False, 10, None, [39, 14, 48, 34, 26, 8, 43, 19, 42, 5], 1, 0.814036),
    ("web2010_p10", True, 10, 0.197501, [39, 8, 34, 26, 21, 43, 14, 5, 19, 42], 3.162278, 0.807778),
    ("terabyte2006_ndcg", False, 30, None, [9, 106, 17, 54, 140], 0.1, 0.956245),
]


@pytest.mark.parametrize(("name", "distinct", "keep", "shrinkage", "starts", "penalty", "total"), CHOICES)
def test_figures_of_choices(data, name, distinct, keep, shrinkage, starts, penalty, total) -> None:  # type: ignore[no-untyped-def]
    values = table(data, name, distinct)
    topics = picked(values, keep)
    rule = weighted(values, topics, np.arange(values.shape[1]))
    assert (topics[: len(starts)] + 1).tolist() == starts
    assert rule.weights.sum() == pytest.approx(total, abs=6e-7)
    if shrinkage is not None:
        assert Covariance.of(values).shrinkage == pytest.approx(shrinkage, abs=6e-7)
    if penalty is not None:
        assert rule.penalty == pytest.approx(penalty, rel=1e-6)


def test_families_and_their_figures(data: Path) -> None:
    """TREC-6 with its families of near-copies, and how many families other tables have."""
    for name, count in (("adhoc6_ap", 34), ("robust2003_ap", 29), ("terabyte2006_ndcg", 31)):
        assert families_found(table(data, name)).max() + 1 == count
    assert families_found(table(data, "web2010_p10", distinct=True)).max() + 1 == 43
    values = table(data, "adhoc6_ap")
    assert (chosen(values, np.arange(50), 10) + 1).tolist() == [37, 41, 50, 28, 21, 26, 16, 17, 4, 35]
    families, swaps = families_found(values), board_swaps(ScoreMatrix.build(values), "ml")
    assert weighted(values, picked(values, 10), families).error == pytest.approx(0.023469, abs=6e-7)
    found = every_fifth(values, families, 10)
    taus = [found.tau(way) for way in range(3)]
    assert [tau.estimate for tau in taus] == pytest.approx([0.849315, 0.752568, 0.764555], abs=6e-7)
    gains = [taus[0] - other for other in taus[1:]]
    assert [gain.estimate for gain in gains] == pytest.approx([0.096747, 0.084760], abs=6e-7)
    assert [gain.se for gain in gains] == pytest.approx([0.085564, 0.079612], abs=6e-7)
    assert taus[0].se == pytest.approx(0.070373, abs=6e-7)
    assert np.sqrt(np.mean(found.errors**2)) == pytest.approx(0.028444, abs=6e-7)
    truth = found.tau(0, swaps)
    assert (truth.estimate, truth.se) == pytest.approx((0.793032, 0.094756), abs=6e-7)
    assert found.ceiling(swaps).estimate == pytest.approx(0.867421, abs=6e-7)


def test_the_jackknife_is_that_of_tables_without_each_family() -> None:
    rng = np.random.default_rng(2)
    values, families = rng.random((20, 12)), np.array([0, 0, 0, 1, 2, 3, 3, 4, 5, 6, 7, 8])
    found = held_out(values, families, [rows(5)], dealt(families, 2, 1))
    agreement, met = found.agreements[0], found.met
    for family, left in enumerate(found.tau().without):
        others = np.flatnonzero(families != family)
        pairs = np.ix_(others, others)
        assert left == pytest.approx(agreement[pairs].sum() / met[pairs].sum())
    assert all(len(set(fold[families == 0].tolist())) == 1 for fold in dealt(families, 5, 3))
