"""The Gaussian copula: the dependence of a multivariate normal, under any margins."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar

import numpy as np
from numpy.random import Generator

from truerank._support.types import Matrix
from truerank.simulation.copulas.family import ABOUT, CopulaFamily
from truerank.simulation.correlation import (
    cholesky,
    correlated_normals,
    from_lower_triangle,
    kendall_matrix,
    lower_triangle,
    nearest_correlation,
)


@dataclass(frozen=True)
class GaussianCopula:
    """The copula of a multivariate normal (Urbano & Nagler 2018; docs/methods/simulation.md).

    Attributes:
        correlations: of the normals, d × d, positive definite, 1 on the diagonal.

    Example:
        Kendall's τ between two columns is ``2/π·arcsin ρ``:

        >>> import truerank
        >>> copula = GaussianCopula(np.array([[1.0, 0.8], [0.8, 1.0]]))
        >>> uniforms = copula.uniforms(5000, np.random.default_rng(1))
        >>> round(truerank.tau(*uniforms.T), 1), round(2 / np.pi * float(np.arcsin(0.8)), 1)
        (0.6, 0.6)
    """

    correlations: Matrix
    family: ClassVar[str] = "gaussian"

    @classmethod
    def fit(cls, values: Matrix, rng: Generator | None = None) -> GaussianCopula:
        """Correlations ``sin(π τ_b / 2)``, moved to the nearest positive definite matrix.

        For a Gaussian copula τ = 2/π·arcsin ρ. Inverting τ_b uses only the untied pairs of topics, so ties do
        not weaken the dependence, as breaking them at random would. With more systems than topics the matrix
        of sines is far from valid; the nearest valid one replaces it, without further shrinkage. A constant
        column is independent of all others. O(n²d² + d³).
        """
        del rng  # other families break ties with it
        tau = np.nan_to_num(kendall_matrix(values))
        np.fill_diagonal(tau, 1.0)
        return cls(nearest_correlation(np.sin(np.pi / 2 * tau)))

    @cached_property
    def _root(self) -> Matrix:
        return cholesky(self.correlations)

    @property
    def dimension(self) -> int:
        """How many uniforms a draw has."""
        return len(self.correlations)

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d. O(k·d²)."""
        from truerank.numerics.special import ndtr

        return ndtr(correlated_normals(self._root, k, rng))

    def parameters(self) -> dict[str, Any]:
        """The correlations below the diagonal, row by row."""
        return {"correlations": lower_triangle(self.correlations)}

    @classmethod
    def rebuild(cls, parameters: dict[str, Any]) -> GaussianCopula:
        """The copula with those parameters."""
        return cls(from_lower_triangle(parameters["correlations"]))


GAUSSIAN = CopulaFamily(
    "gaussian", fit=GaussianCopula.fit, rebuild=GaussianCopula.rebuild, **ABOUT["gaussian"]
)
