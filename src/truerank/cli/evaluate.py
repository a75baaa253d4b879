"""`truerank evaluate`: runs and qrels to one score table per measure."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

from truerank._support.notes import distinct
from truerank._support.version import __version__
from truerank.cli.command import Group, UsageError, argument, command, option, switch
from truerank.cli.files import Document, with_warnings
from truerank.cli.options import Overwrite, Plugins
from truerank.cli.score_input import FormatOption, NamesOption, RelevanceOption, RunsOfOption

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix


@dataclass(kw_only=True)
class Runs(Group, heading="Runs"):
    """Runs with relevance judgments."""

    runs: Annotated[list[str], argument("RUN", "Run files in any format, or folders of them.", default=True)]
    qrels: Annotated[str, option("FILE|ID", "Relevance judgments, or an id of ir_datasets.")]
    measures: Annotated[
        list[str], option("NAME", "AP, P@10, nDCG@20, map, P_10 …; repeatable.", "--measure", "-m")
    ]
    machine_qrels: Annotated[str | None, option("FILE", "With --sampled: judgments by a machine.")] = None
    sampled: Annotated[
        bool,
        switch(
            "Correct the machine by --qrels: judgments by people of a random sample of every topic's "
            "documents. For P@k, nDCG and RBP(rel=1)."
        ),
    ] = False
    relevance_level: RelevanceOption = None
    names: NamesOption = "tag"
    format: FormatOption = None
    runs_of: RunsOfOption = None
    plugins: Plugins = None

    def check(self) -> None:
        if self.sampled != (self.machine_qrels is not None):
            raise UsageError(
                "--sampled and --machine-qrels go together, where people judged a sample of every topic's "
                "documents; for whole topics by either judge evaluate each qrels by itself"
            )
        if self.sampled and self.runs_of is not None:
            raise UsageError("--runs-of does not work with --sampled; leave it out")
        if self.sampled and self.format is not None:
            raise UsageError("--format does not work with --sampled; leave it out")

    def scored(self, progress: Any) -> dict[str, ScoreMatrix]:
        from truerank.readers import evaluate, evaluate_sampled

        common: dict[str, Any] = {
            "relevance_level": self.relevance_level,
            "names": self.names,
            "progress": progress,
        }
        if self.machine_qrels is not None:
            return evaluate_sampled(self.qrels, self.machine_qrels, self.runs, self.measures, **common)
        return evaluate(
            self.qrels, self.runs, self.measures, format=self.format, runs_of=self.runs_of, **common
        )


@dataclass(kw_only=True)
class Tables(Group, heading="Tables"):
    """The tables to write."""

    output: Annotated[str, option("DIR", "Folder for the tables, one MEASURE.csv each.", "--output", "-o")]
    overwrite: Overwrite = False


@command("evaluate", "--qrels qrels.txt -m AP -o scores runs/")
def evaluate(runs: Runs, tables: Tables, document: Document) -> None:
    """Score runs against judgments: one table of topics × systems per measure."""
    from truerank._support.files import safe_name
    from truerank.readers.writing import table_text

    runs.check()
    inputs = [*runs.runs, runs.qrels, runs.machine_qrels]
    with document.opened(inputs, overwrite=tables.overwrite) as outputs:
        outputs.folder(tables.output, "-o")
        with document.progress() as progress:
            made = runs.scored(progress)
        paths = {measure: Path(tables.output) / f"{safe_name(measure)}.csv" for measure in made}
        outputs.put(tables.output, {paths[m].name: table_text(s, paths[m]) for m, s in made.items()})
        written = [
            {"measure": m, "file": str(paths[m]), "topics": s.n, "systems": s.m, **with_warnings(s)}
            for m, s in made.items()
        ]
        document.add(outputs, {"tables": written, "version": __version__})
    lines = [f"{paths[m]}: {m}, {s.n} topics, {s.m} systems" for m, s in made.items()]
    document.say(lines, distinct(note for s in made.values() for note in s.notes))
