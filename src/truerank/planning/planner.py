"""`plan`: how many topics, so that a ranking, or the order of one pair, can be relied on?"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from truerank._support.arguments import keywords_checked, setting
from truerank._support.notes import Note
from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank._support.version import __version__
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError, at
from truerank.numerics.error_spending import Spending, looks_cost
from truerank.planning.beliefs import Beliefs, after_pilot, before_scores
from truerank.planning.buying import spending_of
from truerank.planning.curves import (
    COLLECTIONS,
    Curve,
    chance_at,
    curve_of,
    draw_collections,
    draws_for,
    known_curves,
    total_sizes,
    winner_chances,
    winner_curve,
)
from truerank.planning.generalizability import STABILITY, Generalizability, generalizability
from truerank.planning.pilot import Pilot, Wanted, pilot_of, plan_pair
from truerank.planning.plan_results import CurvePoint, Goal, Needed, PairPlan, Plan, PlanSettings
from truerank.readers.machine_scores import scores_to_rank
from truerank.readers.missing import Missing
from truerank.reliability.against_one import contradiction
from truerank.reliability.boards import hold_together
from truerank.reliability.diagnostics import data_warnings, nearly_equal_warnings
from truerank.reliability.estimators import eb
from truerank.reliability.estimators.estimator import TopicSample
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import Question
from truerank.reliability.means.means_of import table_of
from truerank.reliability.predictive import Predictive, default_draws
from truerank.reliability.ranking import undetected, undetected_note
from truerank.reliability.standings import consistent, rank_bands
from truerank.scores import identical_systems

COEFFICIENTS = (TAU, TAU_AP)
FAR = 10  # multiple of the pilot's topics beyond which a plan goes far beyond its pilot


@keywords_checked
def plan(
    scores: Any = None,
    *,
    tau: float | None = None,
    tau_ap: float | None = None,
    width: float | None = None,
    first: int | None = None,
    winner: float | None = None,
    pair: tuple[str, str] | None = None,
    margin: float | None = None,
    power: float = 0.8,
    stability: float | None = None,
    extend: bool = False,
    systems: int | None = None,
    effect: float | None = None,
    model: Any = None,
    level: float = 0.95,
    alpha: float = 0.05,
    drop_bottom: float = 0.0,
    generalize_to: Question | None = None,
    measure: str | None = None,
    missing: Missing = "error",
    cost: Mapping[str, float] | None = None,
    budget: float | None = None,
    machine: Any = None,
    machine_topics: int | None = None,
    looks: Sequence[int] | None = None,
    spending: Spending = "pocock",
    pairs_alike: bool = False,
    draw_prior: float = 0.0,
    covariates: str | Sequence[str] = (),
    draws: int | None = None,
    seed: int = 0,
) -> Plan:
    """How many topics does a test collection need? In O(n·m² + draws·m²).

    From a pilot's scores, by the posterior of the estimator `eb` (docs/methods/planning.md); without scores,
    from what collections are like (`systems`, `effect`) or from a model whose truth is known (`model`).
    Without a target it answers three questions: the order as a whole (τ 0.9), the first place, the two best.

    Args:
        scores: the pilot's, a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 3 topics.
        tau: Kendall's τ with the true ranking to be reached, in (0, 1).
        tau_ap: τ_AP to be reached, in (0, 1).
        width: greatest width of the coefficient's interval by such a collection, in (0, 2).
        first: how many of the truly best systems are to come out first, in their order.
        winner: probability of that, in (0, 1); `power` unless given. Alone it is of one place.
        pair: names of two of the pilot's systems, of which a gate is to say which is better.
        margin: the pair's true difference, in units of the measure.
        power: probability of a verdict on the pair, or of finding the margin by a two-sided paired t test.
        stability: Eρ² and Φ to be reached, in (0, 1).
        extend: whether the pilot's topics are kept.
        systems: m, instead of scores.
        effect: with `systems`: c, the squared effect size of a pair on one topic, as `eb` learns it.
        model: a simulation model, instead of scores.
        level: of all intervals.
        alpha: significance level of tests.
        drop_bottom: share of the pilot's systems to leave out, by quantile of their means.
        generalize_to: ``topics``, new ones of the pilot's data sets; ``data_sets``, new ones like these.
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`.
        cost: prices by name, each of them. ``topic`` (or ``question``); ``run``, of all systems on
            one topic; ``level`` (or the facet's name), of the facet that is generalized over.
        budget: to spend on these.
        machine: a machine judge's scores, as for :func:`truerank.assess`; topics are those that people judge.
        machine_topics: how many topics the machine is to judge; as in the pilot unless given.
        looks: numbers of topics at which a gate will look, the last the largest, for what these looks cost.
        spending: of these: ``pocock`` or ``obrien-fleming``.
        pairs_alike: of an arena, as for :func:`truerank.assess`.
        draw_prior: as for :func:`truerank.assess`.
        covariates: as for :func:`truerank.assess`.
        draws: joint draws (collections, from a model) behind the intervals; by the number of systems if None.
        seed: the same seed gives the same digits.

    Returns:
        The plan.

    Raises:
        InputError: scores that cannot be ranked, or settings out of range or that do not go together.
        UnknownNameError: a pair's system that is not there.

    Example:
        >>> 30 < plan(systems=20, tau=0.8, draws=64, seed=1).needed[0].topics < 120
        True
    """
    if cost is not None and not isinstance(cost, Mapping):
        raise InputError(f"{setting('cost')} takes a dict of prices such as {{'topic': 1}}, not {cost!r}")
    targets = (tau, tau_ap, width, first, winner, pair, margin, power, alpha, stability)
    wanted = Wanted(*targets, extend, level, draws, seed)
    if budget is not None and cost is None:
        raise InputError(f"a budget needs prices; give {setting('cost')} too, such as topic=1,run=0.05")
    of_pilot = bool(extend or pair or drop_bottom or generalize_to or cost) or stability is not None
    basis = _basis(scores, systems, model, effect, of_pilot, (machine, machine_topics))
    about: dict[str, Any] = {}
    if looks is not None:
        about["looks"] = looks_cost(looks, 1 - alpha, power, spending)
    if model is not None:
        return _plan(_Reached.by_model(model, wanted), basis, measure=model.measure, **about)
    if systems is not None:
        reached = _Reached.of(None, before_scores(systems, effect), wanted)
        return _plan(reached, basis, notes=(Note("plan-assumes", {"case": "past"}, "alert"),), **about)
    counting = (pairs_alike, draw_prior, None)
    table = scores_to_rank(scores, measure, missing, covariates, counting, machine)
    pilot = pilot_of(table, generalize_to, drop_bottom, extend, machine_topics)
    reached = _Reached.of(pilot, after_pilot(pilot.means), wanted)
    about |= _from_pilot(pilot, reached, cost, budget)
    if pilot.machine is not None:  # what a plan of people's scores says, for comparison
        people = pilot_of(replace(table, machine=None), generalize_to, drop_bottom, extend)
        about["people_alone"] = _Reached.of(people, after_pilot(people.means), wanted).needed
    return _plan(reached, basis, pilot.size, drop_bottom=drop_bottom, **about)


def _basis(
    scores: Any,
    systems: int | None,
    model: Any,
    effect: float | None,
    of_pilot: bool,
    machine: tuple[Any, Any],
) -> str:
    """What the plan rests on; refused if that is nothing, several things, or cannot answer the request."""
    bases = {"scores": scores is not None, "systems": systems is not None, "a model": model is not None}
    given = [name for name, there in bases.items() if there]
    if effect is not None and not (effect > 0 and math.isfinite(effect)):
        raise InputError(f"an effect size must be above 0, not {effect:g}")
    if len(given) != 1:
        raise InputError(
            f"a plan needs one of these: scores, {setting('systems')} or {setting('model')}; given: "
            + (" and ".join(given) or "none")
        )
    if effect is not None and systems is None:
        raise InputError("an effect size goes with a number of systems; scores and models have their own")
    if scores is None and any(one is not None for one in machine):
        raise InputError("a machine's scores go with those of a pilot that people judged; give both")
    if scores is None and of_pilot:
        raise InputError(
            "to extend, a pair, a stability, data sets, a budget, and systems left out ask for the scores of "
            "a pilot"
        )
    if systems is not None and systems < 2:
        raise InputError(f"a ranking needs at least two systems, not {systems}")
    if model is not None:
        return "model"
    if systems is None:
        return "pilot"
    return "collections" if effect is None else "effect"


@dataclass(frozen=True)
class _Reached:
    """What numbers of topics reach, and the numbers that reach the targets."""

    wanted: Wanted
    curves: Mapping[str, Curve]
    first: Matrix | None  # k × S, the chance of the first places by each draw of the truth; None for no goal
    draws: int
    systems: int
    beliefs: Beliefs | None = None  # None of a model, whose truth is known

    @classmethod
    def of(cls, pilot: Pilot | None, beliefs: Beliefs, wanted: Wanted) -> _Reached:
        """By some beliefs; each topic of a pilot counts as its design says."""
        extend, places = wanted.extend, _places(wanted, beliefs.systems)
        coefficients = [c for c in COEFFICIENTS if c.name in {"tau", *wanted.coefficients}]
        sizes = total_sizes(beliefs.topics if pilot is None else pilot.size, extend)
        effective = sizes if pilot is None else pilot.effective(sizes)
        added = np.maximum(effective - beliefs.topics, 0) if extend else effective
        count = draws_for(beliefs.systems) if wanted.draws is None else wanted.draws
        rng = stream(wanted.seed, "plan")
        drawn = draw_collections(beliefs, added.tolist(), coefficients, count, rng, extend, first=places or 1)
        curves = {c.name: curve_of(beliefs, c, drawn, effective, extend, wanted.level) for c in coefficients}
        rng = stream(wanted.seed, "winner")
        first = None if places is None else winner_chances(beliefs, drawn, added, rng)
        count = drawn.values[wanted.leading].shape[1]
        return cls(wanted, curves, first, count, beliefs.systems, beliefs).over(sizes)

    @classmethod
    def by_model(cls, model: Any, wanted: Wanted) -> _Reached:
        draws, m = wanted.draws or COLLECTIONS, len(model.systems)
        places = _places(wanted, m)
        curves, first = known_curves(model, COEFFICIENTS, wanted.level, draws, wanted.seed, places or 1)
        return cls(wanted, curves, None if places is None else first[None], draws, m)

    def over(self, topics: Vector) -> _Reached:
        return replace(self, curves={n: replace(curve, topics=topics) for n, curve in self.curves.items()})

    @property
    def sizes(self) -> Vector:
        return self.curves["tau"].topics

    @property
    def leading(self) -> Curve:
        return self.curves[self.wanted.leading]

    @cached_property
    def winner(self) -> tuple[tuple[CurvePoint, ...], Sequence[Needed]]:
        """The chances of the first places, and the topics that these need."""
        if self.first is None:
            return (), ()
        points, needed = winner_curve(self.first, self.sizes, self.wanted.chance, self.wanted.level)
        return points, needed[: len(self.first)]  # a known truth leaves no interval

    @property
    def needed(self) -> tuple[Needed, ...]:
        """Topics for the targets of coefficients, for the width of an interval, and for the first places."""
        targets = self.wanted.coefficients.items()
        found = [one for name, target in targets for one in self.curves[name].needed(target)]
        if self.wanted.width is not None:
            found.append(self.leading.needed_width(self.wanted.width))
        return (*found, *self.winner[1])


def _places(wanted: Wanted, systems: int) -> int | None:
    """How many first places to follow, at most as many as there are systems."""
    if wanted.places is not None and wanted.places > systems:
        raise InputError(f"{setting('first', wanted.places)}: there are {systems} systems; ask for fewer")
    return wanted.places


def _plan(
    reached: _Reached,
    basis: str,
    size: float | None = None,
    *,
    pairs_alike: bool | None = None,
    drop_bottom: float = 0.0,
    **about: Any,
) -> Plan:
    """The plan of what is reached; `size` is the pilot's."""
    wanted, sizes = reached.wanted, reached.sizes
    needed = about.pop("needed", reached.needed)
    # Curves are shown up to half as many topics again as are needed, at least 1,000.
    shown = [one.topics for one in needed if wanted.asked or one.what in reached.curves]
    last = max([1_000.0, *(1.5 * topics for topics in shown if math.isfinite(topics))])
    if reached.beliefs is None:
        last = math.inf
        limit = Note("plan-assumes", {"case": "limit", "most": int(sizes[-1])})
        out_of_reach = [limit] * any(math.isinf(one.topics) for one in needed)
        about["notes"] = (*out_of_reach, Note("plan-assumes", {"case": "model"}))
    return Plan(
        systems=reached.systems,
        coefficient=wanted.leading,
        extend=wanted.extend,
        curves={name: curve.points(last) for name, curve in reached.curves.items()},
        needed=tuple(needed),
        goals=tuple(_goals(reached, needed, about.get("pair"), size)),
        asked=wanted.asked,
        winner=tuple(point for point in reached.winner[0] if point.topics <= last),
        settings=PlanSettings(
            version=__version__,
            seed=wanted.seed,
            draws=reached.draws,
            level=wanted.level,
            basis=basis,
            effect=None if reached.beliefs is None else reached.beliefs.effect,
            fewest=int(sizes[0]),
            most=int(sizes[-1]),
            drop_bottom=drop_bottom,
            pairs_alike=pairs_alike,
        ),
        **about,
    )


def _goals(
    reached: _Reached, needed: Sequence[Needed], pair: PairPlan | None, size: float | None
) -> Iterator[Goal]:
    """The goals of the plan, with what as many topics as the pilot's reach."""
    now: float | None = None
    for one in needed:
        ends = (one.target, one.topics, one.low, one.high)
        if one.criterion != "expected":
            continue
        if one.what in reached.curves:
            now = None if size is None else reached.curves[one.what].at(size)
            yield Goal("tau" if one.what == "tau" else "tau_ap", *ends, now)
        elif one.what == "winner":
            now = None if size is None else chance_at(reached.winner[0], size)
            yield Goal("first", *ends, now, places=reached.wanted.places)
    if pair is not None:
        one = pair.needed
        yield Goal("pair", one.target, one.topics, one.low, one.high, systems=pair.systems)


def _from_pilot(
    pilot: Pilot, reached: _Reached, cost: Mapping[str, float] | None, budget: float | None
) -> dict[str, Any]:
    """The fields of a plan that come from the scores themselves."""
    scores, wanted, beliefs = pilot.scores, reached.wanted, reached.beliefs
    assert beliefs is not None
    leading, today, needed = reached.leading, eb.posterior(pilot.means).tau, list(reached.needed)
    about: dict[str, Any] = {
        "measure": scores.measure,
        "pilot_topics": pilot.count,
        "unit": pilot.unit,
        "noun": scores.noun,
        "reading": scores.reading,
        # As an extension by no topics, or as an assessment estimates it.
        "now": float(leading.expected[0]) if wanted.extend else today if wanted.leading == "tau" else None,
    }
    if (facets := scores.facets) is not None:
        fixed = set(facets.several) - {*pilot.facets, *facets.nested}
        levels = zip(facets.names, map(len, facets.levels), strict=True)
        about["fixed_levels"] = {name: number for name, number in levels if name in fixed}
    g = None
    if scores.battles is not None:
        about["pairs_alike"] = scores.battles.pairs_alike
    if scores.kind.by_cells:
        g = _generalizability(pilot, wanted)
        runs = None if pilot.runs is None or not pilot.runs.averaged else float(pilot.runs.runs)
        about |= {"data_sets": scores.k, "generalizability": g, "machine": pilot.machine, "runs": runs}
    elif wanted.stability is not None:
        raise InputError(
            f"{at(scores.source)}{setting('stability')} is for scores, and these are battles; leave it out"
        )
    if wanted.stability is not None and g is not None:
        for what, index in (("relative", g.relative), ("absolute", g.absolute)):
            ends = (index.topics, index.topics_low, index.topics_high)
            needed.append(Needed(what, g.stability, "expected", *ends))
            # At the upper end the lower limit of the index reaches the stability.
            needed.append(Needed(what, g.stability, "low", index.topics_high))
    about["spending"] = spending_of(pilot, beliefs, cost, budget, wanted, reached.draws)
    about["pair"] = pair = plan_pair(pilot, beliefs, wanted)
    if pilot.parts is not None:
        about |= {
            "levels": {name: round(number) for name, number in pilot.levels.items()},
            "ceiling": float(leading.expected[-1]),
            "ceiling_interval": (float(leading.low[-1]), float(leading.high[-1])),
        }
    if pilot.machine is not None and not wanted.extend:
        # A new topic that people judge alone is one effective topic, which is what a machine multiplies.
        # The pilot's own count as what the machine made of them, so no extension is without it.
        about["without_machine"] = reached.over(pilot.effective(reached.sizes)).needed
    notes = [*_notes_of_scores(pilot, wanted, today, g), *_notes_of_plan(pilot, reached, needed, pair)]
    return about | {"needed": needed, "notes": tuple(notes)}


def _generalizability(pilot: Pilot, wanted: Wanted) -> Generalizability | None:
    """The G-study, and the D-study over the unit that is counted; ``None`` where the design has none."""
    scores = pilot.scores
    of_sets = scores.k > 1 and (pilot.question == "data_sets" or scores.n == scores.k)
    values = table_of(scores) if of_sets else scores.values
    if scores.clusters is not None or (scores.k > 1 and not of_sets) or np.isnan(values).any():
        return None
    return generalizability(values, pilot.count, wanted.stability or STABILITY, wanted.level)


def _notes_of_scores(pilot: Pilot, wanted: Wanted, tau: float, g: Generalizability | None) -> Iterator[Note]:
    scores, means = pilot.scores, pilot.means
    p = undetected(means, tau)
    if p is not None:
        yield undetected_note(p, scores.unit_of(means.unit).one, plan=True)
    else:
        yield from nearly_equal_warnings(means)
    pair_alone = wanted.pair is not None and not replace(wanted, pair=None).asked
    for note in data_warnings(scores, means):
        if not (pair_alone and note.code == "few-systems"):  # that one is about τ
            yield note
    if not scores.kind.by_cells:  # battles have no G-study
        return
    if g is None:
        yield Note("not-computed", {"case": "g-study", "unit": scores.unit.one})
    elif g.variance.negative:
        yield Note("negative-variance", {"sources": list(g.variance.negative)})
    if pilot.machine is not None:
        judge = machine_judge(scores, wanted.level)
        yield from machine_warnings(scores, judge, wanted.seed, biases=False)
        yield Note("no-effect", {"case": "machine", "unit": scores.unit.one})


def _others_may_lead(pilot: Pilot, wanted: Wanted) -> bool:
    """Whether the rank ranges that an assessment of the pilot has let another system be first."""
    means = pilot.means
    if not hold_together(means) or undetected(means, eb.posterior(means).tau) is not None:
        return True
    sample = TopicSample.of(means, seed=wanted.seed)
    draws = Predictive(sample, draws=default_draws(len(means.theta))).rank_draws("eb")
    bands = consistent(rank_bands(draws.ranks(), wanted.level, identical_systems(pilot.scores)))
    return bool((bands.joint_low[1:] == 1).any())


def _notes_of_plan(
    pilot: Pilot, reached: _Reached, needed: Sequence[Needed], pair: PairPlan | None
) -> Iterator[Note]:
    """What to know before relying on a plan from a pilot, beside the notes on its scores."""
    size, scores = pilot.size, pilot.scores
    expected = [one for one in needed if one.criterion == "expected"]
    if reached.first is not None and _others_may_lead(pilot, reached.wanted):
        yield Note("first-place-unsure")
    shown = [one for one in (needed if reached.wanted.asked else expected) if math.isfinite(one.topics)]
    furthest = max(shown, key=lambda one: one.topics, default=None)
    of_topics = pilot.unit in ("topic", "topic per data set")
    counted = scores.unit_of("topic" if of_topics else pilot.unit).one
    if furthest is not None and furthest.topics > FAR * size:
        sure = None if furthest.criterion == "expected" else (1 + reached.wanted.level) / 2
        aim = {"what": furthest.what, "target": furthest.target, "sure": sure, "unit": counted}
        yield Note("far-beyond-pilot", {"topics": furthest.topics, "pilot": size, **aim})
    if pair is not None and pair.decided:
        worse, better = sorted(pair.systems, key=scores.systems.index, reverse=True)
        if worse == pair.systems[pair.difference <= 0]:
            yield contradiction(scores, [worse], better)
    # At battles, data sets and clusters nothing allows repeated looks.
    yield Note("repeated-looks", {"case": "plan", "unit": counted, "looks": of_topics})
