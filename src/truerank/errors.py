"""The errors that truerank raises; each message is one clear sentence with its remedy."""

from __future__ import annotations

import difflib
import os
import re
import struct
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

MOST_SHOWN = 80
"""Characters of a name or a cell that a message has at most."""

_QUOTED = re.compile(
    r"""(?P<option>(?<!\w)\w+=\[[^\]]{0,2000}\]|(?<!\w)\w+=(?P<q>['"]).{0,2000}?(?P=q)
    |(?<![\w-])--[\w-]+[ =]'[^']{0,2000}')
    |(?<!\w)(?P<quote>['"])(?P<name>(?:(?!(?P=quote)).){81,})(?P=quote)(?!\w)""",
    re.VERBOSE | re.DOTALL,
)
"""Options, which are pasted and stay as they are, and quoted names that are too long."""


def _with_short_names(message: str) -> str:
    """A message with quoted names in their first and last characters."""
    half = MOST_SHOWN // 2 - 1
    return _QUOTED.sub(
        lambda found: found[0] if found["option"] else f"{found[0][:half]}…{found[0][-half:]}", message
    )


class TruerankError(Exception):
    """Base of everything truerank raises on purpose."""

    def __init__(self, message: str = "") -> None:
        super().__init__(_with_short_names(message))


class InputError(TruerankError, ValueError):
    """A file or an array that cannot be used. The message says where, and how to fix it."""


class UnknownNameError(TruerankError, ValueError):
    """A measure, estimator, coefficient, system … that does not exist; the message has the nearest name."""


class UnknownArgumentError(InputError, TypeError):
    """A keyword that a function does not have; the message has the nearest that it has."""


class MissingPackagesError(TruerankError, ImportError):
    """The request needs packages that are not installed; the message says how to install them."""


CLOSE, FEW = 3, 12
"""Close names that a message lists, and how few names it lists beside them."""

MOST_LISTED = 40
"""Most names that a message lists."""

NEAR, NEARER = 0.6, 0.75
"""Similarity, up to 1, from which an unknown name is treated as a typo; as one of several names."""


def unknown_name(kind: str, name: str, known: Iterable[str], more: str = "") -> UnknownNameError:
    """The error for `name`, with the nearest of the `known` names, and all where they are not too many.

    `more` goes behind a list of all, from which none is near.
    """
    known, name = list(known), str(name)  # in Python a name may be any object
    by_fold = {k.casefold(): k for k in known}
    near = difflib.get_close_matches(name.casefold(), by_fold, n=CLOSE, cutoff=NEARER)
    near = near or difflib.get_close_matches(name.casefold(), by_fold, n=1, cutoff=NEAR)
    # A name of two letters with one wrong is half right, as are many longer names that differ entirely.
    near = near or difflib.get_close_matches(
        name.casefold(), [one for one in by_fold if len(one) == len(name)], n=1, cutoff=0.5
    )
    shown = [" ".join(one.split()) for one in known]
    parts = [part.strip() for part in name.split(",")]
    if len(parts) > 1 and all(part.casefold() in by_fold for part in parts):
        hint = "give them one by one"
    elif near:
        *others, last = (repr(by_fold[one]) for one in near)
        hint = f"did you mean {', '.join(others)}{' or ' if others else ''}{last}?"
        if len(near) < len(known) <= FEW:
            hint += f" There are {', '.join(shown)}"
    elif len(known) <= MOST_LISTED:
        hint = f"choose from {', '.join(shown)}{more}"
    else:
        hint = f"there are {len(known)}, such as {', '.join(shown[:8])}"
    return UnknownNameError(f"unknown {kind} {name!r}: {hint}")


def at(source: str | None, line: int | None = None) -> str:
    """The place an error message starts with: `file:line: `, `file: ` or nothing."""
    if source is None:
        return ""
    return f"{source}: " if line is None else f"{source}:{line}: "


class PairError(InputError):
    """Two systems where a ranking is needed: what compares them is :func:`truerank.gate`.

    Attributes:
        baseline: the system that came first in the scores, or the baseline that was named.
        candidate: the other one.
    """

    def __init__(self, baseline: str, candidate: str, command: str | None = None) -> None:
        call = command or f"truerank.gate(scores, {baseline!r}, {candidate!r})"
        super().__init__(f"two systems are a pair, not a ranking; compare them with: {call}")
        self.baseline, self.candidate = baseline, candidate


class UnforeseenError(InputError):
    """A file that a reader failed on without knowing why; the cause is attached."""


_OF_DATA = (ValueError, OverflowError, RecursionError, EOFError, OSError, struct.error)
"""What damaged data may raise in truerank's own code; the libraries that it reads with may raise anything."""

_PACKAGE = Path(__file__).parent


@contextmanager
def reading(path: str | os.PathLike[str]) -> Iterator[None]:
    """While the block reads a file, what the file's data may cause is said of this file.

    Anything else that is raised in truerank's own code is a bug, and goes on as it is.
    """
    try:
        yield
    except (TruerankError, MemoryError):
        raise
    except Exception as error:
        if os.environ.get("TRUERANK_TRACEBACK") or (_raised_here(error) and not isinstance(error, _OF_DATA)):
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
    return place is not None and _PACKAGE in Path(place.tb_frame.f_code.co_filename).parents
