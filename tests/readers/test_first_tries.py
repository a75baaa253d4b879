"""What a first try meets: arguments, series, separators, encodings, lists, several files, numbered names."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

import truerank
from truerank.errors import InputError
from truerank.readers import read_scores


def test_arguments_of_the_reader_are_named_where_they_belong():
    """The remedy of a table that is read by an argument works, and its misuse says how."""
    frame = pd.DataFrame({"q": ["1", "1", "2", "2"], "who": ["a", "b"] * 2, "mark": [1.0, 2, 3, 4]})
    for function in (truerank.assess, truerank.plan, truerank.gate, truerank.board):
        with pytest.raises(InputError, match=r"'topic_column' is an argument of read_scores.*topic_column=…"):
            function(frame, topic_column="q")
    read = read_scores(frame, topic_column="q", system_column="who", score_column="mark")
    np.testing.assert_array_equal(read.values, [[1, 2], [3, 4]])


@pytest.mark.parametrize("mark", "& ")
def test_a_separator_that_is_not_known_is_said(write, mark):
    path = write("t.csv", mark.join("tab") + "\n" + "\n".join(mark.join(f"q{i}") for i in range(3)))
    with pytest.raises(InputError, match=re.escape(f"{path}:1: the only column is 't{mark}a{mark}b'")):
        read_scores(path)


def test_several_tables_of_systems_or_battles_have_a_remedy_that_works(write, tmp_path):
    """Runs in one table with a column of runs; battles in a folder."""
    paths = [write(f"{k}.csv", f"topic,a,b\n1,{k},0\n2,0,{k}\n") for k in (1, 3)]
    with pytest.raises(InputError, match="one table with a column 'run'"):
        read_scores(paths)
    together = write("runs.csv", "run,topic,a,b\n1,1,1,0\n1,2,0,1\n2,1,3,0\n2,2,0,3\n")
    np.testing.assert_array_equal(read_scores(together, run_column="run").values, [[2, 0], [0, 2]])
    rows = "model_a,model_b,winner,question_id\na,b,model_a,{0}\nb,a,tie,{0}\n"
    (tmp_path / "battles").mkdir()
    battles = []
    for k in (1, 2):
        (tmp_path / "battles" / f"{k}.csv").write_text(rows.format(k))
        battles.append(str(tmp_path / "battles" / f"{k}.csv"))
    with pytest.raises(InputError, match="battles are read as one from a folder"):
        read_scores(battles)
    assert read_scores(tmp_path / "battles").battles is not None


@pytest.mark.parametrize("mark", ["_", "."])
def test_systems_that_are_counted_alike_look_like_runs(mark):
    """The note appears where all have the same numbers, and its pattern reads them as runs."""
    names = [f"{system}{mark}{run}" for system in ("x", "y") for run in (1, 2, 3)]
    values = np.random.default_rng(1).random((5, 6))
    frame = pd.DataFrame(values, columns=names, index=list("abcde"))
    (note,) = [one for one in read_scores(frame).warnings if "look like runs of 2 systems" in one]
    pattern = re.search(r"runs_of='([^']*)'", note)
    assert pattern is not None
    found = read_scores(frame, runs_of=pattern[1])
    np.testing.assert_allclose(found.values, values.reshape(5, 2, 3).mean(axis=2))
    for versions in ("x3 x4 x5 y2 y3 y4", "x3 x4 x5 y3 y4 y5", "x1 x2 x3 y1 y2 y4", "x1 x2 y1 y2 z1 z2"):
        other = frame.set_axis([f"{one[0]}{mark}{one[1]}" for one in versions.split()], axis=1)
        assert not any("look like runs" in one for one in read_scores(other).warnings)
