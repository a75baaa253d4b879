"""Everything that shows results: views, their tables and figures, and the outputs that all of them share.

>>> import numpy as np, truerank
>>> from truerank.report import page
>>> result = truerank.assess(np.random.default_rng(1).uniform(size=(20, 4)), ["ml"], draws=100)
>>> page([result]).startswith("<!doctype html>")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from truerank._support.rooms import no_function

if TYPE_CHECKING:
    from truerank._support.references import bibtex
    from truerank._support.tables import Column, Table
    from truerank.report.shown import latex, markdown, page
    from truerank.report.view import Asked, Figure, Section, View
    from truerank.report.views import register

# Where each public name lives: imported when first used, so that a terminal does not load what draws.
_HOMES = {
    "_support.references": ("bibtex",),
    "_support.tables": ("Column", "Table"),
    "report.shown": ("latex", "markdown", "page"),
    "report.view": ("Asked", "Figure", "Section", "View"),
    "report.views": ("register",),
}
_HOME_OF = {name: home for home, names in _HOMES.items() for name in names}

__all__ = [
    "Asked",
    "Column",
    "Figure",
    "Section",
    "Table",
    "View",
    "bibtex",
    "latex",
    "markdown",
    "page",
    "register",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOME_OF:
        return getattr(import_module(f"truerank.{_HOME_OF[name]}"), name)
    raise AttributeError(f"module 'truerank.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)


no_function(__name__, "report.page([result])")
