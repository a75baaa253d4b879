"""What every command that finds a result can write and print: one group of options for all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

import typer

from truerank._support.files import safe_name
from truerank._support.imports import PLOTS, require
from truerank._support.notes import Note
from truerank._support.plain import tables_kept
from truerank.cli.options import Group, Needs, Overwrite, add_json, command_line, notify, writing

if TYPE_CHECKING:
    from truerank._support.outputs import Outputs
    from truerank.report.shown import Views

Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE|-", help="JSON; with -, nothing else is printed.")
]
IN_FOLDERS = "CSV tables; SVG, PDF and PNG figures."
IN_A_FILE = "HTML page; LaTeX or Markdown tables."
PRINTED = "All rows; details; formulas and sources."
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="No progress on standard error.")]


def drawn(value: str | None) -> str | None:
    """A file or folder with figures, once it is known that there is something to draw them with."""
    if value:
        require(PLOTS)
    return value


def _page(value: str | None) -> str | None:
    """The file of a page, which a browser must know by its name."""
    drawn(value)
    special = value == "-" or (value and Path(value).exists() and not Path(value).is_file())
    if value and not special and Path(value).suffix.lower() not in (".html", ".htm"):
        raise typer.BadParameter(f"the name of a page ends in .html, and {value!r} does not; rename it")
    return value


@dataclass(kw_only=True)
class Document(Group):
    """The JSON of what a command did, and what it prints."""

    heading: ClassVar[str] = "Output"

    json: Json = None
    quiet: Quiet = False

    @contextmanager
    def opened(
        self, command: str, inputs: Iterable[str | None], overwrite: bool = False, listed: bool = True
    ) -> Iterator[Outputs]:
        """The files of the command, checked before the work and put in place when the block ends well."""
        with writing(command, inputs, self.quiet, listed, overwrite) as outputs:
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
class Files(Group):
    """The files of a result, and how much of it is printed."""

    heading: ClassVar[str] = "Output"

    json: Json = None
    html: Annotated[str | None, typer.Option("--html", metavar="FILE", callback=_page, help=IN_A_FILE)] = None
    latex: Annotated[str | None, typer.Option("--latex", metavar="FILE", help=IN_A_FILE)] = None
    markdown: Annotated[str | None, typer.Option("--markdown", metavar="FILE", help=IN_A_FILE)] = None
    csv: Annotated[str | None, typer.Option("--csv", metavar="DIR", help=IN_FOLDERS)] = None
    figures: Annotated[
        str | None, typer.Option("--figures", metavar="DIR", callback=drawn, help=IN_FOLDERS)
    ] = None
    figure_width: Annotated[
        Literal["85", "178"] | None,
        typer.Option("--figure-width", metavar="85|178", show_default="85", help="Width in mm."),
        Needs("figures"),
    ] = None
    paper: Annotated[
        str | None,
        typer.Option(
            "--paper", metavar="DIR", callback=drawn, help="Table, figure, text and .bib of a paper."
        ),
    ] = None
    overwrite: Overwrite = False
    all_rows: Annotated[bool, typer.Option("--all-rows", help=PRINTED)] = False
    details: Annotated[bool, typer.Option("--details", help=PRINTED)] = False
    explain: Annotated[bool, typer.Option("--explain", help=PRINTED)] = False
    quiet: Quiet = False

    @contextmanager
    def opened(
        self, command: str, inputs: Iterable[str | None], kind: type, names: Sequence[str] | None = ()
    ) -> Iterator[Outputs]:
        """The files, checked before the work and put in place when the block ends well.

        `names` are those of several results; ``None`` where :meth:`declare` says them once they are read.
        """
        with writing(command, inputs, self.quiet, overwrite=self.overwrite) as outputs:
            outputs.file(self.json, "--json")
            outputs.file(self.html, "--html")
            outputs.file(self.latex, "--latex")
            outputs.file(self.markdown, "--markdown")
            outputs.folder(self.csv, [], "--csv")
            outputs.folder(self.figures, [], "--figures")
            outputs.folder(self.paper, [], "--paper")
            if names is not None:
                self.declare(outputs, kind, names)
            yield outputs

    def declare(self, outputs: Outputs, kind: type, names: Sequence[str]) -> None:
        """Check the files inside folders: of one result, or of several by their names."""
        if not self._folders:
            return
        from truerank.report import render
        from truerank.report.outputs import kit
        from truerank.report.views import kind_of

        result = kind_of(kind)
        tables = [f"{safe_name(name)}.csv" for name in result.tables]
        figures = render.file_names(result.figures)
        for below in names if len(names) > 1 else [None]:
            # The first is always written; the others only if the result has them.
            for folder, inside, option in ((self.csv, tables, "--csv"), (self.figures, figures, "--figures")):
                outputs.folder(folder, inside[:1], option, below)
                outputs.folder(folder, inside[1:], option, below, sure=False)
            outputs.folder(self.paper, kit.file_names(result.figures), "--paper", below)
        if len(names) > 1:
            outputs.folder(self.figures, render.file_names(result.joint_figures), "--figures")

    @staticmethod
    def seen(results: Sequence[Any], **request: Any) -> Views:
        """What there is to see of the results, for all outputs; `request` as :class:`Asked` has it."""
        from truerank.report.shown import Views
        from truerank.report.view import Asked

        return Views(results, Asked(command=command_line(), **request))

    def write(self, outputs: Outputs, seen: Views, more: Sequence[dict[str, Any]] = ()) -> None:
        """Write one result, or those by several measures, each in its folder."""
        for place in range(len(seen.results)):
            below = seen.each[place].name if len(seen.results) > 1 and self._folders else None
            if self.csv is not None:
                outputs.put(self.csv, seen.csv(place), "--csv", below)
            if self.figures is not None:
                outputs.put(self.figures, seen.figures(place, self.width), "--figures", below)
            if self.paper is not None:
                outputs.put(self.paper, seen.kit(self.paper, place), "--paper", below)
                if not seen.each[place].measure and getattr(seen.results[place], "arena", None) is None:
                    notify(f"truerank: {self.paper}: nothing names the measure of the scores. Add -m NAME.")
        if self.figures is not None and len(seen.results) > 1:
            outputs.put(self.figures, seen.joint_figures(self.width), "--figures")
        if self.latex is not None:
            outputs.add(self.latex, seen.latex())
        if self.markdown is not None:
            outputs.add(self.markdown, seen.markdown())
        if self.html is not None:
            outputs.add(self.html, seen.page())
        if self.json is not None:
            with tables_kept():
                results = [result.to_dict() for result in seen.results]
            documents = [item for each in results for item in (each if isinstance(each, list) else [each])]
            documents = (
                [item | extra for item, extra in zip(documents, more, strict=True)] if more else documents
            )
            add_json(outputs, documents[0] if len(documents) == 1 else documents, self.json)

    @property
    def _folders(self) -> bool:
        return not (self.csv is None and self.figures is None and self.paper is None)

    @property
    def width(self) -> int:
        """The width of figures, in millimeters."""
        return int(self.figure_width or 85)

    def show(self, seen: Views) -> None:
        """Print the results, unless standard output holds their JSON."""
        if self.json == "-":
            return
        from truerank.report.outputs.terminal import explain, show

        show(seen.each, seen.joint, self.all_rows, self.details)
        if self.explain:
            explain(seen.each[0].explained)
