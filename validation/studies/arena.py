"""Arenas with a known truth: are estimates right by prompt, by battle, and by prompt and voter?"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Vector
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments.engine.parameters import each
from truerank.experiments.shared import simulated
from truerank.experiments.shared.agreement import listed
from truerank.experiments.shared.summaries import cells, interval_values, of_draws, outcomes, with_differences
from truerank.experiments.study import Results, Row, Summary, Task, declared, every, option, tables
from truerank.numerics.intervals import check_levels
from truerank.planning.beliefs import after_pilot
from truerank.reliability.arena import noise_of
from truerank.reliability.estimators import ESTIMATORS, PairEstimator, TopicSample
from truerank.reliability.means import Means, means_of
from truerank.reliability.predictive import Predictive
from truerank.reliability.standings import rank_bands
from truerank.scores import ScoreMatrix
from validation.studies.populations import averaged, over_populations
from validation.studies.simulated_arenas import KINDS, ArenaKind, ArenaModel, fit_arena

# What errors are estimated from; `plan`: τ of twice the prompts, foretold and then drawn.
WAYS = ("prompts", "voters", "prompts and voters", "battles", "plan")
LEVEL = 0.95  # of joint rank ranges
MOST = 2_000  # groups that single battles are dealt to, as readers do


def _size(text: str) -> tuple[int, int]:
    """Prompts and battles a prompt: ``50x5``."""
    parts = text.split("x")
    if len(parts) != 2 or not all(part.isdigit() and int(part) > 0 for part in parts):
        raise InputError(f"a size is prompts x battles a prompt, such as 50x5, not {text!r}")
    return int(parts[0]), int(parts[1])


def _check_way(way: str) -> None:
    if way not in WAYS:
        raise InputError(f"ways are {', '.join(WAYS)}, not {way!r}")


@dataclass(frozen=True)
class ArenaParameters:
    """Arenas of each kind and size, and what their battles say by prompt, by voter and by battle."""

    trials: int = option(500, "Arenas of each kind and size.", grows=True, least=1)
    systems: tuple[int, ...] = option((15, 40), "Systems of arenas that are drawn anew.", least=3)
    sizes: tuple[str, ...] = option(
        ("50x5", "50x50", "200x50"), "Prompts × battles a prompt.", check=each(_size)
    )
    ways: tuple[str, ...] = option(
        ("prompts", "battles"), "What errors are estimated from.", check=each(_check_way)
    )
    levels: tuple[float, ...] = option((0.8, 0.95), "Nominal levels.", check=check_levels)
    draws: int = option(1_000, "Joint draws behind each interval.", least=2)


@dataclass(frozen=True, eq=False)
class Fitted:
    """A real arena that others are drawn like."""

    scores: ScoreMatrix
    source: str | None

    def fingerprint(self) -> str:
        """Equal if and only if the battles are."""
        return self.scores.fingerprint()


@dataclass(frozen=True)
class Context:
    """Kinds of arenas, and models of real ones."""

    parameters: ArenaParameters
    kinds: dict[str, ArenaKind]
    models: dict[str, ArenaModel]


def load(sources: Any, parameters: ArenaParameters) -> dict[str, ArenaKind | Fitted]:
    """Kinds of arenas by their names, and tables of battles."""
    from truerank.readers import as_scores

    found: dict[str, ArenaKind | Fitted] = {}
    given = sources.items() if isinstance(sources, Mapping) else [(None, one) for one in listed(sources)]
    for name, source in given:
        if isinstance(source, str) and source in KINDS:
            found[name or source] = KINDS[source]
            continue
        scores = as_scores(source, one_table="", battles=True)
        if scores.battles is None:
            raise InputError(f"{source}: no battles; give battles, or a kind: {', '.join(KINDS)}")
        found[name or simulated.named(source)[0][0]] = Fitted(scores, scores.source)
    return found


def prepare(parameters: ArenaParameters, data: Mapping[str, Any], seed: int) -> Context:
    """Fit a model to each real arena."""
    kinds = {name: one for name, one in data.items() if isinstance(one, ArenaKind)}
    models = {name: fit_arena(one.scores) for name, one in data.items() if isinstance(one, Fitted)}
    return Context(parameters, kinds, models)


def work(context: Context, task: Task, seed: int) -> dict[str, list[Row]]:
    """One arena, by every way; ``infinite`` where strengths are only finite with a drawn battle each."""
    parameters, name = context.parameters, str(task["data"])
    kind = context.kinds.get(name)
    rng = stream(seed, "kind")
    model = context.models[name] if kind is None else kind.model(int(task["systems"]), rng)
    prompts, each = _size(str(task["size"]))
    voters = 0 if kind is None else kind.voters
    arena = model.sample(prompts, each, seed, voters)
    scores, truth = _enough(arena.scores, arena.truth, model.systems)
    rows = []
    for way in parameters.ways:
        if way == "plan":
            rows.append(_foretold(scores, model, truth, (prompts, each, voters), parameters.levels, seed))
            continue
        grouped = _grouped(scores, way, seed)
        if grouped is not None:
            rows.append({"way": way} | _found(grouped, truth, parameters, seed))
    return {"arenas": rows}


def _enough(scores: ScoreMatrix, truth: Vector, names: Sequence[str]) -> tuple[ScoreMatrix, Vector]:
    """The arena without systems that have battles on fewer than two prompts."""
    from validation.studies.simulated_arenas import arena_table

    battles = scores.battles
    assert battles is not None
    while True:
        counts = np.count_nonzero(~np.isnan(scores.values), axis=0)
        if counts.min() >= 2:
            break
        kept = (counts >= 2)[battles.first] & (counts >= 2)[battles.second]
        scores = arena_table(battles.only(kept), scores.systems)
        assert scores.battles is not None
        battles = scores.battles
    place = [list(names).index(name) for name in scores.systems]
    return scores, truth[place]


def _grouped(scores: ScoreMatrix, way: str, seed: int) -> ScoreMatrix | None:
    """The battles grouped by what errors are estimated from; ``None`` where that is not known."""
    battles = scores.battles
    assert battles is not None
    if way == "battles":
        dealt = stream(seed, "dealt").permutation(len(battles.first)) % MOST
        return replace(scores, battles=replace(battles, clusters=dealt, voters=None, unit="battle"))
    if way == "prompts":
        return replace(scores, battles=replace(battles, voters=None))
    if battles.voters is None:
        return None
    if way == "voters":
        by_voter = np.unique(battles.voters, return_inverse=True)[1]
        return replace(scores, battles=replace(battles, clusters=by_voter, voters=None, unit="voter"))
    return scores


def _means(scores: ScoreMatrix) -> tuple[Means, bool]:
    """The means, and whether they needed a drawn battle of each system to be finite."""
    try:
        return means_of(scores), False
    except InputError:
        return means_of(scores.counting(draw_prior=1.0)), True


def _found(scores: ScoreMatrix, truth: Vector, parameters: ArenaParameters, seed: int) -> Row:
    """The estimate of τ, and whether its intervals and the rank ranges hold."""
    means, infinite = _means(scores)
    order, in_order, swapped = simulated.against_truth(means.theta, truth)
    predictive = Predictive(TopicSample.of(means.select(order), None, seed), [TAU], parameters.draws)
    method = ESTIMATORS["eb"]
    assert isinstance(method, PairEstimator)
    fit, actual = predictive.fit(method), TAU.of_swaps(swapped)
    drawn = predictive.rank_draws(method)
    bands = rank_bands(drawn.ranks(), LEVEL)
    true_ranks = 1 + np.sum(in_order[None, :] > in_order[:, None], axis=1)
    held = bool(np.all((bands.joint_low <= true_ranks) & (true_ranks <= bands.joint_high)))
    return {
        "estimate": TAU.of_swaps(fit.probabilities),
        "actual": actual,
        "ranges": float(held),
        "infinite": float(infinite),
        "effective": means.effective,
    } | outcomes(parameters.levels, of_draws(predictive.draws(method).coefficient(TAU), actual))


def _foretold(
    scores: ScoreMatrix,
    model: ArenaModel,
    truth: Vector,
    size: tuple[int, int, int],
    levels: Sequence[float],
    seed: int,
) -> Row:
    """τ that the arena foretells of another one with twice the prompts and twice the battles on each."""
    means, infinite = _means(scores)
    beliefs = after_pilot(means.select(np.argsort(-means.theta, kind="stable")))
    battles = (scores.counting(draw_prior=1.0) if infinite else scores).battles
    assert battles is not None
    assert means.played is not None
    noise = noise_of(battles, means.played)
    prompts, each, voters = size
    worth = noise.of_prompt(noise.battles_each) / noise.of_prompt(2 * each)
    expected = float(1 - 2 * beliefs.wrong(np.array([2 * means.effective * worth]))[0])
    found = []
    for again in range(4):
        other = model.sample(2 * prompts, 2 * each, seed + 1 + again, 4 * voters)
        drawn, _ = _enough(other.scores, other.truth, model.systems)
        there = [name for name in scores.systems if name in drawn.systems]
        theta = _means(drawn)[0].theta[[drawn.systems.index(name) for name in there]]
        own = truth[[scores.systems.index(name) for name in there]]
        found.append(TAU.of_swaps(simulated.against_truth(theta, own)[2]))
    return {
        "way": "plan",
        "estimate": expected,
        "actual": float(np.mean(found)),
        "ranges": float("nan"),
        "infinite": float(infinite),
        "effective": means.effective,
    } | outcomes(levels, of_draws(None, 0.0))


def summarize(results: Results) -> Summary:
    """Bias, error and coverage in each cell."""
    if not results.finished:
        return Summary(())
    cell = ["data", "systems", "size", "way"]
    levels = [one for one in interval_values(results.parameters.levels) if one.startswith("covered")]
    values = ["bias", "error", "actual", "estimate", "ranges", "infinite", "effective", *levels]
    points = cells(results, cell, values, with_differences, "arenas")
    columns = averaged(values) | {"bias se": ("bias", "se")}
    return Summary(tables("arena", {"arenas": over_populations(points, cell, columns)}))


PARTS = {"load": load, "prepare": prepare, "grid": every(systems="systems", size="sizes")}
EXPERIMENT = declared("arena", ArenaParameters, work, summarize, 8, PARTS)
