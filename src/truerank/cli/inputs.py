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


def _column_options() -> list[inspect.Parameter]:
    """The options that name columns, as parameters of a command."""

    def parameter(name: str, kind: Any, metavar: str, text: str) -> inspect.Parameter:
        option = typer.Option(f"--{name.replace('_', '-')}", metavar=metavar, help=text)
        return inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, default=None, annotation=Annotated[kind, option]
        )

    single = [parameter(name, str | None, *about) for name, about in _COLUMNS.items()]
    return [*single, parameter(_IGNORED, list[str] | None, "COLUMN", "A column to leave out; repeatable.")]


def reads_tables(command: Callable[..., _T]) -> Callable[..., _T]:
    """The command with the options that name the columns of tables; all tables that it reads have these.

    Raises:
        typer.BadParameter: columns are named, and the command reads runs.
    """
    own, options = inspect.signature(command, eval_str=True), _column_options()

    @functools.wraps(command)
    def call(**given: Any) -> _T:
        from truerank.readers.columns import ColumnNames, naming_columns

        said = {option.name: given.pop(option.name, None) for option in options}
        ignored = tuple(said.pop(_IGNORED) or ())
        names = ColumnNames(
            **{name.removesuffix("_column"): column for name, column in said.items()}, ignore=ignored
        )
        if names.given and given.get("qrels"):
            raise typer.BadParameter(f"{names.given[0]} is of tables, and with --qrels the files are runs")
        with naming_columns(names):
            return command(**given)

    parameters = [*own.parameters.values(), *options]
    call.__signature__ = own.replace(parameters=parameters)  # type: ignore[attr-defined]
    call.__annotations__ = {one.name: one.annotation for one in parameters}
    return call
