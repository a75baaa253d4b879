"""What a format of runs and judgments is: how it is recognized, and how it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from truerank.errors import at
from truerank.readers.formats.source import Source
from truerank.readers.trecfiles import Qrels, Run, qrels_from, run_from

Kind: TypeAlias = Literal["run", "qrels"]
"""What a file is to hold: ranked documents with scores, or documents with grades."""


@dataclass(frozen=True)
class RunFormat:
    """A format of runs, judgments or both.

    Attributes:
        name: what users type.
        label: what users read, a few words.
        explanation: what is in such a file and who writes it, a sentence.
        fits: whether the file's head is in this format; a broken rest is for the reader to refuse.
        run: the run in it; its tag is what the file calls the system, empty where it does not say.
        qrels: the judgments in it; it refuses a file that holds none.
    """

    name: str
    label: str
    explanation: str
    fits: Callable[[Source, Kind], bool]
    run: Callable[[Source], Run]
    qrels: Callable[[Source], Qrels]

    @classmethod
    def of_objects(
        cls,
        name: str,
        label: str,
        explanation: str,
        fits: Callable[[Source, Kind], bool],
        load: Callable[[Source], Any],
    ) -> RunFormat:
        """A format whose files hold what Python users give as objects: dictionaries or data frames."""
        return cls(
            name,
            label,
            explanation,
            fits,
            lambda source: run_from(load(source), at(source.path)),
            lambda source: qrels_from(load(source), at(source.path)),
        )
