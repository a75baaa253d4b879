"""The outputs that every result has, which the report provides on first use."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.units import Noun, Unit
from truerank.errors import InputError

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank._support.files import PathLike

_report: Callable[[], Any] | None = None


def shown_by(report: Callable[[], Any]) -> None:
    """Register the report, which is above the packages that compute results."""
    global _report
    _report = report


def _shown(result: Shown) -> Any:
    assert _report is not None, "nothing shows results"
    return _report().Views([result])


class Shown:
    """A result that can summarize, draw and write itself."""

    @property
    def noun(self) -> Noun:
        """What its sentences call a topic."""
        return "topic"

    @property
    def sampled(self) -> Unit:
        """The unit that is sampled, in words."""
        return Unit.of(self.noun)

    def _repr_html_(self) -> str:
        """What a notebook shows."""
        return _shown(self).notebook()

    def summary(self) -> str:
        """The sentences that the terminal begins with, one per line, warnings behind an exclamation mark."""
        return _shown(self).each[0].sentences

    def plot(self, figure: str | None = None) -> Any:
        """Return one of the result's figures as an Altair chart.

        Args:
            figure: its name, as :meth:`to_figures` names files; the first figure by default.

        Raises:
            UnknownNameError: the result has no such figure; the message has the names of those it has.
        """
        return _shown(self).plot(figure)

    def to_frame(self, table: str | None = None) -> DataFrame:
        """Return one of the result's tables as a pandas DataFrame: unrounded, an interval in two columns.

        Args:
            table: its name, as :meth:`to_csv` names files; the first table by default.

        Raises:
            UnknownNameError: the result has no such table; the message has the names of those it has.
        """
        return _shown(self).frame(table)

    def to_html(self, path: PathLike | None = None) -> str | None:
        """The result's page: written to a file whose name ends in ``.html``, or returned without one."""
        if path is not None and Path(path).suffix.lower() not in (".html", ".htm"):
            raise InputError(f"{path}: the name of a page ends in .html. Rename the file.")
        return _given(_shown(self).page(), path)

    def to_latex(self, path: PathLike | None = None) -> str | None:
        """The tables for a paper with the LaTeX package booktabs: written to a file, or returned without."""
        return _given(_shown(self).latex(), path)

    def to_markdown(self, path: PathLike | None = None) -> str | None:
        """The tables as Markdown: written to a file, or returned without one."""
        return _given(_shown(self).markdown(), path)

    def to_csv(self, folder: PathLike, overwrite: bool = False) -> list[Path]:
        """All tables as CSV files in a folder, which is made if need be; returns the files.

        A folder that is not empty is refused, unless `overwrite`.
        """
        return _into(folder, _shown(self).csv(), overwrite)

    def to_figures(self, folder: PathLike, overwrite: bool = False) -> list[Path]:
        """All figures as SVG, PDF and PNG files in a folder, as :meth:`to_csv` writes tables.

        Their width is 85 millimeters, one column of a paper.
        """
        return _into(folder, _shown(self).figures(), overwrite)

    def to_paper(self, folder: PathLike, overwrite: bool = False) -> list[Path]:
        r"""Parts for a paper in a folder, as :meth:`to_csv` writes tables.

        Table, figure, sentences, ``\newcommand`` macros with the numbers, and a .bib file.
        """
        return _into(folder, _shown(self).kit(folder), overwrite)


def _given(text: str, path: PathLike | None) -> str | None:
    if path is None:
        return text
    from truerank._support.outputs import write_file

    write_file(path, text)
    return None


def _into(folder: PathLike, files: Any, overwrite: bool) -> list[Path]:
    from truerank._support.outputs import write_folder

    return write_folder(folder, files, overwrite)
