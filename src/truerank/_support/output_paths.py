"""Where an output goes: its target, what is there already, and inputs that it must not replace."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import unicodedata
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from truerank._support.files import PathLike, cannot_write
from truerank.errors import InputError

MARKER = ".truerank"  # the file in a folder that lists the commands that wrote there, one a line
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)
_LONGEST_MARKER = 1 << 16
_OPEN_FILES = ("/dev/std", "/dev/fd/", "/proc/")  # how the names of files begin that are open already


@dataclass(frozen=True)
class Target:
    """One file to be written.

    The root's marker must have the line `owner` if the file exists. It is ``None`` for a file that the user
    named, and empty in a folder of truerank's own.
    """

    path: Path  # as shown to the user; `-` for standard output
    root: Path  # the folder that the user chose, without links
    parts: tuple[str, ...]  # the rest of the path, in which no link is followed
    owner: str | None
    option: str  # the option that named it
    stream: int | None = None  # descriptor of a device or a pipe, which is written to and not replaced

    @property
    def real(self) -> Path:
        """The file itself."""
        return self.root.joinpath(*self.parts)

    @property
    def another(self) -> str:
        """The remedy that always helps."""
        kind = "file" if self.owner is None else "folder"
        return " ".join(f"choose another {self.option} {kind}".split())


def look(target: Target) -> os.stat_result | None:
    """The status of what is in a target's place; ``None`` if there is nothing."""
    path, status = target.root, None
    for place, part in enumerate(target.parts, start=1):
        path = path / part
        try:
            status = os.lstat(path)
        except (FileNotFoundError, NotADirectoryError):
            return None
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise InputError(f"{target.path}: cannot be looked at ({reason}); {target.another}") from None
        if stat.S_ISLNK(status.st_mode):
            shown = path.relative_to(target.root)
            raise InputError(
                f"{target.path}: {shown} is a link, which is not followed; remove it, or {target.another}"
            )
        if place < len(target.parts) and not stat.S_ISDIR(status.st_mode):
            raise InputError(f"{target.path}: {path.name} is a file, not a folder; {target.another}")
    return status


def marked_by(folder: Path) -> frozenset[str]:
    """The commands that a folder's marker lists."""
    path = folder / MARKER
    try:
        descriptor = os.open(path, os.O_RDONLY | NO_FOLLOW | NONBLOCK | BINARY)
    except (FileNotFoundError, NotADirectoryError):
        return frozenset()
    except OSError as error:
        link = error.errno == errno.ELOOP
        reason = "a link, which is not followed" if link else f"cannot be read ({error.strerror})"
        raise InputError(f"{path}: {reason}; remove it, or name another folder") from None
    with os.fdopen(descriptor, "rb") as file:
        regular = stat.S_ISREG(os.fstat(descriptor).st_mode)
        data = file.read(_LONGEST_MARKER) if regular else b"?"
    lines = data.decode("utf-8", "replace").splitlines()
    if not all(line.startswith("truerank ") for line in lines):
        raise InputError(f"{path}: not a list of truerank commands; move it away, or name another folder")
    return frozenset(lines)


def check_name(given: str) -> None:
    """Refuse a path that no text file, page or JSON document could name."""
    try:
        given.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(given).decode("utf-8", "backslashreplace")
        raise InputError(f"{shown}: this path is not UTF-8; rename it, or name another") from None
    if "\0" in given:
        raise InputError(f"{given!r}: no path has a zero byte; name another")


def refuse_dangling(path: Path) -> None:
    for item in (path, *path.parents):
        if item.is_symlink() and not item.exists():
            raise InputError(f"{item}: a link to nothing; remove it, or name another place")


def check_writable(folder: Path, path: Path, missing: bool = True) -> None:
    """Refuse a folder that cannot be written to, or a missing one unless it may be made."""
    there = next((item for item in (folder, *folder.absolute().parents) if os.path.lexists(item)), folder)
    if there != folder and not missing:
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    if not there.is_dir():
        raise InputError(f"{path}: {there} is not a folder; name another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {there}; choose another folder")


def key_of(real: Path) -> str:
    """A key, equal for names that are one file on some machines: by case or by composed letters."""
    return unicodedata.normalize("NFC", str(real)).casefold()


class Inputs:
    """The files and folders that the run reads, known by what they are and not by their names."""

    def __init__(self, paths: list[PathLike]) -> None:
        self._names: dict[tuple[int, int], str] = {}
        for path in paths:
            check_name(os.fspath(path))
            with contextlib.suppress(OSError):  # the reader says what is wrong with it
                piped = str(path) == "-"
                status = os.fstat(0) if piped else os.stat(path)
                self._names[status.st_dev, status.st_ino] = "standard input" if piped else str(path)
        self._at = cache(self._find)

    def _find(self, path: Path) -> str | None:
        with contextlib.suppress(OSError):
            status = os.stat(path)
            return self._names.get((status.st_dev, status.st_ino))
        return None

    def refuse(self, target: Target) -> None:
        """Refuse a target that is an input, or in a folder that is read."""
        if self._find(target.real) is not None:
            raise InputError(f"{target.path}: already an input; {target.another}")
        if (holder := next(filter(None, map(self._at, target.real.parents)), None)) is not None:
            raise InputError(
                f"{target.path}: would go into {holder}, which this command reads; {target.another}"
            )

    def refuse_open(self, descriptor: int, name: str) -> None:
        """Refuse a stream that ends in a file that is read."""
        with contextlib.suppress(OSError):
            status = os.fstat(descriptor)
            if stat.S_ISREG(status.st_mode) and (status.st_dev, status.st_ino) in self._names:
                raise InputError(f"{name}: already an input; send the output to another file")


def opened_stream(path: Path) -> int | None:
    """A device, a pipe or an open file, to append to; ``None`` for other files, folders, or nothing."""
    try:
        mode = os.stat(path).st_mode
    except (OSError, ValueError):
        mode = stat.S_IFREG
    if stat.S_ISDIR(mode) or (stat.S_ISREG(mode) and not os.path.abspath(path).startswith(_OPEN_FILES)):
        return None
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode) or stat.S_ISREG(mode)):
        raise InputError(f"{path}: neither a file nor a pipe; name a file")
    try:
        # Without blocking, because opening a pipe waits for a reader; kept open, so that the reader stays.
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | NONBLOCK | getattr(os, "O_NOCTTY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise InputError(f"{path}: a pipe that nothing reads; start its reader first") from None
        raise cannot_write(path, error) from None
    if NONBLOCK:
        os.set_blocking(descriptor, True)
    return descriptor
