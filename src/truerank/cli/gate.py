"""`truerank gate`: a verdict on A against B, for a person or a script."""

from __future__ import annotations

import shlex
from contextlib import suppress
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from truerank.cli.files import Files
from truerank.cli.looking import Looking, numbers
from truerank.cli.options import Arena, GeneralizeTo, Group, Seed, grouped, population, progress_bar
from truerank.cli.score_input import FilledScores
from truerank.errors import InputError, TruerankError

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix

# Exit codes; unusable input is 2 and an internal error 3, as everywhere.
PASSED, FAILED, INCONCLUSIVE = 0, 1, 4


@dataclass(kw_only=True)
class Claim(Group):
    """What is to be decided."""

    heading: ClassVar[str] = "Verdict"

    baseline: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", show_default="the first of two", help="System to compare with."),
    ] = None
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--candidate", metavar="SYSTEM", show_default="all others", help="Candidates; repeatable."
        ),
    ] = None
    margin: Annotated[float, typer.Option(metavar="D", help="Largest loss of score that passes.")] = 0.0
    level: Annotated[float, typer.Option(metavar="L", help="Confidence level of one-sided bounds.")] = 0.95
    undecided: Annotated[
        Literal["fail", "pass"] | None,
        typer.Option(metavar="fail|pass", help="Exit code 1 or 0 if inconclusive, instead of 4."),
    ] = None
    power: Annotated[float, typer.Option(metavar="P", help="Chance of a verdict to plan for.")] = 0.8
    generalize_to: GeneralizeTo = None
    shared_seeds: Annotated[
        bool, typer.Option("--shared-seeds", help="Runs with the same label share a seed.")
    ] = False
    seed: Seed = 0


@dataclass(kw_only=True)
class GateFiles(Files):
    """The files of a gate."""

    heading: ClassVar[str] = Files.heading

    junit: Annotated[
        str | None, typer.Option("--junit", metavar="FILE", help="JUnit report for a pipeline.")
    ] = None


@dataclass(kw_only=True)
class Deciding(Arena):
    """What the bounds rest on, and how a pair of an arena is compared."""

    heading: ClassVar[str] = Arena.heading

    guarantee: Annotated[bool, typer.Option("--guarantee", help="Decide by the exact bound alone.")] = False
    range: Annotated[
        str | None,
        typer.Option(
            "--range",
            metavar="LOW,HIGH",
            show_default="by measure or scores",
            help="Lowest and highest possible score.",
        ),
    ] = None
    direct: Annotated[bool, typer.Option("--direct", help="Decide by the battles between the two alone.")] = (
        False
    )


@grouped
def gate(scores: FilledScores, claim: Claim, looking: Looking, deciding: Deciding, files: GateFiles) -> int:
    """Is B better than A, or at least not worse by a margin?

    Exit 0: better, pass; 1: fail; 4: inconclusive; 2, 3: an error.
    """

    looking.check()
    with files.opened("gate", [*scores.files, looking.anchor], looking.kind) as outputs:
        outputs.file(files.junit, "--junit")
        outputs.state(looking.state, "--state")
        with progress_bar(files.quiet) as progress:
            tables = _tables(scores, progress)
        if looking.repeated:
            result = _at_any_time(tables, scores, claim, looking, deciding)
        else:
            result = _at_once(tables, scores, claim, looking, deciding)
        seen = files.seen([result])
        files.write(outputs, seen)
        if looking.state is not None:
            outputs.add(looking.state, result.monitor.to_json())
        if files.junit is not None:
            from truerank.report.outputs.junit import junit

            outputs.add(files.junit, junit(result, claim.undecided == "pass"))
    files.show(seen)
    if result.verdict == "undecided":
        return {"pass": PASSED, "fail": FAILED, None: INCONCLUSIVE}[claim.undecided]
    return PASSED if result.passed else FAILED


def _at_once(
    tables: list[ScoreMatrix],
    scores: FilledScores,
    claim: Claim,
    looking: Looking,
    deciding: Deciding,
) -> Any:
    """The verdict on these topics, looked at once."""
    from truerank.comparison.gate import gate as decide

    tables, baseline = looking.anchored(tables, claim.baseline)
    result = decide(
        tables,
        baseline,
        claim.candidates,
        margin=claim.margin,
        level=claim.level,
        generalize_to=population(claim.generalize_to),
        missing=scores.missing,
        shared_seeds=claim.shared_seeds,
        direct=deciding.direct,
        guarantee=deciding.guarantee,
        power=claim.power,
        range=numbers(deciding.range, "--range", float),
        **deciding.counted,
        seed=claim.seed,
    )
    return looking.remarked(result)


def _at_any_time(
    tables: list[ScoreMatrix],
    scores: FilledScores,
    claim: Claim,
    looking: Looking,
    deciding: Deciding,
) -> Any:
    """The verdict that holds at every look."""
    if deciding.direct or any(deciding.counted.values()):
        raise typer.BadParameter("--sequential and --looks are for scores; leave out the options of battles")
    if claim.generalize_to not in (None, "topics"):
        raise typer.BadParameter("--sequential and --looks are about new topics; leave out --generalize-to")
    if deciding.guarantee:
        raise typer.BadParameter(
            "--guarantee is for one look; --sequential with a known range is exact at every look"
        )
    if claim.shared_seeds:
        raise typer.BadParameter("--sequential and --looks say nothing of runs; leave out --shared-seeds")
    return looking.decide(
        tables,
        claim.baseline,
        candidate=claim.candidates,
        margin=claim.margin,
        level=claim.level,
        range=numbers(deciding.range, "--range", float),
        missing=scores.missing,
        seed=claim.seed,
    )


def _refuse_systems(scores: FilledScores) -> None:
    """Refuse names of systems where files are expected, with the command that compares these."""
    files = [source for source in scores.sources if Path(source).exists()]
    names = [source for source in scores.sources if source not in files]
    known: list[ScoreMatrix] = []
    if files and names:
        kept: Any = "model"
        with suppress(TruerankError):
            known = replace(scores, sources=files, missing=kept).read(battles=True)
    if known and set(names) <= set(known[0].systems):
        roles = ["--baseline", *["--candidate"] * (len(names) - 1)]
        named = [part for pair in zip(roles, names, strict=True) for part in pair]
        raise InputError(
            f"{', '.join(map(repr, names))}: systems are named by options. "
            f"Use: {shlex.join(['truerank', 'gate', *files, *named])}"
        )


def _tables(scores: FilledScores, progress: Any) -> list[ScoreMatrix]:
    """The scores: one table, or two of one system each."""
    from truerank.readers.two_tables import two_tables
    from truerank.reliability.pair.arms import before_arms

    if scores.qrels is not None or scores.judged_by_machine:
        return scores.read(progress, battles=True)
    _refuse_systems(scores)
    reading = before_arms(scores.missing)
    both = two_tables(
        scores.sources,
        scores.measures,
        reading,
        scores.cluster,
        scores.family,
        scores.format,
        scores.transpose,
    )
    kept: Any = reading  # the arms fill the cells, so here they may stay empty
    return both or replace(scores, missing=kept).read(progress, battles=True)
