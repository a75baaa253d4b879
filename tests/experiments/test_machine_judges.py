"""The experiment on machine judgments: its rows against what is known of each machine."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.errors import InputError, UnknownNameError
from truerank.experiments import EXPERIMENTS, run
from truerank.report.writers.frame import frame
from truerank.scores import ranking_order
from truerank.simulation import load_embedded
from validation.studies.machine_judges import MachineParameters, _hardest, _kept

SETTINGS = {
    "trials": 8,
    "simulator": ["effects"],
    "topics": [10],
    "times": [2, 20],
    "machines": ["noise", "useless", "perfect", "anti-correlated"],
    "systems": 10,
    "draws": 100,
}


@pytest.fixture(scope="module")
def table():
    return load_embedded("web2010-ap").sample(60, seed=3)


@pytest.fixture(scope="module")
def results(table, tmp_path_factory):
    return run("machine", [table], tmp_path_factory.mktemp("machine") / "a", workers=1, **SETTINGS)


@pytest.fixture(scope="module")
def tables(results):
    summary = EXPERIMENTS["machine"].summarize(results)
    keys = ["machine", "chosen", "human", "times"]
    return {one.name: frame(one).set_index(keys) for one in summary.tables}


def test_the_same_on_any_number_of_workers(table, tmp_path):
    few = SETTINGS | {"trials": 3, "times": [2], "machines": ["noise"]}
    one, two = (run("machine", [table], tmp_path / str(w), workers=w, **few) for w in (1, 2))
    summary = EXPERIMENTS["machine"].summarize
    for alone, shared in zip(summary(one).tables, summary(two).tables, strict=True):
        assert frame(alone).equals(frame(shared))


def test_each_machine_is_worth_what_it_is(tables):
    gain, error = tables["average-gain"], tables["average-error"]
    for times in (2, 20):
        noise, perfect = gain.loc["noise", "random", 10, times], gain.loc["perfect", "random", 10, times]
        assert perfect["theory_mean"] == pytest.approx(10 * times)
        assert 10 < noise["effective_mean"] < perfect["effective_mean"] <= 10 * times
        slack = 4 * np.hypot(noise["effective_se"], noise["theory_se"])
        assert noise["effective_mean"] == pytest.approx(noise["theory_mean"], abs=slack + 1)
        assert gain.loc["anti-correlated", "random", 10, times]["lambda_mean"] == 0
        assert gain.loc["anti-correlated", "random", 10, times]["effective_mean"] == pytest.approx(10)
        assert error.loc["anti-correlated", "random", 10, times]["more_error_mean"] == pytest.approx(0)
        assert gain.loc["useless", "random", 10, times]["theory_mean"] == pytest.approx(10, rel=0.05)
        assert gain.loc["useless", "random", 10, times]["lambda_mean"] < 0.1


def test_a_machine_alone_knows_nothing_of_its_fault(tables):
    cell = tables["average-ranking"].loc["useless", "random", 10, 20]
    assert abs(cell["machine_actual_mean"]) < 0.5
    assert cell["machine_bias_mean"] > 0.3
    opposite = tables["average-ranking"].loc["anti-correlated", "random", 10, 20]
    assert opposite["machine_actual_mean"] < -0.5


def test_hard_topics_and_too_few_have_rows_of_their_own(tables):
    ranking = tables["average-ranking"]
    assert set(ranking.index.get_level_values("chosen")) == {"random", "hard"}
    hard = tables["average-bias"].loc["noise", "hard", 20, 10]
    assert hard["human_bias_mean"] > 0.05
    assert ("noise", "random", 5, 10) in ranking.index
    people = np.random.default_rng(1).uniform(size=(30, 4))
    found = _hardest(people, 6)
    others = np.delete(people.mean(axis=1), found)
    assert people[found].mean(axis=1).max() <= others.min()


def test_systems_are_thinned_over_the_whole_ranking(table):
    kept = _kept(table, MachineParameters(drop_bottom=0.25, systems=10))
    better = table.drop_bottom(0.25)
    assert kept.m == 10
    best = better.systems[ranking_order(better.means)[0]]
    worst = better.systems[ranking_order(better.means)[-1]]
    assert {best, worst} <= set(kept.systems)
    assert _kept(table, MachineParameters(drop_bottom=0.0, systems=200)).m == table.m


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"times": (1,)}, "times must be at least 2"),
        ({"estimators": ("msqd",)}, "msqd is not defined for corrected means"),
        ({"few": 2}, "few and hard must be at least 3"),
        ({"coefficients": ("tau", "tau_ap")}, "one coefficient at a time"),
    ],
)
def test_parameters_that_make_no_sense(settings, message):
    with pytest.raises(InputError, match=message):
        MachineParameters(**settings)
    with pytest.raises(UnknownNameError):
        MachineParameters(machines=("oracle",))
