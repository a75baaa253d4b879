"""The results of a pilot apart from its posterior: generalizability, purchases."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.types import Vector
from truerank.errors import InputError, PairError, at
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics.intervals import check_levels
from truerank.planning.generalizability import (
    STABILITY,
    mapped,
    variance_components,
)
from truerank.planning.plan_results import (
    Generalizability,
    MachineGain,
    Needed,
    StabilityIndex,
    StabilityPoint,
)
from truerank.reliability.diagnostics import check_rankable, data_warnings
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Means, Question, find_aggregate, means_of
from truerank.reliability.means.facets import Components
from truerank.reliability.means.means_of import (
    corrected_of,
    noise_of,
    question_of,
    table_of,
    theta_of,
)
from truerank.reliability.means.run_noise import RunNoise
from truerank.scores import ScoreMatrix, ranking_order

TOPIC = "topic"
STUDIED = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)  # numbers of topics of the D-study shown


@dataclass(frozen=True)
class Pilot:
    """A pilot's scores in ranking order, and how its systems are scored."""

    scores: ScoreMatrix
    means: Means
    question: Question
    unit: str
    each: float
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
        """The facets of which levels are a sample."""
        return () if self.parts is None else tuple(self.parts.cells.factors)[1:]

    @property
    def levels(self) -> dict[str, float]:
        """How many levels there are of each of these, in effect."""
        parts = self.parts
        assert parts is not None
        return {name: parts.effects[parts.place(name)].levels for name in self.facets}

    @property
    def count(self) -> int:
        """Topics, or clusters or data sets where these are the unit."""
        if self.unit == "cluster":
            return len(self.means.rows)
        return self.scores.k if self.question == "data_sets" else self.scores.kind.units

    @property
    def size(self) -> float:
        """The size of the pilot in the unit that is counted."""
        if self.machine is not None or self.parts is not None:
            return float(self.count)
        return self.means.effective / self.each

    def effective(self, sizes: Vector) -> Vector:
        """Effective topics of collections of these sizes."""
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
    theta = theta_of(table, question)
    kept = table.drop_bottom(drop_bottom, theta) if drop_bottom else table
    check_rankable(kept)
    ranked = kept.select(ranking_order(theta_of(kept, question)))
    means = means_of(ranked, question)
    where = at(table.source)
    if table.machine is None and machine_topics is not None:
        raise InputError(f"{where}a number of machine topics goes with a machine's scores in the pilot")
    if isinstance(ranked.kind, BesideMachine):
        found = corrected_of(ranked)
        return Pilot(ranked, means, question, "human topic", 1.0, MachineGain.of(found, machine_topics))
    if isinstance(ranked.kind, InBattles):
        return Pilot(ranked, means, question, means.unit, means.effective / ranked.kind.units)
    if means.components is not None:
        if extend:
            raise InputError(
                f"{where}a plan over levels of facets is for new {table.unit.many} and new levels; "
                f"leave {setting('extend')} out"
            )
        return Pilot(ranked, means, question, "topic", 1.0)
    noise = noise_of(ranked, question, find_aggregate("mean"), means)
    several = table.k > 1 and question == "topics"
    if not means.linear or means.effective / (1 - means.run_share) < 2:
        raise InputError(
            f"{where}these scores are not a mean over {table.unit.many} that a plan could add to"
        )
    if several and extend:
        raise InputError(
            f"{where}with several data sets a plan is for new {table.unit.many} of each; leave "
            f"{setting('extend')} out, or give the scores of one data set"
        )
    if several:
        each = (1 - means.run_share) / float(np.sum(ranked.set_weights**2))
        return Pilot(ranked, means, question, "topic per data set", each, runs=noise)
    each = 1 - means.run_share
    if means.unit == "cluster":  # clusters of different sizes, or with empty cells, count less
        each = means.effective / len(means.rows)
    return Pilot(ranked, means, question, means.unit, each, runs=noise)


def about_pilot(pilot: Pilot, wanted: Wanted) -> dict[str, Any]:
    """The fields of a plan that come from the scores themselves."""
    scores, runs = pilot.scores, pilot.runs
    notes = data_warnings(scores, pilot.means)
    if wanted.pair is not None and not replace(wanted, pair=None).asked:  # that one is about τ
        notes = [note for note in notes if note.code != "few-systems"]
    facets = scores.facets
    fixed = () if facets is None else set(facets.several) - {*pilot.facets, *facets.nested}
    about: dict[str, Any] = {
        "measure": scores.measure,
        "pilot_topics": pilot.count,
        "unit": pilot.unit,
        "generalizability": None,
        "notes": notes,
        "noun": scores.noun,
        "fixed_levels": None
        if facets is None
        else {name: len(of) for name, of in zip(facets.names, facets.levels, strict=True) if name in fixed},
        "reading": scores.reading,
    }
    if not scores.kind.by_cells:  # battles have no G-study
        if wanted.stability is not None:
            raise InputError(
                f"{at(scores.source)}{setting('stability')} is for scores, and these are battles; "
                "leave it out"
            )
        return about
    found = _generalizability(pilot, wanted.stability or STABILITY, wanted.level)
    if found is None:
        notes.append(Note("not-computed", {"case": "g-study", "unit": scores.unit.one}))
    elif found.variance.negative:
        notes.append(Note("negative-variance", {"sources": list(found.variance.negative)}))
    if pilot.machine is not None:
        judge = machine_judge(scores, wanted.level)
        notes += machine_warnings(scores, judge, wanted.seed, biases=False)
        notes.append(Note("no-effect", {"case": "machine", "unit": scores.unit.one}))
    return about | {
        "data_sets": scores.k,
        "generalizability": found,
        "machine": pilot.machine,
        "runs": None if runs is None or not runs.averaged else float(runs.runs),
    }


def _generalizability(pilot: Pilot, target: float, level: float) -> Generalizability | None:
    """The G-study, and the D-study over the unit that is counted; ``None`` where the design has none."""
    scores = pilot.scores
    of_sets = scores.k > 1 and (pilot.question == "data_sets" or scores.n == scores.k)
    values = table_of(scores) if of_sets else scores.values
    if scores.clusters is not None or (scores.k > 1 and not of_sets) or np.isnan(values).any():
        return None
    g, n = variance_components(values), pilot.count
    relative, absolute = (
        StabilityIndex(
            index(n), interval(n, level).low, interval(n, level).high, *g.topics_for(target, of_scores, level)
        )
        for of_scores, index, interval in (
            (False, g.relative, g.relative_interval),
            (True, g.absolute, g.absolute_interval),
        )
    )
    study = tuple(
        StabilityPoint(size, g.relative(size), g.absolute(size), mapped(g.relative(size), g.absolute(size)))
        for size in sorted({n, *STUDIED})
    )
    return Generalizability(g, target, relative, absolute, study)


def stable(g: Generalizability) -> list[Needed]:
    """Topics for a stability; at the upper end the lower limit of the index reaches it."""
    found = []
    for what, index in (("relative", g.relative), ("absolute", g.absolute)):
        ends = (index.topics_low, index.topics_high)
        found.append(Needed(what, g.stability, "expected", index.topics, *ends))
        found.append(Needed(what, g.stability, "low", index.topics_high))
    return found


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
        if self.first is not None and self.first < 1:
            raise InputError(f"first counts places from 1 on, not {self.first}")
        for name in ("tau", "tau_ap", "winner", "stability"):
            target = getattr(self, name)
            if target is not None and not 0 < target < 1:
                percent = "%" if name == "winner" else ""  # the others are not probabilities
                hint = f"; write {target / 100:g} for {target:g}{percent}" if 10 <= target < 100 else ""
                raise InputError(f"{name.replace('_', '-')} must be between 0 and 1, not {target:g}{hint}")
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
        given = {"tau": self.tau, "tau_ap": self.tau_ap}
        found = {name: target for name, target in given.items() if target is not None}
        return found if self.asked else {"tau": TARGET}

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
