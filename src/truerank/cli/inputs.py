"""Options of tables, for commands that do not read them by a group of options."""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable
from typing import Annotated, Any, TypeVar

import typer

_T = TypeVar("_T")

Format = Annotated[
    str | None,
    typer.Option(
        "--format",
        metavar="NAME",
        show_default="by content",
        help="The format of scores or runs, where the content fits two: see docs/formats.md.",
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
