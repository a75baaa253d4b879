"""`truerank compare` in a terminal: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest
import typer
from plain_distance import AP

from truerank.cli import compare as command
from truerank.cli.parsing import Command
from truerank.comparison.distance import BootstrapDistribution
from truerank.errors import PairError
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
    app.command("compare", cls=Command)(command.compare)

    def call(*arguments):
        app(args=list(map(str, arguments)), standalone_mode=False)
        return capsys.readouterr().out

    return call


def test_what_is_printed_fits_the_terminal(run, reference, ranking, tmp_path):
    other = tmp_path / ("a-very-long-name-of-a-file-" * 4 + ".txt")
    other.write_text("A\nB\nC\n")
    for arguments in ([ranking], [ranking, other]):
        printed = run(reference, *arguments, "--details")
        assert max(map(len, printed.splitlines())) <= 80
        share = "21% of all 256 rankings by resampled topics are at least that far (p = .211)"
        for text in ("0.65", ".211", "0.333", "256 resamples", share, "C "):
            assert text in " ".join(printed.split())
    assert "Pairs that ranking.txt has in the other order, 1 of 1" in " ".join(printed.split())
    assert "λ" not in printed  # it is 0 here
    assert printed.count(".050     0.6508") == 1  # those of one reference are printed once


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
    first = json.loads(run(reference, ranking, "--resamples", 20, "--save-resamples", saved, "--json", "-"))
    assert BootstrapDistribution.load(saved).resamples == 20
    again = json.loads(run(reference, ranking, "--resamples-file", saved, "--json", "-"))
    assert again == first


def test_a_bootstrap_of_different_systems_is_not_saved(run, ranking, tmp_path):
    fewer, reference = tmp_path / "fewer.txt", tmp_path / "four.csv"
    write_scores(ScoreMatrix.build([[*row, 0.1] for row in AP], systems="ABCD"), reference)
    fewer.write_text("D\nB\nC\n")
    with pytest.raises(typer.BadParameter, match="save the resamples of one at a time"):
        run(reference, ranking, fewer, "--save-resamples", tmp_path / "b.json")


def test_the_smallest_p_is_not_printed_as_zero(run, reference, tmp_path):
    import numpy as np

    path, other = tmp_path / "scores.csv", tmp_path / "other.txt"
    x = np.random.default_rng(0).normal(0.6, 0.01, (30, 3)) - [0, 0.2, 0.4]
    write_scores(ScoreMatrix.build(x, systems="ABC"), path)
    other.write_text("C\nB\nA\n")
    assert "<.005" in run(path, other, "--resamples", 200)


def test_control_characters_in_names_do_not_reach_the_terminal(run, tmp_path):
    path, other = tmp_path / "scores.csv", tmp_path / "other.txt"
    write_scores(ScoreMatrix.build(AP, systems=["A\x1b[31m", "B", "C"]), path)
    other.write_text("A\x1b[31m\nB\nC\n")
    assert "\x1b" not in run(path, other)


def test_several_rankings_have_one_table_and_a_folder_each(run, reference, ranking, tmp_path):
    other, page, folder = tmp_path / "other.txt", tmp_path / "page.html", tmp_path / "tables"
    other.write_text("A\nB\nC\n")
    printed = run(reference, ranking, other, "--html", page, "--csv", folder)
    assert printed.count("Agreement with ap.csv: 3 systems, 4 topics") == 1
    assert {path.name for path in (folder / "other.txt").iterdir()} == {
        "coefficients.csv",
        "swaps.csv",
        "systems.csv",
        "critical_values.csv",
    }
    assert page.read_text().count("<h2>Coefficients</h2>") <= 2  # the joint one, and that of the second view


def test_two_systems_get_the_command_to_use(run, reference, tmp_path):
    two = tmp_path / "two.txt"
    two.write_text("C\nB\n")
    with pytest.raises(PairError, match=f"truerank gate {reference} --baseline B --candidate C"):
        run(reference, two)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "name another ranking"),
        (["OTHER", "--resamples", "5", "--resamples-file", "b.json"], "saved ones have their own"),
        (["OTHER", "--qrels", "q"], "none of these is one"),
    ],
)
def test_options_that_do_not_go_together(run, reference, ranking, arguments, message):
    given = [ranking if argument == "OTHER" else argument for argument in arguments]
    with pytest.raises(typer.BadParameter, match=message):
        run(reference, *given)
