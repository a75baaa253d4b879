"""`truerank documents`: what another document collection would do to a ranking of systems."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated, Any

from truerank.cli.command import Group, argument, command, option
from truerank.cli.files import Files
from truerank.cli.options import Level, Plugins, Seed
from truerank.cli.score_input import FormatOption, NamesOption, RelevanceOption

if TYPE_CHECKING:
    from truerank._support.resources import Progress
    from truerank.documents import DocumentAnalyses, DocumentModel
    from truerank.documents.collection import DocumentCollection
    from truerank.documents.measures import PlaceMeasure


@dataclass(kw_only=True)
class RunInput(Group, heading="Input"):
    """Runs, and what they are measured by."""

    runs: Annotated[
        list[str], argument("RUN...", "Run files, gzipped or not, or folders of them.", default=True)
    ]
    qrels: Annotated[str, option("FILE", "Relevance judgments.")]
    measures: Annotated[
        list[str] | None,
        option("NAME", "AP, P@10, Rprec, RR, nDCG@20 …; repeatable.", "--measure", "-m", default="AP"),
    ] = None
    relevance_level: RelevanceOption = None
    names: NamesOption = "tag"
    format: FormatOption = None
    plugins: Plugins = None

    def read(self, progress: Progress | None) -> DocumentCollection:
        """The ranked lists of all runs, with their judgments."""
        from truerank.documents.collection import read_collection

        return read_collection(self.qrels, self.runs, names=self.names, format=self.format, progress=progress)


@dataclass(kw_only=True)
class Sampling(Group, heading="Samples"):
    """How documents are sampled."""

    models: Annotated[
        list[str] | None,
        option(
            "NAME", "shared; bst, kde: for each system by itself; repeatable.", "--model", default="shared"
        ),
    ] = None
    samples: Annotated[int, option("B", "Sampled collections of documents.", min=2)] = 1_000
    rank_samples: Annotated[int, option("B", "Samples of KRCC.", min=2)] = 1_000
    level: Level = 0.95
    system: Annotated[str | None, option("SYSTEM", "System whose topics are drawn.", default="the best")] = (
        None
    )
    seed: Seed = 0


@command("documents", "--qrels qrels.txt -m AP runs/")
def documents(runs: RunInput, sampling: Sampling, files: Files) -> None:
    """How much does the ranking move in another document collection?"""
    from truerank.documents.measures import place_measure
    from truerank.documents.models import document_model

    wanted = [place_measure(name, runs.relevance_level) for name in dict.fromkeys(runs.measures or ["AP"])]
    models = [document_model(name) for name in dict.fromkeys(sampling.models or ["shared"])]
    with files.opened([*runs.runs, runs.qrels]) as outputs:
        with files.progress() as progress:
            collection = runs.read(progress)
            result = [_analyses(collection, measure, models, sampling, progress) for measure in wanted]
        seen = files.write(outputs, result, system=sampling.system)
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

    shared: dict[str, Any] = {"level": sampling.level, "seed": sampling.seed, "progress": progress}
    analyses = [
        analyze_collection(
            collection,
            measure,
            model,
            samples=sampling.samples,
            rank_samples=sampling.rank_samples,
            **shared,
        )
        for model in models
    ]
    return DocumentAnalyses(tuple(analyses))
