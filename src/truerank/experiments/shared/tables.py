"""Tables of results as CSV (every digit), Markdown and LaTeX (for reading)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from truerank._support.files import atomic_path, make_folder, safe_name
from truerank.experiments.engine.experiment import Table


def cell(value: Any, digits: int) -> str:
    """A value as people read it: a fixed number of digits, a dash where there is none."""
    if isinstance(value, float):
        if not math.isfinite(value):
            return "–"
        return f"{value:,.0f}" if value.is_integer() and abs(value) >= 2 else f"{value:.{digits}f}"
    return str(value)


def markdown(table: Table) -> str:
    """The table as Markdown, its caption above."""
    frame = table.frame
    numeric = [kind.kind in "fiu" for kind in frame.dtypes]
    lines = [
        "| " + " | ".join(str(name) for name in frame.columns) + " |",
        "| " + " | ".join("---:" if n else "---" for n in numeric) + " |",
    ]
    for row in frame.itertuples(index=False):
        cells = (cell(value, table.digits).replace("|", "\\|") for value in row)
        lines.append("| " + " | ".join(cells) + " |")
    return f"{table.caption}.\n\n" + "\n".join(lines) + "\n"


def latex(table: Table) -> str:
    """The table as LaTeX for the booktabs package."""
    frame = table.frame.rename(columns=lambda name: str(name).replace("_", " "))
    styler = frame.style.hide(axis="index").format(lambda value: _tex(cell(value, table.digits)))
    styler = styler.format_index(lambda name: _tex(str(name)), axis="columns")
    kinds = "".join("r" if kind.kind in "fiu" else "l" for kind in table.frame.dtypes)
    text: str = styler.to_latex(hrules=True, caption=_tex(table.caption), column_format=kinds)
    return text


def _tex(text: str) -> str:
    for plain, escaped in (("\\", r"\textbackslash "), *((c, "\\" + c) for c in "&%$#_{}")):
        text = text.replace(plain, escaped)
    return (
        text.replace("–", "--").replace("−", "$-$").replace("τ", r"$\tau$").replace("~", r"\textasciitilde ")
    )


def write(tables: Sequence[Table], folder: Path) -> list[Path]:
    """Each table as CSV, Markdown and LaTeX into a folder, made if need be; returns what was written."""
    make_folder(folder)
    written = []
    for table in tables:
        contents = {
            ".csv": table.frame.to_csv(index=False),
            ".md": markdown(table),
            ".tex": latex(table),
        }
        for suffix, text in contents.items():
            target = folder / (safe_name(table.name) + suffix)
            with atomic_path(target) as temporary:
                temporary.write_text(text, encoding="utf-8")
            written.append(target)
    return written
