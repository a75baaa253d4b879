"""What a reader must know beside a number: a note has its words, its weight and a code that never changes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Annotated, Literal

from truerank._support.plain import Unwritten, Written, WrittenAs

NoteLevel = Literal["alert", "warning", "info"]


@dataclass(frozen=True)
class Note(Written):
    """A note on a result, or on what was read.

    Attributes:
        code: what it is about, the same in every version: ``few-topics``, ``systems-left-out`` …
        what: what was found, the beginning of a sentence.
        level: ``alert`` changes how the answer is to be read and stands above it; ``warning`` is to be known
            before quoting a number; ``info`` warns of nothing.
        systems: the systems that it is about, where it is about some.
        meaning: what follows from it, where several notes may share that; empty where it speaks for itself.
        reason: of systems that were left out, why; the error for such a name says so.

    Example:
        >>> Note("skewed", "a few large losses", meaning="the bounds hold less surely").text
        'a few large losses: the bounds hold less surely'
    """

    code: str
    what: Annotated[str, WrittenAs("text")]
    level: NoteLevel = "warning"
    systems: tuple[str, ...] = ()
    meaning: Unwritten[str] = ""
    reason: Unwritten[str] = ""

    @property
    def text(self) -> str:
        """The whole note, without a full stop."""
        return f"{self.what}: {self.meaning}" if self.meaning else self.what


Notes = Annotated[tuple[Note, ...], WrittenAs("warnings", "notes")]
"""The notes of a result; JSON has their texts as ``warnings`` beside them."""


class Noted:
    """What has notes: their texts are its warnings."""

    notes: tuple[Note, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before quoting a number, a sentence each."""
        return tuple(note.text for note in self.notes)


def distinct(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note once, in the order of their first places."""
    return tuple(dict.fromkeys(notes))


def as_notes(texts: Iterable[str]) -> tuple[Note, ...]:
    """The notes of a reader, which are texts of several classes, as notes."""
    from truerank._support.wording import Alert, LeftOut, Quiet, RunsApart

    found = []
    for text in texts:
        code = "runs-as-systems" if isinstance(text, RunsApart) else "read"
        if isinstance(text, LeftOut):
            code = code if code != "read" else "systems-left-out"
            found.append(Note(code, str(text), systems=tuple(sorted(text.systems)), reason=text.why))
        else:
            level: NoteLevel = (
                "alert" if isinstance(text, Alert) else "info" if isinstance(text, Quiet) else "warning"
            )
            found.append(Note(code, str(text), level))
    return tuple(found)
