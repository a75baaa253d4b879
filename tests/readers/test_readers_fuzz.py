from __future__ import annotations

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from truerank.errors import TruerankError
from truerank.readers import evaluate, read_scores

NAMES = ["topic", "run", "value", "measure", "map", "all", "runid", "301", "q1", "x", "é", "Q0"]
NAMES += ["data_set", "task", "cluster", "weight", "Mean"]
NUMBERS = ["0.5", "1e-4", "nan", "inf", "1_0", "0,5"]
CELLS = st.sampled_from([*NAMES, *NUMBERS, "", '"', '"a', "a b", "\x0c", "\u2028"])
GLUE = st.sampled_from([",", ";", "\t", " ", "\n", "\n", "\r\n", "\n\n"])
TEXT = st.lists(st.tuples(CELLS, GLUE), max_size=30).map(lambda parts: "".join(a + b for a, b in parts))

fuzz = settings(suppress_health_check=[HealthCheck.function_scoped_fixture])


def refusal(call) -> str:
    """The message with which a call is refused, if it is."""
    try:
        call()
    except TruerankError as error:
        return str(error)
    return ""


@pytest.mark.parametrize("missing", ["error", "zero", "common", "complete", "model"])
@fuzz
@given(data=st.binary(max_size=60) | TEXT.map(str.encode), measure=st.sampled_from([None, "map", "x"]))
def test_any_file_is_read_or_refused_in_one_line(tmp_path, data, measure, missing):
    path = tmp_path / "file"
    path.write_bytes(data)
    message = refusal(lambda: read_scores(path, measure, missing))
    assert message == "" or message.startswith(str(path))
    assert "\n" not in message


@fuzz
@given(
    run=st.lists(st.lists(CELLS, min_size=5, max_size=7).map(" ".join), max_size=6).map("\n".join),
    qrels=st.lists(st.lists(CELLS, min_size=4, max_size=4).map(" ".join), max_size=6).map("\n".join),
)
def test_any_run_is_evaluated_or_refused_in_one_line(write, run, qrels):
    assert "\n" not in refusal(lambda: evaluate(write("qrels", qrels), [write("run", run)], "AP"))
