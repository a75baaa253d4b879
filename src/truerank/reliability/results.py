"""What an assessment finds: frozen results, and the same as JSON-ready data and data frames."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field, fields
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.display import Shown
from truerank._support.plain import plain
from truerank._support.registry import explained
from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name
from truerank.numerics.intervals import Interval
from truerank.reliability.against_one import Verdict
from truerank.reliability.boards import Board, DataSet
from truerank.reliability.estimators import ESTIMATORS, Learnt
from truerank.reliability.machine_judge import MachineBias, MachineJudge
from truerank.reliability.means import Means
from truerank.reliability.order import interval_level
from truerank.scores import ScoreMatrix

if TYPE_CHECKING:
    from pandas import DataFrame


WHOLE = ("rank", "rank_low", "rank_high", "tier", "joint_low", "joint_high")
"""Columns of the ranking that are whole numbers, or missing."""

TABLES = ("ranking", "estimates", "swaps", "baseline", "data_sets", "machine", "pyterrier", "ranx")


@dataclass(frozen=True)
class Estimate:
    """One coefficient with the true ranking, by one estimator.

    Attributes:
        estimator: its name.
        coefficient: its name.
        dependence: ``shrunk``, ``sample`` or ``own``; ``None`` for split-half.
        estimate: expected coefficient in [−1, 1]; NaN where there is none.
        variance: of the coefficient; NaN where there is none.
        intervals: for each level a quantile and, but for split-half, a normal one.
    """

    estimator: str
    coefficient: str
    dependence: str | None
    estimate: float
    variance: float
    intervals: tuple[Interval, ...]

    def interval(self, level: float, method: str = "quantile") -> Interval | None:
        """The interval of that level and method; ``None`` where the estimator has none.

        Raises:
            InputError: no interval of that level was computed.
        """
        levels = dict.fromkeys(i.level for i in self.intervals)
        if levels and level not in levels:
            held = ", ".join(f"{held:g}" for held in levels)
            raise InputError(
                f"no interval at level {level:g}, only at {held}; ask for it with assess(levels=…)"
            )
        return next((i for i in self.intervals if i.level == level and i.method == method), None)


@dataclass(frozen=True)
class RankedSystem:
    """One system's place in the observed ranking.

    Attributes:
        system: its name.
        mean: its mean score.
        mean_low: lower end of the t interval of its mean.
        mean_high: upper end.
        rank: observed rank, 1 the best; ties in input order.
        rank_low: best true rank in the system's own interval; this and all that follows is ``None`` where the
            headline estimator has no swap probabilities.
        rank_high: worst true rank in that interval; ``None`` likewise.
        tier: 1 the best; with the level's probability everyone in a tier is truly above everyone in the
            tiers behind it, in all of them at once; ``None`` likewise, and where there is one tier only.
        joint_low: best true rank in the bands that hold for all systems at once; ``None`` likewise, and
            where too few data sets are a sample.
        joint_high: worst true rank in them; ``None`` likewise. With the guarantee its bands are the system's
            own interval too.
        probability_best: that it is truly the best, in [0, 1]; ``None`` likewise.
        letters: two systems that share a letter can't be told apart, all others can; ``None`` likewise. Up to
            26 letters in a ranking stand side by side (``abc``: a, b and c). Beyond, letters are a … z, aa,
            ab … with spaces between (``z aa ab``), and a text without one, ``ab`` say, is one letter. A
            ranking is written so if any system's text has a space or is ``aa``: then split at spaces, else
            every character is a letter.
    """

    system: str
    mean: float
    mean_low: float
    mean_high: float
    rank: int
    rank_low: int | None
    rank_high: int | None
    tier: int | None
    joint_low: int | None = None
    joint_high: int | None = None
    probability_best: float | None = None
    letters: str | None = None


@dataclass(frozen=True)
class Best:
    """The systems among which the best ones truly are.

    Attributes:
        level: at least the probability that all of the best k are among them.
        k: how many were asked for.
        systems: their names, in ranking order.
    """

    level: float
    k: int
    systems: tuple[str, ...]


@dataclass(frozen=True)
class BaselineDifference:
    """One system against the baseline.

    Attributes:
        system: its name.
        difference: its mean minus the baseline's.
        low: lower end of the interval of the true difference, central at level 2·level − 1; NaN where the
            headline estimator has no swap probabilities.
        high: upper end; NaN likewise.
        probability_better: that it is truly better, by the headline estimator, in [0, 1]; NaN where it is
            identical to the baseline or the estimator has no swap probabilities.
        verdict: ``better``, ``worse`` or ``can't tell``, as the interval leaves 0 out on either side or not.
    """

    system: str
    difference: float
    low: float
    high: float
    probability_better: float
    verdict: Verdict = "can't tell"


@dataclass(frozen=True)
class Settings:
    """All that is needed to get the same digits again.

    Attributes:
        version: of truerank.
        seed: of everything random.
        draws: joint draws behind variances and quantile intervals.
        resamples: T of the bootstrap behind `res`; ``None`` where it was not asked for.
        resampling_error: Monte Carlo standard error that T leaves in their estimates; ``None`` likewise.
        levels: of the intervals; the first is that of means, ranks, tiers and differences.
        drop_bottom: share of systems dropped, by quantile of the means.
        dropped: names of those systems.
        drop_identical: whether of identical systems only one was kept, before anything else.
        identical: then, groups of names with the same scores on every topic: the one kept, and those
            that were left out.
        baseline: the baseline's name; ``None`` without one.
        best: k, of the best systems that were asked for.
        guarantee: whether pairs are told apart only where that holds for all of them at once, whatever the
            truth.
        generalise_to: ``topics``: new ones, of the same data sets; or ``data_sets``: new ones like these.
        aggregate: how the data sets, or topics, become one score.
        first: the system that came first in the scores: of two, what the other is compared with.
    """

    version: str
    seed: int
    draws: int
    resamples: int | None
    resampling_error: float | None
    levels: tuple[float, ...]
    drop_bottom: float
    dropped: tuple[str, ...]
    baseline: str | None
    drop_identical: bool = False
    identical: tuple[tuple[str, ...], ...] = ()
    best: int = 1
    guarantee: bool = False
    generalise_to: str = "topics"
    aggregate: str = "mean"
    first: str = ""


@dataclass(frozen=True, eq=False, repr=False)
class Assessment(Shown):
    """The reliability of one observed ranking.

    Attributes:
        scores: the scores assessed, columns in ranking order.
        headline_estimator: name of the estimator behind ranks, tiers and differences.
        dependence: how swaps were taken to go together.
        estimates: one per estimator and coefficient.
        ranking: one per system, best first.
        swap_probabilities: by estimator, m × m in ranking order; symmetric, the probability that
            the pair is in the wrong order; 0 on the diagonal.
        warnings: what to know before quoting a number, one sentence each.
        baseline: the other systems against the baseline, best first; empty without one.
        settings: seed, draws and the like.
        means: how the systems are scored.
        board: the data sets, where there are several.
        learnt: by estimator, what its fit learnt from the scores on its way; only of those that learn.
        above: m × m in ranking order, whether the row's system is above the column's: the one rule, by which
            all outputs tell systems apart (docs/methods/ranks.md). ``None`` where there are no probabilities.
        best: the systems that may be the best; ``None`` where there are no probabilities.
        machine: the machine judge beside people, where its scores correct the human ones.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["eb"], draws=100, seed=1)
        >>> [system.system for system in result.ranking], [one.name for one in result.learnt["eb"]]
        (['sys1', 'sys2', 'sys3'], ['effect', 'shape', 'directions'])
    """

    scores: ScoreMatrix
    headline_estimator: str
    dependence: str
    estimates: tuple[Estimate, ...]
    ranking: tuple[RankedSystem, ...]
    swap_probabilities: dict[str, Matrix]
    warnings: tuple[str, ...]
    baseline: tuple[BaselineDifference, ...]
    settings: Settings
    means: Means
    board: Board | None = None
    learnt: dict[str, tuple[Learnt, ...]] = field(default_factory=dict)
    above: NDArray[np.bool_] | None = None
    best: Best | None = None
    machine: MachineJudge | None = None

    def __repr__(self) -> str:
        if self.scores.m == 2:
            return f"<Assessment {self.scores.n} topics × 2 systems, which truerank.gate compares>"
        e = next(e for e in self.estimates if e.estimator == self.headline_estimator)
        return (
            f"<Assessment {self.scores.n} topics × {self.scores.m} systems, "
            f"{e.coefficient} {e.estimate:.3f} by {e.estimator}>"
        )

    @property
    def measure(self) -> str:
        """The measure's name; empty when unknown."""
        return self.scores.measure

    def estimate(self, coefficient: str = "tau", estimator: str | None = None) -> Estimate:
        """The estimate of a coefficient, by the headline estimator unless another is named.

        Raises:
            UnknownNameError: that estimator or coefficient was not computed.
        """
        wanted = estimator or self.headline_estimator
        of_estimator = [e for e in self.estimates if e.estimator == wanted]
        if not of_estimator:
            raise unknown_name("estimator", wanted, dict.fromkeys(e.estimator for e in self.estimates))
        for found in of_estimator:
            if found.coefficient == coefficient:
                return found
        raise unknown_name("coefficient", coefficient, [e.coefficient for e in of_estimator])

    def to_dict(self) -> dict[str, Any]:
        """The assessment as JSON-ready data, with the documented keys; ``None`` for what has no value."""
        document = {
            "measure": self.measure,
            "topics": self.scores.n,
            "systems": self.scores.m,
            "generalise_to": self.settings.generalise_to,
            "aggregate": self.settings.aggregate,
            "headline": {
                "estimator": self.headline_estimator,
                "dependence": self._dependence_of(self.headline_estimator),
            },
            "estimates": [asdict(estimate) for estimate in self.estimates],
            "ranking": [asdict(system) for system in self.ranking],
            "best": None if self.best is None else asdict(self.best),
            "swap_probabilities": self.swap_probabilities,
            "warnings": self.warnings,
            "settings": asdict(self.settings),
            "estimators": {name: self._about(name) for name in self.estimators},
        }
        if self.board is not None:
            moving, dropped = self.board.most_moving, self.board.dropped
            document["data_sets"] = [asdict(one) for one in self.board.data_sets]
            document["most_moving"] = {
                "data_set": None if moving is None else moving.name,
                "system": None if dropped is None else asdict(dropped),
            }
        if self.machine is not None:
            document["machine"] = self.machine.to_dict()
        if self.settings.baseline is not None:
            level = self.settings.levels[0]
            document["baseline"] = {
                "system": self.settings.baseline,
                "level": level if self.settings.guarantee else interval_level(level),
                "differences": [asdict(difference) for difference in self.baseline],
            }
        result: dict[str, Any] = plain(document)
        return result

    def to_frame(self, table: str = "ranking") -> DataFrame:
        """One of the tables as a data frame, of those in :data:`TABLES`.

        ``swaps`` are the headline estimator's probabilities; ``data_sets`` has no rows where there is one,
        nor ``baseline`` without a baseline, nor ``machine`` without a machine judge; the columns stay.
        ``pyterrier`` and ``ranx`` have a row a system and a column of the measure's means, as
        ``pt.Experiment`` and ``Report.to_dataframe`` have them, and beside it ranks and tiers.

        Args:
            table: its name.

        Raises:
            UnknownNameError: no such table.
        """
        import pandas as pd

        if table in ("pyterrier", "ranx"):
            first = "name" if table == "pyterrier" else "model_names"
            ranking = self.to_frame("ranking")
            named = ranking.rename(columns={"system": first, "mean": self.measure or "mean"})
            return named[
                [first, self.measure or "mean", *(c for c in ranking if c not in ("system", "mean"))]
            ]

        if table == "ranking":
            found = pd.DataFrame([asdict(system) for system in self.ranking])
            return found.astype(dict.fromkeys(WHOLE, "Int64") | {"probability_best": float})
        if table == "estimates":
            rows = []
            for estimate in self.estimates:
                row = asdict(estimate)
                for interval in row.pop("intervals"):
                    suffix = f"{interval['method']}_{100 * interval['level']:g}"
                    row[f"low_{suffix}"], row[f"high_{suffix}"] = interval["low"], interval["high"]
                rows.append(row)
            return pd.DataFrame(rows)
        if table == "swaps":
            probabilities = self.swap_probabilities.get(self.headline_estimator)
            names = list(self.scores.systems)
            shape = np.full((len(names), len(names)), np.nan) if probabilities is None else probabilities
            return pd.DataFrame(shape, index=pd.Index(names, name="system"), columns=names)
        if table == "baseline":
            columns = ["system", "difference", "low", "high", "probability_better", "verdict"]
            return pd.DataFrame([asdict(d) for d in self.baseline], columns=columns)
        if table == "data_sets":
            of_each = self.board.data_sets if self.board else ()
            columns = [one.name for one in fields(DataSet)]
            return pd.DataFrame([asdict(one) for one in of_each], columns=columns)
        if table == "machine":
            judged = self.machine.systems if self.machine else ()
            columns = [one.name for one in fields(MachineBias)]
            return pd.DataFrame([asdict(one) for one in judged], columns=columns)
        raise unknown_name("table", table, TABLES)

    @property
    def estimators(self) -> tuple[str, ...]:
        """Names of the estimators computed, in order."""
        return tuple(dict.fromkeys(e.estimator for e in self.estimates))

    def _about(self, estimator: str) -> dict[str, Any]:
        """What an estimator says of itself, and what it learnt here."""
        found = ESTIMATORS.get(estimator)
        about = {} if found is None else explained(found)
        return about | {"learnt": {one.name: one.value for one in self.learnt.get(estimator, ())}}

    def _dependence_of(self, estimator: str) -> str | None:
        """The dependence behind an estimator's variance; ``None`` for split-half."""
        return next(e.dependence for e in self.estimates if e.estimator == estimator)
