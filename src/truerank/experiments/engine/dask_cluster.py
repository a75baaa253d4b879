"""A Dask cluster as an executor, with its failures in one line."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import CancelledError, Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any

from truerank._support.imports import CLUSTER, require
from truerank.errors import InputError, TruerankError

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
