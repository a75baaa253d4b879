"""The experiments on runs and facets: what one collection is, and what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from truerank._support.seeds import stream
from truerank.experiments import EXPERIMENTS
from validation.studies.noisy_populations import KINDS, Noisy


@pytest.mark.parametrize("kind", KINDS)
def test_populations_have_the_variances_and_means_that_they_say(kind: str) -> None:
    rng = stream(1, kind)
    truths = Noisy(kind).truths(2.0, rng)
    cells = truths.cells(20_000, 1, rng)
    np.testing.assert_allclose(cells.mean(axis=0), truths.means, atol=0.03)
    runs = truths.runs(cells, 2, rng)
    topic = cells - cells.mean(axis=1, keepdims=True)
    between = topic.var(axis=0).mean() * cells.shape[1] / (cells.shape[1] - 1)
    assert runs.var(axis=2, ddof=1).mean() / between == pytest.approx(2.0, rel=0.12)


@pytest.mark.parametrize("name", ["runs", "facets"])
def test_grids_name_what_is_worked(name: str) -> None:
    experiment = EXPERIMENTS[name]
    parameters = experiment.parameters(trials=1)
    assert set(experiment.load([], parameters)) <= {"normal", "binary"}
