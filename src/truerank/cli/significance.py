"""`truerank significance`: which systems differ significantly?"""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated

from truerank.cli.command import Group, command, option
from truerank.cli.files import Files
from truerank.cli.options import Seed, naming_gate
from truerank.cli.score_input import FilledHumanScores, HumanScores


@dataclass(kw_only=True)
class Tests(Group, heading="Tests"):
    """What is tested, and how."""

    test: Annotated[
        str,
        option("NAME", "t, wilcoxon, sign, randomization, f, tukey, randomized-tukey, friedman or nemenyi."),
    ] = "t"
    correction: Annotated[
        str | None,
        option(
            "NAME",
            "none, bonferroni, holm or bh; max-t with t and randomization.",
            default="holm, none for Tukey's",
        ),
    ] = None
    alpha: Annotated[float, option("A", "Significance level.")] = 0.05
    baseline: Annotated[str | None, option("SYSTEM", "Compare every other system with this one.")] = None
    permutations: Annotated[int, option("N", "Permutations, also of max-t.", min=1)] = 10_000
    seed: Seed = 0


@command("significance", "scores.csv --test t --correction holm")
def significance(scores: FilledHumanScores, tests: Tests, files: Files) -> None:
    """Which systems differ significantly, and which are better than which?"""
    from truerank.comparison.significance import analyze

    with files.reading(scores) as (outputs, tables, progress):
        results = []
        for done, table in enumerate(tables):
            if progress:
                progress(done, len(tables), table.measure or "testing pairs")
            results.append(analyze(table, **asdict(tests)))
        seen = files.write(outputs, results)
    files.show(seen)


@dataclass(kw_only=True)
class Listed(Group, heading="Topics"):
    """What is named."""

    list: Annotated[int, option("N", "Number of topics to read first.")] = 5


@command("topics", "scores.csv --csv tables")
def topics(scores: HumanScores, listed: Listed, files: Files) -> None:
    """Which topics decide the ranking, and which labels to read first?"""
    from truerank.reliability.topics import topics as look

    with files.reading(scores) as (outputs, tables, _), naming_gate(scores.gate_command):
        seen = files.write(outputs, [look(table, list=listed.list) for table in tables])
    files.show(seen)
