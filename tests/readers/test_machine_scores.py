"""Human scores joined to a machine's: who is matched with whom, what is left out, and what is refused."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import with_machine
from truerank.scores import ScoreMatrix

SYSTEMS = ("a", "b", "c")


def scores(topics: str, systems=SYSTEMS, seed: int = 1, **more) -> ScoreMatrix:
    """Random scores of topics that are single letters."""
    values = np.random.default_rng(seed).random((len(topics), len(systems))).round(3)
    return ScoreMatrix.build(values, list(topics), list(systems), **more)


HUMAN = scores("dbf")
MACHINE = scores("abcdefgh", seed=2)


def test_topics_and_systems_are_matched_by_name():
    shuffled = MACHINE.select([2, 0, 1])
    both = with_machine(HUMAN, shuffled)
    assert both.machine is not None
    assert (both.n, both.systems, both.warnings) == (3, SYSTEMS, ())
    assert [both.machine.topics[t] for t in both.machine.matched] == ["d", "b", "f"]
    assert [both.machine.topics[t] for t in both.machine.rest] == list("acegh")
    assert np.array_equal(both.machine.values, MACHINE.values)
    assert np.array_equal(both.values, HUMAN.values)


def test_what_read_scores_takes_is_taken(tmp_path):
    for name, table in (("human", HUMAN), ("machine", MACHINE)):
        frame = pd.DataFrame(table.values, columns=SYSTEMS, index=pd.Index(table.topics, name="topic"))
        frame.to_csv(tmp_path / f"{name}.csv")
        frame.to_parquet(tmp_path / f"{name}.parquet")
    expected = with_machine(HUMAN, MACHINE).fingerprint()
    for suffix in ("csv", "parquet"):
        read = with_machine(tmp_path / f"human.{suffix}", tmp_path / f"machine.{suffix}")
        assert read.fingerprint() == expected
        assert read.machine.source == str(tmp_path / f"machine.{suffix}")


def test_systems_of_one_judge_only_are_left_out_by_name():
    both = with_machine(scores("dbf", ("a", "b", "x")), scores("abcdefgh", ("y", "b", "a", "z"), 2))
    assert both.systems == ("a", "b")
    assert both.warnings == (
        "1 system left out, not among the machine’s scores: x",
        "2 systems left out, not among the human scores: y, z",
    )


@pytest.mark.parametrize("topics", ["fdb", "fxdb"])
def test_a_machine_needs_no_topics_of_its_own(topics):
    judge = scores(topics, seed=2)
    both = with_machine(HUMAN, judge)
    assert len(both.machine.topics) == both.n == 3
    rows = [topics.index(topic) for topic in both.topics]
    assert np.array_equal(both.machine.values[both.machine.matched], judge.values[rows])
    left_out = "topic 'x' left out: the machine alone judged it, and one such topic shows no variance"
    assert both.warnings == ((left_out,) if "x" in topics else ())


@pytest.mark.parametrize(
    ("human", "machine", "message"),
    [
        (scores("abcd"), scores("abxyz", seed=2), "the machine lacks 2 of the 4 topics that people judged"),
        (HUMAN, scores("vwxyz", seed=2), "none of the topics that people judged, whose first is 'd'"),
        (scores("a"), MACHINE, "people judged 1 topic only; three are the least"),
        (HUMAN, scores("abcdefgh", ("a", "y", "z"), 2), "share only system 'a' with the human ones"),
        (scores("dbf", measure="AP"), scores("abcdefgh", measure="P@10"), "P@10, the human ones AP"),
        (HUMAN, scores("abcdefgh", data_sets=list("xxxxyyyy")), "a machine judge takes the scores of one"),
        (HUMAN, scores("abcdefgh", clusters=list("xxxxyyyy")), "a machine judge knows nothing of clusters"),
        (with_machine(HUMAN, MACHINE), MACHINE, "a machine judge takes no machine judgments"),
    ],
)
def test_what_cannot_be_joined_is_refused_in_one_line(human, machine, message):
    with pytest.raises(InputError, match=message) as refused:
        with_machine(human, machine)
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize("side", ["people", "the machine"])
def test_empty_cells_of_either_are_refused(side):
    values = MACHINE.values.copy()
    values[3, 1] = np.nan
    holes = ScoreMatrix.build(values, MACHINE.topics, SYSTEMS, holes=True)
    pair = (holes, scores("abcdefghXYZ", seed=3)) if side == "people" else (HUMAN, holes)
    with pytest.raises(InputError, match="a machine judge takes no empty cells"):
        with_machine(*pair)


def test_scores_copied_from_people_and_other_scales_are_pointed_out():
    copied = MACHINE.values.copy()
    copied[[3, 1, 5]] = HUMAN.values
    (note,) = with_machine(HUMAN, ScoreMatrix.build(copied, MACHINE.topics, SYSTEMS)).warnings
    assert "are the human ones to the last digit" in note
    (note,) = with_machine(HUMAN, ScoreMatrix.build(100 * MACHINE.values, MACHINE.topics, SYSTEMS)).warnings
    assert "On another scale" in note


def frames() -> tuple[pd.DataFrame, pd.DataFrame]:
    """A machine's scores with the default index, and human ones of a random sample of their rows."""
    machine = pd.DataFrame(MACHINE.values, columns=SYSTEMS)
    return (machine + 0.01).sample(5, random_state=1), machine


def test_frames_whose_topics_have_no_names_are_refused():
    human, machine = frames()
    for pair in ((human, machine), (human.reset_index(drop=True), machine), (human.to_numpy(), machine)):
        with pytest.raises(InputError, match="have no names, only row numbers"):
            with_machine(*pair)
    both = with_machine(human.rename_axis("topic"), machine.rename_axis("topic"))
    assert both.machine.matched.tolist() == human.index.tolist()


def test_two_arrays_are_matched_by_position():
    for machine in (MACHINE.values, dict(zip(["sys1", "sys2", "sys3"], MACHINE.values.T, strict=True))):
        assert with_machine(MACHINE.values[:3] / 2, machine).machine.matched.tolist() == [0, 1, 2]
    with pytest.raises(InputError, match="the topics of the human scores have no names"):
        with_machine(HUMAN.values, ScoreMatrix.build(MACHINE.values, range(1, 9)))
