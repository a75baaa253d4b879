"""Which formats of scores a file or a folder fits, by its content."""

from __future__ import annotations

from truerank.readers.formats.format import ScoreFormat
from truerank.readers.formats.format_registry import FORMATS
from truerank.readers.formats.source import Source
from truerank.readers.unforeseen import reading


def fitting_formats(source: Source, kind: str) -> list[ScoreFormat]:
    """The formats that fit a file or a folder."""
    with reading(source.path):
        return [
            one
            for one in FORMATS.values()
            if any(taken.startswith(kind) for taken in one.takes) and one.fits(source)
        ]


def recognized(source: Source) -> ScoreFormat | None:
    """The one format of scores that a file fits, if there is one."""
    fitting = fitting_formats(source, "file")
    special = [one for one in fitting if not one.general] or fitting
    return special[0] if len(special) == 1 else None
