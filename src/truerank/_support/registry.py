"""Things known by name: estimators, coefficients, simulators … that users can add to."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, TypeVar

from truerank._support.arguments import either
from truerank._support.units import TOPIC, Unit
from truerank.errors import InputError, unknown_name


class Named(Protocol):
    """Anything with a name."""

    @property
    def name(self) -> str:
        """What users type."""


@dataclass(frozen=True)
class Entry:
    """One thing that is registered, with the texts that pages, JSON and experiments show.

    Explanation, formula and references are given by keyword. Text may hold formulas in LaTeX between dollar
    signs (``$p_{ij}$``; two on each side put it on a separate line) and references as ``[@key]``, keys of
    :mod:`truerank._support.references`. It calls what is sampled ``{topic}``, ``{topics}`` or ``{Topics}``.

    Attributes:
        name: what users type.
        label: what users read, a few words.
        explanation: what it is and how it is computed, a few sentences; empty where there is none.
        formula: its main formula in LaTeX; empty where there is none.
        references: keys of the publications it comes from.
    """

    name: str
    label: str
    explanation: str = field(default="", kw_only=True)
    formula: str = field(default="", kw_only=True)
    references: tuple[str, ...] = field(default=(), kw_only=True)


T = TypeVar("T", bound=Named)
# Names that can be listed with commas and written into file names.
_TYPABLE = re.compile(r"[\w(][\w.+@()=-]*")


class Registry(Mapping[str, T]):
    """A mapping from names to things of one kind, in the order in which they were registered."""

    def __init__(self, kind: str, *things: T, homes: Mapping[str, str] | None = None) -> None:
        """Start with some things, and names of others by their modules: `sh-w` is `SH_W` of its module."""
        self._kind = kind
        self._homes = {name: home for home, names in (homes or {}).items() for name in names.split()}
        self._things: dict[str, T | None] = dict.fromkeys(self._homes)
        for thing in things:
            self.register(thing)

    def register(self, thing: T) -> T:
        """Make a thing known by its name, which must be free and fit for lists and file names."""
        name = getattr(thing, "name", None)
        if not isinstance(name, str):
            raise InputError(f"to register as {self._kind}: an object with a name, not {thing!r:.60}")
        if not _TYPABLE.fullmatch(name):
            raise InputError(
                f"the name {name!r} of the {self._kind} has other characters than letters, digits and _-.+@()"
            )
        if name in self._things:
            raise InputError(f"{self._kind} {name!r} exists already; choose another name")
        self._things[thing.name] = thing
        return thing

    def find(self, thing: str | T) -> T:
        """The thing of that name, or the nearest names in an error; a thing itself is given back."""
        if not isinstance(thing, str):
            return thing
        if thing not in self:
            raise unknown_name(self._kind, thing, self, either("", "; --plugin FILE adds your own"))
        return self[thing]

    def __getitem__(self, name: str) -> T:
        thing = self._things[name]
        if thing is None:
            module = import_module(f"truerank.{self._homes[name]}")
            thing = self._things[name] = getattr(module, name.upper().replace("-", "_"))
        return thing

    def __iter__(self) -> Iterator[str]:
        return iter(self._things)

    def __len__(self) -> int:
        return len(self._things)


def explained_from(module: str) -> dict[str, dict[str, Any]]:
    """What a module's things say of themselves, by name: the TOML file beside it, as keywords of its class.

    The lines of a text are joined by spaces.
    """
    things = tomllib.loads(Path(module).with_suffix(".toml").read_text(encoding="utf-8"))
    return {
        name: {
            field: " ".join(value.split()) if isinstance(value, str) else tuple(value)
            for field, value in fields.items()
        }
        for name, fields in things.items()
    }


@dataclass(frozen=True)
class Explanation:
    """What an estimator, a coefficient or the like says of itself.

    Attributes:
        label: what readers see, a few words.
        explanation: what it is and how it is computed; formulas in LaTeX between dollar signs, publications
            as [@key].
        formula: its main formula in LaTeX; empty where there is none.
        references: keys of the publications that it comes from, e.g. kendall-1938.
    """

    label: str
    explanation: str
    formula: str
    references: tuple[str, ...]


def explained(thing: Entry, unit: Unit = TOPIC) -> Explanation:
    """What a thing says of itself about results over that unit, in lines without breaks."""
    text = unit.fill(" ".join(thing.explanation.split()))
    return Explanation(unit.fill(thing.label), text, thing.formula, tuple(thing.references))
