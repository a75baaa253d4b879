"""Copulas: the dependence between the systems' scores on a topic, whatever their margins."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator

from truerank._support.imports import Extra, require
from truerank._support.registry import Entry, Registry
from truerank._support.types import Matrix
from truerank.simulation.correlation import (
    cholesky,
    correlated_normals,
    from_lower_triangle,
    kendall_matrix,
    lower_triangle,
    nearest_correlation,
)


class Copula(Protocol):
    """A distribution on the unit cube with uniform margins.

    A protocol: any class with these members will do, registered by a :class:`CopulaFamily`.

    Attributes:
        family: the name under which it is registered and saved.

    Example:
        >>> class Independence:
        ...     family = "independence"
        ...     def __init__(self, dimension):
        ...         self.dimension = dimension
        ...     def uniforms(self, k, rng):
        ...         return rng.random((k, self.dimension))
        ...     def parameters(self):
        ...         return {"dimension": self.dimension}
        >>> import numpy as np
        >>> joint: Copula = Independence(3)
        >>> joint.uniforms(1000, np.random.default_rng(1)).shape
        (1000, 3)
    """

    family: ClassVar[str]

    @property
    def dimension(self) -> int:
        """d, how many uniforms a draw has."""
        ...

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d, the same digits on any number of threads."""
        ...

    def parameters(self) -> dict[str, Any]:
        """What rebuilds the copula, fit for JSON."""
        ...


@dataclass(frozen=True)
class CopulaFamily(Entry):
    """A family of copulas.

    Attributes:
        fit: from n × d scores, a generator (for ties) and its own keyword options to a copula.
        rebuild: from what `parameters()` gave to the copula.
        needs: packages that may be missing.

    Example:
        >>> import numpy as np
        >>> from truerank.simulation import COPULAS
        >>> family = COPULAS["gaussian"]
        >>> scores = np.array([[0.1, 0.2], [0.4, 0.3], [0.5, 0.9], [0.8, 0.7]])
        >>> copula = family.fit(scores, np.random.default_rng(1))
        >>> family.rebuild(copula.parameters()).dimension
        2
        >>> COPULAS["vine"].options
        ('families', 'truncation', 'selection', 'threads')
    """

    fit: Callable[..., Copula]
    rebuild: Callable[[dict[str, Any]], Copula]
    needs: Extra | None = None

    def check(self) -> None:
        """Refuse to begin without the packages that the family needs.

        Raises:
            MissingPackagesError: one is not installed.
        """
        if self.needs is not None:
            require(self.needs)

    @property
    def options(self) -> tuple[str, ...]:
        """Names of the options that its fit takes, besides scores and generator."""
        return tuple(inspect.signature(self.fit).parameters)[2:]


@dataclass(frozen=True)
class GaussianCopula:
    """The copula of a multivariate normal (Urbano & Nagler 2018; docs/methods/simulation.md)."""

    correlations: Matrix  # of the normals, d × d, positive definite, 1 on the diagonal
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
    "gaussian",
    "Gaussian",
    fit=GaussianCopula.fit,
    rebuild=GaussianCopula.rebuild,
    references=("urbano-nagler-2018", "higham-2002"),
)
COPULAS: Registry[CopulaFamily] = Registry(
    "copula", homes={"simulation.copulas": "gaussian", "simulation.vine": "vine"}
)
"""The families of copulas by name.

Example:
    >>> from truerank.simulation import COPULAS
    >>> list(COPULAS)
    ['gaussian', 'vine']
"""
