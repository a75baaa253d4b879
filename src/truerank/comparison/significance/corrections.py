"""Corrections of p-values for many tests: Holm, and Benjamini & Hochberg."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Matrix
from truerank.errors import unknown_name

CORRECTIONS = ("none", "holm", "bh")
"""``holm`` bounds the chance of any false positive, ``bh`` their share among the positives."""


def correct(p_values: ArrayLike, correction: str) -> Matrix:
    """Adjusted p-values, in [0, 1] and in the given order, to compare with α itself. O(k log k).

    Args:
        p_values: k of them, one a test.
        correction: ``none``, ``holm`` (Holm 1979; any dependence between the tests) or ``bh``
            (Benjamini & Hochberg 1995; independent or positively dependent tests).

    Returns:
        k adjusted p-values.

    Raises:
        UnknownNameError: no such correction.

    Example:
        >>> correct([0.01, 0.04, 0.03], "holm").tolist()
        [0.03, 0.06, 0.06]
        >>> correct([0.01, 0.04, 0.03], "bh").tolist()
        [0.03, 0.04, 0.04]
    """
    if correction not in CORRECTIONS:
        raise unknown_name("correction", correction, CORRECTIONS)
    p = np.asarray(p_values, dtype=np.float64)
    if correction == "none" or len(p) == 0:
        return p
    if correction == "bh":
        from scipy.stats import false_discovery_control

        adjusted: Matrix = np.asarray(false_discovery_control(p, method="bh"))
        return adjusted
    order = np.argsort(p, kind="stable")
    stepped = np.maximum.accumulate(p[order] * np.arange(len(p), 0, -1))
    holm = np.empty_like(p)
    holm[order] = np.minimum(stepped, 1.0)
    return holm
