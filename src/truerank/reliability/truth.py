"""An assessment beside the true ranking, where that is known, as in a simulation."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from truerank.coefficients import COEFFICIENTS
from truerank.errors import InputError
from truerank.scores import TIE

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment


def true_coefficients(assessment: Assessment, true_means: Mapping[str, float]) -> dict[str, float]:
    """The coefficients that the estimates are after: the observed ranking against the true one."""
    names = [s.system for s in assessment.ranking]
    unknown = next((name for name in names if name not in true_means), None)
    if unknown is not None:
        raise InputError(f"the truth has no mean for system {unknown!r}; give one for every system")
    truth = np.array([true_means[name] for name in names])
    swapped = np.triu((truth[:, None] < truth[None, :] - TIE).astype(np.float64), 1)
    computed = dict.fromkeys(e.coefficient for e in assessment.estimates)
    known = {name: COEFFICIENTS.get(name) for name in computed}
    return {name: c.of_swaps(swapped) if c else float("nan") for name, c in known.items()}
