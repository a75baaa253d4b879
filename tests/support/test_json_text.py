"""The text of JSON: read back it is the same data, arrays as lists, and null where there is no value."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank._support.plain import arrays_kept, encoded, plain

WORDS = st.text(st.characters(exclude_categories=["Cs"]))
WHOLE = st.integers(-(2**63), 2**63 - 1)
VALUES = st.recursive(
    st.none() | st.booleans() | WHOLE | st.floats(allow_nan=False, allow_infinity=False) | WORDS,
    lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner),
)


@given(VALUES)
def test_what_is_written_is_read_back(value: Any) -> None:
    assert json.loads(encoded(value)) == value


@pytest.mark.parametrize("missing", [math.nan, math.inf, -math.inf])
def test_a_number_that_json_lacks_is_null(missing: float) -> None:
    assert json.loads(encoded({"rows": [[1.0, missing]]})) == {"rows": [[1.0, None]]}


ARRAYS = [
    np.array([[0.1, math.nan], [math.inf, -math.inf]]),
    np.arange(6).reshape(2, 3),
    np.arange(6.0).reshape(2, 3).T,
    np.float32([0.5, 1e38]),
    np.array(["nan", "b"]),
    np.array([True, False]),
    np.zeros((0, 2)),
    np.float64(math.nan),
]


@pytest.mark.parametrize("array", ARRAYS)
def test_an_array_is_plain_as_its_list_is(array: Any) -> None:
    assert plain(array) == plain(array.tolist())


@pytest.mark.parametrize("array", ARRAYS)
def test_a_kept_array_is_written_as_its_list_is(array: Any) -> None:
    with arrays_kept():
        text = encoded(plain({"table": array, "n": 1}))
    assert json.loads(text) == {"table": plain(array.tolist()), "n": 1}
