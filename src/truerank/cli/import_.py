"""`truerank import`: what another tool wrote, as a score table."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

import typer

from truerank._support.arguments import said_as
from truerank.cli.inputs import Cluster, Family, Measures, Qrels, Transpose, score_tables
from truerank.cli.options import Json, Quiet, RelevanceLevel, RunNames, Seed, add_json, progress_bar, writing

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix


def import_(
    format: Annotated[
        str,
        typer.Argument(metavar="FORMAT", help="auto tells it by content; else a name of docs/formats.md."),
    ],
    sources: Annotated[
        list[str],
        typer.Argument(metavar="SOURCE...", help="What the tool wrote, as assess takes it; or runs."),
    ],
    output: Annotated[
        str,
        typer.Option("--output", "-o", metavar="TABLE", help="Where to: .csv, .tsv or .parquet."),
    ],
    long: Annotated[
        bool,
        typer.Option("--long", help="A row a score; the default is a column a system, of one measure."),
    ] = False,
    qrels: Qrels = None,
    measures: Measures = None,
    missing: Annotated[
        Literal["error", "common", "complete", "model", "zero"],
        typer.Option(
            "--missing",
            metavar="error|common|complete|model|zero",
            help="Missing scores: model leaves the cells empty; the others as in assess.",
        ),
    ] = "model",
    cluster: Cluster = None,
    family: Family = None,
    transpose: Transpose = None,
    relevance_level: RelevanceLevel = None,
    names: RunNames = "tag",
    json: Json = None,
    seed: Seed = 0,
    quiet: Quiet = False,
) -> None:
    """Write any tool's results as a score table, wide or long.

    Commands read all of these directly too; the table is for other programs, and to keep.
    """
    from truerank.readers.writing import check_suffix, long_bytes, table_bytes

    del seed  # nothing here is random; every command takes it
    check_suffix(output)
    with writing("import", [*sources, qrels], quiet) as outputs, said_as(format="truerank import {}"):
        path = Path(output)
        outputs.file(path, "-o")
        outputs.file(json, "--json")
        with progress_bar(quiet) as progress:
            tables = score_tables(
                sources,
                qrels,
                measures,
                "error" if qrels is not None and missing == "model" else missing,
                relevance_level,
                names,
                progress,
                cluster,
                family,
                None if format == "auto" else format,
                transpose,
                holes=True,
            )
        if len(tables) > 1 and not long:
            raise typer.BadParameter("a wide table holds one measure; give one -m, or --long")
        data = long_bytes(tables, path) if long else table_bytes(tables[0], path)
        outputs.add(path, data)
        if json:
            add_json(outputs, {"file": output, "long": long, "tables": list(map(_described, tables))}, json)
    if json != "-":
        _show(tables, output, quiet)


def _described(scores: ScoreMatrix) -> dict[str, object]:
    return {
        "measure": scores.measure,
        "topics": scores.n,
        "systems": scores.m,
        "data_sets": len(scores.data_sets),
        "missing": _empty(scores),
        "notes": list(scores.notes),
    }


def _empty(scores: ScoreMatrix) -> int:
    return int((scores.values != scores.values).sum())


def _show(tables: list[ScoreMatrix], output: str, quiet: bool) -> None:
    """The table's size on standard output, and what was met on the way on standard error."""
    from truerank._support.wording import count
    from truerank.cli.terminal import console, printable

    out = console()
    for scores in tables:
        parts = [scores.measure, count(scores.n, "topic"), count(scores.m, "system")]
        parts += [count(scores.k, "data set")] * bool(scores.data_sets)
        parts += [count(_empty(scores), "empty cell")] * bool(_empty(scores))
        out.print(printable(f"{output}: {', '.join(part for part in parts if part)}"))
    if not quiet:
        for note in dict.fromkeys(note for scores in tables for note in scores.notes):
            typer.echo(f"! {printable(note)}", err=True)
