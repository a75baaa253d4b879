"""Many topics and close systems: is E τ by `eb` right where true differences are no larger than errors?

Ten minutes in one process. None of these populations was used to choose the grid: that was done with normal
scores and normal strengths of 15 and 40 systems.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from unittest.mock import patch

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix, Vector
from truerank.reliability.diagnostics import CLOSE
from truerank.reliability.estimators import eb
from truerank.reliability.means import Means, plain_means
from validation.checks import Checks

Population = tuple[Callable[[int, Generator], Vector], Callable[[Vector, int, Generator], Matrix]]


def _binary(strengths: Vector, n: int, rng: Generator) -> Matrix:
    noise = 1.2 * rng.normal(size=(n, 1)) + rng.normal(size=(n, len(strengths)))
    return (strengths + noise > 0).astype(float)


def _gamma(strengths: Vector, n: int, rng: Generator) -> Matrix:
    return strengths + rng.normal(size=(n, 1)) + rng.gamma(0.5, 1.4, size=(n, len(strengths)))


def _heavy(strengths: Vector, n: int, rng: Generator) -> Matrix:
    m = len(strengths)
    return strengths + rng.normal(size=(n, 1)) + np.exp(rng.normal(0, 0.3, m)) * rng.standard_t(4, (n, m))


POPULATIONS: dict[str, Population] = {
    "right or wrong, normal strengths": (lambda m, rng: rng.normal(size=m), _binary),
    "skewed scores and strengths": (lambda m, rng: -rng.exponential(size=m), _gamma),
    "right or wrong, two groups": (
        lambda m, rng: 0.6 * (np.repeat([0.0, 3.0], [m - m // 2, m // 2]) + rng.normal(size=m)),
        _binary,
    ),
    "heavy tails, uniform strengths": (lambda m, rng: rng.uniform(-1.7, 1.7, m), _heavy),
}
"""Strengths of m systems with a standard deviation of about 1, and scores of n topics."""

SPREADS = (0.5, 1.2, 3.0)
"""Of true means, in standard errors of a mean."""

COLLECTIONS = 60


def run(checks: Checks) -> None:
    """Print bias and error by population, topics and systems, beside those of the grid for 50 topics."""
    low: list[float] = []
    for name, population in POPULATIONS.items():
        for n in (50, 300, 2_000):
            for m in (8, 20, 60):
                for spread in SPREADS:
                    trials = range(COLLECTIONS if m < 60 else COLLECTIONS // 2)
                    drawn = [
                        _collection(population, n, m, spread, np.random.default_rng([n, m, trial]))
                        for trial in trials
                    ]
                    low += _check(checks, f"{name}, {n} × {m}", drawn)
    se = np.std(low) / math.sqrt(len(low))
    checks.note(f"  of {len(low)} estimates below {CLOSE}: bias {np.mean(low):+.3f} ± {se:.3f}")


def _check(checks: Checks, name: str, drawn: list[tuple[float, Means]]) -> list[float]:
    """Compare one kind of collection; the errors of estimates that get a warning."""
    actual = np.array([one for one, _ in drawn])
    now = np.array([eb.posterior(means).tau for _, means in drawn]) - actual
    with patch.object(eb, "SMALLEST", 1e9):
        _forget()
        before = np.array([eb.posterior(means).tau for _, means in drawn]) - actual
    _forget()
    se = now.std(ddof=1) / math.sqrt(len(now))
    said = (
        f"{name}: actual τ {actual.mean():.2f}, bias {now.mean():+.3f} ± {se:.3f} "
        f"(was {before.mean():+.3f}), error {np.abs(now).mean():.3f} (was {np.abs(before).mean():.3f})"
    )
    checks.note(f"  {said}")
    no_larger = abs(now.mean()) <= abs(before.mean()) + 3 * se
    checks.that("bias no larger than by the grid for 50 topics", no_larger, said)
    return list(now[now + actual < CLOSE])


def _collection(population: Population, n: int, m: int, spread: float, rng: Generator) -> tuple[float, Means]:
    """The actual τ of the ranking, and its means."""
    strengths, scores = population
    truth = strengths(m, rng) * spread / math.sqrt(n)
    values = scores(truth, n, rng)
    order = np.argsort(-values.mean(axis=0), kind="stable")
    first, second = np.triu_indices(m, 1)
    return float(np.sign(truth[order][first] - truth[order][second]).mean()), plain_means(values[:, order])


def _forget() -> None:
    """Tables are kept by n, weights by means: those of one grid must not serve the other."""
    eb._LEARNED.clear()
    eb.tables.cache_clear()
    eb._prior.cache_clear()
