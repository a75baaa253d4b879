"""`truerank board`: what a leaderboard shows of each system, as one file."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank.cli.files import Files
from truerank.cli.options import (
    Aggregate,
    Arena,
    GeneralizeTo,
    Group,
    Seed,
    grouped,
    naming_gate,
    option,
    population,
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
class Rule(Group, heading="Board"):
    """How the board ranks."""

    output: Annotated[
        str | None, option("FILE", "Board as .json, .csv or .md.", "--output", "-o", callback=_suffix)
    ] = None
    aggregate: Aggregate = "mean"
    generalize_to: GeneralizeTo = None
    ties: Annotated[
        Literal["min", "dense", "ordinal"], option("RULE", "min (1 1 3), dense (1 1 2) or ordinal (1 2 3).")
    ] = "min"
    tried: Annotated[int | None, option("N", "All submissions, for the leader's score.", min=1)] = None
    level: Annotated[float, option("L", "Confidence level of rank ranges.")] = 0.95
    draws: Annotated[int | None, option("N", "Joint draws of ranks.", min=2, default="10,000")] = None
    seed: Seed = 0


@grouped
def board(scores: ScoreInput, rule: Rule, arena: Arena, files: Files) -> None:
    """What a leaderboard shows of each system: score, standard error, rank, rank range."""
    from truerank.reliability.leaderboard import Leaderboard
    from truerank.reliability.leaderboard import board as make

    reading = files.reading("board", Leaderboard, scores, battles=True, output=rule.output)
    with reading as (outputs, tables, _):
        if rule.output is not None and len(tables) > 1:
            raise typer.BadParameter("--output holds one board; give one -m")
        with naming_gate(partial(scores.gate_command, generalize_to=rule.generalize_to)):
            settings = asdict(rule) | asdict(arena) | {"generalize_to": population(rule.generalize_to)}
            del settings["output"]
            results = [make(table, **settings) for table in tables]
        seen = files.write(outputs, results)
        if rule.output is not None:
            _add(outputs, rule.output, seen)
    files.show(seen)


def _add(outputs: Any, path: str, seen: Views) -> None:
    """The board as one file, by its suffix."""
    suffix = Path(path).suffix.lower()
    if suffix == ".json":
        from truerank.cli.options import add_json

        add_json(outputs, seen.results[0].to_dict(), path)
    else:
        outputs.add(path, seen.markdown() if suffix == ".md" else seen.csv()["board.csv"])
