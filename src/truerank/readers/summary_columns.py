"""Columns and rows that sum up the others, as in spreadsheets: a mean is neither a system nor a topic."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from truerank._support.notes import Note
from truerank._support.wording import few
from truerank.readers.roles import PATTERNS, in_words, is_average
from truerank.scores import ScoreMatrix

_CLEAR = 0.1
"""How much of the others' range rounding may blur before numbers that agree say nothing."""

_CLEAREST = 0.02
"""The same where no name says that a column sums up the others."""

_LOOKED_AT = 16
"""Systems of which is asked first whether a row may be the mean of the others."""

_BY_CHANCE = 1e-6
"""How likely numbers of this many digits may be a mean by chance, where no name says so."""


def columns_of_systems(values: NDArray[np.float64], names: Sequence[str]) -> tuple[list[int], list[Note]]:
    """The columns that are systems, and notes on those that are called like a summary.

    A column is left out where its name says so and its numbers are the mean, median, sum, extreme or
    deviation of the others, up to rounding. `max` may also be a way of pooling: with other numbers, a column
    is a system.

    >>> columns_of_systems(np.array([[0.1, 0.2, 0.15], [0.5, 0.2, 0.35]]), ["A", "B", "Mean"])[0]
    [0, 1]
    """
    summary = PATTERNS["summary_of_systems"]
    called = [j for j, name in enumerate(names) if is_average(name) or summary.fullmatch(name.strip())]
    others = [j for j in range(len(names)) if j not in called]
    if not called:
        return others, []
    left = [j for j in called if len(others) > 1 and _sums_up(values[:, j], values[:, others])]
    notes = []
    if left:
        said = f"columns that sum up the others left out: {few([names[j] for j in left], 8)}"
        notes.append(Note("columns-left-out", said))
    kept = [names[j] for j in called if j not in left and is_average(names[j])]
    if kept:
        said = (
            f"read as systems, as their numbers do not sum up the others: {few(kept, 8)}; remove the "
            "columns if they are none"
        )
        notes.append(Note("systems-assumed", said))
    return [j for j in range(len(names)) if j not in left], notes


def without_summary_rows(raw: ScoreMatrix) -> ScoreMatrix:
    """The scores without topics that sum up the others, by their name and numbers.

    Where no name says so, the last one that is the mean of all others by every system is left out too.
    """
    if raw.n < 4 or raw.m < 2 or raw.battles is not None or 1 < raw.k < raw.n:
        return raw
    values, names = raw.values.T, raw.topics
    named = [t for t, name in enumerate(names) if PATTERNS["summary_of_topics"].fullmatch(in_words(name))]
    others = np.delete(values, named, axis=1)
    left = [t for t in named if others.shape[1] > 1 and _sums_up_topics(values[:, t], others)]
    if not left and _is_last_mean(values):
        left = [raw.n - 1]
    if not left:
        return raw
    said = "{shown} sum up the {topics} by their numbers, and are left out"
    shown = f"rows {few([names[t] for t in left], 8)}"
    note = Note.on_units("summaries-left-out", said, shown=shown)
    return raw.rows(np.delete(np.arange(raw.n), left)).noting(note)


def _sums_up_topics(row: NDArray[np.float64], others: NDArray[np.float64]) -> bool:
    """Whether a row has a summary of the others by each system, their number, or ranks of the systems."""
    m = len(row)
    ranks = bool(((row >= 1) & (row <= m)).all()) and abs(row.sum() - m * (m + 1) / 2) < _step(row) * m
    return ranks or bool((row == others.shape[1]).all()) or _sums_up(row, others)


def _is_last_mean(values: NDArray[np.float64]) -> bool:
    """Whether the last column is the mean of the others in all rows, which chance does not explain."""
    few = values[:_LOOKED_AT]  # of large tables, these most often say that it is not
    if np.isnan(few[:, -1]).any() or np.isnan(few[:, :-1]).all(axis=1).any():
        return False
    ranges = np.nanmax(few, axis=1) - np.nanmin(few, axis=1)
    if (np.abs(few[:, -1] - np.nanmean(few[:, :-1], axis=1)) > ranges / 4).any():
        return False
    last, others = values[:, -1], values[:, :-1]
    if np.isnan(last).any() or np.isnan(others).all(axis=1).any():
        return False
    step = _step(last) + _step(others)
    spreads = np.nanmax(others, axis=1) - np.nanmin(others, axis=1)
    chance = float(np.prod(step / np.maximum(spreads, step)))
    return chance < _BY_CHANCE and _sums_up(last, others, means_only=True)


def averages_others(values: NDArray[np.float64], column: int) -> bool:
    """Whether a column is the mean of the others, three at least, in each of three rows or more."""
    others = np.delete(values, column, axis=1)
    if len(values) < 3 or others.shape[1] < 3:
        return False
    return _sums_up(values[:, column], others, means_only=True)


def _sums_up(column: NDArray[np.float64], others: NDArray[np.float64], means_only: bool = False) -> bool:
    """Whether a column is some summary of the others, in each row that has both."""
    rows = ~np.isnan(column) & ~np.isnan(others).all(axis=1)
    if rows.sum() < 2:
        return False
    column, others = column[rows], others[rows]
    spread = float(np.nanmax(others) - np.nanmin(others))
    own, theirs = _step(column), _step(others)
    return any(
        error <= (_CLEAREST if means_only else _CLEAR) * spread
        and bool(np.all(np.abs(column - summary) <= error * 1.001 + 1e-9))
        for summary in islice(_summaries(others), 1 if means_only else None)
        for error in (own / 2, own, (own + theirs) / 2)
    )


def _summaries(values: NDArray[np.float64]) -> Iterator[NDArray[np.float64]]:
    """What spreadsheets work out of the cells of each row that are filled."""
    for summary in (np.nanmean, np.nanmedian, np.nansum, np.nanmin, np.nanmax, np.nanstd):
        yield summary(values, axis=1)
    yield np.nanstd(values, axis=1) * np.sqrt(values.shape[1] / max(1, values.shape[1] - 1))


def _step(values: NDArray[np.float64]) -> float:
    """The last decimal that the numbers are written with."""
    there = values[~np.isnan(values)]
    exact = (d for d in range(10) if np.allclose(there, np.round(there, d), rtol=0, atol=1e-10))
    return float(10.0 ** -next(exact, 10))
