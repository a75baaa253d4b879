"""`truerank assess`: the reliability of a ranking, from scores or from runs and qrels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank._support.plain import plain
from truerank.cli.files import Files, board_name
from truerank.cli.options import (
    Aggregate,
    Arena,
    DropBottom,
    GeneralizeTo,
    Group,
    Pareto,
    Seed,
    given_of,
    grouped,
    naming_gate,
    option,
    population,
    switch,
)
from truerank.cli.parsing import SPECIAL
from truerank.cli.score_input import ScoreInput

if TYPE_CHECKING:
    from truerank.reliability.one_system import MeanScore
    from truerank.scores import ScoreMatrix


DRAWS = "Joint draws (10,000); resamples for res (by error)."


@dataclass(kw_only=True)
class Method(Group, heading="Method"):
    """How the reliability is estimated."""

    estimator: Annotated[
        list[str] | None,
        option("NAME", "ml, msqd, res, kd, sh, sh-w, sh-wo or all; repeatable.", default="eb"),
    ] = None
    coefficients: Annotated[
        list[str] | None, option("NAME", "tau or tau_ap; repeatable.", "--coefficient")
    ] = None
    dependence: Annotated[str, option("NAME", "Of swaps: shrunk, sample or own.", default=False)] = "shrunk"
    levels: Annotated[
        list[float] | None, option("L", "Confidence level; repeatable.", "--level", default="0.95")
    ] = None
    drop_bottom: DropBottom = 0.0
    drop_identical: Annotated[bool, switch("Keep one of several systems with equal scores.")] = False
    generalize_to: GeneralizeTo = None
    aggregate: Aggregate = "mean"
    guarantee: Annotated[bool, switch("Control the family-wise error over all pairs.")] = False
    draws: Annotated[int | None, option("N", DRAWS, min=2)] = None
    resamples: Annotated[int | None, option("N", DRAWS, min=2)] = None
    seed: Seed = 0


@dataclass(kw_only=True)
class Questions(Group, heading="Questions"):
    """What is asked beyond the ranking."""

    baseline: Annotated[str | None, option("SYSTEM", "Compare every other system with this one.")] = None
    pareto: Pareto = None
    date: Annotated[str | None, option("COLUMN|FILE", "Dates of systems: records over time.")] = None
    best: Annotated[int | None, option("K", "Systems that may be in the true top K.", min=1)] = None
    tried: Annotated[int | None, option("N", "Variants that the leader was picked from.", min=1)] = None
    half_width: Annotated[
        float | None, option("W", "One system: topics for a mean ± W.", rich_help_panel=SPECIAL)
    ] = None
    model: Annotated[str | None, option("MODEL", "Model of simulated scores, to show the true means.")] = None
    board: Annotated[str | None, option("FILE", "Board as .json, .csv or .md.", callback=board_name)] = None


@grouped
def assess(scores: ScoreInput, questions: Questions, method: Method, arena: Arena, files: Files) -> None:
    """How close is the observed ranking to the true one?"""
    from truerank.reliability.assessment import assess as make
    from truerank.reliability.leaderboard import board_of
    from truerank.reliability.results import true_coefficients

    if questions.board is not None and "tau" not in (method.coefficients or ["tau"]):
        raise typer.BadParameter("--board has the expected τ; add --coefficient tau")
    dates, scores, dated = _dates(questions.date, scores)
    scores, criterion = scores.weighed(questions.pareto)
    more = [questions.model, questions.pareto, dated]
    board = (questions.board, "--board")
    reading = files.reading(scores, *more, battles=True, board=board)
    with reading as (outputs, tables, progress):
        if tables and all(table.m == 1 for table in tables):
            found = [_mean_of(table, questions, method, arena, files.figures) for table in tables]
            files.show(files.write(outputs, found))
            return
        if questions.half_width is not None:
            raise typer.BadParameter(
                "--half-width is for scores of one system; leave it out, or see truerank plan for a ranking"
            )
        with naming_gate(partial(scores.gate_command, generalize_to=method.generalize_to)):
            settings = _settings(method, questions, arena)
            settings |= {"pareto": criterion, "date": dates}
            results = [make(table, **settings, progress=progress) for table in tables]
        truth = _true_means(questions.model, [result.scores.systems for result in results])
        true = [] if truth is None else [{"truth": plain(true_coefficients(one, truth))} for one in results]
        seen = files.write(outputs, results, true, truth=truth)
        if questions.board is not None:
            files.add_board(outputs, questions.board, board_of(results[0]), results[0], seen)
    files.show(seen)


def _mean_of(
    table: ScoreMatrix, questions: Questions, method: Method, arena: Arena, figures: str | None
) -> MeanScore:
    """The mean of one system, which needs nothing that is asked of a ranking."""
    from truerank.reliability.one_system import mean_score

    of_rankings = [*given_of(questions, Questions), *given_of(method, Method), *given_of(arena, Arena)]
    of_rankings += ["--figures"] if figures is not None else []
    for name in of_rankings:
        if name not in ("--half-width", "--level", "--generalize-to", "--seed"):
            raise typer.BadParameter(
                f"{name} is for a ranking, and the scores are of one system; leave it out"
            )
    levels = method.levels or [0.95]
    if len(levels) > 1:
        raise typer.BadParameter(
            "--level is given several times; one system has one interval, so give it once"
        )
    population_of = population(method.generalize_to)
    return mean_score(table, level=levels[0], half_width=questions.half_width, generalize_to=population_of)


def _settings(method: Method, questions: Questions, arena: Arena) -> dict[str, Any]:
    """The arguments of the function."""
    settings = asdict(method) | asdict(arena)
    settings |= {name: getattr(questions, name) for name in ("baseline", "best", "tried")}
    settings["estimator"] = method.estimator or None
    settings["levels"] = method.levels or [0.95]
    return settings | {"generalize_to": population(method.generalize_to)}


def _dates(date: str | None, scores: ScoreInput) -> tuple[Any, ScoreInput, str | None]:
    """The dates, the scores without their column, and the file of dates, where there is one."""
    if date is None or os.path.exists(date):
        return date, scores, date
    from truerank.readers.beside_scores import dates_in

    if scores.qrels is not None:
        raise typer.BadParameter(f"--date {date}: no such file; with --qrels give one of two columns")
    left = replace(scores, ignore_columns=[*scores.ignore_columns, date])
    return dates_in(scores.sources, date, scores.system_column), left, None


def _true_means(model: str | None, systems: Sequence[Sequence[str]]) -> dict[str, float] | None:
    """The true mean of every system assessed, where a model is given."""
    if model is None:
        return None
    from truerank.cli.simulate import find_model, true_means_of
    from truerank.errors import InputError

    truth = true_means_of(find_model(model))
    for names in systems:
        strangers = [s for s in names if s not in truth]
        if strangers:
            raise InputError(
                f"{model}: this model has no system {strangers[0]!r}; give the one the scores are from"
            )
    return truth


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
