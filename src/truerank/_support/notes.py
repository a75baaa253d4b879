"""Notes on results: a code that never changes and facts; `report/words/notes.j2` has the sentence of each."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Annotated, Any, Literal

from truerank._support import words
from truerank._support.plain import Written, WrittenAs
from truerank._support.units import Unit
from truerank._support.wording import sentence

NoteLevel = Literal["alert", "warning", "info"]

FILE = "notes.j2"


@dataclass(frozen=True)
class Note(Written):
    """A note on a result, or on what was read.

    Attributes:
        code: what it is about, the same in every version: ``few-topics``, ``systems-left-out`` …
        facts: what its sentence is filled with: values that JSON can hold, ``unit`` among them once it is
            known. ``case`` selects the sentence where a code has several. A plug-in's own code has its
            sentence itself as the fact ``text``.
        level: ``alert`` changes how the answer is to be read and stands above it; ``warning`` is to be known
            before quoting a number; ``info`` warns of nothing.
        systems: the systems that it is about, where it is about some.
    """

    code: str
    facts: Annotated[Mapping[str, Any], WrittenAs("text")] = field(default_factory=dict, hash=False)
    level: NoteLevel = "warning"
    systems: tuple[str, ...] = ()

    def on(self, unit: Unit) -> Note:
        """The note with its unit, once that is known."""
        return self if "unit" in self.facts else self.adding(unit=unit.one)

    def worded(self, text: str) -> Note:
        """The note with this text as a whole."""
        return replace(self, facts={"text": text})

    def of_source(self, name: str) -> Note:
        """The note with what it is about in front, such as a file of a folder."""
        return self.adding(sources=[name, *self.facts.get("sources", [])])

    def among(self, systems: Collection[str]) -> Note | None:
        """The note on these systems alone, where its fact `each` has numbers of them; ``None`` if of none."""
        if not isinstance(each := self.facts.get("each"), Mapping):
            return self
        kept = {name: number for name, number in each.items() if name in systems}
        about = tuple(name for name in self.systems if name in kept)
        return replace(self.adding(each=kept, of=len(systems)), systems=about) if kept else None

    def adding(self, **facts: Any) -> Note:
        return replace(self, facts={**self.facts, **facts})

    @property
    def case(self) -> str:
        """Which of the sentences of its code it has, where there are several."""
        return str(self.facts.get("case", ""))

    @property
    def what(self) -> str:
        """What was found, the beginning of a sentence."""
        text = self.facts["text"] if "text" in self.facts else self._filled(self._block)
        return ": ".join([*self.facts.get("sources", []), text])

    @property
    def meaning(self) -> str:
        """What follows from it, where several notes may share that; empty where it speaks for itself."""
        follows = self.facts.get("follows", "" if "text" in self.facts else self._block)
        return self._filled(f"{follows}-follows") if follows else ""

    @property
    def reason(self) -> str:
        """Why systems were left out; the error for such a name says so."""
        return self._filled(f"{self._block}-reason")

    @property
    def _block(self) -> str:
        return f"{self.code}__{self.case}" if self.case else self.code

    def _filled(self, name: str) -> str:
        block = name.replace("-", "_")
        if block not in words.blocks(FILE):
            assert name != self._block, f"{FILE} has no block {block}"
            return ""
        return words.filled(FILE, block, {"systems": self.systems, **self.facts})

    @property
    def text(self) -> str:
        """The whole note, without a full stop."""
        meaning = self.meaning
        return f"{self.what}: {meaning}" if meaning else self.what

    def __str__(self) -> str:
        return self.text


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
    alike: dict[tuple[str, str], list[Note]] = {}
    for place, note in enumerate(notes):
        alike.setdefault((note.level, note.meaning or f"{place}"), []).append(note)
    for key, (first, *others) in alike.items():
        if others:
            whole = "; ".join(note.what for note in (first, *others))
            alike[key] = [first.worded(f"{whole}. {sentence(first.meaning)}".rstrip("."))]
    return [first for first, *_ in alike.values()]


def distinct(notes: Iterable[Note]) -> tuple[Note, ...]:
    return tuple({(note.code, note.text, note.level, note.systems): note for note in notes}.values())
