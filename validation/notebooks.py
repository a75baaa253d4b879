"""The notebooks of docs/notebooks run as they stand, and show what they showed.

A notebook is stored with its outputs, and the site makes a page of it. `make test` runs one of them, too.
"""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

from validation.checks import Checks, NoDataError

if TYPE_CHECKING:
    from nbformat import NotebookNode

FOLDER = Path(__file__).resolve().parents[1] / "docs" / "notebooks"

NAMES = ("a-against-b", "trec-campaign", "leaderboard")
"""The quickest first."""


def notebook(name: str) -> NotebookNode:
    """A notebook as it is stored."""
    import nbformat

    return nbformat.read(FOLDER / f"{name}.ipynb", as_version=4)


def executed(stored: NotebookNode) -> NotebookNode:
    """The same notebook, run anew in an empty folder; what it leaves there is thrown away."""
    import nbformat
    from nbclient import NotebookClient

    fresh: NotebookNode = nbformat.v4.new_notebook()
    for place, cell in enumerate(stored.cells):
        make = nbformat.v4.new_code_cell if cell.cell_type == "code" else nbformat.v4.new_markdown_cell
        fresh.cells.append(make(cell.source, id=f"cell-{place}"))
    with tempfile.TemporaryDirectory() as folder:
        NotebookClient(
            fresh, timeout=600, coalesce_streams=True, resources={"metadata": {"path": folder}}
        ).execute()
    fresh.metadata = {"language_info": {"name": "python"}}  # not that of the machine
    for cell in fresh.cells:
        cell.metadata.clear()  # when each cell was run
    return fresh


def outputs(cell: Any) -> list[Any]:
    """What a cell shows, without how often it was run."""
    return [output.get("data", output.get("text")) for output in cell.get("outputs", [])]


def differences(stored: NotebookNode, again: NotebookNode) -> list[str]:
    """Cells whose code shows something else than is stored."""
    return [
        f"{one.source[:60]!r}: {outputs(one)} became {outputs(other)}"[:400]
        for one, other in zip(stored.cells, again.cells, strict=True)
        if outputs(one) != outputs(other)
    ]


def run(checks: Checks) -> None:
    """Run all of them, and compare what they show with what is stored."""
    try:
        import nbclient  # noqa: F401
    except ImportError:
        raise NoDataError("nbclient is not installed") from None
    for name in NAMES:
        stored = notebook(name)
        different = differences(stored, executed(stored))
        checks.that(f"the notebook {name} shows what is stored", not different, "; ".join(different))
