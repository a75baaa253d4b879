"""Workers that have other code than this, and that come later."""

from __future__ import annotations

import pickle
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

import pytest

from truerank.errors import TruerankError
from truerank.experiments import execution, run, workers
from truerank.experiments.workers import pack, run_chunk
from truerank.scores import ScoreMatrix


@pytest.mark.parametrize(
    ("module", "name", "other", "message"),
    [
        (workers, "version", lambda package: "0.0", r"has truerank 0\.0, not .* as where this run"),
        (workers, "version", lambda package: _raise(workers.PackageNotFoundError()), "truerank missing, not"),
    ],
)
def test_a_worker_with_another_version_refuses_to_work(
    module: Any, name: str, other: Any, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    packed = pack(nothing)
    assert run_chunk(packed, (0, 1)) == {}
    monkeypatch.setattr(module, name, other)
    with pytest.raises(TruerankError, match=message) as refused:
        run_chunk(packed + b" ", (0, 1))  # other bytes, so that they are unpacked again
    assert str(pickle.loads(pickle.dumps(refused.value))) == str(refused.value)  # as it crosses a network


def nothing(chunk: tuple[int, int]) -> dict[str, Any]:
    """A job without rows."""
    return {}


def _raise(error: Exception) -> Any:
    raise error


class Counting(ThreadPoolExecutor):
    """Knows how many tasks it was given."""

    given = 0

    def submit(self, fn: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.given += 1
        return super().submit(fn, *args, **kwargs)


class Growing:
    """Room for four chunks at first, for twenty after a while."""

    asked = 0

    def __call__(self) -> int:
        self.asked += 1
        return 4 if self.asked <= 5 else 20


def test_workers_that_come_later_get_work_too(
    draws_plugin: str, table: ScoreMatrix, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    under_way: list[int] = []
    with Counting(1) as executor:
        monkeypatch.setattr(execution, "executor_for", lambda *how: nullcontext((executor, Growing())))

        def look(done: int, total: int, label: str) -> None:
            under_way.append(executor.given - done // 3)  # three tasks a chunk

        found = run("draws", table, tmp_path / "r", plugins=[draws_plugin], trials=60, progress=look)
    assert found.done == 120
    # Never more than there is room for, and more once there is more.
    assert max(under_way[:5]) <= 4
    assert 15 <= max(under_way) <= 20
