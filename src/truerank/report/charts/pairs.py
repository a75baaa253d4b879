"""All pairs of a ranking: the darker a cell, the more probable is the wrong order; blank where it is sure."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.report.charts.forest import Rows, rank_axis, row_axis
from truerank.report.charts.style import COLUMN, PADDING, Chart, Size, channel, finished, layered, mark
from truerank.report.palette import DOUBT, MUTED

if TYPE_CHECKING:
    from markupsafe import Markup

    from truerank.reliability.results import Assessment

MOST = 60  # systems up to which a page has the drawing: its cells can be seen, and it takes some 20 kB

STEPS = (0.05, 0.15, 0.25, 0.4)  # probabilities of the wrong order at which a cell becomes darker

SHADES = (0.18, 0.4, 0.65, 1.0)  # opacity of the cells from each step on

WIDEST = 2.5  # how much wider than high a cell may be on paper, where few systems leave a figure room


def doubts(a: Assessment) -> NDArray[np.int64]:
    """How many steps the probability of the wrong order of each pair reaches; 0 for separated ones."""
    result = np.digitize(a.swap_probabilities[a.headline_estimator], STEPS)
    if a.above is not None:
        result[a.above | a.above.T] = 0
    np.fill_diagonal(result, 0)
    return result


def runs(marked: NDArray[np.bool_]) -> Iterator[tuple[int, int, int]]:
    """Row, start and end of all cells that are marked, those beside each other in a row as one."""
    for row, cells in enumerate(marked):
        edges = np.flatnonzero(np.diff(np.concatenate(([0], cells.astype(np.int8), [0]))))
        yield from ((row, int(start), int(end)) for start, end in edges.reshape(-1, 2))


def swap_chart(a: Assessment, size: Size = COLUMN) -> Chart:
    """The headline estimator's probabilities, m × m in ranking order."""
    names, ranks = [s.system for s in a.ranking], [s.rank for s in a.ranking]
    count, highest = len(names), max(ranks)
    among = a.scores.systems
    end = 0.6 * size.text(str(highest))
    free = size.width - PADDING - Rows.of(names, size, highest, among).names - end
    side = min(free, count * 1.6 * size.row, 0.86 * size.height)
    width = max(side, min(free, WIDEST * side))
    rows = Rows.of(names, size, highest, among, height=side)
    steps = doubts(a)
    labels = [f"{low:.0%} or more" for low in STEPS]
    cells = [
        {"row": row + 0.5, "below": row + 1.5, "left": start + 0.5, "right": end + 0.5, "doubt": label}
        for step, label in enumerate(labels, 1)
        for row, start, end in runs(steps == step)
    ]
    title = "probability that the pair is in the wrong order"
    title += "" if a.above is None else "; blank: separated, or less"
    room = size.width - PADDING - rows.names
    legend = {"orient": "bottom", "columns": max(1, int(room / (size.text(labels[0]) + 3 * size.font)))}
    legend |= {"title": size.lines(title, room), "titleLimit": 0}
    legend |= {"symbolType": "square", "symbolFillColor": DOUBT, "symbolStrokeWidth": 0}
    shade = channel(
        "doubt:N", sort=None, scale={"type": "ordinal", "domain": labels, "range": [*SHADES]}, legend=legend
    )
    written = f"{[str(rank) for rank in ranks]}[datum.value - 1]"
    x = rank_axis("left", "rank", 1, count, width, size, grid=False, labelExpr=written)
    y: dict[str, Any] = {"y": row_axis("row", count), "y2": "below:Q"}
    diagonal: dict[str, Any] = {"x": 0, "y": 0, "x2": width, "y2": side}
    drawn = layered(
        mark("rect", cells, color=DOUBT, x=x, x2="right:Q", opacity=shade, **y),
        mark("rule", [{}], color=MUTED, strokeWidth=0.1 * size.font, **diagonal),
        rows.named(names, ranks),
        width=width,
        height=side,
    )
    return finished(drawn, size, note=rows.remark(len(a.ranking)))


def drawing(a: Assessment, level: str) -> Markup:
    """The drawing for a page with a question about any two systems, where they are few enough to see."""
    from markupsafe import Markup

    from truerank.report.outputs.page import fill

    systems: Sequence[str] = [system.system for system in a.ranking]
    if len(systems) > MOST:
        return Markup()
    steps, upper = doubts(a), np.triu_indices(len(systems), 1)
    probabilities: Matrix = a.swap_probabilities[a.headline_estimator]
    above = np.zeros(steps.shape, dtype=bool) if a.above is None else a.above | a.above.T
    paths = [
        "".join(f"M{start} {row}h{end - start}v1h-{end - start}z" for row, start, end in runs(steps == step))
        for step in range(1, len(STEPS) + 1)
    ]
    return Markup(
        fill(
            "pairs.html",
            systems=systems,
            paths=paths,
            labels=[f"{low:.0%}" for low in STEPS],
            wrong=np.rint(1000 * probabilities[upper]).astype(int).tolist(),
            separated="".join("01"[int(item)] for item in above[upper]),
            level=level,
        )
    )
