"""The zero of a function, against the zero that algebra gives."""

import math

import pytest

from truerank.reliability.pair.exact import zero

FUNCTIONS = {
    "line": (lambda x: 3 * x - 1, -2.0, 5.0, 1 / 3),
    "flat at the zero": (lambda x: (x - 0.3) ** 3, -1.0, 2.0, 0.3),
    "steep": (lambda x: math.tanh(1e4 * (x - 0.7)), 0.0, 1.0, 0.7),
    "falling": (lambda x: math.exp(-x) - 0.05, 0.0, 100.0, math.log(20)),
    "flat far away": (lambda x: math.exp(x) - 1e-6, -700.0, 3.0, math.log(1e-6)),
    "a step": (lambda x: 1.0 if x > 0.123 else -1.0, 0.0, 1.0, 0.123),
    "at an end": (lambda x: x, 0.0, 1.0, 0.0),
    "nearer than numbers can tell": (lambda x: x - 1e9, 0.0, 3e9, 1e9),
}


@pytest.mark.parametrize("name", FUNCTIONS)
@pytest.mark.parametrize("turned", [False, True])
def test_the_zero_is_that_of_algebra(name: str, turned: bool) -> None:
    function, low, high, expected = FUNCTIONS[name]
    asked = []

    def counted(x: float) -> float:
        asked.append(x)
        assert len(asked) < 100
        return float(function(x))

    found = zero(counted, *((high, low) if turned else (low, high)), 1e-10)
    assert found == pytest.approx(expected, rel=1e-9, abs=2e-10)
    assert low <= min(asked) <= max(asked) <= high
