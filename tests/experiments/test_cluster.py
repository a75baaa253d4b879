"""Workers that have other code than this, and that come later."""

from __future__ import annotations

import pickle
from typing import Any

import pytest

from truerank.errors import TruerankError
from truerank.experiments import workers
from truerank.experiments.workers import pack, run_chunk


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
