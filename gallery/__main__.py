"""`python -m gallery [BOARD …]`: compute the results of boards from their tables, all unless named."""

from __future__ import annotations

import sys
from concurrent.futures import ThreadPoolExecutor

from gallery.boards import BOARDS
from gallery.results import RESULTS, compute, text_of


def store(key: str) -> None:
    """Compute one board, and store its result."""
    (RESULTS / f"{key}.json").write_text(text_of(compute(BOARDS[key])), "utf-8")
    print(key, flush=True)


if __name__ == "__main__":
    unknown = [key for key in sys.argv[1:] if key not in BOARDS]
    if unknown:
        sys.exit(f"no board {unknown[0]!r}; there are {', '.join(BOARDS)}")
    RESULTS.mkdir(exist_ok=True)
    with ThreadPoolExecutor(2) as pool:  # each waits for a process of its own
        list(pool.map(store, sys.argv[1:] or BOARDS))
