"""What a format of runs and judgments is: how it is recognized, and how it is read."""

from __future__ import annotations

from typing import Literal, Protocol, TypeAlias

from truerank.readers.formats.source import Source
from truerank.readers.trecfiles import Qrels, Run

Kind: TypeAlias = Literal["run", "qrels"]
"""What a file is to hold: ranked documents with scores, or documents with grades."""


class RunFormat(Protocol):
    """A format of runs, judgments or both."""

    name: str
    """What users type."""
    label: str
    """What users read, a few words."""
    explanation: str
    """What is in such a file and who writes it, a sentence."""

    def fits(self, source: Source, kind: Kind) -> bool:
        """Whether the file's head is in this format; a broken rest is for the reader to refuse."""
        ...

    def run(self, source: Source) -> Run:
        """The run in it; its tag is what the file calls the system, empty where it does not say.

        Raises:
            InputError: a file that cannot be used; the message says where and what to do.
        """
        ...

    def qrels(self, source: Source) -> Qrels:
        """The judgments in it.

        Raises:
            InputError: as :meth:`run`, or a format that holds none.
        """
        ...
