"""The experiment `planning`: its rows and tables, on a small population."""

from __future__ import annotations

import math

import numpy as np
import pytest

from truerank.coefficients import TAU
from truerank.experiments import run
from truerank.report.writers.frame import frame
from truerank.scores import ScoreMatrix
from truerank.simulation import fit
from validation.studies.planning import EXPERIMENT, _actual, _others


@pytest.fixture(scope="module")
def results(tmp_path_factory):
    rng = np.random.default_rng(1)
    ability = rng.normal(0, 0.05, 8)
    scores = np.clip(0.3 + ability + rng.normal(0, 0.1, (30, 1)) + rng.normal(0, 0.1, (30, 8)), 0, 1)
    model = fit(ScoreMatrix.build(scores, measure="AP"), "effects", seed=1, truth="model")
    return run(
        EXPERIMENT,
        {"small": model},
        tmp_path_factory.mktemp("planning") / "run",
        workers=1,
        trials=6,
        topics=(10, 20),
        sizes=(20, 50),
        draws=64,
        seed=2,
    )


def test_every_method_predicts_every_size(results):
    points = results.frame("points")
    new = points[points["method"] != "eb, extended"]
    assert len(new) == 6 * 2 * 2 * 2 * 6  # trials, pilots, sizes, coefficients, methods
    assert set(new.groupby(["trial", "pilot", "topics", "coefficient"])["actual"].nunique()) == {1}
    extended = points[points["method"] == "eb, extended"]
    assert set(zip(extended["pilot"], extended["topics"], strict=True)) == {(10, 20), (10, 50), (20, 50)}


def test_tables_are_means_of_rows(results):
    tables = {table.name: frame(table) for table in EXPERIMENT.summarize(results).tables}
    rows = results.frame("points")
    cell = rows.query("method == 'eb' and pilot == 20 and topics == 50 and coefficient == 'tau'")
    shown = tables["bias"].query("method == 'eb' and pilot == 20 and topics == 50 and coefficient == 'tau'")
    assert shown["bias"].item() == pytest.approx((cell["estimate"] - cell["actual"]).mean())
    assert shown["error"].item() == pytest.approx((cell["estimate"] - cell["actual"]).abs().mean())
    inside = results.frame("intervals").query("pilot == 20 and topics == 50 and coefficient == 'tau'")
    coverage = tables["average-coverage"].query("pilot == 20 and topics == 50 and coefficient == 'tau'")
    assert coverage["covered_80"].item() == pytest.approx(inside["covered_80"].mean())
    advice = tables["average-advice"]
    assert set(advice["method"]) == {"eb", "plug-in", "map", "sh-power", "sh-exponential", "sh-logit"}


def test_the_actual_coefficient_is_that_of_plain_tau():
    import truerank

    rng = np.random.default_rng(3)
    means, truth = rng.normal(size=(5, 9)), rng.normal(size=9)
    expected = [truerank.tau(truth, one) for one in means]
    assert _actual(means, truth, TAU) == pytest.approx(expected)


def test_split_half_curves_go_through_their_points():
    """Where the split halves always agree, every curve says that all is well."""
    ranked = np.random.default_rng(4).normal(0, 1e-6, (12, 5)) + np.arange(5)[::-1]
    for name, predict in _others(ranked, TAU, 1).items():
        assert predict(100.0) == pytest.approx(1.0, abs=1e-4), name
        assert math.isfinite(predict(10_000.0))
