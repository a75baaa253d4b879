"""Means that generalize to new levels of facets too: prompts like these, judges like these.

The rows of the topics and those of each facet are strata of one covariance (docs/methods/facets.md, where the
equations are numbered).
"""

from __future__ import annotations

import numpy as np

from truerank._support.types import Matrix
from truerank.reliability.means.components import TOPIC, Cells, Components, shrunken_variances
from truerank.reliability.means.levels import FEWEST_TO_SHRINK
from truerank.reliability.means.means import Means

FEWEST_EFFECTIVE = 2.0
"""Fewest effective topics."""


def facet_means(cells: Cells) -> Means:
    """The means over the cells, whose factors are all a sample of levels like these."""
    found = Components.of(cells)
    theta = cells.values.mean(axis=tuple(range(len(cells.factors))))
    n = len(cells.values)
    of_topics = cells.values.reshape(n, -1).mean(axis=1)
    # With what all systems share on a topic.
    blocks = [found.rows[TOPIC] + (of_topics - of_topics.mean())[:, None] / n]
    factors, degrees = [found.kappa(TOPIC)], [max(n - 1.0, 1.0)]
    for name in cells.factors[1:]:
        made = _of_facet(found, name)
        if made is not None:
            rows, factor, freedom = made
            blocks.append(rows)
            factors.append(factor)
            degrees.append(freedom)
    of_base = float(found.variances[found.place(TOPIC)])
    return Means(
        theta=theta,
        contrasts=theta - theta.mean(),
        influences=np.concatenate(blocks),
        strata=np.repeat(np.arange(len(blocks)), [len(block) for block in blocks]),
        factors=np.array(factors),
        stratum_degrees=np.array(degrees),
        # Topics that would leave as much without any other noise.
        effective=max(of_base / found.variance, FEWEST_EFFECTIVE) if found.variance > 0 else float(n),
        unit=TOPIC,
        by_pairs=True,
        components=found,
    )


def _of_facet(found: Components, name: str) -> tuple[Matrix, float, float] | None:
    """The rows of a facet, their factor and degrees of freedom (eq. 8, 9); None where it leaves nothing."""
    place, m = found.place(name), found.cells.systems
    levels = found.effects[place].levels
    left, degrees = 1 - 1 / levels, levels - 1.0
    rows, kappa = found.rows[name], found.kappa(name)
    if (m - 1) * degrees < FEWEST_TO_SHRINK:
        return rows, 1 / left, degrees
    if not kappa > 0:
        return None
    squares, of_topics = found.squares[place], found.squares[found.place(TOPIC)]
    spread, added = shrunken_variances(kappa * m / (m - 1) * squares, degrees)
    freedom = min(added + degrees, (m - 1) * degrees)
    freedom = max(0.5, min(1.0, kappa * left) ** 2 * freedom)
    if not of_topics.sum() > 0:
        half = np.diag(np.sqrt(spread / 2))
        return np.concatenate([half, -half]), 1.0, freedom
    half = np.diag(np.sqrt(spread / 4))
    shaped = np.sqrt(kappa * squares.sum() / of_topics.sum() / 2) * found.rows[TOPIC]
    return np.concatenate([half, -half, shaped]), 1.0, freedom
