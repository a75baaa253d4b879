"""`truerank import`: what another tool wrote, as a score table."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from truerank._support.arguments import speaking_of_options
from truerank._support.notes import distinct
from truerank._support.plain import plain
from truerank._support.version import __version__
from truerank._support.wording import count, sentence
from truerank.cli.command import Group, UsageError, argument, command, option, switch
from truerank.cli.files import Document, with_warnings
from truerank.cli.options import Seed
from truerank.cli.score_input import HumanScores, ScoreInput
from truerank.errors import InputError
from truerank.readers.options import Missing

if TYPE_CHECKING:
    from truerank.scores import ScoreMatrix


@dataclass(frozen=True, kw_only=True)
class Imported(HumanScores):
    """What another tool wrote, its format first."""

    format: Annotated[str, argument("FORMAT", "Found by content if left out; a wrong one lists all.")] = (
        "auto"
    )
    sources: Annotated[
        list[str], argument("SOURCE...", "Files of the tool, as assess takes them; or runs.", default=True)
    ] = ()  # type: ignore[assignment]
    missing: Annotated[
        Missing,
        option(
            "error|common|complete|model|zero",
            "Missing scores: model leaves the cells empty; the others as in assess.",
        ),
    ] = "model"


@dataclass(kw_only=True)
class Table(Group, heading="Table"):
    """The table to write."""

    output: Annotated[str, option("TABLE", "File to write: .csv, .tsv or .parquet.", "--output", "-o")]
    long: Annotated[bool, switch("One row per score, instead of one column per system.")] = False
    seed: Seed = 0


@command("import", "results/ -o scores.csv")
def import_(scores: Imported, table: Table, document: Document) -> None:
    """Write any tool's results as a score table, wide or long.

    Commands read all of these directly too; the table is for other programs, and to keep.
    """
    from truerank.readers.writing import check_suffix, long_bytes, table_bytes

    check_suffix(table.output)
    given = _with_sources(scores)
    with (
        document.opened(given.files) as outputs,
        speaking_of_options(format=lambda value: f"truerank import {value or 'FORMAT'}"),
    ):
        path = Path(table.output)
        outputs.file(path, "-o")
        with document.progress() as progress:
            tables = given.read(progress)
        if len(tables) > 1 and not table.long:
            raise UsageError("a wide table holds one measure; give one -m, or --long")
        outputs.add(path, long_bytes(tables, path) if table.long else table_bytes(tables[0], path))
        described = [
            {"measure": item.measure, "topics": item.n, "systems": item.m, "data_sets": len(item.data_sets)}
            | {"missing": _empty(item), **with_warnings(item)}
            | ({"reading": plain(item.reading)} if item.reading else {})
            for item in tables
        ]
        made = {"file": table.output, "long": table.long, "tables": described, "version": __version__}
        document.add(outputs, made)
    lines = [f"{table.output}: {_size(scores)}" for scores in tables]
    lines += dict.fromkeys(
        sentence(f"{scores.noun}s{scores.reading.line.removeprefix('topics')}")
        for scores in tables
        if scores.reading is not None and scores.reading.certain
    )
    document.say(lines, distinct(note for scores in tables for note in scores.notes))


def _with_sources(scores: Imported) -> ScoreInput:
    """The input as other commands have it; its format is told by content where the first word is a file."""
    from truerank.readers.formats.format import FORMATS
    from truerank.readers.run_formats import RUN_FORMATS

    name = scores.format.replace("-", "_")
    known = name == "auto" or name in FORMATS or name in RUN_FORMATS
    sources = [*(scores.sources or ())]
    if not known and Path(scores.format).exists():
        sources, name = [scores.format, *sources], "auto"
    if not sources:
        raise InputError("SOURCE... is missing. Example: truerank import results/ -o scores.csv")
    # Runs have no empty cells.
    missing = "error" if scores.qrels is not None and scores.missing == "model" else scores.missing
    return replace(scores, sources=sources, missing=missing, format=None if name == "auto" else name)  # type: ignore[arg-type]


def _empty(scores: ScoreMatrix) -> int:
    return int((scores.values != scores.values).sum())


def _size(scores: ScoreMatrix) -> str:
    parts = [scores.measure, count(scores.n, "topic"), count(scores.m, "system")]
    parts += [count(scores.k, "data set")] * bool(scores.data_sets)
    parts += [count(_empty(scores), "empty cell")] * bool(_empty(scores))
    return ", ".join(part for part in parts if part)
