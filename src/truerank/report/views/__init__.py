"""The views: one file per kind of result, found by the class of the result when it is first shown."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from importlib import import_module
from typing import Any, TypeVar

from truerank._support.escaping import printable
from truerank._support.tables import Column, Table, Text
from truerank._support.units import Noun
from truerank._support.wording import number, sentence
from truerank.report.view import Asked, Section, View
from truerank.report.words import OUTSIDE

R = TypeVar("R")

_VIEWS = {
    "Assessment": "assessment.view assessment.together",
    "Gate": "gate.view",
    "UnpairedGate": "gate.view",
    "SequentialGate": "gate.view",
    "Monitor": "gate.view_of_monitor",
    "Plan": "plan.view",
    "Comparison": "comparison.view comparison.together",
    "Significance": "significance.view significance.together",
    "DocumentAnalyses": "documents.view",
    "DocumentAnalysis": "documents.view_of_one",
    "Topics": "topics.view",
    "MeanScore": "one_system.view",
}
"""The functions that show a class of results, and several of them; imported when one is shown."""


_KINDS: dict[type, tuple[Any, Any]] = {}  # by class, how it is shown, as :func:`register` was told


def register(
    kind: type[R],
    view: Callable[[R, Asked], View],
    together: Callable[[Sequence[R], Asked], Section | None] | None = None,
) -> None:
    """Say how the results of a class are shown: from then on they have all outputs.

    Args:
        kind: the class; it extends :class:`truerank._support.display.Shown`.
        view: what there is to see of one.
        together: what several of them, by different measures, have to show side by side.

    Example:
        >>> from truerank._support.display import Shown
        >>> from truerank.report.view import View
        >>> class Greeting(Shown):
        ...     pass
        >>> register(Greeting, lambda found, asked: View("", "Greeting", "", ["Good morning."], []))
        >>> view(Greeting()).answer
        ['Good morning.']
    """
    _KINDS[kind] = view, together


def view(result: Any, asked: Asked | None = None) -> View:
    asked = asked or Asked()
    shown: View = _functions(type(result))[0](result, asked)
    unit = result.sampled.many if shown.unit is None else shown.unit
    sampled: Noun = "data set" if unit.endswith("data sets") else result.noun
    facts = ({"Command": asked.command} if asked.command else {}) | dict(shown.facts)
    how = " ".join(filter(None, [shown.how, _read_as(result)]))
    return replace(shown, unit=unit, outside=shown.outside or OUTSIDE[sampled], facts=facts, how=how)


def _read_as(result: Any) -> str:
    """How the scores were read, where no note says it already."""
    sources = [result, *(getattr(result, name, None) for name in ("scores", "reference"))]
    decisions = getattr(result, "decisions", ())
    readings = [item.reading for item in [*sources, *decisions] if getattr(item, "reading", None) is not None]
    reading = readings[0] if readings else None
    by_measure = {item.measure.removeprefix("−"): item.reading for item in decisions if item.measure}
    if reading is not None and len(by_measure) > 1 and None not in by_measure.values():
        reading = reading.beside(by_measure)
    if reading is None or not reading.certain:
        return ""
    return sentence(f"{result.noun}s{printable(reading.line).removeprefix('topics')}")


def together(results: Sequence[Any], asked: Asked | None = None) -> Section | None:
    """What several results of one kind have to show side by side; nothing of a single one."""
    shown = _functions(type(results[0]))[1] if len(results) > 1 else None
    return shown(results, asked or Asked()) if shown else None


def _functions(result: type) -> tuple[Any, Any]:
    for kind in result.__mro__:
        if kind not in _KINDS and kind.__name__ in _VIEWS and kind.__module__.startswith("truerank."):
            places = (place.split(".") for place in _VIEWS[kind.__name__].split())
            register(kind, *(getattr(import_module(f"{__name__}.{file}"), name) for file, name in places))
        if kind in _KINDS:
            return _KINDS[kind]
    raise TypeError(f"no view is registered for {result.__name__}; see truerank.report.views.register")


# ── what several views say ────────────────────────────────────────────────────────────────────────────


def subject(*parts: str) -> str:
    """What a view is about: ``AP · 74 systems · 50 topics``; empty parts are left out."""
    return " · ".join(part for part in parts if part)


def by(measure: str) -> str:
    """`` by AP``; empty where the measure has no name."""
    return f" by {printable(measure)}" if measure else ""


def made(version: str, *what: str, seed: int | None = None) -> str:
    """What sets the digits of a table, for its caption in a paper."""
    return f"(truerank {', '.join([version, *what, *([] if seed is None else [f'seed {seed}'])])}.)"


def ends_of(name: str, values: Sequence[float | None], digits: int, middle: str = "") -> dict[str, str]:
    """A number and the ends of its interval, by the names of macros."""
    ends = (middle, "Low", "High")
    return {f"{name}{end}": number(value, digits) for end, value in zip(ends, values, strict=True)}


def settings(known: Mapping[str, Any]) -> Table:
    """What to cite, and everything that sets the digits, for files."""
    columns = (Column("Setting", Text(), "setting"), Column("Value", Text(), "value"))
    return Table("settings", "Settings", columns, list(known.items()), files_only=True)
