"""Damage that no reader foresees in a file ends in one line that names it; a bug of a reader does not."""

from __future__ import annotations

import os
import struct
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from truerank._support.files import PathLike
from truerank.errors import InputError, TruerankError


class UnforeseenError(InputError):
    """A file that a reader failed on without knowing why; the cause is attached."""


OF_DATA = (ValueError, OverflowError, RecursionError, EOFError, OSError, struct.error)
"""What damaged data may raise in truerank's own code; the libraries that it reads with may raise anything."""

PACKAGE = Path(__file__).parents[1]


@contextmanager
def reading(path: PathLike) -> Iterator[None]:
    """While the block reads a file, what the file's data may cause is said of this file.

    Anything else that is raised in truerank's own code is a bug, and goes on as it is.
    """
    try:
        yield
    except (TruerankError, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("TRUERANK_TRACEBACK") or (_raised_here(error) and not isinstance(error, OF_DATA)):
            raise
        reason = next(iter(str(error).splitlines()), "")[:200]
        what = ": ".join(filter(None, [type(error).__name__, reason]))
        raise UnforeseenError(
            f"{path}: cannot be read ({what}); copy the file again, and report it if that does not help"
        ) from error


def _raised_here(error: Exception) -> bool:
    """Whether truerank's own code raised it, and no library."""
    place = error.__traceback__
    while place is not None and place.tb_next is not None:
        place = place.tb_next
    return place is not None and PACKAGE in Path(place.tb_frame.f_code.co_filename).parents
