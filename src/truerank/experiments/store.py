"""The folder of one run: a manifest, and finished chunks of rows, each whole or not there.

``manifest.json`` says what the run is and holds a checksum of itself. ``rows/START-STOP-RUN-SHA256.parquet``
holds the rows of the tasks START … STOP−1 of the run with that digest, under the SHA-256 of its own bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.files import checksum, make_folder
from truerank._support.outputs import write_folder
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import Row

if TYPE_CHECKING:
    from pandas import DataFrame

Manifest = dict[str, Any]
Chunk = tuple[int, int]
Tables = Mapping[str, list[Row]]  # rows by the name of their table

FORMAT = 3  # of the folder's layout; raised when an older truerank could not read it correctly
MANIFEST, LOCK, ROWS = "manifest.json", ".lock", "rows"
_ROWS_FILE = re.compile(r"(\d{8,})-(\d{8,})-([0-9a-f]{12})-([0-9a-f]{64})\.parquet")
# What a run that was killed before its first rows may have left of the manifest.
_HALF_WRITTEN = re.compile(r"\.manifest-[0-9a-f]{12}\.json")


@dataclass(frozen=True)
class Store:
    """Reads and writes the folder of one run."""

    folder: Path

    @property
    def rows(self) -> Path:
        return self.folder / ROWS

    def manifest(self) -> Manifest | None:
        """What was run here; ``None`` where nothing was."""
        path = self.folder / MANIFEST
        try:
            data = path.read_bytes()
        except (FileNotFoundError, NotADirectoryError):
            return None
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); choose another folder") from None
        try:
            manifest: Manifest = json.loads(data)
            layout = manifest["format"]
            del manifest["checksum"]
            whole = data == _spelled(manifest)
        except (ValueError, LookupError, TypeError, RecursionError):
            whole = False
        if not whole:
            raise InputError(
                f"{path}: damaged, or not the manifest of an experiment; choose another folder. "
                "If one ran here, move this file away and repeat its command: it goes on from its rows"
            )
        if layout != FORMAT:
            raise InputError(
                f"{path}: layout {layout}, this truerank reads {FORMAT}; upgrade truerank, "
                "or choose another folder"
            )
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        write_folder(self.folder, {MANIFEST: _spelled(manifest)}, overwrite=True)

    def write(self, chunk: Chunk, tables: Tables, run: str) -> None:
        """Store a finished chunk of the run with that digest; it appears whole, by renaming."""
        import pyarrow.parquet as pq

        buffer = BytesIO()
        pq.write_table(to_arrow(tables), buffer, compression="zstd")
        data = buffer.getvalue()
        name = f"{chunk[0]:08}-{chunk[1]:08}-{run}-{hashlib.sha256(data).hexdigest()}.parquet"
        write_folder(self.folder, {f"{ROWS}/{name}": data}, overwrite=True)

    def look(self, run: str) -> tuple[dict[Chunk, Path], list[Path]]:
        """The files of that run by their chunks, and those that are damaged. Reads all of them."""
        finished: dict[Chunk, Path] = {}
        damaged = []
        for path in sorted(map(self.rows.joinpath, _names(self.rows))):
            match = _ROWS_FILE.fullmatch(path.name)
            if match is None or match[3] != run:
                continue
            if _intact(path) is None:
                damaged.append(path)
            else:
                finished.setdefault((int(match[1]), int(match[2])), path)
        return finished, damaged

    def read(self, path: Path, table: str) -> DataFrame:
        """The rows of one table of a file that :meth:`look` found."""
        import pyarrow.parquet as pq

        data = _intact(path)
        if data is None:
            raise InputError(f"{path}: damaged; the command that ran here computes it anew")
        return from_arrow(pq.read_table(BytesIO(data)), table)

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one run: the system lets go of the lock however the process ends."""
        from filelock import FileLock, Timeout

        if self.manifest() is None:
            for name in _names(self.folder):
                if name not in (LOCK, ROWS) and not _HALF_WRITTEN.fullmatch(name):
                    raise InputError(
                        f"{self.folder}: holds {name!r} and no experiment; choose a new or an empty folder"
                    )
        path = make_folder(self.folder) / LOCK
        # Never the library's substitute for missing system locks: that file would outlive a killed run.
        held = FileLock(path, timeout=0, fallback_to_soft=False)
        try:
            held.acquire()
        except Timeout:
            raise InputError(
                f"{self.folder}: another run is writing in this folder; wait for it, or choose another"
            ) from None
        except (OSError, NotImplementedError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{path}: cannot be locked ({reason}); choose another folder") from None
        try:
            yield
        finally:
            held.release()


def _intact(path: Path) -> bytes | None:
    """The bytes of a file of rows if they are those that were written."""
    try:
        data = path.read_bytes()
    except PermissionError:
        raise InputError(f"{path}: no permission to read it; change its mode or ask its owner") from None
    except OSError:  # a folder, or a disk that fails
        return None
    return data if path.stem.endswith("-" + hashlib.sha256(data).hexdigest()) else None


def _spelled(manifest: Manifest) -> bytes:
    document = {"format": manifest["format"], "checksum": checksum(manifest), **manifest}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


def _names(folder: Path) -> list[str]:
    """What is in a folder; nothing where there is none."""
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); choose another folder") from None


def to_arrow(tables: Tables) -> Any:
    """One row with a column for each table: the list of its rows."""
    import pyarrow as pa

    columns = {}
    for name, rows in tables.items():
        records = pa.Table.from_pylist(rows).to_struct_array().combine_chunks() if rows else pa.nulls(0)
        columns[name] = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), records)
    return pa.table(columns)


def from_arrow(stored: Any, table: str) -> DataFrame:
    """The rows of one table out of what :func:`to_arrow` made; no columns where there are no rows."""
    import pyarrow as pa

    if table not in stored.column_names:
        raise unknown_name("table", table, stored.column_names)
    records = stored.column(table).combine_chunks().flatten()
    return (pa.Table.from_struct_array(records) if len(records) else pa.table({})).to_pandas()
