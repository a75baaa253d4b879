"""The tables of a run as files."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from truerank._support.files import atomic_path, make_folder, safe_name
from truerank.experiments.engine.experiment import Table
from truerank.report.tables.table import csv, latex, markdown


def write(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Each table as CSV, Markdown and LaTeX into a folder, made if need be; returns what was written."""
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
