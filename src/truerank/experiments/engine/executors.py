"""Where tasks run: here, in local processes, or on a Dask cluster, behind one `Executor`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any

from truerank._support.imports import CLUSTER, require
from truerank._support.resources import processors
from truerank.errors import InputError, TruerankError
from truerank.experiments.engine.worker import leave_with_parent

PATIENCE = 60.0
"""Seconds to wait for the first worker."""


@contextmanager
def dask_executor(
    address: str, count: int, starting: Callable[[], AbstractContextManager[None]]
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """The executor and threads of a running scheduler, or of a local cluster that ends with the block."""
    require(CLUSTER)
    distributed: Any = import_module("distributed")
    with ExitStack() as stack:
        scheduler = address
        if address == "local":
            how = {"dashboard_address": None, "host": "127.0.0.1", "silence_logs": 50}
            with starting():
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


class _Processes(ProcessPoolExecutor):
    """Local processes that ignore Ctrl-C until they are loaded: each would print a traceback."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor; it is here that processes are started."""
        with _interrupts_blocked():
            return super().submit(fn, *args, **kwargs)


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


class Inline(Executor):
    """Runs each task at once in this process."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """The finished future; what the task raises is raised here."""
        future: Future[Any] = Future()
        future.set_result(fn(*args, **kwargs))
        return future


@contextmanager
def executor_for(
    workers: int | None, dask: str | None, executor: Executor | None = None, tasks: int | None = None
) -> Iterator[tuple[Executor, Callable[[], int]]]:
    """An executor and how many chunks it works on at once: the one given, Dask, or local processes.

    Dask and processes end with the block. There are no more processes than tasks.
    """
    if executor is not None:
        yield executor, lambda: 4
        return
    if workers is not None and workers < 1:
        raise InputError(f"at least one worker is needed, not {workers}")
    count = workers or processors()
    if dask is not None:
        with dask_executor(dask, count, _interrupts_blocked) as found:
            yield found
        return
    if workers and tasks:
        count = min(workers, tasks)
    if count == 1:
        yield Inline(), lambda: 1
    else:
        with _processes(count) as pool:
            yield pool, lambda: count


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
