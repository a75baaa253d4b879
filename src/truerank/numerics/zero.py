"""Where a function of one variable is zero. The import of scipy.optimize would take a tenth of a second."""

from __future__ import annotations

import math
from collections.abc import Callable


def zero(function: Callable[[float], float], low: float, high: float, tolerance: float) -> float:
    """A zero of a continuous function between two places where its signs differ (Chandrupatla 1997).

    Inverse quadratic interpolation where the last three points make it safe, halving elsewhere.

    Args:
        function: with other signs at both ends.
        low: one end.
        high: the other.
        tolerance: how near to a change of sign, > 0; at least the resolution of floats.

    Example:
        >>> round(zero(lambda x: x * x - 2, 0.0, 2.0, 1e-12), 10)
        1.4142135624
    """
    a, b = high, low
    at_a, at_b = function(a), function(b)
    step = 0.5
    while True:
        x = a + step * (b - a)
        at_x = function(x)
        if (at_x > 0) == (at_a > 0):
            c, at_c = a, at_a
        else:
            c, at_c, b, at_b = b, at_b, a, at_a
        a, at_a = x, at_x
        best, least = (a, at_a) if abs(at_a) < abs(at_b) else (b, at_b)
        smallest = max(tolerance, 1e-15 * abs(best)) / abs(b - a)
        if least == 0 or smallest > 0.5:
            return best
        place, height = (a - b) / (c - b), (at_a - at_b) / (at_c - at_b) if at_c != at_b else math.inf
        if height**2 < place and (1 - height) ** 2 < 1 - place:
            step = at_a / (at_b - at_a) * at_c / (at_b - at_c)
            step += (c - a) / (b - a) * at_a / (at_c - at_a) * at_b / (at_c - at_b)
        else:
            step = 0.5
        step = min(max(step, smallest), 1 - smallest)
