"""`truerank demo`: the whole job on data that the package makes itself, with the truth beside it."""

from __future__ import annotations

import shlex
from typing import Annotated

import typer

from truerank.cli.options import Json, Overwrite, Quiet, Seed, add_json, command_line, progress_bar, writing


def demo(
    folder: Annotated[
        str, typer.Argument(metavar="[DIR]", help="Where to write a small collection to try the rest on.")
    ] = "truerank-demo",
    overwrite: Overwrite = False,
    json: Json = None,
    seed: Seed = 1,
    quiet: Quiet = False,
) -> None:
    """Assess an embedded example whose true ranking is known, and leave files to play with."""
    from truerank._support.extras import PLOTS, missing
    from truerank._support.plain import plain
    from truerank.cli.example import collection_files, demo_scores, file_names
    from truerank.readers.writing import table_text
    from truerank.reliability.assessment import assess
    from truerank.reliability.truth import true_coefficients
    from truerank.report import page_html

    pageless = missing(PLOTS)
    with writing("demo", [], quiet, listed=False, overwrite=overwrite) as outputs:
        outputs.folder(folder, ["scores.csv", *([] if pageless else ["report.html"]), *file_names()])
        outputs.file(json, "--json")
        scores, true_means = demo_scores(seed)
        with progress_bar(quiet) as progress:
            result = assess(scores, seed=seed, progress=progress)
        files = {"scores.csv": table_text(scores, "scores.csv")}
        if not pageless:
            files["report.html"] = page_html(result, command=command_line(), truth=true_means)
        outputs.put(folder, files | collection_files(seed))
        if json:
            add_json(
                outputs, result.to_dict() | {"truth": plain(true_coefficients(result, true_means))}, json
            )
    if json != "-":
        from truerank.cli.terminal import console, show_assessment, show_truth

        out = console()
        show_assessment(result, out)
        show_truth(result, true_means, out)
        page = "no page" if pageless else "its report.html"
        out.print(
            f"Written to {folder}: scores.csv (above), {page}, and another, smaller collection in TREC "
            "formats: qrels.txt, runs/ and treceval/. To try more:"
        )
        for command in (
            *([] if folder == "." else [f"cd {shlex.quote(folder)}"]),
            f"truerank assess scores.csv --baseline {shlex.quote(result.ranking[-1].system)}",
            "truerank assess --qrels qrels.txt -m AP runs/",
        ):
            out.print(f"  {command}", soft_wrap=True)  # to be copied, and so on one line
        if pageless:
            out.print(f"For the page: {pageless}")
