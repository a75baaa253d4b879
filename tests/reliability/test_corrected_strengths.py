"""Strengths from people's battles, corrected by a machine's, against plain sums over prompts."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from judged_battles import SYSTEMS, tables
from scipy.optimize import minimize

from truerank import assess
from truerank.errors import InputError
from truerank.readers import battles as reading
from truerank.readers import with_machine
from truerank.reliability.machine_judge import machine_judge, machine_warnings
from truerank.reliability.means import means_of
from truerank.reliability.means.bradley_terry import bradley_terry
from truerank.reliability.means.means_of import corrected_of
from truerank.scores import ScoreMatrix

PAIRS = np.triu_indices(len(SYSTEMS), 1)


@pytest.fixture(scope="module")
def both() -> ScoreMatrix:
    return with_machine(*tables())


class Fit:
    """Strengths by a minimizer, and the small-sample rule summed up prompt by prompt."""

    def __init__(self, frame: pd.DataFrame) -> None:
        place = {name: s for s, name in enumerate(SYSTEMS)}
        m, sides = len(SYSTEMS), [frame[side].map(place).to_numpy() for side in ("model_a", "model_b")]
        y = frame["winner"].map({"model_a": 1, "tie": 0.5, "model_b": 0}).to_numpy()
        d = np.eye(m)[sides[0]] - np.eye(m)[sides[1]]

        def loss(theta: np.ndarray) -> float:
            x = d @ theta
            return float(np.sum(np.logaddexp(0, x) - y * x) + np.sum(theta) ** 2)

        self.theta = minimize(loss, np.zeros(m), method="BFGS", options={"gtol": 1e-9}).x
        for _ in range(3):  # to the last digits
            p = 1 / (1 + np.exp(-d @ self.theta))
            q = p * (1 - p)
            inverse = np.linalg.pinv((d.T * q) @ d, rcond=1e-9)
            self.theta = self.theta - self.theta.mean() + inverse @ d.T @ (y - p)
        p = 1 / (1 + np.exp(-d @ self.theta))
        q, r = p * (1 - p), y - p
        inverse = np.linalg.pinv((d.T * q) @ d, rcond=1e-9)
        names = frame["prompt"].to_numpy()
        groups = [names == name for name in sorted(set(names))]
        self.rows = np.array([inverse @ d[one].T @ r[one] for one in groups])
        n = len(y)
        phi = n / (n - m + 1) * np.sum(r**2) / np.sum(q)
        parts = [(d[one].T * q[one]) @ d[one] for one in groups]
        above = sum(np.sum((d[one].T @ r[one]) ** 2) for one in groups) - 2 * np.sum(r**2)
        above += phi * sum(np.trace(h @ inverse @ h) for h in parts)
        above -= phi * 2 * np.sum(q**2 * np.einsum("bi,ij,bj->b", d, inverse, d))
        below = sum(np.trace(h @ h) for h in parts) - 4 * np.sum(q**2)
        sigma = max(above / below, 0)
        single = max(phi - 2 * sigma * np.sum(q**2) / np.sum(q), 0.1 * phi)
        self.working = [inverse @ (single * h + sigma * h @ h) @ inverse for h in parts]

    def moderated(self, rows: np.ndarray, a: np.ndarray, scale: float) -> tuple[float, float]:
        """The variance of a contrast from these rows, and its degrees of freedom."""
        v = np.array([a @ w @ a for w in self.working])
        size = max(v.sum() ** 2 / np.sum(v**2), 2)
        own = size / (size - 1) * np.sum((rows @ a) ** 2)
        return ((size - 1) * own + 4 * scale * v.sum()) / (size + 3), size + 3


def test_strengths_rows_and_errors_are_those_of_plain_sums(both):
    people, machine = tables()
    seen = machine[machine["prompt"].isin(set(people["prompt"]))]
    h, f, rest = Fit(people), Fit(seen), Fit(machine[~machine["prompt"].isin(set(people["prompt"]))])
    n, more = len(h.rows), len(rest.rows)
    everywhere = np.concatenate([n * f.rows, more * rest.rows])
    scale = more / (n + more) * np.sum(h.rows * f.rows) * n / np.mean(np.sum(everywhere**2, axis=1))
    assert 0.1 < scale < 0.9
    found = corrected_of(both)
    assert (found.human_topics, found.machine_topics) == (n, n + more) == (25, 90)
    assert found.scale == pytest.approx(scale, abs=1e-9)
    means = found.means
    assert means.theta == pytest.approx(h.theta - scale * (f.theta - rest.theta), abs=1e-9)
    rows = h.rows - scale * f.rows, scale * rest.rows
    assert means.influences == pytest.approx(np.concatenate(rows), abs=1e-9)
    assert means.strata.tolist() == [0] * n + [1] * more

    def squares(values: np.ndarray) -> float:
        return float(np.sum((values[:, PAIRS[0]] - values[:, PAIRS[1]]) ** 2))

    typical = squares(rows[0]) / squares(h.rows)
    for i, j in zip(*PAIRS, strict=True):
        a = np.eye(len(SYSTEMS))[i] - np.eye(len(SYSTEMS))[j]
        first, second = h.moderated(rows[0], a, typical), rest.moderated(rows[1], a, scale**2)
        variance = first[0] + second[0]
        degrees = variance**2 / (first[0] ** 2 / first[1] + second[0] ** 2 / second[1])
        assert means.deviations[i, j] ** 2 == pytest.approx(variance, rel=1e-7)
        assert means.degrees[i, j] == pytest.approx(degrees, rel=1e-7)
    alone = bradley_terry(both.battles, SYSTEMS)
    gain = np.sum(alone.deviations[PAIRS] ** 2) / np.sum(means.deviations[PAIRS] ** 2)
    assert gain > 1
    assert means.effective == pytest.approx(alone.effective * gain)
    assert found.effective_topics == pytest.approx(n * gain)
    assert found.bias == pytest.approx(f.theta - h.theta, abs=1e-9)
    assert (found.excess - found.bias) / n == pytest.approx(f.rows - h.rows, abs=1e-9)


def test_elo_points_are_the_same_strengths(both):
    plain, elo = means_of(both), means_of(both.counting(scale="elo"))
    assert elo.theta == pytest.approx(1000 + 400 / np.log(10) * plain.theta)
    assert elo.deviations == pytest.approx(400 / np.log(10) * plain.deviations)
    assert (elo.degrees, elo.effective) == (pytest.approx(plain.degrees), pytest.approx(plain.effective))
    assert corrected_of(both.counting(scale="elo")).bias == pytest.approx(
        400 / np.log(10) * corrected_of(both).bias
    )


def _same(one, other) -> None:
    for name in ("theta", "influences", "deviations", "degrees"):
        np.testing.assert_allclose(getattr(one, name), getattr(other, name), rtol=1e-9, atol=1e-12)
    assert one.effective == pytest.approx(other.effective, rel=1e-9)


def test_without_other_prompts_people_alone_are_left(both):
    people, machine = tables()
    alone = bradley_terry(both.battles, both.systems)
    for of_machine in (people, machine[machine["prompt"].isin(set(people["prompt"]))]):
        found = corrected_of(with_machine(people, of_machine))
        assert found.scale == 0
        _same(found.means, alone)
        assert (found.bias == 0).all() == (of_machine is people)


def test_a_machine_that_says_the_opposite_leaves_people_alone(both):
    people, machine = tables(agree=0.9)
    opposite = machine["winner"].replace({"model_a": "model_b", "model_b": "model_a"})
    joined = with_machine(people, machine.assign(winner=opposite))
    found = corrected_of(joined)
    assert found.scale == 0
    _same(found.means, bradley_terry(joined.battles, joined.systems))
    judge = machine_judge(joined, 0.95, 0)
    assert judge.effective_topics == pytest.approx(25)
    assert any("its battles hardly agree" in w.text for w in machine_warnings(joined, judge, 0))


def test_a_machine_that_is_people_makes_its_prompts_theirs():
    """Copies on the same prompts: strengths are nearly those of all battles, and so are errors."""
    _, machine = tables(prompts=400, each=10)
    drawn = np.random.default_rng(3).permutation(machine["prompt"].unique())[:100]
    joined = with_machine(machine[machine["prompt"].isin(set(drawn))], machine)
    found, whole = corrected_of(joined), bradley_terry(joined.machine.battles, joined.systems)
    assert found.scale == pytest.approx(0.75, abs=0.12)
    assert found.means.theta == pytest.approx(whole.theta, abs=0.04)
    assert found.means.deviations[PAIRS] == pytest.approx(whole.deviations[PAIRS], rel=0.2)
    assert found.effective_topics <= 400
    assert any("are the human ones to the last one" in note for note in joined.warnings)


def test_the_order_of_rows_and_systems_changes_no_digit():
    people, machine = tables()
    found = assess(people, "eb", machine=machine, draws=300).to_dict()
    for seed in range(2):
        shuffled = [one.sample(frac=1, random_state=seed) for one in (people, machine)]
        again = assess(shuffled[0], "eb", machine=shuffled[1], draws=300)
        assert again.to_dict() == found
    renamed = [
        one.replace({"model_a": {"A": "Z"}, "model_b": {"A": "Z"}}) for one in (people, machine)
    ]  # last in the alphabet
    moved = assess(renamed[0], "eb", machine=renamed[1], draws=300)
    assert {s.system: s.mean for s in moved.ranking} == pytest.approx(
        {"Z" if s["system"] == "A" else s["system"]: s["mean"] for s in found["ranking"]}
    )


def test_weights_of_one_size_are_none(both):
    people, machine = (one.assign(weight=3) for one in tables())
    weighed, plain = means_of(with_machine(people, machine)), means_of(both)
    assert weighed.theta == pytest.approx(plain.theta, abs=1e-10)
    assert weighed.deviations == pytest.approx(plain.deviations, rel=1e-8)


def test_very_many_prompts_are_dealt_to_groups(monkeypatch, both):
    monkeypatch.setattr(reading, "MOST_UNITS", 20)
    joined = with_machine(*tables())
    assert joined.n <= 20
    assert len(joined.machine.topics) <= 40
    assert [n.split()[0] for n in joined.warnings if "dealt at random" in n] == ["25", "65"]
    grouped, plain = corrected_of(joined), corrected_of(both)
    assert (grouped.human_topics, grouped.machine_topics) == (25, 90)
    assert grouped.human.theta == pytest.approx(plain.human.theta, abs=1e-12)
    assert grouped.bias == pytest.approx(plain.bias, abs=1e-12)
    assert grouped.scale == pytest.approx(plain.scale, abs=0.2)
    found = assess(joined, "eb", draws=200)
    assert (found.machine.human_topics, found.machine.machine_topics) == (25, 90)


def test_people_who_judged_what_the_machine_finds_good_for_one_system_are_warned():
    people, machine = tables(prompts=150, human=150)
    won = machine.assign(
        points=((machine["model_a"] == "A") & (machine["winner"] == "model_a")).astype(float)
        - ((machine["model_b"] == "A") & (machine["winner"] == "model_a"))
        + ((machine["model_b"] == "A") & (machine["winner"] == "model_b"))
        - ((machine["model_a"] == "A") & (machine["winner"] == "model_b"))
    )
    best = won.groupby("prompt")["points"].sum().sort_values().index[-30:]
    chosen = with_machine(people[people["prompt"].isin(best)], machine)
    said = machine_warnings(chosen, machine_judge(chosen, 0.95, 1), 1)
    assert any(note.code == "unlike-the-rest" and note.level == "alert" for note in said)
    drawn = np.random.default_rng(4).permutation(machine["prompt"].unique())[:30]
    random = with_machine(people[people["prompt"].isin(set(drawn))], machine)
    said = machine_warnings(random, machine_judge(random, 0.95, 1), 1)
    assert not any(note.code == "unlike-the-rest" for note in said)


def test_what_no_strengths_can_be_made_of_is_refused(both):
    with pytest.raises(InputError, match=r"pairs_alike.*is not for battles beside a machine's"):
        means_of(both.counting(pairs_alike=True))
    with pytest.raises(InputError, match=r"draw_prior.*is not for battles beside a machine's"):
        means_of(both.counting(draw_prior=1))
    assert both.machine is not None
    without = replace(both, machine=None)
    assert without.fingerprint() != both.fingerprint()
    assert with_machine(*tables(seed=2)).fingerprint() != both.fingerprint()
