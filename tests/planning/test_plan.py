"""`plan`: targets, bases, data sets, a pair, a budget; and what is refused."""

from __future__ import annotations

import math
import re

import numpy as np
import pytest

import truerank
from truerank.errors import InputError, UnknownNameError
from truerank.numerics.intervals import fewest
from truerank.planning import plan
from truerank.planning.beliefs import tau_of_twice
from truerank.planning.pilot import paired_t_power, pilot_of
from truerank.scores import ScoreMatrix


@pytest.fixture(scope="module")
def scores() -> np.ndarray:
    rng = np.random.default_rng(1)
    return rng.normal(size=(25, 10)) + rng.normal(0, 0.5, 10) + rng.normal(size=(25, 1))


@pytest.fixture(scope="module")
def boards() -> ScoreMatrix:
    rng = np.random.default_rng(2)
    sets = np.repeat(np.arange(6), 15)
    x = rng.normal(0, 0.5, 8) + rng.normal(0, 0.4, (6, 8))[sets] + rng.normal(size=(90, 8))
    return ScoreMatrix.build(x, data_sets=[f"set {k}" for k in sets])


def test_what_is_known_now_is_the_assessment(scores):
    now = truerank.assess(scores, ["eb"], draws=64).estimate("tau").estimate
    found = plan(scores, draws=64)
    assert found.now == pytest.approx(now, abs=1e-3)


def test_the_extension_starts_where_the_pilot_is(scores):
    found = plan(scores, tau=0.85, extend=True, draws=2_000, seed=1)
    assert found.curve[0].topics == 25
    assert found.curve[0].estimate == pytest.approx(found.now)
    assert found.needed[0].topics > 25
    new = plan(scores, tau=0.85, draws=2_000, seed=1)
    assert found.needed[0].topics == pytest.approx(new.needed[0].topics, rel=0.1)
    # The interval is wide, 29 to 380, and is told as any other.
    assert f"you need about {found.needed[0].topics:,.0f} topics (95% interval" in found.summary()


def test_the_curve_is_at_its_target_where_it_says(scores):
    found = plan(scores, tau=0.8, tau_ap=0.8, draws=512, seed=1)
    for name in ("tau", "tau_ap"):
        expected = next(n for n in found.needed if (n.what, n.criterion) == (name, "expected"))
        before = max(p.estimate for p in found.curves[name] if p.topics < expected.topics)
        after = min(p.estimate for p in found.curves[name] if p.topics >= expected.topics)
        assert before < 0.8 <= after


@pytest.mark.parametrize("seed", [1, 5])
def test_a_number_of_topics_lies_in_its_own_interval(seed):
    # Of six systems, a few bad truths ask for more topics than nearly all others.
    rng = np.random.default_rng(seed)
    pilot = rng.normal(size=(25, 6)) + rng.normal(size=6)
    for one in plan(pilot, tau=0.9, seed=seed).needed:
        assert one.low <= one.topics <= one.high


def test_the_order_of_columns_does_not_matter(scores, hold_alike):
    table = ScoreMatrix.build(scores)
    turned = table.select(np.arange(10)[::-1])
    one, other = (plan(each, draws=64, seed=1).to_dict()["curve"] for each in (table, turned))
    hold_alike(one, other)


def test_a_pair_of_many_topics_is_the_classical_design():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(4000, 4)) + np.array([0.3, 0.2, 0.1, 0.0])
    found = plan(x, pair=("sys1", "sys4"), margin=0.2, draws=64).pair
    assert found.needed.topics == pytest.approx(found.classical, abs=2)
    deviation = np.std(x[:, 0] - x[:, 3], ddof=1)
    assert found.classical == fewest(lambda n: paired_t_power(n, 0.2 / deviation), 0.8, 2)
    own = plan(x, pair=("sys1", "sys4"), draws=64).pair
    assert own.needed.topics == own.needed.high == 4000  # these decide already
    assert own.decided
    assert plan(x, pair=("sys4", "sys1"), draws=64).pair.difference == -own.difference


def test_a_pair_has_the_number_that_its_gate_names():
    rng = np.random.default_rng(4)
    x = rng.normal(size=(40, 6)) + np.linspace(0.4, 0, 6)
    for power in (0.6, 0.8):
        needed = plan(x, pair=("sys2", "sys3"), power=power, draws=64).pair.needed
        gate = truerank.gate(x, "sys2", "sys3", power=power)
        assert gate.verdict == "undecided"
        assert (needed.topics, needed.low, needed.high) == (
            gate.topics_needed,
            gate.topics_needed_low,
            gate.topics_needed_high,
        )
        assert (gate.power, gate.topics_needed_prior) == (power, "table")


def test_the_power_for_a_margin_is_averaged_over_what_is_not_known(scores):
    few = plan(scores[:6], pair=("sys1", "sys2"), margin=0.5, draws=64).pair
    assert few.needed.low < few.needed.topics < few.needed.high
    assert few.needed.topics > few.classical


def test_fixed_data_sets_are_counted_per_data_set(boards):
    found = plan(boards, tau=0.8, draws=512, seed=1)
    assert found.unit == "topic per data set"
    said = " ".join(found.summary().split())
    assert re.search(
        r"topics in each of 6 data sets.*; as many new ones in each as now put \S+ of 100 pairs", said
    )
    assert not re.search(r"; [\d,]+ new ones put", said), "what is needed and what there is have one unit"
    assert "pair" not in set(found.to_frame("needed")["target"]), "a gate counts topics of all data sets"
    point = next(p for p in found.curve if p.topics == 15)
    together = plan(boards.values, tau=0.8, draws=512, seed=1)
    assert point.estimate == pytest.approx(
        next(p for p in together.curve if p.topics == 100).estimate, abs=0.12
    )
    assert found.generalizability is None


def test_new_data_sets_are_the_unit_where_they_are_random(boards, hold_alike):
    found = plan(boards, tau=0.7, generalize_to="data_sets", draws=512, seed=1)
    assert (found.unit, found.pilot_topics) == ("data set", 6)
    assert re.search(r"data sets (or fewer )?\(95% interval", found.summary())
    assert found.generalizability.variance.topics == 6
    here = plan(boards, tau=0.7, generalize_to="data_sets", draws=512, seed=1)
    assert found.to_dict() == here.to_dict()
    means = np.stack([boards.values[15 * k : 15 * k + 15].mean(axis=0) for k in range(6)])
    hold_alike(found.to_dict()["curve"], plan(means, tau=0.7, draws=512, seed=1).to_dict()["curve"])


def test_clusters_of_the_pilots_sizes_are_counted(scores):
    """Unequal clusters are worth fewer equal ones, in the pilot and in what is planned."""
    sizes = [8, 5, *[1] * 12]
    unequal = ScoreMatrix.build(scores, clusters=np.repeat(np.arange(14), sizes))
    pilot = pilot_of(unequal, None, 0.0, False)
    assert (pilot.count, pilot.size) == (14, 14.0)
    assert 1 < pilot.means.effective < 13
    assert pilot.effective(np.array([28.0])) == pytest.approx([2 * pilot.means.effective])
    found = plan(unequal, draws=64)
    assert found.pilot_topics == 14
    twice = np.interp(
        np.log(28),
        [np.log(point.topics) for point in found.curves["tau"]],
        [point.estimate for point in found.curves["tau"]],
    )
    assert twice == pytest.approx(tau_of_twice(pilot.means), abs=0.002)


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"tau": 1.0}, "tau must be between 0 and 1"),
        ({"tau": 90}, "write 0.9 for 90$"),
        ({"first": 0}, "places from 1 on"),
        ({"stability": -1.0}, "stability must be"),
        ({"width": 0.0}, "between 0 and 2"),
        ({"margin": 0.0}, "a margin must be above 0"),
        ({"power": 0.01}, "power must be above"),
        ({"level": 95}, "write 0.95"),
        ({"draws": 1}, "at least two draws"),
        ({"effect": -1.0}, "effect size must be above 0"),
        ({"effect": 0.1}, "goes with a number of systems"),
        ({"systems": 5}, "needs one of these"),
        ({"pair": ("sys1", "sys1")}, "two different systems"),
    ],
)
def test_what_is_refused(scores, settings, message):
    with pytest.raises(InputError, match=message):
        plan(scores, **settings)


def test_unknown_systems_and_extensions_of_boards_are_refused(scores, boards):
    with pytest.raises(UnknownNameError, match="sys99"):
        plan(scores, pair=("sys1", "sys99"))
    with pytest.raises(InputError, match="new topics of each"):
        plan(boards, extend=True)
    with pytest.raises(InputError, match="one data set"):
        plan(boards, pair=("sys1", "sys2"), margin=0.1)
    with pytest.raises(InputError, match="there are 10 systems"):
        plan(scores, first=11)
    equal = scores.copy()
    equal[:, 1] = equal[:, 0] + 0.5
    with pytest.raises(InputError, match="same amount on every topic"):
        plan(equal, pair=("sys1", "sys2"))


def test_targets_out_of_reach_have_no_number():
    found = plan(systems=10, effect=0.0001, tau=0.99, draws=64)
    assert math.isinf(found.needed[0].topics)
    assert found.to_dict()["needed"][0]["topics"] is None
    assert f"more than {found.settings.most:,} topics: this is not practical" in found.summary()
    assert found.settings.most == 100_000


def test_an_assessment_says_what_twice_the_topics_would_bring(scores, boards):
    def said(assessment):
        return next((line for line in assessment.summary().splitlines() if line.startswith("Twice")), "")

    assessed = truerank.assess(scores, ["eb", "ml"], draws=64)
    point = next(p for p in plan(scores, draws=64).curve if p.topics == 50)
    assert f"τ = {point.estimate:.2f}" in said(assessed)
    assert said(assessed).startswith("Twice as many topics are")
    new_sets = truerank.assess(boards, ["eb"], draws=64, generalize_to="data_sets")
    assert said(new_sets).startswith("Twice as many data sets are")
