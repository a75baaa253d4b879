"""`python -m gallery.extract SCRIPT CLONE`: the tables of the boards that a script makes, from a clone."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

from gallery.boards import DECLARED, TABLES
from gallery.extract.repository import Repository, write


def main(script: str, clone: str = ".") -> None:
    """Write the tables of one script."""
    boards = {board.table: board for board in DECLARED.values() if board.script == script}
    if not boards:
        known = ", ".join(sorted({board.script for board in DECLARED.values()}))
        sys.exit(f"no board is made by {script!r}; there are {known}")
    module = import_module(f"gallery.extract.{script}")
    for name, board in boards.items():
        table = module.table(Repository(Path(clone), board.commit), name)
        write(table, TABLES / name)
        print(f"{name}: {len(table):,} rows, {(TABLES / name).stat().st_size / 1e3:,.0f} kB")
        if board.costs:
            write(module.costs(Repository(Path(clone), board.commit)), TABLES / board.costs)


main(*sys.argv[1:])
