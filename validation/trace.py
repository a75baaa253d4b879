"""How much of the package one command walks through: files, functions, and calls from file to file.

    python -m validation.trace [--pairs]

A file counts when one of its functions is entered; class bodies, comprehensions and what imports run are left
out. A move is a call from a function of one file to a function of another. With --pairs, the pairs of files
with most of them.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np

import truerank
from truerank.__main__ import main

PACKAGE = Path(truerank.__file__).parent
COMMANDS = {
    "assess --html": ["assess", "scores.csv", "--html", "page.html", "--quiet"],
    "gate": ["gate", "scores.csv", "--baseline", "s2", "--candidate", "s1", "--quiet"],
}
OPTIMIZED = 0x01
"""The flag of code that is a function: modules and class bodies lack it."""


@dataclass
class Walk:
    """The functions that were entered, and the calls that led from one file to another."""

    functions: set[tuple[str, str]] = field(default_factory=set)
    moves: Counter[tuple[str, str]] = field(default_factory=Counter)

    def __call__(self, frame: FrameType, event: str, _: Any) -> None:
        """Take one event of the interpreter."""
        if event != "call" or (callee := _file(frame)) is None:
            return
        self.functions.add((callee, frame.f_code.co_qualname))
        caller = frame.f_back
        while caller is not None and _file(caller) is None:
            caller = caller.f_back
        if caller is not None and _file(caller) != callee:
            self.moves[str(_file(caller)), callee] += 1

    @property
    def files(self) -> set[str]:
        """The files of the functions that were entered."""
        return {name for name, _ in self.functions}


def _file(frame: FrameType) -> str | None:
    """The file of a function of the package; none for other code, modules, classes and comprehensions."""
    code = frame.f_code
    if not code.co_flags & OPTIMIZED or code.co_name.startswith("<") or not _inside(code.co_filename):
        return None
    return code.co_filename[len(str(PACKAGE)) + 1 :]


def _inside(path: str) -> bool:
    return path.startswith(str(PACKAGE)) and path.endswith(".py")  # templates have lines of code, too


def walked(words: list[str]) -> Walk:
    """One command on 22 systems and 50 topics, run in this process."""
    rng = np.random.default_rng(1)
    scores = np.clip(0.4 + 0.1 * rng.normal(size=(50, 1)) + 0.1 * rng.normal(size=(50, 22)), 0, 1)
    with tempfile.TemporaryDirectory() as folder:
        header = ",".join(["topic", *(f"s{i}" for i in range(1, 23))])
        lines = [f"q{t}," + ",".join(f"{x:.4f}" for x in row) for t, row in enumerate(scores, start=1)]
        Path(folder, "scores.csv").write_text("\n".join([header, *lines]) + "\n", encoding="utf-8")
        walk, argv = Walk(), sys.argv
        sys.argv = ["truerank", *(str(Path(folder, word)) if "." in word else word for word in words)]
        sys.setprofile(walk)
        try:
            main()
        except SystemExit:
            pass
        finally:
            sys.setprofile(None)
            sys.argv = argv
    return walk


if __name__ == "__main__":
    for name, words in COMMANDS.items():
        walk = walked(words)
        entered = f"{len(walk.files)} files, {len(walk.functions):,} functions"
        print(f"{name}: {entered}, {walk.moves.total():,} moves", file=sys.stderr)
        if "--pairs" in sys.argv:
            for (caller, callee), count in walk.moves.most_common(40):
                print(f"{count:7,}  {caller} → {callee}", file=sys.stderr)
