"""`plan`: how many topics, so that a ranking, or the order of one pair, can be relied on?"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
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
from truerank.numerics.intervals import fewest
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
from truerank.planning.pilot import Pilot, Wanted, about_pilot, pilot_of, stable
from truerank.planning.plan_results import CurvePoint, Goal, Needed, PairPlan, Plan, PlanSettings
from truerank.readers.machine_scores import scores_to_rank
from truerank.readers.missing import Missing
from truerank.reliability.against_one import contradiction
from truerank.reliability.diagnostics import nearly_equal_warnings
from truerank.reliability.estimators import eb
from truerank.reliability.means import Question
from truerank.reliability.pair.comparing import Pair, largest_difference, pair_scores, pairs_of
from truerank.reliability.pair.contrast import Contrast, interval, prior_of, topics_needed, verdict_in
from truerank.reliability.ranking import undetected, undetected_note
from truerank.scores import unknown_system


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
    low, high = _quantiles(sizes, chances, wanted.level)
    found = (
        _topics(pilot, of_topics, wanted.power)
        for of_topics in (
            lambda n: float(chances @ power(n, sizes)),
            partial(power, effect=high),
            partial(power, effect=low),
        )
    )
    return Needed("pair", wanted.power, "expected", *found)


def _topics(pilot: Pilot, of_topics: Callable[[int], float], power: float) -> float:
    """The fewest topics: those that people judge beside a machine, and with the pilot's runs of each."""
    found = fewest(of_topics, power, 2)
    if math.isinf(found) or (pilot.machine is None and pilot.runs is None and pilot.scores.kind.by_cells):
        return found
    if pilot.machine is None:
        return math.ceil(found / pilot.each - 1e-9)
    return math.ceil(pilot.machine.human(found) - 1e-9)


def _by_gate(pilot: Pilot, pair: tuple[str, str], power: float, level: float) -> tuple[Needed, Contrast]:
    """The topics at which a gate decides, with where it does with 10 and 90% power; what it decides on."""
    scores = pilot.scores
    prior = None
    compared: Sequence[Pair]
    if not scores.kind.by_cells:
        from truerank.reliability.pair.of_battles import arena_pairs

        compared = arena_pairs(scores, pair[0], pair[1:], level, direct=False)
    else:
        of_both = pair_scores(scores, *pair)
        assert not isinstance(of_both, str)  # _reason refuses the pair otherwise
        compared = pairs_of(of_both, scores, pilot.question, largest_difference(scores))
        prior = None if pilot.machine is not None else prior_of(pilot.means)
    contrast, count = compared[0].contrast, compared[0].count
    if verdict_in(*interval(contrast, level), 0.0) != "undecided":
        return Needed("pair", power, "expected", *[float(count)] * 3), contrast
    found = topics_needed(contrast, 0.0, level, power, prior)
    if found is None:
        return Needed("pair", power, "expected", *[math.inf] * 3), contrast
    found = found.times(count / contrast.units)
    ends = (math.inf if n is None else float(n) for n in (found.topics, found.low, found.high))
    return Needed("pair", power, "expected", *ends), contrast


def _quantiles(values: Vector, weights: Vector, level: float) -> tuple[float, float]:
    order = np.argsort(values)
    ends = np.cumsum(weights[order])
    places = np.searchsorted(ends, np.array([(1 - level) / 2, (1 + level) / 2]) * ends[-1])
    low, high = values[order[np.minimum(places, len(order) - 1)]]
    return float(low), float(high)


def paired_t_power(topics: float, effect: Any, alpha: float = 0.05) -> Any:
    """Probability that a two-sided paired t test finds an effect (in standard deviations) by its sign."""
    from truerank.numerics.special import nctdtr, ndtr, stdtrit

    shift = np.sqrt(topics) * np.abs(effect)
    critical = float(stdtrit(topics - 1, 1 - alpha / 2))
    near = np.minimum(shift, 30.0)
    found = 1 - nctdtr(topics - 1, near, critical)
    # Far out the noncentral t cannot be computed, and its normal approximation is exact.
    found = np.where(shift > 30.0, ndtr(shift - critical), found)
    return float(found) if np.ndim(effect) == 0 else found


FAR = 10  # multiple of the pilot's topics beyond which a plan goes far beyond its pilot

PRIOR_ONLY = Note("plan-assumes", {"case": "past"}, "alert")

COEFFICIENTS = (TAU, TAU_AP)


UNSURE = 0.3  # width of the interval of a chance beyond which a pilot leaves open how close the leaders are


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
    of_pilot = bool(extend or pair or drop_bottom or generalize_to or cost) or budget is not None
    of_pilot |= stability is not None
    if budget is not None and cost is None:
        raise InputError(f"a budget needs prices; give {setting('cost')} too, such as topic=1,run=0.05")
    basis = _basis(scores, systems, model, effect, of_pilot, (machine, machine_topics))
    looked = None if looks is None else looks_cost(looks, 1 - alpha, power, spending)
    if model is not None:
        return replace(_from_model(model, wanted), looks=looked)
    if systems is not None:
        return replace(_from_beliefs(None, before_scores(systems, effect), wanted, basis), looks=looked)
    counting = (pairs_alike, draw_prior, None)
    table = scores_to_rank(scores, measure, missing, covariates, counting, machine)
    pilot = pilot_of(table, generalize_to, drop_bottom, extend, machine_topics)
    beliefs = after_pilot(pilot.means)
    found = replace(_from_beliefs(pilot, beliefs, wanted, basis, drop_bottom, (cost, budget)), looks=looked)
    if pilot.machine is not None:  # what a plan of people's scores says, for comparison
        people = pilot_of(replace(table, machine=None), generalize_to, drop_bottom, extend)
        return replace(found, people_alone=Reached.of(people, after_pilot(people.means), wanted).needed)
    return found


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
class Reached:
    """What numbers of topics reach, and the numbers that reach the targets."""

    wanted: Wanted
    curves: Mapping[str, Curve]
    first: Matrix | None  # k × S, the chance of the first places by each draw of the truth; None for no goal
    draws: int

    @classmethod
    def of(cls, pilot: Pilot | None, beliefs: Beliefs, wanted: Wanted) -> Reached:
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
        return cls(wanted, curves, first, drawn.values[wanted.leading].shape[1]).over(sizes)

    def over(self, topics: Vector) -> Reached:
        """The same, counted in other topics."""
        return replace(self, curves={n: replace(curve, topics=topics) for n, curve in self.curves.items()})

    @property
    def sizes(self) -> Vector:
        """The numbers of topics."""
        return self.curves["tau"].topics

    @cached_property
    def _winner(self) -> tuple[tuple[CurvePoint, ...], Sequence[Needed]]:
        if self.first is None:
            return (), ()
        points, needed = winner_curve(self.first, self.sizes, self.wanted.chance, self.wanted.level)
        return points, needed[: len(self.first)]  # a known truth leaves no interval

    @property
    def chances(self) -> tuple[CurvePoint, ...]:
        """Of the first places."""
        return self._winner[0]

    @property
    def needed(self) -> tuple[Needed, ...]:
        """Topics for the targets of coefficients, for the width of an interval, and for the first places."""
        targets = self.wanted.coefficients.items()
        found = [one for name, target in targets for one in self.curves[name].needed(target)]
        if self.wanted.width is not None:
            found.append(self.curves[self.wanted.leading].needed_width(self.wanted.width))
        return (*found, *self._winner[1])


def _from_beliefs(
    pilot: Pilot | None,
    beliefs: Beliefs,
    wanted: Wanted,
    basis: str,
    drop_bottom: float = 0.0,
    prices: tuple[Mapping[str, float] | None, float | None] = (None, None),
) -> Plan:
    """A plan from a pilot's posterior, or from the prior over test collections."""
    reached = Reached.of(pilot, beliefs, wanted)
    needed, leading = list(reached.needed), reached.curves[wanted.leading]
    settings = {"basis": basis, "effect": beliefs.effect, "drop_bottom": drop_bottom}
    about: dict[str, Any] = {"notes": (PRIOR_ONLY,)}
    if pilot is not None:
        about = about_pilot(pilot, wanted)
        about["spending"] = spending_of(pilot, beliefs, *prices, wanted, reached.draws)
        about["pair"] = plan_pair(pilot, beliefs, wanted)
        today = eb.posterior(pilot.means).tau
        # The pilot's own ranking: as an extension by no topics, or as an assessment estimates it.
        if wanted.extend:
            about["now"] = float(leading.expected[0])
        elif wanted.leading == "tau":
            about["now"] = today
        g = about["generalizability"]
        if wanted.stability is not None and g is not None:
            needed += stable(g)
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
        if (battles := pilot.scores.battles) is not None:
            settings["pairs_alike"] = battles.pairs_alike
        about["notes"] = tuple(_notes(pilot, today, about["notes"], reached, needed, about["pair"]))
    # Curves are shown up to half as many topics again as are needed, at least 1,000.
    shown = [one.topics for one in needed if wanted.asked or one.what in reached.curves]
    last = max([1_000.0, *(1.5 * topics for topics in shown if math.isfinite(topics))])
    size = None if pilot is None else pilot.size
    return _plan(reached, settings, last, size, needed=tuple(needed), systems=beliefs.systems, **about)


def _plan(
    reached: Reached, settings: Mapping[str, Any], last: float, size: float | None, **about: Any
) -> Plan:
    """The plan of what is reached, with curves up to some number of topics; `size` is the pilot's."""
    wanted, sizes = reached.wanted, reached.sizes
    return Plan(
        coefficient=wanted.leading,
        extend=wanted.extend,
        curves={name: curve.points(last) for name, curve in reached.curves.items()},
        goals=tuple(_goals(reached, about["needed"], about.get("pair"), size)),
        asked=wanted.asked,
        winner=tuple(point for point in reached.chances if point.topics <= last),
        settings=PlanSettings(
            version=__version__,
            seed=wanted.seed,
            draws=reached.draws,
            level=wanted.level,
            fewest=int(sizes[0]),
            most=int(sizes[-1]),
            **settings,
        ),
        **about,
    )


def _notes(
    pilot: Pilot,
    tau: float,
    notes: Sequence[Note],
    reached: Reached,
    needed: Sequence[Needed],
    pair: PairPlan | None,
) -> Iterator[Note]:
    """What to know before relying on a plan from a pilot, beside the notes on its scores."""
    p = undetected(pilot.means, tau)
    if p is not None:
        yield undetected_note(p, pilot.scores.unit_of(pilot.means.unit).one, plan=True)
    else:
        yield from nearly_equal_warnings(pilot.means)
    yield from notes
    now = min(reached.chances, key=lambda one: abs(math.log(one.topics / pilot.size)), default=None)
    leads = any(
        one.what == "winner" and one.criterion == "expected" and one.topics <= pilot.size for one in needed
    )
    if now is not None and now.high - now.low > UNSURE and not leads:
        yield Note("first-place-unsure")
    shown = (one.topics for one in needed if reached.wanted.asked or one.criterion == "expected")
    furthest = max(filter(math.isfinite, shown), default=0.0)
    if furthest > FAR * pilot.size:
        yield Note("far-beyond-pilot", {"topics": furthest, "pilot": pilot.size})
    if pair is not None and pair.decided:
        worse, better = sorted(pair.systems, key=pilot.scores.systems.index, reverse=True)
        ahead = pair.systems[0] if pair.difference > 0 else pair.systems[1]
        if ahead == worse:
            yield contradiction(pilot.scores, [worse], better)
    of_topics = pilot.unit in ("topic", "topic per data set")
    counted = pilot.scores.unit_of("topic" if of_topics else pilot.unit).one
    # At battles, data sets and clusters nothing allows repeated looks.
    yield Note("repeated-looks", {"case": "plan", "unit": counted, "looks": of_topics})


def _places(wanted: Wanted, systems: int) -> int | None:
    """How many first places to follow, at most as many as there are systems."""
    if wanted.places is not None and wanted.places > systems:
        raise InputError(f"{setting('first', wanted.places)}: there are {systems} systems; ask for fewer")
    return wanted.places


def _goals(
    reached: Reached, needed: Sequence[Needed], pair: PairPlan | None, size: float | None
) -> Iterator[Goal]:
    """The goals of the plan, with what as many topics as the pilot's reach."""
    for one in needed:
        if one.criterion != "expected":
            continue
        ends = (one.target, one.topics, one.low, one.high)
        if one.what in reached.curves:
            now = None if size is None else reached.curves[one.what].at(size)
            yield Goal("tau" if one.what == "tau" else "tau_ap", *ends, now)
        elif one.what == "winner":
            now = None if size is None else chance_at(reached.chances, size)
            yield Goal("first", *ends, now, places=reached.wanted.places)
    if pair is not None:
        one = pair.needed
        yield Goal("pair", one.target, one.topics, one.low, one.high, systems=pair.systems)


def _from_model(model: Any, wanted: Wanted) -> Plan:
    draws, places = wanted.draws or COLLECTIONS, _places(wanted, len(model.systems))
    curves, first = known_curves(model, COEFFICIENTS, wanted.level, draws, wanted.seed, places or 1)
    reached = Reached(wanted, curves, None if places is None else first[None], draws)
    searched = Note("plan-assumes", {"case": "limit", "most": int(reached.sizes[-1])})
    needed = reached.needed
    return _plan(
        reached,
        {"basis": "model", "effect": None},
        math.inf,
        None,
        needed=needed,
        measure=model.measure,
        systems=len(model.systems),
        notes=(
            *[searched] * any(math.isinf(one.topics) for one in needed),
            Note("plan-assumes", {"case": "model"}),
        ),
    )
