"""The beta-binomial distribution over the points of a finite support."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, partial
from typing import ClassVar

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.types import Vector
from truerank.errors import InputError
from truerank.simulation.margins.base import DiscreteMargin, counts_on
from truerank.simulation.margins.family import ABOUT, MarginFamily

LEAST, MOST = -7.0, 12.0  # range of log a and log b: nearly constant to nearly binomial


@dataclass(frozen=True)
class BetaBinomialMargin(DiscreteMargin):
    """The position in the support, 0 … k, is binomial with a Beta(a, b) chance; P@k is the plain case.

    From Urbano & Nagler (2018); see docs/methods/simulation.md.

    Attributes:
        support: the k + 1 scores that can occur, increasing, in [0, 1].
        a: first shape of the chance, above 0.
        b: second shape of the chance, above 0.
    """

    support: tuple[float, ...]
    a: float
    b: float
    family: ClassVar[str] = "beta-binomial"
    degrees: ClassVar[float] = 2.0  # type: ignore[misc]

    @classmethod
    def fit(
        cls, scores: ArrayLike, support: Vector | None = None, least: float = LEAST
    ) -> BetaBinomialMargin:
        """Maximum likelihood over log a and log b from `least` to `MOST`. O(n + k)."""
        from scipy.optimize import minimize

        if support is None:
            raise InputError("a beta-binomial margin needs a support; give the scores that can occur")
        counts = counts_on(scores, support)
        points = tuple(support.tolist())
        top = len(points) - 1
        if top == 0:
            return cls(points, 1.0, 1.0)

        def loss(logs: Vector) -> float:
            return -float(counts @ _log_masses(top, *np.exp(logs))) / counts.sum()

        share = np.clip(counts @ np.arange(top + 1) / counts.sum() / top, 0.02, 0.98)
        start = np.maximum(np.log([2 * share, 2 * (1 - share)]), least)
        result = minimize(loss, start, method="L-BFGS-B", bounds=[(least, MOST)] * 2, options={"ftol": 1e-13})
        a, b = np.exp(result.x)
        return cls(points, float(a), float(b))

    @cached_property
    def masses(self) -> Vector:
        """The mass of each point of the support."""
        masses = np.exp(_log_masses(len(self.support) - 1, self.a, self.b))
        return masses / masses.sum()


def _log_masses(top: int, a: float, b: float) -> Vector:
    from truerank.numerics.special import betaln

    j = np.arange(top + 1)
    log_choose = -np.log(top + 1) - betaln(top - j + 1, j + 1)
    return log_choose + betaln(j + a, top - j + b) - betaln(a, b)


BETA_BINOMIAL = MarginFamily(
    "beta-binomial",
    discrete=True,
    fit=BetaBinomialMargin.fit,
    rebuild=BetaBinomialMargin,
    fit_bounded=partial(BetaBinomialMargin.fit, least=0.0),
    **ABOUT["beta-binomial"],
)
