"""Several comparisons at once: the level holds for the chance of any false verdict, not of each.

Each difference is judged by the largest |t| of its family over resampled units (max-T), each resample with
its own standard errors. In a single step: every verdict can be read off its interval, and all intervals hold
together. The intervals of a measure are adjusted for its candidates alone, since passing by all measures is
claimed only where each of them passes.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from truerank._support.seeds import stream
from truerank._support.types import Matrix, Vector
from truerank.numerics import special
from truerank.numerics.max_t import single_step_p_values
from truerank.numerics.resampling import bootstrap_blocks
from truerank.reliability.pair.contrast import p_value, rule_of
from truerank.reliability.pair.question import Key, Question

RESAMPLES = 10_000
"""Resamples behind adjusted p-values: a Monte Carlo error of 0.0022 at 0.05."""

LARGEST = 37.0
"""Normal quantiles beyond this count as certain."""


@dataclass(frozen=True)
class Family:
    """How k comparisons are judged together.

    Attributes:
        adjusted: k, two-sided p-values of no difference, adjusted for all comparisons.
        levels: k, of the interval of each alone, at which those of its group hold together.
    """

    adjusted: Vector
    levels: Vector


def judged_together(
    questions: Sequence[Question], level: float, seed: int, groups: Sequence[int] | None = None
) -> Family:
    """Adjust k comparisons for each other: p-values for all, intervals within each group (a measure)."""
    contrasts = [one.contrast for one in questions]
    p = np.array([p_value(one) for one in contrasts])
    of = np.zeros(len(questions), dtype=np.intp) if groups is None else np.asarray(groups)
    if len(questions) == 1:
        return Family(p, np.array([level]))
    if any(one.levels for one in questions):  # resampling topics hides levels’ noise: Bonferroni
        return Family(np.minimum(len(p) * p, 1.0), 1 - (1 - level) / np.bincount(of)[of])
    # The same digits in whatever order systems and topics are.
    columns = np.lexsort((p, of))
    rows = _joined(questions)[:, columns]
    rows = rows[np.lexsort(rows.T)]
    ordered = [questions[k] for k in columns]
    largest = np.concatenate(list(_largest(rows, ordered, of[columns], seed)))
    quantiles = np.quantile(largest, level, axis=0, method="higher")
    levels = np.maximum(1 - 2 * special.ndtr(-quantiles), level)
    levels[np.bincount(of) == 1] = level
    z = np.clip(-special.ndtri(p / 2), 0.0, LARGEST)
    adjusted = single_step_p_values(z, [largest.max(axis=1, keepdims=True)])
    return Family(np.maximum(adjusted, p), levels[of])


def _joined(questions: Sequence[Question]) -> Matrix:
    """N × k influence rows: each topic is one row, whichever comparisons it takes part in."""
    places: dict[Key, int] = {}
    for one in questions:
        for key in one.keys:
            places.setdefault(key, len(places))
    rows = np.zeros((len(places), len(questions)))
    for k, one in enumerate(questions):
        rows[[places[key] for key in one.keys], k] = one.contrast.rows
    return rows


def _largest(
    rows: Matrix, questions: Sequence[Question], groups: NDArray[np.intp], seed: int
) -> Iterator[Matrix]:
    """The largest |normal score| of each group, in blocks of resamples × groups.

    Where the exact bound decides, or a resample has no spread, means have the error that was observed.
    """
    contrasts = [one.contrast for one in questions]
    units, degrees, errors = (
        np.array([getattr(one, name) for one in contrasts]) for name in ("units", "degrees", "error")
    )
    exact = np.array([rule_of(one) == "exact" for one in contrasts])
    kinds = [
        (group, ~exact & (groups == group) & (degrees == value), value)
        for group in range(max(groups) + 1)
        for value in np.unique(degrees[~exact & (groups == group)])
    ]
    rng = stream(seed, "gate", "max-T")
    for counts in bootstrap_blocks(len(rows), RESAMPLES, rng):
        weights = counts.astype(np.float64)
        first, second = (weights @ rows**power for power in (1, 2))
        squares = second - first**2 / units
        own = np.where(exact | (squares <= 1e-12 * second), errors, np.sqrt(np.maximum(squares, 0.0)))
        with np.errstate(divide="ignore", invalid="ignore"):
            t = np.abs(first) * np.sqrt((units - 1) / units) / own
        t[np.isnan(t)] = 0.0
        largest = np.zeros((len(t), max(groups) + 1))
        for group in range(largest.shape[1]):
            largest[:, group] = t[:, exact & (groups == group)].max(axis=1, initial=0.0)
        for group, some, value in kinds:
            tail = special.stdtr(value, -t[:, some].max(axis=1))
            np.maximum(largest[:, group], np.minimum(-special.ndtri(tail), LARGEST), out=largest[:, group])
        yield np.minimum(largest, LARGEST)
