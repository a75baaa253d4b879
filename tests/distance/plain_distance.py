"""The rank distance written down plainly: solvers that share nothing with the fast one."""

from __future__ import annotations

from fractions import Fraction
from itertools import combinations

import numpy as np
from scipy.optimize import nnls

AP = [[0.283, 0.481, 0.516], [0.017, 0.399, 0.544], [0.075, 0.300, 0.277], [0.183, 0.662, 0.616]]
P10 = [0.5, 0.75, 0.7]


def values_of(ranking: str) -> list[int]:
    """Values of A, B, C … that rank them in this order, best first."""
    return [len(ranking) - ranking.index(system) for system in sorted(ranking)]


def problem(order, x, ridge=0.0, regularize="differences"):
    """μ_Δ and Σ_Δ straight from the differences of the columns (Algorithm 1, lines 2–4)."""
    x = np.asarray(x, dtype=float)[:, list(order)]
    differences = x[:, :-1] - x[:, 1:]
    mean = differences.mean(axis=0)
    covariance = np.atleast_2d(np.cov(differences, rowvar=False))
    k = len(mean)
    if regularize == "differences":
        ridge = ridge * np.eye(k)
    else:  # λ/2 I on the scores, taken through the differences
        between = np.eye(k, k + 1) - np.eye(k, k + 1, 1)
        ridge = ridge / 2 * between @ between.T
    return mean, covariance + ridge, len(x)


def by_nnls(mean, covariance, n) -> float:
    """Lawson and Hanson in the Cholesky basis: min ‖L⁻¹θ − L⁻¹μ‖, θ ≥ 0 (SciPy)."""
    inverse = np.linalg.inv(np.linalg.cholesky(covariance))
    theta, _ = nnls(inverse, inverse @ mean, maxiter=100 * len(mean))
    return float(np.sqrt(n) * np.linalg.norm(inverse @ (theta - mean)))


def by_enumeration(mean, covariance, n) -> float:
    """Every active set in rational arithmetic: the only one that satisfies the KKT conditions."""
    mu = [Fraction(float(value)) for value in mean]
    sigma = [[Fraction(float(value)) for value in row] for row in covariance]
    k = len(mu)
    for size in range(k + 1):
        for active in combinations(range(k), size):
            z = _solve([[sigma[i][j] for j in active] for i in active], [-mu[i] for i in active])
            if any(value < 0 for value in z):
                continue
            theta = [mu[i] + sum(sigma[i][j] * v for j, v in zip(active, z, strict=True)) for i in range(k)]
            if all(value >= 0 for i, value in enumerate(theta) if i not in active):
                squared = n * -sum((mu[i] * v for i, v in zip(active, z, strict=True)), Fraction(0))
                return float(squared) ** 0.5
    raise AssertionError("no active set satisfies the KKT conditions")


def _solve(matrix, right):
    """Gauss–Jordan elimination with fractions."""
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for i in range(len(rows)):
        pivot = next(r for r in range(i, len(rows)) if rows[r][i] != 0)
        rows[i], rows[pivot] = rows[pivot], rows[i]
        rows[i] = [value / rows[i][i] for value in rows[i]]
        for r in range(len(rows)):
            if r != i:
                rows[r] = [a - rows[r][i] * b for a, b in zip(rows[r], rows[i], strict=True)]
    return [row[-1] for row in rows]


def by_projection(mean, covariance, n, rounds=200_000) -> float:
    """Coordinate descent on the dual (Hildreth 1957), run until it no longer moves."""
    z = np.zeros(len(mean))
    gradient = mean.copy()
    for _ in range(rounds):
        most = 0.0
        for i in range(len(mean)):
            step = max(0.0, z[i] - gradient[i] / covariance[i, i]) - z[i]
            if step:
                z[i] += step
                gradient += step * covariance[:, i]
                most = max(most, abs(step) * np.sqrt(covariance[i, i]))
        if most < 1e-15:
            break
    return float(np.sqrt(n * (-2 * mean @ z - z @ covariance @ z)))


def enumerated_p_value(distance: float, x) -> float:
    """Share of all nⁿ ordered resamples at least that far, each distance by the plain solver."""
    from itertools import product

    x = np.asarray(x)
    n = len(x)
    own = np.argsort(-x.mean(axis=0), kind="stable")
    known: dict[tuple[int, ...], float] = {}
    far = 0
    for topics in product(range(n), repeat=n):
        key = tuple(sorted(topics))
        if key not in known:
            order = own[np.argsort(-x[list(key)].mean(axis=0)[own], kind="stable")]
            known[key] = by_enumeration(*problem(order, x))
        far += known[key] >= distance - 1e-9
    return far / n**n
