"""References, and how to cite."""

from __future__ import annotations

from collections.abc import Sequence

from truerank._support.references import reference
from truerank.report.page import Section
from truerank.report.templating import fill


def citing(version: str, keys: Sequence[str]) -> Section:
    """The references of these keys in full, the first being the paper to cite beside truerank."""
    body = fill("citing.html", version=version, references=[reference(key) for key in keys])
    return Section("citing", "Citing", "References and how to cite", body)
