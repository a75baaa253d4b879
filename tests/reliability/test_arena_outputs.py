"""What assess, gate, board and plan say of how battles count, and of what errors rest on."""

from __future__ import annotations

import json

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run


def arena(seed: int = 1, m: int = 6, prompts: int = 20, each: int = 15) -> pd.DataFrame:
    rng = np.random.default_rng(seed)
    rows = []
    for q in range(prompts):
        for _ in range(each):
            a, b = sorted(rng.choice(m, 2, replace=False).tolist())
            rows.append((f"q{q}", f"s{a}", f"s{b}", float(rng.uniform() < 0.5 + 0.05 * (b - a))))
    return pd.DataFrame(rows, columns=["prompt", "model_a", "model_b", "outcome"])


def with_rare_pair() -> pd.DataFrame:
    """The same without most of the battles of two pairs: s0 met s1 in 3, and s0 met s2 in 4."""
    frame = arena()
    for other, kept in (("s1", 3), ("s2", 4)):
        met = frame.index[(frame["model_a"] == "s0") & (frame["model_b"] == other)]
        frame = frame.drop(met[kept:])
    return frame.reset_index(drop=True)


@pytest.mark.parametrize(
    "command",
    [
        ["assess", "{}", "--draws", "100"],
        ["board", "{}", "--draws", "100"],
        ["gate", "{}", "--baseline", "s0", "--candidate", "s3"],
    ],
)
def test_pairs_alike_leave_their_trace(tmp_path, capsys, command) -> None:
    path = tmp_path / "battles.csv"
    with_rare_pair().to_csv(path, index=False)
    words = [word.format(path) for word in command]
    for alike in (True, False):
        asked = [*words, "--pairs-alike"] if alike else words
        assert run([*asked, "--json", str(tmp_path / "found.json")]) in (0, 1, 4)
        printed = " ".join(capsys.readouterr().out.split())
        assert ("every pair counted alike" in printed) == alike
        assert ("2 pairs met fewer than 5 times, and count as much as those" in printed) == alike
        document = json.loads((tmp_path / "found.json").read_text(encoding="utf-8"))
        assert document.get("settings", document)["pairs_alike"] is alike


def lopsided() -> pd.DataFrame:
    """Battles on 30 prompts by 11 voters; those of a newcomer are nearly all of one prompt."""
    frame = arena(2, prompts=30).assign(judge=[f"v{k % 11}" for k in range(450)])
    one = [("q0", "new", f"s{k % 6}", float(k % 3 > 0), f"v{k % 11}") for k in range(60)]
    one += [(f"q{k}", "new", "s1", float(k % 2), f"v{k % 11}") for k in range(1, 3)]
    return pd.concat([frame, pd.DataFrame(one, columns=frame.columns)], ignore_index=True)


@pytest.mark.parametrize("scale", ["logit", "elo"])
def test_a_board_of_battles_has_the_digits_of_an_assessment(scale: str) -> None:
    frame = lopsided()
    board, found = truerank.board(frame, scale=scale), truerank.assess(frame, scale=scale)
    played = pd.concat([frame["model_a"], frame["model_b"]]).value_counts()
    for row, system in zip(board.systems, found.ranking, strict=True):
        assert (row.system, row.rank_low, row.rank_high) == (system.system, system.rank_low, system.rank_high)
        assert (row.score_low, row.score_high) == pytest.approx((system.mean_low, system.mean_high))
        assert row.win_rate == pytest.approx(system.win_rate)
        assert row.battles == played[row.system]
    tau = next(e for e in found.estimates if (e.estimator, e.coefficient) == ("eb", "tau"))
    assert (board.tau.estimate, board.tau.low, board.tau.high) == (
        tau.estimate,
        tau.interval(0.95).low,
        tau.interval(0.95).high,
    )
    document = board.to_dict()
    assert (document["unit"], document["scale"]) == ("prompt", scale)
    assert document["tau"]["estimate"] == tau.estimate
    assert set(document["systems"][0]) >= {"battles", "score_low", "score_high", "win_rate"}
    assert (
        not set(found.warnings)
        - set(board.warnings)
        - {w for w in found.warnings if "leader" in w or "alike" in w or "hardly" in w}
    )
