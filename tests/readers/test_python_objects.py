"""Scores from Python's own objects, what messages call things there, misspelt keywords, and frames back."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

import truerank
from truerank.errors import InputError, UnknownNameError

VALUES = np.array([[0.1, 0.3, 0.2], [0.2, 0.4, 0.1], [0.5, 0.2, 0.9], [0.4, 0.1, 0.35]])
TOPICS, SYSTEMS = ["q1", "q2", "q3", "q4"], ["a", "b", "c"]
NESTED = {
    s: dict(zip(TOPICS, column.tolist(), strict=True)) for s, column in zip(SYSTEMS, VALUES.T, strict=True)
}
FORMS = {
    "system → topic → score": NESTED,
    "series": {name: pd.Series(scores).iloc[::-1] for name, scores in NESTED.items()},
    "frame": pd.DataFrame(NESTED),
    "pytrec_eval by system": {
        name: {topic: {"map": score, "P_5": 0.0} for topic, score in scores.items()}
        for name, scores in NESTED.items()
    },
}


@pytest.mark.parametrize("form", FORMS)
def test_the_same_scores_in_any_form(form):
    scores = truerank.read_scores(FORMS[form], "map")
    order = [scores.topics.index(topic) for topic in TOPICS]
    assert scores.systems == tuple(SYSTEMS)
    np.testing.assert_array_equal(scores.values[order], VALUES)
    found = truerank.assess(FORMS[form], "ml", measure="map", draws=100)
    assert [row.system for row in found.ranking] == ["c", "a", "b"]
    compared = truerank.compare(FORMS[form], FORMS["frame"], measure="map", resamples=50)
    assert (compared.tau, compared.distance.distance) == (1.0, 0.0)
    assert truerank.gate(FORMS[form], "a", "c", measure="map").decisions[0].topics == 4
    assert truerank.plan(FORMS[form], measure="map", draws=50).pilot_topics == 4


def test_vectors_by_system():
    vectors = {name: VALUES[:, s] for s, name in enumerate(SYSTEMS)}
    for given_vectors in (vectors, {name: list(v) for name, v in vectors.items()}):
        scores = truerank.read_scores(given_vectors)
        assert scores.topics == ("1", "2", "3", "4")
        np.testing.assert_array_equal(scores.values, VALUES)
    holes = {"a": [0.1, None, 0.3], "b": np.ma.array([0.1, 0.2, 0.3], mask=[0, 0, 1])}
    np.testing.assert_array_equal(
        truerank.read_scores(holes, missing="model").values, [[0.1, 0.1], [np.nan, 0.2], [0.3, np.nan]]
    )
    masked = np.ma.array(VALUES, mask=VALUES == 0.9)
    assert np.isnan(truerank.read_scores(masked, missing="model").values).sum() == 1


@pytest.mark.parametrize(
    ("thing", "message"),
    [
        ({"a": 0.5, "b": 0.25}, "this dictionary; give system → topic"),
        ({"a": [0.5], "b": [0.5, 0.25]}, "'a' has 1 scores and 'b' has 2"),
        ({"a": [0.5], "b": pd.Series([0.5])}, "some have vectors"),
        ({"a": {"q1": 0.5}, "b": [0.5]}, "dictionary"),
        (object(), "must be numbers"),
    ],
)
def test_objects_that_hold_no_scores(thing, message):
    with pytest.raises(InputError, match=message) as caught:
        truerank.read_scores(thing)
    assert "\n" not in str(caught.value)
    with pytest.raises(InputError):
        truerank.assess(thing)


# ── keywords ──────────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize(
    ("call", "wrong", "right"),
    [
        (truerank.assess, "estimators", "estimator"),
        (truerank.compare, "regularise", "regularize"),
        (truerank.plan, "tau_AP", "tau_ap"),
    ],
)
def test_a_misspelt_keyword_gets_the_nearest(call, wrong, right):
    with pytest.raises(InputError, match=f"unknown argument '{wrong}': did you mean '{right}'") as caught:
        call([[0.5]], **{wrong: 1})
    assert isinstance(caught.value, TypeError)


# ── who reads a message ───────────────────────────────────────────────────────────────────────────


HOLES = "topic,a,b,c\nq1,0.1,,0.2\nq2,0.2,0.3,0.3\nq3,0.2,0.3,0.1\nq4,0.1,0.9,0.3\n"


def test_a_refusal_names_only_choices_that_exist_there(write, capsys):
    from truerank.cli import run

    path = write("a.csv", HOLES)
    with pytest.raises(InputError, match=r"no score on topic 'q1'") as refused:
        truerank.gate(path, "a", "b", missing="error")
    assert "missing='common'" in str(refused.value)
    assert "model" not in str(refused.value)
    command = ["gate", path, "--baseline", "a"]
    assert run(command) == 2
    err = capsys.readouterr().err
    assert "--missing common" in err
    assert "model" not in err
    assert run([*command, "--missing", "common", "--quiet"]) in (0, 1, 4)


def test_plan_and_gate_treat_missing_scores_as_their_commands_do(write):
    path = write("a.csv", HOLES)
    assert truerank.plan(path, missing="common", draws=64).pilot_topics == 3
    assert truerank.plan(path, missing="zero", draws=64).pilot_topics == 4
    assert truerank.plan(path, missing="model", draws=64).pilot_topics == 4
    with pytest.raises(InputError, match="missing='model'"):
        truerank.plan(path)
    for source in (path, truerank.read_scores(path, missing="model")):
        topics = {
            missing: [one.topics for one in truerank.gate(source, baseline="a", missing=missing)]
            for missing in ("common", "zero", "complete")
        }
        assert topics == {"common": [3, 4], "zero": [4, 4], "complete": [4]}
    with pytest.raises(UnknownNameError, match="choose from error, common, complete, zero"):
        truerank.gate(path, baseline="a", missing="model")


# ── and back ──────────────────────────────────────────────────────────────────────────────────────


@given(st.data())
def test_frames_are_read_back(data):
    n, m = data.draw(st.integers(1, 5)), data.draw(st.integers(2, 4))
    cells = st.one_of(st.floats(-1, 1), st.just(np.nan))
    values = np.array(data.draw(st.lists(st.lists(cells, min_size=m, max_size=m), min_size=n, max_size=n)))
    values[:, :2] = np.where(np.isnan(values[:, :2]), 0.5, values[:, :2])  # every topic has two systems
    values[0] = np.where(np.isnan(values[0]), 0.25, values[0])  # every system has a topic
    scores = truerank.ScoreMatrix.build(
        values, [f"t{t}" for t in range(n)], [f"s{s}" for s in range(m)], "AP", holes=True
    )
    for frame in (scores.to_frame(), scores.to_frame("long")):
        back = truerank.read_scores(frame, "AP", missing="model")
        rows = [back.topics.index(topic) for topic in scores.topics]
        columns = [back.systems.index(system) for system in scores.systems]
        np.testing.assert_array_equal(back.values[np.ix_(rows, columns)], values)
        assert back.measure == "AP"
