"""What a format of runs and judgments is, and what it is asked about: a file that was read once."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, Protocol, TypeAlias

from truerank._support.files import decode
from truerank.readers.tables import PARQUET_MAGIC
from truerank.readers.trecfiles import Qrels, Run

Kind: TypeAlias = Literal["run", "qrels"]
"""What a file is to hold: ranked documents with scores, or documents with grades."""

HEAD = 4096
"""Characters of a file that its format is told by."""


@dataclass(frozen=True)
class RunFile:
    """A file of documents, unpacked, before its format is known.

    Attributes:
        source: its name, for messages.
        data: its bytes.
    """

    source: str
    data: bytes

    @property
    def is_parquet(self) -> bool:
        """Whether the bytes are those of a Parquet file."""
        return self.data.startswith(PARQUET_MAGIC)

    @cached_property
    def head(self) -> str:
        """The first characters, as far as they are text; empty for a Parquet file."""
        if self.is_parquet:
            return ""
        return self.data[:HEAD].decode("utf-8", errors="replace").lstrip("\ufeff").lstrip()

    @cached_property
    def text(self) -> str:
        """All of it as text.

        Raises:
            InputError: it is no text.
        """
        return decode(self.data, self.source)


class RunFormat(Protocol):
    """A format of runs, judgments or both."""

    name: str
    """What users type."""
    label: str
    """What users read, a few words."""
    explanation: str
    """What is in such a file and who writes it, a sentence."""

    def fits(self, file: RunFile, kind: Kind) -> bool:
        """Whether the file's head is in this format; a broken rest is for the reader to refuse."""
        ...

    def run(self, file: RunFile) -> Run:
        """The run in it; its tag is what the file calls the system, empty where it does not say.

        Raises:
            InputError: a file that cannot be used; the message says where and what to do.
        """
        ...

    def qrels(self, file: RunFile) -> Qrels:
        """The judgments in it.

        Raises:
            InputError: as :meth:`run`, or a format that holds none.
        """
        ...
