"""Judgments from wherever they are: a file of any format, an object, or a name that ir_datasets knows."""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator, Mapping
from contextlib import ExitStack, contextmanager
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, TypeAlias

from truerank._support.files import PathLike
from truerank.errors import InputError, unknown_name
from truerank.readers.run_formats import read_qrels
from truerank.readers.trecfiles import Qrels, qrels_from

if TYPE_CHECKING:
    import pandas as pd

QrelsSource: TypeAlias = "PathLike | pd.DataFrame | Mapping[Any, Mapping[Any, int]] | Any"
"""A file in any format, an id of ir_datasets, a data frame, a dictionary topic → document → relevance, ranx's
`Qrels`, or ir_measures' named tuples."""


def judgments(qrels: QrelsSource) -> Qrels:
    """Relevance judgments, checked."""
    if not isinstance(qrels, (str, os.PathLike)):
        return qrels_from(qrels)
    named = None if os.path.exists(qrels) or qrels == "-" else named_qrels(str(qrels))
    return read_qrels(qrels) if named is None else named


PREFIXES = ("irds:", "ir_datasets:")
"""What may stand before a name: PyTerrier's prefix, and the package's."""


class _NotLocalError(BaseException):
    """Raised where ir_datasets would start a download; it tries the next mirror after any other exception."""


def named_qrels(name: str) -> Qrels | None:
    """The judgments that ir_datasets knows by a name; ``None`` where it is no name of theirs.

    Nothing is downloaded: who reads judgments has not asked for gigabytes from another machine.
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
        known = [str(one) for one in ir_datasets.registry]
        raise InputError(f"{name}: {unknown_name('data set of ir_datasets', identifier, known)}") from None
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
