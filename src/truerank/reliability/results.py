"""What an assessment finds: frozen results, and the same as JSON-ready data and data frames."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.display import Shown
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Absent, Written
from truerank._support.registry import Explanation, explained
from truerank._support.tables import Bounded, Column, Count, Name, Number, Ranks, Share, Text
from truerank._support.types import (
    Correlation,
    Fraction,
    Inlined,
    LeftOut,
    Level,
    Matrix,
    Nullable,
    OrNaN,
    Unwritten,
    Whole,
    WrittenAs,
)
from truerank._support.units import Noun, Unit
from truerank.coefficients import COEFFICIENTS
from truerank.errors import InputError, unknown_name
from truerank.numerics.intervals import Interval
from truerank.reading import Reading
from truerank.reliability.against_one import BaselineDifference, OverTime, gates_decide
from truerank.reliability.arena import Arena, StyleEffect
from truerank.reliability.boards import DataSet, MostMoving
from truerank.reliability.estimators import ESTIMATORS
from truerank.reliability.frontier import TradeOff
from truerank.reliability.leader import Fragility, Leader
from truerank.reliability.machine_judge import MachineJudge
from truerank.reliability.means import Means
from truerank.reliability.noise import Noise
from truerank.reliability.settings import Settings
from truerank.scores import TIE, ScoreMatrix


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
    estimate: Annotated[Correlation, Nullable()]
    variance: OrNaN
    intervals: tuple[Interval, ...]

    def interval(self, level: float, method: str = "quantile") -> Interval | None:
        """The interval of that level and method; ``None`` where the estimator has none."""
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
        rank: observed rank, 1 the best; ties in input order.
        system: name of the system.
        mean: mean score.
        mean_low: lower end of the interval of the mean.
        mean_high: upper end.
        rank_low: best rank that the system may truly have. With the level's probability the rank ranges of
            all systems hold together. It is null without swap probabilities, and where too few data sets are
            a sample.
        rank_high: worst rank that it may truly have; null in the same cases.
        marginal_low: best rank in the interval of this system alone; null without swap probabilities.
        marginal_high: worst rank in it; null in the same cases. With the guarantee it is the rank range.
        letters: two systems that share a letter are not separated, all others are: their rank ranges do not
            overlap. With the guarantee they are separated by tests of all pairs together. It is null without
            rank ranges, and of more than 300 systems. Up to 26 letters in a ranking stand side by side
            (``abc``: a, b and c). Beyond, letters are a … z, aa, ab … with spaces between (``z aa ab``), and
            a text without one, ``ab`` say, is one letter. A ranking is written so if any system's text has a
            space or is ``aa``: then split at spaces, else every character is a letter.
        shrunken: mean score, allowing for systems being ranked by it; moved by at most the standard error of
            its difference from the average score; null where scores are not means.
        se: standard error of the mean score; null where nothing tells it.
        win_rate: of an arena, the chance to beat another of these systems, drawn at random, a tie as half a
            win; of battles alone.
        battles: how many it had; of battles alone.
        mean_without: strength as if style decided no battle; with covariates alone.
        rank_without: rank by it; with covariates alone.
    """

    rank: Annotated[int, Column("Rank", Count())]
    system: Annotated[str, Column("System", Name())]
    mean: Annotated[
        float,
        Column(
            "{score} ({level} interval)",
            Bounded(low="mean_low", high="mean_high"),
            meaning="{score} of the system, with its {level} interval",
        ),
    ]
    mean_low: float
    mean_high: float
    rank_low: Annotated[
        int | None,
        Column(
            "Rank range",
            Ranks(high="rank_high"),
            meaning="ranks that the system may truly have; the ranges of all systems hold together",
        ),
    ] = None
    rank_high: int | None = None
    marginal_low: Annotated[
        int | None,
        Column("By itself", Ranks(high="marginal_high"), meaning="per-system rank interval", details=True),
    ] = None
    marginal_high: int | None = None
    letters: Annotated[str | None, Column("Letters", Text(), details=True)] = None
    shrunken: Annotated[float | None, Column("Shrunken", Number(), details=True)] = None
    se: Annotated[OrNaN, Column("SE", Number(), details=True)] = math.nan
    win_rate: Annotated[LeftOut[Fraction], Column("Win rate", Share())] = None
    battles: Annotated[LeftOut[int], Column("Battles", Count(), details=True)] = None
    mean_without: Annotated[
        LeftOut[float],
        Column("{score}, {style} counted", Number(), meaning="strength as if style decided no battle"),
    ] = None
    rank_without: Annotated[
        LeftOut[int],
        Column("Rank, {style} counted", Count(), meaning="rank as if style decided no battle"),
    ] = None


@dataclass(frozen=True)
class Best:
    """The systems that may be among the best k: those with a rank range that begins at k or before.

    Attributes:
        level: the probability that all rank ranges hold together, so that all of the best k are among them.
        k: how many were asked for; 1 unless said otherwise.
        systems: their names, in ranking order.
        fragility: how few topics carry the first k places; ``None`` unless the best k were asked for.
    """

    level: float
    k: int
    systems: tuple[str, ...]
    fragility: Fragility | None = None


@dataclass(frozen=True)
class Headline:
    """An estimator and its dependence.

    Attributes:
        estimator: its name.
        dependence: ``shrunk``, ``sample`` or ``own``: how swaps were taken to go together; ``None`` for
            split-half.
    """

    estimator: str
    dependence: str | None


@dataclass(frozen=True)
class EstimatorUsed:
    """What an estimator says of itself, and what it learned from these scores.

    Attributes:
        about: what it says.
        learned: by name, the numbers, null where they have no value; empty where it learns nothing.
    """

    about: Annotated[Explanation | None, Inlined()]
    learned: dict[str, OrNaN]


@dataclass(frozen=True)
class Baseline:
    """Every other system against the baseline; with --baseline.

    Attributes:
        system: the baseline.
        level: of the intervals of the differences, in (0, 1).
        differences: one each, best first.
    """

    system: str
    level: Level
    differences: tuple[BaselineDifference, ...]


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Assessment(Noted, Written, Shown):
    """The reliability of the ranking by one measure.

    Attributes:
        scores: the scores assessed, columns in ranking order.
        headline_estimator: name of the estimator behind ranks and differences.
        dependence: how swaps were taken to go together.
        estimates: one per estimator and coefficient.
        ranking: one per system, best first.
        best: the systems that may be the best, or among the best k, by their rank ranges. ``None`` where
            there are none: the headline estimator has no probabilities, or too few data sets are a sample.
        leader: the leader once its having been picked is allowed for; ``None`` where scores are no means over
            topics.
        swap_probabilities: by estimator, the probability that a pair is in the wrong order, in [0, 1]: a
            symmetric matrix with 0 on its diagonal; systems as in the ranking.
        notes: what to know before quoting a number.
        settings: seed, draws and the like.
        means: how the systems are scored.
        data_sets: one each, in the order of the scores; with several data sets.
        most_moving: what the ranking rests on most; with several data sets.
        learned: by estimator, what its fit learned from the scores on its way; only of those that learn.
        above: m × m in ranking order, whether the row's system is above the column's: its rank range ends
            before the other's begins (docs/methods/ranks.md). ``None`` where there are no rank ranges.
        machine: the machine judge beside people; with --machine.
        arena: what the battles are like, where systems are ranked by them.
        covariates: what style is worth; of battles with --covariate.
        baseline: the other systems against the baseline, best first; empty without one.
        pareto: which systems may be on the frontier of the scores and another criterion; with --pareto.
        over_time: each new leader beside the record before it; with --date.
        noise: where the noise of the ranking comes from beside topics; with repeats or facets.
        truth: by coefficient, that of the observed and the true ranking, in [−1, 1], where it is known: with
            --model, and in the demo. It is null where there is none.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["eb"], draws=100, seed=1)
        >>> [system.system for system in result.ranking], list(result.learned["eb"])
        (['sys1', 'sys2', 'sys3'], ['effect', 'shape', 'directions', 'grouped'])
    """

    scores: Annotated[
        ScoreMatrix, WrittenAs("measure", "topics", "systems", "generalize_to", "aggregate", "headline")
    ]
    headline_estimator: Unwritten[str]
    dependence: Unwritten[str]
    estimates: tuple[Estimate, ...]
    ranking: tuple[RankedSystem, ...]
    best: Best | None
    leader: Leader | None
    swap_probabilities: Annotated[dict[str, Matrix], WrittenAs(swap_probabilities="swaps_written")]
    notes: Notes
    settings: Settings
    means: Unwritten[Means]
    learned: Annotated[dict[str, Mapping[str, float]], WrittenAs(estimators="estimators_used")]
    data_sets: LeftOut[tuple[DataSet, ...]] = None
    most_moving: LeftOut[MostMoving] = None
    above: Unwritten[NDArray[np.bool_] | None] = None
    machine: LeftOut[MachineJudge] = None
    arena: LeftOut[Arena] = None
    covariates: LeftOut[tuple[StyleEffect, ...]] = None
    baseline: Annotated[tuple[BaselineDifference, ...], WrittenAs(baseline="against_baseline")] = ()
    pareto: LeftOut[TradeOff] = None
    over_time: LeftOut[OverTime] = None
    noise: Annotated[Noise | None, Absent(), WrittenAs("noise", "reading")] = None
    truth: LeftOut[dict[str, Annotated[Correlation, Nullable()]]] = None

    def __repr__(self) -> str:
        e = next(e for e in self.estimates if e.estimator == self.headline_estimator)
        return (
            f"<Assessment {self.scores.n} topics × {self.scores.m} systems, "
            f"{e.coefficient} {e.estimate:.3f} by {e.estimator}>"
        )

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return self.scores.noun

    @property
    def counted(self) -> Unit:
        """What more of is to come, and what is resampled: topics, clusters of them, data sets …"""
        if self.means.unit == "cluster":
            return Unit.of(f"cluster of {self.sampled.many}")
        return self.scores.unit_of(self.means.unit)

    @property
    def measure(self) -> str:
        """The measure's name; empty when unknown."""
        return self.scores.measure

    @property
    def topics(self) -> Whole:
        """How many topics."""
        return self.scores.kind.units

    @property
    def systems(self) -> Whole:
        """How many systems."""
        return self.scores.m

    @property
    def generalize_to(self) -> str:
        """What the ranking is to hold on: ``topics``, ``data_sets`` or ``topics,FACET``; see `settings`."""
        return self.settings.generalize_to

    @property
    def aggregate(self) -> str:
        """How the data sets, or topics, become one score: mean, borda, win-rate; of battles bradley-terry."""
        return self.settings.aggregate

    @property
    def headline(self) -> Headline:
        """The estimator behind ranks and differences."""
        return Headline(self.headline_estimator, self.dependence_of(self.headline_estimator))

    @property
    def swaps_written(self) -> dict[str, list[list[Fraction]]]:
        """By estimator, the probability that a pair is in the wrong order, in [0, 1].

        A symmetric matrix with 0 on its diagonal; systems as in the ranking.
        """
        arrays: Any = self.swap_probabilities
        return arrays  # JSON writes arrays as lists

    @property
    def estimators(self) -> tuple[str, ...]:
        """Names of the estimators computed, in order."""
        return tuple(dict.fromkeys(e.estimator for e in self.estimates))

    @property
    def estimators_used(self) -> dict[str, EstimatorUsed]:
        """By name, all estimators that were asked for."""
        return {
            name: EstimatorUsed(
                explained(ESTIMATORS[name], self.counted) if name in ESTIMATORS else None,
                dict(self.learned.get(name, {})),
            )
            for name in self.estimators
        }

    @property
    def against_baseline(self) -> LeftOut[Baseline]:
        """Every other system against the baseline; with --baseline."""
        name = self.settings.baseline
        return None if name is None else Baseline(name, self.settings.levels[0], self.baseline)

    @property
    def reading(self) -> LeftOut[Reading]:
        """What was taken for topics, systems and scores, and which scores are better; of tables."""
        return self.scores.reading

    @property
    def baseline_by_gates(self) -> bool:
        """Whether the rows against the baseline are those of gates with one candidate each."""
        return gates_decide(self.scores, self.settings)

    def estimate(self, coefficient: str = "tau", estimator: str | None = None) -> Estimate:
        """The estimate of a coefficient, by the headline estimator unless another is named.

        Raises:
            UnknownNameError: that estimator or coefficient was not computed.
        """
        wanted = estimator or self.headline_estimator
        if wanted not in self.estimators:
            raise unknown_name("estimator", wanted, self.estimators)
        by_coefficient = {e.coefficient: e for e in self.estimates if e.estimator == wanted}
        if coefficient not in by_coefficient:
            raise unknown_name("coefficient", coefficient, list(by_coefficient))
        return by_coefficient[coefficient]

    def dependence_of(self, estimator: str) -> str | None:
        """The dependence behind an estimator's variance; ``None`` for split-half."""
        return next(e.dependence for e in self.estimates if e.estimator == estimator)


def true_coefficients(assessment: Assessment, true_means: Mapping[str, float]) -> dict[str, float]:
    """The coefficients that the estimates are after: the observed ranking against the true one."""
    names = [s.system for s in assessment.ranking]
    unknown = next((name for name in names if name not in true_means), None)
    if unknown is not None:
        raise InputError(f"the truth has no mean for system {unknown!r}; give one for every system")
    truth = np.array([true_means[name] for name in names])
    swapped = np.triu((truth[:, None] < truth[None, :] - TIE).astype(np.float64), 1)
    computed = dict.fromkeys(e.coefficient for e in assessment.estimates)
    known = {name: COEFFICIENTS.get(name) for name in computed}
    return {name: c.of_swaps(swapped) if c else float("nan") for name, c in known.items()}
