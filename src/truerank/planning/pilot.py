"""What is wanted of a plan; a pilot, how its systems are scored and what it counts; the plan of one pair."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.types import Vector
from truerank.errors import InputError, PairError, at
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics.intervals import check_levels, fewest
from truerank.planning.beliefs import Beliefs
from truerank.planning.plan_results import MachineGain, Needed, PairPlan
from truerank.reliability.diagnostics import check_rankable
from truerank.reliability.means import AGGREGATES, Means, Question, means_of
from truerank.reliability.means.facets import Components
from truerank.reliability.means.means_of import corrected_of, noise_of, question_of, theta_of
from truerank.reliability.means.run_noise import RunNoise
from truerank.reliability.pair.comparing import Pair, largest_difference, pair_scores, pairs_of
from truerank.reliability.pair.contrast import Contrast, interval, prior_of, topics_needed, verdict_in
from truerank.scores import ScoreMatrix, ranking_order, unknown_system

TOPIC = "topic"
TARGET = 0.9  # the default target of τ: from there on rankings are customarily considered the same


@dataclass(frozen=True)
class Wanted:
    """The whole request for a plan, whatever it rests on; ``None`` for what was not requested."""

    tau: float | None
    tau_ap: float | None
    width: float | None
    first: int | None
    winner: float | None
    pair: tuple[str, str] | None
    margin: float | None
    power: float
    alpha: float
    stability: float | None
    extend: bool
    level: float
    draws: int | None
    seed: int

    def __post_init__(self) -> None:
        for name in ("tau", "tau_ap", "winner", "stability"):
            target = getattr(self, name)
            if target is not None and not 0 < target < 1:
                percent = "%" if name == "winner" else ""  # the others are not probabilities
                hint = f"; write {target / 100:g} for {target:g}{percent}" if 10 <= target < 100 else ""
                raise InputError(f"{name.replace('_', '-')} must be between 0 and 1, not {target:g}{hint}")
        if self.first is not None and self.first < 1:
            raise InputError(f"first counts places from 1 on, not {self.first}")
        if self.width is not None and not 0 < self.width < 2:
            raise InputError(
                f"the width of an interval of a coefficient must be between 0 and 2, not {self.width:g}"
            )
        if not 0 < self.alpha < 1:
            raise InputError(f"the significance level must be between 0 and 1, not {self.alpha:g}")
        if not self.alpha < self.power < 1:
            raise InputError(
                f"power must be above the significance level {self.alpha:g} and below 1, not {self.power:g}"
            )
        if self.margin is not None and not (self.margin > 0 and math.isfinite(self.margin)):
            raise InputError(f"a margin must be above 0, not {self.margin:g}")
        check_levels(self.level)
        if self.draws is not None and self.draws < 2:
            raise InputError(f"at least two draws are needed, not {self.draws}")

    @property
    def asked(self) -> bool:
        """Whether there is a target; without one, a plan answers its three default questions."""
        targets = (self.tau, self.tau_ap, self.width, self.first, self.winner, self.stability)
        return bool(self.pair or any(one is not None for one in targets))

    @property
    def coefficients(self) -> dict[str, float]:
        """The target of each coefficient, by its name."""
        given = {"tau": self.tau, "tau_ap": self.tau_ap} if self.asked else {"tau": TARGET}
        return {name: target for name, target in given.items() if target is not None}

    @property
    def places(self) -> int | None:
        """How many first places are to be right; ``None`` if that is not a goal."""
        return self.first or (1 if self.winner is not None or not self.asked else None)

    @property
    def chance(self) -> float:
        return self.power if self.winner is None else self.winner

    @property
    def leading(self) -> str:
        return next(iter(self.coefficients), "tau")


@dataclass(frozen=True)
class Pilot:
    """A pilot's scores in ranking order, and how its systems are scored."""

    scores: ScoreMatrix
    means: Means
    question: Question
    unit: str
    each: float  # effective topics that one of the unit counts for
    machine: MachineGain | None = None
    runs: RunNoise | None = None

    @property
    def parts(self) -> Components | None:
        """The components of the noise, where levels of facets are a sample."""
        return self.means.components

    @property
    def plain(self) -> bool:
        """Whether these are plain means over the topics of one data set, without runs or facets."""
        scores, of_topics = self.scores, self.unit == TOPIC and self.scores.kind.by_cells
        return of_topics and scores.k == 1 and self.runs is None and scores.facets is None

    @property
    def facets(self) -> tuple[str, ...]:
        return () if self.parts is None else tuple(self.parts.cells.factors)[1:]

    @property
    def levels(self) -> dict[str, float]:
        """How many levels there are of each of these, in effect."""
        parts = self.parts
        return {} if parts is None else {n: parts.effects[parts.place(n)].levels for n in self.facets}

    @property
    def count(self) -> int:
        """Topics, or clusters or data sets where these are the unit."""
        if self.unit == "cluster":
            return len(self.means.rows)
        return self.scores.k if self.question == "data_sets" else self.scores.kind.units

    @property
    def size(self) -> float:
        whole = self.machine is not None or self.parts is not None
        return float(self.count) if whole else self.means.effective / self.each

    def effective(self, sizes: Vector) -> Vector:
        if self.parts is not None:
            gains = [self.parts.gain(TOPIC, size / self.count) for size in sizes]
            return np.array(gains) * self.means.effective
        return sizes * self.each if self.machine is None else self.machine.worth(sizes)


def pilot_of(
    table: ScoreMatrix,
    generalize_to: Question | None,
    drop_bottom: float,
    extend: bool,
    machine_topics: int | None = None,
) -> Pilot:
    check_rankable(table)
    if table.m == 2:
        raise PairError(*table.systems)
    question = question_of(table, generalize_to)
    kept = table.drop_bottom(drop_bottom, theta_of(table, question)) if drop_bottom else table
    check_rankable(kept)
    ranked = kept.select(ranking_order(theta_of(kept, question)))
    means = means_of(ranked, question)
    where, many = at(table.source), table.unit.many
    if table.machine is None and machine_topics is not None:
        raise InputError(f"{where}a number of machine topics goes with a machine's scores in the pilot")
    if isinstance(ranked.kind, BesideMachine):
        gain = MachineGain.of(corrected_of(ranked), machine_topics)
        return Pilot(ranked, means, question, "human topic", 1.0, gain)
    if isinstance(ranked.kind, InBattles):
        return Pilot(ranked, means, question, means.unit, means.effective / ranked.kind.units)
    if means.components is not None:
        if extend:
            raise InputError(
                f"{where}a plan over levels of facets is for new {many} and new levels; "
                f"leave {setting('extend')} out"
            )
        return Pilot(ranked, means, question, TOPIC, 1.0)
    noise = noise_of(ranked, question, AGGREGATES.find("mean"), means)
    each, unit = 1 - means.run_share, means.unit
    if not means.linear or means.effective / each < 2:
        raise InputError(f"{where}these scores are not a mean over {many} that a plan could add to")
    if table.k > 1 and question == "topics":
        if extend:
            raise InputError(
                f"{where}with several data sets a plan is for new {many} of each; leave "
                f"{setting('extend')} out, or give the scores of one data set"
            )
        each, unit = each / float(np.sum(ranked.set_weights**2)), "topic per data set"
    elif unit == "cluster":  # clusters of different sizes, or with empty cells, count less
        each = means.effective / len(means.rows)
    return Pilot(ranked, means, question, unit, each, runs=noise)


def plan_pair(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> PairPlan | None:
    """Topics for the requested pair, or for the two best systems if a plan has no targets."""
    if wanted.pair is None and wanted.asked:
        return None
    best, follower, *_ = pilot.scores.systems
    pair, margin = wanted.pair or (best, follower), wanted.margin if wanted.pair else None
    reason = _reason(pilot, pair, margin)
    if reason is not None:
        if wanted.pair is None:
            return None
        raise InputError(reason)
    first, second = (pilot.scores.systems.index(name) for name in pair)
    means = pilot.means
    deviation = float(means.deviations[first, second]) * math.sqrt(means.effective)
    difference = float(means.differences[first, second])
    if margin is None:
        needed, contrast = _by_gate(pilot, pair, wanted.power, 1 - wanted.alpha)
        # What decides, which a ranking's other topics, or its λ of a machine, may contradict.
        difference, deviation = -contrast.estimate, contrast.error * math.sqrt(contrast.units)
    else:
        needed = _to_find(pilot, beliefs, wanted, sorted((first, second)), margin / deviation)
    size = (margin or abs(difference)) / deviation
    classical = _topics(pilot, partial(paired_t_power, effect=size, alpha=wanted.alpha), wanted.power)
    return PairPlan(pair, difference, deviation, margin, wanted.power, wanted.alpha, needed, classical)


def _reason(pilot: Pilot, pair: tuple[str, str], margin: float | None) -> str | None:
    """Why no gate decides the pair, and no test finds the margin; ``None`` where one can."""
    scores, where = pilot.scores, at(pilot.scores.source)
    if len(pair) != 2 or pair[0] == pair[1]:
        return f"{where}a pair is two different systems"
    for name in pair:
        if name not in scores.systems:
            raise unknown_system(scores, name)
    if margin is not None and scores.k > 1 and pilot.question == "topics":
        return (
            f"{where}a difference of a given size is planned for one data set, or for new data sets; leave "
            f"{setting('margin')} out, or use {setting('generalize_to', 'data_sets')}"
        )
    if pilot.means.deviations[*map(scores.systems.index, pair)] <= 0:
        return (
            f"{pair[0]} and {pair[1]} differ by the same amount on every {scores.unit.one}: a single one "
            "decides"
        )
    if margin is not None:
        return None
    if pilot.facets:
        return (
            f"{where}a pair is decided on the levels in the table; leave {setting('generalize_to')} out, or "
            f"give {setting('margin')}"
        )
    of_both = pair_scores(scores, *pair) if scores.kind.by_cells else None
    return of_both if isinstance(of_both, str) else None


def _to_find(pilot: Pilot, beliefs: Beliefs, wanted: Wanted, ranks: list[int], effect: float) -> Needed:
    """Topics at which a t test finds a difference of `effect` standard deviations of the pilot."""
    scales, chances = beliefs.scales(*ranks)
    sizes = effect * scales
    power = partial(paired_t_power, alpha=wanted.alpha)
    order = np.argsort(sizes)
    ends = np.cumsum(chances[order])
    places = np.searchsorted(ends, np.array([(1 - wanted.level) / 2, (1 + wanted.level) / 2]) * ends[-1])
    low, high = sizes[order[np.minimum(places, len(order) - 1)]].tolist()

    def expected(n: int) -> float:
        return float(chances @ power(n, sizes))

    powers = (expected, partial(power, effect=high), partial(power, effect=low))
    topics = (_topics(pilot, of_topics, wanted.power) for of_topics in powers)
    return Needed("pair", wanted.power, "expected", *topics)


def _topics(pilot: Pilot, of_topics: Callable[[int], float], power: float) -> float:
    """The fewest topics: those that people judge beside a machine, and with the pilot's runs of each."""
    effective = fewest(of_topics, power, 2)
    if math.isinf(effective):
        return effective
    if pilot.machine is not None:
        return math.ceil(pilot.machine.human(effective) - 1e-9)
    of_runs = pilot.runs is not None or not pilot.scores.kind.by_cells
    return math.ceil(effective / pilot.each - 1e-9) if of_runs else effective


def _by_gate(pilot: Pilot, pair: tuple[str, str], power: float, level: float) -> tuple[Needed, Contrast]:
    """The topics at which a gate decides, with where it does with 10 and 90% power; what it decides on."""
    scores, prior = pilot.scores, None
    compared: Sequence[Pair]
    if scores.kind.by_cells:
        of_both = pair_scores(scores, *pair)
        assert not isinstance(of_both, str)  # _reason refuses the pair otherwise
        compared = pairs_of(of_both, scores, pilot.question, largest_difference(scores))
        prior = None if pilot.machine is not None else prior_of(pilot.means)
    else:
        from truerank.reliability.pair.of_battles import arena_pairs

        compared = arena_pairs(scores, pair[0], pair[1:], level, direct=False)
    contrast, count = compared[0].contrast, compared[0].count
    ends = [math.inf] * 3
    if verdict_in(*interval(contrast, level), 0.0) != "undecided":
        ends = [float(count)] * 3
    elif (found := topics_needed(contrast, 0.0, level, power, prior)) is not None:
        found = found.times(count / contrast.units)
        ends = [math.inf if n is None else float(n) for n in (found.topics, found.low, found.high)]
    return Needed("pair", power, "expected", *ends), contrast


def paired_t_power(topics: float, effect: Any, alpha: float = 0.05) -> Any:
    """Probability that a two-sided paired t test finds an effect (in standard deviations) by its sign."""
    from truerank.numerics.special import nctdtr, ndtr, stdtrit

    shift = np.sqrt(topics) * np.abs(effect)
    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    # Far out the noncentral t cannot be computed, and its normal approximation is exact.
    near = 1 - nctdtr(topics - 1, np.minimum(shift, 30.0), critical)
    found = np.where(shift > 30.0, ndtr(shift - critical), near)
    return float(found) if np.ndim(effect) == 0 else found
