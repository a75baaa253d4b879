"""The files that a command writes: each is whole, none is an input, and no older one is deleted.

Files and folders are declared, which checks them before any work. Each file is written under another name
beside its place, and renamed when it is complete. A file that the user named is replaced, and a link to it is
followed. A folder that is not empty needs ``--overwrite``, so a run that fails takes what it put there back.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from truerank._support.arguments import either
from truerank._support.files import (
    PathLike,
    cannot_write,
    make_folder,
    outliving_the_reader,
    safe_name,
    temporary_name,
)
from truerank.errors import InputError

_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Outputs:
    """All files of one run of a command."""

    def __init__(self, inputs: Iterable[PathLike | None] = (), overwrite: bool = False) -> None:
        self._inputs = {_real(path): path for path in inputs if path is not None and path != "-"}
        self._overwrite = overwrite
        self._taken: dict[Path, str] = {}  # each file, with the option that names it, and each folder
        self._states: dict[Path, bytes | None] = {}
        self._counts = Counter[str](), Counter[str]()  # of new files and of replaced ones
        self._made: list[Path] = []  # new files in folders, each after the new folders above it

    def state(self, path: PathLike | None, option: str = "", before: str | None = None) -> None:
        """Declare a file that this run reads and replaces, unless it holds another text by then."""
        self.file(path, option)
        if path is not None and not _is_stream(path):
            self._states[_real(path)] = _bytes_of(_real(path)) if before is None else before.encode()

    def file(self, path: PathLike | None, option: str = "") -> None:
        """Declare a file that the user named; ``None`` is none. An older file there will be replaced."""
        if path is None:
            return
        if path == "":
            raise InputError(f"{option or 'the file'} is empty; name a file")
        if path == "-":
            if option != "--json":
                raise InputError("only --json can go to standard output; name a file")
            return
        real = _real(path)
        if _is_stream(path) or self._taken.get(real) == option:
            return
        self._check(path, real, _another(option, "file"))
        if not real.parent.is_dir():
            raise InputError(f"{path}: the folder {Path(path).parent} does not exist; create it first")
        _check_writable(path, real.parent)
        self._taken[real] = option

    def folder(self, folder: PathLike | None, option: str = "") -> None:
        """Declare a folder, which is empty or missing unless it may be overwritten; ``None`` is none."""
        if folder is None:
            return
        if os.fspath(folder) in ("", "-"):
            raise InputError(f"{option or 'the folder'} is {os.fspath(folder)!r}; name a folder")
        real, remedy = _real(folder), _another(option, "folder")
        if self._taken.get(real) == "a folder":
            return
        if real in self._taken:
            raise InputError(f"{folder}: already another output; {remedy}")
        if os.path.lexists(real) and not real.is_dir():
            raise InputError(f"{folder}: a file is in the place of the folder; {remedy}")
        self._refuse_inputs(folder, real, remedy)
        _check_writable(folder, next(item for item in (real, *real.parents) if item.exists()))
        if not self._overwrite and real.is_dir() and os.listdir(real):
            how = either("overwrite=True", "--overwrite")
            raise InputError(f"{folder}: the folder is not empty; give {how} to write into it, or {remedy}")
        self._taken[real] = "a folder"

    def add(self, path: PathLike, contents: str | bytes | Iterable[str]) -> None:
        """Write a declared file; its contents come whole or in pieces."""
        if path == "-":
            with outliving_the_reader():
                sys.stdout.writelines(part.decode() for part in _encoded(contents))
        elif _is_stream(path):
            sys.stdout.flush()
            with _naming(path), open(path, "ab") as stream:
                stream.writelines(_encoded(contents))
        elif (real := _real(path)) in self._states:
            with _locked(real.parent):
                if _bytes_of(real) != self._states[real]:
                    raise InputError(
                        f"{path}: changed since it was read, by another command; run this one again"
                    )
                self._write(path, real, contents, str(path))
        else:
            self._write(path, real, contents, str(path))

    def put(self, folder: PathLike, files: Mapping[str, str | bytes], below: str | None = None) -> list[Path]:
        """Write files of a declared folder, by name; returns their paths."""
        place = Path(folder) / safe_name(below) if below else Path(folder)
        paths = {place / name: contents for name, contents in files.items()}
        for path in paths:
            self._check(path, _real(path.parent) / path.name, "choose another folder")
        for path, contents in paths.items():
            real = _real(path.parent) / path.name
            new = [item for item in (real, *real.parents) if not item.exists()]
            self._made += reversed(new)
            self._write(path, real, contents, str(path.parent))
            self._taken[real] = "in a folder"
        return list(paths)

    def take_back(self) -> None:
        """Remove the new files of folders, and the folders that were made for them."""
        for path in reversed(self._made):
            with contextlib.suppress(OSError):
                if path.is_dir():
                    path.rmdir()
                else:
                    path.unlink()

    @property
    def written(self) -> str:
        return _listed(self._counts[0])

    @property
    def replaced(self) -> str:
        return _listed(self._counts[1])

    def _check(self, path: PathLike, real: Path, remedy: str) -> None:
        """Refuse a file that cannot be written, or must not be."""
        self._refuse_inputs(path, real, remedy)
        if real in self._taken:
            raise InputError(f"{path}: already another output; {remedy}")
        if real.is_dir():
            raise InputError(f"{path}: this is a folder; {remedy}")
        # The superuser may write to a read-only file, but its mode says that it should stay.
        if real.exists() and not real.stat().st_mode & _ANY_WRITE:
            raise InputError(f"{path}: read-only; make it writable, or {remedy}")

    def _refuse_inputs(self, path: PathLike, real: Path, remedy: str) -> None:
        if real in self._inputs and not real.is_dir():
            raise InputError(f"{path}: already an input; {remedy}")
        for above in (real, *real.parents):
            if above in self._inputs:
                holder = self._inputs[above]
                raise InputError(f"{path}: would go into {holder}, which this command reads; {remedy}")

    def _write(self, path: PathLike, real: Path, contents: str | bytes | Iterable[str], counted: str) -> None:
        with _naming(path):
            make_folder(real.parent)
            new, before = temporary_name(real), real.exists()
            try:
                with open(new, "xb") as stream:
                    stream.writelines(_encoded(contents))
                if before:
                    shutil.copymode(real, new)
                os.replace(new, real)
            finally:
                new.unlink(missing_ok=True)
        self._counts[before][counted] += 1


def write_file(path: PathLike, contents: str | bytes, before: str | None = None) -> None:
    """Write a file that the user named, whole or not at all; with `before`, only over that text."""
    outputs = Outputs()
    outputs.state(path, before=before) if before is not None else outputs.file(path)
    outputs.add(path, contents)


def write_folder(folder: PathLike, files: Mapping[str, str | bytes], overwrite: bool = False) -> list[Path]:
    """Write files into a folder, made if need be; one that is not empty needs `overwrite`."""
    outputs = Outputs(overwrite=overwrite)
    outputs.folder(folder)
    try:
        return outputs.put(folder, files)
    except Exception:
        outputs.take_back()
        raise


def _another(option: str, kind: str) -> str:
    return f"choose another {option} {kind}" if option else f"choose another {kind}"


def _encoded(contents: str | bytes | Iterable[str]) -> Iterator[bytes]:
    parts = [contents] if isinstance(contents, str | bytes) else contents
    return (part.encode() if isinstance(part, str) else part for part in parts)


def _real(path: PathLike) -> Path:
    """The file itself, without links."""
    given = os.fspath(path)
    try:
        given.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(given).decode("utf-8", "backslashreplace")
        raise InputError(f"{shown}: this path is not UTF-8; rename it, or name another") from None
    if "\0" in given:
        raise InputError(f"{given!r}: a path cannot have a zero byte; name another")
    return Path(os.path.realpath(given))


def _is_stream(path: PathLike) -> bool:
    """Whether it is a device, a pipe or an open file, which is written to and not replaced."""
    place = Path(path)
    opened = str(path).startswith(("/dev/std", "/dev/fd/", "/proc/"))
    return opened or (place.exists() and not place.is_file() and not place.is_dir())


def _bytes_of(real: Path) -> bytes | None:
    try:
        return real.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{real}: cannot be read ({error.strerror}); choose another file") from None


def _check_writable(path: PathLike, folder: Path) -> None:
    if not os.access(folder, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {folder}; choose another folder")


def _listed(counts: Counter[str]) -> str:
    return ", ".join(
        f"{count} {'file' if count == 1 else 'files'} in {place}" if os.path.isdir(place) else place
        for place, count in sorted(counts.items())
    )


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """Lock a folder against others that lock it, where the system and the disk can do so."""
    with contextlib.ExitStack() as held:
        with contextlib.suppress(ImportError, OSError):
            import fcntl

            descriptor = os.open(folder, os.O_RDONLY)
            held.callback(os.close, descriptor)  # which lets go of the lock
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield


@contextmanager
def _naming(path: PathLike) -> Iterator[None]:
    """Name the file that the user knows in a failure to write."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error) from None
