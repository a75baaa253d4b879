"""What commands print of a table with runs: one table of noise, whole runs to buy, notes without a mark."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run

FAST = ["--draws", "200"]


def test_advice_about_prompts_is_an_option_that_works(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """Of questions too: an option keeps its word."""
    rng = np.random.default_rng(1)
    lines = ["question,model,prompt_id,score"]
    for m in range(6):
        shift = rng.normal(0, 0.5, 3)
        for q in range(12):
            lines += [f"q{q},m{m},{p},{rng.normal(m / 5 + shift[p], 0.2):.3f}" for p in range(3)]
    path = tmp_path / "p.csv"
    path.write_text("\n".join(lines) + "\n")
    assert run(["assess", str(path), *FAST]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "use --generalize-to topics,prompt_id for others like them" in said
    assert "The order depends on the prompt: " in said
    assert "depends most on" not in said  # once is enough
    assert run(["assess", str(path), "--generalize-to", "topics,prompt_id", *FAST]) == 0


@pytest.fixture
def templates(tmp_path: Path) -> str:
    """One system breaks on one template: 0.9 with two of them, 0.1 with json."""
    rng = np.random.default_rng(2)
    lines = ["question,model,template,score"]
    for q in range(40):
        for m in range(5):
            for t in ("plain", "cot", "json"):
                mean = 0.1 if (m, t) == (1, "json") else 0.9 - 0.1 * m
                lines.append(f"q{q},m{m},{t},{mean + rng.normal(0, 0.1):.3f}")
    path = tmp_path / "templates.csv"
    path.write_text("\n".join(lines) + "\n")
    return str(path)


def test_an_answer_says_which_templates_it_is_about_and_which_one_breaks_which_system(
    templates: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["assess", templates, *FAST]) == 0
    out = capsys.readouterr().out
    said = " ".join(out.split())
    assert "agree with the true one over these 3 templates at τ" in said
    assert re.search(
        r"The order depends on the template: m1 scores 0\.(09|10|11) with json and 0\.[78]\d with the other",
        said,
    )
    assert "Twice as many questions" not in said, "most of the noise is that of the templates"
    assert re.search(r"^m1( +0\.[78]\d\d){2} +0\.(0[89]|1[01])\d *$", out, re.MULTILINE)
