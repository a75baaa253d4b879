"""What is said of a machine judge: in sentences, on pages, in figures and tables."""

from __future__ import annotations

import numpy as np
import pytest

import truerank
from truerank.reliability.machine_judge import MachineBias, MachineJudge
from truerank.report.views import view
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


def test_the_page_says_what_the_machine_adds_and_how(assessed):
    page = assessed.to_html()
    assert 'id="machine"' in page
    assert 'id="ref-angelopoulos-2023"' in page
    assert "a&lt;b&gt;" in page
    assert "a<b>" not in page
    assert 'id="machine"' not in truerank.assess(judges()[0], "eb", draws=200).to_html()


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
