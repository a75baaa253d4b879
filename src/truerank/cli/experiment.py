"""`truerank experiment`: the papers' experiments; list them, run one, show what a folder holds."""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.extras import EXPERIMENTS, require
from truerank._support.progress import Progress
from truerank.cli.inputs import reads_tables
from truerank.cli.options import (
    Html,
    Json,
    Plugins,
    Quiet,
    Seed,
    add_json,
    command_line,
    progress_bar,
    writing,
)
from truerank.cli.parsing import App

if TYPE_CHECKING:
    from pandas import DataFrame, Series

    from truerank.experiments.engine.experiment import Summary, Table
    from truerank.experiments.engine.run_results import Results

app = App(
    name="experiment",
    help="The papers' experiments: resumable, on one machine or a cluster.",
    no_args_is_help=True,
    rich_markup_mode=None,
)

SHOWN = 40
"""Rows of a table that the terminal shows; the files have them all."""

EVERY = 30.0
"""Seconds between lines of progress where standard error is no terminal."""

Name = Annotated[str, typer.Argument(metavar="NAME", help="The experiment.", show_default=False)]


@app.command("list")
def list_experiments(
    name: Annotated[
        str | None, typer.Argument(metavar="NAME", help="Show the parameters of one.", show_default=False)
    ] = None,
    plugins: Plugins = None,
    json: Json = None,
) -> None:
    """The experiments there are, or the parameters of one."""
    from truerank._support.plain import plain
    from truerank._support.registry import explained
    from truerank.cli.written import Experiment, Parameter
    from truerank.experiments import EXPERIMENTS
    from truerank.experiments.engine.parameters import describe
    from truerank.experiments.engine.plugins import load

    load(plugins or [])
    chosen = [EXPERIMENTS.find(name)] if name else list(EXPERIMENTS.values())
    with writing("experiment list", plugins or []) as outputs:
        outputs.file(json, "--json")
        if json:
            parameters = [tuple(Parameter(*each) for each in describe(one.parameters)) for one in chosen]
            document = [
                Experiment(one.name, one.source, explained(one), takes)
                for one, takes in zip(chosen, parameters, strict=True)
            ]
            add_json(outputs, plain(document), json)
    if json == "-":
        return
    for one in chosen:
        _say(f"{one.name:17}", one.label, one.source)
    if name:
        typer.echo()
        for key, default, text in describe(chosen[0].parameters):
            _say(f"  --{key} ", default, indent=6)
            _say(" " * 6, text)


def _say(start: str, *texts: str, indent: int | None = None) -> None:
    """Print texts behind a start, in lines that fit the terminal; a list without blanks breaks at commas."""
    from rich.cells import cell_len

    from truerank.cli.terminal import console, printable
    from truerank.report.lettering import wrapped

    room = console().width - max(len(start), indent or 0)
    for text in texts:
        listed = "," in text and ", " not in text
        for line in wrapped(printable(text.replace(",", ", ") if listed else text), room, cell_len):
            typer.echo((start + (line.replace(", ", ",") if listed else line)).rstrip())
            start = " " * (len(start) if indent is None else indent)


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="Every parameter that `truerank experiment list NAME` shows is an option too, "
    "e.g. --trials 100 --topics 20,50.",
)
@reads_tables
def run(
    name: Name,
    rest: Annotated[
        list[str],
        typer.Argument(
            metavar="SOURCE...", help="Score tables, saved or embedded simulation models.", show_default=False
        ),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Folder of the results; resumed if there.")
    ],
    workers: Annotated[
        int | None,
        typer.Option("--workers", min=1, show_default="all cores", help="Processes on this machine."),
    ] = None,
    dask: Annotated[
        str | None,
        typer.Option("--dask", metavar="tcp://HOST:PORT|local", help="Run on a Dask cluster."),
    ] = None,
    plugins: Plugins = None,
    html: Html = None,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Run an experiment, or what is missing of it; then write its tables and figures."""
    from truerank.experiments.engine import execution as engine
    from truerank.experiments.shared import report

    require(EXPERIMENTS)
    sources, parameters = _split(rest)
    with writing("experiment", [*sources, output, *(plugins or [])], quiet) as outputs:
        outputs.file(html, "--html")
        outputs.file(json, "--json")
        try:
            with _progress(quiet) as progress:
                results = engine.run(
                    name,
                    sources,
                    output,
                    seed=seed,
                    workers=workers,
                    dask=dask,
                    plugins=plugins or [],
                    progress=progress,
                    warn=_warn,
                    **parameters,
                )
        except KeyboardInterrupt:
            typer.echo(f"stopped; what is finished is kept in {output}: the same command goes on", err=True)
            raise
        summary = engine.summary(results)
        written = report.write(results, summary)
        if html is not None:
            from truerank.experiments.shared.page import page_html

            outputs.add(html, page_html(results, summary, command_line()))
        if json:
            add_json(outputs, report.document(results, summary), json)
    if json != "-":
        _show(results, summary)
        typer.echo(f"{len(written)} files in {output}/tables and {output}/figures")


@app.command()
def show(
    folder: Annotated[
        str, typer.Argument(metavar="DIR", help="Folder of a run, also one under way.", show_default=False)
    ],
    write: Annotated[
        bool, typer.Option("--write", help="Write tables and figures of what is there into the folder.")
    ] = False,
    plugins: Plugins = None,
    html: Html = None,
    json: Json = None,
) -> None:
    """The results that a folder holds now."""
    from truerank.experiments.engine import execution as engine
    from truerank.experiments.shared import report

    if write:
        require(EXPERIMENTS)
    with writing("experiment", [folder, *(plugins or [])]) as outputs:
        outputs.file(html, "--html")
        outputs.file(json, "--json")
        results = engine.show(folder, plugins or [], _warn)
        summary = engine.summary(results)
        written = report.write(results, summary) if write else []
        if html is not None:
            from truerank.experiments.shared.page import page_html, run_command

            outputs.add(html, page_html(results, summary, f"{run_command(results)}\n{command_line()}"))
        if json:
            add_json(outputs, report.document(results, summary), json)
    if json != "-":
        _show(results, summary)
        if written:
            typer.echo(f"{len(written)} files in {folder}/tables and {folder}/figures")


def _warn(message: str) -> None:
    from truerank.cli.terminal import printable

    typer.echo("! " + printable(message), err=True)


def _split(rest: list[str]) -> tuple[list[str], dict[str, Any]]:
    """Sources, and the experiment's own parameters, written ``--key value`` or ``--key=value``."""
    sources: list[str] = []
    parameters: dict[str, Any] = {}
    words = iter(rest)
    for word in words:
        if not word.startswith("--"):
            sources.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        if not equals:
            following = next(words, None)
            if following is None:
                raise typer.BadParameter(f"--{key} takes a value")
            value = following
        if key in parameters:
            raise typer.BadParameter(f"--{key} is given twice and takes one value; give it once")
        parameters[key] = value
    return sources, parameters


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal; elsewhere a line now and then, so that a log tells the time left."""
    if quiet or sys.stderr.isatty():
        with progress_bar(quiet) as bar:
            yield bar
        return
    began: list[tuple[float, int]] = []
    written_at = -EVERY

    def line(done: int, total: int, label: str) -> None:
        nonlocal written_at
        now = time.monotonic()
        began[:] = began or [(now, done)]
        start, before = began[0]
        if now - written_at < EVERY and done < total:
            return
        written_at = now
        left = ""
        if before < done < total:
            left = f", about {_duration((now - start) * (total - done) / (done - before))} left"
        print(f"{label}: {done:,} of {total:,} tasks{left}", file=sys.stderr, flush=True)

    yield line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"


def _show(results: Results, summary: Summary) -> None:
    from truerank.cli.terminal import console, printable, symbol
    from truerank.experiments.shared.report import notes

    out = console()
    state = "finished" if results.done == results.total else "so far"
    out.print(f"{results.manifest['experiment']}: {results.done:,} of {results.total:,} tasks {state}\n")
    for note in notes(results, summary):
        out.print(f"* {printable(note)}\n")
    for one in summary.tables:
        # What many rows share goes into the heading: 80 columns are few.
        shared = [name for name in ("data", "coefficient") if name in one.frame.columns]
        groups = one.frame.groupby(shared, sort=False) if shared else [((), one.frame)]
        for key, rows in groups:
            common = [symbol(str(part)) for part in key]
            hidden = list(shared)
            for name, kind in rows.dtypes.items():
                if name not in shared and kind.kind == "O" and len(rows) > 1 and len(set(rows[name])) == 1:
                    common.append(str(rows[name].iloc[0]))
                    hidden.append(str(name))
            if "trials" in rows.columns and len(set(rows["trials"])) == 1:
                common.append(f"{rows['trials'].iloc[0]:,} trials")
                hidden.append("trials")
            title = ": ".join([one.caption, *([", ".join(common)] if common else [])])
            _show_rows(out, title, rows.drop(columns=hidden), one)


def _show_rows(out: Any, title: str, rows: DataFrame, of: Table) -> None:
    from truerank.cli.terminal import show_table, symbol, table
    from truerank.coefficients import COEFFICIENTS

    columns = [_cells(rows[name].head(SHOWN), of.frame[name], of.digits) for name in rows.columns]
    headings = [
        symbol(name) if name in COEFFICIENTS else str(name).replace("_", " ") for name in rows.columns
    ]
    kinds = [_kind(rows[name], cells) for name, cells in zip(rows.columns, columns, strict=True)]
    made = table(*zip(headings, kinds, strict=True))
    for row in zip(*columns, strict=True):
        made.add_row(*row)
    elsewhere = f"tables/{of.name}.csv has them"
    show_table(out, title, made, keys=_keys(rows), elsewhere=elsewhere)
    if len(rows) > SHOWN:
        out.print(f"… and {len(rows) - SHOWN} more rows (tables/{of.name}.csv has all)\n")


def _kind(values: Series, cells: list[str]) -> str:
    """How a column is set: numbers on the right, words on the left; long words are taken for names."""
    from truerank.cli.tables import ROOMY
    from truerank.cli.terminal import longest_word

    if values.dtype.kind in "fiu":
        return "right"
    return "left" if max(map(longest_word, cells), default=0) <= ROOMY else "name"


def _cells(values: Series, column: Series, digits: int) -> list[str]:
    """Of a column what is shown: numbers with as many digits as each other, none where all are whole."""
    from math import isfinite

    from truerank.cli.terminal import number, p_text, printable
    from truerank.report.tables.table import cell

    if values.dtype.kind == "f":
        if values.name == "p":
            return [p_text(value) for value in values]
        known = [value for value in column if isfinite(value)]
        whole = all(float(value).is_integer() for value in known) and any(abs(value) >= 2 for value in known)
        return [
            f"{value:,.0f}".replace("-", "−") if whole and isfinite(value) else number(value, digits)
            for value in values
        ]
    if values.dtype.kind in "iu":
        return [f"{value:,}".replace("-", "−") for value in values]
    return [re.sub(r"(?<![\w-])-(?=\d)", "−", printable(cell(value, digits))) for value in values]


def _keys(rows: DataFrame) -> int:
    """How many of the first columns tell the rows apart; those before the first fraction, where none do."""
    fractions = [place for place, kind in enumerate(rows.dtypes) if kind.kind == "f"]
    before = max(1, fractions[0] if fractions else 1)
    apart = (n for n in range(1, len(rows.columns)) if not rows.iloc[:, :n].duplicated().any())
    return min(next(apart, before), before + 1)
