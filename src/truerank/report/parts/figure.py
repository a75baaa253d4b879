"""A chart on a page, with its caption."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from truerank.report import render
from truerank.report.charts.style import COLUMN, PAGE, PHONE, Size, unchecked
from truerank.report.templating import fill

READABLE = 1.4
"""How much larger than on paper a wide figure is drawn at least, so that its letters can be read."""


def figure(chart: Callable[[Size], Any], name: str, label: str, caption: str | Markup) -> Markup:
    """A chart as a figure, drawn twice: as wide as the page's text, and for a narrow screen.

    Args:
        chart: makes the Altair chart of a size.
        name: unique on the page; the id of the figure.
        label: what is said in place of the picture.
        caption: what stands below it.
    """
    with unchecked():
        on_page, on_phone = render.svg(chart(PAGE), reserved=True), render.svg(chart(PHONE), reserved=True)
    wide, narrow = render.drawn_twice(on_page, on_phone, name, label)
    return fill("figure.html", name=name, label=label, caption=caption, wide=wide, narrow=narrow)


def sheet(document: str, name: str, label: str, caption: str | Markup) -> Markup:
    """A figure that was drawn for a paper, on white ground in both themes and as large as a page's text.

    One that is too wide for a narrow screen keeps its letters readable and scrolls.

    Args:
        document: the figure as SVG, of one column of a paper or of both.
        name: unique on the page; the id of the figure.
        label: what is said in place of the picture.
        caption: what stands below it.
    """
    width = render.width_of(document)
    scale = PAGE.font / COLUMN.font
    drawn = render.inline(render.sized(document, min(width * scale, PAGE.width - 2)), name, label)
    if width > COLUMN.width * 1.1:
        least = f'style="min-width:{width * READABLE:.0f}px;'
        drawn = Markup(str(drawn).replace('style="', least, 1))
    return fill("sheet.html", name=name, label=label, caption=caption, drawn=drawn)
