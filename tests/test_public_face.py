"""What users see of the package: names, one order of arguments, one kind of interval, one ``to_dict``."""

from __future__ import annotations

import inspect
import json
import subprocess
import sys

import pandas as pd
import pytest

import truerank
from truerank.comparison.distance import Reference
from truerank.errors import InputError
from truerank.numerics.intervals import Interval

AP = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
P10 = [0.5, 0.75, 0.7]

ROOMS = [
    "coefficients",
    "comparison",
    "distance",
    "documents",
    "estimators",
    "experiments",
    "planning",
    "readers",
    "reliability",
    "report",
    "significance",
    "simulation",
]


def fresh(program: str) -> str:
    """What a program prints that starts with nothing imported."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    return done.stdout + done.stderr.strip().split("\n")[-1]


def test_dir_names_what_is_public_and_no_more() -> None:
    assert set(dir(truerank)) == {*truerank.__all__, *ROOMS}
    assert fresh("import truerank; print(*dir(truerank))").split() == dir(truerank)


def test_every_public_name_is_there_without_another_import() -> None:
    program = "import truerank; print(*(getattr(truerank, name).__name__ for name in {!r}))"
    assert [name.split(".")[-1] for name in fresh(program.format(ROOMS)).split()] == ROOMS
    for name in truerank.__all__:
        assert getattr(truerank, name) is not None


@pytest.mark.parametrize(
    "function",
    [truerank.rank_distance, truerank.rank_distance_test, truerank.significance.significant_agreement],
)
@pytest.mark.parametrize(
    ("first", "second"),
    [
        (P10, AP),
        (pd.Series(P10), pd.DataFrame(AP)),
        (dict(zip("ABC", P10, strict=True)), truerank.ScoreMatrix.build(AP, systems="ABC")),
        (truerank.ScoreMatrix.build(AP), Reference.of(AP)),
    ],
)
def test_swapped_arguments_are_refused_with_the_new_way(function, first, second) -> None:
    with pytest.raises(
        InputError, match=rf"the reference scores come first.*{function.__name__}\(scores, y\)"
    ):
        function(first, second)


@pytest.mark.parametrize("function", [truerank.compare, truerank.rank_distance_test])
def test_unknown_keywords_are_refused(function) -> None:
    with pytest.raises(TypeError, match="unknown argument"):
        function(AP, P10, anything=50)
    assert inspect.signature(function).parameters["resamples"].default == 10_000


def test_one_kind_of_interval() -> None:
    intervals = [
        truerank.kendall_interval(0.9, 25),
        truerank.compare(AP, P10).kendall_interval,
        *truerank.assess(AP, "ml", draws=50).estimate("tau").intervals,
    ]
    for interval in intervals:
        assert isinstance(interval, truerank.Interval)
        low, high = interval
        assert interval.to_dict() == {"level": 0.95, "low": low, "high": high, "method": interval.method}
    assert Interval(0.9, float("nan"), 1.0, "quantile").to_dict()["low"] is None


def test_results_have_one_way_to_json() -> None:
    for result in (
        truerank.plan(AP, draws=64),
        truerank.compare(AP, P10, resamples=100),
        truerank.rank_distance_test(AP, P10, resamples=100),
        truerank.significance.analyze(AP, baseline="sys1"),
        truerank.significance.anova(AP),
        truerank.kendall_interval(0.5, 9),
        truerank.assess(AP, "ml", draws=50),
    ):
        document = result.to_dict()
        assert json.loads(json.dumps(document, allow_nan=False)) == document


@pytest.mark.parametrize(
    ("levels", "message"),
    [
        (1, "must be between 0 and 1, not 1$"),
        (95, "write 0.95 for 95%"),
        ("0.95", "must be a number between 0 and 1, not '0.95'"),
        ([], "at least one level"),
    ],
)
def test_levels_that_are_none(levels, message) -> None:
    with pytest.raises(InputError, match=message):
        truerank.assess(AP, "ml", levels=levels, draws=50)
