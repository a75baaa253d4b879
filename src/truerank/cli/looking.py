"""Options of repeated gates: at any time, at planned looks, at every commit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from truerank._support.notes import Note
from truerank.cli.options import Group, Needs
from truerank.errors import InputError, unknown_name

if TYPE_CHECKING:
    from truerank.comparison.gate import Gate
    from truerank.comparison.sequential import Monitor, SequentialGate
    from truerank.scores import ScoreMatrix


def numbers(value: str | None, option: str, kind: type) -> list[Any] | None:
    """Numbers with commas between them, as an option gives them."""
    if value is None:
        return None
    try:
        return [kind(part) for part in value.split(",")]
    except ValueError:
        example = "50,100,200" if kind is int else "0,100"
        raise typer.BadParameter(
            f"{option} takes numbers with commas, such as {example}, not {value!r}"
        ) from None


def _looks(value: str | None) -> str | None:
    given = numbers(value, "--looks", int)
    if given is not None:
        from truerank.numerics.error_spending import check_looks

        check_looks(given)
    return value


Looks = Annotated[
    str | None,
    typer.Option("--looks", metavar="N,N,…", callback=_looks, help="Planned looks; the last is the largest."),
]
SpendingOption = Annotated[
    Literal["pocock", "obrien-fleming"],
    typer.Option(
        "--spending",
        metavar="NAME",
        show_default=False,
        help="Error spending: pocock (default) or obrien-fleming.",
    ),
    Needs("looks"),
]


def looks_of(value: str | None) -> list[int] | None:
    """The numbers of ``--looks``."""
    return numbers(value, "--looks", int)


@dataclass(kw_only=True)
class Looking(Group):
    """A verdict at more than one look."""

    heading: ClassVar[str] = "Looking more than once"

    sequential: Annotated[
        bool, typer.Option("--sequential", help="Verdict that holds at any time, after every topic.")
    ] = False
    state: Annotated[
        str | None,
        typer.Option("--state", metavar="FILE", help="Topics of earlier looks; read, and written anew."),
        Needs("sequential", "looks"),
    ] = None
    looks: Looks = None
    spending: SpendingOption = "pocock"
    anchor: Annotated[
        str | None,
        typer.Option("--anchor", metavar="FILE", help="Scores of a release; --baseline names it there."),
    ] = None

    @property
    def repeated(self) -> bool:
        """Whether the verdict is one of many looks."""
        return self.sequential or self.looks is not None

    @property
    def kind(self) -> type:
        """The kind of result; only its own modules are imported."""
        if self.repeated:
            from truerank.comparison.sequential import SequentialGate

            return SequentialGate
        from truerank.comparison.gate import Gate

        return Gate

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.looks is not None and self.sequential:
            raise typer.BadParameter("--sequential looks at any time, --looks at planned ones; give one")
        if self.repeated and self.anchor is not None:
            raise typer.BadParameter(
                "--anchor is for gates on the same topics, --sequential and --looks for more topics of one "
                "comparison; give one kind"
            )

    # ── at any time ───────────────────────────────────────────────────────────────────────────────────

    def decide(self, tables: Sequence[ScoreMatrix], baseline: str | None, **settings: Any) -> SequentialGate:
        """The verdicts at this look."""
        from truerank.comparison.sequential import sequential_gate

        if len(tables) > 1:
            raise typer.BadParameter("--sequential and --looks decide by one measure; give one -m")
        return sequential_gate(
            tables[0],
            baseline,
            looks=looks_of(self.looks),
            spending=self.spending,
            state=self._known(),
            **settings,
        )

    def _known(self) -> Monitor | None:
        from truerank.comparison.sequential import Monitor

        return Monitor.load(self.state) if self.state is not None and Path(self.state).exists() else None

    # ── at every commit ───────────────────────────────────────────────────────────────────────────────

    def anchored(
        self, tables: list[ScoreMatrix], baseline: str | None
    ) -> tuple[list[ScoreMatrix], str | None]:
        """The tables with the release's scores as one more system, and its name."""
        if self.anchor is None:
            return tables, baseline
        result = [_with_release(table, self.anchor, baseline) for table in tables]
        return [table for table, _ in result], result[0][1]

    def remarked(self, gate: Gate) -> Gate:
        """The gate, with a note on chains of passes in each decision against a release."""
        if self.anchor is None:
            return gate
        units = gate.sampled.many
        note = Note(
            "chain-of-passes",
            f"what passed was chosen on these {units}, so no level holds for a chain of passes. At a "
            f"release, take fresh {units} and a new anchor",
        )
        decisions = (replace(item, notes=(*item.notes, note)) for item in gate.decisions)
        return replace(gate, decisions=tuple(decisions))


def _with_release(table: ScoreMatrix, path: str, baseline: str | None) -> tuple[ScoreMatrix, str]:
    """The table with a release's scores as its first system, and the name of the release there."""
    import numpy as np

    from truerank.readers import read_scores

    release = read_scores(path, table.measure or None, "model")
    if baseline is None and release.m > 1:
        raise InputError(f"{path}: {release.m} systems; --baseline says which of them is the release")
    name = release.systems[0] if baseline is None else baseline
    if name not in release.systems:
        raise unknown_name("system of the release", name, release.systems)
    own = {key: t for t, key in enumerate(release.keys)}
    places = [own.get(key) for key in table.keys]
    if all(place is None for place in places):
        raise InputError(
            f"{path}: no {table.unit.one} of {table.source or 'the scores'}; a gate needs the same "
            f"{table.unit.many} in both"
        )
    scores = release.values[:, release.systems.index(name)]
    column = np.array([np.nan if place is None else scores[place] for place in places])
    shown = name if name not in table.systems else f"{name} ({Path(path).name})"
    values = np.column_stack([column, table.values])
    values.setflags(write=False)
    return replace(table, values=values, systems=(shown, *table.systems)), shown
