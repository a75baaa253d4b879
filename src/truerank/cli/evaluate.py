"""`truerank evaluate`: runs and qrels to one score table per measure."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from truerank.cli.inputs import Format
from truerank.cli.options import (
    Json,
    Overwrite,
    Quiet,
    RelevanceLevel,
    RunNames,
    Seed,
    add_json,
    progress_bar,
    writing,
)


def evaluate(
    runs: Annotated[
        list[str],
        typer.Argument(metavar="RUN", help="Run files in any format (docs/formats.md), or folders of them."),
    ],
    qrels: Annotated[
        str,
        typer.Option("--qrels", metavar="FILE|ID", help="Relevance judgments, or an id of ir_datasets."),
    ],
    measures: Annotated[
        list[str],
        typer.Option("--measure", "-m", metavar="NAME", help="AP, P@10, nDCG@20, map, P_10 …; repeatable."),
    ],
    output: Annotated[
        str, typer.Option("--output", "-o", metavar="DIR", help="Where the tables go, one MEASURE.csv each.")
    ],
    machine_qrels: Annotated[
        str | None,
        typer.Option("--machine-qrels", metavar="FILE", help="With --sampled: judgments by a machine."),
    ] = None,
    sampled: Annotated[
        bool,
        typer.Option(
            "--sampled",
            help="Of every topic --qrels has a random sample of the documents of --machine-qrels, judged by "
            "people: they correct the machine's scores. For P@k, nDCG and RBP(rel=1).",
        ),
    ] = False,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    format: Format = None,
    overwrite: Overwrite = False,
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Score runs against judgments: one table of topics × systems per measure."""
    from truerank._support.files import safe_name
    from truerank.readers import evaluate, evaluate_sampled
    from truerank.readers.evaluation import measure_names
    from truerank.readers.sampled_judgments import linear_measure
    from truerank.readers.writing import table_text

    del seed  # nothing here is random; every command takes it
    if sampled != (machine_qrels is not None):
        raise typer.BadParameter(
            "--sampled goes with --machine-qrels: people judged a sample of every topic's documents; for "
            "whole topics by either judge evaluate each qrels by itself, or use assess --machine-qrels"
        )
    if sampled and format is not None:
        raise typer.BadParameter("--format is not for --sampled; there the content of a run says its format")
    with writing("evaluate", [*runs, qrels, machine_qrels], quiet, overwrite=overwrite) as outputs:
        if sampled:
            called = [linear_measure(name, relevance_level).name for name in measures]
        else:
            called = measure_names(measures, relevance_level)
        files = {measure: f"{safe_name(measure)}.csv" for measure in called}
        outputs.folder(output, files.values(), "-o")
        outputs.file(json, "--json")
        with progress_bar(quiet) as progress:
            if machine_qrels is not None:
                tables = evaluate_sampled(
                    qrels,
                    machine_qrels,
                    runs,
                    measures,
                    relevance_level=relevance_level,
                    names=names,
                    progress=progress,
                )
            else:
                tables = evaluate(
                    qrels,
                    runs,
                    measures,
                    relevance_level=relevance_level,
                    names=names,
                    format=format,
                    progress=progress,
                )
        targets = {measure: Path(output) / files[measure] for measure in tables}
        texts = {files[m]: table_text(scores, targets[m]) for m, scores in tables.items()}
        outputs.put(output, texts, "-o")
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
            add_json(outputs, {"tables": rows}, json)
    if json != "-":
        from truerank.cli.terminal import console, printable

        out = console()
        for measure, scores in tables.items():
            out.print(printable(f"{targets[measure]}: {measure}, {scores.n} topics, {scores.m} systems"))
        notes = dict.fromkeys(note for scores in tables.values() for note in scores.notes)
        for note in notes:
            out.print(printable(f"! {note}"))
