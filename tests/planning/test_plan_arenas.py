"""Plans of arenas: what prompts and battles add to the noise, what costs least, and what a target takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truerank import plan, read_scores
from truerank.battles import Battles
from truerank.cli import run
from truerank.errors import InputError
from truerank.reliability.arena import noise_of
from truerank.reliability.means import means_of
from truerank.reliability.means.bradley_terry import bradley_terry


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
    frame = pd.DataFrame(rows, columns=["prompt", "x", "y", "label", "voter"])
    return frame if voters else frame.drop(columns="voter")


def test_the_noise_is_that_of_the_means() -> None:
    """At the pilot’s own size the parts add up to the mean variance of differences, up to its own noise."""
    ratios = []
    for seed in range(6):
        scores = read_scores(arena(seed))
        means = means_of(scores)
        noise = noise_of(scores.battles, means.played)
        found = noise.of_prompt(20) / 60
        ratios.append(found / np.mean(means.deviations[np.triu_indices(8, 1)] ** 2))
    assert np.mean(ratios) == pytest.approx(1, abs=0.1)


def test_single_battles_of_two_systems_have_the_binomial_variance() -> None:
    """Without prompts of their own the variance of a logit of wins: 1/(N p(1 − p)), whose dispersion is 1."""
    y = [1.0] * 60 + [0.0] * 40
    battles = Battles.build([0] * 100, [1] * 100, y, range(100), unit="battle")
    noise = noise_of(battles, bradley_terry(battles, ["A", "B"]).played)
    assert noise.by_prompt == 0
    assert noise.of_prompt(1) / 100 == pytest.approx(1 / (100 * 0.24) * 100 / 99)
    assert np.isnan(noise.enough)


def test_the_cheapest_number_of_battles_is_the_cheapest_of_all() -> None:
    found = plan(arena(1), tau=0.9, cost={"prompt": 30, "battle": 1}, draws=64)
    scores = read_scores(arena(1))
    noise = noise_of(scores.battles, means_of(scores).played)
    k = np.arange(1, 2_000)
    costs = (30 + k) * (noise.by_battle / k + noise.by_prompt)
    assert found.arena.cheapest == pytest.approx(k[np.argmin(costs)], abs=1)
    least = min(found.arena.designs, key=lambda one: one.cost)
    assert least.battles_each == round(found.arena.cheapest)


def test_a_design_with_the_pilot_s_battles_is_the_plan() -> None:
    found = plan(arena(2, voters=12), tau=0.85, draws=64)
    own = next(one for one in found.arena.designs if one.battles_each == 20)
    assert own.prompts == found.needed[0].topics
    assert own.estimate == pytest.approx(found.curves["tau"][0].estimate, abs=1)
    assert own.voters == -(-own.battles // 100)  # as many votes each as in the pilot
    more = [one.prompts for one in found.arena.designs]
    assert more == sorted(more, reverse=True)
    assert (found.unit, found.pilot_topics) == ("prompt", 60)
    assert found.now == pytest.approx(own.estimate, abs=0.03)


def test_what_scores_have_and_battles_have_not_is_refused() -> None:
    with pytest.raises(InputError, match="stability=… is for scores, and these are battles"):
        plan(arena(3), stability=0.9)
    with pytest.raises(InputError, match="nothing here is called 'judge'"):
        plan(arena(3), cost={"judge": 1.0})


def test_a_prompt_is_the_topic_of_an_arena() -> None:
    one, other = (
        plan(arena(3), cost={name: 3.0, "battle": 1.0}, draws=64).arena for name in ("prompt", "topic")
    )
    assert one is not None
    assert other is not None
    assert one.designs == other.designs


def test_the_command_says_where_battles_stop_helping(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena(4).to_csv("battles.csv", index=False)
    asked = [
        "plan",
        "battles.csv",
        "--tau",
        "0.9",
        "--cost",
        "prompt=5,battle=1",
        "--draws",
        "64",
    ]
    assert run(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert "more battles bring less than half of what more prompts bring; at these costs" in text
    assert "Prompts for 0.9" in text


COSTS = {"prompt": 5.0, "battle": 1.0}


def test_a_budget_buys_what_it_pays_and_the_best_is_named(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena(4).to_csv("battles.csv", index=False)
    found = plan("battles.csv", cost=COSTS, budget=1500, draws=64).arena
    for one in found.designs:
        price = 5 + one.battles_each
        assert one.bought * price <= 1500 < (one.bought + 1) * price
    # As many prompts as the pilot has, with its battles on each, are worth what the table says they are.
    same = plan("battles.csv", cost=COSTS, budget=60 * 25, draws=64).arena
    own = next(one for one in same.designs if one.battles_each == 20)
    assert own.bought == 60
    assert own.reached == pytest.approx(own.estimate)
    assert found.best.reached == max(one.reached for one in found.designs)
    asked = ["plan", "battles.csv", "--cost", "prompt=5,battle=1", "--budget", "1500", "--draws", "64"]
    assert run(asked) == 0
    text = " ".join(capsys.readouterr().out.split())
    best = f"{found.best.bought:,} new prompts with {found.best.battles_each:,} battles each are best"
    assert f"For a budget of 1,500, {best}" in text
    with pytest.raises(InputError, match="a budget of 3 does not pay for one prompt with one battle"):
        plan("battles.csv", cost=COSTS, budget=3, draws=64)


def test_the_answer_names_the_cheapest_design_of_the_table(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena(4).to_csv("battles.csv", index=False)
    found = plan("battles.csv", tau=0.9, cost=COSTS, draws=64).arena
    assert run(["plan", "battles.csv", "--tau", "0.9", "--cost", "prompt=5,battle=1", "--draws", "64"]) == 0
    text = " ".join(capsys.readouterr().out.split())
    assert found.least.cost == min(one.cost for one in found.designs)
    assert f"at these costs {found.least.battles_each:,} each are cheapest" in text
    assert text.count(f"{found.least.cost:,.0f}") >= 2  # in the answer and in the table, with the same commas
    assert any(one.battles_each == 20 for one in found.designs)


def test_an_extension_costs_what_it_adds() -> None:
    frame = arena(4)
    found = plan(frame, tau=0.9, cost=COSTS, extend=True, draws=64)
    own = next(one for one in found.arena.designs if one.battles_each == 20)
    added = own.prompts - 60
    assert own.prompts == found.needed[0].topics
    assert own.cost == added * 25
    assert own.battles == 1200 + added * 20
    nothing = plan(frame, tau=0.2, cost=COSTS, extend=True, draws=64).arena
    assert {(one.prompts, one.cost) for one in nothing.designs} == {(60, 0.0)}


def test_a_winner_keeps_its_costs() -> None:
    found = plan(arena(4), winner=0.6, cost=COSTS, draws=64)
    own = next(one for one in found.arena.designs if one.battles_each == 20)
    assert own.prompts == found.arena_target.topics
    assert own.cost == own.prompts * 25
    assert "Cost" in found.to_markdown()
