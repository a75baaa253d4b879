"""`truerank compare` in a terminal: what it prints, writes and refuses."""

from __future__ import annotations

import json

import pytest
from plain_distance import AP

from truerank.cli import PROGRAM
from truerank.cli.command import UsageError
from truerank.comparison.distance import BootstrapDistribution
from truerank.errors import InputError, PairError
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
    def call(*arguments):
        PROGRAM.run(["compare", *map(str, arguments)])
        return capsys.readouterr().out

    return call


def test_json_is_one_object_or_a_list(run, reference, ranking, tmp_path):
    one = json.loads(run(reference, ranking, "--json", "-"))
    assert one["p_value"] == 54 / 256
    many = json.loads(run(reference, ranking, ranking, "--json", "-"))
    assert many == [one, one]
    target = tmp_path / "out.json"
    assert "Agreement" in run(reference, ranking, "--json", target)
    assert json.loads(target.read_text()) == one


def test_a_rare_distance_is_told_in_rankings_of_all(run, tmp_path):
    """A share below 0.1% of them as a number, not as a percentage."""
    table, ranking = tmp_path / "few.csv", tmp_path / "ranking.txt"
    rows = ["t1,.49,.46,.33", "t2,.33,.47,.34", "t3,.41,.44,.34", "t4,.49,.38,.35", "t5,.39,.36,.25"]
    table.write_text("\n".join(["topic,a,b,c", *rows]) + "\n")
    ranking.write_text("b\nc\na\n")
    found = json.loads(run(table, ranking, "--json", "-"))["p_value"]
    assert 0 < found * 5**5 < 4
    said = " ".join(run(table, ranking).split())
    assert "fewer than 4 of all 3,125 rankings by resampled topics are that far" in said


def test_the_bootstrap_is_saved_and_used_again(run, reference, ranking, tmp_path):
    saved = tmp_path / "bootstrap.json"
    first = json.loads(run(reference, ranking, "--resamples", 20, "--save-resamples", saved, "--json", "-"))
    assert BootstrapDistribution.load(saved).resamples == 20
    again = json.loads(run(reference, ranking, "--resamples-file", saved, "--json", "-"))
    assert again == first


def test_two_systems_get_the_command_to_use(run, reference, tmp_path):
    two = tmp_path / "two.txt"
    two.write_text("C\nB\n")
    with pytest.raises(PairError, match=f"truerank gate {reference} --baseline B --candidate C"):
        run(reference, two)


def test_rankings_alone_are_refused_with_what_to_take(run, reference, ranking, tmp_path):
    """And the pair of one that is in the other order is spoken of as one."""
    with pytest.raises(InputError, match=r"ranking.txt: a ranking without scores .* truerank\.tau in Python"):
        run(ranking, ranking)
    other = tmp_path / "other.txt"
    other.write_text("C\nA\nB\n")  # of the reference C, B, A
    said = " ".join(run(reference, other).split())
    assert "1 of 3 pairs of systems is in the other order (τ = 0.33); that pair d" in said


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
    with pytest.raises(UsageError, match=message):
        run(reference, *given)
