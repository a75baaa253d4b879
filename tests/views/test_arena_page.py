"""What a page says of battles: the model behind the strengths, and where the noise comes from."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.reliability.arena import noise_of
from truerank.report.views import view
from truerank.report.views.assessment_words import fragile


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
    frame = pd.DataFrame(rows, columns=["prompt", "x", "y", "label", "voter"])
    return frame if voters else frame.drop(columns="voter")


def words(page: str) -> str:
    bare = re.sub(r"<(script|style|svg).*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", bare)))


@pytest.fixture(scope="module")
def by_voters() -> truerank.Assessment:
    return truerank.assess(arena(voters=20), draws=200)


def test_methods_name_the_model_and_its_errors(by_voters: truerank.Assessment) -> None:
    page = words(by_voters.to_html())
    for said in ("Bradley and Terry 1952", "Liang and Zeger 1986", "Cameron and others 2011", "two-way"):
        assert said in page
    assert "Where it says prompts" not in page
    assert "differences between the two systems" not in page
    assert "They say nothing about other kinds of prompts, other users or other matchmaking." in page
    alone = words(truerank.assess(arena(), draws=200).to_html())
    assert "Bradley and Terry 1952" in alone
    assert "two-way" not in alone
    assert "Cameron" not in alone


def test_a_paper_names_the_model(by_voters: truerank.Assessment) -> None:
    found = view(by_voters)
    assert "clustered by prompt [@liang-zeger-1986] and voter [@cameron-2011]" in found.sentence
    assert {"bradley-terry-1952", "liang-zeger-1986", "cameron-2011"} <= set(found.references)


def test_scores_say_nothing_of_strengths() -> None:
    page = words(truerank.assess(np.random.default_rng(1).random((20, 4)), draws=200).to_html())
    assert "Bradley" not in page
    assert "other relevance judgments or another measure" in page


@pytest.mark.parametrize("voters", [0, 20])
def test_shares_of_the_noise_add_up_and_agree_with_the_plan(voters: int) -> None:
    frame = arena(voters=voters)
    found = truerank.assess(frame, draws=200).arena
    third = found.share_voters if voters else 0.0
    assert np.isnan(found.share_voters) == (not voters)
    assert found.share_battles + found.share_units + third == pytest.approx(1)
    planned = truerank.plan(frame, tau=0.8, draws=64).arena.share_prompts
    assert found.share_units == pytest.approx(planned)
    scores = truerank.read_scores(frame)
    noise = noise_of(scores.battles, scores.m)
    # Endless battles by endless voters leave the part of the prompts.
    left = noise.of_prompt(1e12) / noise.of_prompt(noise.battles_each)
    assert found.share_units == pytest.approx(left)


def test_where_the_noise_comes_from_is_said(by_voters: truerank.Assessment) -> None:
    section = next(one for one in view(by_voters).sections if one.name == "battles")
    text, found = " ".join(section.text), by_voters.arena
    assert f"{found.share_units:.0%} from prompts and {found.share_voters:.0%} from voters" in text


def test_two_observed_rankings_are_not_the_true_one(by_voters: truerank.Assessment) -> None:
    section = next(one for one in view(by_voters).sections if one.name == "battles")
    assert "compares two observed rankings, and says nothing of the true one" in section.text[0]


def test_groups_dealt_at_random_are_not_named(by_voters: truerank.Assessment) -> None:
    found = by_voters.leader.fragility
    assert found is not None
    said = " ".join(fragile(by_voters))
    assert ("carry it most" in said) == (found.topics is not None)
    dealt = replace(by_voters.scores.battles, dealt=5_000, unit=found.unit)
    with_groups = replace(by_voters, scores=replace(by_voters.scores, battles=dealt))
    assert "carry it most" not in " ".join(fragile(with_groups))
