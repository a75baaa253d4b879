"""The text of JSON: that of Python's own encoder with indentation, and arrays as lists."""

from __future__ import annotations

import json
import math
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from truerank._support.plain import LARGE, pieces, plain, tables_kept

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.tuples(inner, inner) | st.dictionaries(st.text(), inner),
)


@given(VALUES, st.booleans())
def test_the_pieces_are_what_the_encoder_with_indentation_writes(value: Any, ascii_only: bool) -> None:
    plainly = json.dumps(value, indent=1, ensure_ascii=ascii_only, allow_nan=False)
    assert "".join(pieces(value, ascii_only)) == plainly


def test_no_piece_is_longer_than_a_row() -> None:
    assert max(map(len, pieces({"table": np.full((200, 10), 0.1).tolist()}))) < 100


@pytest.mark.parametrize("wrong", [math.nan, -math.inf])
def test_what_json_cannot_hold_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        list(pieces({"rows": [[1.0, wrong]]}))


@pytest.mark.parametrize(
    "array",
    [
        np.array([[0.1, math.nan], [math.inf, -math.inf]]),
        np.arange(6).reshape(2, 3),
        np.float32([0.5, 1e38]),
        np.array(["nan", "b"]),
        np.zeros((0, 2)),
        np.float64(math.nan),
    ],
)
def test_an_array_is_plain_as_its_list_is(array: Any) -> None:
    assert plain(array) == plain(array.tolist())


EXPONENTS = st.integers(-1074, 1023)
NEIGHBORS = st.builds(lambda e, up: float(np.nextafter(2.0**e, up)), EXPONENTS, st.sampled_from([0.0, 1e9]))
ROUNDED = st.builds(round, st.floats(0, 1), st.integers(1, 18))
NUMBERS = st.floats(allow_nan=False, allow_infinity=False) | st.floats(0, 1) | NEIGHBORS | ROUNDED


@given(st.lists(NUMBERS, min_size=1, max_size=40), st.integers(0, 2**32 - 1))
def test_a_large_table_is_written_as_its_rows_are(some: list[float], seed: int) -> None:
    rng = np.random.default_rng(seed)
    table = rng.random((3, LARGE // 3 + 1)) ** rng.integers(1, 6)
    table.flat[rng.choice(table.size, len(some), replace=False)] = some
    table[1] = table[1].round(rng.integers(12, 18))
    with tables_kept():
        document = plain({"rows": table, "n": 1})
    assert document["rows"] is table
    assert "".join(pieces(document)) == json.dumps({"rows": table.tolist(), "n": 1}, indent=1)


@pytest.mark.parametrize(
    "table", [np.full((2, LARGE), math.nan), np.zeros((LARGE, 2), dtype=int), np.zeros(LARGE)]
)
def test_other_arrays_become_lists_even_if_large(table: Any) -> None:
    with tables_kept():
        assert isinstance(plain(table), list)
