"""From a chart to SVG, PDF and PNG, without a browser and without a network.

Only :func:`_convert` calls vl-convert, whose parser of XML ends the whole interpreter on a character
that XML may not hold. Nor does Vega take every character as it is, see :func:`_stand_ins`.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree

from truerank._support.escaping import printable_lines
from truerank._support.files import safe_name
from truerank._support.imports import PLOTS, require
from truerank.report.charts.style import COLUMN
from truerank.report.lettering import LOW, LOW_END

if TYPE_CHECKING:
    import altair

    from truerank.report.charts.style import Chart
    from truerank.report.view import Figure

SVG = "{http://www.w3.org/2000/svg}"

_RESOURCES = re.compile(rb"(?:\n +/[a-z]+\d+ \d+ 0 R){2,}")
"""Neighboring references to objects in a PDF; they are in no compressed stream, by their spaces."""

_LOW = re.compile(f"{LOW}([^{LOW}{LOW_END}<>]*){LOW_END}([^{LOW}<>]*)(?=[^<>]*<)")
"""An index in a text (never in an attribute, for that is followed by the end of a tag), and what follows."""

_ID = re.compile(r'<\w+(?: [\w:-]+="[^"]*")*? id="([^"]+)"')  # an element's id (in a text no tag can begin)

VEGA_LITE = "6.4"  # the version of the specifications, as vl-convert names it

PNG_SCALE = 4.0  # pixels a point in PNG files: 288 dots an inch


def _convert(function: str, content: Any, **options: Any) -> Any:
    """What a function of vl-convert makes of a specification or an SVG document that XML can hold."""
    import vl_convert

    return getattr(vl_convert, function)(content, **options)


def _stand_ins(specification: Any) -> dict[str, str]:
    """For each character that Vega mistakes a rare ideograph that the specification does not have.

    Vega cuts long names between any two units of UTF-16, and vl-convert fails on half a character. It
    also writes titles into expressions, where a backslash begins an escape (of a character that XML may
    not hold, maybe) and where a line must not end.
    """
    used = {*json.dumps(specification, ensure_ascii=False), "\\", "\n"}
    mistaken = (char for char in used if char > "\uffff" or char in "\\\n\u2028\u2029")
    free = (chr(code) for code in range(0x9FFF, 0x33FF, -1) if chr(code) not in used)
    return dict(zip(sorted(mistaken), free, strict=False))


def _changed(content: Any, change: Callable[[str], str]) -> Any:
    if isinstance(content, str):
        return change(content)
    if isinstance(content, Mapping):
        return {_changed(key, change): _changed(value, change) for key, value in content.items()}
    if isinstance(content, list | tuple):
        return [_changed(value, change) for value in content]
    return content


def svg(chart: Chart | altair.TopLevelMixin) -> str:
    """A chart, or one of Altair, as a standalone SVG document; what XML may not hold is escaped."""
    made = chart if isinstance(chart, dict) else chart.to_dict()
    stand_ins = _stand_ins(made)
    there = str.maketrans(stand_ins)
    made = _changed(made, lambda text: printable_lines(text).translate(there))
    text: str = _convert("vegalite_to_svg", made, vl_version=VEGA_LITE, allowed_base_urls=[])
    # A line break as it is would be a space in an attribute.
    for old, new in stand_ins.items():
        text = text.replace(new, "&#xA;" if old == "\n" else old)
    return _lowered(_renumbered(text))


def altair_chart(chart: Chart) -> Any:
    """The chart as one of Altair, which shows itself in a notebook as a picture that needs no network."""
    import altair

    kinds = {"layer": altair.LayerChart, "hconcat": altair.HConcatChart, "vconcat": altair.VConcatChart}
    kind = next((kind for key, kind in kinds.items() if key in chart), altair.Chart)

    class Shown(kind):  # type: ignore[misc, valid-type]
        def _repr_mimebundle_(self, *_: Any, **__: Any) -> dict[str, str]:
            return {"image/svg+xml": svg(self)}

    return Shown.from_dict(chart)


def _lowered(document: str) -> str:
    """The document with indices set low; what follows one goes up again."""
    drawn = _LOW.sub(
        r'<tspan dy="0.22em" font-size="75%">\1</tspan><tspan dy="-0.165em">\2</tspan>', document
    )
    return drawn.replace(LOW, "_").replace(LOW_END, "")


def _renumbered(document: str) -> str:
    """The document with its ids counted from 1: Vega counts on from one chart to the next."""
    for number, old in enumerate(_ID.findall(document), start=1):
        for use in ('id="{}"', "url(#{})"):
            document = document.replace(use.format(old), use.format(f"part{number}"))
    return document


def as_wide(document: str, width: float) -> str:
    """An SVG document of that width: a wider one made smaller as a whole, a narrower one with margins."""
    root = ElementTree.fromstring(document)
    own, height = float(root.get("width", 0)), float(root.get("height", 0))
    scale, left = min(1.0, width / own), min(0.0, (own - width) / 2)
    changes = {
        f'width="{root.get("width")}"': f'width="{width:g}"',
        f'height="{root.get("height")}"': f'height="{scale * height:g}"',
        f'viewBox="{root.get("viewBox")}"': f'viewBox="{left:g} 0 {own - 2 * left:g} {height:g}"',
        f'<rect width="{root.get("width")}"': f'<rect x="{left:g}" width="{own - 2 * left:g}"',  # the ground
    }
    for old, new in changes.items():
        document = document.replace(old, new, 1)
    return document


def column_files(charts: Mapping[str, Any], width: float) -> dict[str, bytes]:
    """Charts as SVG, PDF and PNG by file name, each as wide as a column of a paper, in points."""
    made: dict[str, bytes] = {}
    for name, chart in charts.items():
        document = as_wide(svg(chart), width)
        contents = _in_points(document).encode(), pdf(document), png(document)
        made |= zip((f"{safe_name(name)}.{kind}" for kind in ("svg", "pdf", "png")), contents, strict=True)
    return made


def figure_files(figures: Sequence[Figure]) -> dict[str, bytes]:
    require(PLOTS)
    return column_files({figure.name: figure.keyed(COLUMN) for figure in figures}, COLUMN.width)


def pdf(document: str) -> bytes:
    """An SVG document as PDF, its text as text.

    svg2pdf calls it version 1.7 and uses nothing newer than 1.5, which is what pdfLaTeX includes in silence.
    """
    data: bytes = _convert("svg_to_pdf", printable_lines(document))
    return _RESOURCES.sub(_in_order, data).replace(b"%PDF-1.7", b"%PDF-1.5", 1)


def _in_order(match: re.Match[bytes]) -> bytes:
    """A PDF's list of resources by name: svg2pdf writes them as a hash table has them, each time anew."""
    return b"\n".join([b"", *sorted(match[0].split(b"\n")[1:])])


def png(document: str) -> bytes:
    """An SVG document as PNG, which says its resolution: in a text it comes out as large as laid out."""
    data: bytes = _convert("svg_to_png", printable_lines(document), ppi=72 * PNG_SCALE)
    return data


def _in_points(document: str) -> str:
    """An SVG document whose size is in points, so that it comes out as large as it was laid out."""
    return re.sub(r'(?<= )(width|height)="([\d.]+)"', r'\1="\2pt"', document, count=2)
