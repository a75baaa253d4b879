"""Squared distances by matrix products are those pair by pair, also where columns are equal or nearly so."""

from __future__ import annotations

import numpy as np
import pytest

from truerank.numerics import pairs as module
from truerank.numerics.pairs import mirror, squared_distances


def plain(values: np.ndarray, equal: float) -> np.ndarray:
    """One pair after the other."""
    m = values.shape[1]
    found = np.zeros((m, m))
    for i in range(m):
        for j in range(i + 1, m):
            d = values[:, i] - values[:, j]
            found[i, j] = 0.0 if np.abs(d).max() <= equal else np.sum(d * d)
    return found


@pytest.mark.parametrize("many", [0, 1_000])
@pytest.mark.parametrize("shift", [0.0, 1e3])
def test_both_ways_are_the_plain_one(monkeypatch: pytest.MonkeyPatch, many: int, shift: float) -> None:
    monkeypatch.setattr(module, "MANY", many)
    monkeypatch.setattr(module, "BLOCK_ROWS", 7)
    rng = np.random.default_rng(1)
    values = rng.random((30, 40)) + shift * rng.random((30, 1))
    values[:, 5] = values[:, 9]
    values[:, 7] = values[:, 3] + 1e-6 * rng.random(30)
    values[:, 11] = values[:, 3] + 0.25
    values[:, [20, 21]] = 0.3
    found = squared_distances(values, 1e-14)
    np.testing.assert_allclose(found, plain(values, 1e-14), rtol=1e-11)
    assert found[5, 9] == found[20, 21] == 0 < found[3, 7]


def test_columns_as_near_as_said_are_equal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "MANY", 0)
    assert squared_distances(np.array([[1e-3, 0.0], [0.0, 0.0]]), 1e-3)[0, 1] == 0
    assert squared_distances(np.zeros((3, 2)), 1e280)[0, 1] == 0


def test_a_mirrored_table_is_symmetric(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("truerank.numerics.pairs.MIRRORED", 3)
    table = np.triu(np.random.default_rng(1).random((8, 8)))
    expected = table + np.triu(table, 1).T
    mirror(table)
    np.testing.assert_array_equal(table, expected)
