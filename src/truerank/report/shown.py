"""Results shown: what there is to see of them is built once, and each output takes it from there."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.imports import PLOTS, require
from truerank.report import views
from truerank.report.view import Asked, Section, View

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank._support.files import PathLike


@dataclass(frozen=True)
class Views:
    """What there is to see of one result, or of several of one kind by different measures."""

    results: Sequence[Any]
    asked: Asked | None = None

    @cached_property
    def each(self) -> list[View]:
        return [views.view(one, self.asked) for one in self.results]

    @cached_property
    def joint(self) -> Section | None:
        """What several results have side by side."""
        return views.together(self.results, self.asked)

    def page(self) -> str:
        """One HTML file that fetches nothing; its figures have all systems."""
        from truerank.report.outputs.page import page

        return page(self.each, self.joint)

    def notebook(self) -> str:
        from truerank.report.outputs.page import notebook

        return notebook(self.each[0])

    def latex(self) -> str:
        from truerank.report.outputs.latex import latex_file

        return latex_file(self.each, self.joint)

    def markdown(self) -> str:
        from truerank.report.outputs.markdown import markdown_file

        return markdown_file(self.each, self.joint)

    def csv(self, place: int = 0) -> Mapping[str, str]:
        from truerank.report.outputs.data import csv_files

        return csv_files(self.each[place])

    def frame(self, table: str | None = None) -> DataFrame:
        from truerank.report.outputs.data import frame

        return frame(self.each[0].table(table or self.each[0].main or None))

    def figures(self, place: int = 0) -> Mapping[str, bytes]:
        from truerank.report.render import figure_files

        return figure_files(self.each[place].figures)

    def plot(self, figure: str | None = None) -> Any:
        require(PLOTS)
        from truerank.report.charts.style import NOTEBOOK
        from truerank.report.render import altair_chart

        return altair_chart(self.each[0].figure(figure).keyed(NOTEBOOK))

    def kit(self, folder: PathLike, place: int = 0, below: str | None = None) -> Mapping[str, bytes]:
        """The parts of a paper on one result, by file name; names in them begin with that of the folder."""
        from truerank.report.outputs.kit import kit

        return kit(self.each[place], folder, below)


def page(results: Shown | Sequence[Any], asked: Asked | None = None) -> str:
    """The page of a result, or of several below each other; its figures have all systems.

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
    return Views([results] if isinstance(results, Shown) else results, asked).page()
