"""`truerank assess`: the reliability of a ranking, from scores or from runs and qrels."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Annotated, Any, ClassVar

import typer

from truerank._support.plain import plain
from truerank.cli.files import Files
from truerank.cli.options import (
    Arena,
    GeneralizeTo,
    Group,
    Needs,
    Plugins,
    Seed,
    grouped,
    naming_gate,
    population,
    progress_bar,
)
from truerank.cli.score_input import ScoreInput

DRAWN = "Systems in figures: the first K, or by name."
DRAWS = "Joint draws (10,000); resamples for res (by error)."


@dataclass(kw_only=True)
class Method(Group):
    """How the reliability is estimated."""

    heading: ClassVar[str] = "Method"

    estimators: Annotated[
        list[str] | None,
        typer.Option(
            "--estimator", metavar="NAME", help="eb, ml, msqd, res, kd, sh, sh-w, sh-wo; repeatable."
        ),
    ] = None
    coefficients: Annotated[
        list[str] | None, typer.Option("--coefficient", metavar="NAME", help="tau or tau_ap; repeatable.")
    ] = None
    dependence: Annotated[
        str,
        typer.Option(
            "--dependence", metavar="NAME", help="Of swaps: shrunk, sample or own.", show_default=False
        ),
    ] = "shrunk"
    levels: Annotated[
        list[float] | None,
        typer.Option("--level", metavar="L", show_default="0.95", help="Confidence level; repeatable."),
    ] = None
    drop_bottom: Annotated[
        float,
        typer.Option(metavar="Q", help="Drop systems with a mean below this quantile.", show_default=False),
    ] = 0.0
    drop_identical: Annotated[
        bool, typer.Option("--drop-identical", help="Keep one of several systems with equal scores.")
    ] = False
    generalize_to: GeneralizeTo = None
    aggregate: Annotated[str, typer.Option(metavar="RULE", help="Data sets: mean, borda, win-rate.")] = "mean"
    guarantee: Annotated[
        bool, typer.Option("--guarantee", help="Control the family-wise error over all pairs.")
    ] = False
    draws: Annotated[int | None, typer.Option(metavar="N", min=2, help=DRAWS)] = None
    resamples: Annotated[int | None, typer.Option(metavar="N", min=2, help=DRAWS)] = None
    seed: Seed = 0
    plugins: Plugins = None


@dataclass(kw_only=True)
class Questions(Group):
    """What is asked beyond the ranking."""

    heading: ClassVar[str] = "Questions"

    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Compare every other system with this one.")
    ] = None
    best: Annotated[
        int | None, typer.Option(metavar="K", min=1, help="Systems that may be in the true top K.")
    ] = None
    tried: Annotated[
        int | None, typer.Option(metavar="N", min=1, help="Variants that the leader was picked from.")
    ] = None
    model: Annotated[
        str | None, typer.Option(metavar="MODEL", help="Model of simulated scores, to show the true means.")
    ] = None
    top: Annotated[int | None, typer.Option(metavar="K", help=DRAWN), Needs("figures", "paper")] = None
    only: Annotated[
        list[str] | None, typer.Option(metavar="SYSTEM", help=DRAWN), Needs("figures", "paper")
    ] = None


@grouped
def assess(scores: ScoreInput, questions: Questions, method: Method, arena: Arena, files: Files) -> None:
    """How close is the observed ranking to the true one?"""
    from truerank.reliability.results import Assessment

    _load(method.plugins)
    inputs = [*scores.files, questions.model, *(method.plugins or [])]
    with files.opened("assess", inputs, Assessment, scores.known_measures()) as outputs:
        with progress_bar(files.quiet) as progress:
            tables = scores.read(progress, battles=True)
            files.declare(outputs, Assessment, [table.measure for table in tables])
            with naming_gate(partial(scores.gate_command, generalize_to=method.generalize_to)):
                results = [
                    _assessed(table, method, questions, arena, progress, files.details) for table in tables
                ]
        truth = _true_means(questions.model, [result.scores.systems for result in results])
        seen = files.seen(results, truth=truth, **_asked(questions, results))
        files.write(outputs, seen, _truths(results, truth))
    files.show(seen)


def _load(plugins: list[str] | None) -> None:
    if plugins:
        from truerank.experiments.engine.plugins import load

        load(plugins)


def _assessed(
    table: Any, method: Method, questions: Questions, arena: Arena, progress: Any, details: bool
) -> Any:
    from truerank.reliability.assessment import assess as assess_scores

    return assess_scores(
        table,
        method.estimators or ("all" if details else None),
        method.coefficients,
        levels=method.levels or [0.95],
        dependence=method.dependence,
        drop_bottom=method.drop_bottom,
        drop_identical=method.drop_identical,
        baseline=questions.baseline,
        best=questions.best,
        tried=questions.tried,
        guarantee=method.guarantee,
        generalize_to=population(method.generalize_to),
        aggregate=method.aggregate,
        draws=method.draws,
        resamples=method.resamples,
        **arena.counted,
        seed=method.seed,
        progress=progress,
    )


def _asked(questions: Questions, results: Sequence[Any]) -> dict[str, Any]:
    from truerank.reliability.estimators import ESTIMATORS
    from truerank.report.view import chosen
    from truerank.report.views.assessment_methods import is_split_half

    first = results[0]
    return {
        "all_estimators": any(map(is_split_half, first.estimators))
        and len(first.estimators) < len(ESTIMATORS),
        "systems": chosen([s.system for s in first.ranking], questions.top, questions.only or ()),
    }


def _truths(results: Sequence[Any], truth: dict[str, float] | None) -> list[dict[str, Any]]:
    from truerank.reliability.truth import true_coefficients

    if truth is None:
        return []
    return [{"truth": plain(true_coefficients(result, truth))} for result in results]


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
