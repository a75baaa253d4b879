"""The page of a comparison: do these rankings differ from the trusted one?"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank.errors import InputError
from truerank.report.page import Page, html, write
from truerank.report.parts import comparison as parts
from truerank.report.parts.citing import citing
from truerank.report.parts.provenance import provenance

if TYPE_CHECKING:
    from truerank.comparison import Comparison

TITLE = "Do these rankings really differ?"


def comparison_html(results: Sequence[Comparison], *, command: str | None = None) -> str:
    """The comparison of one or several rankings with one baseline as a self-contained HTML document.

    The same comparisons give the same bytes. Both rankings of every comparison stand side by side,
    crossings coloured by the evidence against them; at most 2,000 crossings of a comparison are drawn.

    Args:
        results: what :func:`truerank.compare_all` returned, all with one baseline.
        command: the command line that made it, to show; none for work done in Python.

    Raises:
        InputError: no comparison.
    """
    require(PLOTS)
    return html(comparison_page(results, command))


def write_comparison(results: Sequence[Comparison], path: PathLike, *, command: str | None = None) -> None:
    """Write :func:`comparison_html` to a file, whole or not at all.

    Raises:
        InputError: no comparison, or the file cannot be written there.
    """
    write(comparison_page(results, command), path)


def comparison_page(results: Sequence[Comparison], command: str | None = None) -> Page:
    """The parts of a comparison's page, put together."""
    if not results:
        raise InputError("a page needs at least one comparison")
    sections = [
        *parts.rankings(results),
        parts.coefficients(results),
        parts.warnings(results),
        parts.methods(results),
    ]
    return Page(
        title=TITLE,
        subject=parts.subject(results),
        answer=parts.answer(results),
        sections=[
            *sections,
            citing(sections, ["carterette-2009"], "the paper of the rank distance"),
            provenance(command, parts.facts(results)),
        ],
    )
