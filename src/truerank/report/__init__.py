"""The reliability report: a page that people share, figures for papers, and a notebook's display.

>>> import numpy as np, truerank
>>> from truerank.report import page_html
>>> result = truerank.assess(np.random.default_rng(1).uniform(size=(20, 4)), ["ml"], draws=100)
>>> page_html(result).startswith("<!doctype html>")
True
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from truerank._support.references import bibtex
    from truerank.report.figures import write_figures
    from truerank.report.notebook import notebook_html
    from truerank.report.pages.assessment import page_html, write_page
    from truerank.report.pages.gate import gate_html, write_gate

# Where each public name lives: imported when first used, so that a terminal, which needs the words and
# tables of this room alone, does not load the pages with them.
_HOMES = {
    "bibtex": "_support.references",
    "gate_html": "report.pages.gate",
    "notebook_html": "report.notebook",
    "page_html": "report.pages.assessment",
    "write_figures": "report.figures",
    "write_gate": "report.pages.gate",
    "write_page": "report.pages.assessment",
}

__all__ = [
    "bibtex",
    "gate_html",
    "notebook_html",
    "page_html",
    "write_figures",
    "write_gate",
    "write_page",
]


def __getattr__(name: str) -> Any:
    from importlib import import_module

    if name in _HOMES:
        return getattr(import_module(f"truerank.{_HOMES[name]}"), name)
    raise AttributeError(f"module 'truerank.report' has no attribute {name!r}")


def __dir__() -> list[str]:
    return list(__all__)
