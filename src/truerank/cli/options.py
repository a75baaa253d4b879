"""Options that several commands share, and what they do."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

if TYPE_CHECKING:
    from truerank._support.types import Progress  # it needs NumPy, and help must not wait for that

Json = Annotated[
    str | None,
    typer.Option("--json", metavar="FILE|-", help="Write JSON to a file, or alone to standard output."),
]
Seed = Annotated[int, typer.Option("--seed", min=0, help="The same seed gives the same digits.")]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]
RunNames = Annotated[
    Literal["tag", "file"], typer.Option("--names", metavar="tag|file", help="Where a run's name comes from.")
]
RelevanceLevel = Annotated[
    int | None,
    typer.Option("--relevance-level", metavar="LEVEL", help="Lowest grade that counts as relevant."),
]


def write_json(document: Any, target: str) -> None:
    """Write a document to a file (moved into place when complete) or to standard output for ``-``."""
    to_terminal_encoding = target == "-" and (sys.stdout.encoding or "").casefold() not in ("utf-8", "utf8")
    text = json.dumps(document, ensure_ascii=to_terminal_encoding, allow_nan=False, indent=1) + "\n"
    if target == "-":
        sys.stdout.write(text)
        return
    from truerank._support.files import atomic_path

    with atomic_path(Path(target)) as temporary:
        temporary.write_text(text, encoding="utf-8")


def check_outputs(files: Iterable[str | None], inputs: Iterable[str | None], json: str | None = None) -> None:
    """Refuse to write two results to one file, or a result over an input.

    Raises:
        InputError: which file.
    """
    from truerank.errors import InputError

    taken = {Path(path).resolve() for path in inputs if path is not None}
    for output in [*files, None if json == "-" else json]:
        if output is None:
            continue
        if output == "-":
            raise InputError("only --json can go to standard output; name a file")
        path = Path(output).resolve()
        if path in taken:
            raise InputError(f"{output}: already an input or another output; name another file")
        taken.add(path)


def named(target: str, measure: str | None) -> Path:
    """The file for one of several measures: ``page.html`` becomes ``page-AP.html``."""
    from truerank._support.files import safe_name

    path = Path(target)
    return path.with_stem(f"{path.stem}-{safe_name(measure)}") if measure else path


def command_line() -> str:
    """The command as it was typed, for the reports to show."""
    return shlex.join(["truerank", *sys.argv[1:]])


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress | None]:
    """A progress bar on standard error where that is a terminal; else nothing."""
    if quiet or not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    from truerank.cli.terminal import printable

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.completed}/{task.total}"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)
        yield lambda done, total, label: bar.update(
            task, completed=done, total=total, description=printable(label)[:30]
        )
