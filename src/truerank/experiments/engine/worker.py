"""The worker's side: one chunk of tasks, from the bytes that describe a run to rows."""

from __future__ import annotations

import hashlib
import os
import platform
import signal
import socket
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

from truerank._support.resources import at_most, interrupts_held_back
from truerank._support.seeds import seed_of
from truerank.errors import TruerankError
from truerank.experiments.engine.experiment import SOLE_TABLE, Grid, Row, Task
from truerank.experiments.engine.plugins import send_by_value
from truerank.experiments.engine.store import Chunk

PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")
"""Whose versions can change digits."""


def versions() -> dict[str, str]:
    """The versions here, by name; of what is installed."""
    result = {"python": platform.python_version()}
    for package in PACKAGES:
        try:
            result[package] = version(package)
        except PackageNotFoundError:
            continue
    return result


@cache
def code() -> str:
    """A digest of truerank's own files, which differ between two checkouts of one version."""
    import truerank

    folder = Path(truerank.__file__).parent
    digest = hashlib.sha256()
    for path in sorted(folder.rglob("*.py"), key=lambda path: path.relative_to(folder).parts):
        digest.update(f"{path.relative_to(folder).as_posix()}\n".encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


@dataclass(frozen=True)
class Job:
    """All that the tasks of a run need."""

    name: str
    work: Callable[[Any, Task, int], list[Row] | Mapping[str, list[Row]]]
    context: Any
    grid: Grid
    seed: int

    def chunk(self, chunk: Chunk) -> dict[str, list[Row]]:
        """The rows of a chunk's tasks by table."""
        tables: dict[str, list[Row]] = {}
        for number in range(*chunk):
            task = self.grid[number]
            result = self.work(self.context, task, self.task_seed(task))
            for name, rows in result.items() if isinstance(result, Mapping) else [(SOLE_TABLE, result)]:
                tables.setdefault(name, []).extend({**task, **row} for row in rows)
        return tables

    def task_seed(self, task: Task) -> int:
        """A seed of the task's own, from what the task is and not from when or where it runs."""
        key = [part for item in task.items() for part in item]
        return seed_of(self.seed, self.name, *key, bits=64)


def pack(job: Job) -> bytes:
    """The job by value, the user's own functions with it, and the versions that it was made with."""
    import pickle

    import cloudpickle

    send_by_value()
    return pickle.dumps((versions(), code(), cloudpickle.dumps(job)))


@lru_cache(maxsize=1)
def _unpack(packed: bytes) -> Job:
    import pickle

    known, digest, inner = pickle.loads(packed)
    _refuse_others(known, digest)
    limit_blas()
    return pickle.loads(inner)


def _refuse_others(known: Mapping[str, str], digest: str) -> None:
    """Refuse to compute with anything else than the machine that stores the rows says it was."""
    here = versions()
    what = next((name for name in [*known, *here] if known.get(name) != here.get(name)), None)
    if what is not None:
        gap = f"{what} {here.get(what, 'missing')}, not {known.get(what, 'missing')} as"
    elif digest != code():
        gap = f"other code of truerank {here.get('truerank')} than"
    else:
        return
    raise TruerankError(
        f"the worker on {socket.gethostname()} has {gap} where this run was started: digits could differ; "
        "install the same there, and run the same command again"
    )


def run_chunk(packed: bytes, chunk: Chunk) -> dict[str, list[Row]]:
    """One chunk of a packed job, in whatever process and thread this is."""
    with at_most(1):
        return _unpack(packed).chunk(chunk)


def limit_blas() -> Any:
    """One thread for linear algebra: sums in another order are other digits. Gives the old limits back."""
    import scipy.linalg  # noqa: F401 - brings its own library, which must be there to be limited
    from threadpoolctl import threadpool_limits

    with interrupts_held_back():  # it looks for libraries by calls from C, in which Python loses an interrupt
        return threadpool_limits(limits=1)


def leave_with_parent() -> None:
    """End this worker when the process that started it ends, even by SIGKILL, and at Ctrl-C silently."""
    import multiprocessing

    signal.signal(signal.SIGINT, signal.SIG_DFL)
    if hasattr(signal, "pthread_sigmask"):  # it was held back while this process started
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})

    parent = multiprocessing.parent_process()

    def wait() -> None:
        assert parent is not None
        parent.join()
        os._exit(1)

    if parent is not None:
        threading.Thread(target=wait, daemon=True).start()
