"""The rankings that `truerank compare` holds against each other: a group of options, and how to read them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from truerank._support.resources import Progress
from truerank.cli.options import Needs
from truerank.cli.score_input import (
    Columns,
    FilledOption,
    FilledScores,
    FormatOption,
    NamesOption,
    RelevanceOption,
    ScoreInput,
    TransposeOption,
)
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix


@dataclass(kw_only=True)
class Rankings(Columns):
    """Reference scores, and what is compared with them."""

    heading: ClassVar[str] = "Scores"

    reference: Annotated[
        str,
        typer.Argument(
            metavar="REFERENCE",
            help="Reference scores: a file, a folder or a quoted pattern ('reference/*.eval').",
            show_default=False,
        ),
    ]
    others: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="OTHER",
            help="The same, or ranking files: one system per line, best first.",
            show_default=False,
        ),
    ] = None
    qrels: Annotated[
        list[str] | None,
        typer.Option(
            "--qrels", metavar="FILE|ID", help="Relevance judgments of runs: one for all, or one each."
        ),
    ] = None
    measure: Annotated[
        str | None, typer.Option("--measure", "-m", metavar="NAME", help="Measure, where files hold several.")
    ] = None
    missing: FilledOption = "error"
    relevance_level: Annotated[RelevanceOption, Needs("qrels")] = None
    names: Annotated[NamesOption, Needs("qrels")] = "tag"
    format: FormatOption = None
    transpose: TransposeOption = None
    machine: Annotated[
        list[str] | None,
        typer.Option(
            "--machine",
            metavar="TABLE",
            help="Instead of OTHER: scores of these and more topics by a machine judge; repeatable.",
        ),
    ] = None

    @property
    def files(self) -> list[str]:
        """Everything that is read."""
        result = [path for argument in (self.reference, *(self.others or [])) for path in _files_of(argument)]
        return [*result, *(self.qrels or []), *(self.machine or [])]

    def check(self) -> None:
        """Refuse arguments that do not go together."""
        if self.machine and self.others:
            raise typer.BadParameter("--machine compares with the machine's ranking; leave OTHER out")
        if self.machine and self.qrels:
            raise typer.BadParameter(
                "compare --machine takes score tables; make them with truerank evaluate, once per judge"
            )
        if not self.machine and not self.others:
            raise typer.BadParameter(
                "name another ranking: a score table or a ranking file, or --machine TABLE. To compare "
                "measures of the same runs: truerank evaluate --qrels QRELS -m AP "
                "-m nDCG@10 -o scores RUNS, then truerank compare scores/AP.csv scores/nDCG@10.csv"
            )

    def read(self, progress: Progress | None) -> tuple[ScoreMatrix, list[Any]]:
        """The reference scores, and of each other argument scores, or a value per system."""
        from truerank.readers import parse_ranking
        from truerank.readers.ranking_files import ranking_text

        first, *inputs = self._inputs()
        (table,) = first.read(progress)
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

    def beside_machine(self) -> ScoreMatrix:
        """The reference scores with the machine's beside them."""
        (table,) = replace(self._input(_files_of(self.reference), None), machine=self.machine).read()
        return table

    def gate_command(self, baseline: str, candidate: str) -> str:
        """The command that compares two systems of the reference scores."""
        first, *_ = self._inputs()
        return replace(first, machine=self.machine).gate_command(baseline, candidate)

    def _inputs(self) -> list[ScoreInput]:
        """How each argument is read: runs by judgments, anything else as scores."""
        given = [_files_of(argument) for argument in (self.reference, *(self.others or []))]
        judged = [
            item if item is not None and _hold_runs(files) else None
            for item, files in zip(_judgments_of_each(self.qrels, len(given)), given, strict=True)
        ]
        if self.qrels and not any(judged):
            raise typer.BadParameter("--qrels is for runs, and none of these is one; leave it out")
        if all(judged) and self.column_names.given:
            raise typer.BadParameter(f"{self.column_names.given[0]} is for tables, and these are runs")
        if all(judged) and self.missing != "error":
            raise typer.BadParameter("--missing is for tables; a topic that a run lacks scores the default")
        return [self._input(files, item) for files, item in zip(given, judged, strict=True)]

    def _input(self, files: list[str], qrels: str | None) -> ScoreInput:
        result = FilledScores(
            sources=files,
            qrels=qrels,
            measures=[self.measure] if self.measure else None,
            names=self.names,
            format=self.format,
        )
        if qrels is not None:
            return replace(result, relevance_level=self.relevance_level)
        columns = {item.name: getattr(self, item.name) for item in fields(Columns)}
        return replace(result, missing=self.missing, transpose=self.transpose, **columns)


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
    from truerank.readers.run_formats.run_format_registry import holds_run
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
