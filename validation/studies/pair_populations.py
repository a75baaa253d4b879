"""Populations of a pair of systems: what the difference of their scores on a random topic may be."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.random import Generator

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.readers import as_scores
from truerank.scores import TIE, ScoreMatrix

SUPPORT = 20_000  # topics that stand for a population of continuous differences


@dataclass(frozen=True, eq=False)
class PairPopulation:
    """Different differences on topics, increasing, and how likely each is."""

    values: Vector
    probabilities: Vector
    source: str | None = None
    warnings: tuple[str, ...] = ()

    @classmethod
    def of(cls, differences: Vector, source: str | None = None) -> PairPopulation:
        """From differences that are equally likely; those within 1e-12 are one."""
        values, counts = np.unique(np.round(differences / TIE) * TIE, return_counts=True)
        return cls(values, counts / counts.sum(), source)

    def fingerprint(self) -> str:
        """Equal if and only if the populations are."""
        return hashlib.sha256(self.values.tobytes() + self.probabilities.tobytes()).hexdigest()

    @cached_property
    def mean(self) -> float:
        """The true difference."""
        return float(self.probabilities @ self.values)

    @cached_property
    def deviation(self) -> float:
        """The standard deviation of a topic's difference."""
        return float(np.sqrt(self.probabilities @ (self.values - self.mean) ** 2))

    @cached_property
    def skewness(self) -> float:
        """The skewness of a topic's difference."""
        return float(self.probabilities @ (self.values - self.mean) ** 3) / self.deviation**3

    @cached_property
    def differing(self) -> float:
        """The share of topics on which the two differ."""
        return float(self.probabilities[np.abs(self.values) > TIE].sum())

    def moved(self, mean: float) -> PairPopulation:
        """The same differences, by exponential tilting as likely as makes their mean another."""
        from scipy.optimize import brentq

        if not self.values[0] < mean < self.values[-1]:
            raise InputError(
                f"differences from {self.values[0]:g} to {self.values[-1]:g} have no mean of {mean:g}"
            )
        scaled = (self.values - mean) / max(abs(self.values[0]), abs(self.values[-1]))

        def tilted(power: float) -> Vector:
            logs = power * scaled + np.log(self.probabilities)
            weights: Vector = np.exp(logs - logs.max())
            return weights / weights.sum()

        power = brentq(lambda by: float(tilted(by) @ scaled), -1e4, 1e4, xtol=1e-12)
        return PairPopulation(self.values, tilted(power), self.source, self.warnings)

    def sample(self, pairs: int, topics: int, rng: Generator) -> Matrix:
        """The differences of so many pairs of systems on so many topics; pairs × topics."""
        ends = np.cumsum(self.probabilities)
        places = np.searchsorted(ends, rng.random((pairs, topics)) * ends[-1], side="right")
        found: Matrix = self.values[np.minimum(places, len(self.values) - 1)]
        return found


def _logistic(x: Vector) -> Vector:
    return 1 / (1 + np.exp(-x))


def _average_precision(rng: Generator, collapse: float) -> Vector:
    """Scores like AP: topics that differ much, systems that differ little, and now and then a collapse."""
    topic = rng.normal(0, 1.2, SUPPORT)
    base = _logistic(-1 + topic + rng.normal(0, 0.3, SUPPORT))
    drop = np.where(rng.random(SUPPORT) < collapse, rng.gamma(2, 0.7, SUPPORT), 0.0)
    return _logistic(-1 + topic + rng.normal(0, 0.3, SUPPORT) - drop) - base


def _precision(rng: Generator, same: float) -> Vector:
    """P@10: the candidate finds the same documents on a share of the topics."""
    topic = _logistic(rng.normal(-0.3, 1.2, SUPPORT))
    base, other = rng.binomial(10, topic), rng.binomial(10, topic)
    return np.where(rng.random(SUPPORT) < same, 0, other - base) / 10


def _reciprocal_rank(rng: Generator, same: float) -> Vector:
    topic = _logistic(rng.normal(0, 1.2, SUPPORT))
    base, other = 1 / rng.geometric(topic), 1 / rng.geometric(topic)
    return np.where(
        rng.random(SUPPORT) < same, 0.0, np.where(other < 0.1, 0, other) - np.where(base < 0.1, 0, base)
    )


def _success(wins: float, losses: float) -> Callable[[Generator], Vector]:
    """Scores of 0 and 1."""
    ones, minus = round(wins * SUPPORT), round(losses * SUPPORT)
    return lambda rng: np.repeat([1.0, -1.0, 0.0], [ones, minus, SUPPORT - ones - minus])


# Populations of differences by name: smooth, skewed, heavy-tailed, tied and binary ones.
BUILT_IN: Mapping[str, Callable[[Generator], Vector]] = {
    "normal": lambda rng: rng.normal(0, 0.1, SUPPORT),
    "heavy tails": lambda rng: 0.06 * rng.standard_t(4, SUPPORT),
    "skewed losses": lambda rng: 0.06 * (1.2 - rng.gamma(1.2, 1, SUPPORT)),
    "skewed gains": lambda rng: 0.06 * (rng.gamma(1.2, 1, SUPPORT) - 1.2),
    "rare collapse": lambda rng: np.where(
        rng.random(SUPPORT) < 0.1, rng.normal(-0.3, 0.1, SUPPORT), rng.normal(0, 0.08, SUPPORT)
    ),
    "AP": lambda rng: _average_precision(rng, 0.0),
    "AP, some collapse": lambda rng: _average_precision(rng, 0.15),
    "P@10": lambda rng: _precision(rng, 0.0),
    "P@10, mostly ties": lambda rng: _precision(rng, 0.6),
    "RR": lambda rng: _reciprocal_rank(rng, 0.0),
    "RR, mostly ties": lambda rng: _reciprocal_rank(rng, 0.6),
    "success, often": _success(0.3, 0.3),
    "success, 10%": _success(0.1, 0.1),
    "success, 3%": _success(0.015, 0.015),
}


def built_in(seed: int = 0) -> dict[str, PairPopulation]:
    """The built-in populations; the same whatever the run's seed."""
    return {name: PairPopulation.of(make(stream(seed, "pairs", name))) for name, make in BUILT_IN.items()}


def of_table(source: Any, name: str, pairs: int) -> dict[str, PairPopulation]:
    """Pairs of systems of a score table, spread evenly over its ranking: neighbors, and some ranks apart."""
    scores: ScoreMatrix = as_scores(source).ranked().drop_identical()
    found = {}
    for place in range(pairs):
        first = round((place + 0.5) * (scores.m - 1) / pairs)
        second = min(first + 1 + 3 * (place % 3), scores.m - 1)
        if first == second:
            continue
        a, b = (scores.systems[s] for s in (first, second))
        d = scores.values[:, second] - scores.values[:, first]
        found[f"{name}: {a}, {b}"] = PairPopulation.of(d, scores.source)
    return found
