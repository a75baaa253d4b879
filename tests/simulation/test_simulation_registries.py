"""Simulators, copulas and margins say of themselves what whoever shows them needs."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
import pytest

from scripts.site.mathml import math_block
from truerank import simulation
from truerank._support.references import reference
from truerank.simulation import COPULAS, FAMILIES, SIMULATORS, CopulaFamily
from truerank.simulation.copulas import GaussianCopula

THINGS = [*SIMULATORS.values(), *COPULAS.values(), *FAMILIES.values()]


@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.name)
def test_each_has_a_label_and_references_that_exist(thing: Any) -> None:
    assert thing.label
    assert thing.references
    if thing.name in SIMULATORS:
        assert thing.explanation.strip()
        assert "<math" in math_block(thing.formula)
    for key in (*thing.references, *re.findall(r"\[@([^\]]+)\]", thing.explanation)):
        assert reference(key).title


def test_a_copula_of_ones_own_gets_the_options_that_it_takes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(COPULAS, "_things", dict(COPULAS))
    got: dict[str, Any] = {}

    def fit(values: Any, rng: Any, truncation: int = 1, threads: int = 1) -> GaussianCopula:
        got.update(truncation=truncation, threads=threads)
        return GaussianCopula.fit(values)

    COPULAS.register(CopulaFamily("mine", "my own", fit, GaussianCopula.rebuild))
    scores = np.random.default_rng(1).beta(2, 3, (20, 3))
    model = simulation.fit(scores, copula="mine", truncation=2, threads=3)
    assert got == {"truncation": 2, "threads": 3}
    assert np.allclose(model.true_means, scores.mean(axis=0))
