"""`truerank compare`: do rankings of the same systems really differ?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank._support.resources import Progress
from truerank.cli.files import Files
from truerank.cli.options import (
    Group,
    MeasureOption,
    Needs,
    Plugins,
    Seed,
    argument,
    grouped,
    naming_gate,
    option,
    progress_bar,
)
from truerank.cli.score_input import (
    FilledOption,
    FilledScores,
    NamesOption,
    RelevanceOption,
    ScoreInput,
)
from truerank.errors import InputError
from truerank.readers.options import NAMES, ReadOptions

if TYPE_CHECKING:
    from truerank.comparison import Comparison
    from truerank.comparison.distance import BootstrapDistribution
    from truerank.scores import ScoreMatrix


@dataclass(frozen=True, kw_only=True)
class Rankings(ReadOptions, Group, heading="Scores"):
    """Reference scores, and what is compared with them."""

    reference: Annotated[
        str,
        argument("REFERENCE", "Reference scores: a file, a folder or a quoted pattern ('reference/*.eval')."),
    ]
    others: Annotated[
        list[str] | None, argument("OTHER", "The same, or ranking files: one system per line, best first.")
    ] = None
    qrels: Annotated[
        list[str] | None, option("FILE|ID", "Relevance judgments of runs: one for all, or one each.")
    ] = None
    measure: MeasureOption = None
    missing: FilledOption = "error"
    relevance_level: Annotated[RelevanceOption, Needs("qrels")] = None
    names: Annotated[NamesOption, Needs("qrels")] = "tag"
    plugins: Plugins = None

    @property
    def files(self) -> list[str]:
        """Everything that is read."""
        result = [path for argument in (self.reference, *(self.others or [])) for path in _files_of(argument)]
        return [*result, *(self.qrels or []), *(self.plugins or [])]

    def check(self) -> None:
        """Refuse arguments that do not go together."""
        if not self.others:
            raise typer.BadParameter(
                "name another ranking: a score table or a ranking file. To compare "
                "measures of the same runs: truerank evaluate --qrels QRELS -m AP "
                "-m nDCG@10 -o scores RUNS, then truerank compare scores/AP.csv scores/nDCG@10.csv"
            )

    def read(self, progress: Progress | None) -> tuple[ScoreMatrix, list[Any]]:
        """The reference scores, and of each other argument scores, or a value per system."""
        from truerank.readers import parse_ranking
        from truerank.readers.ranking_files import is_bare_ranking, ranking_text

        first, *inputs = self._inputs()
        try:
            (table,) = first.read(progress)
        except InputError:
            if first.qrels or not is_bare_ranking(self.reference):
                raise
            raise InputError(
                f"{self.reference}: a ranking without scores of topics cannot come first, as it shows no "
                "chance; name scores first, then rankings. How far rankings alone agree: truerank.tau in "
                "Python (see “Coefficients” in the documentation)"
            ) from None
        if table.m == 1:
            raise InputError(
                f"{self.reference}: scores of one system; for several files give REFERENCE as a folder or a "
                "quoted pattern"
            )
        rankings: list[Any] = []
        for name, item in zip(self.others or [], inputs, strict=True):
            text = (
                None if item.qrels or len(item.sources) > 1 else ranking_text(item.sources[0], table.systems)
            )
            rankings += item.read(progress) if text is None else [parse_ranking(text, table.systems, name)]
        return replace(table, source=table.source or self.reference), rankings

    def gate_command(self, baseline: str, candidate: str) -> str:
        """The command that compares two systems of the reference scores."""
        first, *_ = self._inputs()
        return first.gate_command(baseline, candidate)

    def _inputs(self) -> list[ScoreInput]:
        """How each argument is read: runs by judgments, anything else as scores."""
        given = [_files_of(argument) for argument in (self.reference, *(self.others or []))]
        judged = [
            item if item is not None and _hold_runs(files) else None
            for item, files in zip(_judgments_of_each(self.qrels, len(given)), given, strict=True)
        ]
        if self.qrels and not any(judged):
            raise typer.BadParameter("--qrels is for runs, and none of these is one; leave it out")
        if all(judged):
            names = [name for name in NAMES if name not in ("measure", "format", "runs_of")]
            for option in self.given(*names):
                raise typer.BadParameter(f"{option} is for tables, and these are runs; leave it out")
        return [self._input(files, item) for files, item in zip(given, judged, strict=True)]

    def _input(self, files: list[str], qrels: str | None) -> ScoreInput:
        result = FilledScores(sources=files, qrels=qrels, measures=[self.measure] if self.measure else None)
        if qrels is not None:
            of_runs = ("format", "runs_of", "names", "relevance_level")
            return replace(result, **{name: getattr(self, name) for name in of_runs})
        return replace(result, **vars(self.options) | {"measure": None})


@dataclass(kw_only=True)
class Method(Group, heading="Comparison"):
    """How rankings are compared."""

    resamples: Annotated[int | None, option("N", "Bootstrap resamples behind p.", min=1, default="10000")] = (
        None
    )
    ridge: Annotated[
        float | None, option("λ", "Ridge term λ of the rank distance.", min=0.0, default="by rule")
    ] = None
    regularize: Annotated[
        Literal["differences", "scores"], option("WHAT", "Target of λ: differences or scores.")
    ] = "differences"
    rbo_p: Annotated[float, option("P", "Persistence of RBO.")] = 0.9
    swaps: Annotated[int, option("N", "Number of wrong pairs to name.", min=0)] = 10
    resamples_file: Annotated[
        str | None,
        option("FILE", "Saved resamples of REFERENCE."),
    ] = None
    save_resamples: Annotated[str | None, option("FILE", "Save the resamples for other rankings.")] = None
    seed: Seed = 0

    def check(self) -> None:
        """Refuse options that do not go together."""
        if self.resamples_file and self.resamples is not None:
            raise typer.BadParameter("--resamples is for new resamples; saved ones have their own number")


@grouped
def compare(rankings: Rankings, method: Method, files: Files) -> None:
    """How close are other rankings to reference scores, and is the difference more than chance?"""

    rankings.check()
    method.check()
    saved = method.resamples_file if Path(method.resamples_file or "").is_file() else None
    with files.opened([*rankings.files, saved]) as outputs:
        outputs.file(method.save_resamples, "--save-resamples")
        with naming_gate(rankings.gate_command):
            results = _compared(rankings, method, files.quiet)
        if method.save_resamples is not None:
            outputs.add(method.save_resamples, _one_distribution(results).to_json())
        seen = files.write(outputs, results)
    files.show(seen)


def _compared(rankings: Rankings, method: Method, quiet: bool) -> list[Comparison]:
    from truerank.comparison import compare
    from truerank.comparison.distance.rank_distance import RESAMPLES

    with progress_bar(quiet) as progress:
        table, others = rankings.read(progress)
    with progress_bar(quiet) as progress:
        result: Comparison | list[Comparison] = compare(
            table,
            *others,
            labels=rankings.others,
            resamples=method.resamples or RESAMPLES,
            seed=method.seed,
            ridge=method.ridge,
            regularize=method.regularize,
            distribution=method.resamples_file,
            rbo_p=method.rbo_p,
            swaps=method.swaps,
            progress=progress,
        )
    return result if isinstance(result, list) else [result]


def _one_distribution(results: Sequence[Comparison]) -> BootstrapDistribution:
    """The bootstrap distribution of all comparisons."""
    made = {item.distance.distribution.fingerprint: item.distance.distribution for item in results}
    if len(made) > 1:
        raise typer.BadParameter("the rankings lack different systems; save the resamples of one at a time")
    return next(iter(made.values()))


def _files_of(argument: str) -> list[str]:
    """The files that one argument names: itself, or those that fit its pattern (``base/*.eval``, quoted)."""
    if Path(argument).exists() or not any(mark in argument for mark in "*?["):
        return [argument]
    result = sorted(glob(argument, recursive=True))
    if not result:
        raise InputError(f"{argument}: no file fits this pattern; check the path")
    return result


def _hold_runs(files: Sequence[str]) -> bool:
    """Whether files, or those of a folder, are runs: the first of them is."""
    from truerank.readers.run_formats import holds_run
    from truerank.readers.runs import run_files

    (first, *_) = run_files(Path(files[0])) if files[0] != "-" else [Path("-")]
    return first.is_file() and holds_run(first)


def _judgments_of_each(qrels: list[str] | None, arguments: int) -> list[str | None]:
    """The judgments for each of several arguments: the same for all, or one for each in their order."""
    if not qrels:
        return [None] * arguments
    if len(qrels) not in (1, arguments):
        raise typer.BadParameter(
            f"{len(qrels)} --qrels for {arguments} rankings; give one for all, or one for each in their order"
        )
    return [*qrels] if len(qrels) > 1 else [*qrels] * arguments
