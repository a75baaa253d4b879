"""Where an output goes: its target, what is there already, and what must not be there."""

from __future__ import annotations

import errno
import os
import stat
import unicodedata
from dataclasses import dataclass
from pathlib import Path

from truerank.errors import InputError

MARKER = ".truerank"
"""The file in a folder that lists the commands that wrote there, one a line."""

NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
NONBLOCK = getattr(os, "O_NONBLOCK", 0)
BINARY = getattr(os, "O_BINARY", 0)

_LONGEST_MARKER = 1 << 16


@dataclass(frozen=True)
class Target:
    """One file to be written.

    Attributes:
        path: as the user will read it; ``-`` for standard output.
        root: the folder that is trusted to be where the user wants it, without links.
        parts: the rest of the path; no link in it is followed.
        owner: the line that the root's marker must have if the file is there; none for a file that the user
            named, empty in a folder of truerank's own.
        option: how the user said where.
        stream: the descriptor of a device or a pipe, which is written to and not replaced.
    """

    path: Path
    root: Path
    parts: tuple[str, ...]
    owner: str | None
    option: str
    stream: int | None = None

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
    """What is in a target's place; ``None`` where nothing is."""
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
    for one in (path, *path.parents):
        if one.is_symlink() and not one.exists():
            raise InputError(f"{one}: a link to nothing; remove it, or name another place")


def check_writable(folder: Path, path: Path, missing: bool = True) -> None:
    """Refuse a folder that cannot be written to, or a missing one unless it may be made."""
    there = next((one for one in (folder, *folder.absolute().parents) if os.path.lexists(one)), folder)
    if there != folder and not missing:
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    if not there.is_dir():
        raise InputError(f"{path}: {there} is not a folder; name another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {there}; choose another folder")


def key_of(real: Path) -> str:
    """The same for two names that are one file on some machines: upper and lower case, composed letters."""
    return unicodedata.normalize("NFC", str(real)).casefold()
