"""Populations of systems whose scores vary from run to run, with a truth that is known."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.random import Generator

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.numerics.pairs import doubly_centered
from truerank.readers import as_scores
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from truerank.simulation.model import SimulationModel

# Systems of the populations made here, and the standard deviation of their true means over that of systems
# × topics: the typical effect size of test collections.
SYSTEMS, SPREAD = 20, 0.36
KINDS = ("normal", "binary")
MANY = 20_000  # topics that show what varies in a model


@dataclass(frozen=True, eq=False)
class Noisy:
    """Cells of systems on topics, with runs around them.

    Attributes:
        kind: ``normal``, ``binary`` (probit), or ``table``: topics of a model that was fitted to scores.
        given: those scores.
        source: where they were read.
        warnings: what is known of them.
    """

    kind: str
    given: ScoreMatrix | None = None
    source: str | None = None
    warnings: tuple[str, ...] = ()

    def fingerprint(self) -> str:
        """Equal if and only if the populations are."""
        of = "" if self.given is None else self.given.fingerprint()
        return hashlib.sha256(f"{self.kind} {of}".encode()).hexdigest()

    @cached_property
    def model(self) -> SimulationModel:
        """The model of the given scores."""
        from truerank.simulation import fit

        assert self.given is not None
        return fit(self.given, "effects", seed=0, truth="model")

    @cached_property
    def topic_deviation(self) -> float:
        """Standard deviation of systems × topics in the model."""
        cells = self.model.sample(MANY, 0).values
        n, m = cells.shape
        return float(np.sqrt(np.sum(doubly_centered(cells) ** 2) / ((n - 1) * (m - 1))))

    def truths(self, ratio: float, rng: Generator, systems: int = 0, unequal: float = 0.0) -> Truths:
        """The systems of one trial.

        Args:
            ratio: σ²_run/σ²_topic.
            rng: draws them.
            systems: how many of a table are drawn; 0 takes all.
            unequal: standard deviation of the logarithm of run variances over the systems of a table.
        """
        if self.kind == "table":
            means = np.asarray(self.model.true_means)
            chosen = np.arange(len(means))
            if 0 < systems < len(means):
                chosen = np.sort(rng.choice(len(means), systems, replace=False))
            noise = np.exp(rng.normal(0, unequal, len(chosen)) - unequal**2 / 2) if unequal else 1.0
            return Truths(self, ratio, means[chosen], 0.0, chosen=chosen, noise=noise)
        latent = rng.normal(0, SPREAD, SYSTEMS)
        if self.kind == "normal":
            return Truths(self, ratio, latent, 0.0, latent)
        from scipy.special import ndtr

        spread = _latent_spread(ratio)
        latent = latent * spread
        return Truths(self, ratio, ndtr(latent / np.sqrt(1.25 + spread**2)), spread, latent)


@dataclass(frozen=True, eq=False)
class Truths:
    """The systems of one trial.

    Attributes:
        of: the population.
        ratio: σ²_run/σ²_topic.
        means: m, the true means.
        spread: of binary runs, standard deviation of systems × topics before the probit.
        latent: m, the systems before it.
        chosen: of a table, places of the systems in it.
        noise: m, run variances over that of the average system, or 1.
    """

    of: Noisy
    ratio: float
    means: Vector
    spread: float
    latent: Vector | None = None
    chosen: NDArray[np.intp] | None = None
    noise: Vector | float = 1.0

    def cells(self, topics: int, seed: int, rng: Generator) -> Matrix:
        """What infinitely many runs would score: n × m."""
        if self.of.kind == "table":
            return np.array(self.of.model.sample(topics, seed).values[:, self.chosen])
        assert self.latent is not None
        common = rng.normal(0, 0.5, (topics, 1))
        own = rng.normal(0, 1, (topics, len(self.latent)))
        if self.of.kind == "normal":
            return self.latent + common + own
        from scipy.special import ndtr

        found: Matrix = ndtr(self.latent + common + self.spread * own)
        return found

    def runs(self, cells: Matrix, count: int, rng: Generator) -> NDArray[np.float64]:
        """n × m × K scores of runs."""
        shape = (*cells.shape, count)
        if self.of.kind == "binary":
            return (rng.random(shape) < cells[:, :, None]).astype(np.float64)
        deviation = np.sqrt(self.ratio) * (self.of.topic_deviation if self.of.kind == "table" else 1.0)
        noise = np.sqrt(self.noise) * rng.normal(0, deviation, shape).transpose(0, 2, 1)
        return np.asarray(cells[:, :, None] + noise.transpose(0, 2, 1))


@cache
def _latent_spread(ratio: float) -> float:
    """The standard deviation at which binary runs have that ratio of variances, by bisection."""
    from scipy.special import ndtr

    rng = stream(0, "binary runs")
    systems, topics = rng.normal(0, SPREAD, (4000, 1)), rng.normal(0, 0.5, (4000, 1))
    own = rng.normal(0, 1, (4000, 50))
    low, high = 0.01, 20.0
    for _ in range(40):
        middle = np.sqrt(low * high)
        p = ndtr(topics + middle * (systems + own))
        found = float(np.mean(p * (1 - p)) / np.mean(p.var(axis=1, ddof=1)))
        low, high = (middle, high) if found > ratio else (low, middle)
    return float(np.sqrt(low * high))


@dataclass(frozen=True)
class Context:
    """What tasks need."""

    parameters: Any
    data: Mapping[str, Noisy]


def prepare(parameters: Any, data: Mapping[str, Noisy], seed: int) -> Context:
    """Fit the models of score tables, before workers share them."""
    for one in data.values():
        if one.kind == "table":
            one.model.true_means, one.topic_deviation  # noqa: B018 - computed once, here
    return Context(parameters, data)


def load(sources: Any, parameters: Any) -> Mapping[str, Noisy]:
    """One population for each score table; without any, those made here."""
    if not sources:
        return {kind: Noisy(kind) for kind in KINDS}
    found = {}
    for source in sources if isinstance(sources, list | tuple) else [sources]:
        table = as_scores(source, one_table="the experiment")
        found[Path(str(source)).stem] = Noisy("table", table.drop_bottom(0.25), str(source))
    return found


# What an experiment on such populations is made of, but for what it declares itself.
PARTS: dict[str, Any] = {"load": load, "prepare": prepare}
