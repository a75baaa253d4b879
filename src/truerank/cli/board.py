"""`truerank board`: what a leaderboard shows of each system, as one file."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from truerank.cli.files import Files
from truerank.cli.options import (
    Arena,
    GeneralizeTo,
    Group,
    Seed,
    grouped,
    naming_gate,
    population,
    progress_bar,
)
from truerank.cli.score_input import ScoreInput

if TYPE_CHECKING:
    from truerank.report.shown import Views

SUFFIXES = (".json", ".csv", ".md")


def _suffix(value: str | None) -> str | None:
    if value and Path(value).suffix.lower() not in SUFFIXES:
        raise typer.BadParameter(
            f"the name of a board ends in .json, .csv or .md, and {value!r} does not; rename it"
        )
    return value


@dataclass(kw_only=True)
class Rule(Group):
    """How the board ranks."""

    heading: ClassVar[str] = "Board"

    output: Annotated[
        str | None,
        typer.Option("--output", "-o", metavar="FILE", callback=_suffix, help="Board as .json, .csv or .md."),
    ] = None
    aggregate: Annotated[str, typer.Option(metavar="RULE", help="Of data sets: mean, borda, win-rate.")] = (
        "mean"
    )
    generalize_to: GeneralizeTo = None
    ties: Annotated[
        Literal["min", "dense", "ordinal"],
        typer.Option(metavar="RULE", help="min (1 1 3), dense (1 1 2) or ordinal (1 2 3)."),
    ] = "min"
    tried: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="All submissions, for the leader's score.")
    ] = None
    level: Annotated[float, typer.Option(metavar="L", help="Confidence level of rank ranges.")] = 0.95
    draws: Annotated[
        int | None, typer.Option(metavar="N", min=2, show_default="10,000", help="Joint draws of ranks.")
    ] = None
    seed: Seed = 0


@grouped
def board(scores: ScoreInput, rule: Rule, arena: Arena, files: Files) -> None:
    """What a leaderboard shows of each system: score, standard error, rank, rank range."""
    from truerank.reliability.leaderboard import Leaderboard

    with files.opened("board", scores.files, Leaderboard, scores.known_measures()) as outputs:
        outputs.file(rule.output, "--output")
        with progress_bar(files.quiet) as progress:
            tables = scores.read(progress, battles=True)
            if rule.output is not None and len(tables) > 1:
                raise typer.BadParameter("--output holds one board; give one -m")
            files.declare(outputs, Leaderboard, [table.measure for table in tables])
            with naming_gate(partial(scores.gate_command, generalize_to=rule.generalize_to)):
                results = [_board(table, rule, arena) for table in tables]
        seen = files.seen(results)
        files.write(outputs, seen)
        if rule.output is not None:
            _add(outputs, rule.output, seen)
    files.show(seen)


def _board(table: Any, rule: Rule, arena: Arena) -> Any:
    from truerank.reliability.leaderboard import board as make

    return make(
        table,
        aggregate=rule.aggregate,
        generalize_to=population(rule.generalize_to),
        ties=rule.ties,
        level=rule.level,
        draws=rule.draws,
        tried=rule.tried,
        **arena.counted,
        seed=rule.seed,
    )


def _add(outputs: Any, path: str, seen: Views) -> None:
    """The board as one file, by its suffix."""
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        from truerank.cli.options import add_json

        add_json(outputs, seen.results[0].to_dict(), path)
    else:
        outputs.add(path, seen.markdown() if suffix == ".md" else seen.csv()["board.csv"])
