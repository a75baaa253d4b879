"""What a run leaves for people: tables and figures in its folder, and the same as one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from truerank.experiments.engine.experiment import Summary
from truerank.experiments.engine.run_results import Results


def write(results: Results, summary: Summary) -> list[Path]:
    """Tables (CSV, Markdown, LaTeX) and figures (SVG, PDF, PNG) into the run's folder; returns the files.

    All but ``timings`` are the same, digit by digit, whenever the run is repeated.
    """
    from truerank.experiments.engine.experiment import Table
    from truerank.experiments.shared import tables
    from truerank.report import render

    folder = results.store.folder
    timings = Table("timings", "Processor seconds of all workers, by part of the work", results.seconds(), 1)
    written = tables.write([*summary.tables, timings], folder / "tables")
    documents = {name: render.svg(draw()) for name, draw in summary.figures.items()}
    return written + render.write_files(documents, folder / "figures")


def document(results: Results, summary: Summary) -> dict[str, Any]:
    """The results so far as JSON-ready data; ``None`` for what has no value."""
    from truerank._support.plain import plain

    found: dict[str, Any] = plain(
        {
            "experiment": results.manifest["experiment"],
            "parameters": results.manifest["parameters"],
            "seed": results.manifest["seed"],
            "data": results.manifest["data"],
            "versions": results.manifest["versions"],
            "done": results.done,
            "total": results.total,
            "seconds": {row["part"]: row["seconds"] for row in results.seconds().to_dict("records")},
            "tables": {table.name: table.frame.to_dict("records") for table in summary.tables},
        }
    )
    return found
