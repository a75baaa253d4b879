"""Where tasks run, and a worker's side of it: here, in local processes, or on a Dask cluster.

The user's own modules (an estimator, coefficient, simulator or experiment, registered when it is imported)
go with the tasks by value, to processes and machines that do not have them.
"""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import os
import pickle
import platform
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass
from functools import cache, lru_cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from types import ModuleType
from typing import Any

from truerank._support.imports import CLUSTER, require
from truerank._support.resources import at_most, interrupts_held_back, processors
from truerank._support.seeds import seed_of
from truerank.errors import InputError, TruerankError
from truerank.experiments.experiment import SOLE_TABLE, Grid, Row, Task
from truerank.experiments.store import Chunk
from truerank.readers.formats.adapter import Adapter
from truerank.readers.formats.format import FORMATS, register

PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")  # whose versions can change digits

_LOADED: dict[str, ModuleType] = {}  # the user's modules


def load(names: Sequence[str]) -> dict[str, str]:
    """Import modules by dotted name or by path of a Python file; returns a hash of each one's code."""
    codes: dict[str, str] = {}
    for name in names:
        module = _import(name)
        _LOADED[module.__name__] = module
        for item in vars(module).values():  # as the entry point of an adapter would
            if isinstance(item, Adapter) and item.name not in FORMATS:
                register(item)
        # What belongs to no module, such as SciPy's ufuncs, is sent by the name of the first module that
        # holds it. That must be the one that workers can import, so the user's modules come last.
        sys.modules[module.__name__] = sys.modules.pop(module.__name__)
        digest = hashlib.sha256(Path(module.__file__).read_bytes() if module.__file__ else b"").hexdigest()
        called = Path(name).stem if name.endswith(".py") else name
        if codes.setdefault(called, digest) != digest:
            raise InputError(f"two plug-ins are called {called!r}; rename one of the files")
    return codes


def _import(name: str) -> ModuleType:
    try:
        return _from_file(Path(name)) if name.endswith(".py") else importlib.import_module(name)
    except FileNotFoundError:
        raise InputError(f"{name}: no such file; name a module or a Python file") from None
    except ModuleNotFoundError as error:
        raise InputError(f"the plugin {name!r} cannot be imported: {error}") from None
    except Exception as error:
        raise InputError(
            f"the plugin {name!r} failed when imported: {type(error).__name__}: {error}"
        ) from error


def _from_file(path: Path) -> ModuleType:
    """A file as a module whose name no other has: a file called ``json.py`` hides no other."""
    place = hashlib.sha256(str(path.resolve()).encode("utf-8", "surrogatepass")).hexdigest()[:12]
    name = f"truerank_plugin_{path.stem}_{place}"
    if name in sys.modules:
        return sys.modules[name]  # what it registers is registered
    spec = importlib.util.spec_from_file_location(name, path)
    if spec is None or spec.loader is None:
        raise FileNotFoundError(path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        del sys.modules[name]
        raise
    return module


def send_by_value() -> None:
    """Have whatever is packed from now on carry the user's modules along: workers cannot import them."""
    import cloudpickle

    for name, module in _LOADED.items():
        if sys.modules.get(name) is module:  # not one that was taken out again
            cloudpickle.register_pickle_by_value(module)


def versions() -> dict[str, str]:
    """The versions of what is installed here, by name."""
    result = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            result[package] = version(package)
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
        """The rows of a chunk's tasks by table; a task's seed is made of what it is, not of when it runs."""
        tables: dict[str, list[Row]] = {}
        for number in range(*chunk):
            task = self.grid[number]
            key = [part for item in task.items() for part in item]
            result = self.work(self.context, task, seed_of(self.seed, self.name, *key, bits=64))
            for name, rows in result.items() if isinstance(result, Mapping) else [(SOLE_TABLE, result)]:
                tables.setdefault(name, []).extend({**task, **row} for row in rows)
        return tables


def pack(job: Job) -> bytes:
    """The job by value, the user's own functions with it, and the versions that it was made with."""
    import cloudpickle

    send_by_value()
    return pickle.dumps((versions(), code(), cloudpickle.dumps(job)))


@lru_cache(maxsize=1)
def _unpack(packed: bytes) -> Job:
    """The job; refuses to compute with anything else than the machine that stores the rows says it was."""
    known, digest, inner = pickle.loads(packed)
    here, gap = versions(), ""
    for name in {**known, **here}:
        if known.get(name) != here.get(name):
            gap = gap or f"{name} {here.get(name, 'missing')}, not {known.get(name, 'missing')} as"
    if not gap and digest != code():
        gap = f"other code of truerank {here.get('truerank')} than"
    if gap:
        raise TruerankError(
            f"the worker on {socket.gethostname()} has {gap} where this run was started: "
            "digits could differ; install the same there, and run the same command again"
        )
    limit_blas()
    job: Job = pickle.loads(inner)
    return job


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


PATIENCE = 60.0  # seconds to wait for the first worker of a cluster

Slots = Callable[[], int]  # how many chunks an executor works on at once


@contextmanager
def executor_for(
    workers: int | None, dask: str | None, executor: Executor | None = None, tasks: int | None = None
) -> Iterator[tuple[Executor, Slots]]:
    """The executor given, a Dask cluster's, or local processes, no more than tasks; ends with the block."""
    if workers is not None and workers < 1:
        raise InputError(f"at least one worker is needed, not {workers}")
    count = workers or processors()
    if executor is not None:
        yield executor, lambda: 4
    elif dask is not None:
        with _dask(dask, count) as found:
            yield found
    elif (count := min(workers, tasks) if workers and tasks else count) == 1:
        yield Inline(), lambda: 1
    else:
        with _processes(count) as pool:
            yield pool, lambda: count


class Inline(Executor):
    """Runs each task at once in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future; what the task raises is raised here."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _Processes(ProcessPoolExecutor):
    """Local processes that ignore Ctrl-C until they are loaded: each would print a traceback."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor; it is here that processes are started."""
        with _interrupts_blocked():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _processes(count: int) -> Iterator[Executor]:
    import multiprocessing

    # Spawned, not forked: a fork would copy locks that other threads hold just then.
    context = multiprocessing.get_context("spawn")
    pool = _Processes(count, mp_context=context, initializer=leave_with_parent)
    try:
        yield pool
    except BrokenProcessPool:
        raise TruerankError(
            "a worker process died (killed, or out of memory). What was finished is kept. "
            "Run the same command again, with fewer workers if memory was short"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _interrupts_blocked() -> Iterator[None]:
    """Hold Ctrl-C back while processes or threads start, which begin with the mask of who starts them."""
    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    from multiprocessing import resource_tracker

    resource_tracker.ensure_running()  # which would end with SIGINT unblocked
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


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


@contextmanager
def _dask(address: str, count: int) -> Iterator[tuple[Executor, Slots]]:
    """The executor and threads of a running scheduler, or of a local cluster that ends with the block."""
    require(CLUSTER)
    distributed: Any = importlib.import_module("distributed")
    with ExitStack() as stack:
        scheduler = address
        if address == "local":
            how = {"dashboard_address": None, "host": "127.0.0.1", "silence_logs": 50}
            with _interrupts_blocked():
                local = distributed.LocalCluster(n_workers=count, threads_per_worker=1, **how)
            scheduler = stack.enter_context(local).scheduler_address
        try:
            client = distributed.Client(scheduler, timeout="10s")
        except (OSError, ValueError) as error:
            raise InputError(
                f"no Dask scheduler at {address} ({type(error).__name__}); start one with `dask scheduler`"
            ) from None
        stack.callback(_leave, client)
        try:
            client.wait_for_workers(1, timeout=PATIENCE)
        except TimeoutError:
            raise InputError(
                f"the Dask scheduler at {address} has no workers; start some with `dask worker {address}`"
            ) from None
        lost = (distributed.client.FutureCancelledError, distributed.comm.CommClosedError, CancelledError)
        try:
            # Two at least, so that there is work for the first ones to come.
            yield client.get_executor(pure=False), lambda: max(sum(client.nthreads().values()), 2)
        except (distributed.KilledWorker, *lost) as error:
            raise TruerankError(
                f"the Dask cluster at {address} failed ({type(error).__name__}). What was finished is kept: "
                "look at the logs of scheduler and workers, and run the same command again"
            ) from None


def _leave(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone, and what was finished is stored
        client.close(timeout=2)
