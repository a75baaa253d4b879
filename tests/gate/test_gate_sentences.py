"""The sentences of a gate stand in report/words/gate.j2."""

import re

import numpy as np

import truerank
from truerank import Monitor, ScoreMatrix
from truerank.report.views import gate, view


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


def test_the_largest_losses_of_many_say_of_which_measure_and_what_is_left_out() -> None:
    x = np.random.default_rng(6).uniform(size=(20, 15)) * np.linspace(0.7, 1, 15)
    names = ["base", *(f"s{k}" for k in range(14))]
    one = view(truerank.gate(ScoreMatrix.build(x, systems=names), baseline="base"))
    assert not any(section.text for section in one.sections if section.name == "topics")
    losses = next(section for section in one.sections if section.name == "losses")
    assert losses.text[-1] == f"{14 - len(losses.tables)} more comparisons are in the table of verdicts."
    assert " ".join(losses.text).count("not new evidence") == 1
    two = [
        ScoreMatrix.build(x[:, k : k + 3], systems=names[:3], measure=name)
        for k, name in ((0, "P"), (3, "Q"))
    ]
    losses = next(one for one in view(truerank.gate(two, baseline="base")).sections if one.name == "losses")
    assert len({table.heading for table in losses.tables}) == len(losses.tables) == 4
    assert all(text.startswith(("By P, ", "By Q, ")) for text in losses.text)


def test_planned_looks_without_a_p_value_speak_of_none() -> None:
    x = np.random.default_rng(7).uniform(size=(30, 2))
    for monitor, has_p in ((Monitor(range=None, looks=[15, 30]), False), (Monitor(), True)):
        for topic, (old, new) in enumerate(x):
            monitor.update(str(topic), old, new)
        table = next(one for one in view(monitor).sections if one.name == "verdicts").tables[0]
        assert ("p: two-sided" in table.below) is has_p
        assert any(column.key == "p_value" and not column.details for column in table.columns) is has_p
