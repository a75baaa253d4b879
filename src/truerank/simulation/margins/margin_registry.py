"""The margin families by name, fitting with selection among them, and margins to and from JSON."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.registry import Registry
from truerank._support.types import Vector
from truerank.errors import unknown_name
from truerank.scores import TIE
from truerank.simulation.margins.base import Margin, PointMargin
from truerank.simulation.margins.beta import BetaMargin
from truerank.simulation.margins.beta_binomial import BetaBinomialMargin
from truerank.simulation.margins.beta_kernel import BetaKernelMargin
from truerank.simulation.margins.discrete_kernel import MULTIPLIERS, DiscreteKernelMargin
from truerank.simulation.margins.expectation import MovedMargin
from truerank.simulation.margins.gaussian_kernel import GaussianKernelMargin
from truerank.simulation.margins.truncated_normal import TruncatedNormalMargin

Fit = Callable[[Vector, Vector | None], Margin]


@dataclass(frozen=True)
class MarginFamily:
    """A family of margins, or one way of fitting it.

    Attributes:
        name: what users type.
        label: what users read.
        discrete: whether it needs a finite support.
        fit: from n scores and the support (``None`` for continuous measures) to a margin.
    """

    name: str
    label: str
    discrete: bool
    fit: Fit


FAMILIES: Registry[MarginFamily] = Registry("margin family")
_CLASSES: dict[str, Callable[..., Margin]] = {}

CRITERIA: dict[str, Callable[[float, float, int], float]] = {
    "loglik": lambda loglik, degrees, n: -loglik,
    "aic": lambda loglik, degrees, n: 2 * degrees - 2 * loglik,
    "bic": lambda loglik, degrees, n: math.log(n) * degrees - 2 * loglik,
}
"""Selection criteria, the smaller the better: from log-likelihood, degrees of freedom and n."""


def register_margin(family: MarginFamily, rebuild: Callable[..., Margin] | None = None) -> MarginFamily:
    """Make a family known by its name.

    Args:
        family: the family.
        rebuild: called with a margin's `parameters()` as keywords when a model is loaded;
            usually the margin's class. Not needed for a second way of fitting a known family.

    Raises:
        InputError: the name is taken.
    """
    FAMILIES.register(family)
    if rebuild is not None:
        _CLASSES[family.name] = rebuild
    return family


def fit_margin(
    scores: ArrayLike,
    families: Sequence[str] | None = None,
    criterion: str = "aic",
    support: Vector | None = None,
) -> Margin:
    """The best margin for one system's scores.

    A constant column gets a `PointMargin`, whatever the families.

    Args:
        scores: n scores in [0, 1].
        families: names to choose from; by default all continuous ones, or all discrete ones when
            there is a support.
        criterion: ``aic``, ``bic`` or ``loglik``.
        support: the scores that can occur, increasing; ``None`` for a continuous measure.

    Raises:
        InputError: a discrete family without a support, or a score off the support.
        UnknownNameError: an unknown family or criterion.
    """
    x = np.asarray(scores, dtype=np.float64)
    if criterion not in CRITERIA:
        raise unknown_name("criterion", criterion, CRITERIA)
    chosen = [FAMILIES.find(name) for name in families] if families else default_families(support)
    if np.ptp(x) <= TIE:
        return PointMargin(float(x[0]))

    def cost(margin: Margin) -> float:
        return CRITERIA[criterion](margin.log_likelihood(x), margin.degrees, len(x))

    return min((family.fit(x, support) for family in chosen), key=cost)


def default_families(support: Vector | None) -> list[MarginFamily]:
    """All continuous families, or all discrete ones where there is a support."""
    return [family for family in FAMILIES.values() if family.discrete == (support is not None)]


def margin_to_json(margin: Margin) -> dict[str, Any]:
    """A margin as a JSON object; :func:`margin_from_json` reads it back to the same digits."""
    if isinstance(margin, MovedMargin):
        return {**margin_to_json(margin.base), "moved": margin.parameters()}
    return {"family": margin.family, **margin.parameters()}


def margin_from_json(document: dict[str, Any]) -> Margin:
    """The margin that :func:`margin_to_json` wrote.

    Raises:
        UnknownNameError: a family that is not registered here.
    """
    values = dict(document)
    moved = values.pop("moved", None)
    family = str(values.pop("family"))
    if family not in _CLASSES:
        raise unknown_name("margin family", family, _CLASSES)
    base = _CLASSES[family](**{k: tuple(v) if isinstance(v, list) else v for k, v in values.items()})
    return base if moved is None else MovedMargin(base, **moved)


_CLASSES["point"] = PointMargin
register_margin(
    MarginFamily("truncated-normal", "truncated normal", False, TruncatedNormalMargin.fit),
    TruncatedNormalMargin,
)
register_margin(MarginFamily("beta", "beta", False, BetaMargin.fit), BetaMargin)
register_margin(
    MarginFamily("gaussian-kernel", "Gaussian kernel density", False, GaussianKernelMargin.fit),
    GaussianKernelMargin,
)
register_margin(
    MarginFamily("beta-kernel", "beta kernel density", False, BetaKernelMargin.fit), BetaKernelMargin
)
register_margin(
    MarginFamily("beta-binomial", "beta-binomial", True, BetaBinomialMargin.fit), BetaBinomialMargin
)
for _multiplier in MULTIPLIERS:
    register_margin(
        MarginFamily(
            "discrete-kernel" if _multiplier == 1 else f"discrete-kernel-{_multiplier}",
            f"discrete kernel, bandwidth × {_multiplier}",
            True,
            partial(DiscreteKernelMargin.fit, multiplier=_multiplier),
        ),
        DiscreteKernelMargin if _multiplier == 1 else None,
    )
