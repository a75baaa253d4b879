"""The swap probabilities as a heat map: blank where the order is sure, strong where it is a coin toss."""

from __future__ import annotations

import base64
import struct
import zlib
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from truerank._support.types import Matrix
from truerank.report.charts.rows import Rows, name_labels, rank_axis, remark, room_right, row_axis
from truerank.report.charts.style import (
    COLUMN,
    PADDING,
    Chart,
    Records,
    Size,
    channel,
    finished,
    layered,
    mark,
)
from truerank.report.palette import DOUBT, LINE, MUTED

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

COIN_TOSS = 0.5
"""The probability of a swap at which nothing is known about a pair; the strongest color."""

FAINTEST = 0.1
"""Opacity of a pair that is not separated, however small the probability of a swap."""

WIDEST = 2.5
"""How much wider than high a cell may be on paper, where few systems leave a figure room."""

FINE = 1200
"""Pixels that the heat map has across, about: no viewer then blurs cells into each other."""

LEGEND = "probability that the pair is in the wrong order"


def swap_chart(
    assessment: Assessment,
    size: Size = COLUMN,
    shown: Sequence[str] | None = None,
) -> Chart:
    """The headline estimator's probabilities, m × m in ranking order.

    The cells are one see-through image, so that 500 systems cost no more than ten, and light or
    dark paper shines through where the order is sure. All systems are drawn unless some are `shown`.
    """
    wanted = set(shown or assessment.scores.systems)
    places = [i for i, s in enumerate(assessment.ranking) if s.system in wanted]
    cells = np.ix_(places, places)
    probabilities = assessment.swap_probabilities[assessment.headline_estimator][cells]
    apart = _apart(assessment)[cells]
    records: Records = [
        {"row": row, "rank": s.rank, "name": s.system}
        for row, s in enumerate((assessment.ranking[i] for i in places), start=1)
    ]
    names = [str(r["name"]) for r in records]
    count, highest = len(names), assessment.ranking[places[-1]].rank
    widest = Rows.of(names, size, highest, among=assessment.scores.systems)
    end = 0.6 * size.text(str(highest))
    free = size.width - PADDING - widest.names - end
    side = min(free, count * 1.6 * size.row, 0.86 * size.height)
    width = max(side, min(free, WIDEST * side))
    rows = Rows.of(names, size, highest, among=assessment.scores.systems, height=side)
    room = size.width - PADDING - rows.names
    title = size.lines(
        LEGEND if assessment.above is None else f"{LEGEND}; blank: separated; line: itself", room
    )
    written = f"{[str(r['rank']) for r in records]}[datum.value - 1]"
    x = rank_axis("row", "rank", 1, count, width, size, grid=False, labelExpr=written)
    image: dict[str, Any] = {"align": "center", "baseline": "middle", "aspect": False}
    image |= {"x": width / 2, "y": side / 2, "width": width, "height": side}
    diagonal: dict[str, Any] = {"x": 0, "y": 0, "x2": width, "y2": side}
    drawn = layered(
        mark("image", [{"url": heat_image(probabilities, apart)}], url="url:N", **image),
        mark("rule", [{}], color=MUTED, strokeWidth=0.1 * size.font, **diagonal),
        name_labels(records, rows),
        room_right(width, max(end, max(map(size.text, title)) - width)),
        mark("point", [{"row": 1}], opacity=0, x=x, y=row_axis("row", count)),
        _legend(title, size, room),
        width=width,
        height=side,
    )
    return finished(drawn, size, note=remark(rows, len(assessment.ranking)))


def _legend(title: list[str], size: Size, room: float) -> Chart:
    """The legend of the image, carried by points that no one sees."""
    see_through = f"rgba({','.join(map(str, _rgb(DOUBT)))},0)"
    scale = {"domain": [0, COIN_TOSS], "range": [see_through, DOUBT], "clamp": True}
    length = min(260, 0.6 * size.width, room)
    labels = 6 if length >= 6 * size.text("50%") else 3
    legend = {
        "title": title,
        "orient": "bottom",
        "direction": "horizontal",
        "format": "%",
        "values": [COIN_TOSS * step / (labels - 1) for step in range(labels)],
        "gradientLength": length,
        "labelSeparation": 0.4 * size.font,
        "gradientThickness": size.font,
        "gradientStrokeColor": LINE,
        "gradientStrokeWidth": 0.6,
        "titleLimit": 0,
    }
    color = channel("p:Q", scale=scale, legend=legend)
    return mark("point", [{"p": 0.0}, {"p": COIN_TOSS}], opacity=0, x=0, y=0, color=color)


def _apart(assessment: Assessment) -> NDArray[np.bool_]:
    """Which pairs are separated; none without rank ranges."""
    m = len(assessment.ranking)
    above = np.zeros((m, m), dtype=bool) if assessment.above is None else assessment.above
    return above | above.T


def heat_image(probabilities: Matrix, apart: NDArray[np.bool_]) -> str:
    """The probabilities as a ``data:`` address of a PNG, one color, more opaque the more doubtful.

    Pairs that are separated are blank; all others show.
    """
    shown = np.maximum(np.clip(probabilities / COIN_TOSS, 0, 1), FAINTEST)
    opacity = np.rint(shown * 255).astype(np.uint8)
    opacity[apart] = 0
    np.fill_diagonal(opacity, 0)
    fold = max(1, round(FINE / len(opacity)))
    enlarged = opacity.repeat(fold, axis=0).repeat(fold, axis=1)
    return "data:image/png;base64," + base64.b64encode(_png(enlarged, _rgb(DOUBT))).decode()


def _rgb(color: str) -> tuple[int, int, int]:
    value = int(color.removeprefix("#"), 16)
    return value >> 16, value >> 8 & 255, value & 255


def _png(opacity: NDArray[np.uint8], color: tuple[int, int, int]) -> bytes:
    """A PNG of one color and 256 opacities: a palette of that color, and its transparency."""
    height, width = opacity.shape
    # Each line starts with a filter byte: 0 for the first, 2 ("as above") for lines that differ little.
    above = np.vstack([np.zeros((1, width), dtype=np.uint8), opacity[:-1]])
    lines = np.hstack([np.full((height, 1), 2, dtype=np.uint8), opacity - above])

    def block(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            block(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 3, 0, 0, 0)),
            block(b"PLTE", bytes(color) * 256),
            block(b"tRNS", bytes(range(256))),
            block(b"IDAT", zlib.compress(lines.tobytes(), 6)),
            block(b"IEND", b""),
        )
    )
