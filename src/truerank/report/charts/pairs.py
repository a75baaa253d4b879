"""All pairs of a ranking: the darker a cell, the more probable is the wrong order; blank where it is sure."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

MOST = 60  # systems up to which a page has the drawing: its cells can be seen, and it takes some 20 kB

STEPS = (0.05, 0.15, 0.25, 0.4)  # probabilities of the wrong order at which a cell becomes darker


def doubts(a: Assessment) -> NDArray[np.int64]:
    """How many steps the probability of the wrong order of each pair reaches; 0 for separated ones."""
    result = np.digitize(a.swap_probabilities[a.headline_estimator], STEPS)
    if a.above is not None:
        result[a.above | a.above.T] = 0
    np.fill_diagonal(result, 0)
    return result


def _runs(marked: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Row, start and end of all cells that are marked, those beside each other in a row as one."""
    for row, cells in enumerate(marked):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], cells.astype(np.int8), [0]))))
        yield from ((row, int(start), int(end)) for start, end in edges.reshape(-1, 2))


def drawing(a: Assessment, level: str) -> Markup:
    """The drawing for a page with a question about any two systems, where they are few enough to see."""
    from truerank.report.outputs.page import fill

    systems = [system.system for system in a.ranking]
    if len(systems) > MOST:
        return Markup()
    steps, upper = doubts(a), np.triu_indices(len(systems), 1)
    probabilities = a.swap_probabilities[a.headline_estimator][upper]
    above = np.zeros(steps.shape, dtype=bool) if a.above is None else a.above | a.above.T
    paths = [
        "".join(f"M{start} {row}h{end - start}v1h-{end - start}z" for row, start, end in _runs(steps == step))
        for step in range(1, len(STEPS) + 1)
    ]
    return Markup(
        fill(
            "pairs.html",
            systems=systems,
            paths=paths,
            labels=[f"{low:.0%}" for low in STEPS],
            wrong=np.rint(1000 * probabilities).astype(int).tolist(),
            separated="".join("01"[int(item)] for item in above[upper]),
            level=level,
        )
    )
