"""Options that several commands share, and what they do."""

from __future__ import annotations

import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.plain import pieces
from truerank._support.resources import Progress

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs

Plugins = Annotated[
    list[str] | None,
    typer.Option("--plugin", metavar="MODULE|FILE", help="Register your own estimators …; repeatable."),
]
Overwrite = Annotated[bool, typer.Option("--overwrite", help="Replace files that it did not write.")]
Seed = Annotated[int, typer.Option("--seed", metavar="N", min=0, help="The same seed gives the same digits.")]

_FINISHED: ContextVar[list[Outputs] | None] = ContextVar("finished outputs", default=None)
"""What the commands of this run have written and not yet said."""


@contextmanager
def writing(
    command: str,
    inputs: Iterable[str | None],
    quiet: bool = False,
    listed: bool = True,
    overwrite: bool = False,
) -> Iterator[Outputs]:
    """The files that a command writes: put in place when the block ends well, and said in the last lines."""
    from truerank._support.outputs import Outputs

    with Outputs(command, inputs, overwrite) as outputs:
        yield outputs
    if quiet:
        return
    finished = _FINISHED.get()
    if finished is None or not listed:
        _say(outputs, listed)
    else:
        finished.append(outputs)


@contextmanager
def written_last() -> Iterator[None]:
    """What the commands inside write is said when they have printed everything else."""
    finished: list[Outputs] = []
    token = _FINISHED.set(finished)
    try:
        yield
        sys.stdout.flush()
    finally:
        _FINISHED.reset(token)
    for outputs in finished:
        _say(outputs)


def _say(outputs: Outputs, listed: bool = True) -> None:
    if outputs.replaced:
        notify(f"truerank: {outputs.replaced}")
    if listed and outputs.written:
        notify(f"truerank: wrote {outputs.written}")


def notify(text: str) -> None:
    """Print one line on standard error, so that standard output holds results alone."""
    from truerank._support.escaping import line, terminal

    print(line(terminal(text)), file=sys.stderr, flush=True)


def add_json(outputs: Outputs, document: Any, target: str) -> None:
    """A document for a file, or for standard output where that is ``-``."""
    printed = target == "-"
    ascii_only = printed and (sys.stdout.encoding or "").casefold() not in ("utf-8", "utf8")
    text = pieces(document, ascii_only)
    # Printed to a log, "##[" in a name would be a command to a pipeline's host.
    outputs.add(target, chain((piece.replace("##", r"#\u0023") for piece in text) if printed else text, "\n"))


def command_line() -> str:
    """The command as it was typed, for the reports to show; where files lie on this machine is left out."""
    return shlex.join(["truerank", *map(_without_place, sys.argv[1:])])


def _without_place(argument: str) -> str:
    """An argument with the name of a file alone in place of an absolute path.

    >>> _without_place("/home/me/scores.csv"), _without_place("--html=/home/me/page.html")
    ('scores.csv', '--html=page.html')
    """
    option, equals, value = argument.partition("=") if argument.startswith("--") else ("", "", argument)
    absolute = [path for path in (Path(value), PureWindowsPath(value)) if path.is_absolute()]
    return f"{option}{equals}{absolute[0].name or '.'}" if absolute else argument


GeneralizeTo = Annotated[
    str | None,
    typer.Option(
        "--generalize-to",
        metavar="WHAT",
        help="Population: topics, data-sets or topics,FACET.",
    ),
]


def population(chosen: str | None) -> str | None:
    """What --generalize-to says, as functions take it."""
    if chosen is not None and chosen.split(",")[0] not in ("topics", "data-sets"):
        raise typer.BadParameter(f"--generalize-to takes topics, data-sets or topics,FACET, not {chosen!r}")
    return "data_sets" if chosen == "data-sets" else chosen


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error where that is a terminal; else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from truerank._support.escaping import terminal as printable
    from truerank._support.wording import shortened

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total, description=shortened(printable(label), 40)
        )
