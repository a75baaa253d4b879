"""Copulas: the dependence between the systems' scores on a topic, whatever their margins."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Protocol

import numpy as np
from numpy.random import Generator
from numpy.typing import NDArray

from truerank._support.imports import COPULAS as PACKAGES
from truerank._support.imports import require
from truerank._support.registry import Entry, Registry
from truerank._support.resources import one_blas_thread
from truerank._support.types import Matrix
from truerank.errors import InputError, unknown_name

FLOOR = 1e-6  # least eigenvalue of a nearest correlation matrix
# Decimals of correlations: far below their error, and the same digits on any number of BLAS threads.
DECIMALS = 9
CHUNK = 1 << 12  # topics drawn at a time


def nearest_correlation(matrix: Matrix, tolerance: float = 1e-7, rounds: int = 500) -> Matrix:
    """The nearest correlation matrix by alternating projections (Higham 2002), positive definite."""
    current = (matrix + matrix.T) / 2
    np.fill_diagonal(current, 1.0)
    with one_blas_thread():
        if np.linalg.eigvalsh(current)[0] < FLOOR:
            correction = np.zeros_like(current)
            for _ in range(rounds):
                shifted = current - correction
                projected = _clipped(shifted, 0.0)
                correction = projected - shifted
                moved = projected.copy()
                np.fill_diagonal(moved, 1.0)
                change = np.linalg.norm(moved - current) / len(matrix)
                current = moved
                if change < tolerance:
                    break
            lifted = _clipped(current, 2 * FLOOR)
            scale = np.sqrt(np.diag(lifted))
            lifted /= np.outer(scale, scale)
            current = (lifted + lifted.T) / 2
    rounded = np.round(current, DECIMALS)
    np.fill_diagonal(rounded, 1.0)
    return rounded


def _clipped(matrix: Matrix, floor: float) -> Matrix:
    eigenvalues, vectors = np.linalg.eigh(matrix)
    return (vectors * np.maximum(eigenvalues, floor)) @ vectors.T


def cholesky(matrix: Matrix) -> Matrix:
    """The lower triangular L with L Lᵀ = matrix, with the same digits on any number of BLAS threads."""
    m = len(matrix)
    lower = np.zeros((m, m))
    for j in range(m):
        column = matrix[j:, j] - (lower[j:, :j] * lower[j, :j]).sum(axis=1)
        if column[0] > 1e-12:
            lower[j:, j] = column / np.sqrt(column[0])
    return lower


def correlated_normals(lower: Matrix, k: int, rng: Generator) -> Matrix:
    """k draws of the multivariate normal with covariance L Lᵀ, k × m; the same digits everywhere. O(k·m²)."""
    m = len(lower)
    draws = np.empty((k, m))
    for start in range(0, k, CHUNK):
        normal = rng.standard_normal((min(CHUNK, k - start), m))
        draws[start : start + CHUNK] = np.einsum("td,sd->ts", normal, lower, optimize=False)
    return draws


def lower_triangle(matrix: Matrix) -> list[float]:
    return np.round(matrix[np.tril_indices(len(matrix), -1)], DECIMALS).tolist()


def from_lower_triangle(values: list[float]) -> Matrix:
    """The symmetric matrix with a unit diagonal that :func:`lower_triangle` came from."""
    d = round((1 + np.sqrt(1 + 8 * len(values))) / 2) if values else 1
    if d * (d - 1) // 2 != len(values):
        raise InputError(f"{len(values)} correlations are not a triangle of a matrix")
    matrix = np.eye(d)
    matrix[np.tril_indices(d, -1)] = values
    if not (np.abs(matrix) <= 1).all():
        raise InputError("a correlation must lie between -1 and 1")
    return matrix + np.tril(matrix, -1).T


EXACT = 256  # up to this many rows all pairs of them are compared
BLOCK = 64  # with more rows, only pairs in the same block of this size are compared


def kendall_matrix(values: Matrix) -> Matrix:
    """τ_b between the columns of n × m values; NaN where one is constant. O(n · min(n, 64) · m²)."""
    n, m = values.shape
    balance = np.zeros((m, m))
    step = n if n <= EXACT else BLOCK
    with one_blas_thread():
        for start in range(0, n, step):
            rows = values[start : start + step]
            first, second = np.triu_indices(len(rows), 1)
            signs = np.sign(rows[first] - rows[second]).astype(np.float32)
            # Single precision holds counts up to 2²⁴ exactly.
            balance += signs.T @ signs
    untied = np.diag(balance)
    scale = np.sqrt(np.outer(untied, untied))
    return np.divide(balance, scale, out=np.full((m, m), np.nan), where=scale > 0)


Index = NDArray[np.intp]


def distinct_columns(values: Matrix) -> tuple[Index, Index]:
    """The first column of each group of equal ones, and for every column the number of its group."""
    _, first, group = np.unique(values.T + 0.0, axis=0, return_index=True, return_inverse=True)
    order = np.argsort(first)
    return first[order], np.argsort(order)[group.ravel()]


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
        return len(self.correlations)

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        from truerank.numerics.special import ndtr

        return ndtr(correlated_normals(self._root, k, rng))

    def parameters(self) -> dict[str, Any]:
        return {"correlations": lower_triangle(self.correlations)}

    @classmethod
    def rebuild(cls, parameters: dict[str, Any]) -> GaussianCopula:
        return cls(from_lower_triangle(parameters["correlations"]))


BATCH = 256  # topics drawn at a time
CRITERIA = ("loglik", "aic", "bic", "mbic", "mbicv")


@dataclass(frozen=True)
class VineCopula:
    """An R-vine: a tree-wise product of copulas of two systems each (Dißmann and others 2013).

    Used by Urbano & Nagler (2018); see docs/methods/simulation.md.
    """

    vine: dict[str, Any]  # structure and pair copulas, as pyvinecopulib writes them to JSON
    family: ClassVar[str] = "vine"

    @classmethod
    def fit(
        cls,
        values: Matrix,
        rng: Generator,
        families: Sequence[str] | None = None,
        truncation: int | None = None,
        selection: str = "aic",
        threads: int = 1,
    ) -> VineCopula:
        """Select trees, families and parameters from pseudo-observations rank/(n + 1).

        Ties get random order under `rng`, as pyvinecopulib has no ties: the more ties, the weaker the
        dependence of the model. On 88 systems × 48 topics a full vine takes half a minute, one truncated at
        three trees a few seconds. `families` are pair copulas by pyvinecopulib's names, by default all of
        them; trees after the `truncation` are independent.

        Raises:
            InputError: a single column, or a truncation or number of threads below 1.
            UnknownNameError: an unknown family or criterion.
        """
        require(PACKAGES)
        import pyvinecopulib

        if values.shape[1] < 2:
            raise InputError("a vine needs at least two different systems; use the gaussian copula")
        if threads < 1 or (truncation is not None and truncation < 1):
            raise InputError("threads and truncation must be 1 or more")
        if selection not in CRITERIA:
            raise unknown_name("criterion", selection, CRITERIA)
        members: Any = pyvinecopulib.BicopFamily
        known: dict[str, Any] = dict(members.__members__)
        options: dict[str, Any] = {"selection_criterion": selection, "num_threads": threads}
        if families is not None:
            for name in families:
                if name not in known:
                    raise unknown_name("pair copula", name, known)
            options["family_set"] = [known[name] for name in families]
        if truncation is not None:
            options["trunc_lvl"] = truncation
        vine = pyvinecopulib.Vinecop.from_data(
            np.asfortranarray(pseudo_observations(values, rng)),
            controls=pyvinecopulib.FitControlsVinecop(**options),
        )
        return cls(json.loads(vine.to_json()))

    @cached_property
    def _vine(self) -> Any:
        import pyvinecopulib

        return pyvinecopulib.Vinecop.from_json(json.dumps(self.vine))

    @property
    def dimension(self) -> int:
        return int(self._vine.dim)

    def uniforms(self, k: int, rng: Generator) -> Matrix:
        """k draws, k × d: independent uniforms through the inverse Rosenblatt transform."""
        draws = []
        # In whole batches and without pyvinecopulib's threads, because the last bit of a draw depends on how
        # many rows are transformed together.
        for _ in range(-(-k // BATCH)):
            independent = np.clip(rng.random((BATCH, self._vine.dim)), 1e-12, 1 - 1e-12)
            draws.append(self._vine.inverse_rosenblatt(np.asfortranarray(independent)))
        return np.concatenate(draws)[:k]

    def parameters(self) -> dict[str, Any]:
        return {"vine": self.vine}

    @classmethod
    def rebuild(cls, parameters: dict[str, Any]) -> VineCopula:
        require(PACKAGES)
        copula = cls(parameters["vine"])
        copula._vine  # noqa: B018 -- builds and so checks it
        return copula


def pseudo_observations(values: Matrix, rng: Generator) -> Matrix:
    """Ranks divided by n + 1, ties in random order; n × d in (0, 1)."""
    n, d = values.shape
    observations = np.empty((n, d))
    for s in range(d):
        order = np.lexsort(np.stack([rng.random(n), values[:, s]]))
        observations[order, s] = np.arange(1, n + 1) / (n + 1)
    return observations


COPULAS: Registry[CopulaFamily] = Registry(
    "copula",
    CopulaFamily(
        "gaussian",
        "Gaussian",
        fit=GaussianCopula.fit,
        rebuild=GaussianCopula.rebuild,
        references=("urbano-nagler-2018", "higham-2002"),
    ),
    CopulaFamily(
        "vine",
        "R-vine",
        fit=VineCopula.fit,
        rebuild=VineCopula.rebuild,
        references=("urbano-nagler-2018", "dissmann-2013"),
    ),
)
"""The families of copulas by name.

Example:
    >>> from truerank.simulation import COPULAS
    >>> list(COPULAS)
    ['gaussian', 'vine']
"""
