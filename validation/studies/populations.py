"""What our studies draw from: tables, and leaderboards of several data sets; and numbers over these."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from truerank._support.arguments import setting
from truerank._support.seeds import seed_of, stream
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.experiments.shared import simulated
from truerank.experiments.study import option
from truerank.reliability.diagnostics import check_rankable
from truerank.reliability.estimators import ESTIMATORS, PairEstimator
from truerank.reliability.means import Means, means_of
from truerank.scores import ScoreMatrix
from truerank.simulation import fit
from truerank.simulation.model import SimulationModel

if TYPE_CHECKING:
    from pandas import DataFrame


@dataclass(frozen=True)
class PopulationParameters(simulated.SimulatedParameters):
    """Both simulators, each fitted to the better three quarters of the systems of every table."""

    simulator: tuple[str, ...] = option(("effects", "copula"))
    simulator_options: tuple[str, ...] = option(("effects.truth=model",))
    drop_bottom: float = option(0.25)


def check_pair_estimators(names: Sequence[str], refusal: str, by_means: bool = True) -> None:
    """Refuse estimators without swap probabilities, or `by_means`, those that need single scores."""
    for name in names:
        method = ESTIMATORS.find(name)
        if not isinstance(method, PairEstimator) or (by_means and method.needs == "scores"):
            raise InputError(f"{name} {refusal}; leave it out")


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


@dataclass(frozen=True)
class BoardContext(simulated.Context):
    """What a task needs where some populations are leaderboards of several data sets."""

    boards: dict[str, BoardModel] = field(default_factory=dict)

    def drawn(self, name: str, topics: int, seed: int) -> tuple[ScoreMatrix, Vector]:
        """A board with that many topics in each data set, and the true scores of its systems."""
        if name not in self.boards:
            return super().drawn(name, topics, seed)
        model = self.boards[name]
        board = model.sample([topics] * len(model.models), seed, self.parameters.question)
        return with_holes(board.scores, self.parameters.holes, seed), board.truth

    def means(self, scores: ScoreMatrix) -> Means:
        """How the systems are scored."""
        return means_of(scores) if scores.k == 1 else means_of(scores, self.parameters.question)


def prepare(
    parameters: simulated.SimulatedParameters, data: Mapping[str, simulated.Original], seed: int
) -> BoardContext:
    """As of single tables, with one model for each data set of a table of several."""
    of_sets = {
        name: (item, item.given)
        for name, item in data.items()
        if isinstance(item.given, ScoreMatrix) and item.given.k > 1
    }
    base = simulated.prepare(
        parameters, {name: item for name, item in data.items() if name not in of_sets}, seed
    )
    boards: dict[str, BoardModel] = {}
    for name, (item, table) in of_sets.items():
        kept = table.drop_bottom(parameters.drop_bottom, means_of(table, "topics").theta)
        check_rankable(kept)
        boards[name] = fit_board(kept, item.simulator, seed_of(seed, "fit"), **item.options(parameters))
        boards[name].table  # noqa: B018 - computed once, here
        undefined = [e.name for e in base.estimators if getattr(e, "needs", "scores") == "scores"]
        if undefined:
            raise InputError(
                f"{name}: {undefined[0]} is not defined for the average of several data sets; leave it out, "
                f"e.g. {setting('estimators', 'eb,ml,res')}"
            )
    return BoardContext(parameters, base.models, base.estimators, base.coefficients, boards)


# Statistics of a value over populations: `se` of its mean; `size` is the mean absolute value.
STATISTICS: Mapping[str, Callable[[Any, str], Any]] = {
    "mean": lambda groups, value: groups[value].mean(),
    "se": lambda groups, value: groups[f"{value}_se"].agg(lambda se: (se**2).sum() ** 0.5) / groups.size(),
    "size": lambda groups, value: groups[f"|{value}|"].mean(),
    "largest": lambda groups, value: groups[f"|{value}|"].max(),
    "least": lambda groups, value: groups[value].min(),
    "most": lambda groups, value: groups[value].max(),
    "total": lambda groups, value: groups[f"{value}_count"].sum(),
    "populations": lambda groups, value: groups.size(),
}


def over_populations(
    table: DataFrame, by: Sequence[str], columns: Mapping[str, tuple[str, str]]
) -> DataFrame:
    """One row per cell over all populations; `columns` maps names to a value and its statistic."""
    import pandas as pd

    table = table.rename(columns=lambda name: name.removesuffix("_mean"))
    sized = {value for value, statistic in columns.values() if statistic in ("size", "largest")}
    sizes = {f"|{value}|": table[value].abs() for value in sized}
    groups = table.assign(**sizes).groupby(list(by), sort=False)
    result = {name: STATISTICS[statistic](groups, value) for name, (value, statistic) in columns.items()}
    return pd.DataFrame(result).reset_index()


def averaged(values: Sequence[str], suffix: str = "") -> dict[str, tuple[str, str]]:
    """Columns of :func:`over_populations` for the means of values, under their names and a suffix."""
    return {f"{value}{suffix}": (value, "mean") for value in values}
