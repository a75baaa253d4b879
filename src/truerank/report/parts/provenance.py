"""The exact command, version and seed: all it takes to get the same digits again."""

from __future__ import annotations

from collections.abc import Mapping

from truerank.report.page import Section
from truerank.report.templating import fill
from truerank.report.words import printable


def provenance(command: str | None, facts: Mapping[str, str]) -> Section:
    """A command (or none, for pages made in Python) and what else it takes to repeat the work."""
    body = fill("provenance.html", command=printable(command) if command else "", facts=facts)
    return Section("again", "Repeat", "Get the same digits again", body)
