"""The experiments on runs, facets and subsets of topics: what one collection is, and what is known of it."""

from __future__ import annotations

import numpy as np
import pytest

from truerank._support.seeds import stream
from truerank.coefficients import TAU
from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, run
from truerank.scores import ScoreMatrix
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


def board(rng: np.random.Generator, topics: int, systems: int = 12) -> np.ndarray:
    return rng.normal(np.linspace(0.5, 0, systems), 1, (topics, systems))


def test_the_experiment(tmp_path) -> None:
    values = board(np.random.default_rng(3), 90, 6)
    given = {"board": ScoreMatrix.build(values)}
    results = run("subsets", given, tmp_path / "a", workers=1, trials=12, topics=(10, 30, 200), draws=200)
    points = results.to_frame("points")
    assert set(points["topics"]) == {10, 30}  # of 90 topics, at most a third is drawn
    tau = points[(points["coefficient"] == TAU.name) & (points["estimator"] == "eb")]
    assert (tau["draws"] == 12).all()
    assert (tau["bias"].abs() <= 0.1 + 3 * tau["bias_se"]).all()
    gates = results.to_frame("gates")
    assert (gates["bounds"] >= 0.85).all()
    assert (gates["denied"] <= gates["better"]).all()
    with pytest.raises(InputError, match="has 20 topics; the experiment needs 30"):
        run("subsets", {"small": values[:20]}, tmp_path / "b", workers=1)


def test_topics_of_a_cluster_are_drawn_together(tmp_path) -> None:
    rng = np.random.default_rng(4)
    shared = rng.normal(0, 2, (45, 1, 5))
    values = (shared + rng.normal(np.linspace(1, 0, 5), 0.5, (45, 4, 5))).reshape(180, 5)
    clusters = np.repeat(np.arange(45), 4).tolist()
    given = {"grouped": ScoreMatrix.build(values, clusters=clusters), "plain": ScoreMatrix.build(values)}
    results = run("subsets", given, tmp_path / "a", workers=1, trials=20, topics=(15,), draws=200)
    tau = results.to_frame("points").query("estimator == 'eb' and coefficient == 'tau'").set_index("data")
    assert abs(tau.loc["grouped", "bias"]) <= 0.06 + 3 * tau.loc["grouped", "bias_se"]
