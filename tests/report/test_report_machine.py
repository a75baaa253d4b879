"""What is said of a machine judge: in sentences, on pages, in figures and tables."""

from __future__ import annotations

import numpy as np

import truerank
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


def test_the_answer_says_whom_the_machine_favors():
    """In the terminal and a paper, whatever else is asked for: the machine adds 0.25 to one of four."""
    human, machine = judges()
    asked = {"machine": machine, "baseline": "third", "draws": 200, "seed": 1}
    answer = view(truerank.assess(human, "eb", **asked)).answer
    (said,) = (one for one in answer if "over-scores" in one)
    assert said.startswith("Compared with the average system, the machine over-scores a<b> (+0.1")
    assert len(answer) == 5
    human, machine = judges(bias=0.0)
    fair = view(truerank.assess(human, "eb", **(asked | {"machine": machine}))).answer
    assert any("No system is over-scored or under-scored beyond doubt" in one for one in fair)
