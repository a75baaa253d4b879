"""The quadratic program of the rank distance, solved for many rankings at once.

``min_θ (θ − t)ᵀ C⁻¹ (θ − t), θ ≥ 0`` has the dual ``min_z ½ zᵀCz + tᵀz, z ≥ 0``, with θ = t + Cz. The dual is
non-negative least squares in C itself, not in its inverse. There z is non-zero only where θ is zero: where
the means of neighbors in the ranking y become equal (the active constraints). When y is near these are few,
and only their part of C is ever factored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.errors import TruerankError

Mask = NDArray[np.bool_]
Index = NDArray[np.intp]

TOLERANCE = 1e-10  # the largest violation of a constraint that is ignored, relative to the largest |t|
# Rounds of plain exchanging; five are enough for nearly all rankings of fewer systems than topics.
EXCHANGES = 10
# Decreasing additions to a unit diagonal, which lead to a nearly singular matrix.
SOFTENED = (0.05, 0.01, 0.002)
SOFT_EXCHANGES = 3  # rounds of exchanging at each of these
SHARE = 0.3  # in descent, constraints violated by at least this share of the worst become active with it
ROUNDS = 100  # rounds of descent allowed per constraint; it takes less than one


def multipliers(gram: Matrix, t: Matrix, singular: bool = False) -> Matrix:
    """The z ≥ 0 that minimize ``½ zᵀCz + tᵀz``, for B problems in step.

    Exchanging solves nearly all problems; descent, which cannot cycle, solves the rest. Where C is nearly
    singular exchanging cycles, but the active constraints of a softened C are nearly those of C, so starting
    from these takes half the rounds. O(a³) per round and problem with a active constraints.
    """
    guess = t < 0
    if singular:
        diagonal = np.arange(t.shape[1])
        own = gram[:, diagonal, diagonal]
        for more in SOFTENED:
            gram[:, diagonal, diagonal] = own + more
            _, guess, _ = exchange(gram, t, SOFT_EXCHANGES, guess)
        gram[:, diagonal, diagonal] = own
    z, active, left = exchange(gram, t, guess=guess)
    if len(left):
        z[left] = descend(gram[left], t[left], active[left])
    return z


def exchange(
    gram: Matrix, t: Matrix, rounds: int = EXCHANGES, guess: Mask | None = None
) -> tuple[Matrix, Mask, Index]:
    """Block principal pivoting (Júdice & Pires 1994): all wrong constraints change sides at once.

    An active constraint with z < 0 is released, a violated one becomes active. Fast, but it may cycle.
    """
    z = np.zeros_like(t)
    active = t < 0 if guess is None else guess.copy()
    left = np.flatnonzero((t < 0).any(axis=1))
    tolerance = TOLERANCE * np.abs(t).max(axis=1, initial=0.0)[:, None]
    for _ in range(rounds):
        if len(left) == 0:
            break
        here, limit = active[left], -tolerance[left]
        z[left] = solved = _solve_active(gram, t, left, here)
        wrong = np.where(here, solved, _theta(gram, t, left, solved)) < limit
        active[left] = here ^ wrong
        left = left[wrong.any(axis=1)]
    return z, active, left


def descend(gram: Matrix, t: Matrix, active: Mask) -> Matrix:
    """Lawson & Hanson's method (1974, ch. 23), from any first guess at the active constraints.

    Constraints become active a block at a time. Those that the block would push below zero leave again before
    the first step. So every step goes down, no set of active constraints comes back, and the method ends.
    """
    z = np.zeros_like(t)
    active = active | (t < 0)
    left = np.arange(len(t))
    tolerance = TOLERANCE * np.abs(t).max(axis=1, initial=0.0)[:, None]
    for _ in range(ROUNDS * t.shape[1]):
        if len(left) == 0:
            return z
        here, now = active[left], z[left]
        goal = _solve_active(gram, t, left, here)
        negative: Mask = np.logical_and(here, goal <= 0)
        blocked = np.any(negative, axis=1)
        step = np.divide(now, now - goal, out=np.full_like(now, np.inf), where=negative & (now > 0))
        step[negative & (now <= 0)] = 0.0  # active since this block, and must leave again
        length = np.minimum(step.min(axis=1), 1.0)[:, None]
        hit = negative & (step <= length)
        now = np.where(blocked[:, None], now + length * (goal - now), goal)
        now[hit] = 0.0
        theta = np.where(here, 0.0, _theta(gram, t, left, now))
        worst = theta.min(axis=1)
        violated = ~blocked & (worst < -tolerance[left, 0])
        enter = violated[:, None] & (theta <= SHARE * worst[:, None])
        z[left] = now
        active[left] = (here & ~hit) | enter
        left = left[blocked | violated]
    raise TruerankError(
        "the rank distance found no nearest ranking: the covariance of the differences is too close to "
        "singular; give a larger ridge"
    )


def _theta(gram: Matrix, t: Matrix, rows: Index, z: Matrix) -> Matrix:
    """θ = t + Cz, for some of the problems (each product by itself: gathering the matrices costs more)."""
    theta = t[rows]
    for place, row in enumerate(rows):
        theta[place] += gram[row] @ z[place]
    return theta


def _solve_active(gram: Matrix, t: Matrix, rows: Index, active: Mask) -> Matrix:
    """z with θ = 0 on the active constraints A, ``C_AA z_A = −t_A``, and z = 0 on the others.

    A differs in size between problems; smaller systems are filled up with rows of the identity.
    """
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
