"""The sentences of a gate stand in report/words/gate.j2."""

import re
from pathlib import Path

import numpy as np
import pytest

import truerank
from truerank import Monitor, ScoreMatrix
from truerank._support.wording import number
from truerank.cli import run
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


def test_the_largest_losses_of_many_are_one_table_that_says_whose_they_are() -> None:
    x = np.random.default_rng(6).uniform(size=(20, 15)) * np.linspace(0.7, 1, 15)
    names = ["base", *(f"s{k}" for k in range(14))]
    one = view(truerank.gate(ScoreMatrix.build(x, systems=names), baseline="base"))
    assert not any(section.text for section in one.sections if section.name == "topics")
    losses = next(section for section in one.sections if section.name == "losses")
    (table,) = losses.tables
    assert list(table.keys[:2]) == ["system", "topic"]
    assert {row[0] for row in table.rows} == set(names[1:])
    assert " ".join(losses.text).count("not new evidence") == 1
    two = [
        ScoreMatrix.build(x[:, k : k + 3], systems=names[:3], measure=name)
        for k, name in ((0, "P"), (3, "Q"))
    ]
    losses = next(one for one in view(truerank.gate(two, baseline="base")).sections if one.name == "losses")
    (table,) = losses.tables
    assert list(table.keys[:3]) == ["system", "measure", "topic"]
    assert {row[:2] for row in table.rows} == {(s, m) for s in names[1:3] for m in "PQ"}
    assert all(text.startswith(("By P, ", "By Q, ")) for text in losses.text)


def test_planned_looks_without_a_p_value_speak_of_none() -> None:
    x = np.random.default_rng(7).uniform(size=(30, 2))
    for monitor, has_p in ((Monitor(range=None, looks=[15, 30]), False), (Monitor(), True)):
        for topic, (old, new) in enumerate(x):
            monitor.update(str(topic), old, new)
        table = next(one for one in view(monitor).sections if one.name == "verdicts").tables[0]
        assert ("p: two-sided" in table.below) is has_p
        assert any(column.key == "p_value" and not column.details for column in table.columns) is has_p


def test_what_passes_by_one_of_several_measures_says_by_which() -> None:
    """On the terminal, on the page and in Markdown, which share the answer and its subject."""
    rng = np.random.default_rng(3)
    base = rng.uniform(0.2, 0.6, 60)
    tables = [
        ScoreMatrix.build(
            np.column_stack([base, base + shift + rng.normal(0, 0.1, 60)]),
            systems=["old", "new"],
            measure=name,
        )
        for name, shift in (("AP", 0.1), ("P@10", 0.0))
    ]
    found = truerank.gate(tables, baseline="old", margin=0.01)
    assert [one.verdict for one in found.overall] == ["better", "undecided"]
    said = "1 of 2 comparisons passes: by AP, new is better than old, with 95% confidence."
    subject = "2 comparisons against old by AP and P@10, 1 inconclusive"
    for text in (found.to_markdown(), re.sub("<.*?>", "", found.to_html())):
        assert said in text
        assert subject in text


def test_a_kit_of_several_candidates_has_what_they_share_and_counts_of_verdicts(tmp_path: Path) -> None:
    x = np.random.default_rng(6).uniform(size=(40, 6)) + np.array([0, 1, 0.02, -1, 0, -1])
    found = truerank.gate(ScoreMatrix.build(x, systems=[*"abcdef"]), baseline="a", margin=0.02)
    found.to_paper(tmp_path / "kit")
    text = (tmp_path / "kit" / "numbers.tex").read_text(encoding="utf-8")
    macros = dict(re.findall(r"newcommand\{\\kit(\w+)\}\{(.*)\}", text))
    shown = {"Better": "better", "Pass": "pass", "Inconclusive": "undecided", "Fail": "fail"}
    verdicts = [one.verdict for one in found]
    assert {"better", "fail"} <= set(verdicts)
    assert {key: int(macros[key]) for key in shown} == {
        key: verdicts.count(one) for key, one in shown.items()
    }
    assert (macros["Baseline"], macros["Margin"], macros["Topics"]) == ("a", "0.02", "40")
    assert macros["Level"] == r"95\%"


def test_details_are_told_in_the_words_of_the_table(tmp_path: Path, capsys: pytest.CaptureFixture) -> None:
    x = np.random.default_rng(1).uniform(size=(30, 3))
    table = tmp_path / "scores.csv"
    table.write_text("\n".join(["a,b,c", *(",".join(map(str, row)) for row in x.tolist())]), encoding="utf-8")
    run(["gate", str(table), "--baseline", "a", "--details"])
    out = " ".join(capsys.readouterr().out.split())
    assert "Bounds by: what the interval and p come from; the exact bound is for" in out
    assert not re.search('"(t|exact|table|flat|logit|elo|share)"', out)


def test_a_half_is_rounded_alike_however_it_was_computed() -> None:
    assert number(-0.04335, 4) == number(-0.04335000000000002, 4) == number(-0.04334999999999998, 4)


def test_markdown_of_many_candidates_has_the_verdict_first_and_folds_what_is_long() -> None:
    x = np.random.default_rng(8).uniform(size=(20, 31))
    found = truerank.gate(ScoreMatrix.build(x, systems=[f"s{k}" for k in range(31)]), baseline="s0")
    text = found.to_markdown() or ""
    assert text.splitlines()[1].startswith("### ❔ INCONCLUSIVE: 30 candidates against s0")
    open_part, folded = text.split("<details>")
    assert sum(line.startswith("| s") for line in open_part.splitlines()) <= 15
    assert "… and 18 more" in open_part
    assert all(f"| s{k} |" in folded for k in range(1, 31))


def test_several_measures_say_that_p_and_intervals_count_differently() -> None:
    x = np.random.default_rng(9).uniform(size=(20, 6))
    two = [ScoreMatrix.build(x[:, k : k + 3], systems=list("abc"), measure=f"M{k}") for k in (0, 3)]
    note = view(truerank.gate(two, baseline="a")).table("gate").note
    assert "Each measure has its own intervals, but adjusted p-values count the comparisons by all" in note
    one = view(truerank.gate(two[0], baseline="a")).table("gate").note
    assert "own intervals" not in one
