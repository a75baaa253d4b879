"""`truerank demo`: the whole job on data that the package makes itself, with the truth beside it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truerank.cli.options import Json, Quiet, Seed, progress_bar, write_json


def demo(
    folder: Annotated[
        str, typer.Argument(metavar="[DIR]", help="Where to write a small collection to try the rest on.")
    ] = "truerank-demo",
    json: Json = None,
    seed: Seed = 1,
    quiet: Quiet = False,
) -> None:
    """Assess an embedded example whose true ranking is known, and leave files to play with."""
    from truerank.assessment import assess
    from truerank.demo import demo_scores, truth_of, write_collection
    from truerank.plain import plain
    from truerank.readers import write_scores

    scores, true_means = demo_scores(seed)
    with progress_bar(quiet) as progress:
        result = assess(scores, seed=seed, progress=progress)
    target = Path(folder)
    target.mkdir(parents=True, exist_ok=True)
    write_scores(scores, target / "scores.csv")
    write_collection(target / "collection", seed)
    truth = truth_of(result, true_means)
    if json:
        write_json(result.to_dict() | {"truth": plain(truth)}, json)
    if json != "-":
        from truerank.cli.terminal import console, number, show_assessment, show_table, table

        out = console()
        show_assessment(result, out)
        made = table(("", "left"), ("estimated", "right"), ("true", "right"))
        for name, symbol in (("tau", "τ"), ("tau_ap", "τ_AP")):
            made.add_row(symbol, number(result.estimate(name).estimate), number(truth[name]))
        out.print()
        show_table(out, "Beside the truth, known here", made)
        out.print(f"Written to {folder}: scores.csv, and collection/ with runs and qrels. Try:")
        out.print(f"  truerank assess {folder}/scores.csv --baseline {result.ranking[-1].system}")
        out.print(f"  truerank assess --qrels {folder}/collection/qrels.txt -m AP {folder}/collection/runs")
