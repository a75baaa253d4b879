"""What every result can do in a notebook: say, draw and write itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.report.views import view
from truerank.scores import ScoreMatrix


def scores(systems: int = 12, topics: int = 30) -> ScoreMatrix:
    rng = np.random.default_rng(2)
    values = rng.normal(0.5, 0.1, (topics, systems)) - np.linspace(0, 0.3, systems)
    return ScoreMatrix.build(values, systems=[f"<s{i}>" for i in range(systems)], measure="AP")


@pytest.fixture(scope="module")
def results() -> dict[str, Any]:
    table = scores()
    return {
        "assess": truerank.assess(table, ["eb"], baseline="<s5>", draws=200),
        "gate": truerank.gate(table, "<s5>", ["<s0>", "<s11>"]),
        "plan": truerank.plan(table, tau=0.8, draws=64),
    }


KINDS = ["assess", "gate", "plan"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_the_answer(results: dict[str, Any], kind: str) -> None:
    html = results[kind]._repr_html_()
    assert "<script" not in html
    assert "<s0>" not in html.replace("</s", "")
    first = re.sub(r"\W+", " ", next(iter(view(results[kind]).answer)))
    said = re.sub(r"\W+", " ", re.sub(r"<[^>]*>", "", html).replace("&lt;", "<").replace("&gt;", ">"))
    assert first[:60] in said


@pytest.mark.parametrize("kind", KINDS)
def test_pages_and_tables_are_returned_or_written(results: dict[str, Any], kind: str, tmp_path: Any) -> None:
    result = results[kind]
    for method, suffix in (("to_html", "html"), ("to_latex", "tex"), ("to_markdown", "md")):
        path = tmp_path / f"r.{suffix}"
        text = getattr(result, method)()
        for _ in range(2):  # a file that the user names is replaced
            assert getattr(result, method)(path) is None
        assert path.read_text(encoding="utf-8") == text
        with pytest.raises(InputError, match="does not exist"):
            getattr(result, method)(tmp_path / "nowhere" / f"r.{suffix}")
    (tmp_path / "ranking.csv").write_text("mine", encoding="utf-8")
    (tmp_path / f"{view(result).tables[0].name}.csv").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError):  # in a folder, names are truerank's, and this file is not
        result.to_csv(tmp_path)
