"""Checks of arenas: circles by enumeration, single voters by new fits, and nine arenas with a defect each."""

from __future__ import annotations

import itertools
import json
import math

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.reliability.arena import ERROR


def played(
    seed: int = 1,
    m: int = 6,
    battles: int = 6000,
    ties: float = 0.1,
    first: float = 0.0,
    often_first: int | None = None,
    drawn: int | None = None,
    circle: bool = False,
    pools: bool = False,
    lopsided: float = 0.0,
    voters: int = 400,
    heavy: tuple[int, float, float] | None = None,
    loud: tuple[int, int, float] | None = None,
    moved: dict[int, float] | None = None,
) -> pd.DataFrame:
    """Battles of m systems from 1.2 to −1.2 logits with one defect, or none.

    `often_first` stands first in 98% of its battles; `drawn` draws 85% of its own; `heavy` are so many voters
    with that share of all votes and tastes of that deviation; `loud` prefers one system to another by that.
    """
    rng = np.random.default_rng(seed)
    theta = np.linspace(1.2, -1.2, m)
    for s, by in (moved or {}).items():
        theta[s] += by
    weights = np.exp(-lopsided * np.arange(m) * 8 / (m - 1))
    taste = np.zeros((voters, m))
    if heavy:
        taste[:] = rng.normal(0, 0.15, taste.shape)
        taste[: heavy[0]] = rng.normal(0, heavy[2], (heavy[0], m))
    if loud:
        taste[-1, loud[0]], taste[-1, loud[1]] = loud[2] / 2, -loud[2] / 2
    rows = []
    for _ in range(battles):
        pool = np.arange(m)
        if pools:
            pool = pool[: m // 2] if rng.uniform() < 0.5 else pool[m // 2 :]
        a, b = rng.choice(pool, 2, replace=False, p=weights[pool] / weights[pool].sum()).tolist()
        if often_first in (a, b) and (a == often_first) != (rng.uniform() < 0.98):
            a, b = b, a
        voter = int(rng.integers(voters - bool(loud)))
        if heavy and rng.uniform() < heavy[1]:
            voter = int(rng.integers(heavy[0]))
        if loud and rng.uniform() < 0.35:
            voter = voters - 1
        gap = theta[a] - theta[b]
        if circle and max(a, b) < 3:
            gap = 1.0 if (b - a) % 3 == 1 else -1.0
        gap += taste[voter, a] - taste[voter, b] + first
        tied = rng.uniform() < (0.85 if drawn in (a, b) else ties)
        won = rng.uniform() < 1 / (1 + np.exp(-gap))
        winner = "tie" if tied else "model_a" if won else "model_b"
        rows.append((f"s{a}", f"s{b}", winner, f"q{rng.integers(200)}", f"v{voter}"))
    return pd.DataFrame(rows, columns=["model_a", "model_b", "winner", "prompt", "voter"])


def assessed(frame: pd.DataFrame, **options: object) -> truerank.Assessment:
    return truerank.assess(frame, "eb", draws=100, **options)


def codes(found: truerank.Assessment) -> set[str]:
    return {note.code for note in found.notes}


DEFECTS = {"clear-cycles", "decides-alone", "few-battles", "few-prompts", "battles-copied", "rare-pairs"}


def test_nothing_is_wrong_with_an_even_arena() -> None:
    found = assessed(played(), covariates="position")
    assert not codes(found) & DEFECTS
    (position,) = found.covariates
    assert position.low < 0 < position.high
    assert all(s.rank_without == s.rank for s in found.ranking)
    assert all(s.rank_low == s.rank_high for s in found.ranking)
    counts = [s.battles for s in found.ranking]
    assert max(counts) < 1.2 * min(counts)
    arena = found.arena
    assert arena.tau_without_ties == 1
    assert (arena.cycles.cyclic, arena.cycles.clear, arena.decides) == (0, 0, ())


def test_an_advantage_of_the_first_is_found_with_the_order_that_it_moves() -> None:
    frame = played(ties=0, first=0.9, often_first=2, moved={2: 0.33})
    found = assessed(frame, covariates="position")
    (position,) = found.covariates
    assert position.low < 0.9 < position.high
    assert position.low > 0.5
    assert any(s.rank_without != s.rank for s in found.ranking)
    assert found.ranking[0].system == "s0"
    assert "ranks change" in found.summary()


def test_a_circle_is_named() -> None:
    found = assessed(played(circle=True))
    (note,) = [n for n in found.notes if n.code == "clear-cycles"]
    one, other, third = note.facts["circle"]
    assert {one, other, third} == {"s0", "s1", "s2"}
    assert (int(other[1]) - int(one[1])) % 3 == (int(third[1]) - int(other[1])) % 3 == 1
    cycles = found.arena.cycles
    assert (cycles.cyclic, cycles.triads, cycles.clear) == (1, 20, 1)
    assert cycles.cyclic / cycles.triads > cycles.expected + 0.02


def test_a_loud_voter_that_alone_decides_the_leader_is_named() -> None:
    frame = played(voters=40, moved={1: 0.36}, loud=(1, 0, 4.0))
    found = assessed(frame)
    assert found.ranking[0].system == "s1"
    assert "battles-copied" not in codes(found)
    (one,) = found.arena.decides
    assert (one.unit, one.name, one.leader) == ("voter", "v39", "s0")
    assert one.battles == (frame["voter"] == "v39").sum()
    assert "without the battles of 'v39' (35% of all), 's0' leads" in " ".join(found.warnings)
    assert assessed(frame[frame["voter"] != "v39"]).ranking[0].system == "s0"


def test_who_decides_alone_is_who_does_in_new_fits() -> None:
    rng = np.random.default_rng(0)
    frame = played(0, m=4, battles=240, voters=8, moved={1: 0.7})
    frame["prompt"] = [f"q{k}" for k in rng.integers(0, 8, len(frame))]
    found = assessed(frame)
    leader = found.ranking[0].system
    for column, unit in (("voter", "voter"), ("prompt", "prompt")):
        without = {
            name: assessed(frame[frame[column] != name]).ranking[0].system for name in frame[column].unique()
        }
        others = {name: s for name, s in without.items() if s != leader}
        named = {one.name: one.leader for one in found.arena.decides if one.unit == unit}
        assert named == (others if len(others) == 1 else {})


def test_expected_circles_are_those_of_all_outcomes() -> None:
    counts = {(0, 1): 3, (0, 2): 2, (1, 2): 4}
    wins = {(0, 1): 2, (0, 2): 1, (1, 2): 2}
    rows = [(f"s{i}", f"s{j}", 1.0 * (k < wins[i, j])) for (i, j), n in counts.items() for k in range(n)]
    frame = pd.DataFrame(rows, columns=["model_a", "model_b", "outcome"])
    found = assessed(frame)
    theta = {s.system: s.mean for s in found.ranking}
    circles = decided = 0.0
    for outcome in itertools.product(*(range(n + 1) for n in counts.values())):
        chance, ahead = 1.0, {}
        for (pair, n), won in zip(counts.items(), outcome, strict=True):
            p = 1 / (1 + math.exp(theta[f"s{pair[1]}"] - theta[f"s{pair[0]}"]))
            chance *= math.comb(n, won) * p**won * (1 - p) ** (n - won)
            ahead[pair] = np.sign(2 * won - n)
        if all(ahead.values()):
            decided += chance
            circles += chance * (ahead[0, 1] == ahead[1, 2] != ahead[0, 2])
    cycles = found.arena.cycles
    assert cycles.expected == pytest.approx(circles / decided, rel=1e-6)
    assert (cycles.triads, cycles.cyclic) == (0, 0)


def test_a_clear_result_is_rarer_than_it_says_whatever_the_prompts_are() -> None:
    """Sign flips of the sums of few prompts: all of them, against the bound."""
    rng = np.random.default_rng(2)
    for pairs in (3, 45):
        wanted = math.sqrt(2 * math.log(pairs / ERROR))
        for n in (5, 10, 14):
            sums = np.abs(rng.standard_t(2, n)) + 0.01
            flips = np.array(list(itertools.product((-1, 1), repeat=n))) @ sums
            assert np.mean(flips >= wanted * math.sqrt(np.sum(sums**2))) <= ERROR / pairs


def test_pairs_that_count_alike_are_said_and_those_of_few_battles_counted(tmp_path) -> None:
    """Without most of the battles of two pairs: s0 met s1 in 3, and s0 met s2 in 4."""
    frame = played(battles=600)
    for other, kept in (("s1", 3), ("s2", 4)):
        met = [{a, b} == {"s0", other} for a, b in zip(frame["model_a"], frame["model_b"], strict=True)]
        frame = frame.drop(frame.index[met][kept:])
    path, found = tmp_path / "battles.csv", tmp_path / "found.json"
    frame.to_csv(path, index=False)
    for command in (["assess", "--draws", "100"], ["gate", "--baseline", "s0", "--candidate", "s3"]):
        for alike in (True, False):
            words = [command[0], str(path), *command[1:], "--json", str(found), "--quiet"]
            assert run([*words, "--pairs-alike"] if alike else words) in (0, 1, 4)
            document = json.loads(found.read_text(encoding="utf-8"))
            assert document.get("settings", document)["pairs_alike"] is alike
            codes_found = {note["code"] for note in document["notes"]}
            assert ("rare-pairs" in codes_found) is alike
