"""`truerank documents`: what another document collection would do to a ranking of systems."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Annotated, Any

from truerank.cli.command import Group, argument, command, option
from truerank.cli.files import Files
from truerank.cli.options import Level, Plugins, Seed
from truerank.cli.score_input import FormatOption, NamesOption, RelevanceOption


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
    from truerank.documents import DocumentAnalyses
    from truerank.documents.analysis import analyze_collection
    from truerank.documents.collection import read_collection
    from truerank.documents.measures import place_measure
    from truerank.documents.models import document_model

    wanted = [place_measure(name, runs.relevance_level) for name in dict.fromkeys(runs.measures or ["AP"])]
    models = [document_model(name) for name in dict.fromkeys(sampling.models or ["shared"])]
    settings: dict[str, Any] = asdict(sampling)
    del settings["models"], settings["system"]
    with files.opened([*runs.runs, runs.qrels]) as outputs:
        with files.progress() as progress:
            lists: dict[str, Any] = {"names": runs.names, "format": runs.format, "progress": progress}
            collection = read_collection(runs.qrels, runs.runs, **lists)
            results = []
            for measure in wanted:
                of_models = (
                    analyze_collection(collection, measure, model, progress=progress, **settings)
                    for model in models
                )
                results.append(DocumentAnalyses(tuple(of_models)))
        seen = files.write(outputs, results, system=sampling.system)
    files.show(seen)
