"""Where the variance of scores comes from, and whether more topics or more documents would help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from markupsafe import Markup

from truerank.report.page import Section
from truerank.report.parts.table import Cell, Column, Row, number_cell, table
from truerank.report.templating import fill
from truerank.report.words import number, percent, sentence, span

if TYPE_CHECKING:
    from truerank.documents.decomposition import Decomposition

MEANINGS = {
    "system": "systems are better or worse on the whole",
    "topic": "topics are easier or harder for all",
    "system × topic": "systems do better on some topics than on others",
    "documents": "other documents move all systems alike; cancels in comparisons",
    "system × documents": "other documents move each system its own way",
}

CHANGES = {
    "none": "This test collection",
    "twice the topics": "Twice the topics",
    "twice the documents": "Twice the documents",
    "all documents": "No document noise at all",
}


def variance(decomposition: Decomposition | None) -> Section | None:
    """The components, the designs and the ranking's movements; ``None`` without a decomposition."""
    if decomposition is None:
        return None
    body = fill(
        "documents-variance.html",
        advice=sentence(decomposition.advice),
        components=_components(decomposition),
        designs=_designs(decomposition),
        movements=_movements(decomposition),
    )
    return Section("more", "More data?", "More topics, or more documents?", body)


def _components(decomposition: Decomposition) -> Markup:
    """Variance and share of each source."""
    rows = [
        Row(
            [
                Cell(c.source, c.source),
                Cell(MEANINGS[c.source], MEANINGS[c.source]),
                number_cell(c.variance, 5),
                Cell(percent(c.share), c.share if math.isfinite(c.share) else None),
            ]
        )
        for c in decomposition.components
    ]
    columns = [
        Column("Source", numeric=False),
        Column("Meaning", numeric=False),
        Column("Variance"),
        Column("Share"),
    ]
    return table("components-table", "Where the variance of a score comes from", columns, rows)


def _designs(decomposition: Decomposition) -> Markup:
    """Standard error of a difference in this test collection and in larger ones."""
    now = decomposition.designs[0].standard_error
    rows = [
        Row(
            [
                Cell(CHANGES[d.change], CHANGES[d.change]),
                number_cell(d.standard_error, 4),
                Cell("–" if d.change == "none" else _change(d.standard_error, now), None),
            ]
        )
        for d in decomposition.designs
    ]
    columns = [
        Column("Test collection", numeric=False),
        Column("Standard error", meaning="of the difference of two means"),
        Column("Change"),
    ]
    return table("designs-table", "What a comparison of two systems would be worth", columns, rows)


def _change(standard_error: float, now: float) -> str:
    """By how much it is larger than now, in percent; a dash where there is no error now."""
    return number(100 * (standard_error / now - 1), 0, sign=True) + "%" if now else "–"


def _movements(decomposition: Decomposition) -> Markup:
    """Agreement with the ranking here when topics, documents or both are sampled again."""
    rows = [
        Row(
            [
                Cell(m.sampled.capitalize(), m.sampled),
                number_cell(m.tau),
                Cell(span(m.spread.low, m.spread.high, 2), m.spread.low),
                number_cell(m.difference_sd, 4),
            ]
        )
        for m in decomposition.movements
    ]
    columns = [
        Column("Sampled", numeric=False),
        Column("Mean τ", meaning="with the ranking here"),
        Column("One sample’s τ"),
        Column("sd of a difference", meaning="of two systems’ means"),
    ]
    return table(
        "movements-table", "How far the ranking moves when something is sampled again", columns, rows
    )
