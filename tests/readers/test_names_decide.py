"""What names say, one by one: the vocabulary, and what is taken for runs."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.readers.checks import other_scale, runs_as_systems, runs_as_topics, shared_heading
from truerank.readers.roles import averages, is_property, sums_up


@pytest.mark.parametrize(
    ("systems", "found"),
    [
        (["a-seed1", "a-seed2", "b-seed1", "b-seed2"], "4 systems look like runs of 2 systems"),
        (["a_1", "a_2", "a_3", "b_1", "b_2", "b_3"], "6 systems look like runs of 2 systems"),
        (["a#1", "a#2", "b#1", "b#2"], "4 systems look like runs of 2 systems"),
        (["gpt-3", "gpt-4", "llama-2", "llama-3"], None),
    ],
)
def test_systems_that_are_runs(systems: list[str], found: str | None) -> None:
    note = runs_as_systems(systems)
    assert (note and note.text.partition(":")[0]) == found


def test_headings_topics_and_scales() -> None:
    assert shared_heading(["WER", "WER"]) == "WER"
    assert shared_heading(["score", "score"]) == shared_heading(["bm25", "rm3"]) == ""
    note = runs_as_topics(["q1/run1", "q1/run2", "q2/run1", "q2/run2"])
    assert note is not None
    assert note.code == "runs-as-topics"
    note = other_scale(np.array([[0.2, 80.0], [0.4, 70.0]]), ["A", "B"])
    assert note is not None
    assert note.text == "scores up to 80 in 'B', but at most 1 in 1 other system: are they all on one scale?"


def test_names_that_sum_up_or_tell_of_rows() -> None:
    assert [*averages(["q1", "all-MiniLM", "Mean:"])] == [False, False, True]
    assert not any(averages(["atlas", "beacon", "cobalt", "delta"]))
    assert [bool(sums_up(name)) for name in ("Mean (Task)", "Rank (Borda)", "win_rate_avg", "FiQA2018")] == [
        True,
        True,
        True,
        False,
    ]
    names = ("Latency", "seed", "TeamId", "time_training_seconds", "BM25")
    assert [is_property(name, True) for name in names] == [True, True, True, True, False]
