"""What every command that finds a result can write and print: one group of options for all."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.imports import PLOTS, require
from truerank._support.notes import Note
from truerank._support.plain import arrays_kept, encoded, versioned
from truerank.cli.options import (
    Group,
    Overwrite,
    add_json,
    command_line,
    notify,
    option,
    progress_bar,
    switch,
    writing,
)

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs
    from truerank._support.resources import Progress
    from truerank.cli.score_input import ScoreInput
    from truerank.reliability.leaderboard import Leaderboard
    from truerank.reliability.results import Assessment
    from truerank.report.shown import Views
    from truerank.scores import ScoreMatrix

Json = Annotated[str | None, option("FILE|-", "JSON; with -, nothing else is printed.")]
IN_FOLDERS = "CSV tables; SVG, PDF and PNG figures."
IN_A_FILE = "HTML page; LaTeX or Markdown tables."
PRINTED = "All rows; details."
Quiet = Annotated[bool, switch("No progress on standard error.", "--quiet", "-q")]


def drawn(value: str | None) -> str | None:
    """A file or folder with figures, once it is known that there is something to draw them with."""
    if value:
        require(PLOTS)
    return value


BOARDS = (".json", ".csv", ".md")


def board_name(value: str | None) -> str | None:
    """The file of a board, whose name says which kind of file it is."""
    if value and Path(value).suffix.lower() not in BOARDS:
        raise typer.BadParameter(
            f"the name of a board ends in .json, .csv or .md, and {value!r} does not; rename it"
        )
    return value


def _page(value: str | None) -> str | None:
    """The file of a page, which a browser must know by its name."""
    special = value == "-" or (value and Path(value).exists() and not Path(value).is_file())
    if value and not special and Path(value).suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"the name of a page ends in .html, and {value!r} does not; rename it")
    return value


@dataclass(kw_only=True)
class Document(Group, heading="Output"):
    """The JSON of what a command did, and what it prints."""

    json: Json = None
    quiet: Quiet = False

    @contextmanager
    def opened(
        self, inputs: Iterable[str | None], overwrite: bool = False, listed: bool = True
    ) -> Iterator[Outputs]:
        """The files of the command, checked before the work and put in place when the block ends well."""
        with writing(inputs, self.quiet, listed, overwrite) as outputs:
            outputs.file(self.json, "--json")
            yield outputs

    def write(self, outputs: Outputs, document: Any) -> None:
        """Write the JSON, if requested."""
        if self.json is not None:
            add_json(outputs, document, self.json)

    def show(self, lines: Iterable[str], notes: Iterable[Note] = ()) -> None:
        """Print lines, then notes, unless standard output holds the JSON."""
        if self.json == "-":
            return
        from truerank.report.outputs.terminal import Terminal

        out = Terminal()
        for line in lines:
            out.say(line)
        for note in notes:
            out.say(f"! {note.text}")


@dataclass(kw_only=True)
class Files(Group, heading="Output"):
    """The files of a result, and how much of it is printed."""

    json: Json = None
    html: Annotated[str | None, option("FILE", IN_A_FILE, callback=_page)] = None
    latex: Annotated[str | None, option("FILE", IN_A_FILE)] = None
    markdown: Annotated[str | None, option("FILE", IN_A_FILE)] = None
    csv: Annotated[str | None, option("DIR", IN_FOLDERS)] = None
    figures: Annotated[str | None, option("DIR", IN_FOLDERS, callback=drawn)] = None
    paper: Annotated[
        str | None, option("DIR", "Table, figure, text and .bib of a paper.", callback=drawn)
    ] = None
    overwrite: Overwrite = False
    all_rows: Annotated[bool, switch(PRINTED)] = False
    details: Annotated[bool, switch(PRINTED)] = False
    quiet: Quiet = False

    @contextmanager
    def opened(self, inputs: Iterable[str | None]) -> Iterator[Outputs]:
        """The files, checked before the work and put in place when the block ends well."""
        with writing(inputs, self.quiet, overwrite=self.overwrite) as outputs:
            for name in ("json", "html", "latex", "markdown"):
                outputs.file(getattr(self, name), f"--{name}")
            for name in ("csv", "figures", "paper"):
                outputs.folder(getattr(self, name), f"--{name}")
            yield outputs

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
        with self.opened(inputs) as outputs, progress_bar(self.quiet) as progress:
            outputs.file(*board)
            tables = scores.read(progress, battles) if scores.sources else []
            if board[0] is not None and len(tables) > 1:
                raise typer.BadParameter(f"{board[1]} holds one board; give one -m")
            yield outputs, tables, progress

    def write(
        self,
        outputs: Outputs,
        results: Sequence[Any],
        more: Sequence[dict[str, Any]] = (),
        documents: Sequence[Any] | None = None,
        **request: Any,
    ) -> Views:
        """Write one result, or those by several measures, each in its folder; return what there is to see.

        `more` goes into their JSON, `documents` are written as JSON in their place; `request` is what
        :class:`Asked` has.
        """
        from truerank.report.shown import Views
        from truerank.report.view import Asked

        seen = Views(results, Asked(command=command_line(), **request))
        several = len(results) > 1
        for place, result in enumerate(results) if self._folders else ():
            below = seen.each[place].name if several else None
            if self.csv is not None:
                outputs.put(self.csv, seen.csv(place), below)
            if self.figures is not None:
                outputs.put(self.figures, seen.figures(place), below)
            if self.paper is not None:
                outputs.put(self.paper, seen.kit(self.paper, place, below), below)
                if not seen.each[place].measure and getattr(result, "arena", None) is None:
                    notify(f"! {self.paper}: nothing names the measure of the scores; -m NAME does.")
        for path, text in ((self.latex, seen.latex), (self.markdown, seen.markdown), (self.html, seen.page)):
            if path is not None:
                outputs.add(path, text())
        if self.json is not None:
            with arrays_kept():
                made = [one.to_dict() for one in documents or results]
            whole = [item for each in made for item in (each if isinstance(each, list) else [each])]
            if more:
                whole = [item | extra for item, extra in zip(whole, more, strict=True)]
            add_json(outputs, whole[0] if len(whole) == 1 else whole, self.json)
        return seen

    def add_board(self, outputs: Outputs, path: str, board: Leaderboard, of: Assessment, seen: Views) -> None:
        """Write the board of an assessment as one file, by its suffix."""
        suffix = Path(path).suffix.lower()
        if suffix == ".json":
            outputs.add(path, encoded(versioned(board.to_dict())) + b"\n")
            return
        from truerank.report.outputs import board as files

        text = files.csv_file(board) if suffix == ".csv" else files.md_file(board, of, seen.each[0])
        outputs.add(path, text)

    @property
    def _folders(self) -> bool:
        return not (self.csv is None and self.figures is None and self.paper is None)

    def show(self, seen: Views) -> None:
        """Print the results, unless standard output holds their JSON."""
        if self.json == "-":
            return
        from truerank.report.outputs.terminal import show

        show(seen.each, seen.joint, self.all_rows, self.details)
