"""What a page says of battles: the model behind the strengths, and where the noise comes from."""

from __future__ import annotations

import html
import re
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.readers import battles
from truerank.reliability.arena import noise_of
from truerank.reliability.leader import leader_warnings
from truerank.reliability.means import means_of
from truerank.report.views import view
from truerank.report.views.assessment_words import fragile
from truerank.report.writers.terminal import lines


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


def words(page: str) -> str:
    bare = re.sub(r"<(script|style|svg).*?</\1>", "", page, flags=re.DOTALL)
    return html.unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]+>", "", bare)))


@pytest.fixture(scope="module")
def by_voters() -> truerank.Assessment:
    return truerank.assess(arena(voters=20), draws=200)


def test_methods_name_the_model_and_its_errors(by_voters: truerank.Assessment) -> None:
    page = words(by_voters.to_html())
    for said in ("Bradley and Terry 1952", "Liang and Zeger 1986", "Cameron and others 2011"):
        assert said in page
    assert "They say nothing about other kinds of prompts, other users or other matchmaking." in page
    alone = words(truerank.assess(arena(), draws=200).to_html())
    assert "Bradley and Terry 1952" in alone
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
def test_shares_of_the_noise_add_up(voters: int) -> None:
    frame = arena(voters=voters)
    found = truerank.assess(frame, draws=200).arena
    third = found.share_voters if voters else 0.0
    assert np.isnan(found.share_voters) == (not voters)
    assert found.share_battles + found.share_units + third == pytest.approx(1)
    scores = truerank.read_scores(frame)
    noise = noise_of(scores.battles, means_of(scores).played)
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


def test_the_subject_stands_once_above_the_answer(by_voters: truerank.Assessment) -> None:
    page, subject = words(by_voters.to_html()), "400 battles on 20 prompts by 20 voters"
    assert "6 systems, 95% intervals" in page
    assert f"Ranking of 6 systems in {subject}" not in page
    assert f"Ranking of 6 systems in {subject}" in by_voters.to_latex()
    table = view(by_voters).table()
    assert table.heading == "6 systems, 95% intervals"


def test_headings_stand_in_one_line_where_shorter_names_leave_room() -> None:
    names = [f"lab/model-{k}-with-a-long-common-end-of-its-name" for k in range(6)]
    frame = arena().replace({f"s{k}": name for k, name in enumerate(names)})
    printed = lines(view(truerank.assess(frame, draws=100)).table(), 80)
    assert "Strength (95% interval)" in printed[0]
    assert all(len(line) <= 80 for line in printed)


def test_a_fragile_lead_is_told_once() -> None:
    scores = np.random.default_rng(0).normal(0, 1, (12, 4)) + np.array([0.6, 0.4, 0.2, 0])
    found = truerank.assess(scores, draws=100)
    assert found.leader is not None
    assert found.leader.fragility is not None
    few = replace(found.leader.fragility, topics=1, usual=9.0, by="s1", names=("q1",))
    text = "would lose the lead to s1"
    assert not any(
        text in one for one in fragile(replace(found, leader=replace(found.leader, fragility=few)))
    )
    said = leader_warnings(found.scores, replace(found.leader, fragility=few))
    assert any("would be lost to s1" in one.text for one in said)
    usual = replace(few, topics=9)
    assert any(text in one for one in fragile(replace(found, leader=replace(found.leader, fragility=usual))))


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
