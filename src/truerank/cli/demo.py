"""`truerank demo`: the whole job on data that the package makes itself, with the truth beside it."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from truerank._support.plain import plain
from truerank.cli.command import argument, command
from truerank.cli.files import Document, command_line
from truerank.cli.options import Overwrite, Seed

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix

TOPICS = 50
EVERY = 4  # one in four of the model's 88 systems, so that the tables fit a screen
# Six made-up runs of the small collection, and how well they see relevance.
QUALITIES = {"bm25": 0.75, "rm3": 0.8, "dense": 0.9, "splade": 1.05, "fusion": 1.15, "reranker": 1.2}


@command("demo", "demo")
def demo(
    document: Document,
    folder: Annotated[
        str, argument("[DIR]", "Folder for a small collection to try the rest on.", default=True)
    ] = "truerank-demo",
    overwrite: Overwrite = False,
    seed: Seed = 1,
) -> None:
    """Assess an embedded example whose true ranking is known, and leave files to play with."""
    from truerank.readers.writing import table_text
    from truerank.reliability.assessment import assess
    from truerank.reliability.results import true_coefficients
    from truerank.report.shown import Views
    from truerank.report.view import Asked

    with document.opened([], overwrite, listed=False) as outputs:
        outputs.folder(folder)
        scores, truth = demo_scores(seed)
        with document.progress() as progress:
            result = assess(scores, seed=seed, progress=progress)
        seen = Views([result], Asked(command=command_line(), truth=truth))
        files = {"scores.csv": table_text(scores, "scores.csv"), "report.html": seen.page()}
        outputs.put(folder, files | collection_files(seed))
        document.add(outputs, result.to_dict() | {"truth": plain(true_coefficients(result, truth))})
    if document.json != "-":
        from truerank.report.outputs.terminal import Terminal, show

        out = Terminal()
        show(seen.each, out=out)
        out.line()
        out.say(
            f"Written to {folder}: scores.csv (assessed above), its page, report.html, and a smaller "
            "collection in TREC formats: qrels.txt, runs/ and treceval/. To try more:"
        )
        last = shlex.quote(result.ranking[-1].system)
        for words in (
            *([] if folder == "." else [f"cd {shlex.quote(folder)}"]),
            f"truerank assess scores.csv --baseline {last}",
            "truerank assess --qrels qrels.txt -m AP runs/",
        ):
            out.line(f"  {words}")


def demo_scores(seed: int) -> tuple[ScoreMatrix, dict[str, float]]:
    """Scores of 22 systems on 50 topics, drawn from the embedded AP model, and the true means."""
    import numpy as np

    from truerank.scores import ScoreMatrix
    from truerank.simulation import load_embedded

    model = load_embedded("web2010-ap")
    truth = dict(zip(model.systems, (float(mean) for mean in model.true_means), strict=True))
    chosen = set(sorted(truth, key=lambda system: -truth[system])[::EVERY])
    drawn = model.sample(TOPICS, seed)
    kept = drawn.select([s for s, system in enumerate(drawn.systems) if system in chosen])
    # Rounded like a score table on disk, so that the file gives the same digits.
    scores = ScoreMatrix.build(np.round(kept.values, 4), kept.topics, kept.systems, "AP")
    return scores, {system: truth[system] for system in scores.systems}


def write_collection(folder: Path, seed: int, topics: int = 25, depth: int = 100) -> None:
    """Write :func:`collection_files` into a folder of one's own."""
    from truerank._support.outputs import write_folder

    write_folder(folder, collection_files(seed, topics, depth), overwrite=True)


def collection_files(seed: int, topics: int = 25, depth: int = 100) -> dict[str, str]:
    """A small TREC-format collection: ``qrels.txt``, ``runs/*.txt`` and ``treceval/*.eval``, by name.

    A system's score for a document is its quality times the document's grade, plus noise; the
    pool of all top-20 documents is judged.
    """
    import numpy as np

    from truerank._support.seeds import stream
    from truerank.readers import evaluate

    rng = stream(seed, "demo", "collection")
    documents = 300
    runs: dict[str, dict[str, dict[str, str]]] = {name: {} for name in QUALITIES}
    judged: dict[str, dict[str, int]] = {}
    for t in range(1, topics + 1):
        grades = rng.choice([0, 1, 2], size=documents, p=[0.9, 0.07, 0.03])
        grades[rng.integers(documents)] = 2
        common = rng.standard_normal(documents)
        pool: set[int] = set()
        for name, quality in QUALITIES.items():
            score = quality * grades + 0.9 * common + rng.standard_normal(documents)
            ranking = np.argsort(-score)[:depth].tolist()
            pool.update(ranking[:20])
            runs[name][str(t)] = {f"doc{t:02}-{d:03}": f"{score[d]:.6f}" for d in ranking}
        judged[str(t)] = {f"doc{t:02}-{d:03}": int(grades[d]) for d in sorted(pool)}
    numbers = {
        name: {t: {d: float(value) for d, value in ranked.items()} for t, ranked in run.items()}
        for name, run in runs.items()
    }
    scores = evaluate(judged, numbers, ["AP", "P@10"])
    texts = {"qrels.txt": [f"{t} 0 {d} {grade}" for t, of in judged.items() for d, grade in of.items()]}
    for name, run in runs.items():
        texts[f"runs/{name}.txt"] = [
            f"{t} Q0 {d} {rank} {value} {name}"
            for t, ranked in run.items()
            for rank, (d, value) in enumerate(ranked.items(), start=1)
        ]
        texts[f"treceval/{name}.eval"] = [f"runid\tall\t{name}"] + [
            f"{label}\t{topic}\t{value:.4f}"
            for label, table in (("map", scores["AP"]), ("P_10", scores["P@10"]))
            for topic, value in zip(table.topics, table.values[:, table.systems.index(name)], strict=True)
        ]
    return {name: "\n".join(lines) + "\n" for name, lines in texts.items()}
