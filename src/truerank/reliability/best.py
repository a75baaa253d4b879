"""Which systems may be the best, or among the best k, and with what probability."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.fragility import Fragility


@dataclass(frozen=True)
class Best:
    """The systems among which the best ones truly are.

    Attributes:
        level: at least the probability that all of the best k are among them.
        k: how many were asked for.
        systems: their names, in ranking order.
        fragility: how few topics carry the first k places; ``None`` unless the best k were asked for.
    """

    level: float
    k: int
    systems: tuple[str, ...]
    fragility: Fragility | None = None


@dataclass(frozen=True)
class BestSet:
    """The systems among which the best k truly are.

    Attributes:
        systems: indices in ranking order.
        probability: that all of the best k are among them; at least the level that was asked for.
        members: of each of the m systems, the probability that it is among the best k.
    """

    systems: tuple[int, ...]
    probability: float
    members: Vector


def best_set(
    ranks: NDArray[np.integer],
    k: int,
    level: float,
    identical: Sequence[Sequence[int]] = (),
    above: NDArray[np.bool_] | None = None,
) -> BestSet:
    """The smallest set that holds the best k systems with that probability, from draws of ranks.

    >>> draws = np.array([[1, 2, 3]] * 90 + [[2, 1, 3]] * 6 + [[3, 2, 1]] * 4)
    >>> found = best_set(draws, 1, 0.95)
    >>> found.systems, found.probability
    ((0, 1), 0.96)
    >>> found.members.tolist()
    [0.9, 0.06, 0.04]
    """
    border = np.partition(ranks, k - 1, axis=1)[:, k - 1 : k]
    inside, at_border = ranks < border, ranks == border
    places = k - np.count_nonzero(inside, axis=1)
    sharing = np.count_nonzero(at_border, axis=1)
    members = (inside + at_border * (places / sharing)[:, None]).mean(axis=0)
    for group in identical:
        members[group] = members[group].mean()
    order = np.argsort(-members, kind="stable")
    held = _held(inside[:, order], at_border[:, order], places, sharing)
    size = int(np.argmax(held >= level - 1e-12)) + 1
    chosen = {int(s) for s in order[:size]}
    if above is not None and size == k < len(order) and not above[np.ix_(order[:k], order[k:])].all():
        size += 1
        chosen.add(int(order[k]))
    for group in identical:
        chosen |= set(group) if chosen & set(group) else set()
    return BestSet(tuple(sorted(chosen)), float(held[size - 1]), members)


def _held(
    inside: NDArray[np.bool_],
    at_border: NDArray[np.bool_],
    places: NDArray[np.integer],
    sharing: NDArray[np.integer],
) -> Vector:
    """Of every number of systems, the first ones: the probability that they hold all of the best."""
    from scipy.special import gammaln

    found = np.zeros(inside.shape[1])
    alone = places == sharing  # nothing is shared: all of them are needed
    needed = inside[alone] | at_border[alone]
    last = needed.shape[1] - 1 - needed[:, ::-1].argmax(axis=1)
    found += np.bincount(last, minlength=len(found)).cumsum()
    shared = ~alone
    if shared.any():
        reached = np.cumsum(at_border[shared], axis=1)
        whole = np.cumsum(inside[shared], axis=1) == np.count_nonzero(inside[shared], axis=1)[:, None]
        q, t = places[shared][:, None], sharing[shared][:, None]

        def log_choices(j: Matrix) -> Matrix:
            return gammaln(j + 1.0) - gammaln(q + 1.0) - gammaln(np.maximum(j - q, 0) + 1.0)

        possible = whole & (reached >= q)
        found += np.where(possible, np.exp(log_choices(reached) - log_choices(t)), 0.0).sum(axis=0)
    return found / len(inside)
