"""What experiments declare: parameters with limits, texts of tables, and the one summarizer."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pandas as pd
import pytest

from truerank._support.references import REFERENCES
from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, option
from truerank.experiments.experiment import build, options
from validation.studies.populations import over_populations


@dataclass(frozen=True)
class Base:
    trials: int = option(5, "How many.", grows=True, least=1)
    sizes: tuple[int, ...] = option((), "Sizes.", least=3)
    words: tuple[str, ...] = option(("a",), "Words.", empty=True)


@dataclass(frozen=True)
class Other(Base):
    trials: int = option(7)
    sizes: tuple[int, ...] = option((4, 5), "Other sizes.")
    words: tuple[str, ...] = option(("b", "c"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"trials": 0}, "trials must be at least 1, not 0"),
        ({"sizes": "3,2"}, "sizes must be at least 3, not 2"),
        ({"sizes": ""}, "sizes: name at least one"),
        ({"sizes": "4,4"}, "sizes names something twice: 4,4"),
        ({"words": "x,x"}, "words names something twice: x,x"),
    ],
)
def test_numbers_outside_their_limits_are_refused(given: dict[str, object], message: str) -> None:
    with pytest.raises(InputError, match=message):
        build(Other, given)


def test_defaults_are_within_their_limits_and_every_parameter_has_a_help() -> None:
    for experiment in EXPERIMENTS.values():
        build(experiment.parameters, {})
        assert all(declared.get("help") for declared in options(experiment.parameters).values()), (
            experiment.name
        )
        assert experiment.label
        assert experiment.source
        assert experiment.explanation.strip() or experiment.name in ("documents", "draws")
        assert set(experiment.references) <= set(REFERENCES)


def test_statistics_over_populations_are_those_of_a_loop() -> None:
    rng = np.random.default_rng(1)
    rows = [
        {"data": data, "topics": n, "bias": rng.normal(), "bias_se": rng.uniform(), "bias_count": 7 + n}
        for n in (20, 10)
        for data in "abc"
    ]
    names = ("mean", "se", "size", "largest", "least", "most", "total", "populations")
    found = over_populations(pd.DataFrame(rows), ["topics"], {name: ("bias", name) for name in names})
    assert list(found["topics"]) == [20, 10]
    for _, row in found.iterrows():
        mine = [one for one in rows if one["topics"] == row["topics"]]
        bias = [one["bias"] for one in mine]
        sizes = [abs(value) for value in bias]
        variance = sum(one["bias_se"] ** 2 for one in mine) / 9
        expected = (sum(bias) / 3, variance**0.5, sum(sizes) / 3, max(sizes), min(bias), max(bias))
        total = sum(one["bias_count"] for one in mine)
        assert [row[name] for name in names] == pytest.approx([*expected, total, 3])
