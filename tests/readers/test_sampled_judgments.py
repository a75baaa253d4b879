"""Scores from a machine's judgments and people's of a sample of documents: enumeration, ir_measures."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import truerank
from truerank.cli import run
from truerank.errors import InputError
from truerank.readers import evaluate, evaluate_sampled, read_scores
from truerank.readers.sampled_judgments import linear_measure

DOCUMENTS = "abcdef"
HUMAN = {"q": dict(zip(DOCUMENTS, (2, 0, 1, 0, 3, 0), strict=True))}
MACHINE = {"q": dict(zip(DOCUMENTS, (1, 1, 0, 0, 3, 2), strict=True))}
RUNS = {
    "one": {"q": {d: float(s) for d, s in zip("baxfec", range(6, 0, -1), strict=True)}},
    "two": {"q": {d: float(s) for d, s in zip("ecd", range(3, 0, -1), strict=True)}},
}


def by_definition(measure: str, system: str, gains: dict[str, int], ideal: dict[str, int]) -> float:
    """A measure written out, document by document."""
    ranked = sorted(RUNS[system]["q"], key=lambda d: -RUNS[system]["q"][d])
    if measure == "P@3":
        return sum(gains.get(d, 0) >= 1 for d in ranked[:3]) / 3
    if measure == "P(rel=2)@3":
        return sum(gains.get(d, 0) >= 2 for d in ranked[:3]) / 3
    if measure == "RBP(p=0.5,rel=1)":
        return sum(0.5**i * 0.5 * (gains.get(d, 0) >= 1) for i, d in enumerate(ranked, start=0))
    best = sorted(ideal.values(), reverse=True)
    cutoff = 4 if measure.endswith("@4") else 99
    norm = sum(g / math.log2(i + 2) for i, g in enumerate(best[:cutoff]))
    return sum(gains.get(d, 0) / math.log2(i + 2) for i, d in enumerate(ranked[:cutoff])) / norm


@pytest.mark.parametrize("measure", ["P@3", "P(rel=2)@3", "RBP(p=0.5,rel=1)", "nDCG@4", "nDCG"])
@pytest.mark.parametrize("size", [1, 2, 5])
def test_over_all_samples_the_mean_is_the_score_by_people_alone(measure, size):
    """Every sample of one, two or five of six documents, each once: exactly without bias."""
    found = []
    for sample in itertools.combinations(DOCUMENTS, size):
        people = {"q": {d: HUMAN["q"][d] for d in sample}}
        (scores,) = evaluate_sampled(people, MACHINE, RUNS, [measure]).values()
        found.append(scores.values[0])
    expected = [by_definition(measure, system, HUMAN["q"], MACHINE["q"]) for system in RUNS]
    assert np.mean(found, axis=0) == pytest.approx(expected, abs=1e-12)
    assert np.ptp(found, axis=0).max() > 0.01
    by_machine = [by_definition(measure, system, MACHINE["q"], MACHINE["q"]) for system in RUNS]
    assert expected != pytest.approx(by_machine)


@pytest.mark.parametrize("measure", ["P@3", "P(rel=2)@5", "nDCG@4", "nDCG", "map"])
def test_a_sample_of_all_documents_gives_what_ir_measures_gives(measure):
    rng = np.random.default_rng(1)
    names = [f"d{d}" for d in range(30)]
    grades = {f"q{t}": dict(zip(names, rng.integers(0, 4, 30).tolist(), strict=True)) for t in range(6)}
    runs = {
        s: {t: {names[d]: float(30 - i) for i, d in enumerate(rng.permutation(30)[:20])} for t in grades}
        for s in ("one", "two")
    }
    if measure == "map":
        with pytest.raises(InputError, match="AP is not a sum of gain times discount"):
            evaluate_sampled(grades, grades, runs, [measure])
        return
    (name,) = sampled = evaluate_sampled(grades, grades, runs, [measure])
    assert sampled[name].values == pytest.approx(evaluate(grades, runs, [measure])[name].values)
    if measure.startswith("P"):  # no norm of the machine's: whatever it says, people's judgments decide
        machine = {t: {d: int(rng.integers(0, 4)) for d in names} for t in grades}
        other = evaluate_sampled(grades, machine, runs, [measure])[name]
        assert other.values == pytest.approx(sampled[name].values)


@pytest.mark.parametrize(
    "name", ["AP", "RR", "R@10", "Rprec", "ERR@10", "RBP", "P(judged_only=True)@3", "Bpref"]
)
def test_measures_that_a_sample_cannot_tell_are_refused_with_the_reason(name):
    with pytest.raises(InputError, match=r"not a sum of gain|leave judged_only out"):
        linear_measure(name)


def test_picked_documents_are_pointed_out_and_random_ones_are_not():
    rng = np.random.default_rng(2)
    machine = {f"q{t}": {f"d{d}": int(g) for d, g in enumerate(rng.integers(0, 3, 40))} for t in range(20)}
    runs = {"one": {t: {f"d{d}": float(-d) for d in range(10)} for t in machine}}

    def notes(pick) -> str:
        people = {t: {d: grades[d] for d in pick(list(grades), grades)} for t, grades in machine.items()}
        return " ".join(evaluate_sampled(people, machine, runs, ["P@5"])["P@5"].warnings)

    top = notes(lambda names, grades: sorted(names, key=lambda d: -grades[d])[:8])
    assert "higher grades by the machine than a random sample would" in top
    random = notes(lambda names, grades: rng.permutation(names)[:8])
    assert "than a random sample would" not in random
    assert "corrected by people’s of 160 of its 800 documents" in random


def test_topics_without_an_ideal_are_left_out_of_ndcg_alone():
    machine = {"q": MACHINE["q"], "r": dict.fromkeys(DOCUMENTS, 0)}
    runs = {s: {"q": one["q"], "r": one["q"]} for s, one in RUNS.items()}
    people = {"q": {"a": 1}, "r": {"a": 1}}
    found = evaluate_sampled(people, machine, runs, ["P@3", "nDCG@3"])
    assert found["P@3"].topics == ("q", "r")
    assert found["nDCG@3"].topics == ("q",)
    notes = " ".join(found["nDCG@3"].warnings)
    assert "1 topic left out: the machine found nothing relevant there" in notes


def test_the_command_writes_tables_that_assess_reads(tmp_path, monkeypatch, capsys):
    rng = np.random.default_rng(3)
    monkeypatch.chdir(tmp_path)
    lines: dict[str, list[str]] = {"people": [], "machine": []}
    for t in range(8):
        picked = set(rng.permutation(20)[:6].tolist())
        for d in range(20):
            grade = int(rng.integers(0, 2))
            lines["machine"].append(f"q{t} 0 d{d} {grade}")
            if d in picked:
                lines["people"].append(f"q{t} 0 d{d} {int(rng.random() < 0.3 + 0.4 * grade)}")
    for name, text in lines.items():
        (tmp_path / name).write_text("\n".join(text) + "\n")
    for s in "abc":
        ranked = [f"q{t} Q0 d{d} {i} {-i} {s}" for t in range(8) for i, d in enumerate(rng.permutation(20))]
        (tmp_path / s).write_text("\n".join(ranked) + "\n")
    command = ["evaluate", "--qrels", "people", "-m", "P_5", "-m", "ndcg_cut_10", "-o", "out", "a", "b", "c"]
    assert run([*command, "--machine-qrels", "machine", "--sampled"]) == 0
    assert "read as a random sample" in " ".join(capsys.readouterr().out.split())
    expected = evaluate_sampled("people", "machine", ["a", "b", "c"], ["P@5", "nDCG@10"])
    for name, scores in expected.items():
        assert read_scores(tmp_path / "out" / f"{name}.csv").values == pytest.approx(scores.values, abs=1e-9)
    assert truerank.assess("out/P@5.csv", "eb", draws=100).scores.n == 8
    assert run([*command[:-5], "-o", "other", "a", "--sampled"]) == 2
    assert "--sampled and --machine-qrels go together" in capsys.readouterr().err
