"""Where the variance of scores comes from, and whether more topics or more documents would help."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

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
    components = [
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
    now = decomposition.designs[0].standard_error
    designs = [
        Row(
            [
                Cell(CHANGES[d.change], CHANGES[d.change]),
                number_cell(d.standard_error, 4),
                Cell(number(100 * (d.standard_error / now - 1), 0, sign=True) + "%" if now else "–", None)
                if d.change != "none"
                else Cell("–", None),
            ]
        )
        for d in decomposition.designs
    ]
    movements = [
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
    body = fill(
        "documents-variance.html",
        advice=sentence(decomposition.advice),
        components=table(
            "components-table",
            "Where the variance of a score comes from",
            [
                Column("Source", numeric=False),
                Column("Meaning", numeric=False),
                Column("Variance"),
                Column("Share"),
            ],
            components,
        ),
        designs=table(
            "designs-table",
            "What a comparison of two systems would be worth",
            [
                Column("Test collection", numeric=False),
                Column("Standard error", meaning="of the difference of two means"),
                Column("Change"),
            ],
            designs,
        ),
        movements=table(
            "movements-table",
            "How far the ranking moves when something is sampled again",
            [
                Column("Sampled", numeric=False),
                Column("Mean τ", meaning="with the ranking here"),
                Column("One sample’s τ"),
                Column("sd of a difference", meaning="of two systems’ means"),
            ],
            movements,
        ),
    )
    return Section("more", "More data?", "More topics, or more documents?", body)
