"""A cluster of several hosts, each a network namespace, and workers that have other code than this."""

from __future__ import annotations

import pickle
import subprocess
import sys
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from truerank.errors import TruerankError
from truerank.experiments import run
from truerank.experiments.engine import execution, versions, worker
from truerank.experiments.engine.seam import Seam
from truerank.experiments.engine.worker import pack, run_chunk
from truerank.scores import ScoreMatrix
from validation import hosts


def lasting(folder: Path) -> dict[str, bytes]:
    """The files of a run that repeat byte by byte."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and "timings" not in path.relative_to(folder).as_posix()
    }


def test_two_hosts_give_the_bytes_of_one_though_one_of_them_is_killed(
    draws_plugin: str, table_file: Path, tmp_path: Path
) -> None:
    if missing := hosts.unavailable():
        pytest.skip(missing)
    words = ["-m", "truerank", "experiment", "run", "draws", str(table_file), "--plugin", draws_plugin]
    command = [sys.executable, *words, "--trials", "24", "--pause", "0.05", "--seed", "5", "--output"]
    there, here = tmp_path / "there", tmp_path / "here"
    logs = [tmp_path / "a.log", tmp_path / "b.log"]
    with hosts.network("client", "scheduler", "a", "b") as (client, scheduler, a, b):
        scheduler.scheduler(tmp_path / "scheduler.log")
        doomed, _ = (one.worker(scheduler, log, "--no-nanny") for one, log in zip((a, b), logs, strict=True))
        hosts.connected(*logs)
        asked = client.start(
            [*command, str(there), "--dask", scheduler.tcp],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        hosts.until(lambda: len(list(there.glob("rows/0*.parquet"))) >= 4, "four chunks")
        hosts.end(doomed)
        _, said = asked.communicate(timeout=60)
    assert asked.returncode == 0
    assert f"! a Dask worker (tcp://{a.address}:" in said
    assert said.count("is gone; what it was doing goes to others") == 1
    assert "Traceback" not in said
    subprocess.run([*command, str(here), "--workers", "1", "--quiet"], check=True, capture_output=True)
    assert lasting(there) == lasting(here)
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True, check=True).stdout
    assert client.namespace not in listed.split()  # nothing is left behind


@pytest.mark.parametrize(
    ("module", "name", "other", "message"),
    [
        (versions, "version", lambda package: "0.0", r"has truerank 0\.0, not .* as where this run"),
        (
            versions,
            "version",
            lambda package: _raise(versions.PackageNotFoundError()),
            "truerank missing, not",
        ),
        (worker, "code", lambda: "other", "has other code of truerank .* than where this run"),
    ],
)
def test_a_worker_with_another_version_or_other_code_refuses_to_work(
    module: Any, name: str, other: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack(Nothing())  # type: ignore[arg-type]
    assert run_chunk(packed, (0, 1)) == ({}, {})
    monkeypatch.setattr(module, name, other)
    with pytest.raises(TruerankError, match=message) as refused:
        run_chunk(packed + b" ", (0, 1))  # other bytes, so that they are unpacked again
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)  # as it crosses a network


class Nothing:
    """A job without tasks."""

    def chunk(self, chunk: tuple[int, int]) -> tuple[dict[str, Any], dict[str, float]]:
        return {}, {}


def _raise(error: Exception) -> Any:
    raise error


class Counting(ThreadPoolExecutor):
    """Knows how many tasks it was given."""

    given = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        return super().submit(fn, *args, **kwargs)


class Growing(Seam):
    """Two workers at first, ten after a while."""

    asked = 0

    @property
    def slots(self) -> int:
        self.asked += 1
        return 2 if self.asked <= 5 else 10


def test_workers_that_come_later_get_work_too(
    draws_plugin: str, table: ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way: list[int] = []
    with Counting(1) as executor:
        monkeypatch.setattr(
            execution, "executor_for", lambda workers, dask: nullcontext(Growing(executor, 2))
        )

        def look(done: int, total: int, label: str) -> None:
            under_way.append(executor.given - done // 3)  # three tasks a chunk

        found = run("draws", table, tmp_path / "r", plugins=[draws_plugin], trials=60, progress=look)
    assert found.done == 120
    # Twice as many as workers were given out, and one of them is just done.
    assert under_way[:7] == [0, 3, 3, 3, 3, 3, 19]
