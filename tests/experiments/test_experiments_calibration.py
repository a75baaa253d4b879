"""The calibration experiment against `assess`, and against sums done again by hand."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import truerank
from truerank import simulation
from truerank._support.seeds import sequence
from truerank.errors import InputError, UnknownNameError
from truerank.experiments import run
from truerank.experiments.store import Results
from truerank.numerics.intervals import normal_interval
from truerank.report.outputs.data import frame
from truerank.scores import ScoreMatrix


@pytest.fixture(scope="module")
def found(table: ScoreMatrix, tmp_path_factory: pytest.TempPathFactory) -> Results:
    folder = tmp_path_factory.mktemp("calibration") / "r"
    return run(
        "calibration", table, folder, workers=1, seed=3, trials=6, topics=(10, 30), draws=300, resamples=200
    )


def collection(table: ScoreMatrix, seed: int, task: dict[str, Any]) -> tuple[ScoreMatrix, np.ndarray, int]:
    """The scores of a task, made again; the true mean of each rank; the task's seed."""
    key = [part for item in task.items() for part in item]
    own = int(sequence(seed, "calibration", *key).generate_state(1, np.uint64)[0])
    kept = table.drop_bottom(0.25)
    fit_seed = int(sequence(seed, "fit").generate_state(1)[0])
    model = (
        simulation.fit(kept, "effects", seed=fit_seed, truth="model")
        if "effects" in task["data"]
        else simulation.fit(kept, "copula", seed=fit_seed)
    )
    scores = model.sample(int(task["topics"]), own)
    return scores, np.asarray(model.true_means)[scores.order], own


@pytest.mark.parametrize("data", ["AP (effects)", "AP (copula)"])
def test_estimates_and_intervals_are_those_of_assess(table: ScoreMatrix, found: Results, data: str) -> None:
    task = {"trial": 1, "data": data, "topics": 30}
    scores, _, seed = collection(table, 3, task)
    one_collection = f"trial == 1 and data == {data!r} and topics == 30"
    points, intervals = (found.frame(name).query(one_collection) for name in ("points", "intervals"))
    levels = (0.8, 0.9, 0.95)
    shrunk = truerank.assess(scores, ["eb", "msqd"], levels=levels, draws=300, seed=seed)
    thesis = truerank.assess(scores, "ml", levels=levels, draws=300, seed=seed, dependence="sample")
    for written, result in (("eb/shrunk/quantile", shrunk), ("ml/sample/normal", thesis)):
        name, _, kind = written.split("/")
        for c in ("tau", "tau_ap"):
            estimate = result.estimate(c, name)
            point = points.query("estimator == @name and coefficient == @c").iloc[0]
            assert point["estimate"] == pytest.approx(estimate.estimate, abs=1e-12)
            which = intervals[["estimator", "dependence", "interval"]].agg("/".join, axis=1)
            one = intervals[(which == written) & (intervals["coefficient"] == c)].iloc[0]
            for level in levels:
                interval = estimate.interval(level, kind)
                if kind == "normal":  # published as it is, where assess ends it at 1
                    interval = normal_interval(estimate.estimate, estimate.variance, level)
                inside = interval.low <= point["actual"] <= interval.high
                assert one[f"covered_{100 * level:g}"] == inside
                assert one[f"width_{100 * level:g}"] == pytest.approx(interval.high - interval.low, abs=1e-12)


def test_bins_of_pairs_add_up_to_the_coefficient(found: Results) -> None:
    pairs = found.frame("swaps")
    assert (pairs["pairs"] > 0).all()
    assert (pairs["low"] <= pairs["predicted"]).all()
    below_last = pairs[pairs["high"] < 0.5]  # the last bin also holds what is above it
    assert (below_last["predicted"] <= below_last["high"]).all()
    points = found.frame("points").query("coefficient == 'tau'")
    key = ["trial", "data", "topics", "estimator"]
    sums = (
        pairs.assign(p=pairs["predicted"] * pairs["pairs"], d=pairs["swapped"] * pairs["pairs"])
        .groupby(key)[["pairs", "p", "d"]]
        .sum()
    )
    assert sums["pairs"].nunique() == 1
    beside = points.set_index(key).loc[sums.index]
    assert np.allclose(1 - 2 * sums["p"] / sums["pairs"], beside["estimate"], atol=1e-12)
    assert np.allclose(1 - 2 * sums["d"] / sums["pairs"], beside["actual"], atol=1e-12)


def test_tables_are_the_means_of_the_rows(found: Results) -> None:
    tables = {t.name: frame(t) for t in found.findings.tables}
    rows = found.frame("points").query("data == 'AP (effects)' and coefficient == 'tau' and topics == 30")
    points = rows.pivot(index="trial", columns="estimator", values="estimate")
    actual = rows[rows["estimator"] == "eb"].set_index("trial")["actual"]
    errors = points.sub(actual, axis=0)

    def of(name: str, **more: Any) -> Any:
        table = tables[name]
        wanted = {"data": "AP (effects)", "coefficient": "tau", "topics": 30} | more
        return table[np.logical_and.reduce([table[k] == v for k, v in wanted.items()])].iloc[0]

    assert of("bias")["eb"] == pytest.approx(errors["eb"].mean())
    assert of("error")["ml"] == pytest.approx(errors["ml"].abs().mean())
    assert of("error")["constant"] == pytest.approx((actual - actual.median()).abs().mean())
    more = errors["ml"].abs() - errors["eb"].abs()
    paired = of("paired", estimator="ml")
    assert paired["difference"] == pytest.approx(more.mean())
    assert paired["difference_se"] == pytest.approx(more.std(ddof=1) / np.sqrt(len(more)))
    coverage = tables["coverage"]
    some = coverage[(coverage["coefficient"] == "tau") & (coverage["topics"] == 10)]
    some = some[some["interval"] == "eb/shrunk/quantile"]
    covered = tables["average-coverage"]
    row = covered[(covered["coefficient"] == "tau") & (covered["topics"] == 10)]
    row = row[row["interval"] == "eb/shrunk/quantile"].iloc[0]
    assert row["90"] == pytest.approx(some["90"].mean())
    misses = [abs(some[level] - float(level) / 100).max() for level in ("80", "90", "95")]
    assert row["miss"] == pytest.approx(max(misses))


@pytest.mark.parametrize(
    ("given", "error", "words"),
    [
        ({"intervals": "eb/shrunk"}, InputError, "ESTIMATOR/DEPENDENCE/KIND"),
        ({"intervals": "kd/shrunk/quantile"}, InputError, "among the estimators"),
        ({"intervals": "eb/shrnk/quantile"}, UnknownNameError, "shrunk"),
        ({"estimators": "eb,sh-w", "intervals": "sh-w/shrunk/normal"}, InputError, "no swap probabilities"),
        ({"levels": "95"}, InputError, "between 0 and 1"),
        ({"simulator": "copula", "simulator_options": "effects.truth=original"}, InputError, "not fitted"),
    ],
)
def test_parameters_that_make_no_sense(
    table: ScoreMatrix, tmp_path: Path, given: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        run("calibration", table, tmp_path / "r", workers=1, trials=1, **given)
    assert not (tmp_path / "r").exists()


@pytest.mark.parametrize("experiment", ["estimators", "calibration"])
def test_scores_of_several_data_sets_are_refused(experiment: str, table: ScoreMatrix, tmp_path: Path) -> None:
    sets = ScoreMatrix.build(table.values, data_sets=["a", "b"] * (table.n // 2))
    with pytest.raises(InputError, match="takes the scores of one data set, not of 2"):
        run(experiment, {"board": sets}, tmp_path / "r", workers=1, trials=1, topics=(10,))
