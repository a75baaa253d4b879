"""`truerank reduce`: which topics to keep, and what new systems' scores on them are worth."""

from __future__ import annotations

import csv
import json
from collections.abc import Collection, Iterable
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from truerank._support.files import read_text
from truerank.cli.files import Files
from truerank.cli.options import Group, Level, MeasureOption, Seed, argument, grouped, option, progress_bar
from truerank.cli.parsing import App
from truerank.cli.score_input import Columns, FilledHumanScores, FormatOption, TransposeOption
from truerank.errors import InputError

if TYPE_CHECKING:
    from truerank.reducing import Reduction
    from truerank.report.shown import Views

app = App(name="reduce", help="Fewer topics: which to keep, and what they are worth.")

# Files of the folder that `choose` writes, beside those that it cuts.
TOPICS, MODEL, PAGE = "topics.txt", "model.json", "index.html"


def _sizes(value: str) -> str:
    """Numbers of topics, with commas between them."""
    if not all(part.strip().isdecimal() for part in value.split(",")):
        raise typer.BadParameter(f"--keep takes whole numbers with commas between them, not {value!r}")
    return value


@dataclass(kw_only=True)
class Kept(Group, heading="Reduction"):
    """How many topics are kept, for which systems, and where they are written."""

    keep: Annotated[str, option("K[,K…]", "Topics to keep; several are compared.", callback=_sizes)]
    output: Annotated[str, option("DIR", "Folder for the topics, a model and a page.", "--output", "-o")]
    for_: Annotated[
        Literal["better", "like"],
        option("WHICH", "New systems: better than all known, or like them.", "--for"),
    ] = "better"
    tau: Annotated[float | None, option("T", "Keep the fewest K whose τ with the board reaches T.")] = None
    system_families: Annotated[
        str | None, option("FILE", "CSV of system and family: near-copies.", default="found")
    ] = None
    cut: Annotated[
        list[str] | None, option("FILE", "Qrels or JSON lines to cut to the topics kept; repeatable.")
    ] = None
    level: Level = 0.95
    repeats: Annotated[int, option("N", "Times that families are dealt to five folds.", min=1)] = 10
    seed: Seed = 0


@dataclass(kw_only=True)
class NewScores(Columns, heading="Scores"):
    """A model, and scores of new systems on the topics that it keeps."""

    model: Annotated[str, argument("MODEL", "model.json, as reduce choose wrote it.")]
    sources: Annotated[list[str], argument("NEW", "Score tables of new systems.")]
    measure: MeasureOption = None
    missing: Annotated[
        Literal["error", "zero"], option("RULE", "error (default) or zero.", default=False)
    ] = "error"
    format: FormatOption = None
    transpose: TransposeOption = None
    level: Level = 0.95


@app.command(epilog="Example: truerank reduce choose scores.csv --keep 50 -o reduced")
@grouped
def choose(scores: FilledHumanScores, kept: Kept, files: Files) -> None:
    """Which topics to keep, and what are they worth for new systems?"""
    from truerank.reducing import Reduction, reduce

    families = None if kept.system_families is None else read_families(kept.system_families)
    cut = _cut_files(kept.cut or [])
    read = [*scores.files, kept.system_families, *cut.values()]
    with files.opened("reduce choose", read, Reduction) as outputs:
        outputs.folder(kept.output, [TOPICS, MODEL, PAGE, *cut], "-o")
        with progress_bar(files.quiet) as progress:
            tables = scores.read(progress)
            if len(tables) > 1:
                raise typer.BadParameter("topics are kept for one measure; give one -m")
            found = reduce(
                tables[0],
                [int(part) for part in kept.keep.split(",")],
                for_=kept.for_,
                system_families=families,
                tau=kept.tau,
                level=kept.level,
                repeats=kept.repeats,
                seed=kept.seed,
                progress=progress,
            )
        seen = files.write(outputs, [found])
        made = _folder(found, seen) | {name: cut_to(path, found.topics) for name, path in cut.items()}
        outputs.put(kept.output, made, "-o")
    files.show(seen)


def _cut_files(paths: list[str]) -> dict[str, str]:
    """The files to cut, by their names in the folder."""
    named: dict[str, str] = {}
    for path in paths:
        name = Path(path).name
        if name in (TOPICS, MODEL, PAGE) or named.setdefault(name, path) != path:
            raise typer.BadParameter(f"--cut {path}: {name} is taken in the folder; rename the file")
    return named


def _folder(found: Reduction, seen: Views) -> dict[str, str]:
    """The files of the folder, by name."""
    topics = "".join(f"{topic}\n" for topic in found.topics)
    return {TOPICS: topics, MODEL: found.model.text(), PAGE: seen.page()}


@app.command(epilog="Example: truerank reduce apply reduced/model.json new.csv")
@grouped
def apply(new: NewScores, files: Files) -> None:
    """What would new systems score on the full board, by the topics kept?"""
    from dataclasses import replace

    from truerank.readers.score_reading import read_with
    from truerank.reducing import Applied, load
    from truerank.reducing import apply as applied

    with files.opened("reduce apply", [new.model, *new.sources], Applied) as outputs:
        model = load(new.model)
        options = replace(new.options(measure=new.measure), format=new.format, transpose=new.transpose)
        source = new.sources[0] if len(new.sources) == 1 else new.sources
        scores = read_with(source, options, new.missing, ("zero",))
        seen = files.write(outputs, [applied(model, scores, level=new.level)])
    files.show(seen)


def read_families(path: str) -> dict[str, str]:
    """The family of each system, from a CSV file with these two columns, with or without a header."""
    found: dict[str, str] = {}
    for line, row in enumerate(csv.reader(read_text(path).splitlines()), 1):
        cells = [cell.strip() for cell in row]
        if not any(cells) or (line == 1 and [cell.casefold() for cell in cells] == ["system", "family"]):
            continue
        if len(cells) != 2 or not all(cells):
            raise InputError(f"{path}:{line}: not a system and its family. Write two columns: system,family.")
        if found.setdefault(cells[0], cells[1]) != cells[1]:
            raise InputError(f"{path}:{line}: {cells[0]!r} has two families. Leave one of them out.")
    return found


def cut_to(path: str, topics: Collection[str]) -> str:
    """The lines of a file that are of these topics: JSON lines, or columns with the topic first."""
    kept, lines = set(topics), read_text(path).splitlines(keepends=True)
    first = next((line for line in lines if line.strip()), "")
    names = _of_json(lines, kept) if first.lstrip().startswith("{") else _of_columns(lines)
    named = list(names)
    if absent := kept - set(named):
        raise InputError(
            f"{path}: no line for {len(absent)} of the kept topics, such as {min(absent)!r}. Give qrels "
            "or JSON lines with the names of the scores."
        )
    return "".join(line for line, name in zip(lines, named, strict=True) if name in kept)


def _of_columns(lines: Iterable[str]) -> Iterable[str]:
    return ((line.split() or [""])[0] for line in lines)


def _of_json(lines: Iterable[str], kept: set[str]) -> list[str]:
    """The value that names the topic: that of the first key which has all of the topics kept."""
    records: list[dict[str, Any]] = []
    for line in lines:
        record = None
        with suppress(ValueError):
            record = json.loads(line)
        records.append(record if isinstance(record, dict) else {})
    for key in dict.fromkeys(key for record in records for key in record):
        names = [str(record.get(key, "")) for record in records]
        if kept <= set(names):
            return names
    return [""] * len(records)
