"""All pairs of a ranking as one small drawing, and a question about any two systems."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from markupsafe import Markup
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.report.outputs.page import fill

MOST = 60
"""Systems up to which a page has the drawing: its cells can be seen, and it takes some 20 kB."""

DOUBT = (0.05, 0.15, 0.25, 0.4)
"""Probabilities of the wrong order at which a cell becomes darker."""


def pairs(systems: Sequence[str], probabilities: Matrix, separated: NDArray[np.bool_], level: str) -> Markup:
    """The drawing and the question.

    Args:
        systems: names in observed order.
        probabilities: m × m; of the wrong order of each pair.
        separated: m × m; which pairs are separated at the level.
        level: of the rank ranges, as text.
    """
    doubt = np.where(separated, 0, np.digitize(probabilities, DOUBT))
    np.fill_diagonal(doubt, 0)
    upper = np.triu_indices(len(systems), 1)
    return Markup(
        fill(
            "pairs.html",
            systems=systems,
            paths=[_cells(doubt == step) for step in range(1, len(DOUBT) + 1)],
            labels=[f"{low:.0%}" for low in DOUBT],
            wrong=np.rint(1000 * probabilities[upper]).astype(int).tolist(),
            separated="".join("01"[int(one)] for one in separated[upper]),
            level=level,
        )
    )


def _cells(marked: NDArray[np.bool_]) -> str:
    """A path of unit squares, those beside each other in a row as one."""
    path = []
    for row, cells in enumerate(marked):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], cells.astype(np.int8), [0]))))
        path += [f"M{start} {row}h{end - start}v1h-{end - start}z" for start, end in edges.reshape(-1, 2)]
    return "".join(path)
