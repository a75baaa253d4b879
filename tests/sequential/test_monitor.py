"""`Monitor`: verdicts from topic to topic, and states that go on where they stopped."""

from __future__ import annotations

import json
import math
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank import InputError, Monitor, UnknownNameError
from truerank._support.files import checksum
from truerank.comparison.sequential import sequential_gate


def scores(n: int = 150, shift: float = 0.0, seed: int = 1) -> list[tuple[str, float, float]]:
    rng = np.random.default_rng(seed)
    a = rng.beta(2, 3, n).round(4)
    b = (a + rng.normal(shift, 0.1, n)).clip(0, 1).round(4)
    return [(f"q{t}", *pair) for t, pair in enumerate(zip(a.tolist(), b.tolist(), strict=True))]


SETTINGS = [
    {},
    {"range": None, "looks": [40, 90, 150]},
    {"looks": [40, 150], "spending": "obrien-fleming", "range": (0, 2)},
]


@pytest.mark.parametrize("settings", SETTINGS)
@pytest.mark.parametrize(("shift", "verdict"), [(0.15, "better"), (0.0, "pass"), (-0.25, "fail")])
def test_verdicts(settings: dict[str, object], shift: float, verdict: str) -> None:
    monitor = Monitor(margin=0.05, **settings)  # type: ignore[arg-type]
    for one in scores(150, shift):
        monitor.update(*one)
    claims = {"better": monitor.low >= 0, "pass": monitor.low >= -0.05, "fail": monitor.high <= -0.05}
    if "looks" in settings or abs(shift) > 0.1:
        assert monitor.verdict == verdict
    assert monitor.verdict == next((name for name, holds in claims.items() if holds), "undecided")
    assert monitor.low < monitor.difference < monitor.high


@pytest.mark.parametrize("settings", SETTINGS)
def test_resumed_anywhere_the_state_has_the_same_bytes(settings: dict[str, object], tmp_path: Path) -> None:
    rows = scores(120)
    whole = Monitor(margin=0.03, **settings)  # type: ignore[arg-type]
    for one in rows:
        whole.update(*one)
    for stop in (0, 39, 40, 119):
        part = Monitor(margin=0.03, **settings)  # type: ignore[arg-type]
        for one in rows[:stop]:
            assert part.update(*one).low < 1  # looking changes nothing
        part.save(tmp_path / "state.json")
        resumed = pickle.loads(pickle.dumps(Monitor.load(tmp_path / "state.json")))
        for one in rows:  # those that are known change nothing
            resumed.update(*one)
        assert resumed.to_json() == whole.to_json()
        assert (resumed.verdict, resumed.low, resumed.high) == (whole.verdict, whole.low, whole.high)


def test_a_second_writer_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    Monitor().update("1", 0.2, 0.5).save(path)
    first, second = Monitor.load(path), Monitor.load(path)
    first.update("2", 0.2, 0.6).save(path)
    with pytest.raises(InputError, match="changed since it was read"):
        second.update("3", 0.1, 0.4).save(path)
    first.update("4", 0.1, 0.4).save(path)
    assert Monitor.load(path).topics == 3
    second.save(tmp_path / "other.json")


def test_a_changed_past_is_refused(tmp_path: Path) -> None:
    monitor = Monitor()
    monitor.update("q1", 0.5, 0.6)
    with pytest.raises(
        InputError, match=r"'q1' came with the scores 0\.5 and 0\.6 and now has 0\.5 and 0\.7"
    ):
        monitor.update("q1", 0.5, 0.7)
    document = monitor.to_dict()
    document["topics"][0][3] = [0.9]
    (tmp_path / "state.json").write_text(json.dumps(document))
    with pytest.raises(InputError, match="damaged or edited"):
        Monitor.load(tmp_path / "state.json")
    (tmp_path / "state.json").write_text("[1,")
    with pytest.raises(InputError, match="not a state of a monitor"):
        Monitor.load(tmp_path / "state.json")


def signed(document: dict[str, object]) -> str:
    return json.dumps(document | {"checksum": checksum(document)})


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"baseline": None}, "does not say its baseline"),
        ({"measure": None, "margin": None}, "does not say its margin and measure"),
        ({"margins": 1}, "not a complete state"),
        ({"level": "high"}, "level"),
        ({"looks": 7}, "not a complete state"),
        ({"data_sets": {"a": "x"}}, "weights of data sets must be numbers"),
    ],
)
def test_a_state_of_other_settings_is_refused(
    change: dict[str, object], message: str, tmp_path: Path
) -> None:
    document = Monitor().update("q1", 0.5, 0.6).to_dict()
    del document["checksum"]
    settings = document["settings"] | change
    document["settings"] = {
        name: value for name, value in settings.items() if value is not None or name in ("range", "looks")
    }
    (tmp_path / "state.json").write_text(signed(document))
    with pytest.raises(InputError, match=message):
        Monitor.load(tmp_path / "state.json")


@pytest.mark.parametrize("topics", [0, 60])
def test_a_monitor_is_shown_as_the_gate_of_its_topics(topics: int) -> None:
    """Its sentences, tables and pictures are those of `sequential_gate` on the same scores."""
    monitor = Monitor(candidates=("new", "newer"), baseline="old", margin=0.05)
    rows = scores(150, 0.15)[:topics]
    for topic, a, b in rows:
        monitor.update(topic, a, {"new": b, "newer": a})
    said = monitor.summary()
    assert "in the order of the updates" in said
    assert "<html" in str(monitor.to_html())
    assert "old" in monitor._repr_html_()
    if not topics:
        assert "INCONCLUSIVE" in said
        return
    x = np.array([[a, b, a] for _, a, b in rows])
    table = truerank.ScoreMatrix.build(x, [topic for topic, *_ in rows], ["old", "new", "newer"])
    gate = sequential_gate(table, "old", margin=0.05, range=(0, 1))
    assert monitor.to_frame().equals(gate.to_frame())
    assert said.splitlines()[:2] == gate.summary().splitlines()[:2]
    assert monitor.plot().to_dict() == gate.plot().to_dict()
    with pytest.raises(UnknownNameError, match=r"unknown figure 'nonsense': choose from .*bounds"):
        monitor.plot("nonsense")


def test_a_bound_that_was_asked_early_still_rises() -> None:
    """Asked at a look at which nothing is known yet, it is no other at the end."""
    asked, unasked = Monitor(), Monitor()
    rng = np.random.default_rng(0)
    for t in range(60):
        b = float(t > 3 and rng.random() < 0.6)
        asked.update(f"q{t}", 1.0, b)
        unasked.update(f"q{t}", 1.0, b)
        assert asked.low <= asked.high
    assert asked.low == unasked.low > -1


def test_several_candidates_are_judged_together() -> None:
    rows = scores(150, 0.05)
    alone, both = Monitor(level=0.975), Monitor(candidates=["new", "newer"])
    for topic, a, b in rows:
        alone.update(topic, a, b)
        both.update(topic, a, {"newer": a, "new": b})
    assert both.course("new").low == pytest.approx(alone.low, rel=1e-9)
    assert both.verdicts["newer"] == "undecided" == both.verdict
    with pytest.raises(InputError, match="ask course"):
        _ = both.low
    with pytest.raises(UnknownNameError, match="did you mean 'newer'"):
        both.course("newest")


def test_a_round_is_a_topic_of_each_data_set() -> None:
    monitor = Monitor(data_sets={"nq": 3, "fiqa": 1}, margin=0.1)
    monitor.update("1", 0.2, 0.4, "nq").update("2", 0.2, 0.6, "nq")
    assert math.isnan(monitor.difference)
    monitor.update("1", 0.5, 0.1, "fiqa")
    assert monitor.difference == pytest.approx(0.75 * 0.2 - 0.25 * 0.4)
    assert len(monitor.course()) == 1
    assert monitor.topics == 3


def test_planned_looks_need_no_range() -> None:
    with pytest.raises(InputError, match=r"for other scores give range=\(LOW, HIGH\), or range=None"):
        truerank.Monitor(margin=5, looks=(50, 100))
    monitor = truerank.Monitor(margin=5, looks=(50, 100), range=None)
    for k in range(100):
        monitor.update(f"q{k}", 300 + k % 7, 301 + k % 5)
    assert monitor.verdict == "pass"


@pytest.mark.parametrize(
    ("settings", "said"),
    [
        ({"level": 95}, "write 0.95"),
        ({"margin": -1}, "margin must be"),
        ({"margin": 1}, "nothing could fail"),
        ({"range": (1, 0)}, "from a number to a larger one"),
        ({"range": 5}, "two numbers"),
        ({"looks": [3, 2]}, "increasing"),
        ({"spending": "even"}, "pocock"),
        ({"range": None}, r"range=\(LOW, HIGH\), or plan looks with looks=\(50, 100, 200\)"),
        ({"candidates": ["a", "a"]}, "named twice"),
        ({"data_sets": {"a": -1}}, "weights"),
    ],
)
def test_settings_that_there_cannot_be(settings: dict[str, object], said: str) -> None:
    with pytest.raises(truerank.TruerankError, match=said):
        Monitor(**settings)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("update", "said"),
    [
        (("q", 0.5, 1.5), "outside of 0 to 1"),
        (("q", math.nan, 0.5), "not a finite number"),
        (("q", "x", 0.5), "'x' is not a finite number"),
        (("q", 0.5, [0.1, 0.2]), "2 scores for 1 candidates"),
        (("q", 0.5, 0.1, "nq"), "no data sets"),
    ],
)
def test_scores_that_there_cannot_be(update: tuple[object, ...], said: str) -> None:
    monitor = Monitor()
    with pytest.raises(InputError, match=said):
        monitor.update(*update)  # type: ignore[arg-type]
    assert monitor.topics == 0


LOOP = """
import sys, truerank
monitor = truerank.Monitor(margin=0.05)
for t in range(100_000):
    monitor.update(f"q{t}", 0.5, 0.5 + 0.3 * (t % 3 - 1)).save(sys.argv[1])
    print(t, flush=True)
"""


def test_killed_at_any_moment_the_state_goes_on(tmp_path: Path) -> None:
    path = tmp_path / "state.json"
    process = subprocess.Popen([sys.executable, "-c", LOOP, str(path)], stdout=subprocess.PIPE)
    assert process.stdout is not None
    for _ in range(40):
        process.stdout.readline()
    process.kill()
    process.communicate()
    found = Monitor.load(path)
    whole = Monitor(margin=0.05)
    for t in range(found.topics):
        whole.update(f"q{t}", 0.5, 0.5 + 0.3 * (t % 3 - 1))
    assert found.topics >= 40
    assert found.to_json() == whole.to_json() == path.read_text(encoding="utf-8")


def test_bounds_that_cross_decide_nothing():
    """Gains first and losses after: the lower bound is above the upper one, and was printed as better."""
    monitor = truerank.Monitor(margin=0.05)
    for topic in range(300):
        monitor.update(f"q{topic}", 0.5, 0.9 if topic < 60 else 0.3)
        if topic == 59:
            assert monitor.verdict == "better"
    assert monitor.course().contradictory
    assert monitor.verdict == "undecided"
    assert (monitor.low, monitor.high) == (-math.inf, math.inf)
    old = np.full(300, 0.5)
    old[0] = 0.51
    new = np.where(np.arange(300) < 60, 0.9, 0.3)
    found = sequential_gate(np.column_stack([old, new]), margin=0.05, range=(0, 1))
    document = found.to_dict()
    assert (document["verdict"], document["low"], document["high"]) == ("undecided", None, None)
    assert document["p_value"] is None
    assert not found.passed
    assert any("contradict" in warning for warning in found.decisions[0].warnings)
