"""What to know about the data before quoting a number."""

from __future__ import annotations

from collections.abc import Sequence

from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.words import sentence


def warnings(found: Sequence[str], units: str = "topics") -> Section:
    """The warnings as sentences, or that there are none, and more of what the numbers speak of."""
    body = fill("warnings.html", units=units, warnings=[sentence(warning) for warning in found])
    return Section("warnings", "Warnings", "Before you quote a number", body)
