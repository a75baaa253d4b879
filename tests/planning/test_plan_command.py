"""`truerank plan`: what it prints, writes and refuses; its page and figure."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest

from truerank._support.wording import two_digits
from truerank.cli import run

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
    assert text.startswith("Order as a whole (τ = 0.9): you need about ")
    assert "plain and <b>|*x*: you need about " in text
    assert "a true difference of 0.05 with probability 0.8" in text
    assert "One number for all: about " in text
    assert "95% interval" in text


@pytest.mark.parametrize("draws", [2, 65])
def test_as_many_draws_as_requested(capsys, table, tmp_path, draws):
    """Also where they are not a multiple of the points of the hyperparameters, and fewer than these."""
    written = tmp_path / "plan.json"
    assert run(["plan", str(table), "--winner", "0.5", "--draws", str(draws), "--json", str(written)]) == 0
    assert f"{draws} draws; seed 0" in " ".join(capsys.readouterr().out.split())
    assert json.loads(written.read_text())["settings"]["draws"] == draws


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


@pytest.mark.parametrize(
    "arguments", [["--systems", "12", "--effect", "0.1"], ["--model", "web2010-p10", "--tau", "0.7"]]
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
        (["--model", "nothing"], "no such file"),
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
        ("topic=1,run=1", "nothing here is called 'run' that has a price; use --cost topic=1 with"),
        ("topic=0", "topics are free, so there is nothing to choose"),
    ],
)
def test_prices_that_are_refused(capsys, table, cost, message):
    code, out, err = call(capsys, table, "--cost", cost)
    assert (code, out) == (2, "")
    assert message in err
    assert len(err.splitlines()) == 1


def test_each_target_has_a_sentence_and_the_table_what_these_leave_out(capsys, table, tmp_path):
    path, scores = tmp_path / "plan.json", pd.read_csv(table, index_col="topic")
    scores["other"] = scores["<b>|*x*"] + np.random.default_rng(1).normal(0.005, 0.05, 20).round(4)
    scores.to_csv(table)
    targets = "--tau", "0.9", "--tau-ap", "0.9", "--winner", "0.95"
    code, out, err = call(capsys, table, *targets, "--cost", "topic=300", "--budget", "15100", "--json", path)
    assert code == 0, err
    answer, text = out.split("What to expect")[0], " ".join(out.split())
    for target in ("Order as a whole (τ = 0.9):", "(τ_AP = 0.9):", "First place:"):
        assert target in " ".join(answer.split())
    assert "Topics needed" in out
    plan = json.loads(path.read_text())
    furthest = max((n for n in plan["needed"] if n["topics"]), key=lambda one: one["topics"])
    (note,) = (one for one in plan["notes"] if one["code"] == "far-beyond-pilot")
    name = {"winner": "the first place", "tau": "τ = 0.9", "tau_ap": "τ_AP = 0.9"}[furthest["what"]]
    sure = " with 97.5% probability" if furthest["criterion"] == "low" else ""
    assert note["text"].startswith(
        f"{name}{sure} takes {two_digits(furthest['topics']):,} topics, far beyond"
    )
    assert "and the first place costs" in text


def test_topics_of_one_run_each_have_prices(capsys, table, tmp_path):
    """What they cost, and τ that a budget brings: that of the curve at as many topics."""
    path = tmp_path / "plan.json"
    arguments = [table, "--tau", "0.8", "--cost", "topic=300", "--budget", "15100", "--json", path]
    code, out, err = call(capsys, *arguments)
    assert code == 0, err
    plan, text = json.loads(path.read_text()), " ".join(out.split())
    n, needed, (design,) = plan["pilot_topics"], plan["needed"][0]["topics"], plan["spending"]["designs"]
    costs = f"τ = 0.8 costs {300 * needed:,}; the {n} that are there cost {300 * n:,}."
    assert f"At 300 each, {costs}" in text
    assert (design["topics"], design["cost"]) == (50, 15_000)
    (point,) = (one for one in plan["curve"] if one["topics"] == 50)
    assert design["estimate"] == pytest.approx(point["estimate"], abs=1e-9)
    ends = f"(95% interval {design['low']:.2f} to {design['high']:.2f})".replace("-", "−")
    assert (
        f"A budget of 15,100 buys 50 new topics, at an expected τ of {point['estimate']:.2f} {ends}" in text
    )
    x = pd.read_csv(table, index_col=0).to_numpy()
    i, j = np.triu_indices(x.shape[1], 1)
    spread = np.mean(np.var(x[:, i] - x[:, j], axis=0, ddof=1)) / 2
    assert design["variance"] == pytest.approx(spread / 50)


def test_who_leads_is_not_called_unclear_where_the_target_is_reached(capsys, tmp_path):
    """The interval of that chance is wide on both sides of the target."""
    texts = []
    for ahead in (0.05, 0.045):
        rng = np.random.default_rng(8)
        x = rng.normal(0, 0.05, (25, 5)) + np.array([0, 0.001, 0.002, 0.003, ahead])
        path = tmp_path / f"{ahead}.csv"
        pd.DataFrame(x.round(4), columns=list("ABCDE"), index=pd.RangeIndex(25, name="topic")).to_csv(path)
        texts.append(" ".join(call(capsys, path)[1].split()))
    chances = [int(re.search(r"best system first with (\d+)% probability", text)[1]) for text in texts]
    assert [chance >= 80 for chance in chances] == [True, False]
    assert ["Who leads is not clear yet" in text for text in texts] == [False, True]


def test_numbers_of_a_paper_have_ends_that_hold_them(capsys, table, tmp_path):
    """The end of an interval has none; the sentence on methods has the targets."""
    kit = tmp_path / "kit"
    assert call(capsys, table, "-m", "AP", "--paper", kit)[0] == 0
    macros = dict(re.findall(r"newcommand\{\\kit(\w+)\}\{(.*)\}", (kit / "numbers.tex").read_text()))
    number = {name: int(text.replace(",", "")) for name, text in macros.items() if "Topics" in name}
    ends = [name for name in number if f"{name}Low" in number]
    assert any("ForTau" in name for name in ends)
    assert any("ForWinner" in name for name in ends)
    assert all(number[f"{name}Low"] <= number[name] <= number[f"{name}High"] for name in ends)
    assured = [name for name in number if "AssuredForWinner" in name]
    assert len(assured) == 1
    assert number[assured[0]] == next(n for name, n in number.items() if name.endswith("WinnerZeroEightHigh"))
    method = (kit / "method.tex").read_text()
    assert r"An expected $\tau$ of 0.9 takes about" in method
    assert r"The best system first with 80\% probability takes about" in method
    assert "bavdaz" not in method + (kit / "references.bib").read_text()


DOCS = Path(__file__).resolve().parents[2] / "docs" / "methods"


def test_the_python_example(capsys: Any) -> None:
    text = (DOCS / "generalizability.md").read_text(encoding="utf-8")
    (script,) = re.findall(r"```python\n(.*?)```", text, re.DOTALL)
    exec(compile(script, "generalizability.md", "exec"), {})
    assert "tau_ap" in capsys.readouterr().out


def test_figures_of_a_real_collection(capsys: Any, data: Path) -> None:
    text = (DOCS / "generalizability.md").read_text(encoding="utf-8").replace("\n", " ")
    assert run(["plan", str(data / "trec" / "adhoc6_ap.csv"), "--stability", "0.95", "--draws", "64"]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    for topics, interval in (("53 topics", "36 to 73"), ("93 topics", "61 to 140")):
        assert topics in text
        assert f"{topics} (95% interval {interval})" in printed


def test_commands_that_need_no_files(capsys: Any) -> None:
    block = (DOCS / "planning.md").read_text(encoding="utf-8").split("```")[1]
    commands = [line.split("#")[0].split() for line in block.splitlines() if "--systems" in line]
    assert len(commands) == 2
    for command in commands:
        assert run([*command[1:], "--draws", "64"]) == 0
        assert "Order as a whole (τ = " in " ".join(capsys.readouterr().out.split())
