"""What a first try meets: arguments, series, separators, encodings, lists, several files, numbered names."""

from __future__ import annotations

import re

import numpy as np
import pandas as pd
import pytest

from truerank.errors import InputError
from truerank.readers import read_scores


def test_several_tables_of_systems_or_battles_have_a_remedy_that_works(write):
    """Runs in one table with a column of runs; battles in one file."""
    paths = [write(f"{k}.csv", f"topic,a,b\n1,{k},0\n2,0,{k}\n") for k in (1, 3)]
    with pytest.raises(InputError, match="one table with a column 'run'"):
        read_scores(paths)
    together = write("runs.csv", "run,topic,a,b\n1,1,1,0\n1,2,0,1\n2,1,3,0\n2,2,0,3\n")
    np.testing.assert_array_equal(read_scores(together, run_column="run").values, [[2, 0], [0, 2]])
    rows = "model_a,model_b,winner,question_id\na,b,model_a,{0}\nb,a,tie,{0}\n"
    battles = [write(f"battles {k}.csv", rows.format(k)) for k in (1, 2)]
    with pytest.raises(InputError, match="several files of battles are not read as one; write them into one"):
        read_scores(battles)


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
