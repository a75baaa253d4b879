"""Means that generalize to new levels of facets too: prompts like these, judges like these.

The rows of the base (topics, or data sets) and those of each facet are strata of one covariance
(docs/methods/facets.md, where the equations are numbered).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix, Vector
from truerank.reliability.means.components import DATA_SET, Cells, Components, refines, shrunken_variances
from truerank.reliability.means.least_squares import additive
from truerank.reliability.means.levels import FEWEST_TO_SHRINK
from truerank.reliability.means.means import Means

FEWEST_EFFECTIVE = 2.0
"""Fewest effective topics."""


def facet_means(cells: Cells) -> Means:
    """The means over the cells, whose factors are all a sample of levels like these."""
    return means_with(Components.of(cells))


def means_with(found: Components) -> Means:
    """The same, where the components of variance are known."""
    cells = found.cells
    theta, contrasts = estimates(cells)
    rows, strata = _base(found)
    sizes = np.bincount(strata)
    blocks, degrees = [(rows, strata)], [*np.maximum(sizes - 1.0, 1.0)]
    factors = [found.kappa(cells.base)] * len(sizes)
    for name in list(cells.factors)[1:]:
        made = _of_facet(found, name)
        if made is not None:
            of_facet, factor, freedom = made
            blocks.append((of_facet, np.full(len(of_facet), len(factors))))
            factors.append(factor)
            degrees.append(freedom)
    return Means(
        theta=theta,
        contrasts=contrasts,
        influences=np.concatenate([block for block, _ in blocks]),
        strata=np.concatenate([places for _, places in blocks]),
        factors=np.array(factors),
        stratum_degrees=np.array(degrees),
        effective=_effective(found),
        unit=cells.base,
        by_pairs=True,
        components=found,
    )


def estimates(cells: Cells) -> tuple[Vector, Vector]:
    """θ̂ of the systems, m, and the same but for a common constant."""
    if cells.complete:
        theta: Vector = cells.weights @ cells.values
        return theta, theta - theta.mean()
    fit = additive(cells.values, np.full(len(cells.values), 1 / len(cells.values)))
    return fit.theta, fit.contrasts


def _base(found: Components) -> tuple[Matrix, NDArray[np.intp]]:
    """The rows of the base, with what all systems share in them, and the stratum of each."""
    cells = found.cells
    base = found.effects[found.place(cells.base)]
    strata = np.zeros(len(base.codes), np.intp) if cells.strata is None else cells.strata
    centers = cells.values.mean(axis=1) if cells.complete else np.nanmean(cells.values, axis=1)
    totals = np.bincount(strata, cells.weights)
    shared = centers - (np.bincount(strata, cells.weights * centers) / totals)[strata]
    of_rows = np.zeros(base.levels, np.intp)
    of_rows[base.codes] = strata
    return found.rows[cells.base] + np.bincount(base.codes, cells.weights * shared)[:, None], of_rows


def _of_facet(found: Components, name: str) -> tuple[Matrix, float, float] | None:
    """The rows of a facet, their factor and degrees of freedom (eq. 8, 9); None where it leaves nothing."""
    place, cells = found.place(name), found.cells
    effect, m = found.effects[place], cells.values.shape[1]
    base = found.effects[found.place(cells.base)]
    if refines(effect, base):  # its noise is that of the base
        return None
    h, own = float(found.remaining[place]), float(found.expected[place, place])
    if effect.within and cells.strata is not None:
        left, degrees = own / h, float(effect.levels - 1 - int(cells.strata.max()))
    else:
        left = 1 - h
        degrees = float(effect.levels - 1) if cells.strata is not None else 1 / h - 1
    rows, kappa = found.rows[name], found.kappa(name)
    if (m - 1) * degrees < FEWEST_TO_SHRINK:
        return rows, 1 / left, max(1.0, degrees)
    if not kappa > 0:
        return None
    squares, of_base = found.squares[place], found.squares[found.place(cells.base)]
    spread, added = shrunken_variances(kappa * m / (m - 1) * squares, degrees)
    freedom = min(added + degrees, (m - 1) * degrees)
    freedom = max(0.5, min(1.0, kappa * left) ** 2 * freedom)
    if not of_base.sum() > 0:
        half = np.diag(np.sqrt(spread / 2))
        return np.concatenate([half, -half]), 1.0, freedom
    half = np.diag(np.sqrt(spread / 4))
    shaped = np.sqrt(kappa * squares.sum() / of_base.sum() / 2) * found.rows[cells.base]
    return np.concatenate([half, -half, shaped]), 1.0, freedom


def _effective(found: Components) -> float:
    """Topics that would leave as much without any other noise, 2 at least."""
    name = found.cells.base
    base = found.place(name)
    if not found.variance > 0:
        return float(found.effects[base].levels)
    if name == DATA_SET:
        of_base = found.targets[name] / float(found.remaining[base])
    else:
        of_base = float(found.variances[base])
    return max(of_base / found.variance, FEWEST_EFFECTIVE)
