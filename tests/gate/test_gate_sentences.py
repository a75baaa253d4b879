"""The sentences of a gate stand in report/words/gate.j2."""

import re

import numpy as np

import truerank
from truerank import ScoreMatrix
from truerank.report.views import gate


def test_sentences_of_every_verdict_are_whole() -> None:
    rng = np.random.default_rng(5)
    base, said = rng.uniform(size=(30, 1)), set()
    for shift in (0.0, 0.03, 0.3, -0.3):
        x = np.clip(base + rng.normal(0, 0.1, (30, 2)) + [0, shift], 0, 1)
        found = truerank.gate(ScoreMatrix.build(x, systems=["old", "new"]), margin=0.05)
        said |= {found.verdict}
        for text in (
            *gate.sentences(found, found.decisions[0]),
            *gate.words_of(found, found.decisions[0]).all("fragile"),
        ):
            assert text.endswith(".")
            assert not re.search(r"[{}]|  | [,;:]|None", text)
    assert {"better", "fail"} <= said, said
