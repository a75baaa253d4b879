"""The one way from a result up to the page: how results show themselves in a notebook."""

from __future__ import annotations

from importlib import import_module
from typing import Any


def notebook_html(result: Any) -> str:
    """What a notebook shows of a result.

    The report stands above the rooms that compute results, so it is found by its name, here and nowhere
    else, and only when something is shown.

    Args:
        result: an object that :func:`truerank.report.notebook_html` can show.

    Returns:
        A small piece of HTML.
    """
    html: str = import_module("truerank.report").notebook_html(result)
    return html
