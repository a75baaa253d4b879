"""A gate of an arena: through the whole graph, by direct battles, and where the two disagree; its figure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from scipy import stats

from truerank import gate, read_scores
from truerank.battles import Battles
from truerank.cli import run
from truerank.reliability.means import means_of
from truerank.reliability.means.bradley_terry import strengths, win_table
from truerank.reliability.means.means_of import canonical_rows
from truerank.reliability.pair.contrast import interval
from truerank.reliability.pair.of_battles import direct_contrast, direct_of


def arena(seed: int, m: int = 5, prompts: int = 60, each: int = 12, spread: float = 0.5) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    theta, own = rng.normal(0, spread, m), rng.normal(0, 0.7, (prompts, m))
    rows = []
    for q in range(prompts):
        for _ in range(each):
            a, b = rng.choice(m, 2, replace=False)
            p = 1 / (1 + np.exp(theta[b] + own[q, b] - theta[a] - own[q, a]))
            rows.append((f"q{q}", f"s{a}", f"s{b}", 0.5 if rng.uniform() < 0.2 else float(rng.uniform() < p)))
    return pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"])


def test_the_difference_of_strengths_and_its_error() -> None:
    scores = read_scores(arena(1))
    means = means_of(scores)
    (one,) = gate(scores, baseline="s0", candidate="s1")
    assert one.difference == pytest.approx(means.theta[1] - means.theta[0])
    assert (one.baseline_mean, one.candidate_mean) == pytest.approx(tuple(means.theta[:2]))
    t = one.difference / means.deviations[1, 0]
    assert one.p_value == pytest.approx(2 * stats.t.sf(abs(t), means.degrees[1, 0]))
    assert (one.topics, one.unit, one.scale) == (60, "prompt", "logit")
    assert one.low < one.difference < one.high
    # What a prompt adds is what its absence takes away.
    assert sum(one.differences) == pytest.approx(0, abs=1e-9)
    most = int(np.argmax(np.abs(one.differences)))
    without = read_scores(arena(1).query(f"prompt != {one.topic_names[most]!r}"))
    (less,) = gate(without, baseline="s0", candidate="s1")
    assert one.difference - less.difference == pytest.approx(one.differences[most], rel=0.25)
    assert one.losses[0].difference == pytest.approx(min(one.differences))
    assert one.losses[0].difference == pytest.approx(one.losses[0].candidate - one.losses[0].baseline)


def test_direct_battles_are_counted_by_hand() -> None:
    frame = arena(2)
    scores = read_scores(frame)
    (one,) = gate(scores, baseline="s0", candidate="s1")
    pair = frame[[{a, b} == {"s0", "s1"} for a, b in zip(frame["model_a"], frame["model_b"], strict=True)]]
    won = np.where(pair["model_a"] == "s1", pair["outcome"], 1 - pair["outcome"])
    assert (one.direct.battles, one.direct.prompts) == (len(pair), pair["prompt"].nunique())
    assert one.direct.share == pytest.approx(won.mean())
    assert one.direct.expected == pytest.approx(1 / (1 + np.exp(-one.difference)))
    page = gate(scores, baseline="s0", candidate="s1").to_html()
    assert f">{one.direct.share:.3f} (" in page  # with as many digits, in the same unit
    assert f">{one.direct.expected:.3f}<" in page
    alone = gate(scores, baseline="s0", candidate="s1", direct=True)
    assert alone.difference == pytest.approx(2 * won.mean() - 1)
    assert (alone.scale, alone.topics) == ("share", pair["prompt"].nunique())
    assert alone.low == pytest.approx(2 * one.direct.low - 1)
    assert alone.high == pytest.approx(2 * one.direct.high - 1)


def of_pair(wins: Sequence[float], prompts: Sequence[int]) -> Battles:
    """Battles between two systems, with the second one's wins."""
    rows = [(f"q{q:03}", "s0", "s1", 1 - won) for q, won in zip(prompts, wins, strict=True)]
    rows += [("q000", "s0", "s2", 1.0), ("q001", "s2", "s1", 1.0)]
    scores = canonical_rows(
        read_scores(pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"]))
    )
    assert scores.battles is not None
    return scores.battles.only((scores.battles.first < 2) & (scores.battles.second < 2))


def interval_of(wins: Sequence[float], prompts: Sequence[int]) -> tuple[float, float]:
    found = direct_contrast(of_pair(wins, prompts), 1)
    low, high = interval(found, 0.9)
    return (1 + low) / 2, (1 + high) / 2


@pytest.mark.parametrize(("won", "n"), [(18, 25), (4, 25), (12, 12), (95, 100)])
def test_of_one_battle_a_prompt_the_share_has_the_interval_of_clopper_and_pearson(won: int, n: int) -> None:
    low, high = interval_of([1.0] * won + [0.0] * (n - won), range(n))
    assert low == pytest.approx(stats.beta.ppf(0.05, won, n - won + 1), abs=1e-6)
    assert high == pytest.approx(stats.beta.ppf(0.95, won + 1, n - won) if won < n else 1.0, abs=1e-6)


@pytest.mark.parametrize("n", [8, 25])
def test_the_true_share_is_in_the_interval_as_often_as_the_level_says(n: int) -> None:
    """By every outcome of one battle a prompt."""
    ends = [interval_of([1.0] * won + [0.0] * (n - won), range(n)) for won in range(n + 1)]
    for share in (0.3, 0.5, 0.72, 0.9):
        chances = stats.binom.pmf(np.arange(n + 1), n, share)
        assert sum(c for c, (low, _) in zip(chances, ends, strict=True) if low > share) <= 0.05
        assert sum(c for c, (_, high) in zip(chances, ends, strict=True) if high < share) <= 0.05


def test_several_battles_on_a_prompt_count_as_one() -> None:
    """Where a prompt's battles all end alike, repeating them adds nothing."""
    once = interval_of([1.0] * 15 + [0.0] * 5, range(20))
    assert interval_of([1.0] * 45 + [0.0] * 15, np.repeat(np.arange(20), 3).tolist()) == pytest.approx(once)


def test_the_disagreement_is_the_jackknife_s() -> None:
    """Its error against leaving out each prompt in turn, by new fits."""
    scores = canonical_rows(read_scores(arena(3, m=4, prompts=150, each=8)))
    battles, means = scores.battles, means_of(scores)

    def gap(kept) -> float:
        own = battles.only(kept)
        between = own.only((own.first < 2) & (own.second < 2))
        y = np.where(between.first == 1, between.outcomes, 1 - between.outcomes).mean()
        theta = strengths(win_table(own, 4))
        return np.log(y / (1 - y)) - (theta[1] - theta[0])

    each = np.array([gap(battles.clusters != c) for c in range(150)])
    error = np.sqrt(149 / 150 * np.sum((each - each.mean()) ** 2))
    between = battles.only((battles.first < 2) & (battles.second < 2))
    found = direct_of(between, means, 0, 1, 0.95).disagreement
    assert found == pytest.approx(gap(np.ones(len(battles.first), bool)) / error, rel=0.05)


def test_elo_points_are_another_unit() -> None:
    scores = read_scores(arena(1))
    plain, elo = (gate(scores, baseline="s0", candidate="s1", scale=one) for one in (None, "elo"))
    points = 400 / np.log(10)
    assert elo.difference == pytest.approx(points * plain.difference)
    assert elo.baseline_mean == pytest.approx(1000 + points * plain.baseline_mean)
    assert (elo.low, elo.high) == pytest.approx((points * plain.low, points * plain.high))
    assert elo.direct.disagreement == pytest.approx(plain.direct.disagreement)
    assert elo.verdict == gate(scores, baseline="s0", candidate="s1", scale="elo", margin=1e-9).verdict


def test_a_circle_of_wins_is_found_and_consistent_battles_are_not() -> None:
    rng = np.random.default_rng(4)
    rows = [(f"q{q}", a, b, float(rng.uniform() < 0.8)) for q in range(100) for a, b in ("AB", "BC", "CA")]
    (one,) = gate(
        pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"]), baseline="B", candidate="A"
    )
    assert one.direct.disagreement > 3
    assert any("disagree beyond chance" in warning for warning in one.warnings)
    tried = [gate(read_scores(arena(seed)), baseline="s0", candidate="s1") for seed in range(8)]
    assert sum(abs(one.direct.disagreement) > 3 for one in tried) <= 1


def test_both_ways_are_printed_and_written(tmp_path: Path, capsys, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    arena(6).to_csv("battles.csv", index=False)
    asked = ["gate", "battles.csv", "--baseline", "s0", "--candidate", "s1"]
    assert run([*asked, "--json", "out.json", "--html", "page.html"]) in (0, 4)
    assert "the whole graph of battles expects" in " ".join(capsys.readouterr().out.split())
    written = json.loads(Path("out.json").read_text(encoding="utf-8"))
    assert written["direct"]["battles"] > 50
    assert written["scale"] == "logit"
    assert written["p_randomization"] is None
    assert run([*asked, "--direct"]) in (0, 4)
    assert "Share of direct battles won" in capsys.readouterr().out


def test_a_few_battles_that_are_all_won_are_no_certainty() -> None:
    """Nor a sign that one system is made from the other."""
    rows = [(f"q{q}", "s0", "s1", 0.0) for q in range(6)] + [("q0", "s0", "s2", 1.0), ("q1", "s2", "s1", 1.0)]
    battles = pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"])
    one = gate(battles, baseline="s0", candidate="s1", direct=True)
    assert one.low == pytest.approx(2 * 0.025 ** (1 / 6) - 1, abs=1e-6)
    assert not any("made from the other" in note for note in one.warnings)
    five = gate(battles[battles["prompt"] != "q5"], baseline="s0", candidate="s1", direct=True)
    assert (five.verdict, five.topics_needed) == ("undecided", 6)
