"""Planning where the truth is known: collections drawn from a simulation model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.coefficients import Coefficient
from truerank.planning.curves import SIZES, Curve
from truerank.reliability.swaps import count_swaps
from truerank.scores import TIE

COLLECTIONS = 400  # drawn by default
POOL = 5_000  # simulated topics that collections are drawn from
MOST = 1_000  # topics of a collection


class KnownTruth(Protocol):
    """What a plan needs of a model; :class:`truerank.simulation.SimulationModel` has it."""

    systems: tuple[str, ...]
    measure: str

    @property
    def true_means(self) -> Vector:
        """m true means."""

    def sample(self, topics: int, seed: int = 0, collection: int = 1) -> Any:
        """Scores on that many new topics."""


def known_curves(
    model: KnownTruth,
    coefficients: Sequence[Coefficient],
    level: float,
    collections: int,
    seed: int,
    places: int = 1,
) -> tuple[dict[str, Curve], Vector]:
    """The coefficients of collections of up to `MOST` topics, and the chance that the first places are right.

    Topics are simulated once, shifted so that their means are the true ones, and drawn with replacement. The
    first n′ topics of a collection are the one of that size. O(`POOL` + collections·(`MOST`·m + sizes·m²)).
    """
    sizes = np.array([size for size in SIZES if size <= MOST])
    truth = np.asarray(model.true_means, dtype=np.float64)
    best = np.sort(truth)[::-1][:places] - TIE
    values = {c.name: np.empty((len(sizes), collections)) for c in coefficients}
    first = np.empty((len(sizes), collections))
    pool = model.sample(POOL, seed).values
    pool = pool + (truth - pool.mean(axis=0))
    rng = stream(seed, "collections")
    for number in range(collections):
        drawn = pool[rng.integers(POOL, size=MOST)]
        means = np.cumsum(drawn, axis=0)[sizes - 1] / sizes[:, None]
        order = np.argsort(-np.round(means, 12), axis=1, kind="stable")
        swaps = count_swaps(np.ascontiguousarray(truth[order].T), -TIE, coefficients)
        for c in coefficients:
            values[c.name][:, number] = swaps.coefficient(c)
        first[:, number] = np.all(truth[order[:, :places]] >= best, axis=1)
    topics = sizes.astype(np.float64)
    return {name: _curve(name, topics, found, level) for name, found in values.items()}, first.mean(axis=1)


def _curve(name: str, topics: Vector, values: Matrix, level: float) -> Curve:
    expected = np.maximum.accumulate(values.mean(axis=1))
    low, high = np.quantile(values, [(1 - level) / 2, (1 + level) / 2], axis=1)
    low = np.maximum.accumulate(np.minimum(low, expected))
    return Curve(
        name,
        topics,
        expected,
        low,
        np.maximum(high, expected),
        expected[None, :],
        low[None, :],
        np.minimum.accumulate(high - low),
        level,
        values,
    )
