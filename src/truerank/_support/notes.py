"""Notes on results: each has a text, a level and a code that never changes."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Annotated, Literal

from truerank._support.plain import Unwritten, Written, WrittenAs
from truerank._support.units import Unit
from truerank._support.wording import sentence

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
        fields: where the unit is not known yet, what stands in the places that `what` leaves open.
    """

    code: str
    what: Annotated[str, WrittenAs("text")]
    level: NoteLevel = "warning"
    systems: tuple[str, ...] = ()
    meaning: Unwritten[str] = ""
    reason: Unwritten[str] = ""
    fields: Unwritten[tuple[tuple[str, str | int], ...] | None] = None

    @classmethod
    def on_units(
        cls,
        code: str,
        what: str,
        level: NoteLevel = "warning",
        *,
        systems: Iterable[str] = (),
        reason: str = "",
        **fields: str | int,
    ) -> Note:
        """A note whose words for the unit are not known yet."""
        return cls(code, what, level, tuple(systems), reason=reason, fields=tuple(fields.items()))

    def worded(self, unit: Unit) -> Note:
        """The note in the words of its unit, once that is known."""
        if self.fields is None:
            return self
        said = {name: unit.count(one) if isinstance(one, int) else one for name, one in self.fields}
        return replace(self, what=self.what.format(**unit.words, **said), fields=None)

    def within(self, before: str = "", after: str = "") -> Note:
        """The note with more words around it."""
        if self.fields is not None:
            before, after = (text.replace("{", "{{").replace("}", "}}") for text in (before, after))
        return replace(self, what=f"{before}{self.what}{after}")

    @property
    def text(self) -> str:
        """The whole note, without a full stop."""
        return f"{self.what}: {self.meaning}" if self.meaning else self.what


# The notes of a result; JSON has their texts as `warnings` beside them.
Notes = Annotated[tuple[Note, ...], WrittenAs("warnings", "notes")]


class Noted:
    """What has notes: their texts are its warnings."""

    notes: tuple[Note, ...]

    @property
    def warnings(self) -> tuple[str, ...]:
        """What to know before quoting a number, a sentence each."""
        return tuple(note.text for note in joined(self.notes))


def joined(notes: Iterable[Note]) -> list[Note]:
    """Notes from which the same follows as one, in the place of the first."""
    found: dict[tuple[str, str], list[Note]] = {}
    for k, note in enumerate(notes):
        found.setdefault((note.level, note.meaning or f"{k}"), []).append(note)
    return [_one(several) for several in found.values()]


def _one(notes: Sequence[Note]) -> Note:
    if len(notes) == 1:
        return notes[0]
    whole = "; ".join(note.what for note in notes)
    return replace(notes[0], what=f"{whole}. {sentence(notes[0].meaning)}".rstrip("."), meaning="")


def distinct(notes: Iterable[Note]) -> tuple[Note, ...]:
    """Each note once, in the order of their first places."""
    return tuple(dict.fromkeys(notes))
