"""A Dask cluster as an executor: connected, watched and left, with its failures in one line."""

from __future__ import annotations

import logging
import warnings
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import CancelledError, Executor
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from importlib import import_module
from typing import Any

from truerank._support.imports import CLUSTER, require
from truerank.errors import InputError, TruerankError

NAMED = 3
"""Addresses that a sentence on lost workers names."""


class Backend:
    """An executor as the engine uses it; a cluster knows more of itself, and overrides the rest."""

    def __init__(self, executor: Executor, slots: int) -> None:
        self.executor = executor
        self._slots = slots

    @property
    def slots(self) -> int:
        """How many chunks it can work on at once, now: a cluster grows and shrinks."""
        return self._slots

    def share(self, packed: bytes) -> Any:
        """What to give each task for the packed job; a cluster is sent the bytes only once."""
        return packed

    def news(self) -> Sequence[str]:
        """Sentences on what happened to the workers since the last call."""
        return ()

    def idle(self) -> str:
        """A sentence that there are no workers, and what to do; empty while there are some."""
        return ""


class Cluster(Backend):
    """The workers of a scheduler, as many as there are now."""

    def __init__(self, client: Any, address: str) -> None:
        super().__init__(client.get_executor(pure=False), 0)
        self._client, self._address = client, address
        self._events: deque[tuple[str, str]] = deque()  # filled by Dask's own thread
        client.subscribe_topic("all", self._hear)
        self._ask(lambda: _refuse_bare(client))
        self._count()

    def _hear(self, event: tuple[float, Any]) -> None:
        action = event[1].get("action")
        if action in ("add-worker", "remove-worker"):
            self._events.append((action, event[1]["worker"]))

    def _count(self) -> None:
        # Two at least, so that there is work for the first ones to come.
        self._slots = max(sum(self._ask(self._client.nthreads).values()), 2)

    def _ask(self, question: Callable[[], Any]) -> Any:
        try:
            return question()
        except OSError:  # of the network
            raise _lost(self._address) from None

    def share(self, packed: bytes) -> Any:
        """The bytes as a task of its own: unlike scattered data, it is done again if its workers are lost."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", "Sending large graph", UserWarning)
            return self._client.submit(bytes, packed, pure=False)

    def news(self) -> Sequence[str]:
        """Which workers are gone; those that came only widen the cluster."""
        if not self._events:
            return ()
        events = [self._events.popleft() for _ in range(len(self._events))]
        gone = [worker for action, worker in events if action == "remove-worker"]
        come = [worker for action, worker in events if action == "add-worker" and worker not in gone]
        if come:
            self._ask(lambda: _refuse_bare(self._client, come))
        self._count()
        if not gone:
            return ()
        item = len(gone) == 1
        return (
            f"{_counted(gone)} {'is' if item else 'are'} gone; "
            f"what {'it was' if item else 'they were'} doing goes to others",
        )

    def idle(self) -> str:
        """Whether there are no workers, or none that takes tasks; raises where the scheduler is gone."""
        if self._client.status != "running":
            raise _lost(self._address)
        workers = self._ask(lambda: self._client.sync(self._client.scheduler.identity))["workers"]
        if not workers:
            return (
                f"the Dask scheduler at {self._address} has no workers; "
                f"waiting for some (`dask worker {self._address}`)"
            )
        if all(worker["status"] == "paused" for worker in workers.values()):
            return (
                "all Dask workers are paused, their memory being nearly full; "
                "start some with a larger --memory-limit, or fewer on a machine"
            )
        return ""


@contextmanager
def dask_cluster(
    address: str, count: int, starting: Callable[[], AbstractContextManager[None]]
) -> Iterator[Cluster]:
    """The cluster of a running scheduler, or a local one that ends with the block."""
    require(CLUSTER)
    distributed: Any = import_module("distributed")
    with ExitStack() as stack:
        stack.enter_context(_silent_logs())
        scheduler = address
        if address == "local":
            with starting():
                scheduler = stack.enter_context(
                    distributed.LocalCluster(
                        n_workers=count,
                        threads_per_worker=1,
                        # No dashboard; the port that Dask opens all the same is of this machine alone.
                        dashboard_address="127.0.0.1:0",
                        scheduler_kwargs={"dashboard": False},
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
        with _in_one_line(distributed, client, address):
            yield Cluster(client, address)


@contextmanager
def _in_one_line(distributed: Any, client: Any, address: str) -> Iterator[None]:
    """Say what goes wrong on a cluster in one line."""
    try:
        yield
    except (
        *(distributed.KilledWorker, distributed.client.FutureCancelledError),
        *(CancelledError, distributed.comm.CommClosedError, TimeoutError),
    ) as error:
        if client.status != "running" or isinstance(error, OSError):
            raise _lost(address) from None
        what = f"the Dask cluster gave up on a task ({type(error).__name__})"
        if isinstance(error, distributed.KilledWorker):
            what = (
                f"{error.allowed_failures + 1} Dask workers died with the same chunk, the last of them at "
                f"{error.last_worker.address}; memory may be short (`dask worker --memory-limit`)"
            )
        raise TruerankError(
            f"{what}; what was finished is kept: look at the workers' logs and run the same command again"
        ) from None


def _refuse_bare(client: Any, workers: Sequence[str] | None = None) -> None:
    """Refuse a scheduler or workers that cannot import truerank: a task would end their connection."""
    # Text, since a function of ours could not be read where truerank is missing.
    question = "__import__('importlib.util').util.find_spec('truerank') is not None"
    result = client.run(eval, question, workers=workers, on_error="return")
    bare = [worker for worker, has in result.items() if has is False]
    if not client.run_on_scheduler(eval, question):
        who = "the Dask scheduler has"
    elif bare:
        who = f"{_counted(bare)} have" if len(bare) > 1 else f"{_counted(bare)} has"
    else:
        return
    raise TruerankError(
        f"{who} no truerank; install its wheel, with the extra cluster, where scheduler and workers run, "
        "restart them, and run the same command again"
    )


def _counted(workers: Sequence[str]) -> str:
    named = ", ".join(workers[:NAMED]) + (" …" if len(workers) > NAMED else "")
    return f"a Dask worker ({named})" if len(workers) == 1 else f"{len(workers)} Dask workers ({named})"


def _lost(address: str) -> TruerankError:
    return TruerankError(
        f"the Dask scheduler at {address} is gone; what was finished is kept: "
        "start it and its workers again, and run the same command again"
    )


def _leave(client: Any) -> None:
    with suppress(Exception):  # the scheduler may be gone, and what was finished is stored
        client.close(timeout=2)


@contextmanager
def _silent_logs() -> Iterator[None]:
    """Keep the logs of Dask's own threads from standard error: what matters is reported in one line."""
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
