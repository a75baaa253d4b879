"""`truerank significance`: which systems differ significantly?"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, ClassVar

import typer

from truerank.cli.files import Files
from truerank.cli.options import Group, Seed, grouped, progress_bar
from truerank.cli.score_input import FilledScores


@dataclass(kw_only=True)
class Tests(Group):
    """What is tested, and how."""

    heading: ClassVar[str] = "Tests"

    test: Annotated[
        str,
        typer.Option(
            metavar="NAME",
            help="t, wilcoxon, sign, randomization, f, tukey, randomized-tukey, friedman or nemenyi.",
        ),
    ] = "t"
    correction: Annotated[
        str | None,
        typer.Option(
            metavar="NAME",
            show_default="holm, none for Tukey's",
            help="none, bonferroni, holm or bh; max-t with t and randomization.",
        ),
    ] = None
    alpha: Annotated[float, typer.Option(metavar="A", help="Significance level.")] = 0.05
    baseline: Annotated[
        str | None, typer.Option(metavar="SYSTEM", help="Compare every other system with this one.")
    ] = None
    permutations: Annotated[int, typer.Option(metavar="N", min=1, help="Permutations, also of max-t.")] = (
        10_000
    )
    seed: Seed = 0


@grouped
def significance(scores: FilledScores, tests: Tests, files: Files) -> None:
    """Which systems differ significantly, and which are better than which?"""
    from truerank.comparison.significance import Significance, analyze

    with files.opened("significance", scores.files, Significance, scores.known_measures()) as outputs:
        with progress_bar(files.quiet) as progress:
            tables = scores.read(progress)
            files.declare(outputs, Significance, [table.measure for table in tables])
            results = []
            for done, table in enumerate(tables):
                if progress:
                    progress(done, len(tables), table.measure or "testing pairs")
                results.append(
                    analyze(
                        table,
                        tests.test,
                        tests.correction,
                        alpha=tests.alpha,
                        baseline=tests.baseline,
                        permutations=tests.permutations,
                        seed=tests.seed,
                    )
                )
        seen = files.seen(results)
        files.write(outputs, seen)
    files.show(seen)
