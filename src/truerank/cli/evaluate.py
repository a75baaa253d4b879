"""`truerank evaluate`: runs and qrels to one score table per measure."""

from __future__ import annotations

from typing import Annotated

import typer

from truerank.cli.options import (
    Json,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    progress_bar,
    write_json,
)


def evaluate(
    runs: Annotated[
        list[str], typer.Argument(metavar="RUN", help="Run files, gzipped or not, or folders of them.")
    ],
    qrels: Annotated[str, typer.Option("--qrels", metavar="FILE", help="Relevance judgments.")],
    measures: Annotated[
        list[str],
        typer.Option("--measure", "-m", metavar="NAME", help="AP, P@10, nDCG@20, map, P_10 …; repeatable."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Where the tables go, one MEASURE.csv each.")
    ],
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Score runs against judgments: one table of topics × systems per measure."""
    from truerank._support.files import make_folder, safe_name
    from truerank.readers import evaluate_all, write_scores

    del seed  # nothing here is random; every command takes it
    with progress_bar(quiet) as progress:
        tables = evaluate_all(
            qrels, runs, measures, relevance_level=relevance_level, names=names, progress=progress
        )
    folder = make_folder(output)
    targets = {measure: folder / f"{safe_name(measure)}.csv" for measure in tables}
    for measure, scores in tables.items():
        write_scores(scores, targets[measure])
    if json:
        rows = [
            {
                "measure": measure,
                "file": str(targets[measure]),
                "topics": scores.n,
                "systems": scores.m,
                "notes": list(scores.notes),
            }
            for measure, scores in tables.items()
        ]
        write_json({"tables": rows}, json)
    if json != "-":
        from truerank.cli.terminal import console, printable

        out = console()
        for measure, scores in tables.items():
            out.print(printable(f"{targets[measure]}: {measure}, {scores.n} topics, {scores.m} systems"))
        notes = dict.fromkeys(note for scores in tables.values() for note in scores.notes)
        for note in notes:
            out.print(printable(f"! {note}"))
