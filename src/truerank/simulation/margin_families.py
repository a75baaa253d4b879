"""The margin families by name, fitting with selection among them, and margins to and from JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.registry import Entry, Registry
from truerank._support.types import Vector
from truerank.errors import unknown_name
from truerank.scores import TIE
from truerank.simulation.kernels import BetaKernelMargin, DiscreteKernelMargin, GaussianKernelMargin
from truerank.simulation.margins import (
    SHAPES,
    BetaBinomialMargin,
    BetaMargin,
    DiscreteMargin,
    Margin,
    MovedMargin,
    PointMargin,
    TruncatedNormalMargin,
)

Fit = Callable[[Vector, Vector | None], Margin]


@dataclass(frozen=True)
class MarginFamily(Entry):
    """A family of margins, or one way of fitting it.

    Attributes:
        discrete: whether it needs a finite support.
        fit: from n scores and the support (``None`` for continuous measures) to a margin.
        rebuild: called with a margin's `parameters()` as keywords when a model is loaded, usually the
            margin's class; ``None`` for a second way of fitting a family that has another name.
        fit_bounded: like `fit`, with shapes of 1 or more; ``None`` for a family without shapes.

    Example:
        A uniform margin of one's own, which :func:`register_margin` would make known by name:

        >>> from truerank.simulation.margins import BetaMargin
        >>> uniform = MarginFamily(
        ...     "uniform", "uniform", False, fit=lambda scores, support: BetaMargin(1.0, 1.0)
        ... )
        >>> uniform.fit([0.2, 0.9], None).mean
        0.5
    """

    discrete: bool
    fit: Fit
    rebuild: Callable[..., Margin] | None = None
    fit_bounded: Fit | None = None

    def fit_with(self, shapes: str) -> Fit:
        """The way of fitting that keeps to one of `SHAPES`; a family without shapes has only one.

        Raises:
            UnknownNameError: not one of `SHAPES`.
        """
        if shapes not in SHAPES:
            raise unknown_name("kind of shapes", shapes, SHAPES)
        return self.fit_bounded if shapes == "bounded" and self.fit_bounded else self.fit


def _own(margin: Any, label: str, *references: str, **bounded: float) -> MarginFamily:
    """The family of a class of margins; `bounded` are arguments of its fit with shapes of 1 or more."""
    return MarginFamily(
        margin.family,
        label,
        discrete=issubclass(margin, DiscreteMargin),
        fit=margin.fit,
        rebuild=margin,
        fit_bounded=partial(margin.fit, **bounded) if bounded else None,
        references=("urbano-nagler-2018", *references),
    )


def _discrete_kernel(multiplier: int) -> MarginFamily:
    return MarginFamily(
        "discrete-kernel" if multiplier == 1 else f"discrete-kernel-{multiplier}",
        f"discrete kernel, bandwidth × {multiplier}",
        discrete=True,
        fit=partial(DiscreteKernelMargin.fit, multiplier=multiplier),
        rebuild=DiscreteKernelMargin if multiplier == 1 else None,
        references=("urbano-nagler-2018", "wang-van-ryzin-1981"),
    )


FAMILIES: Registry[MarginFamily] = Registry(
    "margin family",
    _own(TruncatedNormalMargin, "truncated normal"),
    _own(BetaMargin, "beta", smallest=1.0),
    _own(GaussianKernelMargin, "Gaussian kernel density", "wand-jones-1995"),
    _own(BetaKernelMargin, "beta kernel density", "chen-1999"),
    _own(BetaBinomialMargin, "beta-binomial", least=0.0),
    *map(_discrete_kernel, (1, 2, 5, 10)),
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
    chosen = [FAMILIES.find(name) for name in families or ()]
    chosen = chosen or [one for one in FAMILIES.values() if one.discrete == (support is not None)]
    fits = [family.fit_with(shapes) for family in chosen]
    if np.ptp(x) <= TIE:
        return PointMargin(float(x[0]))

    def cost(margin: Margin) -> float:
        return CRITERIA[criterion](margin.log_likelihood(x), margin.degrees, len(x))

    return min((fit(x, support) for fit in fits), key=cost)


def margin_to_json(margin: Margin) -> dict[str, Any]:
    """A margin as a JSON object: ``family``, its parameters and, where it was moved, ``moved`` with those."""
    if isinstance(margin, MovedMargin):
        return {**margin_to_json(margin.base), "moved": margin.parameters()}
    return {"family": margin.family, **margin.parameters()}


def margin_from_json(document: dict[str, Any]) -> Margin:
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
