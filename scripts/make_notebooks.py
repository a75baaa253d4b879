"""The notebooks of docs/notebooks, run once more: `python scripts/make_notebooks.py [NAME …]`.

Each is run in an empty folder and written back with what it shows.
"""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from validation.notebooks import FOLDER, NAMES, executed, notebook


def main(names: list[str]) -> None:
    """Run them, and write them back."""
    import nbformat

    for name in names or NAMES:
        text = nbformat.writes(executed(notebook(name))).rstrip("\n")
        (FOLDER / f"{name}.ipynb").write_text(f"{text}\n", encoding="utf-8")
        print(name)


if __name__ == "__main__":
    main(sys.argv[1:])
