"""What a run leaves for people: tables and figures in its folder, and the same as one document."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from truerank._support.outputs import write_inside
from truerank.experiments.engine.experiment import Summary
from truerank.experiments.engine.run_results import Results


def write(results: Results, summary: Summary) -> list[Path]:
    """Tables (CSV, Markdown, LaTeX), methods and figures (SVG, PDF, PNG) into the run's folder; the files.

    All but ``timings`` are the same, digit by digit, whenever the run is repeated.
    """
    from truerank._support.escaping import markdown
    from truerank._support.files import safe_name
    from truerank.experiments.engine.experiment import Table
    from truerank.experiments.shared import methods
    from truerank.report import render
    from truerank.report.tables.table import csv, latex
    from truerank.report.tables.table import markdown as table_markdown

    folder = results.store.folder
    timings = Table("timings", "Processor seconds of all workers, by part of the work", results.seconds(), 1)
    found = notes(results, summary)
    listed = "\n## Notes\n\n" + "".join(f"- {markdown(note)}\n" for note in found) if found else ""
    texts = {"methods.md": methods.markdown(results) + listed}
    for one in [*summary.tables, timings]:
        name = safe_name(one.name)
        texts |= {f"{name}.csv": csv(one.frame), f"{name}.md": table_markdown(one), f"{name}.tex": latex(one)}
    drawn = render.files({name: render.svg(draw()) for name, draw in summary.figures.items()})
    return write_inside(
        folder,
        {f"tables/{name}": text for name, text in texts.items()}
        | {f"figures/{name}": data for name, data in drawn.items()},
    )


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
