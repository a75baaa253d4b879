"""`truerank experiment`: the papers' experiments; list them, run one, show what a folder holds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.extras import EXPERIMENTS, require
from truerank._support.progress import Progress
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

if TYPE_CHECKING:
    from pandas import DataFrame

    from truerank.experiments.engine.experiment import Summary, Table
    from truerank.experiments.engine.run_results import Results

app = typer.Typer(
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
    from truerank.experiments import EXPERIMENTS
    from truerank.experiments.engine.parameters import describe
    from truerank.experiments.engine.plugins import load

    load(plugins or [])
    chosen = [EXPERIMENTS.find(name)] if name else list(EXPERIMENTS.values())
    with writing("experiment list", plugins or []) as outputs:
        outputs.file(json, "--json")
        if json:
            document = [
                {
                    "name": one.name,
                    "label": one.label,
                    "source": one.source,
                    "explanation": " ".join(one.explanation.split()),
                    "formula": one.formula,
                    "references": list(one.references),
                    "parameters": [
                        {"name": key, "default": default, "help": text}
                        for key, default, text in describe(one.parameters)
                    ],
                }
                for one in chosen
            ]
            add_json(outputs, document, json)
    if json == "-":
        return
    for one in chosen:
        typer.echo(f"{one.name:17}{one.label}\n{'':17}{one.source}")
    if name:
        typer.echo()
        for key, default, text in describe(chosen[0].parameters):
            typer.echo(f"  --{key} {default}\n      {text}")


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="Every parameter that `truerank experiment list NAME` shows is an option too, "
    "e.g. --trials 100 --topics 20,50.",
)
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
    with writing("experiment", [*sources, *(plugins or [])], quiet) as outputs:
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
    with writing("experiment", plugins or []) as outputs:
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
    from truerank.cli.terminal import console, printable
    from truerank.experiments.shared.report import notes

    out = console()
    state = "finished" if results.done == results.total else "so far"
    typer.echo(f"{results.manifest['experiment']}: {results.done:,} of {results.total:,} tasks {state}\n")
    for note in notes(results, summary):
        typer.echo(f"* {printable(note)}\n")
    for one in summary.tables:
        # What many rows share goes into the heading: 80 columns are few.
        shared = [name for name in ("data", "coefficient") if name in one.frame.columns]
        groups = one.frame.groupby(shared, sort=False) if shared else [((), one.frame)]
        for key, rows in groups:
            common = [str(part) for part in key]
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
    from truerank.cli.terminal import show_table, table
    from truerank.report.tables.table import cell

    numeric = [kind.kind in "fiu" for kind in rows.dtypes]
    names = [str(name).replace("_", " ") for name in rows.columns]
    made = table(*((name, "right" if n else "left") for name, n in zip(names, numeric, strict=True)))
    for row in rows.head(SHOWN).itertuples(index=False):
        made.add_row(*(_cell(value, of.digits, cell) for value in row))
    show_table(out, title, made)
    if len(rows) > SHOWN:
        typer.echo(f"… and {len(rows) - SHOWN} more rows ({of.name}.csv has all)\n")


def _cell(value: Any, digits: int, cell: Any) -> str:
    from truerank.cli.terminal import printable

    shown: str = printable(cell(value, digits))
    return shown.replace("-", "−") if isinstance(value, float) else shown
