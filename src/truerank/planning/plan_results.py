"""The results of a plan."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

import numpy as np

from truerank._support.display import Shown
from truerank._support.notes import Noted, Notes
from truerank._support.plain import Written
from truerank._support.types import (
    Fraction,
    LeftOut,
    Level,
    OrNaN,
    Unwritten,
    Vector,
    WholeOrInfinite,
    WrittenAs,
)
from truerank._support.units import Noun, Unit
from truerank.errors import InputError
from truerank.numerics.error_spending import LooksCost
from truerank.planning.generalizability import Generalizability
from truerank.reading import Reading
from truerank.reliability.means.corrected import Corrected

# The largest share explained: with a perfect machine one human topic would be worth all of the machine's.
MOST_EXPLAINED = 1 - 1e-9
# What reaches a target: the expected value, or the lower end of its interval.
Criterion = Literal["expected", "low"]


@dataclass(frozen=True)
class CurvePoint:
    """What to expect at one number of topics.

    Attributes:
        topics: of the collection; for an extension, including the pilot's.
        estimate: the coefficient (or the chance) expected.
        low: lower end of its prediction interval, in which that of one such collection falls.
        high: upper end.
    """

    topics: int
    estimate: float
    low: float
    high: float


def curve_points(topics: Vector, *columns: Vector, last: float = math.inf) -> tuple[CurvePoint, ...]:
    """Points from columns of expectations and both ends of their intervals, up to a number of topics."""
    rows = zip(topics, *columns, strict=True)
    return tuple(CurvePoint(int(n), *map(float, values)) for n, *values in rows if n <= last)


@dataclass(frozen=True)
class Needed(Written):
    """The fewest topics that reach a target.

    Attributes:
        what: ``tau``, ``tau_ap``, ``width``, ``winner``, ``pair``, ``relative`` or ``absolute``.
        target: to be reached.
        criterion: what reaches it: the ``expected`` value, or ``low``, the lower end of its prediction
            interval.
        topics: of the collection; infinite where no number that was tried is enough.
        low: lower end of the interval of that number, over the unknown truth; may be infinite. NaN where the
            number is itself the end of an interval (of *winner*, *relative* or *absolute*).
        high: upper end; may be infinite. NaN in the same cases.
    """

    what: str
    target: float
    criterion: Criterion
    topics: WholeOrInfinite
    low: WholeOrInfinite = math.nan
    high: WholeOrInfinite = math.nan


@dataclass(frozen=True)
class PairPlan(Written):
    """How many topics tell one pair of systems apart.

    Attributes:
        systems: the two.
        difference: the pilot's, first minus second.
        deviation: standard deviation of the difference on one topic, in the pilot.
        margin: the true difference to plan for; ``None`` for the unknown one of the pair.
        power: to be reached.
        alpha: of the two-sided paired t test; without a margin, of each of the gate's bounds.
        needed: without a margin topics in all, the pilot's included, at which `truerank gate` decides with
            this power; low and high are where it does with 10 and 90%. With a margin, topics of a new
            collection, with the interval over what the pilot leaves open.
        classical: topics if the pilot's standard deviation (and difference) were the truth; infinite where no
            number that was tried is enough.
    """

    systems: tuple[str, str]
    difference: float
    deviation: float
    margin: float | None
    power: float
    alpha: float
    needed: Needed
    classical: WholeOrInfinite

    @property
    def decided(self) -> bool:
        """Whether the pilot's topics already decide."""
        return self.margin is None and self.needed.low == self.needed.high


@dataclass(frozen=True)
class Goal(Written):
    """One question of a plan, and the topics that it needs.

    Attributes:
        goal: ``tau``, ``tau_ap`` (the order as a whole), ``first`` (the first places) or ``pair`` (which of
            two systems is better).
        target: the coefficient, or the probability, to reach.
        topics: that reach it; null where no number that was tried is enough.
        low: lower end of the interval of that number; for a pair, where a gate decides with 10% probability;
            null in the same cases.
        high: upper end; for a pair, with 90%; null in the same cases.
        reached: what as many topics as the pilot has reach; null without a pilot, and for a pair.
        systems: of a pair; else none.
        places: for ``first``, how many first places are to be right; null otherwise.
    """

    goal: Literal["tau", "tau_ap", "first", "pair"]
    target: float
    topics: WholeOrInfinite
    low: WholeOrInfinite
    high: WholeOrInfinite
    reached: float | None = None
    systems: tuple[str, ...] = ()
    places: int | None = None


@dataclass(frozen=True)
class PlanSettings:
    """All that is needed to reproduce these numbers.

    Attributes:
        version: of truerank.
        seed: of everything random.
        draws: joint draws behind the intervals.
        level: of all intervals.
        basis: what the plan rests on: ``pilot``, ``collections``, ``effect`` or ``model``.
        effect: c, squared effect size of a pair on one topic: found, typical or given; ``None`` for a model.
        fewest: the smallest number of topics that was tried.
        most: the largest.
        drop_bottom: share of the pilot's systems left out.
        pairs_alike: for battles, whether every pair that met counted alike; left out for scores.
    """

    version: str
    seed: int
    draws: int
    level: float
    basis: str
    effect: float | None
    fewest: int
    most: int
    drop_bottom: float = 0.0
    pairs_alike: LeftOut[bool] = None


@dataclass(frozen=True)
class MachineGain(Written):
    """What human topics are worth beside a machine's scores of N topics, as topics without a machine.

    Attributes:
        scale: λ of the pilot, in [0, 1].
        machine_topics: N that is planned for, the human topics among them.
        explained: ρ², the share of the variance of differences over topics that the machine's scores explain
            by the pilot, in [0, 1].
    """

    scale: Annotated[Fraction, WrittenAs(**{"lambda": "scale"})]
    machine_topics: int
    explained: Fraction

    @classmethod
    def of(cls, found: Corrected, machine_topics: int | None = None) -> MachineGain:
        """From a pilot: with the λ that serves n of N topics best, n count as ``n/(1 − (1 − n/N) ρ²)``."""
        n, total = found.human_topics, found.machine_topics
        if machine_topics is not None and machine_topics <= n:
            raise InputError(
                f"{machine_topics} topics by the machine are no more than the {n} that people judged in the "
                "pilot; plan for more"
            )
        if total == n:
            raise InputError(
                f"the machine judged only the {n} topics that people judged, so nothing shows what more of "
                "its topics would add. Have it judge more, or leave its scores out"
            )
        explained = (1 - n / found.means.effective) / (1 - n / total)
        share = min(max(explained, 0.0), MOST_EXPLAINED)
        return cls(found.scale, machine_topics or total, share)

    def worth(self, human: Vector) -> Vector:
        """How many topics judged by people alone leave the same error, for each number of human ones."""
        rest = np.maximum(1 - human / self.machine_topics, 0.0)
        return human / (1 - rest * self.explained)

    def human(self, worth: float) -> float:
        """The human topics that are worth this many: the inverse of :meth:`worth`."""
        if not math.isfinite(worth) or worth >= self.machine_topics:
            return worth
        return worth * (1 - self.explained) / (1 - worth * self.explained / self.machine_topics)


@dataclass(frozen=True)
class NoiseDesign:
    """One way to spend.

    Attributes:
        topics: of the collection.
        levels: of each facet.
        runs: of each system on each topic, at each level.
        cost: of the design.
        variance: of a difference of two scores, halved.
        estimate: τ expected.
        low: lower end of the interval in which τ of one such collection falls.
        high: upper end.
    """

    topics: int
    levels: dict[str, int]
    runs: int
    cost: float
    variance: float
    estimate: float
    low: float
    high: float


@dataclass(frozen=True)
class OneMore:
    """One more of something.

    Attributes:
        what: ``topic``, ``run`` (of all systems on all topics), or a facet, of which one more level is
            bought.
        price: of one more.
        gain: share of the variance of a difference that it removes.
        low: lower end of its interval.
        high: upper end; all three are equal where nothing is estimated.
        per_price: share that the price of the dearest of these purchases removes where all of it is spent
            on this, per unit of price; ``None`` where it is free.
    """

    what: str
    price: float
    gain: Fraction
    low: Fraction
    high: Fraction
    per_price: OrNaN

    @property
    def worth(self) -> tuple[float, float, float]:
        """Share per price and its interval, infinite where it is free: the order of purchases."""
        if self.price <= 0:
            return math.inf, math.inf, math.inf
        return self.per_price, self.per_price * self.low / self.gain, self.per_price * self.high / self.gain


@dataclass(frozen=True)
class MoreRuns:
    """The τ that a number of runs brings.

    Attributes:
        runs: of each system on each topic; ``None``: infinitely many.
        new_topics: τ expected on as many new topics as the pilot has.
        same_topics: τ expected of the pilot's topics with this number of runs in all; ``None`` for fewer than
            they have.
    """

    runs: int | None
    new_topics: float
    same_topics: OrNaN


@dataclass(frozen=True, kw_only=True)
class Spending:
    """What to buy next, and how best to spend a budget.

    Attributes:
        budget: to spend; ``None`` if none was given.
        prices: of one ``topic``, of one ``run`` of all systems on a topic at one level of each facet, and of
            one level of each facet, by its name. ``topic:judge``: of each topic at each level.
        assumed: whether these prices are assumed because none were given.
        now: what the pilot’s topics, runs and levels cost at these prices.
        facets: columns of the facets whose levels can be bought.
        best_runs: K*, the best number of runs of a topic, not rounded; ``None`` with facets or one run.
        best_low: lower end of its interval; ``None`` in the same cases.
        best_high: upper end; ``None`` in the same cases.
        level: confidence level of the intervals of K* and of gains.
        next: purchases, the best first.
        designs: ways to spend the budget; without one, the pilot's topics with other numbers of runs or
            levels.
        runs: the τ that other numbers of runs bring; only without facets.
        ratio: q, the variance of runs over that of topics; ``None`` with facets or one run.
        one_run: whether there is one run of each, so that only topics are bought.
    """

    budget: OrNaN
    prices: dict[str, float]
    assumed: bool
    now: float
    facets: tuple[str, ...]
    best_runs: OrNaN = math.nan
    best_low: OrNaN = math.nan
    best_high: OrNaN = math.nan
    level: Level
    next: tuple[OneMore, ...]
    designs: tuple[NoiseDesign, ...]
    runs: LeftOut[tuple[MoreRuns, ...]] = None
    ratio: OrNaN = math.nan
    one_run: Unwritten[bool] = False

    @property
    def best(self) -> NoiseDesign:
        """The design with the greatest τ."""
        return max(self.designs, key=lambda one: one.estimate)


@dataclass(frozen=True, eq=False, repr=False, kw_only=True)
class Plan(Noted, Written, Shown):
    """How many topics.

    Attributes:
        measure: its name; empty where unknown.
        pilot_topics: n of the pilot (data sets, where these are the unit); 0 without one.
        unit: what is counted: ``topic``, ``human topic`` (beside a machine's), ``cluster``, ``topic per data
            set`` or ``data set``; for battles ``prompt``, ``voter`` or ``battle``.
        data_sets: K of the pilot; 1 without several.
        systems: how many, m.
        coefficient: the one that :attr:`curve` is of.
        extend: whether the pilot's topics are kept, and numbers of topics include them.
        now: the coefficient expected of the pilot's own ranking; ``None`` without a pilot.
        curves: by coefficient, what to expect at each number of topics.
        needed: topics for each target.
        goals: the goals and the topics that each needs: the requested ones, or else the order as a whole, the
            first place and the two best.
        winner: the chance that the first places are right, where they are a goal.
        pair: the plan of a pair; null where no pair is a goal, or no gate can decide it.
        generalizability: of the pilot, over what is counted; ``None`` without one, and where a G-study has
            none: of battles, clusters, empty cells, and topics of several data sets.
        machine: what human topics are worth beside a machine judge's; ``None`` without one.
        without_machine: as `needed`, of new topics that people judge without a machine, planned from the
            scores of both; left out without a machine, and of an extension.
        people_alone: the same, planned from people's scores alone.
        looks: what planned looks of a gate cost compared with a single one, if they were given.
        runs: of each system on each topic, in the pilot and by default in designs; left out without a mean of
            several.
        levels: how many levels the pilot has of each facet that is generalized over; left out without any.
        ceiling: what the coefficient stays below at these levels, however many topics there are; left out
            without facets.
        ceiling_interval: where the coefficient of one such collection will lie; left out in the same cases.
        spending: topics, runs and levels for their prices; with prices, with runs, or with a facet that is
            generalized over.
        notes: what to know before relying on it.
        settings: seed, draws and the like.
        noun: what sentences call a topic.
        fixed_levels: how many levels each facet has whose levels stay as they are.
        asked: whether there were targets.
        reading: what was taken for topics, systems and scores, and which scores are better; of tables.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).normal(np.arange(8) / 4, 1, (20, 8))
        >>> result = truerank.plan(scores, tau=0.8, draws=64, seed=1)
        >>> result.needed[0].topics <= result.needed[1].topics
        True
    """

    measure: str = ""
    pilot_topics: int = 0
    unit: str = "topic"
    data_sets: int = 1
    systems: int
    coefficient: str
    extend: bool = False
    now: float | None = None
    curves: Annotated[dict[str, tuple[CurvePoint, ...]], WrittenAs("curve", "other_curves")]
    needed: tuple[Needed, ...]
    goals: tuple[Goal, ...] = ()
    winner: tuple[CurvePoint, ...] = ()
    pair: PairPlan | None = None
    generalizability: Generalizability | None = None
    machine: MachineGain | None = None
    without_machine: LeftOut[tuple[Needed, ...]] = None
    people_alone: LeftOut[tuple[Needed, ...]] = None
    looks: LeftOut[LooksCost] = None
    runs: LeftOut[float | None] = None
    levels: LeftOut[dict[str, int]] = None
    ceiling: LeftOut[float] = None
    ceiling_interval: LeftOut[tuple[float, float]] = None
    spending: LeftOut[Spending] = None
    notes: Notes
    settings: PlanSettings
    noun: Unwritten[Noun] = "topic"
    fixed_levels: Unwritten[dict[str, int] | None] = None
    asked: Unwritten[bool] = False
    reading: LeftOut[Reading] = None

    @property
    def counted(self) -> Unit:
        """What is counted, in words."""
        return self.sampled.kind(self.unit)

    @property
    def together(self) -> Needed | None:
        """The target with the largest number of topics, where several were given and count alike."""
        asked = [one for one in self.needed if one.criterion == "expected"]
        asked += [] if self.pair is None or self.unit == "topic per data set" else [self.pair.needed]
        if not self.asked or len(asked) < 2:
            return None
        return max(asked, key=lambda one: one.topics)

    @property
    def curve(self) -> tuple[CurvePoint, ...]:
        """What to expect of the leading coefficient at each number of topics, fewest first."""
        return self.curves[self.coefficient]

    @property
    def other_curves(self) -> dict[str, tuple[CurvePoint, ...]]:
        """By coefficient, the curves of the others."""
        return {name: points for name, points in self.curves.items() if name != self.coefficient}

    def __repr__(self) -> str:
        first = f", {self.needed[0].topics:.0f} topics" if self.needed else ""
        return f"<Plan for {self.systems} systems{first}>"
