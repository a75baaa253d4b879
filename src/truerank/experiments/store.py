"""The folder of one run: a manifest, and finished chunks of rows, each whole or not there; its results.

``manifest.json`` says what the run is and holds a checksum of itself. ``rows/START-STOP-RUN-SHA256.parquet``
holds the rows of the tasks START … STOP−1 of the run with that digest, under the SHA-256 of its own bytes.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cached_property
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

from truerank._support.display import Shown
from truerank._support.files import checksum, make_folder
from truerank._support.outputs import write_folder
from truerank._support.plain import plain
from truerank._support.registry import Entry, explained
from truerank.errors import InputError, unknown_name
from truerank.experiments.experiment import SOLE_TABLE, Experiment, Row, Summary

if TYPE_CHECKING:
    from pandas import DataFrame

Manifest = dict[str, Any]
Chunk = tuple[int, int]

FORMAT = 3  # of the folder's layout; raised when an older truerank could not read it correctly
MANIFEST, LOCK, ROWS = "manifest.json", ".lock", "rows"
_ROWS_FILE = re.compile(r"(\d{8,})-(\d{8,})-([0-9a-f]{12})-([0-9a-f]{64})\.parquet")
# With the lock and rows, what a run that was killed may have left without a manifest.
_UNFINISHED = re.compile(rf"{re.escape(LOCK)}|{ROWS}|\.manifest-[0-9a-f]{{12}}\.json")


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
            del manifest["checksum"]
            whole = data == _spelled(manifest)
        except (ValueError, LookupError, TypeError, RecursionError):
            whole = False
        if not whole:
            raise InputError(
                f"{path}: damaged, or not the manifest of an experiment; choose another folder. "
                "If one ran here, move this file away and repeat its command: it goes on from its rows"
            )
        if manifest["format"] != FORMAT:
            raise InputError(
                f"{path}: layout {manifest['format']}, this truerank reads {FORMAT}; upgrade truerank, "
                "or choose another folder"
            )
        return manifest

    def write_manifest(self, manifest: Manifest) -> None:
        write_folder(self.folder, {MANIFEST: _spelled(manifest)}, overwrite=True)

    def write(self, chunk: Chunk, tables: Mapping[str, list[Row]], run: str) -> None:
        """Store a finished chunk of the run with that digest: a row with a list of rows for each table."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        columns = {}
        for name, rows in tables.items():
            records = pa.Table.from_pylist(rows).to_struct_array().combine_chunks() if rows else pa.nulls(0)
            columns[name] = pa.ListArray.from_arrays(pa.array([0, len(rows)], pa.int32()), records)
        buffer = BytesIO()
        pq.write_table(pa.table(columns), buffer, compression="zstd")
        data = buffer.getvalue()
        name = f"{chunk[0]:08}-{chunk[1]:08}-{run}-{hashlib.sha256(data).hexdigest()}.parquet"
        write_folder(self.folder, {f"{ROWS}/{name}": data}, overwrite=True)

    def look(self, run: str) -> tuple[dict[Chunk, Path], list[Path]]:
        """The files of that run by their chunks, and those that are damaged. Reads all of them."""
        finished: dict[Chunk, Path] = {}
        damaged = []
        for name in sorted(_names(self.rows)):
            match, path = _ROWS_FILE.fullmatch(name), self.rows / name
            if match is None or match[3] != run:
                continue
            if _intact(path) is None:
                damaged.append(path)
            else:
                finished.setdefault((int(match[1]), int(match[2])), path)
        return finished, damaged

    def read(self, path: Path, table: str) -> DataFrame:
        """The rows of one table of a file that :meth:`look` found; no columns where there are no rows."""
        import pyarrow as pa
        import pyarrow.parquet as pq

        data = _intact(path)
        if data is None:
            raise InputError(f"{path}: damaged; the command that ran here computes it anew")
        stored = pq.read_table(BytesIO(data))
        if table not in stored.column_names:
            raise unknown_name("table", table, stored.column_names)
        records = stored.column(table).combine_chunks().flatten()
        return (pa.Table.from_struct_array(records) if len(records) else pa.table({})).to_pandas()

    @contextmanager
    def lock(self) -> Iterator[None]:
        """Hold the folder for one run: the system lets go of the lock however the process ends."""
        from filelock import FileLock, Timeout

        strangers = (name for name in _names(self.folder) if not _UNFINISHED.fullmatch(name))
        if self.manifest() is None and (name := next(strangers, None)):
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
    try:
        return os.listdir(folder)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise InputError(f"{folder}: cannot be read ({error.strerror}); choose another folder") from None


def named(pattern: str, name: object) -> bool:
    """Whether a name ends in the words of a pattern, as ``ap`` in ``web2010_ap``."""
    return re.search(rf"(^|[^a-z0-9])({pattern or '.*'})$", str(name).lower()) is not None


@dataclass(frozen=True)
class Results(Shown):
    """What a run has stored so far: `done` of `total` tasks, in the files of finished chunks."""

    parameters: Any
    manifest: Manifest
    finished: Mapping[Chunk, Path]
    done: int
    total: int
    store: Store = field(repr=False)
    experiment: Experiment = field(repr=False)
    only: str = ""  # a pattern: the results are of the data whose names end in its words

    @property
    def data(self) -> tuple[str, ...]:
        names = (entry["name"] for entry in self.manifest["data"])
        return tuple(name for name in names if named(self.only, name))

    @cached_property
    def findings(self) -> Summary:
        return self.experiment.summarize(self) if self.done else Summary(())

    @property
    def notes(self) -> tuple[str, ...]:
        """What to know of the results: what is left out of the data, then the notes of the summary."""
        data = [f"{item['name']}: {note}" for item in self.manifest["data"] for note in item.get("notes", ())]
        return (*data, *self.findings.notes)

    @property
    def methods(self) -> Mapping[str, Sequence[Entry]]:
        """What the run compares, by kind (``estimators``, ``coefficients`` …); of a user's own as of any."""
        return self.experiment.methods(self.parameters)

    def to_dict(self) -> dict[str, Any]:
        """The results so far as JSON-ready data; ``None`` for what has no value."""
        rows = {
            item.name: [dict(zip(item.keys, row, strict=True)) for row in item.values()]
            for item in self.findings.tables
        }
        result: dict[str, Any] = {
            kind: {item.name: explained(item) for item in things} for kind, things in self.methods.items()
        }
        result |= {key: self.manifest[key] for key in ("experiment", "parameters", "seed", "data")}
        result |= {"notes": list(self.notes), "versions": self.manifest["versions"]}
        result |= {"done": self.done, "total": self.total}
        return plain(result | {"tables": rows})

    def frames(self, table: str = SOLE_TABLE) -> Iterator[DataFrame]:
        """One frame of rows a chunk that has any, in order of the tasks."""
        for path in self.finished.values():
            frame = self.store.read(path, table)
            if self.only:
                frame = frame[[named(self.only, name) for name in frame["data"]]]
            if len(frame):
                yield frame

    def frame(self, table: str = SOLE_TABLE) -> DataFrame:
        import pandas as pd

        frames = list(self.frames(table))
        return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame()

    def moments(
        self,
        by: Sequence[str],
        values: Sequence[str],
        derive: Callable[[DataFrame], DataFrame] = lambda frame: frame,
        table: str = SOLE_TABLE,
    ) -> DataFrame:
        """``V_count``, ``V_mean``, ``V_sd`` (n − 1) and ``V_se``, its standard error, of columns V by groups.

        It takes memory for one chunk at a time. Rows are in order of appearance; NaN counts nowhere.
        """
        import pandas as pd

        total: Any = None
        for rows in map(derive, self.frames(table)):
            numbers = rows[list(values)].astype(float)
            parts = [numbers.notna().astype(float), numbers.fillna(0.0), (numbers**2).fillna(0.0)]
            wide = pd.concat(parts, axis=1, keys=["count", "sum", "squares"])
            sums = wide.groupby([rows[key] for key in by], sort=False, dropna=False).sum()
            if total is not None:
                sums = total.add(sums, fill_value=0.0).reindex(total.index.union(sums.index, sort=False))
            total = sums
        moments = [f"{value}_{what}" for value in values for what in ("count", "mean", "sd", "se")]
        if total is None:
            return pd.DataFrame(columns=[*by, *moments])
        count = total["count"]
        mean = total["sum"] / count.where(count > 0)
        variance = (total["squares"] - count * mean**2).clip(lower=0.0) / (count - 1).where(count > 1)
        frames = (count.astype(int), mean, variance**0.5, (variance / count) ** 0.5)
        columns = [frame[value] for value in values for frame in frames]
        return pd.DataFrame(dict(zip(moments, columns, strict=True))).reset_index()
