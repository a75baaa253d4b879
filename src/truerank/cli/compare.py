"""`truerank compare`: do rankings of the same systems really differ?"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

from truerank._support.resources import Progress
from truerank.cli.command import Group, Needs, UsageError, argument, command, option
from truerank.cli.files import Files
from truerank.cli.options import MeasureOption, Plugins, Seed, naming_gate
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
    def arguments(self) -> list[list[str]]:
        """The files that each argument names: itself, or those that fit its pattern."""
        return [_files_of(argument) for argument in (self.reference, *(self.others or []))]

    @property
    def files(self) -> list[str]:
        named = [path for paths in self.arguments for path in paths]
        return [*named, *(self.qrels or []), *(self.plugins or [])]

    def read(self, progress: Progress | None) -> tuple[ScoreMatrix, list[Any]]:
        """The reference scores, and of each other argument scores, or a value per system."""
        from truerank.readers import parse_ranking
        from truerank.readers.ranking_files import is_bare_ranking, ranking_text

        first, *inputs = self.inputs()
        try:
            (table,) = first.read(progress)
        except InputError:
            if first.qrels or not is_bare_ranking(self.reference):
                raise
            raise InputError(
                f"{self.reference}: a ranking without scores of topics, which shows no chance; name scores "
                "first. How far two rankings agree: truerank.tau in Python (see “Coefficients” in the "
                "documentation)"
            ) from None
        if table.m == 1:
            raise InputError(
                f"{self.reference}: scores of one system; for several files give REFERENCE as a folder or a "
                "quoted pattern"
            )
        rankings: list[Any] = []
        for name, item in zip(self.others or [], inputs, strict=True):
            bare = item.qrels is None and len(item.sources) == 1
            text = ranking_text(item.sources[0], table.systems) if bare else None
            rankings += item.read(progress) if text is None else [parse_ranking(text, table.systems, name)]
        return replace(table, source=table.source or self.reference), rankings

    def inputs(self) -> list[ScoreInput]:
        """How each argument is read: runs by judgments, anything else as scores."""
        arguments, qrels = self.arguments, self.qrels or []
        if len(qrels) not in (0, 1, len(arguments)):
            raise UsageError(
                f"{len(qrels)} --qrels for {len(arguments)} rankings; give one for all, or one for each in "
                "their order"
            )
        runs = [bool(qrels) and _hold_runs(files) for files in arguments]
        if qrels and not any(runs):
            raise UsageError("--qrels is for runs, and none of these is one; leave it out")
        if all(runs):
            names = [name for name in NAMES if name not in ("measure", "format", "runs_of")]
            for name in self.given(*names):
                raise UsageError(f"{name} is for tables, and these are runs; leave it out")
        judged = [*qrels] if len(qrels) > 1 else (qrels or [""]) * len(arguments)
        of_runs = {name: getattr(self, name) for name in ("format", "runs_of", "names", "relevance_level")}
        of_tables = vars(self.options) | {"measure": None}
        measures = [self.measure] if self.measure else None
        return [
            FilledScores(
                sources=files, measures=measures, **(of_runs | {"qrels": by} if is_run else of_tables)
            )
            for files, by, is_run in zip(arguments, judged, runs, strict=True)
        ]


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


@command("compare", "scores/AP.csv scores/nDCG@10.csv")
def compare(rankings: Rankings, method: Method, files: Files) -> None:
    """How close are other rankings to reference scores, and is the difference more than chance?"""
    from truerank.comparison import compare
    from truerank.comparison.distance.rank_distance import RESAMPLES

    if not rankings.others:
        raise UsageError(
            "name another ranking: a score table or a ranking file. To compare "
            "measures of the same runs: truerank evaluate --qrels QRELS -m AP "
            "-m nDCG@10 -o scores RUNS, then truerank compare scores/AP.csv scores/nDCG@10.csv"
        )
    if method.resamples_file and method.resamples is not None:
        raise UsageError("--resamples is for new resamples; saved ones have their own number")
    settings = asdict(method) | {"resamples": method.resamples or RESAMPLES}
    target, saved = settings.pop("save_resamples"), settings.pop("resamples_file")
    with files.opened([*rankings.files, saved if Path(saved or "").is_file() else None]) as outputs:
        outputs.file(target, "--save-resamples")
        with naming_gate(lambda *pair: rankings.inputs()[0].gate_command(*pair)):
            with files.progress() as progress:
                table, others = rankings.read(progress)
            with files.progress() as progress:
                settings |= {"labels": rankings.others, "distribution": saved, "progress": progress}
                result: Comparison | list[Comparison] = compare(table, *others, **settings)
        results = result if isinstance(result, list) else [result]
        if target is not None:
            distributions = {
                item.distance.distribution.fingerprint: item.distance.distribution for item in results
            }
            if len(distributions) > 1:
                raise UsageError("the rankings lack different systems; save the resamples of one at a time")
            outputs.add(target, next(iter(distributions.values())).to_json())
        seen = files.write(outputs, results)
    files.show(seen)


def _files_of(argument: str) -> list[str]:
    """The files that one argument names: itself, or those that fit its pattern (``base/*.eval``, quoted)."""
    if Path(argument).exists() or not any(mark in argument for mark in "*?["):
        return [argument]
    if result := sorted(glob(argument, recursive=True)):
        return result
    raise InputError(f"{argument}: no file fits this pattern; check the path")


def _hold_runs(files: Sequence[str]) -> bool:
    """Whether files, or those of a folder, are runs: the first of them is."""
    from truerank.readers.run_formats import holds_run
    from truerank.readers.runs import run_files

    (first, *_) = run_files(Path(files[0])) if files[0] != "-" else [Path("-")]
    return first.is_file() and holds_run(first)
