"""One BLAS thread for work that consists of many small matrices, or brings threads of its own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any


@contextmanager
def one_blas_thread() -> Iterator[None]:
    """Within it, matrix products and factorisations stay on the thread that asks for them.

    A BLAS that starts threads for a matrix of 110 × 110 waits for them longer than it computes, the
    more so when all cores are busy with other matrices already.
    """
    with _controller().limit(limits=1, user_api="blas"):
        yield


@cache
def _controller() -> Any:
    from threadpoolctl import ThreadpoolController  # type: ignore[import-untyped, unused-ignore]

    return ThreadpoolController()
