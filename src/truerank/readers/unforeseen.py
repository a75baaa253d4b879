"""What no reader foresees in a file ends in one line that names it, too."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from truerank._support.files import PathLike
from truerank.errors import InputError, TruerankError


class UnforeseenError(InputError):
    """A file that a reader failed on without knowing why; the cause is attached."""


@contextmanager
def reading(path: PathLike) -> Iterator[None]:
    """While the block reads a file, whatever goes wrong is said of this file."""
    try:
        yield
    except (TruerankError, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("TRUERANK_TRACEBACK"):
            raise
        reason = next(iter(str(error).splitlines()), "")[:200]
        what = ": ".join(filter(None, [type(error).__name__, reason]))
        raise UnforeseenError(
            f"{path}: cannot be read ({what}); copy the file again, and report it if that does not help"
        ) from error
