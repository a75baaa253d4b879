"""`truerank plan`: what it prints, writes and refuses; its page and figure."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

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
    assert text.startswith("Order as a whole (τ = 0.9): you need from ")
    assert "plain and <b>|*x*: you need about " in text
    assert "a true difference of 0.05 with probability 0.8" in text
    assert "One number for all: about " in text
    assert "95% interval" in text


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
        ("topic=1", "prices are for scores of one data set with several runs or prompts; leave --cost out"),
        (
            "prompt_id=1",
            "prices are for scores of one data set with several runs or prompts; leave --cost out",
        ),
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
