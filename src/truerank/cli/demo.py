"""`truerank demo`: the whole job on data that the package makes itself, with the truth beside it."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from truerank._support.plain import plain
from truerank.cli.files import Document
from truerank.cli.options import Overwrite, Seed, command_line, grouped, progress_bar


@grouped
def demo(
    document: Document,
    folder: Annotated[
        str, typer.Argument(metavar="[DIR]", help="Folder for a small collection to try the rest on.")
    ] = "truerank-demo",
    overwrite: Overwrite = False,
    seed: Seed = 1,
) -> None:
    """Assess an embedded example whose true ranking is known, and leave files to play with."""
    from truerank._support.imports import PLOTS, missing
    from truerank.cli.example import collection_files, demo_scores, file_names
    from truerank.readers.writing import table_text
    from truerank.reliability.assessment import assess
    from truerank.reliability.truth import true_coefficients
    from truerank.report.shown import Views
    from truerank.report.view import Asked

    pageless = missing(PLOTS)
    with document.opened("demo", [], overwrite, listed=False) as outputs:
        outputs.folder(folder, ["scores.csv", *([] if pageless else ["report.html"]), *file_names()])
        scores, truth = demo_scores(seed)
        with progress_bar(document.quiet) as progress:
            result = assess(scores, seed=seed, progress=progress)
        seen = Views([result], Asked(command=command_line(), truth=truth))
        files = {"scores.csv": table_text(scores, "scores.csv")}
        files |= {} if pageless else {"report.html": seen.page()}
        outputs.put(folder, files | collection_files(seed))
        document.write(outputs, result.to_dict() | {"truth": plain(true_coefficients(result, truth))})
    if document.json != "-":
        from truerank.report.outputs.terminal import show

        show(seen.each)
        _say_what_is_next(folder, result.ranking[-1].system, pageless)


def _say_what_is_next(folder: str, last: str, pageless: str) -> None:
    from truerank.report.outputs.terminal import Terminal

    out = Terminal()
    page = "no page" if pageless else "its page, report.html"
    out.line()
    out.say(
        f"Written to {folder}: scores.csv (assessed above), {page}, and a smaller collection in TREC "
        "formats: "
        "qrels.txt, runs/ and treceval/. To try more:"
    )
    for command in (
        *([] if folder == "." else [f"cd {shlex.quote(folder)}"]),
        f"truerank assess scores.csv --baseline {shlex.quote(last)}",
        "truerank assess --qrels qrels.txt -m AP runs/",
    ):
        out.line(f"  {command}")
    if pageless:
        out.say(f"For the page: {pageless}")
