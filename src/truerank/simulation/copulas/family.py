"""Copulas: the dependence between the systems' scores on a topic, whatever their margins."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, ClassVar, Protocol

from numpy.random import Generator

from truerank._support.imports import Extra, require
from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Matrix

ABOUT = explained_from(__file__)  # texts of the families, by name


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


COPULAS: Registry[CopulaFamily] = Registry(
    "copula", homes={"simulation.copulas.gaussian": "gaussian", "simulation.copulas.vine": "vine"}
)
"""The families of copulas by name.

Example:
    >>> from truerank.simulation import COPULAS
    >>> list(COPULAS)
    ['gaussian', 'vine']
"""
