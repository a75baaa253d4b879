"""`truerank demo`: the whole job on data that the package makes itself, with the truth beside it."""

from __future__ import annotations

import shlex
from importlib.resources import files
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any
from zipfile import ZipFile

from truerank._support.plain import plain
from truerank.cli.command import argument, command
from truerank.cli.files import Document, command_line
from truerank.cli.options import Overwrite, Seed

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix

TOPICS = 50
EVERY = 4  # one in four of the model's 88 systems, so that the tables fit a screen


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
        made: dict[str, Any] = {"scores.csv": table_text(scores, "scores.csv"), "report.html": seen.page()}
        outputs.put(folder, made | collection_files())
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


def write_collection(folder: Path) -> None:
    from truerank._support.outputs import write_folder

    write_folder(folder, collection_files(), overwrite=True)


def collection_files() -> dict[str, bytes]:
    """A small made-up collection in TREC's formats, by name: ``qrels.txt``, ``runs/`` and ``treceval/``."""
    with files("truerank.cli").joinpath("examples", "collection.zip").open("rb") as file:
        archive = ZipFile(file)
        return {name: archive.read(name) for name in archive.namelist()}
