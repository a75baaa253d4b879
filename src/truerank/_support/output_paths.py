"""Where an output goes: its target, what is there already, and inputs that it must not replace."""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import unicodedata
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from typing import TypeAlias

from truerank._support.files import PathLike, cannot_write
from truerank.errors import InputError

MARKER = ".truerank"  # the file in a folder that lists the commands that wrote there, one a line
NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)
_LONGEST_MARKER = 1 << 16


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
            raise link_in(target, path)
        if place < len(target.parts) and not stat.S_ISDIR(status.st_mode):
            raise InputError(f"{target.path}: {path.name} is a file, not a folder; {target.another}")
    return status


def link_in(target: Target, path: Path) -> InputError:
    shown = path.relative_to(target.root) if path.is_relative_to(target.root) else path
    return InputError(
        f"{target.path}: {shown} is a link, which is not followed; remove it, or {target.another}"
    )


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
        result: dict[Place, str] = {}
        for path in self._paths:
            if str(path) == "-":
                if (place := _place_of_descriptor(0)) is not None:
                    result[place] = "standard input"
                continue
            result[_place(path)] = str(path)
            if os.path.isdir(path):
                _add_inside(os.fspath(path), str(path), result)
        return result

    def _find_holder(self, folder: Path) -> str | None:
        for item in (folder, *folder.parents):
            if (holder := self._places.get(_place(item))) is not None:
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
            result = os.fstat(number)
            readable = number == 0 or _access(number) == os.O_RDONLY
        except OSError as error:
            if given == "-":
                return
            raise InputError(f"{given}: cannot be written ({error.strerror}); name a file") from None
        if readable and given != "-":
            raise InputError(f"{given}: open for reading, not for writing; name a file, or - for --json")
        if stat.S_ISREG(result.st_mode) and (result.st_dev, result.st_ino) in self._places:
            name = "standard output" if given == "-" else given
            raise InputError(f"{name}: already an input; send the output to another file")


def _add_inside(folder: str, shown: str, result: dict[Place, str]) -> None:
    """Everything in a folder, through links as well."""
    with contextlib.suppress(OSError):  # the reader says why it cannot be listed
        for entry in os.scandir(folder):
            with contextlib.suppress(OSError):
                status = entry.stat()
                place = (status.st_dev, status.st_ino)
                known = place in result
                result.setdefault(place, shown)
                if not known and stat.S_ISDIR(status.st_mode):
                    _add_inside(entry.path, shown, result)


def _place(path: PathLike) -> Place:
    """The identity of a file, through links; also of a file that does not exist yet."""
    real = Path(os.path.realpath(path))
    rest: list[str] = []
    while True:
        try:
            result = os.stat(real)
        except OSError:
            if real.parent == real:
                return tuple(rest)
            rest.insert(0, real.name)
            real = real.parent
            continue
        return (result.st_dev, result.st_ino, *rest)


def _place_of_descriptor(number: int) -> Place | None:
    with contextlib.suppress(OSError):
        result = os.fstat(number)
        if stat.S_ISREG(result.st_mode):
            return (result.st_dev, result.st_ino)
    return None


def opened_stream(real: Path, shown: Path) -> int | None:
    """A device or a pipe, open for writing; ``None`` for a file or a folder, or if there is nothing."""
    try:
        mode = os.stat(real).st_mode
    except (OSError, ValueError):
        return None
    if stat.S_ISREG(mode) or stat.S_ISDIR(mode):
        return None
    if not (stat.S_ISCHR(mode) or stat.S_ISFIFO(mode)):
        raise InputError(f"{shown}: neither a file nor a pipe; name a file")
    try:
        # Without blocking, because opening a pipe waits for a reader; kept open, so that the reader stays.
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
        if (result := _DESCRIPTOR.fullmatch(path)) is not None:
            return _STANDARD.get(result[1] or "", int(result[2] or result[3] or 0))
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
