"""The sentences of a gate stand in report/words/gate.j2."""

import re
from pathlib import Path

import numpy as np

import truerank
from truerank import ScoreMatrix
from truerank._support.wording import number


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
