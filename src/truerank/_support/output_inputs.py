"""What a command reads, which it must not write to, and the streams that it may write to."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

from truerank._support.files import PathLike, cannot_write
from truerank._support.output_paths import NONBLOCK, Target, check_name
from truerank.errors import InputError

Place: TypeAlias = tuple[int | str, ...]

_DESCRIPTOR = re.compile(r"/dev/(?:(std(?:in|out|err))|fd/(\d+))|/proc/(?:self|thread-self|\d+)/fd/(\d+)")
_STANDARD = {"stdin": 0, "stdout": 1, "stderr": 2}


class Inputs:
    """What the run reads: files, folders, and all that is in these."""

    def __init__(self, paths: list[PathLike]) -> None:
        for path in paths:
            check_name(os.fspath(path))
        self._paths = paths
        self._holder = cache(self._find_holder)

    @cached_property
    def _places(self) -> dict[Place, str]:
        found: dict[Place, str] = {}
        for path in self._paths:
            if str(path) == "-":
                if (place := _place_of_descriptor(0)) is not None:
                    found[place] = "standard input"
                continue
            found[_place(path)] = str(path)
            if os.path.isdir(path):
                _add_inside(os.fspath(path), str(path), found)
        return found

    def _find_holder(self, folder: Path) -> str | None:
        for one in (folder, *folder.parents):
            if (holder := self._places.get(_place(one))) is not None:
                return holder
        return None

    def refuse(self, target: Target) -> None:
        """Refuse a target that is an input, or in a folder that is read."""
        if _place(target.real) in self._places:
            raise InputError(f"{target.path}: already an input; {target.another}")
        if (holder := self._holder(target.real.parent)) is not None:
            raise InputError(
                f"{target.path}: would go into {holder}, which this command reads; {target.another}"
            )

    def refuse_descriptor(self, number: int, given: str) -> None:
        """Refuse a stream that is read from, or that ends in an input."""
        try:
            found = os.fstat(number)
            readable = number == 0 or _access(number) == os.O_RDONLY
        except OSError as error:
            if given == "-":
                return
            raise InputError(f"{given}: cannot be written ({error.strerror}); name a file") from None
        if readable and given != "-":
            raise InputError(f"{given}: open for reading, not for writing; name a file, or - for --json")
        if stat.S_ISREG(found.st_mode) and (found.st_dev, found.st_ino) in self._places:
            name = "standard output" if given == "-" else given
            raise InputError(f"{name}: already an input; send the output to another file")


def _add_inside(folder: str, shown: str, found: dict[Place, str]) -> None:
    """Everything in a folder, through links as well."""
    with contextlib.suppress(OSError):  # the reader says why it cannot be listed
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):
                status = entry.stat()
                place = (status.st_dev, status.st_ino)
                known = place in found
                found.setdefault(place, shown)
                if not known and stat.S_ISDIR(status.st_mode):
                    _add_inside(entry.path, shown, found)


def _place(path: PathLike) -> Place:
    """What tells one file from another, also through links; the same for a file that is yet to be."""
    real = Path(os.path.realpath(path))
    rest: list[str] = []
    while True:
        try:
            found = os.stat(real)
        except OSError:
            if real.parent == real:
                return tuple(rest)
            rest.insert(0, real.name)
            real = real.parent
            continue
        return (found.st_dev, found.st_ino, *rest)


def _place_of_descriptor(number: int) -> Place | None:
    with contextlib.suppress(OSError):
        found = os.fstat(number)
        if stat.S_ISREG(found.st_mode):
            return (found.st_dev, found.st_ino)
    return None


def opened_stream(real: Path, shown: Path) -> int | None:
    """A device or a pipe, open for writing; ``None`` for a file or a folder, or where nothing is."""
    try:
        mode = os.stat(real).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise InputError(f"{shown}: neither a file nor a pipe; name a file")
    try:
        # Not blocking, because opening a pipe waits for a reader; kept open, so that the reader stays.
        descriptor = os.open(real, os.O_WRONLY | os.O_APPEND | NONBLOCK | getattr(os, "O_NOCTTY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise InputError(f"{shown}: a pipe that nothing reads; start its reader first") from None
        raise cannot_write(shown, error) from None
    if NONBLOCK:
        os.set_blocking(descriptor, True)
    return descriptor


def descriptor_of(given: str) -> int | None:
    """The number of an open file that a path such as ``/dev/stdout`` stands for, also through links."""
    path = os.path.abspath(given)
    for _ in range(40):
        folder, name = os.path.split(path)
        if (found := _DESCRIPTOR.fullmatch(path)) is not None:
            return _STANDARD.get(found[1] or "", int(found[2] or found[3] or 0))
        try:
            path = os.path.join(os.path.realpath(folder), name)
            if _DESCRIPTOR.fullmatch(path) is None:
                path = os.path.normpath(os.path.join(os.path.dirname(path), os.readlink(path)))
        except (OSError, ValueError):
            return None
    return None


def _access(number: int) -> int:
    """How an open file was opened, as far as this system says."""
    try:
        import fcntl
    except ImportError:
        return os.O_RDWR
    return fcntl.fcntl(number, fcntl.F_GETFL) & (os.O_RDONLY | os.O_WRONLY | os.O_RDWR)
