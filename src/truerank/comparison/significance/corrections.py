"""Corrections for many tests: Bonferroni, Holm, Benjamini & Hochberg, and the largest statistic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from truerank._support.registry import Entry, Registry, explained_from
from truerank._support.types import Matrix, Vector
from truerank.errors import InputError
from truerank.numerics.max_t import holm

ABOUT = explained_from(__file__)  # texts of the corrections, by name


@dataclass(frozen=True)
class Correction(Entry):
    """A way to take account of how many hypotheses are tested.

    Attributes:
        adjust: from k p-values to k adjusted ones; ``None`` where the test itself must do it, by its
            :attr:`SignificanceTest.max_t`.

    Example:
        >>> CORRECTIONS["bonferroni"].adjust(np.array([0.01, 0.4, 0.03])).tolist()
        [0.03, 1.0, 0.09]
    """

    adjust: Callable[[Vector], Vector] | None


def correct(p_values: ArrayLike, correction: str) -> Matrix:
    """Adjusted p-values, in [0, 1] and in the given order, to compare with α itself. O(k log k)."""
    found = CORRECTIONS.find(correction)
    if found.adjust is None:
        raise InputError(f"the correction {found.name!r} needs the scores; use pairwise_tests")
    p = np.asarray(p_values, dtype=np.float64)
    return found.adjust(p) if len(p) else p


def _bonferroni(p: Vector) -> Vector:
    return np.minimum(p * len(p), 1.0)


def _benjamini_hochberg(p: Vector) -> Vector:
    from scipy.stats import false_discovery_control

    return np.asarray(false_discovery_control(p, method="bh"))


CORRECTIONS: Registry[Correction] = Registry(
    "correction",
    Correction("none", adjust=lambda p: p, **ABOUT["none"]),
    Correction("bonferroni", adjust=_bonferroni, **ABOUT["bonferroni"]),
    Correction("holm", adjust=holm, **ABOUT["holm"]),
    Correction("bh", adjust=_benjamini_hochberg, **ABOUT["bh"]),
    Correction("max-t", adjust=None, **ABOUT["max-t"]),
)
"""``bonferroni``, ``holm`` and ``max-t`` bound the chance of any false positive, ``bh`` their share among
the positives.

Example:
    >>> import truerank
    >>> list(truerank.significance.CORRECTIONS)
    ['none', 'bonferroni', 'holm', 'bh', 'max-t']
"""
