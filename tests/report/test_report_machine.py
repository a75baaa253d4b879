"""What is said of a machine judge: in sentences, on pages, in figures and tables."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank._support.units import TOPIC
from truerank.errors import InputError
from truerank.reliability.machine_judge import MachineBias, MachineJudge
from truerank.report.views import view
from truerank.report.words import bias_sentence, gain_sentence
from truerank.scores import ScoreMatrix

NAMES = ["a<b>", "plain", "third", "last"]


def judges(bias: float = 0.25, machine_noise: float = 0.03, n: int = 12) -> tuple[ScoreMatrix, ScoreMatrix]:
    rng = np.random.default_rng(1)
    people = rng.uniform(0.2, 0.5, (60, 1)) + np.array([0.1, 0.2, 0.05, 0.0]) + rng.normal(0, 0.05, (60, 4))
    machine = people + np.array([bias, 0.0, 0.0, 0.0]) + rng.normal(0, machine_noise, (60, 4))
    topics = [f"t{t}" for t in range(60)]
    return (
        ScoreMatrix.build(people[:n], topics[:n], NAMES, "AP"),
        ScoreMatrix.build(machine, topics, NAMES, "AP"),
    )


@pytest.fixture(scope="module")
def assessed():
    human, machine = judges()
    return truerank.assess(human, "eb", machine=machine, draws=200, seed=1)


def judge(*biases: tuple[str, float, str], effective: float = 31.0) -> MachineJudge:
    systems = tuple(
        MachineBias(name, verdict, *(bias, bias - 0.1, bias + 0.1) * 2)  # type: ignore[arg-type]
        for name, bias, verdict in biases
    )
    return MachineJudge(0.62, 0.5, 20, 200, effective, 0.8, 0.95, systems)


def test_sentences():
    many = judge(("x", 0.2, "over-scored"), ("y", 0.3, "over-scored"), ("z", -0.4, "under-scored"))
    gain = "20 human topics count as 31 (their weight λ is 0.62; 0 is none, 1 full)"
    assert gain in gain_sentence(many, TOPIC)
    assert "".join(bias_sentence(many)) == (
        "Compared with the average system, the machine over-scores y (+0.300) and x (+0.200) and "
        "under-scores z (−0.400), with 95% confidence for all systems together."
    )
    none = judge(("x", 0.0, "inconclusive"), effective=20.5)
    assert "add next to nothing to the 20 human topics" in gain_sentence(none, TOPIC)
    assert "".join(bias_sentence(none)).startswith("No system is over-scored or under-scored")


@pytest.mark.parametrize("asked", [{}, {"best": 2}, {"baseline": "third"}])
def test_the_answer_says_whom_the_machine_favors(asked):
    """In the terminal and a paper, whatever else is asked for: the machine adds 0.25 to one of four."""
    human, machine = judges()
    answer = view(truerank.assess(human, "eb", machine=machine, draws=200, seed=1, **asked)).answer
    (said,) = (one for one in answer if "over-scores" in one)
    assert said.startswith("Compared with the average system, the machine over-scores a<b> (+0.1")
    assert len(answer) == 5
    human, machine = judges(bias=0.0)
    fair = view(truerank.assess(human, "eb", machine=machine, draws=200, seed=1, **asked)).answer
    assert any("No system is over-scored or under-scored beyond doubt" in one for one in fair)


def test_a_leader_is_too_high_only_where_another_score_is_expected():
    """By the digits that are printed."""
    rng = np.random.default_rng(1)
    near = rng.normal(0.4, 0.02, (30, 4)) + np.array([0.3, 0.0, 0.0, 0.0])
    for values, too_high in ((near, False), (rng.normal(0.4, 0.1, (30, 4)), True)):
        seen = view(truerank.assess(values, "eb", draws=200, seed=1))
        text = " ".join(seen.answer)
        said = re.search(r"its score of (\S+) is probably too high: (\S+) is expected", text)
        assert bool(said) == too_high
        assert said is None or said[1] != said[2]


def test_the_page_says_what_the_machine_adds_and_how(assessed):
    page = assessed.to_html()
    assert 'id="machine"' in page
    assert 'id="ref-angelopoulos-2023"' in page
    assert "a&lt;b&gt;" in page
    assert "a<b>" not in page
    assert 'id="machine"' not in truerank.assess(judges()[0], "eb", draws=200).to_html()


def test_the_weight_is_explained_only_where_it_is_named(assessed):
    human, machine = judges()
    same = truerank.assess(
        human, "eb", machine=ScoreMatrix.build(machine.values[:12], human.topics, NAMES, "AP"), draws=50
    )
    for found, named in ((assessed, True), (same, False)):
        section = found.to_html().split('id="machine"')[1].split("</section>")[0]
        assert ("their weight λ is" in section) == named


def test_the_table_has_the_bias_of_every_system(assessed):
    rows = assessed.to_frame("machine").to_dict("records")
    for row, one in zip(rows, assessed.machine.systems, strict=True):
        assert row == {
            "system": one.system,
            "bias": one.bias,
            "low": one.low,
            "high": one.high,
            "relative": one.relative,
            "relative_low": one.relative_low,
            "relative_high": one.relative_high,
            "verdict": one.verdict,
        }


def test_the_relative_bias_stands_beside_its_verdict(assessed):
    (table,) = (one for part in view(assessed).sections for one in part.tables if one.name == "machine")
    assert [one.key for one in table.columns][:4] == ["system", "verdict", "relative", "bias"]


def test_a_population_may_be_a_list_and_runs_are_always_a_sample():
    rng = np.random.default_rng(2)
    rows = [
        (f"t{t}", f"s{s}", f"p{p}", s / 10 + rng.normal())
        for t in range(12)
        for s in range(4)
        for p in range(3)
    ]
    long = pd.DataFrame(rows, columns=["topic", "system", "prompt", "score"])
    scores = truerank.read_scores(long, facet="prompt")
    listed = truerank.assess(scores, "eb", draws=50, generalize_to=["topics", "prompt"])
    text = truerank.assess(scores, "eb", draws=50, generalize_to="topics,prompt")
    assert listed.estimates == text.estimates
    with pytest.raises(InputError, match=r"runs are always a sample.*'topics,prompt'"):
        truerank.assess(scores, "eb", generalize_to="topics,prompt,run")
