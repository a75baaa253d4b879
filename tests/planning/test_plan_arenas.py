"""Plans of arenas: what prompts and battles add to the noise, what costs least, and what a target takes."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truerank import plan, read_scores
from truerank.battles import Battles
from truerank.cli import run
from truerank.errors import InputError
from truerank.reliability.arena import arena_noise
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
    assert noise.by_prompt == 0


def test_what_scores_have_and_battles_have_not_is_refused() -> None:
    with pytest.raises(InputError, match="stability=… is for scores, and these are battles"):
        plan(arena(3), stability=0.9)


def test_prices_of_battles_are_refused(tmp_path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena(4).to_csv("battles.csv", index=False)
    assert run(["plan", "battles.csv", "--cost", "prompt=5,battle=1", "--draws", "64"]) == 2
    said = " ".join(capsys.readouterr().err.split())
    assert "prices are for scores of one data set with several runs or prompts; leave --cost out" in said
    found = plan("battles.csv", tau=0.9, draws=64)
    assert (found.unit, found.pilot_topics) == ("prompt", 60)
