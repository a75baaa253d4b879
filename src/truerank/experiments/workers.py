"""Where tasks run, and a worker's side of it: here, in local processes, or on a Dask cluster."""

from __future__ import annotations

import importlib
import os
import pickle
import platform
import signal
import socket
import threading
from collections.abc import Callable, Iterator, Mapping
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import ExitStack, contextmanager, suppress
from functools import lru_cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from truerank._support.imports import CLUSTER, require
from truerank._support.resources import at_most, interrupts_held_back, processors
from truerank._support.seeds import seed_of
from truerank.errors import InputError, TruerankError
from truerank.experiments.experiment import SOLE_TABLE, Grid, Row
from truerank.experiments.store import Chunk
from truerank.readers.plugins import send_by_value

PACKAGES = ("truerank", "numpy", "scipy", "pyvinecopulib")  # whose versions can change digits
PATIENCE = 60.0  # seconds to wait for the first worker of a cluster

Compute = Callable[[Chunk], dict[str, list[Row]]]
Pool = tuple[Executor, Callable[[], int]]  # and how many chunks it should have, so that no worker waits


def versions() -> dict[str, str]:
    result = {"python": platform.python_version()}
    for package in PACKAGES:
        with suppress(PackageNotFoundError):
            result[package] = version(package)
    return result


def rows_of(
    name: str, work: Callable[..., Any], context: Any, grid: Grid, seed: int, chunk: Chunk
) -> dict[str, list[Row]]:
    """The rows of a chunk's tasks by table; a task's seed is made of what it is, not of when it runs."""
    tables: dict[str, list[Row]] = {}
    for number in range(*chunk):
        task = grid[number]
        key = [part for item in task.items() for part in item]
        result = work(context, task, seed_of(seed, name, *key, bits=64))
        for table, rows in result.items() if isinstance(result, Mapping) else [(SOLE_TABLE, result)]:
            tables.setdefault(table, []).extend({**task, **row} for row in rows)
    return tables


def pack(compute: Compute) -> bytes:
    """The work by value, the user's own functions with it, and the versions that it was made with."""
    import cloudpickle

    send_by_value()
    return pickle.dumps((versions(), cloudpickle.dumps(compute)))


@lru_cache(maxsize=1)
def _unpack(packed: bytes) -> Compute:
    """The work; refuses to compute with other versions than the machine that stores the rows has."""
    known, inner = pickle.loads(packed)
    here = versions()
    for name in {**known, **here}:
        mine, its = here.get(name, "missing"), known.get(name, "missing")
        if mine != its:
            raise TruerankError(
                f"the worker on {socket.gethostname()} has {name} {mine}, not {its} as where this run was "
                "started. Install the same there, and run the same command again"
            )
    limit_blas()
    compute: Compute = pickle.loads(inner)
    return compute


def run_chunk(packed: bytes, chunk: Chunk) -> dict[str, list[Row]]:
    with at_most(1):
        return _unpack(packed)(chunk)


def limit_blas() -> Any:
    """One thread for linear algebra: sums in another order are other digits. Gives the old limits back."""
    import scipy.linalg  # noqa: F401 - brings its own library, which must be there to be limited
    from threadpoolctl import threadpool_limits

    with interrupts_held_back():  # it looks for libraries by calls from C, in which Python loses an interrupt
        return threadpool_limits(limits=1)


@contextmanager
def executor_for(
    workers: int | None, dask: str | None, executor: Executor | None, tasks: int
) -> Iterator[Pool]:
    """The executor given, a Dask cluster's, or local processes, no more than tasks; ends with the block."""
    if workers is not None and workers < 1:
        raise InputError(f"at least one worker is needed, not {workers}")
    count = workers or processors()
    if executor is not None:
        yield executor, lambda: 8
    elif dask is not None:
        with _dask(dask, count) as found:
            yield found
    elif (count := min(count, tasks)) == 1:
        yield Inline(), lambda: 1
    else:
        with _processes(count) as pool:
            yield pool, lambda: 2 * count


class Inline(Executor):
    """Runs each task at once in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


class _Processes(ProcessPoolExecutor):
    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor; it starts processes, which would each print a traceback at Ctrl-C."""
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
def _dask(address: str, count: int) -> Iterator[Pool]:
    """The executor of a running scheduler, or of a local cluster that ends with the block."""
    require(CLUSTER)
    distributed: Any = importlib.import_module("distributed")
    lost = (
        distributed.KilledWorker,
        distributed.client.FutureCancelledError,
        distributed.comm.CommClosedError,
        CancelledError,
    )
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
        try:
            # Four at least, so that there is work for the first ones to come.
            yield client.get_executor(pure=False), lambda: max(2 * sum(client.nthreads().values()), 4)
        except lost as error:
            raise TruerankError(
                f"the Dask cluster at {address} failed ({type(error).__name__}). What was finished is kept: "
                "look at the logs of scheduler and workers, and run the same command again"
            ) from None


def _leave(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone, and what was finished is stored
        client.close(timeout=2)
