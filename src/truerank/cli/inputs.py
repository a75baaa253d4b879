"""The scores that commands start from: arguments and options that say where, and their reader."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from dataclasses import replace
from glob import glob
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal, TypeVar

import typer

from truerank._support.progress import Progress

if TYPE_CHECKING:
    from truerank.readers.missing import Missing
    from truerank.scores import ScoreMatrix

_T = TypeVar("_T")

Sources = Annotated[
    list[str],
    typer.Argument(
        metavar="SCORES|RUN",
        help="One score table (CSV, TSV, Parquet), a folder with one table for each data set, trec_eval -q "
        "files of one system each, what another tool wrote (docs/formats.md), or, with --qrels, runs and "
        "folders of runs.",
        show_default=False,
    ),
]
Qrels = Annotated[
    str | None,
    typer.Option("--qrels", metavar="FILE|ID", help="Relevance judgments of runs, or an id of ir_datasets."),
]
Measures = Annotated[
    list[str] | None,
    typer.Option(
        "--measure",
        "-m",
        metavar="NAME",
        help="AP, P@10, nDCG@20, map, P_10 …; repeatable. Only names the scores of a wide table.",
    ),
]
MissingScores = Annotated[
    Literal["error", "common", "complete", "zero", "drop-topic"],
    typer.Option(
        "--missing",
        metavar="error|common|complete|zero",
        help="Missing scores: refuse, keep the topics that all systems have, or the systems that have all "
        "topics, or count zero.",
    ),
]
"""For commands that take one complete table; ``drop-topic`` is an older name of ``common``."""
MissingCells = Annotated[
    Literal["error", "common", "complete", "model", "zero", "drop-topic"],
    typer.Option(
        "--missing",
        metavar="error|common|complete|model|zero",
        help="Missing scores: refuse, keep the topics that all systems have, or the systems that have all "
        "topics, compare systems by least squares on the topics that they share, or count zero.",
    ),
]
"""For commands that know of empty cells."""
Cluster = Annotated[
    str | None,
    typer.Option(
        "--cluster",
        metavar="COLUMN",
        show_default="cluster",
        help="The column of the table that says which topics belong together: variants of one query, turns "
        "of one conversation.",
    ),
]
Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        show_default="by content",
        help="The format of scores or runs, where the content fits two: see docs/formats.md.",
    ),
]
Transpose = Annotated[
    bool | None,
    typer.Option(
        "--transpose/--no-transpose",
        show_default="by names and shape",
        help="Whether the rows of a wide table are systems, and its columns topics or data sets.",
    ),
]
Family = Annotated[
    str | None,
    typer.Option(
        "--family",
        metavar="COLUMN",
        help="The column of the table that says which data sets are related.",
    ),
]

Machine = Annotated[
    list[str] | None,
    typer.Option(
        "--machine",
        metavar="TABLE",
        help="Scores by a machine judge, of these topics and of more, in any form that SCORES may have "
        "(repeatable for trec_eval -q files): they make human scores of a random sample of topics more "
        "exact, and their bias is taken out.",
    ),
]
MachineQrels = Annotated[
    str | None,
    typer.Option(
        "--machine-qrels",
        metavar="FILE",
        help="With --qrels: judgments by a machine, of the topics of --qrels and of more.",
    ),
]


_COLUMNS = {
    "topic_column": ("COLUMN", "The column of topics, where its name does not say so."),
    "system_column": ("COLUMN", "The column of systems, in a table with one row per score."),
    "score_column": ("COLUMN", "The column of scores, in such a table."),
    "data_set_column": ("COLUMN", "The column of data sets."),
    "run_column": ("COLUMN", "The column that tells runs of a system on a topic apart. They are averaged."),
}
_IGNORED = "ignore_column"
_DIRECTION = "lower_is_better"
_TOPICS = "topics"


def _table_options() -> list[inspect.Parameter]:
    """The options of all commands that read tables, as parameters of a command."""

    def parameter(name: str, kind: Any, declared: str, text: str, **more: Any) -> inspect.Parameter:
        option = typer.Option(declared, help=text, **more)
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
        )

    single = [
        parameter(name, str | None, f"--{name.replace('_', '-')}", text, metavar=metavar)
        for name, (metavar, text) in _COLUMNS.items()
    ]
    ignored = "A column to leave out; repeatable."
    lower = "Whether lower scores are better. They are shown with a minus sign."
    return [
        *single,
        parameter(_IGNORED, list[str] | None, "--ignore-column", ignored, metavar="COLUMN"),
        parameter(
            _DIRECTION,
            bool | None,
            "--lower-is-better/--higher-is-better",
            lower,
            show_default="by the measure's name",
        ),
        parameter(
            _TOPICS,
            str | None,
            "--topics",
            "All topics, one per line, for lists of solved topics (SWE-bench).",
            metavar="FILE",
        ),
    ]


def reads_tables(command: Callable[..., _T], universe: bool = True) -> Callable[..., _T]:
    """The command with the options that say how tables are read; they hold for all that it reads.

    Args:
        command: the command.
        universe: whether it takes a file of all topics; of an experiment, `--topics` is a parameter.

    Raises:
        typer.BadParameter: columns are named, and the command reads runs.
    """
    own = inspect.signature(command, eval_str=True)
    options = [option for option in _table_options() if universe or option.name != _TOPICS]

    @functools.wraps(command)
    def call(**given: Any) -> _T:
        from truerank.readers.columns import Asked, ColumnNames, telling

        said = {option.name: given.pop(option.name, None) for option in options}
        lower, topics = said.pop(_DIRECTION), said.pop(_TOPICS, None)
        ignored = tuple(said.pop(_IGNORED) or ())
        names = ColumnNames(
            **{name.removesuffix("_column"): column for name, column in said.items()}, ignore=ignored
        )
        if names.given and given.get("qrels"):
            raise typer.BadParameter(f"{names.given[0]} is of tables, and with --qrels the files are runs")
        with telling(Asked(columns=names, lower_is_better=lower, topics=topics)):
            return command(**given)

    parameters = [*own.parameters.values(), *options]
    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call


def score_tables(
    sources: list[str],
    qrels: str | None,
    measures: list[str] | None,
    missing: Missing,
    relevance_level: int | None,
    names: Literal["tag", "file"],
    progress: Progress | None,
    cluster: str | None = None,
    family: str | None = None,
    format: str | None = None,
    transpose: bool | None = None,
    machine: list[str] | None = None,
    machine_qrels: str | None = None,
    holes: bool = False,
) -> list[ScoreMatrix]:
    """One score matrix a measure, from score tables, trec_eval's output, or runs and qrels.

    A machine judge's scores, where there are any, are joined to the human ones. A refusal of missing scores
    offers to leave cells empty where the command takes such scores (`holes`).

    Raises:
        typer.BadParameter: options that do not go together.
        InputError: a file that cannot be used.
        UnknownNameError: no such measure.
    """
    import numpy as np

    from truerank.readers import with_machine
    from truerank.readers.columns import Asked
    from truerank.readers.evaluation import evaluated, measures_of
    from truerank.readers.judgments import judgments
    from truerank.readers.machine_scores import missing_beside
    from truerank.readers.missing import ALL_WAYS, FILLED
    from truerank.readers.score_reading import read_asked

    if machine_qrels is not None and qrels is None:
        raise typer.BadParameter("--machine-qrels goes with --qrels and runs; tables take --machine")
    if qrels is not None:
        if machine:
            raise typer.BadParameter("--machine goes with tables; with runs give --machine-qrels")
        if transpose is not None:
            raise typer.BadParameter("--transpose is of wide tables, and with --qrels the files are runs")
        if missing != "error":
            raise typer.BadParameter("--missing goes with tables; topics that a run lacks score the default")
        if cluster is not None or family is not None:
            raise typer.BadParameter("--cluster and --family name columns of a table, and runs have none")
        if not measures:
            raise typer.BadParameter("with --qrels say what to measure, e.g. -m AP")
        wanted_all = measures_of(measures, relevance_level)
        if machine_qrels is None:
            return list(evaluated(qrels, sources, wanted_all, names, format, progress).values())
        by_people, by_machine = judgments(qrels), judgments(machine_qrels)
        topics = by_people.keys() | by_machine.keys()  # a topic of the runs that neither has is ignored
        tables, judged = (
            evaluated(one, sources, wanted_all, names, format, progress, topics)
            for one in (by_people, by_machine)
        )
        return [
            with_machine(replace(table, source=qrels), replace(judged[name], source=machine_qrels))
            for name, table in tables.items()
        ]
    if relevance_level is not None:
        raise typer.BadParameter("--relevance-level goes with --qrels and runs")
    source = sources[0] if len(sources) == 1 else sources
    reading = missing_beside(missing) if machine else missing
    wanted: list[str | None] = [*measures] if measures else [None]
    ways = ALL_WAYS if holes and not machine else FILLED
    tables_read = [
        read_asked(source, Asked(measure, cluster, family, None, False, format, transpose), reading, ways)
        for measure in wanted
    ]
    first = tables_read[0].values
    if len(tables_read) > 1 and all(np.array_equal(t.values, first, equal_nan=True) for t in tables_read):
        raise typer.BadParameter(f"{sources[0]}: holds one measure only; give one -m, which names it")
    if not machine:
        return tables_read
    judge = machine[0] if len(machine) == 1 else machine
    return [
        with_machine(table, read_asked(judge, Asked(name), reading, ways))
        for table, name in zip(tables_read, wanted, strict=True)
    ]


def files_of(argument: str) -> list[str]:
    """The files that one argument names: itself, or those that fit its pattern (``'base/*.eval'``, quoted).

    Raises:
        InputError: no file fits the pattern.
    """
    from truerank.errors import InputError

    if Path(argument).exists() or not any(mark in argument for mark in "*?["):
        return [argument]
    found = sorted(glob(argument, recursive=True))
    if not found:
        raise InputError(f"{argument}: no file fits this pattern; check the path")
    return found


def hold_runs(files: list[str]) -> bool:
    """Whether files, or those of a folder, are runs: the first of them is."""
    from truerank.readers.run_formats.run_format_registry import holds_run
    from truerank.readers.runs import run_files

    (first, *_) = run_files(Path(files[0])) if files[0] != "-" else [Path("-")]
    return first.is_file() and holds_run(first)


def judgments_of_each(qrels: list[str] | None, arguments: int) -> list[str | None]:
    """The judgments for each of several arguments: the same for all, or one for each in their order.

    Raises:
        typer.BadParameter: another number of them.
    """
    if not qrels:
        return [None] * arguments
    if len(qrels) not in (1, arguments):
        raise typer.BadParameter(
            f"{len(qrels)} --qrels for {arguments} rankings; give one for all, or one for each in their order"
        )
    return [*qrels] if len(qrels) > 1 else [*qrels] * arguments
