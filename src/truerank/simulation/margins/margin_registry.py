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

DEFAULT_SHAPES = "free"
"""One of `SHAPES`: free ones predict new topics better (docs/methods/simulation.md).

Example:
    >>> from truerank.simulation.margins import DEFAULT_SHAPES, SHAPES
    >>> DEFAULT_SHAPES in SHAPES
    True
"""

CRITERIA: dict[str, Callable[[float, float, int], float]] = {
    "loglik": lambda loglik, degrees, n: -loglik,
    "aic": lambda loglik, degrees, n: 2 * degrees - 2 * loglik,
    "bic": lambda loglik, degrees, n: math.log(n) * degrees - 2 * loglik,
}
"""Selection criteria, the smaller the better: from log-likelihood, degrees of freedom and n.

Example:
    >>> from truerank.simulation.margins import CRITERIA
    >>> CRITERIA["aic"](-10.0, 2.0, 50)
    24.0
"""


def fit_margin(
    scores: ArrayLike,
    families: Sequence[str] | None = None,
    criterion: str = "aic",
    support: Vector | None = None,
    shapes: str = DEFAULT_SHAPES,
) -> Margin:
    """The best margin for one system's scores.

    A constant column gets a `PointMargin`, whatever the families.

    Args:
        scores: n scores in [0, 1].
        families: names to choose from; by default all continuous ones, or all discrete ones when
            there is a support.
        criterion: ``aic``, ``bic`` or ``loglik``.
        support: the scores that can occur, increasing; ``None`` for a continuous measure.
        shapes: ``bounded`` keeps the shapes of beta and beta-binomial margins at 1 or more, where no
            density is infinite; ``free`` lets them be any positive number.

    Returns:
        The margin whose criterion is smallest.

    Raises:
        InputError: a discrete family without a support, or a score off the support.
        UnknownNameError: an unknown family, criterion or kind of shapes.

    Example:
        >>> scores = np.random.default_rng(1).beta(2, 5, 200)
        >>> fit_margin(scores, ["beta", "truncated-normal"], "bic").family
        'beta'
        >>> crowded = np.random.default_rng(1).beta(0.4, 4, 200)  # most of it next to 0
        >>> [round(fit_margin(crowded, ["beta"], shapes=kind).a, 2) for kind in ("free", "bounded")]
        [0.4, 1.0]
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
    # A constant column's margin belongs to no family that could be chosen.
    known = {item.name: item.rebuild for item in FAMILIES.values() if item.rebuild}
    known[PointMargin.family] = PointMargin
    if family not in known:
        raise unknown_name("margin family", family, known)
    base = known[family](**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return base if moved is None else MovedMargin(base, **moved)
