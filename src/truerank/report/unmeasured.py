"""Texts that a chart keeps room for by itself, written into the drawing after Vega has placed them.

Vega measures every text of a chart to lay it out, half a millisecond each: with the names of 500 systems
that was most of the time that a page took. The charts of a page keep room for their names themselves
(:func:`truerank.report.charts.rows.room_left`), as they are read with other fonts than this machine's.
So Vega draws a point without extent in the place of each text, whose description is the text, and in the
SVG document that comes out these points become texts.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from typing import Any

from truerank.report.palette import FONT

MIDDLE = 0.3
"""How far below the middle of a line its letters stand, relative to the font: Vega's, which it rounds."""

_ANCHORS = {"left": "start", "center": "middle", "right": "end"}
_UNDERSTOOD = {"type", "align", "baseline", "fontSize", "color", "aria"}
_POINT = re.compile(
    r'<path aria-label="(?P<text>[^"]*)"[^>]*? transform="translate\((?P<x>[^,]*),(?P<y>[^)]*)\)"'
    r'[^>]*? fill="(?P<fill>[^"]*)"[^>]*>(?:</path>)?'
)


class Unmeasured:
    """The texts of one chart: taken from its specification, and put back into its drawing."""

    def __init__(self) -> None:
        self._styles: list[tuple[str, float]] = []

    def placed(self, specification: Any) -> Any:
        """The specification with points for texts; a text of another kind than rows of names stays."""
        if isinstance(specification, list | tuple):
            return [self.placed(part) for part in specification]
        if not isinstance(specification, Mapping):
            return specification
        if _is_row_text(specification):
            return self._point(specification)
        parts = ("layer", "hconcat", "vconcat")
        return {key: self.placed(value) if key in parts else value for key, value in specification.items()}

    def _point(self, layer: Mapping[str, Any]) -> dict[str, Any]:
        mark, encoding = layer["mark"], dict(layer["encoding"])
        encoding["description"] = encoding.pop("text")
        name = f"unmeasured{len(self._styles)}"
        self._styles.append((_ANCHORS[mark.get("align", "center")], mark["fontSize"]))
        color = {"color": mark["color"]} if "color" in mark else {}
        point = {"type": "point", "filled": True, "opacity": 1, "size": 0, "shape": "stroke", **color}
        return {**layer, "name": name, "mark": point, "encoding": encoding}

    def written(self, document: str) -> str:
        """The drawing with the texts in the place of their points."""
        for number, (anchor, font) in enumerate(self._styles):
            group = re.compile(rf'<g class="[^"]*\bunmeasured{number}_marks"[^>]*(?<!/)>(.*?)</g>', re.DOTALL)

            def lettering(found: re.Match[str], anchor: str = anchor, font: float = font) -> str:
                texts = _POINT.sub(lambda point: _text(point, font), found[1])
                look = f'text-anchor="{anchor}" font-family="{FONT}" font-size="{font:.10g}px"'
                return f'<g class="mark-text role-mark" {look}>{texts}</g>'

            document = group.sub(lettering, document, count=1)
        return document


def _is_row_text(layer: Mapping[str, Any]) -> bool:
    """Whether a layer is text in the middle of its line, from a field, of one size."""
    mark, encoding = layer.get("mark"), layer.get("encoding")
    return (
        isinstance(mark, Mapping)
        and isinstance(encoding, Mapping)
        and mark.get("type") == "text"
        and mark.get("baseline") == "middle"
        and "fontSize" in mark
        and set(mark) <= _UNDERSTOOD
        and set(encoding.get("text", ())) <= {"field", "type"}
        and "field" in encoding.get("text", ())
    )


def _text(point: re.Match[str], font: float) -> str:
    y = float(point["y"]) + math.floor(MIDDLE * font + 0.5)
    return f'<text transform="translate({point["x"]},{y:.10g})" fill="{point["fill"]}">{point["text"]}</text>'
