"""What a command writes and prints: one group of options for all that find a result, one for the others."""

from __future__ import annotations

import json
import os
import shlex
import sys
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from importlib import resources
from pathlib import Path, PureWindowsPath
from typing import TYPE_CHECKING, Annotated, Any

from truerank._support.files import outliving_the_reader
from truerank._support.imports import PLOTS, require
from truerank._support.notes import Note, Noted
from truerank._support.plain import arrays_kept, encoded, plain, versioned
from truerank.cli.command import Group, UsageError, argument, command, option, parameters_of, switch
from truerank.cli.options import Overwrite
from truerank.errors import unknown_name

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs
    from truerank._support.resources import Progress
    from truerank.cli.score_input import ScoreInput
    from truerank.reliability.leaderboard import Leaderboard
    from truerank.report.shown import Views
    from truerank.scores import ScoreMatrix

WRITTEN: list[str] = []  # what the commands of this run have written, in lines that are printed last


def notify(text: str) -> None:
    """Print one line on standard error, so that standard output holds results alone."""
    from truerank._support.escaping import line, terminal

    print(line(terminal(text)), file=sys.stderr, flush=True)


def add_json(outputs: Outputs, document: Any, target: str) -> None:
    """A document for a file, or for standard output where that is ``-``."""
    text = encoded(versioned(document)) + b"\n"
    if target == "-":
        if (sys.stdout.encoding or "").casefold() not in ("utf-8", "utf8"):
            text = json.dumps(json.loads(text), indent=2).encode() + b"\n"
        # Printed to a log, "##[" in a name would be a command to a pipeline's host.
        text = text.replace(b"##", rb"#\u0023")
    outputs.add(target, text)


def with_warnings(noted: Noted) -> dict[str, Any]:
    """The notes of scores, as results have them in JSON."""
    return {"warnings": noted.warnings, "notes": plain(noted.notes)}


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


IN_FOLDERS = "CSV tables; SVG, PDF and PNG figures."
IN_A_FILE = "HTML page; LaTeX or Markdown tables."
PRINTED = "All rows; details."


def _drawn(value: str) -> str:
    """A folder with figures, once it is known that there is something to draw them with."""
    require(PLOTS)
    return value


def board_name(value: str) -> str:
    """The file of a board, whose name says which kind of file it is."""
    if Path(value).suffix.lower() not in (".json", ".csv", ".md"):
        raise UsageError(f"the name of a board ends in .json, .csv or .md, and {value!r} does not; rename it")
    return value


def _page(value: str) -> str:
    """The file of a page, which a browser must know by its name."""
    special = value in ("", "-") or (Path(value).exists() and not Path(value).is_file())
    if not special and Path(value).suffix.lower() not in (".html", ".htm"):
        raise UsageError(f"the name of a page ends in .html, and {value!r} does not; rename it")
    return value


@dataclass(kw_only=True)
class Document(Group, heading="Output"):
    """The JSON of what a command did, and what it prints."""

    json: Annotated[str | None, option("FILE|-", "JSON; with -, nothing else is printed.")] = None
    quiet: Annotated[bool, switch("No progress on standard error.", "--quiet", "-q")] = False

    @contextmanager
    def opened(
        self, inputs: Iterable[str | None], overwrite: bool | None = None, listed: bool = True
    ) -> Iterator[Outputs]:
        """The files of the command, checked before the work; the end of the block lists them."""
        from truerank._support.outputs import Outputs

        overwrite = getattr(self, "overwrite", False) if overwrite is None else overwrite
        group: Any = type(self)
        outputs = Outputs(inputs, overwrite)
        for item in parameters_of(group):
            if (item.option.metavar or "").startswith("FILE"):
                outputs.file(getattr(self, item.name), item.shown)
            elif item.option.metavar == "DIR":
                outputs.folder(getattr(self, item.name), item.shown)
        try:
            yield outputs
        except Exception:
            outputs.take_back()
            raise
        if not self.quiet:
            WRITTEN.extend([f"replaced {outputs.replaced}"] if outputs.replaced else [])
            WRITTEN.extend([f"wrote {outputs.written}"] if listed and outputs.written else [])

    def progress(self) -> AbstractContextManager[Progress | None]:
        return progress_bar(self.quiet)

    def add(self, outputs: Outputs, document: Any) -> None:
        if self.json is not None:
            add_json(outputs, document, self.json)

    def say(self, lines: Iterable[str], notes: Iterable[Note] = ()) -> None:
        """Print lines, then notes, unless standard output holds the JSON."""
        if self.json == "-":
            return
        from truerank.report.outputs.terminal import Terminal

        out = Terminal()
        for line in [*lines, *(f"! {note.text}" for note in notes)]:
            out.say(line)


@dataclass(kw_only=True)
class Files(Document, heading="Output"):
    """The files of results, and how much of these is printed."""

    html: Annotated[str | None, option("FILE", IN_A_FILE, check=_page)] = None
    latex: Annotated[str | None, option("FILE", IN_A_FILE)] = None
    markdown: Annotated[str | None, option("FILE", IN_A_FILE)] = None
    csv: Annotated[str | None, option("DIR", IN_FOLDERS)] = None
    figures: Annotated[str | None, option("DIR", IN_FOLDERS, check=_drawn)] = None
    paper: Annotated[str | None, option("DIR", "Table, figure, text and .bib of a paper.", check=_drawn)] = (
        None
    )
    overwrite: Overwrite = False
    all_rows: Annotated[bool, switch(PRINTED)] = False
    details: Annotated[bool, switch(PRINTED)] = False

    @contextmanager
    def reading(
        self,
        scores: ScoreInput,
        *more: str | None,
        battles: bool = False,
        board: tuple[str | None, str] = (None, ""),
    ) -> Iterator[tuple[Outputs, list[ScoreMatrix], Progress | None]]:
        """The files, as :meth:`opened` has them, and the scores, one table per measure.

        `more` are further inputs, or names of measures and modules; `board` is the file of a board and its
        option.
        """
        inputs = [*scores.files, *(one for one in more if one and os.path.exists(one))]
        with self.opened(inputs) as outputs, self.progress() as progress:
            outputs.file(*board)
            tables = scores.read(progress, battles) if scores.sources else []
            if board[0] is not None and len(tables) > 1:
                raise UsageError(f"{board[1]} holds one board; give one -m")
            yield outputs, tables, progress

    def write(
        self,
        outputs: Outputs,
        results: Sequence[Any],
        more: Sequence[dict[str, Any]] = (),
        documents: Sequence[Any] | None = None,
        board: tuple[str | None, Leaderboard | None] = (None, None),
        **request: Any,
    ) -> Views:
        """Write one result, or those by several measures, each in its folder; what there is to see of them.

        `more` goes into their JSON, `documents` are written as JSON in their place, `board` is a file and
        what goes there; `request` is what :class:`Asked` has.
        """
        from truerank.report.shown import Views
        from truerank.report.view import Asked

        seen = Views(results, Asked(command=command_line(), **request))
        for place, (result, view) in enumerate(zip(results, seen.each, strict=True)):
            below = view.name if len(results) > 1 else None
            if self.csv is not None:
                outputs.put(self.csv, seen.csv(place), below)
            if self.figures is not None:
                outputs.put(self.figures, seen.figures(place), below)
            if self.paper is not None:
                outputs.put(self.paper, seen.kit(self.paper, place, below), below)
                if not view.measure and getattr(result, "arena", None) is None:
                    notify(f"! {self.paper}: nothing names the measure of the scores; -m NAME does.")
        for path, text in ((self.latex, seen.latex), (self.markdown, seen.markdown), (self.html, seen.page)):
            if path is not None:
                outputs.add(path, text())
        if self.json is not None:
            with arrays_kept():
                made = [one.to_dict() for one in documents or results]
            whole = [item for each in made for item in (each if isinstance(each, list) else [each])]
            whole = [item | extra for item, extra in zip(whole, more or [{}] * len(whole), strict=True)]
            self.add(outputs, whole[0] if len(whole) == 1 else whole)
        if board[0] is not None and board[1] is not None:
            from truerank.report.outputs.board import board_file

            suffix = Path(board[0]).suffix.lower()
            if suffix == ".json":
                outputs.add(board[0], encoded(versioned(board[1].to_dict())) + b"\n")
            else:
                outputs.add(board[0], board_file(board[1], results[0], seen.each[0], suffix))
        return seen

    def show(self, seen: Views) -> None:
        if self.json != "-":
            from truerank.report.outputs.terminal import show

            with outliving_the_reader():
                show(seen.each, seen.joint, self.all_rows, self.details)


@command("schema", "assess")
def schema(
    name: Annotated[
        str | None,
        argument("NAME", "Command, e.g. assess or simulate-show. Without it: all names.", default=True),
    ] = None,
) -> None:
    """Print the JSON schema of what a command writes with --json."""
    schemas = {
        path.name.removesuffix(".json"): path for path in resources.files("truerank.cli.schemas").iterdir()
    }
    if name is None:
        print("\n".join(sorted(schemas)))
    elif (known := name.replace(" ", "-")) not in schemas:
        raise unknown_name("schema", known, schemas)
    else:
        print(schemas[known].read_text(encoding="utf-8"), end="")
