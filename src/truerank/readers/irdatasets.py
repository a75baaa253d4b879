"""Judgments by their name in ir_datasets, where that package and the data are on this machine."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import Any

from truerank.errors import InputError, unknown_name
from truerank.readers.trecfiles import Qrels, qrels_from

PREFIXES = ("irds:", "ir_datasets:")
"""What may stand before a name: PyTerrier's prefix, and the package's."""


class _NotLocalError(BaseException):
    """Raised where ir_datasets would start a download; it tries the next mirror after any other exception."""


def named_qrels(name: str) -> Qrels | None:
    """The judgments that ir_datasets knows by a name; ``None`` where it is no name of theirs.

    Nothing is downloaded: who reads judgments has not asked for gigabytes from another machine.

    Args:
        name: such as ``msmarco-passage/trec-dl-2019/judged``, with or without ``irds:`` before it.

    Raises:
        InputError: the name has such a prefix, or is known, and the judgments cannot be had: no package, no
            such name, no judgments, or not on this machine.
    """
    prefix = next((prefix for prefix in PREFIXES if name.startswith(prefix)), "")
    identifier = name.removeprefix(prefix)
    if find_spec("ir_datasets") is None:
        if not prefix:
            return None
        raise InputError(
            f"{name}: judgments of ir_datasets need that package: pip install ir_datasets, or give a file"
        )
    import ir_datasets

    try:
        data_set = ir_datasets.load(identifier)
    except KeyError:
        if not prefix:
            return None
        raise InputError(f"{name}: {unknown_name('data set of ir_datasets', identifier, _names())}") from None
    if not data_set.has_qrels():
        raise InputError(f"{name}: this data set of ir_datasets has no judgments; name the subset that has")
    export = f"ir_datasets export {identifier} qrels > qrels.txt"
    try:
        with _no_downloads():
            rows = list(data_set.qrels_iter())
    except _NotLocalError:
        raise InputError(
            f"{name}: its judgments are not on this machine, and truerank downloads nothing; run once: "
            f"{export}, and give that file or the name again"
        ) from None
    except Exception as error:  # whatever the code of a data set may raise
        reason = f"{type(error).__name__}: {error}".splitlines()[0]
        raise InputError(f"{name}: ir_datasets cannot read it ({reason}); try {export}") from error
    return qrels_from(rows, f"{name}: ")


def _names() -> list[str]:
    import ir_datasets

    return [str(name) for name in ir_datasets.registry]


@contextmanager
def _no_downloads() -> Iterator[None]:
    """While the block runs, the package's downloads are refused, and what it says of them is not shown."""
    from unittest.mock import patch  # brings asyncio, which costs more than all of ours

    from ir_datasets.util import download

    log = logging.getLogger("ir_datasets")

    def refuse(self: Any) -> Any:
        raise _NotLocalError

    with ExitStack() as stack:
        stack.enter_context(patch.object(log, "disabled", True))
        for one in vars(download).values():
            remote = isinstance(one, type) and issubclass(one, download.BaseDownload)
            if remote and one.__name__ != "LocalDownload" and "stream" in vars(one):
                stack.enter_context(patch.object(one, "stream", refuse))
        yield
