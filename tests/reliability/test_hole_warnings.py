"""What empty cells are said to mean."""

from __future__ import annotations

import numpy as np

from truerank.reliability.boards import hole_warnings, topic_levels
from truerank.scores import ScoreMatrix


def scores_of(rng: np.random.Generator, n: int = 60, m: int = 12) -> np.ndarray:
    """Systems, topics, and their interaction."""
    return 0.4 + rng.normal(0, 0.1, m) + rng.normal(0, 0.2, (n, 1)) + rng.normal(0, 0.1, (n, m))


def board(values: np.ndarray, **more: object) -> ScoreMatrix:
    return ScoreMatrix.build(values, holes=True, **more)


def test_levels_are_those_of_least_squares():
    rng = np.random.default_rng(5)
    values = scores_of(rng, 15, 6)
    values[(rng.random(values.shape) < 0.3) & (np.arange(6) > 0)] = np.nan
    t, s = np.nonzero(~np.isnan(values))
    design = np.zeros((len(t), 21))
    design[np.arange(len(t)), t] = 1
    design[np.arange(len(t)), 15 + s] = 1
    effects = np.linalg.lstsq(design, values[t, s], rcond=None)[0]
    np.testing.assert_allclose(topic_levels(values), effects[:15] + effects[15:].mean(), atol=1e-8)
    complete = scores_of(rng)
    np.testing.assert_allclose(topic_levels(complete), complete.mean(axis=1))


def test_topics_that_some_systems_lack_are_said_to_be_harder():
    rng = np.random.default_rng(2)
    found = 0
    for _ in range(10):
        values = scores_of(rng)
        hard = values.mean(axis=1) < np.median(values.mean(axis=1))
        values[np.ix_(hard, range(4))] = np.nan
        warnings = hole_warnings(board(values))
        found += len(warnings) == 1 and warnings[0].text.startswith(
            "scores are missing more often on harder topics"
        )
    assert found == 10


def test_easy_topics_and_single_holes_on_hard_ones_are_told():
    rng = np.random.default_rng(3)
    values = scores_of(rng)
    easy = values.mean(axis=1) > np.quantile(values.mean(axis=1), 0.7)
    values[easy, 0] = np.nan
    assert hole_warnings(board(values))[0].text.startswith("scores are missing more often on easier topics")
    # Every system has its own holes, more of them on hard topics.
    values = scores_of(rng)
    rank = values.mean(axis=1).argsort().argsort()
    values[rng.random(values.shape) < 0.3 * (rank < 20)[:, None]] = np.nan
    [warning] = hole_warnings(board(values))
    assert warning.text.startswith("scores are missing more often on harder topics (mean score 0.")
    missing, present = (
        float(part.split()[-1])
        for part in (warning.text.split(" where they")[0], warning.text.split(" elsewhere")[0])
    )
    assert missing < present - 0.1


def test_a_whole_data_set_is_no_hole():
    rng = np.random.default_rng(4)
    values = scores_of(rng)
    values[40:] -= 0.3
    values[np.ix_(range(40, 60), [1, 2])] = np.nan
    sets = np.repeat(["x", "y", "z"], 20)
    assert hole_warnings(board(values, data_sets=sets)) == []
    assert hole_warnings(board(values)) != []


def test_one_score_for_each_data_set_is_judged_over_data_sets():
    rng = np.random.default_rng(6)
    values = scores_of(rng, 30, 8)
    hard = values.mean(axis=1) < np.median(values.mean(axis=1))
    values[np.ix_(hard, [0, 1])] = np.nan
    [warning] = hole_warnings(board(values, data_sets=[f"d{k}" for k in range(30)]))
    assert warning.text.startswith("scores are missing more often on harder data sets")
