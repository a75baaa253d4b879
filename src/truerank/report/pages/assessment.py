"""The page of an assessment: which parts, in which order."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank.reliability.truth import true_coefficients
from truerank.report.page import Page, html, write
from truerank.report.pages.gate import gate_page
from truerank.report.parts.answer import answer, subject
from truerank.report.parts.baseline import baseline
from truerank.report.parts.citing import citing
from truerank.report.parts.data_sets import data_sets
from truerank.report.parts.estimates import estimates, without_split_half
from truerank.report.parts.gate import gate_of
from truerank.report.parts.machine import machine
from truerank.report.parts.methods import methods, papers_of
from truerank.report.parts.provenance import assessment_facts, provenance
from truerank.report.parts.ranking import ranking
from truerank.report.parts.swaps import swap_data, swaps
from truerank.report.parts.warnings import warnings
from truerank.report.units import units

if TYPE_CHECKING:
    from truerank.reliability.results import Assessment

TITLE = "How close is this ranking to the true one?"


def page_html(
    assessment: Assessment | Sequence[Assessment],
    *,
    command: str | None = None,
    truth: Mapping[str, float] | None = None,
    split_half: bool = False,
) -> str:
    """The reliability report as one self-contained HTML document.

    The same assessment gives the same bytes. O(m) elements and O(m²) bytes for the heat map (under
    half a megabyte for 129 systems); about a second, most of it for starting vl-convert.

    Args:
        assessment: what :func:`truerank.assess` returned; of several measures a list of them, which
            become one page with a switch.
        command: the command line that made it, to show; none for work done in Python.
        truth: each system's true mean, where it is known, as in a simulation: the page then says
            how close the ranking really is.
        split_half: whether estimators that compare two samples of topics have rows too; where there are
            no others, they have.

    Returns:
        The whole document; what is on it: docs/read-your-page.md.

    Raises:
        InputError: `truth` lacks a system.
        MissingPackagesError: what draws the figures is not installed.

    Example:
        >>> import truerank
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["ml"], draws=100, seed=1)
        >>> page = page_html(result, truth={"sys1": 0.8, "sys2": 0.3, "sys3": 0.4})
        >>> page[:15], page.count("</html>")
        ('<!doctype html>', 1)
    """
    require(PLOTS)
    return html(_pages(assessment, command, truth, split_half))


def _pages(
    assessment: Assessment | Sequence[Assessment],
    command: str | None,
    truth: Mapping[str, float] | None,
    split_half: bool,
) -> list[Page]:
    """A page for each assessment."""
    several = assessment if isinstance(assessment, Sequence) else [assessment]
    return [assessment_page(one, command, truth, split_half) for one in several]


def write_page(
    assessment: Assessment | Sequence[Assessment],
    path: PathLike,
    *,
    command: str | None = None,
    truth: Mapping[str, float] | None = None,
    split_half: bool = False,
) -> None:
    """Write :func:`page_html` to a file, whole or not at all.

    Args:
        assessment: as in :func:`page_html`.
        path: the file; one that this function wrote is replaced.
        command: as in :func:`page_html`.
        truth: as in :func:`page_html`.
        split_half: as in :func:`page_html`.

    Raises:
        InputError: as :func:`page_html`, or the file cannot be written there.

    Example:
        >>> import tempfile, truerank
        >>> from pathlib import Path
        >>> scores = [[0.9, 0.5, 0.4], [0.8, 0.6, 0.1], [0.7, 0.2, 0.3], [0.9, 0.4, 0.2]]
        >>> result = truerank.assess(scores, ["ml"], draws=100, seed=1)
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = Path(folder) / "report.html"
        ...     write_page(result, path)
        ...     path.read_text(encoding="utf-8").startswith("<!doctype html>")
        True
    """
    write(_pages(assessment, command, truth, split_half), path)


def assessment_page(
    assessment: Assessment,
    command: str | None = None,
    truth: Mapping[str, float] | None = None,
    split_half: bool = False,
) -> Page:
    """The parts of an assessment's page, put together; of two systems those of their comparison."""
    if assessment.scores.m == 2:
        return gate_page(gate_of(assessment), command)
    if not split_half:
        assessment = without_split_half(assessment)
    true_ranks, real = _truth(assessment, truth)
    sections = (
        ranking(assessment, true_ranks),
        data_sets(assessment),
        machine(assessment),
        swaps(assessment),
        estimates(assessment, real),
        baseline(assessment),
        warnings(assessment.warnings, units(assessment)),
        methods(assessment),
    )
    return Page(
        title=TITLE,
        subject=subject(assessment),
        answer=answer(assessment, real),
        sections=[
            *(section for section in sections if section),
            citing(sections, papers_of(assessment), "the papers its estimators come from"),
            provenance(command, assessment_facts(assessment)),
        ],
        data=swap_data(assessment),
        name=assessment.measure,
    )


def _truth(
    assessment: Assessment, truth: Mapping[str, float] | None
) -> tuple[dict[str, int], dict[str, float]]:
    """True ranks by system, and the computed coefficients' real values by name; both empty without truth."""
    if truth is None:
        return {}, {}
    real = true_coefficients(assessment, truth)
    order = sorted((s.system for s in assessment.ranking), key=lambda name: -truth[name])
    return {name: rank for rank, name in enumerate(order, start=1)}, real
