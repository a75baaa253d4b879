"""The sentences of a gate stand in report/words/gate.j2, and each is filled by some kind of result."""

import re
from pathlib import Path

import numpy as np

import truerank
from truerank import ScoreMatrix
from truerank._support import words
from truerank.report.views import gate, sequential


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


def test_each_block_is_used() -> None:
    source = "".join(Path(str(module.__file__)).read_text(encoding="utf-8") for module in (gate, sequential))
    assert [name for name in words.blocks("gate.j2") if f'"{name}"' not in source] == []
