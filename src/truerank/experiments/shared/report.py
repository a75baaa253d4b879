"""What a run leaves for people: tables and figures in its folder, and the same as one document."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truerank._support.files import atomic_path, make_folder, safe_name
from truerank.experiments.engine.experiment import Summary, Table
from truerank.experiments.engine.run_results import Results


def write(results: Results, summary: Summary) -> list[Path]:
    """Tables (CSV, Markdown, LaTeX), methods and figures (SVG, PDF, PNG) into the run's folder; the files.

    All but ``timings`` are the same, digit by digit, whenever the run is repeated.
    """
    from truerank.experiments.shared import methods
    from truerank.report import render
    from truerank.report.words import printable

    folder = results.store.folder
    timings = Table("timings", "Processor seconds of all workers, by part of the work", results.seconds(), 1)
    written = _write_tables([*summary.tables, timings], folder / "tables")
    about = folder / "tables" / "methods.md"
    with atomic_path(about) as temporary:
        found = notes(results, summary)
        listed = "\n## Notes\n\n" + "".join(f"- {printable(note)}\n" for note in found) if found else ""
        temporary.write_text(methods.markdown(results) + listed, encoding="utf-8", newline="\n")
    written.append(about)
    documents = {name: render.svg(draw()) for name, draw in summary.figures.items()}
    return written + render.write_files(documents, folder / "figures")


def _write_tables(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Each table as CSV, Markdown and LaTeX into a folder, made if need be; returns what was written."""
    from truerank.report.tables.table import csv, latex, markdown

    make_folder(folder)
    written = []
    for table in tables:
        contents = {".csv": csv(table.frame), ".md": markdown(table), ".tex": latex(table)}
        for suffix, text in contents.items():
            target = folder / (safe_name(table.name) + suffix)
            with atomic_path(target) as temporary:
                temporary.write_text(text, encoding="utf-8", newline="\n")
            written.append(target)
    return written


def notes(results: Results, summary: Summary) -> tuple[str, ...]:
    """What to know of the results: what is left out of the data, then the notes of the summary."""
    data = [f"{one['name']}: {note}" for one in results.manifest["data"] for note in one.get("notes", ())]
    return (*data, *summary.notes)


def document(results: Results, summary: Summary) -> dict[str, Any]:
    """The results so far as JSON-ready data; ``None`` for what has no value.

    What the run compares is there by kind (``estimators``, ``coefficients`` …) with what each says of itself.
    """
    from truerank._support.plain import plain
    from truerank.experiments.shared import methods

    manifest = results.manifest
    return plain(
        methods.document(results)
        | {key: manifest[key] for key in ("experiment", "parameters", "seed", "data")}
        | {"notes": list(notes(results, summary)), "versions": manifest["versions"]}
        | {"done": results.done, "total": results.total}
        | {"seconds": {row["part"]: row["seconds"] for row in results.seconds().to_dict("records")}}
        | {"tables": {table.name: table.frame.to_dict("records") for table in summary.tables}}
    )
