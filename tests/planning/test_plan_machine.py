"""Human topics beside a machine's: what so many are worth, against brute force."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.errors import InputError
from truerank.planning import plan
from truerank.planning.plan_results import MachineGain
from truerank.reliability.means.corrected import corrected

M, TOTAL = 20, 200
TRUE = np.random.default_rng(7).normal(0, 0.05, M)
BIAS = np.random.default_rng(8).normal(0, 0.04, M)


def collection(rng: np.random.Generator, n: int, total: int = TOTAL):
    """Human scores of n topics and biased, noisy machine scores of `total`, from a known population."""
    people = rng.normal(0.4, 0.15, (total, 1)) + TRUE + rng.normal(0, 0.1, (total, M))
    return people[:n], people + BIAS + rng.normal(0, 0.06, (total, M))


def test_what_human_topics_are_worth_is_the_ratio_of_variances():
    """The variance of a difference with the best λ, over 2,000 collections of each size."""
    rng = np.random.default_rng(3)
    explained = 0.01 / (0.01 + 0.0036)  # of the differences: their own variance over that of the machine's
    gain = MachineGain(1.0, TOTAL, explained)
    for n in (10, 60, 150):
        scale = (TOTAL - n) / TOTAL * explained
        both, alone = [], []
        for _ in range(2_000):
            people, machine = (x[:, 0] - x[:, 1] for x in collection(rng, n))
            alone.append(people.mean())
            both.append(people.mean() + scale * (machine[n:].mean() - machine[:n].mean()))
        worth = n * np.var(alone) / np.var(both)
        assert gain.worth(np.array([float(n)]))[0] == pytest.approx(worth, rel=4 * math.sqrt(2 / 2_000))


@given(st.floats(0, 0.999), st.integers(10, 5_000), st.floats(2, 10_000))
def test_worth_rises_never_below_the_topics_nor_beyond_the_machines_and_turns_back(explained, total, human):
    gain = MachineGain(0.5, total, explained)
    worth = float(gain.worth(np.array([human]))[0])
    assert human * (1 - 1e-12) <= worth <= max(human, total) * (1 + 1e-12)
    assert float(gain.worth(np.array([human + 1]))[0]) > worth
    assert gain.human(worth) == pytest.approx(human, rel=1e-6)


def test_the_pilot_itself_is_worth_what_its_means_say():
    people, machine = collection(np.random.default_rng(4), 25)
    found = corrected(people, machine, np.arange(25))
    gain = MachineGain.of(found)
    assert gain.worth(np.array([25.0]))[0] == pytest.approx(found.means.effective)
    assert MachineGain.of(found, 2_000).worth(np.array([25.0]))[0] > found.means.effective


def test_fewer_human_topics_are_needed_than_without_a_machine_and_the_answer_says_both():
    people, machine = collection(np.random.default_rng(6), 20)
    alone, both = plan(people, tau=0.8, draws=64), plan(people, tau=0.8, machine=machine, draws=64)
    assert both.needed[0].topics < alone.needed[0].topics
    assert "beside 200 judged by the machine" in both.summary()
    assert "Without the machine it takes" in both.summary()
    far = plan(people, tau=0.95, machine=machine, draws=64)
    assert far.needed[0].topics == pytest.approx(plan(people, tau=0.95, draws=64).needed[0].topics, rel=0.3)
    assert "adds nothing to that many" in far.summary()
    document = both.to_dict()
    json.dumps(document)
    assert document["machine"]["machine_topics"] == 200
    assert 0 < document["machine"]["explained"] < 1
    assert plan(people, draws=64).to_dict()["machine"] is None


def test_an_extension_begins_with_the_human_topics_there_are():
    """At worst with these by people's scores, not with what the machine makes them count as."""
    people, machine = collection(np.random.default_rng(5), 40)
    found = plan(people, tau=0.8, machine=machine, extend=True, draws=64, seed=1)
    alone = plan(people, tau=0.8, extend=True, draws=64, seed=1)
    assert found.machine.worth(np.array([40.0]))[0] > 50
    assert (found.unit, found.curve[0].topics) == ("human topic", 40)
    assert found.now == pytest.approx(found.curve[0].estimate, abs=1e-6)
    assert found.without_machine is None
    assert [one.topics for one in found.people_alone] == pytest.approx([one.topics for one in alone.needed])
    text = " ".join(found.summary().split())
    assert f"Without the machine it takes about {alone.needed[0].topics:.0f} (95%" in text
    assert found.needed[0].topics == 40
    assert "(τ = 0.8): your 40 human topics beside 200 judged by the machine already reach it" in text
    assert "you need about" not in text.split(" Reaching it ")[0]
    assert "you need about" in plan(people, tau=0.8, machine=machine, draws=64, seed=1).summary()


def test_an_extension_by_no_topics_is_the_pilot_itself():
    """For any number of human topics: what these are worth is rounded, and may be less than they count as."""
    people, machine = collection(np.random.default_rng(31), 31)
    found = plan(people, winner=0.5, machine=machine, extend=True, draws=64, seed=1)
    now, later = found.curve[:2]
    assert now.low < now.estimate < 1
    assert found.winner[0].estimate == pytest.approx(found.winner[1].estimate, abs=0.3)
    assert found.winner[0].estimate > 0.2
    assert now.estimate <= later.estimate


def test_the_two_best_differ_by_what_their_gate_says_though_the_ranking_has_another_order():
    """Pooled λ counts what the machine says of a pair that it knows nothing of; a gate has its own."""
    rng = np.random.default_rng(1)
    people = rng.normal(0.5, 0.1, (120, 1)) + rng.normal([0.3, 0.3, 0, 0, -0.3], 0.1, (120, 5))
    people[:, 1] = people[:, 0] + rng.normal(-0.005, 0.01, 120)
    machine = people + rng.normal(0, 0.02, people.shape)
    machine[:, 1] = people[:, 1] + rng.normal(0, 0.1, 120)
    found = plan(people[:30], machine=machine, draws=64)
    two = truerank.gate(people[:30], machine=machine, baseline="sys1", candidate="sys2").decisions[0]
    assert found.pair.systems == ("sys2", "sys1")
    assert found.pair.difference == pytest.approx(two.difference)
    assert found.pair.deviation == pytest.approx(np.std(people[:30, 0] - people[:30, 1], ddof=1))
    assert [note.systems for note in found.notes if note.code == "verdict-contradicts"] == [("sys1",)]
    assert "sys1 is better, by" in found.summary()


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"machine_topics": 20}, "no more than the 20 that people judged"),
        ({"machine": None, "machine_topics": 50}, "goes with a machine's scores"),
        ({"scores": None, "systems": 5}, "go with those of a pilot"),
    ],
)
def test_what_goes_together(settings, message):
    people, machine = collection(np.random.default_rng(2), 20)
    given = {"scores": people, "machine": machine} | settings
    with pytest.raises(InputError, match=message):
        plan(given.pop("scores"), **given)
