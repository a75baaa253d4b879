"""The folder of one run: a manifest, and finished chunks of rows, each whole or not there.

``manifest.json`` says what the run is; ``rows/START-STOP.parquet`` holds the rows of the tasks
START … STOP−1; ``timings/START-STOP.json`` the seconds spent on them, which are no result.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.files import PathLike, atomic_path, make_folder
from truerank.errors import InputError
from truerank.experiments.engine.chunk_tables import Tables, from_arrow, to_arrow
from truerank.experiments.engine.experiment import ROWS

if TYPE_CHECKING:
    from pandas import DataFrame

FORMAT = 1
MANIFEST = "manifest.json"

Chunk = tuple[int, int]
Manifest = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """Reads and writes the folder of one run."""

    folder: Path

    @classmethod
    def at(cls, folder: PathLike) -> Store:
        """The store in that folder, which need not exist."""
        return cls(Path(folder))

    def manifest(self) -> Manifest | None:
        """What was run here; ``None`` where nothing was.

        Raises:
            InputError: a manifest that cannot be read, or of another version of this format.
        """
        path = self.folder / MANIFEST
        if not path.exists():
            return None
        try:
            manifest: Manifest = json.loads(path.read_text(encoding="utf-8"))
            found = manifest["format"]
        except (ValueError, KeyError, TypeError):
            raise InputError(f"{path}: not the manifest of an experiment; choose another folder") from None
        if found != FORMAT:
            raise InputError(
                f"{path}: written in format {found}, this version reads {FORMAT}; choose another folder"
            )
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        """Write or replace the manifest, making the folders."""
        for folder in (self.rows, self.timings):
            folder.mkdir(parents=True, exist_ok=True)
        text = json.dumps(manifest, ensure_ascii=False, indent=1) + "\n"
        with atomic_path(self.folder / MANIFEST) as temporary:
            temporary.write_text(text, encoding="utf-8")

    @property
    def rows(self) -> Path:
        """Where finished rows are."""
        return self.folder / "rows"

    @property
    def timings(self) -> Path:
        """Where the seconds are."""
        return self.folder / "timings"

    def write(self, chunk: Chunk, tables: Tables, seconds: Mapping[str, float]) -> None:
        """Store a finished chunk; it appears whole, by renaming."""
        import pyarrow.parquet as pq

        with atomic_path(self._path(chunk)) as temporary:
            pq.write_table(to_arrow(tables), temporary, compression="zstd")
        with atomic_path(self.timings / f"{_name(chunk)}.json") as temporary:
            temporary.write_text(json.dumps(seconds), encoding="utf-8")

    def started(self) -> bool:
        """Whether any rows were stored."""
        return any(self.rows.glob("*.parquet"))

    def damaged(self, chunk: Chunk) -> str | None:
        """The file of a chunk that is there but cannot be read."""
        path = self._path(chunk)
        return str(path) if path.exists() and not self.has(chunk) else None

    def has(self, chunk: Chunk) -> bool:
        """Whether a chunk is finished and readable; a damaged one (after a power cut) is not."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        try:
            pq.read_metadata(self._path(chunk))
        except (FileNotFoundError, pa.ArrowInvalid):
            return False
        return True

    def read(self, chunk: Chunk, table: str = ROWS) -> DataFrame:
        """The rows of one table of a finished chunk."""
        import pyarrow.parquet as pq

        return from_arrow(pq.read_table(self._path(chunk)), table)

    def seconds(self, chunk: Chunk) -> dict[str, float]:
        """The seconds spent on a finished chunk, by part; nothing where they were lost."""
        try:
            found: dict[str, float] = json.loads((self.timings / f"{_name(chunk)}.json").read_text())
        except (OSError, ValueError):
            return {}
        return found

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one run; half-written files of killed ones are cleared away.

        The operating system lets go of the lock when the process ends, however it ends.

        Raises:
            InputError: another run holds it.
        """
        make_folder(self.folder)
        with open(self.folder / ".lock", "w") as file:
            try:
                import fcntl

                fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except ImportError:  # no such locks on this system: two runs would only do work twice
                pass
            except OSError:
                raise InputError(
                    f"{self.folder}: another run is writing in this folder; wait for it, or choose another"
                ) from None
            for leftover in [*self.folder.glob("*/.*-*"), *self.folder.glob(".manifest-*")]:
                leftover.unlink(missing_ok=True)
            yield

    def _path(self, chunk: Chunk) -> Path:
        return self.rows / f"{_name(chunk)}.parquet"


def _name(chunk: Chunk) -> str:
    return f"{chunk[0]:08}-{chunk[1]:08}"


def chunks(tasks: int, size: int) -> list[Chunk]:
    """The tasks cut into chunks of that size, always in the same places.

    >>> chunks(5, 2)
    [(0, 2), (2, 4), (4, 5)]
    """
    return [(start, min(start + size, tasks)) for start in range(0, tasks, size)]
