"""A chart on a page, with its caption."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from markupsafe import Markup

from truerank.report import render
from truerank.report.charts.style import PAGE, PHONE, Size
from truerank.report.templating import fill


def figure(chart: Callable[[Size], Any], name: str, label: str, caption: str | Markup) -> Markup:
    """A chart as a figure, drawn twice: as wide as the page's text, and for a narrow screen.

    Args:
        chart: makes the Altair chart of a size.
        name: unique on the page; the id of the figure.
        label: what is said in place of the picture.
        caption: what stands below it.
    """
    wide, narrow = render.drawn_twice(render.svg(chart(PAGE)), render.svg(chart(PHONE)), name, label)
    return fill("figure.html", name=name, label=label, caption=caption, wide=wide, narrow=narrow)
