"""The page of a plan: which parts, in which order."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank.report.page import Page, html, write
from truerank.report.parts.citing import citing
from truerank.report.parts.plan import (
    answer,
    curve,
    designs,
    facts,
    generalizability,
    methods,
    subject,
    warnings,
)
from truerank.report.parts.provenance import provenance

if TYPE_CHECKING:
    from truerank.planning import Plan

TITLE = "How many topics?"


def page_html(plan: Plan | Sequence[Plan], *, command: str | None = None) -> str:
    """The page of a plan as one self-contained HTML document; the same plan gives the same bytes.

    Args:
        plan: what :func:`truerank.planning.plan` returned; of several measures a list of them, which
            become one page with a switch.
        command: the command line that made it, to show; none for work done in Python.
    """
    require(PLOTS)
    return html([plan_page(one, command) for one in (plan if isinstance(plan, Sequence) else [plan])])


def write_page(plan: Plan, path: PathLike, *, command: str | None = None) -> None:
    """Write :func:`page_html` to a file, whole or not at all.

    Raises:
        InputError: the file cannot be written there.
    """
    write(plan_page(plan, command), path)


def plan_page(plan: Plan, command: str | None = None) -> Page:
    """The parts of the page, put together."""
    sections = (curve(plan), generalizability(plan), designs(plan), warnings(plan), methods(plan))
    there = [section for section in sections if section]
    return Page(
        title=TITLE,
        subject=subject(plan),
        answer=answer(plan),
        sections=[
            *there,
            citing(there, ["bavdaz-2018"], "the thesis that asked for it"),
            provenance(command, facts(plan)),
        ],
        name=plan.measure,
    )
