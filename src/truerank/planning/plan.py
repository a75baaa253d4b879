"""`plan`: how many topics, so that a ranking can be relied on?"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix
from truerank._support.version import __version__
from truerank.coefficients import TAU, TAU_AP
from truerank.errors import InputError, at, unknown_name
from truerank.numerics.intervals import check_levels
from truerank.numerics.paired_t import mean_and_deviation
from truerank.planning.answer import STOPPING
from truerank.planning.beliefs import Beliefs, after_pilot, before_scores
from truerank.planning.classical import check_power, classical_designs
from truerank.planning.curves import Curve, curve_of, total_sizes
from truerank.planning.draws import draw_collections, draws_for
from truerank.planning.generalizability import STABILITY, variance_components
from truerank.planning.known import COLLECTIONS, KnownTruth, known_curves, known_winner
from truerank.planning.maps import mapped
from truerank.planning.pair import plan_pair
from truerank.planning.plan_results import (
    CurvePoint,
    Generalizability,
    Needed,
    PairPlan,
    Plan,
    PlanSettings,
    StabilityIndex,
    StabilityPoint,
)
from truerank.planning.winner import winner_chances, winner_curve
from truerank.readers import as_scores
from truerank.reliability.diagnostics import check_rankable, data_warnings
from truerank.reliability.means import plain_means
from truerank.scores import ScoreMatrix

TARGET = 0.9
"""τ to be reached where nothing else is asked for: from there rankings are customarily taken for the same."""

STUDIED = (10, 20, 30, 50, 75, 100, 150, 200, 300, 500)
"""Numbers of topics of the D-study shown."""

FAR = 10
"""Times the pilot's topics beyond which a number is far out."""

COEFFICIENTS = (TAU, TAU_AP)


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
    draws: int | None = None,
    seed: int = 0,
) -> Plan:
    """How many topics does a test collection need?

    From a pilot's scores, by the posterior of :mod:`eb <truerank.reliability.estimators.eb>`: what is expected
    of the ranking by a new collection of the same systems, or by the pilot extended (docs/planning.md). Without
    scores: from what collections are like (`systems`), from an effect size besides (`effect`), or from a model
    whose truth is known (`model`).

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
            f"a plan rests on one thing: scores, a number of systems, or a model; not on {' and '.join(given) or 'nothing'}"
        )
    if effect is not None and systems is None:
        raise InputError("an effect size goes with a number of systems; scores and models have their own")
    if scores is None and (extend or pair or stability is not None or drop_bottom):
        raise InputError("to extend, a pair, a stability, and systems left out ask for the scores of a pilot")
    if tau is None and tau_ap is None and width is None and winner is None and not pair and stability is None:
        tau = TARGET
    targets = {"tau": tau, "tau_ap": tau_ap}
    leading = "tau_ap" if tau is None and tau_ap is not None else "tau"
    wanted = {"targets": targets, "leading": leading, "width": width}
    if model is not None:
        return _from_model(model, wanted, winner, level, draws or COLLECTIONS, seed)

    pilot: ScoreMatrix | None = None
    warnings: list[str] = []
    if systems is not None:
        if systems < 2:
            raise InputError(f"a ranking needs at least two systems, not {systems}")
        beliefs = before_scores(systems, effect)
        warnings.append(
            "without scores, this says what collections are like: systems are taken to differ as those of past "
            "campaigns do, and their scores as independent of each other from topic to topic; systems that are "
            "variants of one another need far more topics"
        )
    else:
        pilot = as_scores(scores, one_table="a plan").drop_bottom(drop_bottom).ranked()
        check_rankable(pilot)
        beliefs = after_pilot(plain_means(pilot.values))
        warnings += data_warnings(pilot)
    names = list(
        dict.fromkeys([leading, *(name for name, target in targets.items() if target is not None), "tau"])
    )
    coefficients = [c for c in COEFFICIENTS if c.name in names]
    total = total_sizes(beliefs.topics, extend)
    added = total - beliefs.topics if extend else total
    count = draws_for(beliefs.systems) if draws is None else draws
    drawn = draw_collections(beliefs, added.tolist(), coefficients, count, stream(seed, "plan"), extend)
    curves = {c.name: curve_of(beliefs, c, drawn, total, extend, level) for c in coefficients}
    needed = _needed(curves, wanted)
    chances: tuple[CurvePoint, ...] = ()
    if winner is not None:
        found = winner_chances(beliefs, drawn, added, stream(seed, "winner"))
        chances, of_winner = winner_curve(found, total, winner, level)
        needed += of_winner
    generalizability = None
    pair_plan = None
    classical = ()
    now = None
    difference = margin or _difference(pilot)
    if pilot is not None:
        generalizability = _generalizability(pilot.values, stability or STABILITY, level)
        if stability is not None:
            needed += _stable(generalizability, level)
        if generalizability.variance.negative:
            negative = " and ".join(f"between {name}s" for name in generalizability.variance.negative)
            warnings.append(f"the estimated variance {negative} is negative and counts as 0")
        if pair is not None:
            pair_plan = _pair(pilot, beliefs, pair, margin, power, alpha, level)
        classical = classical_designs(generalizability.variance.residual, pilot.m, difference, alpha, power)
        now = _now(beliefs, leading, curves, extend)
        warnings += _far(needed, pilot.n)
        warnings.append(STOPPING)
    basis = "pilot" if pilot is not None else "collections" if effect is None else "effect"
    return Plan(
        pilot.measure if pilot is not None else "",
        pilot.n if pilot is not None else 0,
        beliefs.systems,
        leading,
        extend,
        now,
        {name: curve.points(_last(needed)) for name, curve in curves.items()},
        tuple(needed),
        tuple(point for point in chances if point.topics <= _last(needed)),
        pair_plan,
        generalizability,
        tuple(classical),
        difference,
        tuple(warnings),
        PlanSettings(
            __version__, seed, drawn.values[leading].shape[1], level, basis, beliefs.effect, drop_bottom
        ),
    )


def _check_targets(**targets: float | None) -> None:
    """Refuse targets outside (0, 1).

    Raises:
        InputError: one is.
    """
    for name, target in targets.items():
        if target is not None and not 0 < target < 1:
            hint = f"; write {target / 100:g} for {target:g}%" if 1 < target < 100 else ""
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


def _difference(pilot: ScoreMatrix | None) -> float:
    """What the classical designs are for unless asked otherwise: 0.05, or 5% of the largest score above 1."""
    largest = float(np.abs(pilot.values).max()) if pilot is not None else 1.0
    return 0.05 * max(1.0, largest)


def _now(beliefs: Beliefs, leading: str, curves: dict[str, Curve], extend: bool) -> float | None:
    """What is expected of the pilot's own ranking: an extension by nothing."""
    if leading == "tau":
        return float(1 - 2 * beliefs.wrong_by_extension([0.0])[0])
    return float(curves[leading].expected[0]) if extend else None


def _generalizability(values: Matrix, target: float, level: float) -> Generalizability:
    g = variance_components(values)
    n = len(values)
    relative = StabilityIndex(
        g.relative(n), g.relative_interval(n, level), *g.topics_for(target, False, level)
    )
    absolute = StabilityIndex(
        g.absolute(n), g.absolute_interval(n, level), *g.topics_for(target, True, level)
    )
    study = tuple(
        StabilityPoint(size, g.relative(size), g.absolute(size), mapped(g.relative(size), g.absolute(size)))
        for size in sorted({n, *STUDIED})
    )
    return Generalizability(g, target, relative, absolute, study)


def _stable(g: Generalizability, level: float) -> list[Needed]:
    """Topics for a stability; the upper end is where the index's lower limit gets there."""
    found = []
    for what, index in (("relative", g.relative), ("absolute", g.absolute)):
        ends = (index.topics_low, index.topics_high)
        found.append(Needed(what, g.stability, "expected", index.topics, *ends))
        found.append(Needed(what, g.stability, "low", index.topics_high, *ends))
    return found


def _pair(
    pilot: ScoreMatrix,
    beliefs: Beliefs,
    pair: tuple[str, str],
    margin: float | None,
    power: float,
    alpha: float,
    level: float,
) -> PairPlan:
    where = at(pilot.source)
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"{where}a pair is two different systems")
    for name in pair:
        if name not in pilot.systems:
            raise unknown_name("system", name, pilot.systems)
    first, second = (pilot.systems.index(name) for name in pair)
    mean, deviation = mean_and_deviation((pilot.values[:, first] - pilot.values[:, second])[None, :])
    return plan_pair(
        beliefs,
        (first, second),
        (pair[0], pair[1]),
        float(mean[0]),
        float(deviation[0]),
        margin=margin,
        power=power,
        alpha=alpha,
        level=level,
    )


def _far(needed: list[Needed], n: int) -> list[str]:
    """A warning where a plan goes far beyond its pilot."""
    far = [one.topics for one in needed if math.isfinite(one.topics) and one.topics > FAR * n]
    if not far:
        return []
    return [
        f"{max(far):,.0f} topics are far beyond a pilot of {n}: how near the nearest systems are to each other "
        "decides there, and so few topics hardly tell; plan again on the way"
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
        "the model’s truth is taken as the truth: intervals are over collections only, not over what the scores "
        "that it was fitted to leave open"
    )
    return Plan(
        model.measure,
        0,
        len(model.systems),
        wanted["leading"],
        False,
        None,
        {name: curve.points() for name, curve in curves.items()},
        tuple(needed),
        chances,
        None,
        None,
        (),
        0.05,
        tuple(warnings),
        PlanSettings(__version__, seed, draws, level, "model", None),
    )
