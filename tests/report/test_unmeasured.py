"""Texts that Vega does not measure: they come out where Vega itself puts them, with the same look."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from xml.etree import ElementTree

import pytest

from truerank.report import render
from truerank.report.charts.ranking import ranking_chart
from truerank.report.charts.style import PAGE, PHONE, Size
from truerank.report.charts.swaps import swap_chart
from validation.page_samples import HOSTILE, RIGHT_TO_LEFT, assessed

NAMES = (*HOSTILE, *RIGHT_TO_LEFT, 'quo"ted', "new\nline", "back\\slash", "<g id='x'>", "😀 family", "a_b")
LOOK = ("text-anchor", "font-family", "font-size", "fill", "opacity")


def texts(document: str) -> list[tuple[Any, ...]]:
    """Every text of a drawing with its place on the sheet and its look, in no order."""
    found: list[tuple[Any, ...]] = []

    def walk(element: ElementTree.Element, x: float, y: float, look: dict[str, str]) -> None:
        look = look | {key: element.attrib[key] for key in LOOK if key in element.attrib}
        for dx, dy in re.findall(r"translate\(([^,]+),([^)]+)\)", element.get("transform", "")):
            x, y = x + float(dx), y + float(dy)
        if element.tag.endswith("}text"):
            what = "".join(element.itertext())
            seen = (look.get("opacity", "1"), look["text-anchor"], look["font-family"], look["fill"])
            seen = (*seen, round(float(look["font-size"].removesuffix("px")), 6))
            found.append((what, round(x, 6), round(y, 6), *seen))
        for child in element:
            walk(child, x, y, look)

    walk(ElementTree.fromstring(document), 0.0, 0.0, {})
    return sorted(found)


@pytest.mark.parametrize("size", [PAGE, PHONE], ids=["page", "phone"])
@pytest.mark.parametrize("chart", [ranking_chart, swap_chart])
def test_texts_stand_where_vega_puts_them(chart: Callable[..., Any], size: Size) -> None:
    result = assessed(len(NAMES), NAMES)
    measured = render.svg(chart(result, size=size))
    unmeasured = render.svg(chart(result, size=size), reserved=True)
    assert texts(unmeasured) == texts(measured)
    assert len(texts(measured)) > 2 * len(NAMES)
    for shown in ("width", "height", "viewBox"):
        assert ElementTree.fromstring(unmeasured).get(shown) == ElementTree.fromstring(measured).get(shown)
