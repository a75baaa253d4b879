"""The one way from a result up to the report: how results show themselves."""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.escaping import html
from truerank._support.extras import PLOTS, missing, require
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank._support.files import PathLike


def _report() -> Any:
    """The report stands above the rooms that compute results, so it is found by its name, here and nowhere
    else, and only when something is shown.
    """
    return import_module("truerank.report.shown")


class Shown:
    """What all results of truerank can do: say, draw and write themselves."""

    def _repr_html_(self) -> str:
        """What a notebook shows; without the packages that draw, the sentences alone."""
        if to_install := missing(PLOTS):
            return f"<pre>{html(self.summary())}\n\n{html(to_install)}</pre>"
        shown: str = import_module("truerank.report").notebook_html(self)
        return shown

    def summary(self) -> str:
        """The result in plain sentences, one a line, with the warnings behind an exclamation mark.

        Returns:
            The sentences that the terminal begins with.
        """
        text: str = _report().summary(self)
        return text

    def plot(self) -> Any:
        """The result's picture as an Altair chart, which a notebook draws and which can be changed further.

        Returns:
            An ``altair.Chart``: the ranking of an assessment, the crossings of a comparison, the curve of a
            plan, the topics of a gate's first decision.

        Raises:
            MissingPackagesError: Altair is not installed.
        """
        require(PLOTS)
        return _report().plot(self)

    def to_frame(self) -> Any:
        """The result as a pandas data frame.

        Returns:
            Of a gate a row a decision, of a plan the curves, a row a point.
        """
        return _report().frame(self)

    def to_html(self, path: PathLike | None = None) -> str | None:
        """The result's page, a document of its own.

        Args:
            path: the file that it is written to, replacing an older one; without one the page is returned.

        Returns:
            The HTML, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there, or its name is not that of a page.
            MissingPackagesError: what draws the figures is not installed.
        """
        require(PLOTS)
        if path is not None and Path(path).suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: a page's name ends in .html or .htm")
        text: str = _report().page(self)
        return self._given(text, path)

    def to_latex(self, path: PathLike | None = None) -> str | None:
        r"""The result's tables for a paper, for the LaTeX package booktabs.

        Args:
            path: the file that they are written to, replacing an older one; without one they are returned.

        Returns:
            The LaTeX, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there.
        """
        text: str = _report().latex(self)
        return self._given(text, path)

    def to_markdown(self, path: PathLike | None = None) -> str | None:
        """The same tables as Markdown.

        Args:
            path: the file that they are written to, replacing an older one; without one they are returned.

        Returns:
            The Markdown, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there.
        """
        text: str = _report().markdown(self)
        return self._given(text, path)

    def _given(self, text: str, path: PathLike | None) -> str | None:
        if path is None:
            return text
        from truerank._support.outputs import write_file

        write_file(path, text)
        return None
