"""How close an observed ranking really is to the true one, where the true means are known."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from truerank.coefficients import COEFFICIENTS, tau, tau_ap
from truerank.errors import InputError
from truerank.scores import TIE

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

_BETWEEN: dict[str, Callable[[ArrayLike, ArrayLike], float]] = {"tau": tau, "tau_ap": tau_ap}
"""Coefficients that have a function of two rankings; the others are computed from the swaps."""


def true_coefficients(assessment: Assessment, true_means: Mapping[str, float]) -> dict[str, float]:
    """The coefficients that the estimates were after: the observed ranking against the true one.

    Args:
        assessment: what :func:`truerank.assess` returned.
        true_means: of every system that was ranked; others may be among them. Ties are broken by the
            observed order.

    Returns:
        One number a computed coefficient, in the order of the estimates; NaN for a coefficient that is
        no longer registered.

    Raises:
        InputError: a system has no true mean.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["ml"], draws=50)
        >>> means = {"sys1": 0.7, "sys2": 0.3, "sys3": 0.4}
        >>> round(true_coefficients(result, means)["tau"], 3)
        0.333
    """
    names = [system.system for system in assessment.ranking]
    for name in names:
        if name not in true_means:
            raise InputError(f"the truth has no mean for system {name!r}; give one for every system")
    truth = np.array([true_means[name] for name in names], dtype=np.float64)
    observed = [system.mean for system in assessment.ranking]
    swaps = np.triu(truth[None, :] > truth[:, None] + TIE, 1).astype(np.float64)
    found: dict[str, float] = {}
    for name in dict.fromkeys(e.coefficient for e in assessment.estimates):
        if name in _BETWEEN:
            found[name] = _BETWEEN[name](truth, observed)
        else:
            known = COEFFICIENTS.get(name)
            found[name] = known.of_swaps(swaps) if known else float("nan")
    return found
