"""Results shown: one function per output, for any result and for several by different measures."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.extras import PLOTS, require
from truerank.report import views
from truerank.report.view import Asked, View

if TYPE_CHECKING:
    from pandas import DataFrame

Results = Shown | Sequence[Any]


def view(result: Any, asked: Asked | None = None) -> View:
    """What there is to see of a result."""
    return views.view(result, asked)


def summary(result: Any) -> str:
    """The answer in sentences, and the warnings."""
    from truerank.report.outputs.text import summary as said

    return said(view(result))


def notebook(result: Any) -> str:
    """What a notebook shows."""
    from truerank.report.outputs.notebook import notebook as shown

    return shown(view(result))


def plot(result: Any, figure: str | None = None) -> Any:
    """An Altair chart of the result."""
    require(PLOTS)
    from truerank.report.charts.style import NOTEBOOK

    return view(result).figure(figure).draw(NOTEBOOK)


def frame(result: Any, table: str | None = None) -> DataFrame:
    """One of the tables as a data frame."""
    from truerank.report.writers.frame import frame as made

    seen, declared = view(result), views.kind_of(type(result)).tables
    main = next((one.name for one in seen.tables if one.name in declared[:1]), None)
    return made(seen.table(table or main))


def page(results: Results, asked: Asked | None = None) -> str:
    """The page of a result, or of several with a switch between them; its figures have all systems.

    Args:
        results: one result, or several of one kind by different measures.
        asked: what to show beyond the results themselves.

    Returns:
        One HTML file that fetches nothing.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).uniform(size=(20, 4))
        >>> result = truerank.assess(scores, ["ml"], draws=100)
        >>> page(result).startswith("<!doctype html>")
        True
    """
    from truerank.report.outputs.page import page as made

    several, asked = _several(results), replace(asked or Asked(), systems=None)
    return made([view(one, asked) for one in several], views.together(several, asked))


def latex(results: Results, asked: Asked | None = None) -> str:
    r"""The tables for a paper, as LaTeX.

    Args:
        results: one result, or several of one kind by different measures.
        asked: what to show beyond the results themselves.

    Returns:
        Tables to ``\input``.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).uniform(size=(20, 4))
        >>> result = truerank.assess(scores, ["ml"], draws=100)
        >>> r"\begin{tabular}" in latex(result)
        True
    """
    from truerank.report.outputs.paper import latex_file

    several = _several(results)
    return latex_file([view(one, asked) for one in several], views.together(several, asked))


def markdown(results: Results, asked: Asked | None = None) -> str:
    """The tables for a paper, as Markdown.

    Args:
        results: one result, or several of one kind by different measures.
        asked: what to show beyond the results themselves.

    Returns:
        The same tables as :func:`latex` gives.

    Example:
        >>> import numpy as np, truerank
        >>> scores = np.random.default_rng(1).uniform(size=(20, 4))
        >>> result = truerank.assess(scores, ["ml"], draws=100)
        >>> "| Rank |" in markdown(result)
        True
    """
    from truerank.report.outputs.paper import markdown_file

    several = _several(results)
    return markdown_file([view(one, asked) for one in several], views.together(several, asked))


def csv(result: Any, asked: Asked | None = None) -> Mapping[str, str]:
    """All tables as CSV, by file name."""
    from truerank.report.outputs.files import csv_files

    return csv_files(view(result, asked))


def figures(result: Any, width: int = 85, asked: Asked | None = None) -> Mapping[str, bytes]:
    """All figures as SVG, PDF and PNG, by file name."""
    from truerank.report.outputs.files import figure_files

    return figure_files(view(result, asked).figures, width)


def kit(result: Any, asked: Asked | None = None) -> Mapping[str, bytes]:
    """The parts of a paper, by file name."""
    from truerank.report.outputs.kit import kit as made

    return made(view(result, asked))


def joint_figures(results: Sequence[Any], width: int = 85, asked: Asked | None = None) -> Mapping[str, bytes]:
    """The figures that several results have side by side."""
    from truerank.report.outputs.files import figure_files

    joint = views.together(results, asked)
    return {} if joint is None else figure_files(joint.figures, width)


def _several(results: Results) -> Sequence[Any]:
    return [results] if isinstance(results, Shown) else results
