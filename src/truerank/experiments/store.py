"""The folder of one run: a manifest, and finished chunks of rows, each whole or not there.

``manifest.json`` says what the run is and holds a checksum of itself. ``rows/START-STOP-SHA256.parquet``
holds the rows of the tasks START … STOP−1, under the SHA-256 of its own bytes, and names the run that it
belongs to. Damaged rows are moved to ``damaged/``. Nothing else is read or written, nothing is removed, and
no link is followed.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.files import PathLike, checksum, make_folder
from truerank._support.outputs import write_folder
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import SOLE_TABLE, Row

if TYPE_CHECKING:
    from pandas import DataFrame

Manifest = dict[str, Any]

FORMAT = 2  # of the folder's layout; raised when an older truerank could not read it correctly
MANIFEST, LOCK, ROWS, DAMAGED = "manifest.json", ".lock", "rows", "damaged"
REPORTED = ("tables", "figures")  # folders of what is made of the rows for people
_FINISHED = re.compile(r"(\d{8,})-(\d{8,})-([0-9a-f]{64})\.parquet")
# What a run that was killed before its first rows may have left of the manifest.
_HALF_WRITTEN = re.compile(r"\.manifest-[0-9a-f]{12}\.json")
_RUN = b"truerank"  # key of a rows file's metadata under which it says which chunk of which run it is

Chunk = tuple[int, int]
Tables = Mapping[str, list[Row]]  # rows by the name of their table


@dataclass(frozen=True)
class Found:
    """The rows in a folder: files of this run's chunks, and those that cannot be used, with the reason."""

    finished: dict[Chunk, Path] = field(default_factory=dict)
    unusable: dict[Path, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Store:
    """Reads and writes the folder of one run."""

    folder: Path

    @classmethod
    def at(cls, folder: PathLike) -> Store:
        """The store in that folder, which need not exist."""
        if not os.fspath(folder):
            raise InputError("the folder of an experiment has no name; name one ('.' is the current folder)")
        return cls(Path(folder))

    @property
    def rows(self) -> Path:
        """Where finished rows are."""
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
        """Write or replace the manifest, making the folder."""
        write_folder(self.folder, {MANIFEST: _spelled(manifest)}, overwrite=True)

    def write(self, chunk: Chunk, tables: Tables, run: str) -> None:
        """Store a finished chunk of that run; it appears whole, by renaming."""
        import pyarrow.parquet as pq

        table = to_arrow(tables).replace_schema_metadata({_RUN: _mark(chunk, run)})
        buffer = BytesIO()
        pq.write_table(table, buffer, compression="zstd")
        data = buffer.getvalue()
        name = f"{chunk[0]:08}-{chunk[1]:08}-{hashlib.sha256(data).hexdigest()}.parquet"
        write_folder(self.folder, {f"{ROWS}/{name}": data}, overwrite=True)

    def started(self) -> bool:
        """Whether anything came of the run that the manifest describes."""
        return bool(self._stored()) or any((self.folder / name).exists() for name in (DAMAGED, *REPORTED))

    def look(self, run: str) -> Found:
        """Check every file of rows: its bytes, and that it belongs to that run. Reads all of them."""
        import pyarrow.parquet as pq

        result = Found()
        for path in self._stored():
            chunk, data = _chunk(path), _intact(path)
            if data is None:
                result.unusable[path] = "damaged (its checksum does not match)"
            elif (pq.read_schema(BytesIO(data)).metadata or {}).get(_RUN) != _mark(chunk, run):
                result.unusable[path] = "rows of another run"
            else:
                result.finished.setdefault(chunk, path)
        return result

    def read(self, path: Path, table: str = SOLE_TABLE) -> DataFrame:
        """The rows of one table of a file that :meth:`look` found."""
        import pyarrow.parquet as pq

        data = _intact(path)
        if data is None:
            raise InputError(f"{path}: damaged; the command that ran here computes it anew")
        return from_arrow(pq.read_table(BytesIO(data)), table)

    def set_aside(self, path: Path) -> Path:
        """Move a file of rows out of the way, never over another; returns where to."""
        target, copies = self.folder / DAMAGED / path.name, 1
        while os.path.lexists(target):
            copies += 1
            target = target.with_name(f"{path.stem}-{copies}{path.suffix}")
        try:
            target.parent.mkdir(exist_ok=True)
            path.rename(target)
        except OSError as error:
            raise InputError(
                f"{path}: damaged, and cannot be moved to {target.parent} ({error.strerror}); "
                "move it yourself"
            ) from None
        return target

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one run: the system lets go of the lock however the process ends."""
        from filelock import FileLock, Timeout

        if self.manifest() is None and not self._stored():
            for name in (entry.name for entry in _entries(self.folder)):
                if name not in (LOCK, ROWS) and not _HALF_WRITTEN.fullmatch(name):
                    raise InputError(
                        f"{self.folder}: holds {name!r} and no experiment; choose a new or an empty folder"
                    )
        make_folder(self.folder)
        # Before the work: what this run will write, whatever a received folder has in its place.
        self._refuse_links()
        path = self.folder / LOCK
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

    def _refuse_links(self) -> None:
        """Refuse a folder in which a file or folder of a run is or contains a link."""
        for name in (MANIFEST, LOCK, ROWS, DAMAGED, *REPORTED):
            path = self.folder / name
            inner = [path] if path.is_symlink() or not path.is_dir() else [path, *path.iterdir()]
            for item in inner:
                if item.is_symlink():
                    raise InputError(
                        f"{item}: a link, which is not followed; remove it, or choose another folder"
                    )
            if path.exists() and not (path.is_file() or path.is_dir()):
                raise InputError(f"{path}: not a regular file; remove it, or choose another folder")

    def _stored(self) -> list[Path]:
        """Files of rows by their names, in order of the tasks."""
        paths = [Path(entry.path) for entry in _entries(self.rows) if _FINISHED.fullmatch(entry.name)]
        return sorted(paths, key=lambda path: (*_chunk(path), path.name))


def _chunk(path: Path) -> Chunk:
    """The chunk that a file of rows is named for."""
    start, stop, _ = path.stem.split("-")
    return int(start), int(stop)


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
    """The manifest's file, byte by byte."""
    document = {"format": manifest["format"], "checksum": checksum(manifest), **manifest}
    return (json.dumps(document, ensure_ascii=False, indent=1) + "\n").encode("utf-8", "surrogatepass")


def _mark(chunk: Chunk, run: str) -> bytes:
    return json.dumps({"run": run, "chunk": chunk}).encode()


def _entries(folder: Path) -> list[os.DirEntry[str]]:
    """What is in a folder; nothing where there is none."""
    try:
        with os.scandir(folder) as entries:
            return list(entries)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); choose another folder") from None


def chunks(tasks: int, size: int) -> list[Chunk]:
    """The tasks cut into chunks of that size, always in the same places."""
    return [(start, min(start + size, tasks)) for start in range(0, tasks, size)]


def to_arrow(tables: Tables) -> Any:
    """All tables as one: a single one as it is; each of several as a cell, the list of its rows."""
    import pyarrow as pa

    if set(tables) <= {SOLE_TABLE}:
        return pa.Table.from_pylist(tables.get(SOLE_TABLE, []))
    columns = {}
    for name, rows in tables.items():
        # By way of a table, so that the columns have the same types as those of a single table.
        records = pa.Table.from_pylist(rows).to_struct_array().combine_chunks() if rows else pa.nulls(0)
        columns[name] = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), records)
    return pa.table(columns)


def from_arrow(stored: Any, table: str = SOLE_TABLE) -> DataFrame:
    """The rows of one table out of what :func:`to_arrow` made; no columns where there are no rows."""
    import pyarrow as pa

    def is_table(kind: Any) -> bool:  # rows themselves never hold records
        of = pa.types
        return of.is_list(kind) and (of.is_struct(kind.value_type) or of.is_null(kind.value_type))

    several = stored.num_columns > 0 and all(is_table(field.type) for field in stored.schema)
    names = stored.column_names if several else [SOLE_TABLE]
    if table not in names:
        raise unknown_name("table", table, names)
    if not several:
        return stored.to_pandas(ignore_metadata=True)
    records = stored.column(table).combine_chunks().flatten()
    return (pa.Table.from_struct_array(records) if len(records) else pa.table({})).to_pandas()
