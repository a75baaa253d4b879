"""Betting and planned looks, against published and independent numbers."""

from __future__ import annotations

import itertools
import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from truerank.cli import run
from truerank.comparison.sequential.rules import STAKES, Betting, Course, Planned
from truerank.numerics.error_spending import check_looks, crossings, look_limits, looks_cost
from truerank.scores import ScoreMatrix

D = np.array([0.1, -0.05, 0.2, 0, 0.15, -0.1, 0.3, 0.05, 0, 0.25, -0.2, 0.1, 0.4, 0.05, -0.05, 0.15, 0, 0.2])
D = np.append(D, [0.1, -0.15])


@pytest.mark.parametrize(
    ("topics", "value", "evidence"),
    [(10, 0.0, 1.485334), (20, 0.0, 1.939571), (20, -0.05, 3.657162), (20, -0.1, 7.959974)],
)
def test_the_evidence_is_the_mean_of_plain_products(topics: int, value: float, evidence: float) -> None:
    plain = np.mean([math.prod(1 - k + k * (d + 1) / (value + 1) for d in D[:topics]) for k in STAKES])
    found = math.exp(Betting(1.0).log_evidence(D[:topics], value)[-1])
    assert found == pytest.approx(plain, rel=1e-12)
    assert found == pytest.approx(evidence, abs=5e-7)


@pytest.mark.parametrize(
    ("d", "low", "high"),
    [
        (D[:10], -0.307497, 0.423550),
        (D, -0.150010, 0.271231),
        (np.zeros(100), -0.044615, 0.044615),
        (np.zeros(1000), -0.004562, 0.004562),
        (np.r_[-np.ones(3), np.zeros(93), np.ones(4)], -0.078976, None),
    ],
)
def test_bounds_by_betting(d: np.ndarray, low: float, high: float | None) -> None:
    assert Betting(1.0).bound(d, 0.05) == pytest.approx(low, abs=5e-7)
    if high is not None:
        assert -Betting(1.0).bound(-d, 0.05) == pytest.approx(high, abs=5e-7)


def test_a_bound_is_the_largest_of_all_looks_and_moves_only_when_beaten() -> None:
    d = np.random.default_rng(1).choice([-1.0, 0.0, 1.0], 60)
    each = [Betting(1.0).bound(d[:n], 0.05) for n in range(1, 61)]
    assert each == sorted(each)
    beaten = [Betting(1.0).log_evidence(d[:n], each[n - 2])[-1] >= math.log(20) for n in range(2, 61)]
    moved = [b > a for a, b in itertools.pairwise(each)]
    assert all(not m or b for m, b in zip(moved, beaten, strict=True))


def test_betting_errs_at_most_at_its_level_whatever_the_population() -> None:
    """All sequences of 12 binary topics with a true difference of 0, by enumeration."""
    wrong = sum(
        math.prod(0.25 if d else 0.5 for d in one)
        for one in itertools.product((-1.0, 0.0, 1.0), repeat=9)
        if Betting(1.0).log_evidence(np.array(one), 0.0).max() >= math.log(5)
    )
    assert 0 < wrong <= 0.2


@pytest.mark.parametrize("in_range", [True, False])
@pytest.mark.parametrize("spending", ["pocock", "obrien-fleming"])
def test_bounds_of_planned_looks_are_those_of_t_intervals(spending: str, in_range: bool) -> None:
    """Each look has the t interval whose error is that of its limit; the bound is the best of all looks."""
    d = 5 + np.random.default_rng(2).gamma(1.2, 1, 90)
    rule = Planned((30, 60, 90), spending, in_range)  # type: ignore[arg-type]
    limits = look_limits((1 / 3, 2 / 3, 1.0), 0.025, spending)  # type: ignore[arg-type]
    lows = []
    for n, limit in zip(rule.looks, limits, strict=True):
        interval = stats.ttest_1samp(d[:n], 0).confidence_interval(1 - 2 * stats.norm.sf(limit))
        lows.append(interval.low)
        t = (d[:n].mean() - interval.low) / stats.sem(d[:n])
        assert stats.norm.isf(stats.t.sf(t, n - 1)) == pytest.approx(limit, rel=1e-9)
        assert rule.bound(d[:n], 0.025) == pytest.approx(max(lows), rel=1e-9)
    path = [rule.bound(d[:n], 0.025) for n in (10, 30, 59, 90)]
    assert path == pytest.approx([-math.inf, lows[0], lows[0], max(lows)])


@pytest.mark.parametrize("d", [np.r_[np.zeros(45), np.full(15, 1.0)], np.full(60, 1.0)])
def test_without_a_range_a_look_decides_however_few_topics_differ(d: np.ndarray) -> None:
    """15 of 60 are better by a grade, or all 60: no unseen loss is bounded, and t decides."""
    assert Planned((60, 120), in_range=False).bound(d, 0.025) > 0
    assert Planned((60, 120)).bound(d, 0.025) == -math.inf
    assert Planned((60, 120), in_range=False).bound(np.zeros(60), 0.025) == -math.inf


@pytest.mark.parametrize(
    ("spending", "alpha", "limits"),
    [
        ("obrien-fleming", 0.05, [4.2292, 2.8881, 2.2981, 1.9618, 1.7397]),
        ("pocock", 0.05, [2.1762, 2.1437, 2.1133, 2.0896, 2.0710]),
        ("obrien-fleming", 0.025, [4.8769, 3.3570, 2.6803, 2.2898, 2.0310]),
    ],
)
def test_planned_looks(spending: str, alpha: float, limits: list[float]) -> None:
    shares = (0.2, 0.4, 0.6, 0.8, 1.0)
    found = look_limits(shares, alpha, spending)  # type: ignore[arg-type]
    assert list(found) == pytest.approx(limits, abs=6e-5)
    assert crossings(shares, found, 0.0).sum() == pytest.approx(alpha, abs=1e-9)


def test_the_cost_of_looks_is_that_of_simulated_paths() -> None:
    found = looks_cost([50, 100, 200], power=0.8)
    shares = np.array(found.looks) / found.looks[-1]
    drift = math.sqrt(found.largest) * (1.9599640 + 0.8416212)
    steps = np.diff(shares, prepend=0.0)
    paths = np.cumsum(np.random.default_rng(3).normal(drift * steps, np.sqrt(steps), (100_000, 3)), axis=1)
    over = paths / np.sqrt(shares) >= found.limits
    assert over.any(axis=1).mean() == pytest.approx(0.8, abs=0.006)
    stopped = np.where(over.any(axis=1), np.array(found.looks)[over.argmax(axis=1)], found.looks[-1])
    assert stopped.mean() == pytest.approx(found.expected, abs=0.9)
    assert found.one_look < found.expected_equal < 200
    alone = looks_cost([50], power=0.8)  # costs nothing
    assert (alone.one_look, alone.largest, alone.expected) == pytest.approx((50, 1, 50), rel=1e-9)


@pytest.mark.parametrize("looks", [[], [1, 5], [50, 50], [100, 50]])
def test_looks_that_are_none(looks: list[int]) -> None:
    with pytest.raises(ValueError, match="increasing numbers of topics"):
        check_looks(looks)


@pytest.mark.parametrize("rule", [Betting(1.0), Planned((20, 45, 90)), Planned((20, 45, 90), in_range=False)])
def test_claims_and_bounds_agree_however_often_one_looks(rule: Betting | Planned) -> None:
    for seed in range(4):
        rng = np.random.default_rng(seed)
        d = rng.normal(0.06 * (seed % 3 - 1), 0.15, 90).clip(-1, 1)
        often, once = Course(rule, 0.02, 0.05), Course(rule, 0.02, 0.05)
        for one in d.tolist():
            often.add(one)
            once.add(one)
            verdict = often.verdict
        assert (verdict, often.decided, often.low, often.high) == pytest.approx(
            (once.verdict, once.decided, once.low, once.high)
        )
        for sign, value in ((1.0, 0.0), (1.0, -0.02), (-1.0, 0.02)):
            held, bound = bool(rule.reached(sign * d, value, 0.05).any()), rule.bound(sign * d, 0.05)
            assert (bound >= value - 1e-9) == held or abs(bound - value) < 1e-9


@pytest.mark.parametrize("settings", [{}, {"looks": (30, 60)}])
def test_a_claim_has_half_of_the_error_of_the_interval(settings: dict[str, Any]) -> None:
    from truerank import Monitor

    monitor, rule = Monitor(level=0.9, **settings), Planned((30, 60)) if settings else Betting(1.0)
    for t, d in enumerate(D):
        monitor.update(str(t), max(-d, 0.0), max(d, 0.0))
    for t, d in enumerate(D):
        monitor.update(f"again {t}", max(-d, 0.0), max(d, 0.0))
    d = np.r_[D, D]
    assert monitor.low == pytest.approx(rule.bound(d, 0.05), rel=1e-9)
    assert monitor.high == pytest.approx(-rule.bound(-d, 0.05), rel=1e-9)


def submissions(gains: list[float], n: int = 100, seed: int = 1) -> ScoreMatrix:
    rng = np.random.default_rng(seed)
    base = rng.uniform(0.2, 0.6, (n, 1))
    return ScoreMatrix.build((base + np.array(gains) + rng.normal(0, 0.1, (n, len(gains)))).clip(0, 1))


def test_the_commands(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    submissions([0.0, 0.2, 0.1]).to_frame().to_csv(tmp_path / "s.csv")
    scores = str(tmp_path / "s.csv")
    assert run(["board", scores, "--tried", "9", "--json", "-", "--draws", "50"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["leader"]["tried"] == 9
    assert found["leader"]["low"] < found["leader"]["observed"]
    assert "adaptive-board" in [note["code"] for note in found["notes"]]
    assert run(["board", scores, "--draws", "50", "--json", "-"]) == 0
    assert "leader" not in json.loads(capsys.readouterr().out)

    plan = ["plan", "--systems", "9", "--draws", "64", "--json", str(tmp_path / "plan.json")]
    assert run([*plan, "--looks", "50,100,200"]) == 0
    looks = json.loads((tmp_path / "plan.json").read_text(encoding="utf-8"))["looks"]
    assert looks["one_look"] == pytest.approx(looks_cost([50, 100, 200]).one_look)
    assert "is worth one look at 174: it costs 26 topics at most" in " ".join(capsys.readouterr().out.split())
    assert run(["plan", "--systems", "9", "--looks", "5,4"]) == 2
