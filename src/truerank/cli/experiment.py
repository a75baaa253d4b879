"""`truerank experiment`: the papers' experiments; list them, run one, show what a folder holds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from truerank._support.imports import EXPERIMENTS, require
from truerank._support.resources import Progress
from truerank.cli.files import Document, Files
from truerank.cli.options import Group, Plugins, Seed, argument, grouped, notify, option, progress_bar, switch
from truerank.cli.parsing import App
from truerank.cli.score_input import TableOptions

if TYPE_CHECKING:
    from truerank.experiments.experiment import Experiment
    from truerank.experiments.results import Results

app = App(name="experiment", help="The papers' experiments: resumable, on one machine or a cluster.")

EVERY = 30.0  # seconds between lines of progress where standard error is not a terminal


@app.command("list", epilog="Example: truerank experiment list estimators")
@grouped
def list_experiments(
    document: Document,
    name: Annotated[str | None, argument("NAME", "Show the parameters of one.")] = None,
    plugins: Plugins = None,
) -> None:
    """The experiments there are, or the parameters of one."""
    from truerank._support.tables import Column, Name, Table, Text
    from truerank.experiments import EXPERIMENTS as KNOWN

    _refuse_paper(name)
    chosen = [KNOWN.find(name)] if name else list(KNOWN.values())
    described = [_described(item) for item in chosen]
    with document.opened(plugins or []) as outputs:
        document.write(outputs, described)
    if document.json == "-":
        return
    columns = (Column("Experiment", Name()), Column("What it finds out", Text()), Column("Source", Text()))
    _print(Table("experiments", "", columns, [(item.name, item.label, item.source) for item in chosen]))
    if name:
        columns = (Column("Option", Name()), Column("Default", Text()), Column("What it says", Text()))
        rows = [(f"--{item['name']}", item["default"], item["help"]) for item in described[0]["parameters"]]
        _print(Table("parameters", "", columns, rows))


def _refuse_paper(name: str | None) -> None:
    """Say how a paper is run, where its name is given for that of an experiment."""
    from truerank.errors import InputError
    from truerank.experiments.paper import PAPERS

    if name in PAPERS:
        raise InputError(f"{name} is a paper; run `truerank experiment paper {name} -o DIR`")


def _described(item: Experiment) -> dict[str, Any]:
    from truerank._support.plain import plain
    from truerank._support.registry import explained
    from truerank.cli import written
    from truerank.experiments.experiment import as_text, options

    parameters = tuple(
        written.Parameter(name.replace("_", "-"), as_text(declared["default"]), declared.get("help", ""))
        for name, declared in options(item.parameters).items()
    )
    described: dict[str, Any] = plain(written.Experiment(item.name, item.source, explained(item), parameters))
    return described


def _print(table: Any) -> None:
    from truerank.report.outputs.terminal import Terminal, lines

    out = Terminal()
    for line in [*lines(table, out.width), ""]:
        out.line(line)


@dataclass(kw_only=True)
class Work(Group, heading="Work"):
    """Where the work is done, and where its results are kept."""

    output: Annotated[str, option("DIR", "Folder of the results; resumed if there.", "--output", "-o")]
    workers: Annotated[int | None, option(None, "Processes on this machine.", min=1, default="all cores")] = (
        None
    )
    dask: Annotated[str | None, option("tcp://HOST:PORT|local", "Run on a Dask cluster.")] = None


@app.command(
    context_settings={"ignore_unknown_options": True, "allow_extra_args": True},
    epilog="Example: truerank experiment run estimators scores.csv -o results. "
    "Every parameter that `truerank experiment list NAME` shows is an option too, "
    "e.g. --trials 100 --topics 20,50.",
)
@grouped
def run(
    work: Work,
    reading: TableOptions,
    files: Files,
    name: Annotated[str, argument("NAME", "The experiment.")],
    rest: Annotated[
        list[str] | None, argument("[SOURCE...]", "Score tables, saved or embedded simulation models.")
    ] = None,
    seed: Seed = 0,
) -> None:
    """Run an experiment, or what is missing of it; then write its tables and figures."""
    from truerank.experiments import execution

    require(EXPERIMENTS)
    _refuse_paper(name)
    sources, parameters = _split(rest or [])
    given = [*sources, work.output, *(reading.plugins or [])]
    with files.opened(given) as outputs:
        with _kept_in(work.output), _progress(files.quiet) as progress:
            results = execution.run(
                name,
                _tables(sources, reading),
                work.output,
                seed=seed,
                workers=work.workers,
                dask=work.dask,
                plugins=reading.plugins or [],
                progress=progress,
                warn=_warn,
                **parameters,
            )
        _finish(results, files, outputs, write=True)


def _tables(sources: list[str], reading: TableOptions) -> Any:
    """The sources; where columns of tables are named, the tables are read with these."""
    from truerank.errors import InputError
    from truerank.readers.formats.format import recognized
    from truerank.readers.formats.source import Source
    from truerank.readers.score_reading import read_with

    if not reading.given():
        return sources
    found: dict[str, Any] = {}
    for path in sources:
        name = Path(path).name.split(".")[0]
        if name in found:
            raise InputError(f"two sources are named {name!r}; rename one")
        format_ = recognized(Source(path)) if Path(path).is_file() else None
        found[name] = read_with(path, reading, ()) if format_ and format_.tabular else path
    return found


@app.command(epilog="Example: truerank experiment paper urbano-marrero-2016 scores.csv -o results")
@grouped
def paper(
    work: Work,
    reading: TableOptions,
    files: Files,
    name: Annotated[str, argument("NAME", "urbano-marrero-2016, bavdaz-2018, carterette-2009 or yang-2018.")],
    sources: Annotated[
        list[str] | None,
        argument("[SOURCE...]", "Score tables; with --qrels runs too. Default: embedded models."),
    ] = None,
    qrels: Annotated[str | None, option("FILE", "Judgments, in TREC's format.")] = None,
    published: Annotated[str | None, option("DIR", "Folder of published estimates.")] = None,
    quick: Annotated[bool, switch("A tenth of the trials.")] = False,
    seed: Seed = 0,
) -> None:
    """All experiments of a paper, its printed numbers beside ours, on one page."""
    from truerank.experiments.paper import run_paper
    from truerank.experiments.paper_view import view
    from truerank.experiments.view import files_of
    from truerank.readers.score_reading import read_with
    from truerank.report.outputs.terminal import Terminal
    from truerank.report.view import Asked

    require(EXPERIMENTS)
    with files.opened([*(sources or []), qrels]) as outputs:
        if not any(Path(work.output).glob("*/manifest.json")):  # else it goes on in a folder of its own
            outputs.folder(work.output, "--output")
        with _kept_in(work.output), _progress(files.quiet) as progress:
            found = run_paper(
                name,
                sources or [],
                work.output,
                qrels=qrels,
                published=published,
                read=lambda path: read_with(path, reading, ()),
                quick=quick,
                seed=seed,
                workers=work.workers,
                dask=work.dask,
                plugins=reading.plugins or [],
                progress=progress,
                warn=_warn,
            )
        seen = files.write(outputs, [found])
        pages = {**files_of(view(found, Asked())), "index.html": seen.page()}
        written = outputs.put(work.output, pages)
        files.show(seen)
    if files.json != "-":
        Terminal().say(f"{len(written)} files in {work.output}; start with index.html")


@app.command(epilog="Example: truerank experiment show results --html page.html")
@grouped
def show(
    files: Files,
    folder: Annotated[str, argument("DIR", "Folder of a run, also one under way.")],
    write: Annotated[bool, switch("Write tables and figures of what is there into the folder.")] = False,
    plugins: Plugins = None,
) -> None:
    """The results that a folder holds now."""
    from truerank.experiments import execution

    if write:
        require(EXPERIMENTS)
    with files.opened([folder, *(plugins or [])]) as outputs:
        _finish(execution.show(folder, plugins or [], _warn), files, outputs, write)


def _finish(results: Results, files: Files, outputs: Any, write: bool) -> None:
    """Write the requested files, then print the results, and what went into the run's own folder."""
    from truerank.experiments import view
    from truerank.report.outputs.terminal import Terminal

    written = view.write(results) if write else []
    seen = files.write(outputs, [results])
    files.show(seen)
    if written and files.json != "-":
        folders = dict.fromkeys(str(path.parent) for path in written)
        Terminal().say(f"{len(written)} files in {' and '.join(folders)}")


def _warn(message: str) -> None:
    notify("! " + message)


def _split(rest: Sequence[str]) -> tuple[list[str], dict[str, Any]]:
    """Sources, and the experiment's own parameters, written ``--key value`` or ``--key=value``."""
    sources: list[str] = []
    parameters: dict[str, Any] = {}
    words = iter(rest)
    for word in words:
        if not word.startswith("--"):
            sources.append(word)
            continue
        key, equals, value = word[2:].partition("=")
        if key == "quick":
            raise typer.BadParameter("--quick is an option of `truerank experiment paper`")
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
def _kept_in(folder: str) -> Iterator[None]:
    try:
        yield
    except KeyboardInterrupt:
        notify(f"stopped; what is finished is kept in {folder}: the same command goes on")
        raise


@contextmanager
def _progress(quiet: bool) -> Iterator[Progress | None]:
    """A bar on a terminal; elsewhere a line now and then, so that a log tells the time left."""
    if quiet or sys.stderr.isatty():
        with progress_bar(quiet) as bar:
            yield bar
        return
    start: tuple[float, int] | None = None
    written_at = -EVERY

    def line(done: int, total: int, label: str) -> None:
        nonlocal start, written_at
        now = time.monotonic()
        start = start or (now, done)
        if now - written_at < EVERY and done < total:
            return
        written_at = now
        left = ""
        if start[1] < done < total:
            left = f", about {_duration((now - start[0]) * (total - done) / (done - start[1]))} left"
        notify(f"{label}: {done:,} of {total:,} tasks{left}")

    yield line


def _duration(seconds: float) -> str:
    if seconds < 90:
        return f"{seconds:.0f} s"
    return f"{seconds / 60:.0f} min" if seconds < 5400 else f"{seconds / 3600:.1f} h"
