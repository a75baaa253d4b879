"""What commands print of a table with runs: one table of noise, whole runs to buy, notes without a mark."""

from __future__ import annotations

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
