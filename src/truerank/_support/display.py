"""How results show themselves: the outputs that every result has, filled in by the report on first use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank._support.files import PathLike

_report: Callable[[], Any] | None = None


def shown_by(report: Callable[[], Any]) -> None:
    """Say what shows results: the report, which stands above the rooms that compute them.

    Args:
        report: imports it, when something is first shown.
    """
    global _report
    _report = report


def _shown() -> Any:
    assert _report is not None, "nothing shows results"
    return _report()


class Shown:
    """What every result can do: say, draw and write itself."""

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        html: str = _shown().notebook(self)
        return html

    def summary(self) -> str:
        """The result in plain sentences, one per line, with the warnings behind an exclamation mark.

        Returns:
            The sentences that the terminal begins with.
        """
        text: str = _shown().summary(self)
        return text

    def plot(self, figure: str | None = None) -> Any:
        """A picture of the result as an Altair chart, which a notebook draws and which can be changed
        further.

        Args:
            figure: which one, by the name that its file would have; the first one by default.

        Returns:
            An ``altair.Chart``.

        Raises:
            UnknownNameError: there is no such figure.
            MissingPackagesError: Altair is not installed.
        """
        return _shown().plot(self, figure)

    def to_frame(self, table: str | None = None) -> DataFrame:
        """A table of the result as a pandas data frame, with every digit; an interval is two columns.

        Args:
            table: which one, by the name that its CSV file would have; the first one by default.

        Returns:
            The data frame.

        Raises:
            UnknownNameError: there is no such table.
        """
        return _shown().frame(self, table)

    def to_html(self, path: PathLike | None = None) -> str | None:
        """The result's page, a document of its own.

        Args:
            path: the file that it is written to; without one the page is returned.

        Returns:
            The HTML, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there, or its name is not that of a page.
            MissingPackagesError: what draws the figures is not installed.
        """
        if path is not None and Path(path).suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: the name of a page ends in .html. Rename the file.")
        return _given(_shown().page(self), path)

    def to_latex(self, path: PathLike | None = None) -> str | None:
        r"""The result's tables for a paper, for the LaTeX package booktabs.

        Args:
            path: the file that they are written to; without one they are returned.

        Returns:
            The LaTeX, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there.
        """
        return _given(_shown().latex(self), path)

    def to_markdown(self, path: PathLike | None = None) -> str | None:
        """The same tables as Markdown.

        Args:
            path: the file that they are written to; without one they are returned.

        Returns:
            The Markdown, or ``None`` where it was written.

        Raises:
            InputError: the file cannot be written there.
        """
        return _given(_shown().markdown(self), path)

    def to_csv(self, folder: PathLike, overwrite: bool = False) -> list[Path]:
        """All tables of the result as CSV files.

        Args:
            folder: where they go; made if need be.
            overwrite: replace files of the same names that truerank did not write.

        Returns:
            The files that were written.

        Raises:
            InputError: a file of that name exists, or the folder cannot be written to.
        """
        return _into(self, folder, _shown().csv(self), "--csv", overwrite)

    def to_figures(self, folder: PathLike, width: int = 85, overwrite: bool = False) -> list[Path]:
        """All figures of the result as SVG, PDF and PNG files for a paper.

        Args:
            folder: where they go; made if need be.
            width: in millimeters: 85, one column of a paper, or 178, both.
            overwrite: replace files of the same names that truerank did not write.

        Returns:
            The files that were written.

        Raises:
            InputError: no such width, a file of that name exists, or the folder cannot be written to.
            MissingPackagesError: what draws the figures is not installed.
        """
        return _into(self, folder, _shown().figures(self, width), "--figures", overwrite)

    def to_paper(self, folder: PathLike, overwrite: bool = False) -> list[Path]:
        r"""Parts for a paper: table, figure, sentences, ``\newcommand`` macros with the numbers, and a .bib
        file.

        Args:
            folder: where they go; made if need be.
            overwrite: replace files of the same names that truerank did not write.

        Returns:
            The files that were written.

        Raises:
            InputError: a file of that name exists, or the folder cannot be written to.
            MissingPackagesError: what draws the figure is not installed.
        """
        return _into(self, folder, _shown().kit(self), "--paper", overwrite)


def _given(text: str, path: PathLike | None) -> str | None:
    if path is None:
        return text
    from truerank._support.outputs import write_file

    write_file(path, text)
    return None


def _into(result: Shown, folder: PathLike, files: Any, option: str, overwrite: bool) -> list[Path]:
    from truerank._support.outputs import write_folder

    return write_folder(folder, files, _shown().view(result).command, option, overwrite)
