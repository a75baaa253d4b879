"""Simulated leaderboards: their truth, their holes, and the experiments on them."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.errors import InputError
from truerank.experiments import EXPERIMENTS, run
from truerank.report.writers.frame import frame
from truerank.scores import ScoreMatrix
from truerank.simulation import load_embedded
from validation.studies.boards import in_sets
from validation.studies.populations import BoardModel, fit_board, with_holes


@pytest.fixture(scope="module")
def table():
    scores = load_embedded("web2010-ap").sample(60, seed=3)
    return in_sets(scores.select(range(0, 88, 8)), 4)


@pytest.fixture(scope="module")
def model(table):
    return fit_board(table, truth="model")


def test_each_data_set_has_its_own_model(table, model):
    assert model.data_sets == table.data_sets == ("set 1", "set 2", "set 3", "set 4")
    assert model.table.shape == (4, 11)
    assert np.ptp(model.table, axis=0).min() > 0


@pytest.mark.parametrize("question", ["fixed", "random"])
def test_the_truth_is_what_many_topics_or_data_sets_come_to(model, question):
    if question == "fixed":
        sizes = [4000] * 4
        board = model.sample(sizes, seed=1)
        found = np.array([board.scores.values[board.scores.strata == k].mean(axis=0) for k in range(4)])
        spread = np.sqrt(np.mean([board.scores.values[:4000].var(axis=0) / 4000]) / 4)
        np.testing.assert_allclose(found.mean(axis=0), board.truth, atol=5 * spread)
        np.testing.assert_allclose(board.truth, model.table.mean(axis=0), rtol=1e-12)
    else:
        board = model.sample([2] * 3000, seed=1, data_sets="random")
        means = board.scores.values.reshape(3000, 2, -1).mean(axis=1)
        error = means.std(axis=0) / np.sqrt(3000)
        assert np.all(np.abs(means.mean(axis=0) - board.truth) < 5 * error)


def test_effects_of_random_data_sets_have_the_covariance_of_the_models(model):
    """Of large data sets: their own means vary as the models' do."""
    board = model.sample([400] * 300, seed=2, data_sets="random")
    means = board.scores.values.reshape(300, 400, -1).mean(axis=1)
    within = board.scores.values.reshape(300, 400, -1).var(axis=1).mean(axis=0) / 400
    d = means[:, 0] - means[:, 5]
    expected = (model.table[:, 0] - model.table[:, 5]).var(ddof=1) + within[0] + within[5]
    assert d.var(ddof=1) == pytest.approx(expected, rel=5 * np.sqrt(2 / 299))


@pytest.mark.parametrize("pattern", ["0.3", "hard"])
def test_holes(table, pattern):
    found = with_holes(table, pattern, seed=4)
    empty = np.isnan(found.values)
    np.testing.assert_array_equal(found.values[~empty], table.values[~empty])
    for k in range(4):
        assert (~empty[found.strata == k]).sum(axis=0).min() >= 2
    if pattern == "hard":
        lacking = np.flatnonzero(empty.any(axis=0))
        assert len(lacking) == 11 // 3
        for k in range(4):
            here = table.values[table.strata == k].mean(axis=1)
            without = empty[found.strata == k][:, lacking[0]]
            assert here[without].max() <= here[~without].min()
    else:
        assert empty.mean() == pytest.approx(0.3, abs=5 * np.sqrt(0.21 / empty.size))
    with pytest.raises(InputError, match="holes are none, hard, or a share"):
        with_holes(table, "many")


def test_a_board_needs_the_same_systems():
    one, other = load_embedded("web2010-ap"), load_embedded("web2010-p10")
    if one.systems != other.systems:
        with pytest.raises(InputError, match="same systems"):
            BoardModel((one, other), ("a", "b"))
    with pytest.raises(InputError, match="one model a data set"):
        BoardModel((one,), ())
    with pytest.raises(InputError, match="scores of several data sets"):
        fit_board(ScoreMatrix.build(np.eye(4)))


def test_the_experiment_is_as_good_as_one_table_and_beats_what_users_do(table, tmp_path):
    settings = {
        "trials": 12,
        "simulator": ["effects"],
        "designs": ["fixed 5"],
        "holes": ["none", "hard"],
        "draws": 200,
        "resamples": 100,
    }
    experiment = EXPERIMENTS["boards"]
    found = run(experiment, [table], tmp_path / "a", workers=1, **settings)
    again = run(experiment, [table], tmp_path / "b", workers=2, **settings | {"trials": 2})
    for name in ("points", "intervals"):
        rows = found.frame(name)
        assert rows[rows["trial"] < 2].equals(again.frame(name))
    points = frame(experiment.summarize(found).tables[0])
    points = points[points["coefficient"] == "tau"].set_index(["holes", "way", "estimator"])
    ours, one = points.loc["none", "truerank", "eb"], points.loc["one table", "truerank", "eb"]
    slack = 4 * np.hypot(ours["bias_se"], one["bias_se"])
    assert abs(ours["bias_mean"] - one["bias_mean"]) < 0.03 + slack
    assert points.loc["none", "pooled", "bootstrap"]["bias_mean"] > ours["bias_mean"] + 0.05
    assert points.loc["hard", "own means", "bootstrap"]["bias_mean"] > 0.2


@pytest.mark.parametrize("population", ["topics", "data-sets"])
def test_calibration_of_a_board(table, tmp_path, population):
    settings = {
        "trials": 10,
        "simulator": ["effects"],
        "topics": [10],
        "estimators": ["eb", "ml"],
        "generalize_to": population,
        "holes": "0.1",
        "draws": 100,
    }
    experiment = EXPERIMENTS["calibration"]
    found = run(experiment, {"board": table}, tmp_path / "a", workers=1, **settings)
    tables = {one.name: frame(one) for one in experiment.summarize(found).tables}
    bias = tables["bias"].set_index("coefficient")
    assert abs(bias.loc["tau", "eb"]) < 0.3
    with pytest.raises(InputError, match="msqd is not defined for the average of several data sets"):
        run(experiment, {"board": table}, tmp_path / "b", workers=1, **settings | {"estimators": ["msqd"]})


def test_other_experiments_refuse_boards(table, tmp_path):
    with pytest.raises(InputError, match="takes the scores of one data set, not of 4"):
        run(EXPERIMENTS["estimators"], {"board": table}, tmp_path, workers=1, trials=1, topics=[10])


def test_two_leaderboards_of_one_name_are_refused(table, tmp_path):
    """The second would have taken the place of the first."""
    with pytest.raises(InputError, match="two sources are named"):
        run("boards", [table, table], tmp_path, workers=1, trials=1, simulator="effects")
