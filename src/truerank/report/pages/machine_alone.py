"""The page of a machine's ranking: what would it have got wrong alone?"""

from __future__ import annotations

from typing import TYPE_CHECKING

from truerank._support.extras import PLOTS, require
from truerank.report.page import Page, html
from truerank.report.parts import machine_alone as parts
from truerank.report.parts.citing import citing
from truerank.report.parts.machine import machine
from truerank.report.parts.provenance import provenance
from truerank.report.parts.warnings import warnings

if TYPE_CHECKING:
    from truerank.comparison import MachineAlone

TITLE = "What would the machine alone get wrong?"


def machine_alone_html(found: MachineAlone, *, command: str | None = None) -> str:
    """A machine's ranking beside people's as one self-contained HTML document; the same gives the same bytes.

    Args:
        found: what :func:`truerank.comparison.machine_alone` returned.
        command: the command line that made it, to show; none for work done in Python.
    """
    require(PLOTS)
    return html(machine_alone_page(found, command))


def machine_alone_page(found: MachineAlone, command: str | None = None) -> Page:
    """The parts of the page, put together."""
    sections = (
        parts.rankings(found),
        parts.wrong_pairs(found),
        machine(found.assessment),
        warnings(found.assessment.warnings),
        parts.methods(found),
    )
    there = [section for section in sections if section]
    return Page(
        title=TITLE,
        subject=parts.subject(found),
        answer=parts.answer(found),
        sections=[
            *there,
            citing(there, ["angelopoulos-2023"], "the paper that corrects machine judgments"),
            provenance(command, parts.facts(found)),
        ],
    )
