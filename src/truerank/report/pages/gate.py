"""The page of a gate: the verdict, the differences on every topic, where the candidate loses most."""

from __future__ import annotations

from pathlib import Path

from truerank._support.extras import PLOTS, require
from truerank._support.files import PathLike
from truerank.comparison.gate import Gate
from truerank.report.page import Page, html, write
from truerank.report.parts import gate as parts
from truerank.report.parts import gate_words as words
from truerank.report.parts.citing import citing
from truerank.report.parts.provenance import provenance
from truerank.report.parts.warnings import warnings
from truerank.report.words import level_text

TITLE = "Is the candidate as good as the baseline?"

PAIR = "Which of the two systems is better?"
"""The heading where nobody named a candidate."""


def gate_html(found: Gate, *, command: str | None = None, title: str = TITLE) -> str:
    """A gate's decisions as one self-contained HTML document; the same decisions give the same bytes.

    Args:
        found: what :func:`truerank.gate` returned.
        command: the command line that made it, to show; none for work done in Python.
        title: the heading.

    Returns:
        The whole document.

    Raises:
        MissingPackagesError: what draws the figures is not installed.

    Example:
        >>> import truerank
        >>> page = gate_html(truerank.gate([[0.2, 0.5], [0.3, 0.4], [0.1, 0.6], [0.5, 0.4]]))
        >>> page[:15], page.count("<figure")
        ('<!doctype html>', 1)
    """
    require(PLOTS)
    return html(gate_page(found, command, title))


def write_gate(found: Gate, path: PathLike, *, command: str | None = None) -> None:
    """Write :func:`gate_html` to a file, whole or not at all.

    Args:
        found: what :func:`truerank.gate` returned.
        path: the file; one that this function wrote is replaced.
        command: as in :func:`gate_html`.

    Raises:
        InputError: the file cannot be written there.

    Example:
        >>> import tempfile, truerank
        >>> found = truerank.gate([[0.2, 0.5], [0.3, 0.4], [0.1, 0.6], [0.5, 0.4]])
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     write_gate(found, f"{folder}/gate.html")
        ...     Path(f"{folder}/gate.html").exists()
        True
    """
    write(gate_page(found, command), Path(path))


def gate_page(found: Gate, command: str | None = None, title: str = TITLE) -> Page:
    """The parts of a gate's page, put together."""
    sections = [
        parts.differences(found),
        *parts.decisions(found),
        warnings(words.warnings(found)),
        parts.methods(found),
    ]
    first = found.decisions[0]
    facts = {
        "truerank": f"version {found.version}",
        "Seed": str(found.seed),
        "Level": level_text(first.level),
        "Margin": f"{first.margin:g}",
        "Comparisons": str(found.comparisons),
    }
    return Page(
        title=title,
        subject=parts.subject(found),
        answer=parts.answer(found),
        sections=[
            *sections,
            citing(sections, parts.PAPERS, "the paper behind its bounds"),
            provenance(command, facts),
        ],
    )
