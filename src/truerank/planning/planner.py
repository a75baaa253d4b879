"""`plan`: how many topics, so that a ranking can be relied on?"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from truerank._support.arguments import keywords_checked
from truerank._support.seeds import stream
from truerank._support.version import __version__
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError
from truerank.numerics.intervals import check_levels
from truerank.planning.answer import STOPPING
from truerank.planning.beliefs import Beliefs, after_pilot, before_scores
from truerank.planning.budget import Judging
from truerank.planning.classical import check_power
from truerank.planning.curves import Curve, curve_of, total_sizes
from truerank.planning.draws import draw_collections, draws_for
from truerank.planning.known import COLLECTIONS, KnownTruth, known_curves, known_winner
from truerank.planning.pilot import Pilot, about_pilot, pilot_of, stable
from truerank.planning.plan_results import CurvePoint, Needed, Plan, PlanSettings
from truerank.planning.winner import winner_chances, winner_curve
from truerank.readers import with_machine
from truerank.readers.missing import Missing
from truerank.reliability.means import Question

TARGET = 0.9
"""τ to be reached where nothing else is asked for: from there rankings are customarily taken for the same."""

FAR = 10
"""Times the pilot's topics beyond which a number is far out."""

PRIOR_ONLY = (
    "without scores, this says what collections are like: systems are taken to differ as those of past "
    "campaigns do, and their scores as independent of each other from topic to topic; systems that are "
    "variants of one another need far more topics"
)

COEFFICIENTS = (TAU, TAU_AP)


@keywords_checked
def plan(
    scores: Any = None,
    *,
    tau: float | None = None,
    tau_ap: float | None = None,
    width: float | None = None,
    winner: float | None = None,
    pair: tuple[str, str] | None = None,
    margin: float | None = None,
    power: float = 0.8,
    stability: float | None = None,
    extend: bool = False,
    systems: int | None = None,
    effect: float | None = None,
    model: KnownTruth | None = None,
    level: float = 0.95,
    alpha: float = 0.05,
    drop_bottom: float = 0.0,
    data_sets: Question | None = None,
    measure: str | None = None,
    missing: Missing = "error",
    judging: Judging | None = None,
    machine: Any = None,
    machine_topics: int | None = None,
    draws: int | None = None,
    seed: int = 0,
) -> Plan:
    """How many topics does a test collection need?

    From a pilot's scores, by the posterior of :mod:`eb <truerank.reliability.estimators.eb>`: what is
    expected of the ranking by a new collection of the same systems, or by the pilot extended
    (docs/methods/planning.md). Without
    scores: from what collections are like (`systems`), from an effect size besides (`effect`), or from a
    model whose truth is known (`model`).

    O(n·m² + draws·m²) time.

    Args:
        scores: the pilot's, a ScoreMatrix or anything :func:`truerank.read_scores` takes; n ≥ 3 topics.
        tau: Kendall's τ with the true ranking to be reached, in (0, 1); 0.9 where no target is given.
        tau_ap: τ_AP to be reached, in (0, 1).
        width: greatest width of the coefficient's interval by such a collection.
        winner: probability that the truly best system comes out first, in (0, 1).
        pair: names of two of the pilot's systems that are to be told apart.
        margin: true difference of the pair to plan for, and difference that the classical designs are for; in
            units of the measure.
        power: probability of finding it, by a two-sided paired t test.
        stability: Eρ² and Φ to be reached, in (0, 1).
        extend: whether the pilot's topics are kept.
        systems: m, instead of scores.
        effect: with `systems`: c, the squared effect size of a pair on one topic, as `eb` learns it.
        model: a simulation model, instead of scores.
        level: of all intervals.
        alpha: significance level of tests.
        drop_bottom: share of the pilot's systems to leave out, by quantile of their means.
        data_sets: of a pilot with several, whether new topics of these are planned (``fixed``, the default,
            counted per data set), or new data sets like these (``random``).
        measure: which measure, where `scores` holds several.
        missing: what to do about missing scores, as :func:`truerank.read_scores`; a plan itself takes no
            empty cells but those that a ScoreMatrix has.
        judging: a budget of judgments, and what it buys.
        machine: a machine judge's scores of the same systems on the pilot's topics, which people judged, and
            on more, as for :func:`truerank.assess`; topics are then those that people are to judge.
        machine_topics: how many topics the machine is to judge, those by people among them; as in the pilot
            unless given.
        draws: joint draws behind the intervals (collections, from a model); chosen by the number of systems
            unless given.
        seed: the same seed gives the same digits.

    Returns:
        The plan.

    Raises:
        InputError: scores that cannot be ranked, a target or setting out of range, or settings that do not go
            together.
        UnknownNameError: a pair's system that is not there.

    Example:
        >>> result = plan(systems=20, tau=0.8, draws=64, seed=1)
        >>> 30 < result.needed[0].topics < 120
        True
    """
    check_levels(level)
    check_power(power, alpha)
    _check_targets(tau=tau, tau_ap=tau_ap, winner=winner, stability=stability)
    if width is not None and not 0 < width < 2:
        raise InputError(f"the width of an interval of a coefficient must be between 0 and 2, not {width:g}")
    if margin is not None and not (margin > 0 and math.isfinite(margin)):
        raise InputError(f"a margin must be above 0, not {margin:g}")
    if draws is not None and draws < 2:
        raise InputError(f"at least two draws are needed, not {draws}")
    if effect is not None and not (effect > 0 and math.isfinite(effect)):
        raise InputError(f"an effect size must be above 0, not {effect:g}")
    bases = {"scores": scores is not None, "systems": systems is not None, "a model": model is not None}
    given = [name for name, there in bases.items() if there]
    if len(given) != 1:
        raise InputError(
            "a plan rests on one thing: scores, a number of systems, or a model; not on "
            + (" and ".join(given) or "nothing")
        )
    if effect is not None and systems is None:
        raise InputError("an effect size goes with a number of systems; scores and models have their own")
    beside = machine is not None or machine_topics is not None
    if scores is None and beside:
        raise InputError("a machine's scores go with those of a pilot that people judged; give both")
    if scores is None and (extend or pair or stability is not None or drop_bottom or data_sets or judging):
        raise InputError(
            "to extend, a pair, a stability, data sets, a budget, and systems left out ask for the scores of "
            "a pilot"
        )
    if tau is None and tau_ap is None and width is None and winner is None and not pair and stability is None:
        tau = TARGET
    targets = {"tau": tau, "tau_ap": tau_ap}
    leading = "tau_ap" if tau is None and tau_ap is not None else "tau"
    wanted: dict[str, Any] = {"targets": targets, "leading": leading, "width": width, "winner": winner}
    wanted |= {"effect": effect, "drop_bottom": drop_bottom}
    if model is not None:
        return _from_model(model, wanted, winner, level, draws or COLLECTIONS, seed)

    if systems is not None:
        if systems < 2:
            raise InputError(f"a ranking needs at least two systems, not {systems}")
        return _from_beliefs(None, before_scores(systems, effect), wanted, level, draws, seed)
    table = scores if machine is None else with_machine(scores, machine, measure, missing)
    pilot = pilot_of(table, data_sets, drop_bottom, extend, machine_topics, measure, missing)
    wanted |= {"pair": pair, "margin": margin, "power": power, "alpha": alpha, "stability": stability}
    wanted |= {"judging": judging, "extend": extend}
    return _from_beliefs(pilot, after_pilot(pilot.means), wanted, level, draws, seed)


def _from_beliefs(
    pilot: Pilot | None,
    beliefs: Beliefs,
    wanted: dict[str, Any],
    level: float,
    draws: int | None,
    seed: int,
) -> Plan:
    """A plan from a pilot's posterior, or from what collections are like."""
    leading, winner, extend = wanted["leading"], wanted["winner"], wanted.get("extend", False)
    asked = [name for name, target in wanted["targets"].items() if target is not None]
    coefficients = [c for c in COEFFICIENTS if c.name in {leading, "tau", *asked}]
    sizes = total_sizes(beliefs.topics if pilot is None else pilot.size, extend)
    effective = sizes if pilot is None else pilot.effective(sizes)
    added = effective - beliefs.topics if extend else effective
    count = draws_for(beliefs.systems) if draws is None else draws
    drawn = draw_collections(beliefs, added.tolist(), coefficients, count, stream(seed, "plan"), extend)
    curves = {
        c.name: replace(curve_of(beliefs, c, drawn, effective, extend, level), topics=sizes)
        for c in coefficients
    }
    needed = _needed(curves, wanted)
    chances: tuple[CurvePoint, ...] = ()
    if winner is not None:
        found = winner_chances(beliefs, drawn, added, stream(seed, "winner"))
        chances, of_winner = winner_curve(found, sizes, winner, level)
        needed += of_winner
    about: dict[str, Any] = {
        "measure": "",
        "pilot_topics": 0,
        "unit": "topic",
        "data_sets": 1,
        "now": None,
        "pair": None,
        "generalizability": None,
        "classical": (),
        "difference": wanted["margin"] if wanted.get("margin") else 0.05,
        "designs": (),
        "budget": (),
        "machine": None,
        "warnings": (PRIOR_ONLY,),
    }
    basis = "collections" if wanted["effect"] is None else "effect"
    if pilot is not None:
        basis = "pilot"
        now = _now(beliefs, leading, curves, extend)
        about |= about_pilot(pilot, beliefs, wanted, level, seed) | {"now": now}
        g = about["generalizability"]
        if wanted["stability"] is not None and g is not None:
            needed += stable(g)
        about["warnings"] += (*_far(needed, pilot), STOPPING)
    last = _last(needed)
    settings = PlanSettings(
        version=__version__,
        seed=seed,
        draws=drawn.values[leading].shape[1],
        level=level,
        basis=basis,
        effect=beliefs.effect,
        fewest=int(curves[leading].topics[0]),
        most=int(curves[leading].topics[-1]),
        drop_bottom=wanted["drop_bottom"],
    )
    return Plan(
        systems=beliefs.systems,
        coefficient=leading,
        extend=extend,
        curves={name: curve.points(last) for name, curve in curves.items()},
        needed=tuple(needed),
        winner=tuple(point for point in chances if point.topics <= last),
        settings=settings,
        **about,
    )


def _check_targets(**targets: float | None) -> None:
    """Refuse targets outside (0, 1)."""
    for name, target in targets.items():
        if target is not None and not 0 < target < 1:
            percent = "%" if name == "winner" else ""  # the others are no probabilities
            hint = f"; write {target / 100:g} for {target:g}{percent}" if 10 <= target < 100 else ""
            raise InputError(f"{name.replace('_', '-')} must be between 0 and 1, not {target:g}{hint}")


def _needed(curves: dict[str, Curve], wanted: dict[str, Any]) -> list[Needed]:
    """Topics for the targets of coefficients and for the width of an interval."""
    found: list[Needed] = []
    for name, target in wanted["targets"].items():
        if target is not None:
            found += curves[name].needed(target)
    if wanted["width"] is not None:
        found.append(curves[wanted["leading"]].needed_width(wanted["width"]))
    return found


def _last(needed: list[Needed]) -> float:
    """Up to how many topics curves are shown: half as many again as are needed, at least 1,000."""
    finite = [one.topics for one in needed if math.isfinite(one.topics)]
    return max(1_000.0, 1.5 * max(finite, default=0.0))


def _now(beliefs: Beliefs, leading: str, curves: dict[str, Curve], extend: bool) -> float | None:
    """What is expected of the pilot's own ranking: an extension by nothing."""
    if leading == "tau":
        return float(1 - 2 * beliefs.wrong_by_extension([0.0])[0])
    return float(curves[leading].expected[0]) if extend else None


def _far(needed: list[Needed], pilot: Pilot) -> list[str]:
    """A warning where a plan goes far beyond its pilot."""
    far = [one.topics for one in needed if math.isfinite(one.topics)]
    n = pilot.size
    if not far or max(far) <= FAR * n:
        return []
    return [
        f"{max(far):,.0f} is far beyond a pilot of {n:,.0f}: how near the nearest systems are to each other "
        "decides there, and so small a pilot hardly tells; plan again on the way"
    ]


def _from_model(
    model: KnownTruth, wanted: dict[str, Any], winner: float | None, level: float, draws: int, seed: int
) -> Plan:
    """A plan from a known truth."""
    curves, first = known_curves(model, COEFFICIENTS, level, draws, seed)
    needed = _needed(curves, wanted)
    chances: tuple[CurvePoint, ...] = ()
    if winner is not None:
        chances, of_winner = known_winner(first, curves["tau"].topics, winner)
        needed += of_winner
    most = int(curves["tau"].topics[-1])
    warnings = [f"looked at up to {most:,} topics only"] if any(math.isinf(n.topics) for n in needed) else []
    warnings.append(
        "the model’s truth is taken as the truth: intervals are over collections only, not over what the "
        "scores that it was fitted to leave open"
    )
    return Plan(
        measure=model.measure,
        pilot_topics=0,
        unit="topic",
        data_sets=1,
        systems=len(model.systems),
        coefficient=wanted["leading"],
        extend=False,
        now=None,
        curves={name: curve.points() for name, curve in curves.items()},
        needed=tuple(needed),
        winner=chances,
        pair=None,
        generalizability=None,
        classical=(),
        difference=0.05,
        designs=(),
        budget=(),
        warnings=tuple(warnings),
        settings=PlanSettings(
            version=__version__,
            seed=seed,
            draws=draws,
            level=level,
            basis="model",
            effect=None,
            fewest=int(curves["tau"].topics[0]),
            most=most,
        ),
    )
