"""The margin families by name, fitting with selection among them, and margins to and from JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.registry import Registry
from truerank._support.types import Vector
from truerank.errors import unknown_name
from truerank.scores import TIE
from truerank.simulation.margins.base import Margin, PointMargin
from truerank.simulation.margins.beta import BETA
from truerank.simulation.margins.beta_binomial import BETA_BINOMIAL
from truerank.simulation.margins.beta_kernel import BETA_KERNEL
from truerank.simulation.margins.discrete_kernel import DISCRETE_KERNELS
from truerank.simulation.margins.expectation import MovedMargin
from truerank.simulation.margins.family import MarginFamily
from truerank.simulation.margins.gaussian_kernel import GAUSSIAN_KERNEL
from truerank.simulation.margins.truncated_normal import TRUNCATED_NORMAL

FAMILIES: Registry[MarginFamily] = Registry(
    "margin family", TRUNCATED_NORMAL, BETA, GAUSSIAN_KERNEL, BETA_KERNEL, BETA_BINOMIAL, *DISCRETE_KERNELS
)
"""The families of margins by name.

Example:
    >>> from truerank.simulation import FAMILIES
    >>> "beta" in FAMILIES
    True
"""
register_margin = FAMILIES.register
"""Make a family of margins known by its name, to fits and to saved models (docs/methods/simulation.md).

A continuous one is then among those that a fit chooses from by default.

Example:
    >>> from truerank.simulation import FAMILIES, register_margin
    >>> register_margin(FAMILIES["beta"])
    Traceback (most recent call last):
    truerank.errors.InputError: margin family 'beta' exists already; choose another name
"""

DEFAULT_SHAPES = "free"  # one of `SHAPES`: free ones predict new topics better (docs/methods/simulation.md)

# Selection criteria, the smaller the better: from log-likelihood, degrees of freedom and n.
CRITERIA: dict[str, Callable[[float, float, int], float]] = {
    "loglik": lambda loglik, degrees, n: -loglik,
    "aic": lambda loglik, degrees, n: 2 * degrees - 2 * loglik,
    "bic": lambda loglik, degrees, n: math.log(n) * degrees - 2 * loglik,
}


def fit_margin(
    scores: ArrayLike,
    families: Sequence[str] | None = None,
    criterion: str = "aic",
    support: Vector | None = None,
    shapes: str = DEFAULT_SHAPES,
) -> Margin:
    """The best margin for one system's scores.

    A constant column gets a `PointMargin`, whatever the families.
    """
    x = np.asarray(scores, dtype=np.float64)
    if criterion not in CRITERIA:
        raise unknown_name("criterion", criterion, CRITERIA)
    chosen = [FAMILIES.find(name) for name in families] if families else default_families(support)
    fits = [family.fit_with(shapes) for family in chosen]
    if np.ptp(x) <= TIE:
        return PointMargin(float(x[0]))

    def cost(margin: Margin) -> float:
        return CRITERIA[criterion](margin.log_likelihood(x), margin.degrees, len(x))

    return min((fit(x, support) for fit in fits), key=cost)


def default_families(support: Vector | None) -> list[MarginFamily]:
    """All continuous families, or all discrete ones where there is a support."""
    return [family for family in FAMILIES.values() if family.discrete == (support is not None)]


def margin_to_json(margin: Margin) -> dict[str, Any]:
    """A margin as a JSON object: ``family``, its parameters and, where it was moved, ``moved`` with those."""
    if isinstance(margin, MovedMargin):
        return {**margin_to_json(margin.base), "moved": margin.parameters()}
    return {"family": margin.family, **margin.parameters()}


def margin_from_json(document: dict[str, Any]) -> Margin:
    """The margin that :func:`margin_to_json` wrote, to the same digits."""
    values = dict(document)
    moved = values.pop("moved", None)
    family = str(values.pop("family"))
    # The margin of a constant column is not one of the families to choose from.
    known = {item.name: item.rebuild for item in FAMILIES.values() if item.rebuild}
    known[PointMargin.family] = PointMargin
    if family not in known:
        raise unknown_name("margin family", family, known)
    base = known[family](**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return base if moved is None else MovedMargin(base, **moved)
