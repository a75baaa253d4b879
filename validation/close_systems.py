"""Nearly equal systems, of scores and of battles: do E τ by `eb`, its intervals and rank ranges hold?

Each cell is measured as the package is, and with the hyperprior before it levelled off. It was chosen on
questions of one discrimination, ten bunched leaders of 20 systems, and three of the six TREC tables. That of
battles was chosen on uniform and unequal arenas of 12 and 20 systems, and on four WMT16 arenas that are not
here. Half an hour in one process; TRUERANK_WMT16 is explained in arena_halves.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

import numpy as np
from numpy.random import Generator

from truerank import read_scores
from truerank._support.types import Matrix, Vector
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.numerics.intervals import quantile_interval
from truerank.reliability.estimators import TopicSample, eb
from truerank.reliability.means import Means, means_of
from truerank.reliability.means.means import plain_means
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import standings
from truerank.scores import ScoreMatrix, identical_systems
from validation.checks import Checks, NoDataError, data_folder
from validation.studies.simulated_arenas import ArenaKind, arena_table

COLLECTIONS, DRAWS, LEVEL = 200, 1_000, 0.95
Drawn = tuple[Means, Vector, list[list[int]]]
"""Means of some systems, their true values, and the groups of identical ones."""

TABLES = ("adhoc6_ap", "robust2003_ap", "web2010_ap", "adhoc8_ap", "terabyte2006_ap", "web2011_ap")
"""The first three were used to choose."""

ARENAS = ("deu-eng", "eng-ron", "eng-tur", "ron-eng", "tur-eng")


def of_table(values: Matrix, truth: Vector) -> Drawn:
    """Scores of systems whose true means are known."""
    order = np.argsort(-values.mean(axis=0), kind="stable")
    scores = ScoreMatrix.build(values[:, order])
    return plain_means(scores.values), truth[order], identical_systems(scores)


def questions(spread: float, n: int) -> Callable[[Generator], Drawn]:
    """Right or wrong answers of 20 models of that spread in logits; questions discriminate unequally."""

    def draw(rng: Generator) -> Drawn:
        ability, slope = rng.normal(0, spread, 20), np.exp(rng.normal(0, 0.3, (n, 1)))
        logits = slope * (ability + rng.normal(0.5, 1.0, (n, 1)))
        return of_table((rng.random((n, 20)) < 1 / (1 + np.exp(-logits))).astype(float), ability)

    return draw


def skewed(spread: float, n: int) -> Callable[[Generator], Drawn]:
    """Skewed scores of 20 systems whose true means spread by so many standard errors."""

    def draw(rng: Generator) -> Drawn:
        truth = -rng.exponential(size=20) * spread / np.sqrt(n)
        noise = rng.normal(size=(n, 1)) + rng.gamma(0.5, 1.4, size=(n, 20))
        return of_table(truth + noise, truth)

    return draw


def bunched(n: int) -> Callable[[Generator], Drawn]:
    """25 systems, of which the first ten are 0.02 standard deviations of a topic apart."""

    def draw(rng: Generator) -> Drawn:
        truth = np.sort(rng.normal(0, 0.36, 25))[::-1]
        truth[:10] = truth[10] + 0.1 + 0.02 * np.arange(10)[::-1]
        shared = rng.normal(size=(n, 3)) @ (0.5 * rng.normal(size=(3, 25)))
        return of_table(truth + shared + 0.7 * rng.normal(size=(n, 25)), truth)

    return draw


def table(name: str, n: int) -> Callable[[Generator], Drawn]:
    """Topics of a TREC table drawn anew, for 30 of the better three quarters of the systems."""
    values = np.loadtxt(data_folder() / "trec" / f"{name}.csv", delimiter=",", skiprows=1)
    better = values[:, np.argsort(-values.mean(axis=0))[: values.shape[1] * 3 // 4]]

    def draw(rng: Generator) -> Drawn:
        some = better[:, rng.permutation(better.shape[1])[:30]]
        return of_table(some[rng.integers(0, len(some), n)], some.mean(axis=0))

    return draw


def of_battles(scores: ScoreMatrix, truth: Vector) -> Drawn:
    """Battles of systems with known strengths; a drawn one each is added where strengths are infinite."""
    try:
        means = means_of(scores)
    except InputError:
        means = means_of(scores.counting(draw_prior=1.0))
    order = np.argsort(-means.theta, kind="stable")
    return means.select(order), truth[order], []


def simulated_arena(kind: ArenaKind, each: int) -> Callable[[Generator], Drawn]:
    """25 prompts with battles of 16 systems, so many a system."""

    def draw(rng: Generator) -> Drawn:
        arena = kind.model(16, rng).sample(25, each * 8 // 25, int(rng.integers(1 << 30)))
        there = [int(name[3:]) - 1 for name in arena.scores.systems]
        return of_battles(arena.scores, arena.truth[there])

    return draw


def real_arena(pair: str, each: int) -> Callable[[Generator], Drawn]:
    """25 sentences of a WMT16 arena with so many battles a system; all of its battles are the truth."""
    folder = os.environ.get("TRUERANK_WMT16")
    if folder is None:
        raise NoDataError("the data folder of cfedermann/wmt16; name it in TRUERANK_WMT16")
    scores = read_scores(Path(folder) / f"wmt16.{pair}.csv")
    assert scores.battles is not None
    whole = replace(scores.battles, voters=None)
    truth = means_of(replace(scores, battles=whole)).theta
    prompts = int(whole.clusters.max()) + 1

    def draw(rng: Generator) -> Drawn:
        while True:
            some = np.flatnonzero(np.isin(whole.clusters, rng.permutation(prompts)[:25]))
            some = rng.permutation(some)[: each * scores.m // 2]
            kept = whole.only(np.isin(np.arange(len(whole.first)), some))
            kept = replace(kept, clusters=np.unique(kept.clusters, return_inverse=True)[1])
            part = arena_table(kept, scores.systems)
            if part.m == scores.m and np.count_nonzero(~np.isnan(part.values), axis=0).min() >= 2:
                return of_battles(part, truth)

    return draw


def run(checks: Checks) -> None:
    """Print bias, coverage and width of each cell, now and before; check what the documentation promises."""
    for spread in (0.05, 0.15):
        for n in (200, 1_000):
            cell(checks, f"20 models of sd {spread} logits, {n} questions", [questions(spread, n)], least=0.9)
    for spread in (0.5, 1.2):
        cell(checks, f"skewed scores, spread {spread} errors, 300 topics", [skewed(spread, 300)])
    for n in (50, 200):
        cell(checks, f"ten bunched leaders, {n} topics", [bunched(n)])
    for n in (10, 20, 50):
        for names in (TABLES[:3], TABLES[3:]):
            drawn = [table(name, n) for name in names]
            cell(checks, f"{', '.join(names)}, {n} topics", drawn, wider=1.1)
    for each in (25, 50):
        for spread in (0.15, 0.25, 0.37, 0.6):
            kinds = [
                ArenaKind("even", spread, "uniform"),
                ArenaKind("ties", spread, interaction=(0.35, 0.98), ties=1.0),
            ]
            drawn = [simulated_arena(kind, each) for kind in kinds]
            cell(checks, f"arenas of sd {spread}, {each} battles a system", drawn)
        cell(
            checks, f"WMT16, {each} battles a system", [real_arena(pair, each) for pair in ARENAS], bias=0.03
        )


def cell(
    checks: Checks,
    name: str,
    populations: list[Callable[[Generator], Drawn]],
    least: float = 0.0,
    wider: float = np.inf,
    bias: float = np.inf,
) -> None:
    """Measure some populations together: now, and by the hyperprior as it was."""
    collections = [
        populations[trial % len(populations)](np.random.default_rng([4, trial]))
        for trial in range(COLLECTIONS)
    ]
    now = np.array([measured(*one, trial) for trial, one in enumerate(collections)])
    with as_it_was():
        before = np.array([measured(*one, trial) for trial, one in enumerate(collections)])
    checks.note(f"  {name}: τ {now[:, 0].mean():.3f}")
    for way, rows in (("before", before), ("now", now)):
        means, errors = rows.mean(axis=0), rows.std(axis=0, ddof=1) / np.sqrt(len(rows))
        said = zip(
            ("bias", "τ in its interval", "all ranges", "first", "width"), means[1:], errors[1:], strict=True
        )
        checks.note(f"    {way:6}  " + ", ".join(f"{what} {m:.3f} ({e:.3f})" for what, m, e in said))
    _, off, _, ranges, _, width = now.mean(axis=0)
    slack = 2 * now.std(axis=0, ddof=1) / np.sqrt(len(now))
    checks.that(f"rank ranges hold in {least:.0%} at least", ranges >= least - slack[3], f"{ranges:.3f}")
    checks.that("ranges no wider than said", width <= wider * before[:, 5].mean(), f"{width:.2f}")
    checks.that("bias of E τ", abs(off) <= bias + slack[1], f"{off:+.3f}")


def measured(means: Means, truth: Vector, identical: list[list[int]], seed: int) -> list[float]:
    """τ, error of E τ, whether its interval, all ranges and that of the best hold, and mean width."""
    predictive = Predictive(TopicSample.of(means, None, seed), [TAU], DRAWS)
    swapped = simulated.against_truth(means.theta, truth)[2]
    actual, chance = TAU.of_swaps(swapped), predictive.fit("eb").probabilities
    interval = quantile_interval(predictive.draws("eb").coefficient(TAU), LEVEL)
    bands = standings(predictive.rank_draws("eb"), chance, LEVEL, identical=identical).bands
    ranks = 1 + np.sum(truth[None, :] > truth[:, None], axis=1)
    held = (bands.joint_low <= ranks) & (ranks <= bands.joint_high)
    width = float(np.mean(bands.joint_high - bands.joint_low + 1))
    best = bool(bands.joint_low[np.argmax(truth)] == 1)
    return [
        actual,
        TAU.of_swaps(chance) - actual,
        float(interval.low <= actual <= interval.high),
        float(held.all()),
        best,
        width,
    ]


@contextmanager
def as_it_was() -> Iterator[None]:
    """The hyperprior of test collections for all, level below c = 0.004, on the grid as it was."""
    usual = eb.log_hyperprior

    def level_below(effects: Vector, shapes: Vector, *_: float) -> Vector:
        return usual(np.maximum(effects, eb.EFFECTS[0]), shapes)

    with (
        patch.object(eb, "LEVEL", np.inf),
        patch.object(eb, "SMALLEST", 0.2),
        patch.object(eb, "log_hyperprior", level_below),
    ):
        _forget()
        yield
    _forget()


def _forget() -> None:
    """Tables are kept by n, weights by means: those of one grid must not serve the other."""
    eb._LEARNED.clear()
    eb.tables.cache_clear()
    eb._prior.cache_clear()
