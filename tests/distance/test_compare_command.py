"""`truerank compare` in a terminal: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest
import typer
from plain_distance import AP

from truerank.cli import compare as command
from truerank.comparison.distance import BootstrapDistribution
from truerank.readers import write_scores
from truerank.scores import ScoreMatrix


@pytest.fixture
def reference(tmp_path):
    path = tmp_path / "ap.csv"
    write_scores(ScoreMatrix.build(AP, systems="ABC", measure="AP"), path)
    return str(path)


@pytest.fixture
def ranking(tmp_path):
    path = tmp_path / "ranking.txt"
    path.write_text("B\nC\nA\n")
    return str(path)


@pytest.fixture
def run(capsys):
    app = typer.Typer()
    app.command("compare")(command.compare)

    def call(*arguments):
        app(args=list(map(str, arguments)), standalone_mode=False)
        return capsys.readouterr().out

    return call


def test_what_is_printed_fits_the_terminal(run, reference, ranking, tmp_path):
    other = tmp_path / ("a-very-long-name-of-a-file-" * 4 + ".txt")
    other.write_text("A\nB\nC\n")
    for arguments in ([ranking], [ranking, other, ranking]):
        printed = run(reference, *arguments, "--critical")
        assert max(map(len, printed.splitlines())) <= 80
        share = "reference 21% are at least that far from it (p = .211)"
        for text in ("0.65", ".211", "0.333", "256 resamples", share, "C "):
            assert text in " ".join(printed.split())
    assert "The swaps that weigh most, 1 of 1" in " ".join(printed.split())
    assert "λ" not in printed  # it is 0 here
    assert ".050     0.6508" in printed


def test_an_agreeing_ranking_says_so(run, reference, tmp_path):
    path = tmp_path / "same.txt"
    path.write_text("C\nB\nA\n")
    assert "The rankings agree" in run(reference, path)


def test_json_is_one_object_or_a_list(run, reference, ranking, tmp_path):
    one = json.loads(run(reference, ranking, "--json", "-"))
    assert one["p_value"] == 54 / 256
    many = json.loads(run(reference, ranking, ranking, "--json", "-"))
    assert many == [one, one]
    target = tmp_path / "out.json"
    assert "Agreement" in run(reference, ranking, "--json", target)
    assert json.loads(target.read_text()) == one


def test_the_bootstrap_is_saved_and_used_again(run, reference, ranking, tmp_path):
    saved = tmp_path / "bootstrap.json"
    first = json.loads(run(reference, ranking, "--samples", 20, "--save-bootstrap", saved, "--json", "-"))
    assert BootstrapDistribution.load(saved).resamples == 20
    again = json.loads(run(reference, ranking, "--bootstrap", saved, "--json", "-"))
    assert again == first


def test_a_bootstrap_of_different_systems_is_not_saved(run, reference, ranking, tmp_path):
    fewer = tmp_path / "fewer.txt"
    fewer.write_text("B\nC\n")
    with pytest.raises(typer.BadParameter, match="save one bootstrap at a time"):
        run(reference, ranking, fewer, "--save-bootstrap", tmp_path / "b.json")


def test_the_smallest_p_is_not_printed_as_zero(run, reference, tmp_path):
    import numpy as np

    path, other = tmp_path / "scores.csv", tmp_path / "other.txt"
    x = np.random.default_rng(0).normal(0.6, 0.01, (30, 3)) - [0, 0.2, 0.4]
    write_scores(ScoreMatrix.build(x, systems="ABC"), path)
    other.write_text("C\nB\nA\n")
    assert "<.005" in run(path, other, "--samples", 200)


def test_control_characters_in_names_do_not_reach_the_terminal(run, tmp_path):
    path, other = tmp_path / "scores.csv", tmp_path / "other.txt"
    write_scores(ScoreMatrix.build(AP, systems=["A\x1b[31m", "B", "C"]), path)
    other.write_text("A\x1b[31m\nB\nC\n")
    assert "\x1b" not in run(path, other)
