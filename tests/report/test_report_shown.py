"""What every result can do in a notebook: say, draw and write itself."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

import truerank
from truerank.errors import InputError
from truerank.report import page_html
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
        "compare": truerank.compare(table, table.means[::-1], resamples=50),
        "gate": truerank.gate(table, "<s5>", ["<s0>", "<s11>"]),
        "plan": truerank.plan(table, tau=0.8, draws=64),
        "pair": truerank.assess(scores(2), draws=100),
    }


KINDS = ["assess", "compare", "gate", "plan", "pair"]


@pytest.mark.parametrize("kind", KINDS)
def test_a_notebook_shows_answer_and_picture(results: dict[str, Any], kind: str) -> None:
    html = results[kind]._repr_html_()
    assert html.count("<svg") == 1
    assert "<script" not in html
    assert "<s0>" not in html.replace("</s", "")
    first = re.sub(r"\W+", " ", results[kind].summary().splitlines()[0])
    said = re.sub(r"\W+", " ", re.sub(r"<[^>]*>", "", html).replace("&lt;", "<").replace("&gt;", ">"))
    assert first[:60] in said


@pytest.mark.parametrize("kind", KINDS)
def test_charts_are_altair_s(results: dict[str, Any], kind: str) -> None:
    import altair

    assert isinstance(results[kind].plot(), altair.TopLevelMixin)


@pytest.mark.parametrize("kind", KINDS)
def test_pages_and_tables_are_returned_or_written(results: dict[str, Any], kind: str, tmp_path: Any) -> None:
    result = results[kind]
    for method, suffix in (("to_html", "html"), ("to_latex", "tex"), ("to_markdown", "md")):
        path = tmp_path / f"r.{suffix}"
        text = getattr(result, method)()
        for _ in range(2):  # one's own file is replaced
            assert getattr(result, method)(path) is None
        assert path.read_text(encoding="utf-8").startswith(text.rstrip("\n"))
        path.write_text("mine", encoding="utf-8")
        with pytest.raises(InputError):
            getattr(result, method)(path)
    assert result.to_html().startswith("<!doctype html>")


def test_an_assessment_shows_the_baseline_that_was_asked_for(results: dict[str, Any]) -> None:
    result = results["assess"]
    assert result.to_html() == page_html(result)
    better = sum(d.verdict == "better" for d in result.baseline)
    worse = sum(d.verdict == "worse" for d in result.baseline)
    assert f"of the other 11 systems {better} are better, {worse} worse" in result.summary()
    html = result._repr_html_()
    assert "against <bdi>&lt;s5&gt;</bdi>" in html
    assert html.count(" better</td>") == sum(
        d.verdict == "better" for d in result.baseline if d.system in {s.system for s in result.ranking[:10]}
    )


def test_frames_have_what_the_results_have(results: dict[str, Any]) -> None:
    comparison, gate, plan = (results[kind] for kind in ("compare", "gate", "plan"))
    assert comparison.to_frame()["rank_distance"].tolist() == [comparison.distance.distance]
    assert gate.to_frame()["candidate"].tolist() == ["<s0>", "<s11>"]
    assert gate.to_frame()["difference"].tolist() == [one.difference for one in gate]
    curve = plan.to_frame()
    assert curve["estimate"].tolist() == [p.estimate for points in plan.curves.values() for p in points]
    assert set(curve["coefficient"]) == set(plan.curves)


def test_warnings_come_last_in_a_summary(results: dict[str, Any]) -> None:
    lines = truerank.assess(scores(12, 8), ["eb"], draws=100).summary().splitlines()
    marked = [line.startswith("! ") for line in lines]
    assert any(marked)
    assert marked == sorted(marked)


def test_a_page_has_the_name_of_a_page_and_a_comparison_a_short_repr(tmp_path) -> None:
    scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
    found = truerank.compare(scores, [0.5, 0.7, 0.1], resamples=50)
    with pytest.raises(InputError, match="html"):
        found.to_html(tmp_path / "x.txt")
    assert not list(tmp_path.iterdir())
    assert len(repr(found)) < 200
    assert f"tau {found.tau:.3f}" in repr(found)
