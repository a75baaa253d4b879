"""`truerank experiment`: the papers' experiments; list them, run one, show what a folder holds."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from truerank._support.imports import EXPERIMENTS, require
from truerank._support.resources import Progress
from truerank.cli.command import Group, UsageError, argument, command, commands, option, switch
from truerank.cli.files import Document, Files, notify
from truerank.cli.options import Plugins, Seed
from truerank.cli.score_input import TableOptions
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank.experiments.store import Results


EVERY = 30.0  # seconds between lines of progress where standard error is not a terminal


@command("experiment list", "estimators")
def list_experiments(
    document: Document,
    name: Annotated[str | None, argument("NAME", "Show the parameters of one.")] = None,
    plugins: Plugins = None,
) -> None:
    """The experiments there are, or the parameters of one."""
    from truerank._support.plain import plain
    from truerank._support.registry import explained
    from truerank._support.tables import Column, Name, Table, Text
    from truerank._support.version import __version__
    from truerank.experiments import EXPERIMENTS as KNOWN
    from truerank.experiments.experiment import as_text, options
    from truerank.report.outputs.terminal import Terminal, show_tables

    _refuse_paper(name)
    chosen = [KNOWN.find(name)] if name else list(KNOWN.values())
    parameters = [
        [
            {"name": key.replace("_", "-"), "default": as_text(one["default"]), "help": one.get("help", "")}
            for key, one in options(item.parameters).items()
        ]
        for item in chosen
    ]
    with document.opened(plugins or []) as outputs:
        about = [
            {"name": item.name, "source": item.source, **plain(explained(item))}
            | {"parameters": its, "version": __version__}
            for item, its in zip(chosen, parameters, strict=True)
        ]
        document.add(outputs, about)
    if document.json == "-":
        return
    columns = (Column("Experiment", Name()), Column("What it finds out", Text()), Column("Source", Text()))
    tables = [
        Table(
            "experiments", "Experiments", columns, [(item.name, item.label, item.source) for item in chosen]
        )
    ]
    if name:
        columns = (Column("Option", Name()), Column("Default", Text()), Column("What it says", Text()))
        rows = [(f"--{one['name']}", one["default"], one["help"]) for one in parameters[0]]
        tables.append(Table("parameters", "Its options", columns, rows))
    show_tables(tables, Terminal(), all_rows=True)


def _refuse_paper(name: str | None) -> None:
    """Say how a paper is run, where its name is given for that of an experiment."""
    from truerank.experiments.paper import PAPERS

    if name in PAPERS:
        raise InputError(f"{name} is a paper; run `truerank experiment paper {name} -o DIR`")


@dataclass(kw_only=True)
class Work(Group, heading="Work"):
    """Where the work is done, and where its results are kept."""

    output: Annotated[str, option("DIR", "Folder of the results; resumed if there.", "--output", "-o")]
    workers: Annotated[int | None, option(None, "Processes on this machine.", min=1, default="all cores")] = (
        None
    )
    dask: Annotated[str | None, option("tcp://HOST:PORT|local", "Run on a Dask cluster.")] = None
    seed: Seed = 0

    def how(self, plugins: list[str] | None, progress: Progress | None) -> dict[str, Any]:
        settings = asdict(self) | {"plugins": plugins or [], "progress": progress, "warn": _warn}
        del settings["output"]
        return settings


@command(
    "experiment run",
    "estimators scores.csv -o results. Every parameter that `truerank experiment list NAME` shows is an "
    "option too, e.g. --trials 100 --topics 20,50.",
    open=True,
)
def run(
    work: Work,
    reading: TableOptions,
    files: Files,
    name: Annotated[str, argument("NAME", "The experiment.")],
    rest: Annotated[
        list[str] | None, argument("[SOURCE...]", "Score tables, saved or embedded simulation models.")
    ] = None,
) -> None:
    """Run an experiment, or what is missing of it; then write its tables and figures."""
    from truerank.experiments import execution

    require(EXPERIMENTS)
    _refuse_paper(name)
    sources, parameters = _split(rest or [])
    given = [*sources, work.output, *(reading.plugins or [])]
    with files.opened(given) as outputs:
        with _working(work.output, files) as progress:
            results = execution.run(
                name,
                _tables(sources, reading),
                work.output,
                **work.how(reading.plugins, progress),
                **parameters,
            )
        _finish(results, files, outputs, write=True)


def _tables(sources: list[str], reading: TableOptions) -> Any:
    """The sources; where columns of tables are named, the tables are read with these."""
    from truerank.readers.formats.format import recognized
    from truerank.readers.formats.source import Source
    from truerank.readers.score_reading import read_with

    if not reading.given():
        return sources
    result: dict[str, Any] = {}
    for path in sources:
        name = Path(path).name.split(".")[0]
        if name in result:
            raise InputError(f"two sources are named {name!r}; rename one")
        format_ = recognized(Source(path)) if Path(path).is_file() else None
        result[name] = read_with(path, reading, ()) if format_ and format_.tabular else path
    return result


@command("experiment paper", "urbano-marrero-2016 scores.csv -o results")
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
) -> None:
    """All experiments of a paper, its printed numbers beside ours, on one page."""
    from truerank.experiments.paper import goes_on, run_paper
    from truerank.experiments.paper_view import view
    from truerank.experiments.view import files_of
    from truerank.readers.score_reading import read_with
    from truerank.report.view import Asked

    require(EXPERIMENTS)
    with files.opened([*(sources or []), qrels]) as outputs:
        if not goes_on(name, work.output):
            outputs.folder(work.output, "--output")
        with _working(work.output, files) as progress:
            result = run_paper(
                name,
                sources or [],
                work.output,
                qrels=qrels,
                published=published,
                read=lambda path: read_with(path, reading, ()),
                quick=quick,
                **work.how(reading.plugins, progress),
            )
        seen = files.write(outputs, [result])
        pages = {**files_of(view(result, Asked())), "index.html": seen.page()}
        written = outputs.put(work.output, pages)
        files.show(seen)
    files.say([f"{len(written)} files in {work.output}; start with index.html"])


@command("experiment show", "results --html page.html")
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

    written = view.write(results) if write else []
    seen = files.write(outputs, [results])
    files.show(seen)
    folders = dict.fromkeys(str(path.parent) for path in written)
    files.say([f"{len(written)} files in {' and '.join(folders)}"] if written else [])


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
            raise UsageError(
                "--quick is only for `truerank experiment paper`; give few --trials (documents: --samples)"
            )
        given = value if equals else next(words, None)
        if given is None:
            raise UsageError(f"--{key} takes a value")
        if key in parameters:
            raise UsageError(f"--{key} is given twice and takes one value; give it once")
        parameters[key] = given
    return sources, parameters


@contextmanager
def _working(folder: str, files: Files) -> Iterator[Progress | None]:
    """A bar on a terminal; elsewhere a line now and then, so that a log tells the time left."""
    begun: tuple[float, int] | None = None
    written_at = -EVERY

    def line(done: int, total: int, label: str) -> None:
        nonlocal begun, written_at
        now = time.monotonic()
        begun = begun or (now, done)
        if now - written_at < EVERY and done < total:
            return
        written_at, left = now, ""
        if begun[1] < done < total:
            seconds = (now - begun[0]) * (total - done) / (done - begun[1])
            left = f", about {timedelta(seconds=round(seconds))} left"
        notify(f"{label}: {done:,} of {total:,} tasks{left}")

    try:
        with files.progress() as bar:
            yield bar if files.quiet or sys.stderr.isatty() else line
    except KeyboardInterrupt:
        notify(f"stopped; what is finished is kept in {folder}: the same command goes on")
        raise


ABOUT = "The papers' experiments: resumable, on one machine or a cluster."
COMMANDS = commands("experiment", ABOUT, list_experiments, run, paper, show)
