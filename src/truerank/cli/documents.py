"""`truerank documents`: what another document collection would do to a comparison of systems."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer

from truerank.cli.files import Files
from truerank.cli.options import Group, Seed, grouped, progress_bar
from truerank.cli.score_input import FormatOption, NamesOption, RelevanceOption

if TYPE_CHECKING:
    from truerank._support.resources import Progress
    from truerank.documents import DocumentAnalyses, DocumentModel
    from truerank.documents.collection import DocumentCollection
    from truerank.documents.measures import PlaceMeasure


@dataclass(kw_only=True)
class RunInput(Group):
    """Runs, and what they are measured by."""

    heading: ClassVar[str] = "Input"

    runs: Annotated[
        list[str], typer.Argument(metavar="RUN...", help="Run files, gzipped or not, or folders of them.")
    ]
    qrels: Annotated[str, typer.Option("--qrels", metavar="FILE", help="Relevance judgments.")]
    measures: Annotated[
        list[str] | None,
        typer.Option(
            "--measure",
            "-m",
            metavar="NAME",
            show_default="AP",
            help="AP, P@10, Rprec, RR, nDCG@20 …; repeatable.",
        ),
    ] = None
    relevance_level: RelevanceOption = None
    names: NamesOption = "tag"
    format: FormatOption = None

    def read(self, progress: Progress | None) -> DocumentCollection:
        """The ranked lists of all runs, with their judgments."""
        from truerank.documents.collection import read_collection

        return read_collection(self.qrels, self.runs, names=self.names, format=self.format, progress=progress)


@dataclass(kw_only=True)
class Sampling(Group):
    """How documents are sampled."""

    heading: ClassVar[str] = "Samples"

    models: Annotated[
        list[str] | None,
        typer.Option(
            "--model",
            metavar="NAME",
            show_default="bst",
            help="Document model: bst, kde or normexp; repeatable.",
        ),
    ] = None
    samples: Annotated[int, typer.Option(metavar="B", min=2, help="Samples of error rate, ASL and ED.")] = (
        10_000
    )
    rank_samples: Annotated[int, typer.Option(metavar="B", min=2, help="Samples of KRCC.")] = 1_000
    decomposition: Annotated[
        int, typer.Option(metavar="B", min=0, help="Samples of the decomposition; 0 leaves it out.")
    ] = 500
    alpha: Annotated[
        float, typer.Option(metavar="A", help="Significance level of the t tests and of ED.")
    ] = 0.05
    level: Annotated[float, typer.Option(metavar="L", help="Confidence level of intervals.")] = 0.95
    system: Annotated[
        str | None,
        typer.Option(metavar="SYSTEM", show_default="the best", help="System whose topics are drawn."),
    ] = None
    seed: Seed = 0


@grouped
def documents(runs: RunInput, sampling: Sampling, files: Files) -> None:
    """How much do ranking and significance move in another document collection?"""
    from truerank.documents import DocumentAnalyses
    from truerank.documents.measures import place_measure
    from truerank.documents.models import document_model

    wanted = [place_measure(name, runs.relevance_level) for name in dict.fromkeys(runs.measures or ["AP"])]
    models = [document_model(name) for name in dict.fromkeys(sampling.models or ["bst"])]
    names = [measure.name for measure in wanted]
    with files.opened("documents", [*runs.runs, runs.qrels], DocumentAnalyses, names) as outputs:
        with progress_bar(files.quiet) as progress:
            collection = runs.read(progress)
            result = [_analyses(collection, measure, models, sampling, progress) for measure in wanted]
        seen = files.seen(result, system=sampling.system)
        files.write(outputs, seen)
    files.show(seen)


def _analyses(
    collection: DocumentCollection,
    measure: PlaceMeasure,
    models: list[DocumentModel],
    sampling: Sampling,
    progress: Progress | None,
) -> DocumentAnalyses:
    """What is found by one measure."""
    from truerank.documents import DocumentAnalyses
    from truerank.documents.analysis import analyze_collection
    from truerank.documents.decomposition import decompose

    shared: dict[str, Any] = {"level": sampling.level, "seed": sampling.seed, "progress": progress}
    analyses = [
        analyze_collection(
            collection,
            measure,
            model,
            samples=sampling.samples,
            rank_samples=sampling.rank_samples,
            alpha=sampling.alpha,
            **shared,
        )
        for model in models
    ]
    if sampling.decomposition:
        parts = decompose(collection, measure, samples=sampling.decomposition, **shared)
        analyses = [replace(item, decomposition=parts) for item in analyses]
    return DocumentAnalyses(tuple(analyses))
