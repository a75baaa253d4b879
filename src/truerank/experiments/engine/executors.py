"""Where tasks run: here, in local processes, or on a Dask cluster, behind one `Executor`."""

from __future__ import annotations

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from truerank._support.extras import CLUSTER, require
from truerank.errors import InputError, TruerankError
from truerank.experiments.engine.dask_cluster import dask_cluster
from truerank.experiments.engine.seam import Seam
from truerank.experiments.engine.worker import leave_with_parent


class _Processes(ProcessPoolExecutor):
    """Local processes that do not hear Ctrl-C until they are loaded: each would print where it was then."""

    def submit(self, fn: Callable[..., Any], /, *args: Any, **kwargs: Any) -> Future[Any]:
        """As of any executor; it is here that processes are started."""
        with _deaf_to_interrupts():
            return super().submit(fn, *args, **kwargs)


@contextmanager
def _deaf_to_interrupts() -> Iterator[None]:
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
def executor_for(workers: int | None, dask: str | None) -> Iterator[Seam]:
    """An executor that ends with the block: Dask where it is asked for, else local processes.

    Args:
        workers: local processes, or workers of a local Dask cluster; all cores by default.
        dask: ``tcp://HOST:PORT`` of a running scheduler, or ``local`` for a cluster of this machine.

    Raises:
        InputError: no such scheduler, or fewer than one worker.
        MissingPackagesError: Dask is not installed.
        TruerankError: a worker process died.
    """
    if workers is not None and workers < 1:
        raise InputError(f"at least one worker is needed, not {workers}")
    count = workers or os.cpu_count() or 1
    if dask is not None:
        with dask_cluster(dask, count, _deaf_to_interrupts) as cluster:
            yield cluster
    elif count == 1:
        yield Seam(Inline(), 1)
    else:
        with _processes(count) as seam:
            yield seam


@contextmanager
def _processes(count: int) -> Iterator[Seam]:
    import multiprocessing

    # Spawned, not forked: a fork would copy locks that other threads hold just then.
    context = multiprocessing.get_context("spawn")
    pool = _Processes(count, mp_context=context, initializer=leave_with_parent)
    try:
        yield Seam(pool, count)
    except BrokenProcessPool:
        raise TruerankError(
            "a worker process died (killed, or out of memory); what was finished is kept: "
            "run the same command again, with fewer workers if memory was short"
        ) from None
    finally:
        pool.shutdown(wait=True, cancel_futures=True)
<<<<<<< HEAD


@contextmanager
def _dask(address: str, count: int) -> Iterator[Seam]:
    require(CLUSTER)
    distributed: Any = import_module("distributed")
    with ExitStack() as stack:
        stack.enter_context(_silent_logs())
        scheduler = address
        if address == "local":
            with _deaf_to_interrupts():
                scheduler = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=count,
                        threads_per_worker=1,
                        dashboard_address=None,
                        silence_logs=logging.CRITICAL,
                    )
                )
        try:
            client = distributed.Client(scheduler, timeout="10s")
        except (OSError, ValueError) as error:
            reason = str(error).splitlines()[0] if str(error) else type(error).__name__
            raise InputError(
                f"no Dask scheduler at {address} ({reason}); start one with `dask scheduler`"
            ) from None
        stack.callback(_leave, client)
        yield from _client(distributed, client, address)


def _client(distributed: Any, client: Any, address: str) -> Iterator[Seam]:
    lost = TruerankError(
        f"the Dask scheduler at {address} is gone; what was finished is kept: "
        "start it and its workers again, and run the same command again"
    )

    def idle() -> str:
        if client.status != "running":
            raise lost
        if client.nthreads():
            return ""
        return f"the Dask scheduler at {address} has no workers; waiting for some (`dask worker {address}`)"

    try:
        slots = sum(client.nthreads().values())
        yield Seam(client.get_executor(pure=False), max(slots, 2), idle)
    except (
        *(distributed.KilledWorker, distributed.client.FutureCancelledError),
        *(CancelledError, distributed.comm.CommClosedError, TimeoutError),
    ) as error:
        if client.status != "running" or isinstance(error, OSError):
            raise lost from None
        raise TruerankError(
            f"the Dask cluster gave up on a task ({type(error).__name__}); what was finished is kept: "
            "look at the workers' logs and run the same command again"
        ) from None


def _leave(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone, and what was finished is stored
        client.close(timeout=2)


@contextmanager
def _silent_logs() -> Iterator[None]:
    """Keep the logs of Dask's own threads from standard error: what matters of them is said in one line."""
    kept = {
        logger: logger.level
        for name, logger in logging.root.manager.loggerDict.items()
        if name.partition(".")[0] in ("distributed", "tornado", "asyncio")
        and isinstance(logger, logging.Logger)
    }
    for logger in kept:
        logger.setLevel(logging.CRITICAL + 1)
    try:
        yield
    finally:
        for logger, level in kept.items():
            logger.setLevel(level)
=======
>>>>>>> main
