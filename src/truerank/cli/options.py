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


def _population(chosen: str) -> str:
    """What --generalize-to says, as functions take it."""
    if chosen.split(",")[0] not in ("topics", "data-sets"):
        raise UsageError(
            f"--generalize-to takes topics or data-sets, and facets after a comma, not {chosen!r}"
        )
    return re.sub("^data-sets", "data_sets", chosen)


GeneralizeTo = Annotated[
    str | None, option("WHAT", "Population: topics, data-sets; topics,FACET.", check=_population)
]


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


def numbers(option: str, kind: type) -> Callable[[str], list[Any]]:
    """Reads the numbers with commas between them that an option gives."""

    def read(value: str) -> list[Any]:
        try:
            return [kind(part) for part in value.split(",")]
        except ValueError:
            example = "50,100,200" if kind is int else "0,100"
            raise UsageError(
                f"{option} takes numbers with commas, such as {example}, not {value!r}"
            ) from None

    return read


def _looks(value: str) -> list[int]:
    from truerank.numerics.error_spending import check_looks

    looks = numbers("--looks", int)(value)
    check_looks(looks)
    return looks


Looks = Annotated[
    list[int] | None,
    option("N,N,…", "Planned looks; the last is the largest.", "--looks", kind=str, check=_looks),
]
SpendingOption = Annotated[
    Literal["pocock", "obrien-fleming"],
    option("NAME", "Error spending: pocock (default) or obrien-fleming.", "--spending", default=False),
    Needs("looks"),
]
