"""The three questions of a plan, the number that a pair has in a plan and in a gate, and plans of arenas."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank import read_scores
from truerank.battles import Battles
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.planning import plan
from truerank.planning.beliefs import after_pilot
from truerank.planning.curves import draw_collections, winner_chances
from truerank.reliability.arena import arena_noise
from truerank.reliability.means import means_of
from truerank.reliability.means.bradley_terry import bradley_terry
from truerank.reliability.means.means import plain_means
from truerank.scores import ScoreMatrix


def table(seed: int = 4, n: int = 40, m: int = 6) -> np.ndarray:
    rng = np.random.default_rng(seed)
    return rng.normal(size=(n, m)) + rng.normal(size=(n, 1)) + np.linspace(0.5, 0, m)


def test_all_places_are_right_as_often_as_tau_is_one() -> None:
    """The chance of the whole order, from truths and noises, against the rankings of the draws."""
    believed = after_pilot(plain_means(table(3, 30, 3)))
    sizes = np.array([10.0, 40.0, 200.0])
    drawn = draw_collections(believed, sizes.tolist(), [TAU], 4096, np.random.default_rng(1), first=3)
    chances = winner_chances(believed, drawn, sizes, np.random.default_rng(2))
    share = np.mean(drawn.values["tau"] > 1 - 1e-6, axis=1)
    se = np.sqrt(np.var(chances, axis=0) / len(chances) + share * (1 - share) / drawn.values["tau"].shape[1])
    assert np.all(np.abs(chances.mean(axis=0) - share) < 4 * se + 0.01)


def test_one_number_for_all_that_was_asked() -> None:
    pair = ("sys1", "sys2")
    found = plan(table(), tau=0.8, pair=pair, draws=64)
    alone = {one.goal: one.topics for one in found.goals}
    assert found.together.topics == max(alone.values())
    assert found.together.what == max(alone, key=alone.__getitem__)
    assert plan(table(), pair=pair, draws=64).together is None


def _holes() -> ScoreMatrix:
    x = table(n=60)
    x[np.random.default_rng(5).random(x.shape) < 0.1] = np.nan
    return ScoreMatrix.build(x, holes=True)


def _boards() -> ScoreMatrix:
    rng = np.random.default_rng(2)
    sets = np.repeat(np.arange(6), 15)
    x = rng.normal(0, 0.3, 6) + rng.normal(0, 0.3, (6, 6))[sets] + rng.normal(size=(90, 6))
    return ScoreMatrix.build(x, data_sets=[f"set {k}" for k in sets])


def _runs() -> ScoreMatrix:
    rng, x = np.random.default_rng(3), table(n=30)
    rows = [
        (f"t{t}", f"sys{s + 1}", r, x[t, s] + rng.normal(0, 0.5))
        for t, s in np.ndindex(x.shape)
        for r in range(3)
    ]
    return truerank.read_scores(pd.DataFrame(rows, columns=["topic", "system", "run", "score"]))


def _arena() -> ScoreMatrix:
    rng, theta = np.random.default_rng(1), np.linspace(0.4, 0, 6)
    rows = []
    for q in range(60):
        own = rng.normal(0, 0.5, 6)
        for _ in range(20):
            a, b = rng.choice(6, 2, replace=False)
            p = 1 / (1 + np.exp(theta[b] + own[b] - theta[a] - own[a]))
            rows.append((f"q{q}", f"sys{a + 1}", f"sys{b + 1}", float(rng.uniform() < p)))
    return truerank.read_scores(pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"]))


def _machine() -> ScoreMatrix:
    rng, x = np.random.default_rng(6), table(n=120)
    by_machine = ScoreMatrix.build(x + rng.normal(0, 0.4, x.shape), topics=[f"t{t}" for t in range(120)])
    people = ScoreMatrix.build(x[:40], topics=[f"t{t}" for t in range(40)])
    return truerank.readers.with_machine(people, by_machine)


KINDS: dict[str, tuple[Any, dict[str, Any]]] = {
    "scores": (lambda: ScoreMatrix.build(table()), {}),
    "empty cells": (_holes, {}),
    "clusters": (lambda: ScoreMatrix.build(table(), clusters=np.arange(40) // 2), {}),
    "topics of data sets": (_boards, {}),
    "data sets": (_boards, {"generalize_to": "data_sets"}),
    "runs": (_runs, {}),
    "machine": (_machine, {}),
    "arena": (_arena, {}),
}


@pytest.mark.parametrize("kind", KINDS)
def test_a_pair_has_the_number_of_its_gate_whatever_the_scores(kind: str) -> None:
    make, settings = KINDS[kind]
    scores = make()
    order = [scores.systems[k] for k in np.argsort(-np.nanmean(scores.values, axis=0))]
    open_gates = 0
    for pair in ((order[2], order[1]), (order[3], order[4])):
        needed = plan(scores, pair=pair, draws=64, **settings).pair.needed
        filled = {"missing": "common"} if kind == "empty cells" else {}
        gate = truerank.gate(scores, *pair, **settings, **filled).overall[0]
        if gate.verdict != "undecided":
            assert needed.topics == needed.low == needed.high == gate.units
            continue
        open_gates += 1
        of_gate = (gate.topics_needed, gate.topics_needed_low, gate.topics_needed_high)
        assert (
            tuple(None if math.isinf(n) else n for n in (needed.topics, needed.low, needed.high)) == of_gate
        )
    assert open_gates


def test_the_two_best_of_trec_have_the_number_of_their_gate(data: Path) -> None:
    scores = truerank.read_scores(data / "trec" / "web2011_p10.csv")
    goal = plan(scores, draws=64).goals[2]
    gate = truerank.gate(scores, *goal.systems)
    assert goal.topics == (scores.n if gate.topics_needed is None else gate.topics_needed)


def arena(seed: int, m: int = 8, prompts: int = 60, each: int = 20, voters: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    theta, own = rng.normal(0, 0.5, m), rng.normal(0, 0.7, (prompts, m))
    rows = []
    for q in range(prompts):
        for _ in range(each):
            a, b = rng.choice(m, 2, replace=False)
            p = 1 / (1 + np.exp(theta[b] + own[q, b] - theta[a] - own[q, a]))
            rows.append(
                (f"q{q}", f"s{a}", f"s{b}", float(rng.uniform() < p), f"v{rng.integers(max(voters, 1))}")
            )
    frame = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome", "voter"])
    return frame if voters else frame.drop(columns="voter")


def test_the_noise_is_that_of_the_means() -> None:
    """At the pilot’s own size the parts add up to the mean variance of differences, up to its own noise."""
    ratios = []
    for seed in range(6):
        scores = read_scores(arena(seed))
        means = means_of(scores)
        noise = arena_noise(scores.battles, means.played)
        found = noise.of_prompt(20) / 60
        ratios.append(found / np.mean(means.deviations[np.triu_indices(8, 1)] ** 2))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)


def test_single_battles_of_two_systems_have_the_binomial_variance() -> None:
    """Without prompts of their own the variance of a logit of wins: 1/(N p(1 − p)), whose dispersion is 1."""
    y = [1.0] * 60 + [0.0] * 40
    battles = Battles.build([0] * 100, [1] * 100, y, range(100), unit="battle")
    noise = arena_noise(battles, bradley_terry(battles, ["A", "B"]).played)
    assert noise.by_prompt == 0
    assert noise.of_prompt(1) / 100 == pytest.approx(1 / (100 * 0.24) * 100 / 99)


def test_what_scores_have_and_battles_have_not_is_refused() -> None:
    with pytest.raises(InputError, match="stability=… is for scores, and these are battles"):
        plan(arena(3), stability=0.9)


@pytest.mark.parametrize("gap", [0.0, 0.4, 2.0])
@pytest.mark.parametrize("target", [{"winner": 0.95}, {"first": 2}, {}])
def test_who_leads_is_as_clear_as_in_an_assessment(gap: float, target: dict[str, Any]) -> None:
    """By the rank ranges, as where it is said that no other system may be first."""
    values = table(7, 40, 6)
    values[:, 0] += gap
    best = truerank.assess(values, "eb").best
    assert best is not None
    unsure = any(note.code == "first-place-unsure" for note in plan(values, draws=64, **target).notes)
    assert unsure is (len(best.systems) > 1)
    assert (gap < 1) is unsure
