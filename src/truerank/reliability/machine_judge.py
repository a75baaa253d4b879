"""A machine judge compared with people: how much its scores count, and which systems it over-scores."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from truerank._support.notes import Note
from truerank._support.plain import Written
from truerank._support.seeds import stream
from truerank._support.tables import Bounded, Column, Name, Word
from truerank._support.types import Correlation, Fraction, Level, Matrix, Nullable, Vector, Whole, WrittenAs
from truerank.coefficients import tau_b
from truerank.numerics.intervals import t_half
from truerank.numerics.pairs import doubly_centered
from truerank.reliability.means.means_of import corrected_of
from truerank.scores import TIE, MachineScores, ScoreMatrix

SKEW_SHARE = 0.25
"""Share of systems with too skewed differences between the judges from which it is worth a warning: normal
ones look so by chance for one in sixteen, from 20 topics."""

FEW_HUMAN = 10
"""Below this many human topics a machine's bias, and so the correction, is known only roughly."""

LITTLE_GAIN = 1.05
"""Up to this many effective topics per human topic, a machine has brought nothing worth mentioning."""

DRAWS = 1_999
"""Number of random sets of topics that the human-judged topics are compared with."""

SUSPICIOUS = 0.01
"""The chance of a false warning, where the human topics are a random sample."""

Verdict = Literal["over-scored", "under-scored", "inconclusive"]


@dataclass(frozen=True)
class MachineBias:
    """One system as a machine judge scores it, compared with people.

    Attributes:
        system: its name.
        verdict: of `relative`: ``over-scored`` or ``under-scored`` where its interval leaves 0 out, else
            ``inconclusive``.
        bias: the machine's mean score less that of people, on the topics that both judged.
        low: lower end of its interval.
        high: upper end.
        relative: how far the bias is above the average of all systems, which moves no ranking.
        relative_low: lower end of its interval.
        relative_high: upper end.
    """

    system: Annotated[str, Column("System", Name())]
    verdict: Annotated[Verdict, Column("Verdict", Word())]
    bias: Annotated[float, Column("Bias ({level})", Bounded(low="low", high="high", sign=True))]
    low: float
    high: float
    relative: Annotated[
        float,
        Column("Relative bias ({level})", Bounded(low="relative_low", high="relative_high", sign=True)),
    ]
    relative_low: float
    relative_high: float


@dataclass(frozen=True)
class MachineJudge(Written):
    """A machine judge beside people.

    Attributes:
        scale: λ in [0, 1], how much the machine's differences between systems count.
        level_scale: λ of the mean over all systems.
        human_topics: n, those that people judged.
        machine_topics: N, those that the machine judged, these n among them.
        effective_topics: as many topics judged by people alone would leave the same error.
        agreement: Kendall's τ (b) of both judges' rankings of the systems by the topics that both judged, in
            [−1, 1]; NaN where one of them has all systems level.
        level: of the intervals, each kind for all systems together.
        systems: one each, in ranking order; none where the machine's scores are on another scale than
            people's, on which its bias means nothing.
    """

    scale: Annotated[Fraction, WrittenAs(**{"lambda": "scale"})]
    level_scale: Annotated[Fraction, WrittenAs(lambda_of_level="level_scale")]
    human_topics: Whole
    machine_topics: Whole
    effective_topics: float
    agreement: Annotated[Correlation, Nullable()]
    level: Level
    systems: Annotated[tuple[MachineBias, ...], WrittenAs(bias="systems")]

    @property
    def over_scored(self) -> tuple[MachineBias, ...]:
        """Systems that the machine is known to over-score, the most first."""
        found = [one for one in self.systems if one.verdict == "over-scored"]
        return tuple(sorted(found, key=lambda one: -one.relative))

    @property
    def under_scored(self) -> tuple[MachineBias, ...]:
        """Systems that it is known to under-score, the most first."""
        found = [one for one in self.systems if one.verdict == "under-scored"]
        return tuple(sorted(found, key=lambda one: one.relative))

    @property
    def same_topics(self) -> bool:
        return self.human_topics == self.machine_topics

    @property
    def helps(self) -> bool:
        return self.effective_topics > LITTLE_GAIN * self.human_topics


def machine_judge(ranked: ScoreMatrix, level: float) -> MachineJudge:
    found = corrected_of(ranked)
    beyond = _beyond_average(found.excess)
    columns = []
    for rows in (found.excess, beyond):
        mean, half = rows.mean(axis=0), simultaneous_half_widths(rows, level)
        columns += [mean, mean - half, mean + half]
    verdicts = map(_verdict, mean.tolist(), half.tolist())
    rows_of = zip(ranked.systems, verdicts, *(one.tolist() for one in columns), strict=True)
    other_scale = any((note.code, note.case) == ("several-scales", "machine") for note in ranked.notes)
    return MachineJudge(
        found.scale,
        found.level_scale,
        found.human_topics,
        found.machine_topics,
        found.effective_topics,
        tau_b(found.human.theta, found.human.theta + found.bias),
        level,
        () if other_scale else tuple(MachineBias(*row) for row in rows_of),
    )


def _verdict(relative: float, half: float) -> Verdict:
    if abs(relative) <= max(half, TIE):
        return "inconclusive"
    return "over-scored" if relative > 0 else "under-scored"


def simultaneous_half_widths(rows: Matrix, level: float) -> Vector:
    """Half-widths of t intervals of m means that hold together, by Bonferroni's inequality; n × m rows."""
    n, m = rows.shape
    deviations = rows.std(axis=0, ddof=1)
    deviations[deviations <= TIE * max(float(np.abs(rows).max()), 1e-300)] = 0.0
    return np.asarray(t_half(n - 1.0, 1 - (1 - level) / m) * deviations / np.sqrt(n))


def machine_warnings(ranked: ScoreMatrix, judge: MachineJudge, seed: int, biases: bool = True) -> list[Note]:
    """Warnings before relying on a machine: few human topics, no gain, human topics unlike the others."""
    assert ranked.machine is not None
    found, unit, n = [], ranked.unit.one, judge.human_topics
    if n < FEW_HUMAN:
        found.append(Note("few-judged", {"n": n, "unit": unit}))
    if not (judge.same_topics or judge.helps):
        found.append(Note("machine-useless", {"case": "all", "weight": judge.scale, "unit": unit}))
    skewed = skewed_systems(_beyond_average(corrected_of(ranked).excess)) if biases and judge.systems else 0
    if skewed >= max(1, SKEW_SHARE * ranked.m):
        found.append(Note("skewed-biases", {"skewed": skewed, "of": ranked.m}))
    if (difference := unlike_the_rest(ranked.machine, seed)) is not None:
        found.append(Note("not-a-sample", {"case": "topics", **difference, "unit": unit}, "alert"))
    return found


def skewed_systems(rows: Matrix) -> int:
    """How many columns of n × m rows are too skewed for t intervals of the mean, by Cochran's rule."""
    n = len(rows)
    centered = rows - rows.mean(axis=0)
    squares = np.mean(centered**2, axis=0)
    spread = squares > TIE**2
    skewness = np.mean(centered**3, axis=0)[spread] / squares[spread] ** 1.5
    return int(np.count_nonzero(n < 25 * skewness**2))


def _beyond_average(excess: Matrix) -> Matrix:
    """What the machine gives each system more than it gives all on the topic, n × m."""
    return excess - excess.mean(axis=1, keepdims=True)


def unlike_the_rest(
    machine: MachineScores, seed: int = 0, draws: int = DRAWS
) -> dict[str, float | int | None] | None:
    """How the topics that people judged differ from the others by the machine's scores; None if not."""
    values, n = machine.values, len(machine.matched)
    table = np.concatenate([values.mean(axis=1, keepdims=True), doubly_centered(values)], axis=1)
    centered = table - table.mean(axis=0)
    deviations = table.std(axis=0)
    deviations[deviations <= TIE * max(float(np.abs(values).max()), 1e-300)] = np.inf
    centered = centered / deviations
    rng = stream(seed, "human topics")
    observed = np.abs(centered[machine.matched].mean(axis=0))
    largest = np.empty(draws)
    for b in range(draws):
        largest[b] = np.abs(centered[rng.choice(len(values), n, replace=False)].mean(axis=0)).max()
    p = (1 + np.count_nonzero(largest >= observed[:, None] - 1e-12, axis=1)) / (1 + draws)
    if p.min() > SUSPICIOUS:
        return None
    if p[0] <= SUSPICIOUS:
        mean = table[machine.matched, 0].mean()
        return {"mean": float(mean), "all": float(table[:, 0].mean())}
    return {"mean": None, "odd": int(np.count_nonzero(p[1:] <= SUSPICIOUS)), "of": values.shape[1]}
