"""Where tasks run: here, in local processes, or on a Dask cluster, behind one `Executor`."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from concurrent.futures import Executor, Future, ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from typing import Any

from truerank._support.resources import processors
from truerank.errors import InputError, TruerankError
from truerank.experiments.engine.dask_cluster import dask_executor
from truerank.experiments.engine.worker import leave_with_parent


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
