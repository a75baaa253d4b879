"""The reference of a rank distance: scores X of one measure, and the distance of any ranking from them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, cast

import numpy as np
from numpy.typing import ArrayLike, NDArray

from truerank._support.resources import Progress, in_threads, one_blas_thread
from truerank._support.types import Matrix, Vector
from truerank.coefficients.between_rankings import tied_ranks, values_by_name
from truerank.errors import InputError, TruerankError, at, unknown_name
from truerank.readers import as_scores
from truerank.scores import TIE, ScoreMatrix, real_numbers

Orders = NDArray[np.intp]

RIDGE = 1e-5  # λ, added to the variances where the covariance is singular (Carterette 2009, §3.1)
SINGULAR = 1e-10  # smallest eigenvalue of Σ_Δ, relative to the largest, below which λ is needed
HOPELESS = 1e-15  # ratio below which no distance can be computed without λ, unless the limit λ → 0 exists
# The λ, relative to the mean variance, that stands for the limit λ → 0: it moves no printed digit.
VANISHING = 1e-8

Regularize = Literal["differences", "scores"]

# What λ is added to: the covariance of the differences (the paper), or half of it to the scores'.
REGULARIZE = ("differences", "scores")
# Covariances in memory at a time for each thread, or those of one ranking where that is more.
CHUNK_BYTES = 1 << 22
ROUND = 4096  # rankings solved between two reports of progress


@dataclass(frozen=True, eq=False)
class Reference:
    """Scores X prepared once, so that many rankings can be measured against them.

    Build one with :meth:`of`.

    Attributes:
        scores: X, n topics × m systems.
        ridge: λ, in squared units of the measure; 0 where none is needed, and for the limit λ → 0.
        ridge_reason: why λ is what it is, a phrase to print.
        regularize: ``differences`` (λI on Σ_Δ) or ``scores`` (λ/2·I on the covariance of scores).
        factor: m × r, r = min(n, m), one row per system; factor · factorᵀ is the covariance (n − 1) of the
            scores. Differences of rows keep their digits where differences of covariances would not.
        vanishing: what stands for a vanishing λ where Σ_Δ is singular and `ridge` 0; else 0.

    Example:
        >>> ap = [[.283, .481, .516], [.017, .399, .544], [.075, .300, .277], [.183, .662, .616]]
        >>> reference = Reference.of(ap)
        >>> reference.distances([[.5, .75, .7], [.5, .7, .75]]).round(4).tolist()
        [0.6508, 0.0]
    """

    scores: ScoreMatrix
    ridge: float
    ridge_reason: str
    regularize: Regularize
    factor: Matrix
    vanishing: float

    @classmethod
    def of(cls, scores: Any, ridge: float | None = None, regularize: str = "differences") -> Reference:
        """Prepare scores. O(n·m² + m³).

        Args:
            scores: a ScoreMatrix, or anything :func:`truerank.read_scores` takes.
            ridge: λ ≥ 0. By default it is 0, but 1e-5 where m ≥ n or where systems differ by a constant.
                With copies of systems Σ_Δ is singular and 0 stands for the limit λ → 0.
            regularize: what λ is added to.

        Raises:
            InputError: fewer than two systems or topics, λ negative, or λ = 0 where Σ_Δ is singular and the
                limit does not exist.
            UnknownNameError: no such way to regularize.
        """
        table = as_scores(scores)
        where = at(table.source)
        if table.m < 2:
            raise InputError(f"{where}only one system ({table.systems[0]!r}); a ranking needs at least two")
        if table.n < 2:
            raise InputError(f"{where}only one topic; a rank distance needs at least two, dozens are better")
        if regularize not in REGULARIZE:
            raise unknown_name("way to regularize", regularize, REGULARIZE)
        centered = table.values - table.means
        with one_blas_thread():
            triangle: Matrix = np.asarray(np.linalg.qr(centered / np.sqrt(table.n - 1), mode="r"))
            factor = np.ascontiguousarray(triangle.T)
            differences = factor[table.order][:-1] - factor[table.order][1:]
            # The smallest eigenvalue of Σ_Δ relative to the largest; 0 where all differences are constant.
            roots = np.linalg.svd(differences, compute_uv=False)
            some = factor.shape[1] >= len(differences) and roots[0] > TIE
            ratio = float((roots[-1] / roots[0]) ** 2) if some else 0.0
            limit = ratio <= SINGULAR
            if limit:  # distances have a limit as λ → 0 if all contrasts without variance have mean 0
                means = -np.diff(table.means[table.order])
                beyond = differences @ np.linalg.lstsq(differences, means, rcond=SINGULAR**0.5)[0] - means
                limit = bool(np.abs(beyond).max() <= TIE**0.5 * np.abs(means).max())
        value, reason = _choose_ridge(ridge, ratio, limit, table, where)
        variance = float(np.square(differences).sum(axis=1).mean()) or 1.0
        vanishing = VANISHING * variance if limit and value == 0 else 0.0
        return cls(table, value, reason, cast(Regularize, regularize), factor, vanishing)

    @property
    def systems(self) -> tuple[str, ...]:
        """Names of the m systems, in the order that vectors y are given in."""
        return self.scores.systems

    @property
    def added(self) -> Matrix:
        """What λ adds to Σ_Δ, (m − 1) × (m − 1), the same for every order of the systems."""
        k, beside = self.scores.m - 1, 0.5 if self.regularize == "scores" else 0.0
        return (self.ridge + self.vanishing) * (np.eye(k) - beside * (np.eye(k, k=1) + np.eye(k, k=-1)))

    def orders(self, y: ArrayLike) -> Orders:
        """System indices by decreasing y, for B × m values; ties (1e-12) by mean of X, then input order.

        Raises:
            InputError: the wrong number of values, or one that is not finite.
        """
        values = np.atleast_2d(np.asarray(y, dtype=np.float64))
        m = self.scores.m
        if values.ndim != 2 or values.shape[1] != m:
            raise InputError(f"y must have a value for each of the {m} systems, not shape {np.shape(y)}")
        if not np.isfinite(values).all():
            raise InputError("y must have finite values")
        arranged = values[:, self.scores.order]
        first = np.argsort(-arranged, axis=1, kind="stable")
        gaps = np.diff(np.take_along_axis(arranged, first, axis=1), axis=1)
        tied = np.zeros(first.shape, dtype=np.intp)
        np.cumsum(gaps < -TIE, axis=1, out=tied[:, 1:])
        # Sorting by (tie group, place in X's ranking): one integer holds both.
        return np.asarray(self.scores.order[np.sort(tied * m + first, axis=1) % m])

    def distances(self, y: ArrayLike, progress: Progress | None = None) -> Matrix:
        """d(y | X) for B rankings at once, length B, each ≥ 0.

        Time O(B·(m³ + rounds·a³)), a the active constraints (neighbors whose means must become
        equal); 0.3 ms a ranking and core at 110 systems.

        Args:
            y: B × m values, higher is better, or one vector of m.
            progress: called with (done, total, label).

        Raises:
            InputError: as :meth:`orders`.
        """
        orders = self.orders(y)
        results = np.zeros(len(orders))
        # A ranking along which the means never rise has distance zero.
        steps = self.mean_differences(orders)
        far = np.flatnonzero((steps < 0).any(axis=1))
        m, r = self.factor.shape
        chunk = max(1, CHUNK_BYTES // (8 * m * (2 * m + r)))
        for start in range(0, len(far), ROUND):
            part = far[start : start + ROUND]
            if progress:
                progress(start, len(far), "rank distances")

            def work(first: int, part: NDArray[np.intp] = part) -> None:
                rows = part[first : first + chunk]
                results[rows] = self._solve(orders[rows], steps[rows])[0]

            with one_blas_thread():
                in_threads(work, range(0, len(part), chunk))
        return results

    def mean_differences(self, orders: Orders) -> Matrix:
        """μ_Δ: what each system's mean is above its next one's, B × (m − 1); 0 where tied (1e-12)."""
        arranged = self.scores.means[orders]
        steps = arranged[:, :-1] - arranged[:, 1:]
        steps[np.abs(steps) <= TIE] = 0.0
        return steps

    def nearest(self, order: Orders) -> tuple[float, Matrix]:
        """The distance of one ranking, and the θ that gives it: adjacent differences ≥ 0, m − 1."""
        orders = order[None, :]
        with one_blas_thread():
            distance, theta = self._solve(orders, self.mean_differences(orders))
        return float(distance[0]), theta[0]

    def _solve(self, orders: Orders, steps: Matrix) -> tuple[Matrix, Matrix]:
        """Distances (B) and θ (B × (m − 1)) for B orders with their μ_Δ."""
        rows = self.factor[orders]
        differences = rows[:, :-1] - rows[:, 1:]
        covariance = differences @ differences.transpose(0, 2, 1)
        covariance += self.added
        deviations = np.sqrt(np.diagonal(covariance, axis1=1, axis2=2))
        covariance /= deviations[:, :, None]
        covariance /= deviations[:, None, :]
        scale = np.sqrt(self.scores.n) / deviations
        t = scale * steps  # the paired t statistic of each two neighbors
        z = multipliers(covariance, t, singular=self.ridge + self.vanishing > 0)
        # The value of the dual, from the differences instead of their covariance. It is stationary at the
        # solution, so rounding in z enters only squared.
        u = z / deviations
        moved = (u[:, None, :] @ differences)[:, 0]
        length = np.sum(moved**2, axis=1) + np.sum((u @ self.added) * u, axis=1)
        squared = -2 * np.sum(t * z, axis=1) - length
        theta = (t + (covariance @ z[..., None])[..., 0]) / scale
        theta[z > 0] = 0.0
        return np.sqrt(np.maximum(squared, 0.0)), np.maximum(theta, 0.0)


def _choose_ridge(
    ridge: float | None, ratio: float, limit: bool, table: ScoreMatrix, where: str
) -> tuple[float, str]:
    if ridge is not None:
        if not (np.isfinite(ridge) and ridge >= 0):
            raise InputError(f"the ridge must be a finite number, 0 or more, not {ridge}")
        if ridge == 0 and ratio <= HOPELESS and not limit:
            raise InputError(
                f"{where}ridge = 0 leaves the covariance of the differences singular "
                f"({table.n} topics, {table.m} systems); give a ridge above 0, the usual one is {RIDGE:g}"
            )
        return float(ridge), "given"
    if table.m >= table.n:
        return RIDGE, f"no more topics ({table.n}) than systems ({table.m})"
    if limit:
        return 0.0, "some systems are copies of others: distances are the limit of a vanishing λ"
    if ratio <= SINGULAR:
        return RIDGE, "some systems differ by a constant, or nearly so: the covariance is singular"
    return 0.0, f"not needed: {table.n} topics for {table.m} systems"


def aligned(scores: ScoreMatrix, y: Any, what: str = "y") -> Vector:
    """The values of y, one per system, in the order of the systems of `scores`."""
    named = named_values(y)
    if named is not None:
        absent = [name for name in scores.systems if name not in named]
        if absent:
            more = f" and {len(absent) - 1} more systems" if len(absent) > 1 else ""
            raise InputError(f"{what} has no value for {absent[0]!r}{more}; add them or leave them out of X")
        y = [named[name] for name in scores.systems]
    try:
        values = real_numbers(y)
    except (TypeError, ValueError) as error:
        raise InputError(f"{what} must be numbers ({error})") from None
    if values.shape != (scores.m,):
        raise InputError(
            f"{what} must have a value for each of the {scores.m} systems, not shape {values.shape}"
        )
    tied_ranks(values)  # refuses what is not finite
    return values


def named_values(y: Any) -> dict[str, float] | None:
    """The values by system where y has names; ``None`` where it is a plain vector."""
    if isinstance(y, ScoreMatrix):
        y = y.one_table("a ranking by means")
        return dict(zip(y.systems, y.means.tolist(), strict=True))
    return values_by_name(y)


Mask = NDArray[np.bool_]
Index = NDArray[np.intp]

TOLERANCE = 1e-10  # the largest violation of a constraint that is ignored, relative to the largest |t|
# Rounds of plain exchanging; five are enough for nearly all rankings of fewer systems than topics.
EXCHANGES = 10
# Decreasing additions to a unit diagonal, which lead to a nearly singular matrix.
SOFTENED = (0.05, 0.01, 0.002)
SOFT_EXCHANGES = 3  # rounds of exchanging at each of these


def multipliers(gram: Matrix, t: Matrix, singular: bool = False) -> Matrix:
    """The z ≥ 0 that minimize ``½ zᵀCz + tᵀz``, for B problems in step. O(a³) a round, a of them active."""
    guess = t < 0
    if singular:  # exchanging would cycle, but the active constraints of a softened C are nearly those of C
        diagonal = np.arange(t.shape[1])
        own = gram[:, diagonal, diagonal]
        for more in SOFTENED:
            gram[:, diagonal, diagonal] = own + more
            _, guess, _ = exchange(gram, t, SOFT_EXCHANGES, guess)
        gram[:, diagonal, diagonal] = own
    z, _, left = exchange(gram, t, guess=guess)
    for row in left:
        z[row] = _by_least_squares(gram[row], t[row])
    return z


def exchange(
    gram: Matrix, t: Matrix, rounds: int = EXCHANGES, guess: Mask | None = None
) -> tuple[Matrix, Mask, Index]:
    """Block principal pivoting (Júdice & Pires 1994): all wrong constraints change sides at once."""
    z = np.zeros_like(t)
    active = t < 0 if guess is None else guess.copy()
    left = np.flatnonzero((t < 0).any(axis=1))
    tolerance = TOLERANCE * np.abs(t).max(axis=1, initial=0.0)[:, None]
    for _ in range(rounds):
        if len(left) == 0:
            break
        here, limit = active[left], -tolerance[left]
        z[left] = solved = _solve_active(gram, t, left, here)
        theta = t[left] + np.array([gram[row] @ each for row, each in zip(left, solved, strict=True)])
        wrong = np.where(here, solved, theta) < limit
        active[left] = here ^ wrong
        left = left[wrong.any(axis=1)]
    return z, active, left


def _by_least_squares(gram: Matrix, t: Matrix) -> Vector:
    """The z of one problem by Lawson and Hanson's method (1974, ch. 23), which cannot cycle."""
    from scipy.linalg import cholesky, solve_triangular
    from scipy.optimize import nnls

    try:
        factor = cholesky(gram, lower=True)
        return np.asarray(nnls(factor.T, -solve_triangular(factor, t, lower=True))[0])
    except (np.linalg.LinAlgError, RuntimeError):
        raise TruerankError(
            "the rank distance found no nearest ranking: the covariance of the differences is too close to "
            "singular; give a larger ridge"
        ) from None


def _solve_active(gram: Matrix, t: Matrix, rows: Index, active: Mask) -> Matrix:
    """z with θ = 0 on the active constraints A, ``C_AA z_A = −t_A``, and z = 0 on the others."""
    # A differs in size between problems; smaller systems are filled up with rows of the identity.
    size = int(active.sum(axis=1).max())
    index = np.argsort(~active, axis=1, kind="stable")[:, :size]
    real = np.take_along_axis(active, index, axis=1)
    system = gram[rows[:, None, None], index[:, :, None], index[:, None, :]]
    filled, place = np.nonzero(~real)
    system[filled, place] = 0.0
    system[filled, :, place] = 0.0
    system[filled, place, place] = 1.0
    right = np.where(real, -np.take_along_axis(t[rows], index, axis=1), 0.0)
    solution = np.linalg.solve(system, right[..., None])[..., 0]
    z = np.zeros(active.shape)
    np.put_along_axis(z, index, solution, axis=1)
    return z
