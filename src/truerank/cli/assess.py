"""`truerank assess` and `board`: the reliability of a ranking, from scores or from runs and qrels."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any, Literal

from truerank._support.plain import plain
from truerank.cli.command import SPECIAL, Group, UsageError, command, given_of, option, switch
from truerank.cli.files import Files, board_name
from truerank.cli.options import (
    Aggregate,
    Arena,
    DropBottom,
    GeneralizeTo,
    Seed,
    naming_gate,
)
from truerank.cli.score_input import ScoreInput

if TYPE_CHECKING:
    from truerank.reliability.one_system import MeanScore
    from truerank.reliability.results import Assessment
    from truerank.scores import ScoreMatrix


DRAWS = "Joint draws (10,000); resamples for res (by error)."


@dataclass(kw_only=True)
class Beside(Group, heading="Questions"):
    """What is asked of the systems beside their scores."""

    pareto: Annotated[str | None, option("MEASURE|FILE", "Frontier of quality and this, such as cost.")] = (
        None
    )
    date: Annotated[str | None, option("COLUMN|FILE", "Dates of systems: records over time.")] = None
    tried: Annotated[int | None, option("N", "Variants that the leader was picked from.", min=1)] = None

    def read(self, scores: ScoreInput) -> tuple[ScoreInput, dict[str, Any], list[str | None]]:
        """The scores without the columns of these, what they say, and the files that they are in."""
        dates: Any = self.date
        dated = self.date if self.date is None or os.path.exists(self.date) else None
        if self.date is not None and dated is None:
            from truerank.readers.beside_scores import dates_in

            if scores.qrels is not None:
                raise UsageError(f"--date {self.date}: no such file; with --qrels give one of two columns")
            dates = dates_in(scores.sources, self.date, scores.system_column)
            scores = replace(scores, ignore_columns=[*scores.ignore_columns, self.date])
        scores, criterion = scores.weighed(self.pareto)
        return scores, {"pareto": criterion, "date": dates, "tried": self.tried}, [self.pareto, dated]


@dataclass(kw_only=True)
class Questions(Beside, heading="Questions"):
    """What is asked beyond the ranking."""

    baseline: Annotated[str | None, option("SYSTEM", "Compare every other system with this one.")] = None
    best: Annotated[int | None, option("K", "Systems that may be in the true top K.", min=1)] = None
    half_width: Annotated[
        float | None, option("W", "One system: topics for a mean ± W.", heading=SPECIAL)
    ] = None
    model: Annotated[str | None, option("MODEL", "Model of simulated scores, to show the true means.")] = None
    board: Annotated[str | None, option("FILE", "Board as .json, .csv or .md.", check=board_name)] = None


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


@command("assess", "scores.csv --baseline bm25 --html page.html")
def assess(scores: ScoreInput, questions: Questions, method: Method, arena: Arena, files: Files) -> None:
    """How close is the observed ranking to the true one?"""
    from truerank.reliability.leaderboard import board_of
    from truerank.reliability.results import true_coefficients

    if questions.board is not None and "tau" not in (method.coefficients or ["tau"]):
        raise UsageError("--board has the expected τ; add --coefficient tau")
    scores, beside, more = questions.read(scores)
    reading = files.reading(scores, questions.model, *more, battles=True, board=(questions.board, "--board"))
    with reading as (outputs, tables, progress):
        if tables and all(table.m == 1 for table in tables):
            result = [_mean_of(table, questions, method, arena, files.figures) for table in tables]
            return files.show(files.write(outputs, result))
        if questions.half_width is not None:
            raise UsageError(
                "--half-width is for scores of one system; leave it out, or see truerank plan for a ranking"
            )
        settings = asdict(method) | asdict(arena) | beside
        settings |= {"estimator": method.estimator or None, "levels": method.levels or [0.95]}
        settings |= {"baseline": questions.baseline, "best": questions.best, "progress": progress}
        results = _assessments(tables, scores, **settings)
        truth = _true_means(questions.model, [result.scores.systems for result in results])
        true = [] if truth is None else [{"truth": plain(true_coefficients(item, truth))} for item in results]
        board = None if questions.board is None else board_of(results[0])
        seen = files.write(outputs, results, true, board=(questions.board, board), truth=truth)
    files.show(seen)


def _assessments(tables: Sequence[ScoreMatrix], scores: ScoreInput, **settings: Any) -> list[Assessment]:
    from truerank.reliability.assessment import assess

    with naming_gate(partial(scores.gate_command, generalize_to=settings["generalize_to"])):
        return [assess(table, **settings) for table in tables]


def _mean_of(
    table: ScoreMatrix, questions: Questions, method: Method, arena: Arena, figures: str | None
) -> MeanScore:
    """The mean of one system, which needs nothing that is asked of a ranking."""
    from truerank.reliability.one_system import mean_score

    given = [*given_of(questions, Questions), *given_of(method, Method), *given_of(arena, Arena)]
    given += ["--figures"] if figures is not None else []
    for name in given:
        if name not in ("--half-width", "--level", "--generalize-to", "--seed"):
            raise UsageError(f"{name} is for a ranking, and the scores are of one system; leave it out")
    level, *others = method.levels or [0.95]
    if others:
        raise UsageError("--level is given several times; one system has one interval, so give it once")
    goal = method.generalize_to
    return mean_score(table, level=level, half_width=questions.half_width, generalize_to=goal)


def _true_means(model: str | None, systems: Sequence[Sequence[str]]) -> dict[str, float] | None:
    """The true mean of every system assessed, where a model is given."""
    if model is None:
        return None
    from truerank.cli.simulate import find_model, true_means_of

    truth = true_means_of(find_model(model))
    for stranger in (name for names in systems for name in names if name not in truth):
        raise UsageError(f"{model}: this model has no system {stranger!r}; give the one the scores are from")
    return truth


@dataclass(kw_only=True)
class Rule(Beside, heading="Board"):
    """How the board ranks."""

    output: Annotated[
        str | None, option("FILE", "Board as .json, .csv or .md.", "--output", "-o", check=board_name)
    ] = None
    aggregate: Aggregate = "mean"
    generalize_to: GeneralizeTo = None
    ties: Annotated[
        Literal["min", "dense", "ordinal"],
        option("RULE", "Ranks in the file: min (1 1 3), dense (1 1 2), ordinal (1 2 3)."),
    ] = "min"
    level: Annotated[float, option("L", "Confidence level of rank ranges.")] = 0.95
    draws: Annotated[int | None, option("N", "Joint draws of ranks.", min=2, default="10,000")] = None
    seed: Seed = 0


@command("board", "scores.csv -o board.json")
def board(scores: ScoreInput, rule: Rule, arena: Arena, files: Files) -> None:
    """What a leaderboard shows of each system: score, standard error, rank, rank range."""
    from truerank.reliability.leaderboard import board_of

    scores, beside, more = rule.read(scores)
    with files.reading(scores, *more, battles=True, board=(rule.output, "--output")) as (outputs, tables, _):
        settings = {name: getattr(rule, name) for name in ("aggregate", "generalize_to", "draws", "seed")}
        settings |= asdict(arena) | beside | {"coefficients": "tau", "levels": rule.level}
        results = _assessments(tables, scores, **settings)
        boards = [board_of(result, rule.ties) for result in results]
        seen = files.write(outputs, results, documents=boards, board=(rule.output, boards[0]))
    files.show(seen)
