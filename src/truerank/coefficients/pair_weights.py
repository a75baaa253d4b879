"""Coefficients as weights of pairs of ranks: ``coefficient = 1 − Σ_{i<j} w_ij D_ij``.

D_ij is 1 when the systems at ranks i and j (i above j) are swapped in truth. Everything truerank
says about a coefficient with an unknown ranking follows from its weights and the joint
distribution of D.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Matrix
from truerank.errors import InputError

ABOUT = explained_from(__file__)  # texts of the coefficients, by name


@dataclass(frozen=True)
class Coefficient(Entry):
    """A rank correlation that is linear in the swaps.

    Attributes:
        weights: from the number of systems m (≥ 2) to an m × m matrix. Rows and columns are 0-based ranks,
            best first; only the part above the diagonal is read.
        reading: how its values are to be read, as the predicate of a sentence about it; may be empty.

    Example:
        >>> swaps = np.zeros((3, 3))
        >>> swaps[0, 1] = 1.0
        >>> TAU.of_swaps(swaps), TAU_AP.of_swaps(swaps)
        (0.33333333333333337, 0.0)
    """

    weights: Callable[[int], Matrix]
    reading: str = ""

    def of_swaps(self, swaps: Matrix) -> float:
        """``1 − Σ_{i<j} w_ij D_ij`` of m × m swaps, or its expectation for their probabilities."""
        weights = self.weights(len(swaps))
        # Row by row: of thousands of systems a copy of all pairs takes hundreds of megabytes.
        return 1.0 - sum(float(weights[i, i + 1 :] @ swaps[i, i + 1 :]) for i in range(len(swaps) - 1))


def _tau_weights(m: int) -> Matrix:
    """``w_ij = 4 / (m (m − 1))`` (Urbano & Marrero 2016, eq. 3)."""
    return np.broadcast_to(4.0 / (m * (m - 1)), (m, m))


def _tau_ap_weights(m: int) -> Matrix:
    """``w_ij = 2 / ((m − 1)(j − 1))``, j the 1-based rank of the lower one (Urbano & Marrero 2016, eq. 2)."""
    systems_above = np.maximum(np.arange(m), 1)  # the first column has no pair above the diagonal
    return np.broadcast_to(2.0 / ((m - 1) * systems_above), (m, m))


COEFFICIENTS: Registry[Coefficient] = Registry("coefficient")
"""The coefficients by name that can be estimated with the true ranking.

Example:
    >>> from truerank.coefficients import COEFFICIENTS
    >>> list(COEFFICIENTS)
    ['tau', 'tau_ap']
"""


def register(coefficient: Coefficient) -> Coefficient:
    """Make a coefficient known by its name to everything that takes a coefficient's name.

    Args:
        coefficient: yours.

    Returns:
        The coefficient.

    Raises:
        InputError: the name is taken, or the weights are not an m × m matrix.

    Example:
        >>> register(Coefficient("tau", "τ", lambda m: np.eye(m)))
        Traceback (most recent call last):
        ...
        truerank.errors.InputError: coefficient 'tau' exists already; choose another name
    """
    if np.shape(coefficient.weights(3)) != (3, 3):
        raise InputError(f"the weights of {coefficient.name!r} must be an m × m matrix")
    return COEFFICIENTS.register(coefficient)


TAU = register(Coefficient("tau", weights=_tau_weights, **ABOUT["tau"]))
"""Kendall's τ.

Example:
    >>> from truerank.coefficients import TAU
    >>> float(TAU.weights(3)[0, 1])
    0.6666666666666666
"""
TAU_AP = register(Coefficient("tau_ap", weights=_tau_ap_weights, **ABOUT["tau_ap"]))
"""The AP correlation.

Example:
    >>> from truerank.coefficients import TAU_AP
    >>> TAU_AP.weights(3)[0, 1] > TAU_AP.weights(3)[0, 2]
    np.True_
"""
