"""The page of an analysis of document samples: which parts, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank.errors import InputError, unknown_name
from truerank.report.page import Page, html, write
from truerank.report.parts.citing import citing
from truerank.report.parts.document_answer import answer, subject
from truerank.report.parts.document_methods import methods, warnings
from truerank.report.parts.document_samples import errors, summaries, systems, topics
from truerank.report.parts.document_variance import variance
from truerank.report.parts.provenance import provenance
from truerank.report.words import level_text

if TYPE_CHECKING:
    from truerank.documents.document_analysis import DocumentAnalysis

TITLE = "Would another document collection change the ranking?"


def page_html(
    analyses: Sequence[DocumentAnalysis], *, command: str | None = None, system: str | None = None
) -> str:
    """The page of one measure as one self-contained HTML document.

    The same analyses give the same bytes. O(n + m) elements; about a second, most of it for starting
    vl-convert.

    Args:
        analyses: of the same runs by one measure, one a document model; the first one leads.
        command: the command line that made it, to show; none for work done in Python.
        system: whose topics are shown; the best one's by default.

    Raises:
        InputError: no analyses, or of different measures or systems.
        UnknownNameError: no such system.
    """
    require(PLOTS)
    return html(documents_page(analyses, command, system))


def pages_html(
    groups: Sequence[Sequence[DocumentAnalysis]], *, command: str | None = None, system: str | None = None
) -> str:
    """The pages of several measures as one document with a switch.

    Args:
        groups: of each measure its analyses, as in :func:`page_html`.
        command: as there.
        system: as there.

    Raises:
        InputError: as :func:`page_html`.
        UnknownNameError: no such system.
    """
    require(PLOTS)
    return html([documents_page(analyses, command, system) for analyses in groups])


def write_page(
    analyses: Sequence[DocumentAnalysis],
    path: PathLike,
    *,
    command: str | None = None,
    system: str | None = None,
) -> None:
    """Write :func:`page_html` to a file, whole or not at all.

    Raises:
        InputError: as :func:`page_html`, or the file cannot be written there.
        UnknownNameError: no such system.
    """
    write(documents_page(analyses, command, system), path)


def documents_page(
    analyses: Sequence[DocumentAnalysis], command: str | None = None, system: str | None = None
) -> Page:
    """The parts of the page, put together."""
    if not analyses:
        raise InputError("no analysis to show; give one a document model")
    first = analyses[0]
    if any(a.scores.fingerprint() != first.scores.fingerprint() for a in analyses):
        raise InputError("a page shows one measure on the same runs; make one page for each")
    shown = system or first.scores.systems[0]
    if shown not in first.scores.systems:
        raise unknown_name("system", shown, first.scores.systems)
    found = list(dict.fromkeys(warning for a in analyses for warning in a.warnings))
    sections = (
        summaries(analyses),
        errors(analyses),
        topics(analyses, shown),
        systems(analyses),
        variance(first.decomposition),
        warnings(found),
        methods(analyses),
    )
    return Page(
        title=TITLE,
        subject=subject(first),
        answer=answer(analyses, len(found)),
        sections=[
            *(section for section in sections if section),
            citing(sections, ["yang-2018"], "the paper whose method it computes"),
            provenance(command, _facts(first)),
        ],
        name=first.measure,
    )


def _facts(a: DocumentAnalysis) -> dict[str, str]:
    s = a.settings
    facts = {
        "truerank": f"version {s.version}",
        "Seed": str(s.seed),
        "Samples": f"{s.samples:,} of the documents; the first {s.rank_samples:,} for KRCC",
        "Significance": f"paired t-tests at {s.alpha:g}, two-sided",
        "Level": f"{level_text(s.level)} for all intervals",
    }
    if a.decomposition is not None:
        facts["Decomposition"] = f"{a.decomposition.samples:,} samples shared by all systems"
    facts["Fingerprint"] = f"{a.scores.fingerprint()[:16]} (of names, measure and raw scores)"
    return facts
