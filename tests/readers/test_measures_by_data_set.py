"""A board of data sets, each by its own measure."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from truerank.cli import run
from truerank.errors import TruerankError
from truerank.readers import read_scores

RNG = np.random.default_rng(5)
SETS = {"arc": ("acc", "loss"), "gsm8k": ("exact_match,strict-match", "acc"), "mmlu_a": ("acc", "loss")}
SYSTEMS, N = ("A", "B", "C"), 6
SCORES = {
    (name, measure): RNG.uniform(0, 1, (N, len(SYSTEMS))).round(3)
    for name, measures in SETS.items()
    for measure in measures
}


def rows(names: Sequence[str] = tuple(SETS)) -> str:
    lines = ["data_set,topic,system,measure,score"]
    for (name, measure), scores in SCORES.items():
        lines += [
            f'{name},q{t},{system},"{measure}",{scores[t, s]}'
            for t in range(N)
            for s, system in enumerate(SYSTEMS)
            if name in names
        ]
    return "\n".join(lines) + "\n"


WANTED = {"arc": "acc", "gsm8k": "exact_match,strict-match", "mmlu_*": "acc"}
TEXT = "arc=acc,gsm8k=exact_match,strict-match,mmlu_*=acc"


def expected() -> dict[str, np.ndarray]:
    return {name: SCORES[name, measures[0]] for name, measures in SETS.items()}


def folder(path: Path) -> Path:
    """A folder with a file for each data set, each with its own measures as columns."""
    path.mkdir()
    for name, measures in SETS.items():
        heads = [measure.partition(",")[0] for measure in measures]
        lines = [",".join(["topic", "system", *heads])]
        lines += [
            ",".join([f"q{t}", system, *(str(SCORES[name, measure][t, s]) for measure in measures)])
            for t in range(N)
            for s, system in enumerate(SYSTEMS)
        ]
        (path / f"{name}.csv").write_text("\n".join(lines) + "\n")
    return path


def test_each_data_set_has_the_scores_by_its_measure(tmp_path: Path) -> None:
    in_folder = {**WANTED, "gsm8k": "exact_match"}
    for source, measure in (
        (rows().encode(), WANTED),
        (rows().encode(), TEXT),
        (folder(tmp_path / "f"), in_folder),
    ):
        scores = read_scores(source, measure)
        assert set(scores.data_sets) == set(SETS)
        for k, name in enumerate(scores.data_sets):
            assert scores.strata is not None
            np.testing.assert_array_equal(scores.values[scores.strata == k], expected()[name])


def test_repeated_options_are_one_board_and_the_measure_reads_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "all.csv"
    path.write_text(rows())
    options = [part for name, measure in WANTED.items() for part in ("-m", f"{name}={measure}")]
    assert run(["assess", str(path), *options, "--json", "-"]) == 0
    found = json.loads(capsys.readouterr().out)
    means = {
        name: np.mean([scores.mean(axis=0)[s] for scores in expected().values()])
        for s, name in enumerate(SYSTEMS)
    }
    for system in found["ranking"]:
        assert system["mean"] == pytest.approx(means[system["system"]], rel=1e-9)
    assert found["measure"] == TEXT
    again = read_scores(path, found["measure"])
    np.testing.assert_allclose(again.means, list(means.values()), rtol=1e-9)


@pytest.mark.parametrize(
    ("measure", "said"),
    [
        ({"arc": "acc", "gsm8k": "acc"}, "data set 'mmlu_a' has no measure; give one to each"),
        ({"*": "acc", "nothing": "acc"}, "no data set 'nothing' has scores by acc"),
        ({"*": "acc", "gsm8k": "loss"}, "no data set 'gsm8k' has scores by loss"),
        ({"*": "acc", "gsm8k": "f1"}, "'f1'"),
        ({"*": "acc", "arc": "loss"}, "lower is better by loss, and higher by acc"),
    ],
)
def test_what_does_not_fit_is_refused(measure: dict[str, str], said: str) -> None:
    with pytest.raises(TruerankError) as refusal:
        read_scores(rows().encode(), measure)
    assert said in str(refusal.value)


def test_directions_are_of_the_measures_themselves() -> None:
    given = {"arc": "loss", "mmlu_a": "loss"}
    low = read_scores(rows(["arc", "mmlu_a"]).encode(), given)
    both = np.concatenate([SCORES[name, "loss"] for name in given])
    np.testing.assert_array_equal(low.values, -both)
    assert low.measure == "−arc=loss,mmlu_a=loss"
    high = read_scores(rows(["arc", "mmlu_a"]).encode(), given, direction="loss=higher")
    np.testing.assert_array_equal(high.values, both)
