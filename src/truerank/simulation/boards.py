"""Leaderboards of several data sets with a known truth: one model a data set, the same systems in all."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.scores import ScoreMatrix
from truerank.simulation.model import SimulationModel


@dataclass(frozen=True, eq=False)
class SimulatedBoard:
    """One simulated leaderboard."""

    scores: ScoreMatrix
    truth: Vector


@dataclass(frozen=True, eq=False)
class BoardModel:
    """Draws leaderboards whose true ranking is known."""

    models: tuple[SimulationModel, ...]
    data_sets: tuple[str, ...]

    def __post_init__(self) -> None:
        if not self.models or len(self.models) != len(self.data_sets):
            raise InputError("a leaderboard needs one model a data set, and a name for each")
        if len({model.systems for model in self.models}) > 1:
            raise InputError("the models of a leaderboard's data sets must be of the same systems")

    @property
    def systems(self) -> tuple[str, ...]:
        """m names."""
        return self.models[0].systems

    @cached_property
    def table(self) -> Matrix:
        """K × m, the true means on each data set."""
        return np.array([model.true_means for model in self.models])

    @cached_property
    def _root(self) -> Matrix:
        """A root of the covariance of the systems' effects over data sets, K × m."""
        centered = self.table - self.table.mean(axis=0)
        return centered / np.sqrt(max(len(self.models) - 1, 1))

    def sample(
        self, topics: Sequence[int], seed: int = 0, data_sets: Literal["fixed", "random"] = "fixed"
    ) -> SimulatedBoard:
        """Draw a leaderboard of as many data sets as there are sizes: the models' own in turn, or random.

        A random data set has effects drawn from the normal distribution of those of the models. Its topics
        are those of one model, moved to these effects: scores may leave the measure's range a little.
        """
        if data_sets == "random" and len(self.models) < 3:
            raise InputError("at least three models say how data sets differ")
        rng = stream(seed, "board")
        blocks, means = [], []
        for k, size in enumerate(topics):
            which = k % len(self.models) if data_sets == "fixed" else int(rng.integers(len(self.models)))
            block = self.models[which].draw(size, rng)
            if data_sets == "random":
                effects = self.table.mean(axis=0) + rng.standard_normal(len(self.models)) @ self._root
                block = block + (effects - self.table[which])
            blocks.append(block)
            means.append(self.table[which])
        names = [f"{self.data_sets[k % len(self.models)]} {k + 1}" for k in range(len(topics))]
        scores = ScoreMatrix.build(
            np.concatenate(blocks),
            systems=self.systems,
            measure=self.models[0].measure,
            data_sets=np.repeat(names, topics).tolist(),
        )
        truth = self.table.mean(axis=0) if data_sets == "random" else np.mean(means, axis=0)
        return SimulatedBoard(scores, truth)


def fit_board(scores: ScoreMatrix, simulator: str = "effects", seed: int = 0, **options: Any) -> BoardModel:
    """Fit one model to each data set."""
    from truerank.simulation import fit

    if scores.strata is None or scores.k < 2:
        raise InputError("a leaderboard's model needs scores of several data sets")
    models = []
    for k in range(scores.k):
        topics = np.flatnonzero(scores.strata == k)
        part = ScoreMatrix.build(
            scores.values[topics],
            [scores.topics[t] for t in topics],
            scores.systems,
            scores.measure,
            scores.source,
        )
        models.append(fit(part, simulator, seed=seed, **options))
    return BoardModel(tuple(models), scores.data_sets)


def with_holes(scores: ScoreMatrix, pattern: str, seed: int = 0) -> ScoreMatrix:
    """The same scores with empty cells: ``none``, a share at random, or ``hard``: a third of the systems lack
    the harder half of each data set's topics.
    """
    if pattern == "none":
        return scores
    rng = stream(seed, "holes", pattern)
    values = scores.values.copy()
    n, m = values.shape
    strata = np.zeros(n, dtype=np.intp) if scores.strata is None else scores.strata
    empty = np.zeros((n, m), dtype=np.bool_)
    if pattern == "hard":
        lacking = rng.permutation(m)[: m // 3]
        for k in range(strata.max() + 1):
            topics = np.flatnonzero(strata == k)
            hard = topics[np.argsort(values[topics].mean(axis=1), kind="stable")[: len(topics) // 2]]
            empty[np.ix_(hard, lacking)] = True
    else:
        try:
            share = float(pattern)
        except ValueError:
            raise InputError(f"holes are none, hard, or a share such as 0.2, not {pattern!r}") from None
        if not 0 <= share < 1:
            raise InputError(f"the share of empty cells must be in [0, 1), not {pattern}")
        empty = rng.random((n, m)) < share
    for k in range(strata.max() + 1):
        topics = np.flatnonzero(strata == k)
        left = (~empty[topics]).sum(axis=0)
        for s in np.flatnonzero(left < min(2, len(topics))):
            empty[rng.permutation(topics)[:2], s] = False
    values[empty] = np.nan
    return ScoreMatrix.build(
        values,
        scores.topics,
        scores.systems,
        scores.measure,
        scores.source,
        scores.notes,
        holes=True,
        data_sets=scores.data_set_of_each,
    )
