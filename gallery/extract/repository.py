"""Files of a clone at the commit that a board is made from, and tables with the same bytes every time."""

from __future__ import annotations

import gzip
import io
import json
import os
import subprocess
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any


@dataclass(frozen=True)
class Repository:
    """A clone, bare or not, looked at in one commit."""

    clone: Path
    commit: str

    def _git(self, *arguments: str) -> bytes:
        return subprocess.run(
            ["git", "-C", str(self.clone), *arguments], check=True, stdout=subprocess.PIPE
        ).stdout

    def names(self, folder: str) -> list[str]:
        """Paths of the files below a folder."""
        listed = self._git("ls-tree", "-r", "--name-only", self.commit, folder + "/")
        return listed.decode().splitlines()

    def text(self, name: str) -> str:
        """One file; raises CalledProcessError where the clone has none (it may leave out large files)."""
        return self._git("show", f"{self.commit}:{name}").decode()

    def documents(self, names: list[str]) -> Iterator[tuple[str, Any]]:
        """JSON documents with their paths; files that a partial clone left out are skipped."""
        for name, content in self.contents(names):
            yield name, json.loads(content)

    def contents(self, names: list[str]) -> Iterator[tuple[str, bytes]]:
        """The same of any files."""
        asked = "".join(f"{self.commit}:{name}\n" for name in names)
        process = subprocess.run(
            ["git", "-C", str(self.clone), "cat-file", "--batch"],
            input=asked.encode(),
            check=True,
            stdout=subprocess.PIPE,
            env={**os.environ, "GIT_NO_LAZY_FETCH": "1"},
        )
        stream = io.BytesIO(process.stdout)
        for name in names:
            header = stream.readline().split()
            if header[-1] == b"missing":
                continue
            yield name, stream.read(int(header[2]))
            stream.read(1)


def write(table: Any, path: Path) -> None:
    """A data frame as CSV in gzip, without a date, so that the same table has the same bytes."""
    with path.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as packed:
        packed.write(table.to_csv(index=False, lineterminator="\n").encode())
