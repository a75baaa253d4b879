"""Everything that shows results: views, their tables and figures, and the outputs that all of them share.

>>> import numpy as np, truerank
>>> from truerank.report import page
>>> result = truerank.assess(np.random.default_rng(1).uniform(size=(20, 4)), ["ml"], draws=100)
>>> page([result]).startswith("<!doctype html>")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.imports import opened_when_used

if TYPE_CHECKING:
    from truerank._support.references import bibtex
    from truerank._support.tables import Column, Table
    from truerank.report.shown import page
    from truerank.report.view import Asked, Figure, Section, View
    from truerank.report.views import register

__all__ = [
    "Asked",
    "Column",
    "Figure",
    "Section",
    "Table",
    "View",
    "bibtex",
    "page",
    "register",
]

# Imported when first used, so that a terminal does not load what draws.
__getattr__, __dir__ = opened_when_used(
    __name__,
    {
        "_support.references": "bibtex",
        "_support.tables": "Column Table",
        "report.shown": "page",
        "report.view": "Asked Figure Section View",
        "report.views": "register",
    },
)
