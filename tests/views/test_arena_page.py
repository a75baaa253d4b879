"""What a page says of battles: the model behind the strengths, and where the noise comes from."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.readers import battles
from truerank.reliability.arena import arena_noise
from truerank.reliability.means import means_of
from truerank.report.outputs.terminal import lines
from truerank.report.views import view


def arena(seed: int = 0, m: int = 6, prompts: int = 20, each: int = 20, voters: int = 0) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    theta, own, tastes = rng.normal(0, 1, m), rng.normal(0, 0.7, (prompts, m)), rng.normal(0, 0.7, (20, m))
    rows = []
    for q in range(prompts):
        for _ in range(each):
            (a, b), v = rng.choice(m, 2, replace=False), int(rng.integers(max(voters, 1)))
            d = theta + own[q] + tastes[v] * (voters > 0)
            won = float(rng.uniform() < 1 / (1 + np.exp(d[b] - d[a])))
            rows.append((f"q{q}", f"s{a}", f"s{b}", won, f"v{v}"))
    frame = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome", "voter"])
    return frame if voters else frame.drop(columns="voter")


@pytest.mark.parametrize("voters", [0, 20])
def test_shares_of_the_noise_add_up(voters: int) -> None:
    frame = arena(voters=voters)
    found = truerank.assess(frame, draws=200).arena
    third = found.share_voters if voters else 0.0
    assert np.isnan(found.share_voters) == (not voters)
    assert found.share_battles + found.share_units + third == pytest.approx(1)
    scores = truerank.read_scores(frame)
    noise = arena_noise(scores.battles, means_of(scores).played)
    # Endless battles by endless voters leave the part of the prompts.
    left = noise.of_prompt(1e12) / noise.of_prompt(noise.battles_each)
    assert found.share_units == pytest.approx(left)


def test_prompts_that_were_dealt_to_groups_are_counted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(battles, "MOST_UNITS", 15)
    found = truerank.assess(arena(prompts=40, each=10), draws=200)
    assert found.scores.n < 15
    assert found.to_dict()["topics"] == 40
    assert "400 battles on 40 prompts" in found.summary()
    assert (
        truerank.board(arena(prompts=40, each=10), seed=1).systems[0].topics is None
    )  # groups are no prompts
    told = truerank.gate(arena(prompts=40, each=10), "s0", "s1", margin=0.1, seed=1)
    assert told.topics == 40


def test_a_system_that_rests_on_one_prompt_is_named_with_it() -> None:
    frame = arena(voters=20)
    rng = np.random.default_rng(3)
    others = [f"s{k}" for k in range(5)]
    more = pd.DataFrame(
        {
            "prompt": "q3",
            "model_a": "s5",
            "model_b": rng.choice(others, 300),
            "outcome": rng.integers(0, 2, 300).astype(float),
            "voter": rng.choice([f"v{k}" for k in range(20)], 300),
        }
    )
    frame = pd.concat([frame, more])
    own = frame[(frame.model_a == "s5") | (frame.model_b == "s5")]
    share = f"'s5' has {(own.prompt == 'q3').sum()} of its {len(own)} battles on prompt 'q3'"
    found = truerank.assess(frame, draws=100)
    assert any(share in warning for warning in found.warnings)
    assert next(row.battles for row in found.ranking if row.system == "s5") == len(own)
    assert sum(row.battles for row in found.ranking) == 2 * len(frame)


def test_an_arena_at_equal_length_says_so_and_its_rows_have_one_step() -> None:
    """The first sentence, the headings, ties as the file has them, and a win share with its own step."""
    frame, rng = arena(), np.random.default_rng(2)
    lengths = rng.integers(100, 1000, (len(frame), 2))
    frame[["length_a", "length_b"]] = lengths
    frame.loc[::7, "outcome"] = 0.5
    found = truerank.assess(truerank.read_scores(frame, covariates="length"), "eb", draws=100)
    shown = view(found)
    assert " at equal length is expected to agree" in shown.answer[0]
    assert " at equal length is" not in view(truerank.assess(frame, "eb", draws=100)).answer[0]
    ranking, style = shown.table("ranking"), shown.table("style")
    headings = [column.heading for column in ranking.columns]
    assert {"Strength, length counted", "Rank, length counted"} <= set(headings)
    assert (len(frame), len(frame.loc[::7])) == (400, 58)
    assert "Each of the 58 ties (14% of battles) counts as half a win." in ranking.note
    x = (lengths[:, 0] - lengths[:, 1]) / lengths.sum(axis=1)
    logit = found.covariates[0].coefficient / 3 / np.sqrt(np.mean(x**2))  # twice: (2 − 1)/(2 + 1)
    assert [column.heading for column in style.columns if not column.details] == [
        "Covariate",
        "Step",
        "Wins (95% interval)",
    ]
    assert lines(style, 80)[-1].split()[:5] == [
        "length",
        "twice",
        "as",
        "much",
        f"{100 / (1 + np.exp(-logit)):.1f}%",
    ]
