"""`truerank plan`: what it prints, writes and refuses; its page and figure."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.cli import run
from truerank.planning import plan
from truerank.report.charts.curves import plan_chart
from truerank.report.view import Asked
from truerank.report.views import view

NAMES = ["plain", "a_b & 50%", "<b>|*x*", "other"]


@pytest.fixture
def table(tmp_path):
    rng = np.random.default_rng(0)
    x = (rng.uniform(0.2, 0.5, (20, 1)) + rng.normal(0, 0.05, (20, 4)) + [0.0, 0.1, 0.2, 0.12]).round(4)
    path = tmp_path / "scores.csv"
    pd.DataFrame(x, columns=NAMES, index=pd.RangeIndex(1, 21, name="topic")).to_csv(path)
    return path


def call(capsys, *arguments):
    code = run(["plan", *map(str, arguments), "--draws", "64"])
    out = capsys.readouterr()
    return code, out.out, out.err


def test_what_is_printed(capsys, table):
    code, out, err = call(capsys, table, "--tau", "0.9", "--pair", "plain", "<b>|*x*", "--margin", "0.05")
    assert (code, err) == (0, "")
    assert max(map(len, out.splitlines())) <= 80
    text = " ".join(out.split())
    assert text.startswith("Order as a whole (τ = 0.9): you need from ")
    assert "plain and <b>|*x*: you need about " in text
    assert "a true difference of 0.05 with probability 0.8" in text
    assert "One number for all: about " in text
    assert "95% interval" in text


def test_beyond_a_range_of_ten_it_says_what_the_number_depends_on(capsys, table, tmp_path):
    """The sentence of each goal has one number where its interval is narrow, and the ends where it is not."""
    code, out, _ = call(capsys, table, "--json", tmp_path / "p.json")
    assert code == 0
    text = " ".join(out.split())
    needed = json.loads((tmp_path / "p.json").read_text(encoding="utf-8"))["needed"]
    goals = {
        "tau": ("Order as a whole", "much systems truly differ"),
        "winner": ("First place", "far the best"),
    }
    for one in needed:
        if one["criterion"] != "expected" or one["low"] is None:
            continue
        heading, depends = goals[one["what"]]
        sentence = text.partition(heading)[2].partition(". ")[0]
        assert (f"depending on how {depends}" in sentence) is (one["high"] > 10 * one["low"]), sentence
        assert ("you need about" in sentence) is (one["high"] <= 10 * one["low"])


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ([], "--margin needs --pair A B"),
        (["--systems", "12"], "--margin needs the scores of a pilot; name them"),
    ],
)
def test_a_margin_that_would_change_nothing_is_refused(capsys, table, given, says):
    code, out, err = call(capsys, *(given or [table]), "--margin", "0.05")
    assert (code, out) == (2, "")
    assert says in err


def test_json_alone(capsys, table):
    code, out, err = call(capsys, table, "--tau-ap", "0.8", "--json", "-")
    assert (code, err) == (0, "")
    document = json.loads(out)
    assert document["coefficient"] == "tau_ap"
    assert [n["what"] for n in document["needed"]] == ["tau_ap", "tau_ap"]


@pytest.mark.parametrize(
    "arguments",
    [["--systems", "12"], ["--systems", "12", "--effect", "0.1"], ["--model", "web2010-p10", "--tau", "0.7"]],
)
def test_without_scores(capsys, arguments):
    code, out, err = call(capsys, *arguments)
    assert (code, err) == (0, "")
    assert "Order as a whole (τ = " in " ".join(out.split())
    assert "generalizability" not in out.lower()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "needs one of these"),
        (["--systems", "5", "--extend"], "scores of a pilot"),
        (["--tau", "1.2", "--systems", "5"], "tau must be between 0 and 1"),
        (["--model", "nothing"], "no such file"),
        (["--systems", "5", "--budget", "100"], "--budget needs --cost PRICES"),
        (["-m", "AP"], "needs the scores of a pilot"),
    ],
)
def test_what_is_refused(capsys, arguments, message):
    code, out, err = call(capsys, *arguments)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("run=1,run=2", "--cost gives 'run' two prices; give it one"),
        ("run", "'run' is not a price"),
        ("topic=1", "give scores of several runs or prompts, or leave --cost out"),
        ("prompt_id=1", "give scores of several runs or prompts, or leave --cost out"),
    ],
)
def test_prices_that_are_refused(capsys, table, cost, message):
    code, out, err = call(capsys, table, "--cost", cost)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_scores_and_another_basis_are_refused(capsys, table):
    code, _, err = call(capsys, table, "--systems", "5")
    assert code == 2
    assert "stand for scores" in err


def test_the_page_says_what_the_plan_says(table):
    found = plan(truerank.read_scores(table), tau=0.9, draws=64, stability=0.9)
    page = found.to_html()
    assert page == found.to_html()
    assert "τ_" not in page
    assert "How many topics?" in page
    for number in (found.needed[0].topics, found.generalizability.relative.topics):
        assert f"{number:,.0f}" in page
    assert "merror" not in page


def test_the_figure_marks_targets_and_pilot(table, tmp_path):
    found = plan(truerank.read_scores(table), tau=0.9, tau_ap=0.85, draws=64)
    layers = plan_chart(found)["layer"]
    marks = [layer["mark"]["type"] for layer in layers]
    assert marks[:3] == ["area", "rule", "line"]
    assert marks.count("point") >= 3
    found.to_figures(tmp_path / "figures")
    root = ElementTree.fromstring((tmp_path / "figures" / "plan.svg").read_text(encoding="utf-8"))
    text = " ".join("".join(root.itertext()).split())
    assert root.get("width") == "240pt"
    for mark in ("Line:", "band:", "dashed:", "hollow:"):
        assert mark in text


def test_plans_of_several_measures_say_whose_they_are():
    """In the titles of their tables."""
    x = np.random.default_rng(1).uniform(0, 1, (12, 4))
    found = [
        view(plan(truerank.ScoreMatrix.build(x, measure=name), draws=64, seed=1), Asked())
        for name in ("AP", "P@10")
    ]
    titles = [
        next(t.caption for section in one.sections for t in section.tables if t.name == "curve")
        for one in found
    ]
    assert titles == [f"What to expect by number of new topics ({name})" for name in ("AP", "P@10")]
