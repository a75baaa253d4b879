"""The results of a pilot apart from its posterior: generalizability, purchases."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from truerank._support.arguments import setting
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank._support.wording import listed
from truerank.errors import InputError, PairError, at
from truerank.kinds import BesideMachine, InBattles
from truerank.numerics.fewest import whole
from truerank.numerics.intervals import Interval
from truerank.planning.beliefs import Beliefs
from truerank.planning.buying import (
    Buyer,
    prices_of_runs,
    spending_on_levels,
    spending_on_runs,
    whole_cost,
)
from truerank.planning.generalizability import (
    STABILITY,
    NestedComponents,
    mapped,
    nested_components,
    variance_components,
)
from truerank.planning.plan_results import (
    DataSetDesign,
    Generalizability,
    MachineGain,
    Needed,
    StabilityIndex,
    StabilityPoint,
)
from truerank.planning.purchases import RUN, TOPIC, Product, Spending, check_budget, prices_of
from truerank.planning.wanted import Wanted
from truerank.reliability.diagnostics import check_rankable, data_warnings
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Means, Question, find_aggregate, means_of
from truerank.reliability.means.components import Components
from truerank.reliability.means.means_of import (
    corrected_of,
    noise_of,
    question_of,
    table_of,
    theta_of,
)
from truerank.reliability.means.run_noise import RunNoise
from truerank.scores import ScoreMatrix, ranking_order

STUDIED = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)  # numbers of topics of the D-study shown
# Sources of variance whose names are more than one word.
SOURCES = {"data_set": "data set", "system_data_set": "system × data set"}


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
    def two_best(self) -> tuple[str, str]:
        """The first two of the pilot's ranking."""
        return self.scores.systems[0], self.scores.systems[1]

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

    def spending(
        self,
        beliefs: Beliefs,
        cost: Mapping[str, float] | None,
        budget: float | None,
        wanted: Wanted,
        draws: int,
    ) -> Spending | None:
        """What to buy next; ``None`` without runs and levels."""
        check_budget(budget)
        asked = (self.facets, budget, wanted.level, stream(wanted.seed, "spending"), draws)
        if self.parts is not None:
            buyer = Buyer(beliefs, self._prices(cost), *asked)
            return spending_on_levels(
                buyer, self.means, {TOPIC: self.scores.n, **self.levels, RUN: self.parts.cells.runs}
            )
        if self.runs is None or not self.runs.averaged or self.scores.k > 1:
            if cost is not None:
                raise InputError(f"{at(self.scores.source)}{self._nothing_to_buy(cost)}")
            return None
        buyer = Buyer(beliefs, self._prices(cost), *asked)
        return spending_on_runs(buyer, self.means, self.runs, self.scores.n, wanted.extend)

    def _prices(self, cost: Mapping[str, float] | None) -> dict[Product, float] | None:
        """The prices of what can be bought here; ``None`` if none were given."""
        if cost is None:
            return None
        known = () if self.scores.facets is None else self.scores.facets.names
        for name in (part for product in cost for part in product.split(":")):
            if name in known and name not in self.facets:
                facets = [*self.facets, name]
                raise InputError(
                    f"{at(self.scores.source)}the levels of {name!r} are fixed, so no more of them can be "
                    f"bought; use {setting('generalize_to', ','.join(['topics', *facets]))} "
                    f"{whole_cost(cost, self.scores.noun, facets)}"
                )
        return prices_of_runs(cost, self.scores.noun, self.facets)

    def _nothing_to_buy(self, cost: Mapping[str, float]) -> str:
        """The message that prices have no use here, and what to do."""
        leave, unit = f"leave {setting('cost')} out", self.scores.unit
        if not self.scores.kind.by_cells:
            return f"prices are for scores, and these are battles; {leave}"
        if self.scores.k > 1:
            return f"prices are for {unit.many} of one data set, and these are of {self.scores.k}; {leave}"
        if self.runs is not None:
            repeats = self.scores.repeats
            measure = self.scores.measure if repeats is None else repeats.measure
            return f"{measure} is of several runs together, so no price of one run is known; {leave}"
        if self.scores.facets is not None:
            names = self.scores.facets.several or self.scores.facets.names
            over = setting("generalize_to", ",".join(["topics", *names]))
            fixed = listed([repr(name) for name in names])
            remedy = f"use {over} {whole_cost(cost, self.scores.noun, names)} with your numbers"
            known = (TOPIC, self.scores.noun, RUN, *names)
            prices_of(cost, {name: name for name in known}, remedy)
            return (
                f"the levels of {fixed} are fixed, and prices are for plans over other levels, too; "
                f"{remedy}, or {leave}"
            )
        return (
            f"every system has one score per {unit.one}, so only {unit.many} can be bought, whatever they "
            f"cost; give scores of several runs or prompts, or {leave}"
        )


def pilot_of(
    table: ScoreMatrix,
    generalize_to: Question | None,
    drop_bottom: float,
    extend: bool,
    machine_topics: int | None = None,
) -> Pilot:
    """The pilot of scores of any kind."""
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
        population, *facets = question.split(",")
        if population == "data_sets":
            over = setting("generalize_to", ",".join(["topics", *facets]))
            raise InputError(f"{where}a plan over levels of facets is for these data sets; use {over}")
        parts = means.components
        if any(parts.effects[parts.place(name)].within for name in facets):
            raise InputError(
                f"{where}levels of facets differ between data sets, so one more of them has no meaning; give "
                "the scores of one data set"
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


def about_pilot(pilot: Pilot, beliefs: Beliefs, wanted: Wanted) -> dict[str, Any]:
    """The fields of a plan that come from the scores themselves."""
    scores, runs = pilot.scores, pilot.runs
    notes = data_warnings(scores, pilot.means)
    if wanted.only_pair:  # that one is about τ
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
    elif negative := (found.nested.negative if found.nested is not None else found.variance.negative):
        notes.append(Note("negative-variance", {"sources": [SOURCES.get(name, name) for name in negative]}))
    if pilot.machine is not None:
        judge = machine_judge(scores, wanted.level, wanted.seed)
        notes += machine_warnings(scores, judge, wanted.seed, biases=False)
        notes.append(Note("no-effect", {"case": "machine", "unit": scores.unit.one}))
    return about | {
        "data_sets": scores.k,
        "generalizability": found,
        "designs": _data_set_designs(pilot, beliefs, found),
        "machine": pilot.machine,
        "runs": None if runs is None or not runs.averaged else float(runs.runs),
    }


def _generalizability(pilot: Pilot, target: float, level: float) -> Generalizability | None:
    """The G-study, and the D-study over the unit that is counted; ``None`` where the design has none."""
    scores = pilot.scores
    if scores.clusters is not None:
        return None
    if scores.k > 1 and scores.n > scores.k and scores.complete:
        assert scores.strata is not None
        return _nested(pilot, nested_components(scores.values, scores.strata), target, level)
    if scores.k > 1 and scores.n > scores.k:
        return None
    g = variance_components(scores.values if scores.k == 1 else table_of(scores))
    n = pilot.count
    relative, absolute = (
        StabilityIndex(index(n), interval(n, level), *g.topics_for(target, of_scores, level))
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


def _nested(pilot: Pilot, g: NestedComponents, target: float, level: float) -> Generalizability:
    """The D-study with data sets: over topics per data set if data sets are fixed, else over data sets."""
    fixed = pilot.question == "topics"
    k, topics = g.data_sets, g.typical_topics
    odds = target / (1 - target)
    indices = []
    for absolute in (False, True):
        index = g.absolute if absolute else g.relative
        inner = g.residual + (g.topic if absolute else 0.0)
        if fixed:
            signal, noise = g.system + g.system_data_set / k, inner / k
        else:
            signal = g.system
            noise = g.system_data_set + inner / topics + (g.data_set if absolute else 0.0)
        number = whole(odds * noise / signal) if signal > 0 else math.inf
        # There is no known interval for these indices.
        unknown = Interval(level, math.nan, math.nan, "feldt")
        indices.append(StabilityIndex(index(k, topics, fixed), unknown, number, number, number))
    study = []
    for size in sorted({pilot.count if not fixed else round(topics), *STUDIED}):
        sets, of_each = (k, float(size)) if fixed else (size, topics)
        of_ranks, of_scores = g.relative(sets, of_each, fixed), g.absolute(sets, of_each, fixed)
        study.append(StabilityPoint(size, of_ranks, of_scores, mapped(of_ranks, of_scores)))
    pooled = variance_components(pilot.scores.values)
    return Generalizability(pooled, target, indices[0], indices[1], tuple(study), g)


def stable(g: Generalizability) -> list[Needed]:
    """Topics for a stability; at the upper end the lower limit of the index reaches it."""
    found = []
    for what, index in (("relative", g.relative), ("absolute", g.absolute)):
        ends = (index.topics_low, index.topics_high)
        found.append(Needed(what, g.stability, "expected", index.topics, *ends))
        if g.crossed:
            found.append(Needed(what, g.stability, "low", index.topics_high))
    return found


def _data_set_designs(
    pilot: Pilot, beliefs: Beliefs, found: Generalizability | None
) -> tuple[DataSetDesign, ...]:
    """Designs of topics against data sets, for new data sets like the pilot's."""
    g = None if found is None else found.nested
    if g is None or pilot.question != "data_sets":
        return ()
    pilot_noise = g.system_data_set + g.residual / g.typical_topics
    designs = []
    for sets in sorted({pilot.count, 2 * pilot.count, 4 * pilot.count}):
        for topics in (10, 20, 50, 100, 200):
            noise = g.system_data_set + g.residual / topics
            effective = beliefs.topics * sets / pilot.count * (pilot_noise / noise if noise > 0 else 1.0)
            designs.append(DataSetDesign(sets, topics, beliefs.tau(effective), g.relative(sets, topics)))
    return tuple(designs)
