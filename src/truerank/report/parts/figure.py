"""A chart on a page, with its caption."""

from __future__ import annotations

from typing import Any

from markupsafe import Markup

from truerank.report import render
from truerank.report.templating import fill


def figure(chart: Any, name: str, label: str, caption: str | Markup) -> Markup:
    """A chart as a figure.

    Args:
        chart: an Altair chart.
        name: unique on the page; the id of the figure.
        label: what is said in place of the picture.
        caption: what stands below it.
    """
    picture = render.inline(render.svg(chart), name, label)
    return fill("figure.html", name=name, label=label, caption=caption, picture=picture)
