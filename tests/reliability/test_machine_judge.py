"""A machine held against people: intervals for all systems at once, and whether topics are alike."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.stats import t as student

import truerank
from truerank.errors import InputError, UnknownNameError
from truerank.readers import with_machine
from truerank.reliability.machine_judge import (
    machine_judge,
    machine_warnings,
    simultaneous_half_widths,
    skewed_systems,
    unlike_the_rest,
)
from truerank.scores import MachineScores


def two_judges(seed: int, n: int = 20, total: int = 200, m: int = 12, noise: float = 0.06, bias=0.0):
    rng = np.random.default_rng(seed)
    people = rng.normal(0.4, 0.15, (total, 1)) + np.linspace(0.15, 0, m) + rng.normal(0, 0.1, (total, m))
    machine = people + bias + rng.normal(0, noise, (total, m))
    return people[:n], machine


def test_intervals_of_all_systems_are_bonferronis():
    rows = np.random.default_rng(2).normal(size=(20, 600))
    expected = student.ppf(1 - 0.025 / 600, 19) * rows.std(axis=0, ddof=1) / math.sqrt(20)
    assert simultaneous_half_widths(rows, 0.95) == pytest.approx(expected)
    assert not simultaneous_half_widths(np.ones((5, 3)), 0.95).any()


def test_the_biases_are_the_mean_differences_and_the_favourite_is_found():
    favourite = np.where(np.arange(12) == 7, 0.2, 0.05)
    human, machine = two_judges(1, bias=favourite)
    judge = machine_judge(with_machine(human, machine), 0.95)
    excess = (machine[:20] - human).mean(axis=0)
    assert [one.bias for one in judge.systems] == pytest.approx(excess)
    assert [one.relative for one in judge.systems] == pytest.approx(excess - excess.mean())
    assert [one.system for one in judge.over_scored] == ["sys8"]
    assert judge.over_scored[0].relative_low > 0
    assert all(one.low < one.bias < one.high for one in judge.systems)
    assert judge.human_topics == 20
    assert judge.machine_topics == 200
    assert judge.effective_topics > 40


def test_human_topics_that_are_harder_than_the_rest_are_found():
    rng = np.random.default_rng(4)
    values = rng.beta(0.5, 2, (150, 1)) * rng.uniform(0.5, 1, (150, 8))  # skewed, as scores are
    names = range(150)
    assert unlike_the_rest(MachineScores.build(values, names, rng.permutation(150)[:12])) is None
    hard = unlike_the_rest(MachineScores.build(values, names, np.argsort(values.mean(axis=1))[:12]))
    assert hard["mean"] < hard["all"]
    easy = unlike_the_rest(MachineScores.build(values, names, np.argsort(-values.mean(axis=1))[:12]))
    assert easy["mean"] > easy["all"]
    values = rng.random((150, 8))
    good_for_first = np.argsort(values.mean(axis=1) - values[:, 0])[:12]
    found = unlike_the_rest(MachineScores.build(values, names, good_for_first))
    assert found["mean"] is None


def test_a_machine_of_the_same_topics_leaves_the_human_means_as_they_are(hold_alike):
    """People's digits, every estimator, no weight; and what is left to say: its bias, and how it agrees."""
    human, machine = two_judges(7, bias=np.where(np.arange(12) == 3, 0.3, 0.0))
    machine = machine[: len(human)]
    both = truerank.assess(human, machine=machine, draws=300, resamples=300, seed=1)
    alone = truerank.assess(human, draws=300, resamples=300, seed=1)
    ours, theirs = both.to_dict(), alone.to_dict()
    for part in ("estimates", "ranking", "swap_probabilities", "best"):
        hold_alike(ours[part], theirs[part])
    judge = both.machine
    assert (judge.scale, judge.effective_topics) == (0.0, len(human))
    assert [one.system for one in judge.over_scored] == ["sys4"]
    place = [int(one.system[3:]) - 1 for one in judge.systems]
    assert [one.bias for one in judge.systems] == pytest.approx((machine - human).mean(axis=0)[place])
    expected = stats.kendalltau(human.mean(axis=0), machine.mean(axis=0)).statistic
    assert ours["machine"]["agreement"] == pytest.approx(expected)
    assert "judged the same 20 topics as people" in both.summary()
    assert not any("adds next to nothing" in warning for warning in both.warnings)
    assert "nan" not in both.to_html()


def test_an_assessment_with_a_machine_has_its_means_and_the_documented_json():
    human, machine = two_judges(5)
    found = truerank.assess(human, machine=machine, draws=200, seed=1)
    same = truerank.assess(with_machine(human, machine), draws=200, seed=1)
    assert found.to_dict() == same.to_dict()
    document = found.to_dict()["machine"]
    assert {"lambda", "human_topics", "machine_topics", "effective_topics", "bias"} <= set(document)
    assert set(document["bias"][0]) >= {"system", "bias", "low", "high"}
    assert [row["system"] for row in document["bias"]] == [
        row["system"] for row in found.to_dict()["ranking"]
    ]
    assert list(found.to_frame("machine")["system"]) == list(found.scores.systems)
    with pytest.raises(UnknownNameError, match="unknown table 'machine'"):
        truerank.assess(human, "eb", draws=100).to_frame("machine")
    with pytest.raises(InputError, match="kd is not defined here"):
        truerank.assess(human, "kd", machine=machine)


@pytest.mark.parametrize(("errors", "warned"), [("normal", False), ("exponential", True)])
def test_skewed_differences_between_the_judges_are_counted(errors, warned):
    rng = np.random.default_rng(3)
    people = rng.normal(0.5, 0.1, (25, 12))
    noise = rng.normal(0, 0.1, (80, 12)) if errors == "normal" else rng.exponential(0.1, (80, 12)) ** 2
    machine = noise + np.concatenate([people, rng.normal(0.5, 0.1, (55, 12))])
    scores = with_machine(people, machine)
    found = machine_warnings(scores, machine_judge(scores, 0.95), 1)
    assert any(note.code == "skewed-biases" for note in found) == warned
    # Where no bias is shown it is no matter how far its intervals hold.
    found = machine_warnings(scores, machine_judge(scores, 0.95), 1, biases=False)
    assert not any(note.code == "skewed-biases" for note in found)


def test_skewness_is_scipys():
    rows = np.random.default_rng(4).exponential(size=(40, 30)) - np.random.default_rng(5).normal(
        size=(40, 30)
    )
    expected = np.count_nonzero(25 * stats.skew(rows) ** 2 > 40)
    assert 0 < skewed_systems(rows) == expected < 30


def test_a_machine_of_small_scores_is_told_from_a_useless_one():
    people, machine = two_judges(3)
    said = {}
    for name, scores in (
        ("small", machine / 100),
        ("useless", np.random.default_rng(1).random(machine.shape)),
    ):
        both = with_machine(people, scores)
        (said[name],) = (
            w.text for w in machine_warnings(both, machine_judge(both, 0.95), 0) if "adds next" in w.text
        )
    assert "its scores spread far less than people’s, and λ = 1 is the most" in said["small"]
    assert "its scores hardly agree with people’s" in said["useless"]
