"""Where tasks run: here, in local processes, or on a Dask cluster, behind one `Executor`."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from importlib import import_module
from typing import Any

from truerank.errors import InputError, TruerankError
from truerank.experiments.engine.worker import leave_with_parent

Seam = tuple[Executor, int]
"""An executor, and how many tasks it can work on at once."""


class Inline(Executor):
    """Runs each task at once in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future; what the task raises is raised here."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def executor_for(workers: int | None, dask: str | None) -> Iterator[Seam]:
    """An executor that ends with the block: Dask where it is asked for, else local processes.

    Args:
        workers: local processes, or workers of a local Dask cluster; all cores by default.
        dask: ``tcp://HOST:PORT`` of a running scheduler, or ``local`` for a cluster of this machine.

    Raises:
        InputError: no such scheduler, Dask is not installed, or fewer than one worker.
        TruerankError: a worker process died.
    """
    if workers is not None and workers < 1:
        raise InputError(f"at least one worker is needed, not {workers}")
    count = workers or os.cpu_count() or 1
    if dask is not None:
        with _dask(dask, count) as seam:
            yield seam
    elif count == 1:
        yield Inline(), 1
    else:
        with _processes(count) as seam:
            yield seam


@contextmanager
def _processes(count: int) -> Iterator[Seam]:
    import multiprocessing

    # Spawned, not forked: a fork would copy locks that other threads hold just then.
    context = multiprocessing.get_context("spawn")
    pool = ProcessPoolExecutor(count, mp_context=context, initializer=leave_with_parent)
    try:
        yield pool, count
    except BrokenProcessPool:
        raise TruerankError(
            "a worker process died (killed, or out of memory); what was finished is kept: "
            "run the same command again, with fewer workers if memory was short"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


@contextmanager
def _dask(address: str, count: int) -> Iterator[Seam]:
    try:
        distributed: Any = import_module("distributed")
    except ImportError:
        raise InputError("Dask is not installed; pip install 'truerank[cluster]'") from None
    if address == "local":
        cluster = distributed.LocalCluster(n_workers=count, threads_per_worker=1, dashboard_address=None)
        with cluster, distributed.Client(cluster) as client:
            yield from _client(distributed, client)
        return
    try:
        client = distributed.Client(address, timeout="10s")
    except (OSError, ValueError, TimeoutError) as error:
        reason = str(error).splitlines()[0] if str(error) else type(error).__name__
        raise InputError(
            f"no Dask scheduler at {address} ({reason}); start one with `dask scheduler`"
        ) from None
    with client:
        yield from _client(distributed, client)


def _client(distributed: Any, client: Any) -> Iterator[Seam]:
    slots = sum(client.nthreads().values())
    try:
        yield client.get_executor(pure=False), max(slots, 2)
    except (distributed.KilledWorker, distributed.client.FutureCancelledError) as error:
        raise TruerankError(
            f"the Dask cluster gave up on a task ({type(error).__name__}); what was finished is kept: "
            "look at the workers' logs and run the same command again"
        ) from None
