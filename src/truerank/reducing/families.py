"""Families of systems: near-copies of each other, which are held out together."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.scores import TIE

CUT = 0.4
"""Distance, 1 − r, up to which systems are of one family."""


def families_found(values: Matrix) -> NDArray[np.intp]:
    """The family of each system, numbered by first appearance: average linkage on 1 − r.

    r is the correlation of two systems' scores once topics and systems are centered; below 0 it counts as 0.
    """
    from scipy.cluster.hierarchy import fcluster, linkage

    rest = values - values.mean(axis=1, keepdims=True)
    rest = rest - rest.mean(axis=0)
    lengths = np.sqrt((rest**2).sum(axis=0))
    shapes = rest / np.where(lengths > TIE, lengths, np.inf)
    distances = 1 - np.clip(shapes.T @ shapes, 0, 1)
    upper = np.triu_indices(len(distances), 1)
    return numbered(fcluster(linkage(distances[upper], "average"), CUT, "distance"))


def numbered(names: NDArray[np.generic]) -> NDArray[np.intp]:
    """Names of groups as numbers from 0, by first appearance."""
    _, first, group = np.unique(names, return_index=True, return_inverse=True)
    numbers: NDArray[np.intp] = np.argsort(np.argsort(first))[group.ravel()]
    return numbers
