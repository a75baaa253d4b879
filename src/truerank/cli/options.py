"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from truerank.cli.command import BATTLES, Group, Needs, UsageError, option, switch
from truerank.errors import PairError

Plugins = Annotated[
    list[str] | None, option("MODULE|FILE", "Register your own estimators …; repeatable.", "--plugin")
]
Overwrite = Annotated[bool, switch("Write into a folder that is not empty.")]
Seed = Annotated[int, option("N", "The same seed gives the same digits.", min=0)]

MeasureOption = Annotated[str | None, option("NAME", "Measure, where there are several.", "--measure", "-m")]
Level = Annotated[float, option("L", "Confidence level of intervals.")]
DropBottom = Annotated[float, option("Q", "Drop systems with a mean below this quantile.", default=False)]
Aggregate = Annotated[str, option("RULE", "Data sets: mean, borda, win-rate.")]

GeneralizeTo = Annotated[str | None, option("WHAT", "Population: topics, data-sets; topics,FACET.")]


def population(chosen: str | None) -> str | None:
    """What --generalize-to says, as functions take it."""
    if chosen is not None and chosen.split(",")[0] not in ("topics", "data-sets"):
        raise UsageError(
            f"--generalize-to takes topics or data-sets, and facets after a comma, not {chosen!r}"
        )
    return None if chosen is None else re.sub("^data-sets", "data_sets", chosen)


@contextmanager
def naming_gate(command: Callable[[str, str], str]) -> Iterator[None]:
    """Let the refusal of two systems name the command that compares them."""
    try:
        yield
    except PairError as pair:
        refused = pair.baseline, pair.candidate
        raise PairError(*refused, command(*refused)) from None


@dataclass(kw_only=True)
class Counting(Group, heading=BATTLES):
    """Which battles count, and how much."""

    pairs_alike: Annotated[bool, switch("Let every pair that met count alike.")] = False
    draw_prior: Annotated[float, option("X", "Drawn battles added.", min=0, default="0")] = 0.0


@dataclass(kw_only=True)
class Arena(Counting, heading=BATTLES):
    """How battles count, and the unit of strengths."""

    scale: Annotated[
        Literal["logit", "elo"] | None, option("X", "Unit of strengths: logit or elo.", default="logit")
    ] = None


def numbers(value: str | None, option: str, kind: type) -> list[Any] | None:
    """Numbers with commas between them, as an option gives them."""
    if value is None:
        return None
    try:
        return [kind(part) for part in value.split(",")]
    except ValueError:
        example = "50,100,200" if kind is int else "0,100"
        raise UsageError(f"{option} takes numbers with commas, such as {example}, not {value!r}") from None


def _looks(value: str | None) -> str | None:
    given = numbers(value, "--looks", int)
    if given is not None:
        from truerank.numerics.error_spending import check_looks

        check_looks(given)
    return value


Looks = Annotated[
    str | None, option("N,N,…", "Planned looks; the last is the largest.", "--looks", check=_looks)
]
SpendingOption = Annotated[
    Literal["pocock", "obrien-fleming"],
    option("NAME", "Error spending: pocock (default) or obrien-fleming.", "--spending", default=False),
    Needs("looks"),
]


def looks_of(value: str | None) -> list[int] | None:
    """The numbers of ``--looks``."""
    return numbers(value, "--looks", int)
