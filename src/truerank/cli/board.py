"""`truerank board`: what a leaderboard shows of each system, as one file; short for `assess --board`."""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial
from typing import Annotated, Literal

from truerank.cli.files import Files, board_name
from truerank.cli.options import (
    Aggregate,
    Arena,
    GeneralizeTo,
    Group,
    Pareto,
    Seed,
    grouped,
    naming_gate,
    option,
    population,
)
from truerank.cli.score_input import ScoreInput


@dataclass(kw_only=True)
class Rule(Group, heading="Board"):
    """How the board ranks."""

    output: Annotated[
        str | None, option("FILE", "Board as .json, .csv or .md.", "--output", "-o", callback=board_name)
    ] = None
    aggregate: Aggregate = "mean"
    generalize_to: GeneralizeTo = None
    ties: Annotated[
        Literal["min", "dense", "ordinal"],
        option("RULE", "Ranks in the file: min (1 1 3), dense (1 1 2), ordinal (1 2 3)."),
    ] = "min"
    tried: Annotated[int | None, option("N", "All submissions, for the leader's score.", min=1)] = None
    pareto: Pareto = None
    level: Annotated[float, option("L", "Confidence level of rank ranges.")] = 0.95
    draws: Annotated[int | None, option("N", "Joint draws of ranks.", min=2, default="10,000")] = None
    seed: Seed = 0


@grouped
def board(scores: ScoreInput, rule: Rule, arena: Arena, files: Files) -> None:
    """What a leaderboard shows of each system: score, standard error, rank, rank range."""
    from truerank.reliability.assessment import assess
    from truerank.reliability.leaderboard import board_of

    file = (rule.output, "--output")
    scores, criterion = scores.weighed(rule.pareto)
    with files.reading(scores, rule.pareto, battles=True, board=file) as (outputs, tables, _):
        with naming_gate(partial(scores.gate_command, generalize_to=rule.generalize_to)):
            results = [
                assess(
                    table,
                    coefficients="tau",
                    levels=rule.level,
                    aggregate=rule.aggregate,
                    generalize_to=population(rule.generalize_to),
                    draws=rule.draws,
                    tried=rule.tried,
                    pareto=criterion,
                    pairs_alike=arena.pairs_alike,
                    draw_prior=arena.draw_prior,
                    scale=arena.scale,
                    seed=rule.seed,
                )
                for table in tables
            ]
        boards = [board_of(result, rule.ties) for result in results]
        seen = files.write(outputs, results, documents=boards)
        if rule.output is not None:
            files.add_board(outputs, rule.output, boards[0], results[0], seen)
    files.show(seen)
