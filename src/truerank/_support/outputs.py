"""The files that a command writes: each is whole, none is an input, and nothing is deleted.

Files and folders are declared, which checks them before any work. Contents go into temporary files beside
their places, which are renamed when the block ends well. A file that the user named is replaced, and a link
to it is followed. A folder that is not empty needs ``--overwrite``.
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
from types import TracebackType
from typing import BinaryIO, Self

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
    """All files of one run of a command; a context that puts them in place when its block ends well."""

    def __init__(self, inputs: Iterable[PathLike | None] = (), overwrite: bool = False) -> None:
        self._inputs = {_real(path): path for path in inputs if path is not None and path != "-"}
        self._overwrite = overwrite
        self._files: dict[Path, str] = {}  # those that the user named, and their options
        self._folders: set[Path] = set()
        self._states: dict[Path, bytes | None] = {}
        self._staged: dict[Path, tuple[Path, Path]] = {}  # the path as given, and the temporary file
        self._sent: list[tuple[Path, bytes]] = []
        self._made: list[Path] = []
        self._written: Counter[str] = Counter()
        self._replaced: Counter[str] = Counter()

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
        if _is_stream(path) or self._files.get(real) == option:
            return
        self._check(path, real, _another(option, "file"))
        if not real.parent.is_dir():
            raise InputError(f"{path}: the folder {Path(path).parent} does not exist; create it first")
        _check_writable(path, real.parent)
        self._files[real] = option

    def folder(self, folder: PathLike | None, option: str = "") -> None:
        """Declare a folder, which is empty or missing unless it may be overwritten; ``None`` is none."""
        if folder is None:
            return
        if os.fspath(folder) in ("", "-"):
            raise InputError(f"{option or 'the folder'} is {os.fspath(folder)!r}; name a folder")
        real, remedy = _real(folder), _another(option, "folder")
        if real in self._folders:
            return
        if real in self._files:
            raise InputError(f"{folder}: already another output; {remedy}")
        if os.path.lexists(real) and not real.is_dir():
            raise InputError(f"{folder}: a file is in the place of the folder; {remedy}")
        self._refuse_inputs(folder, real, remedy)
        there = next(item for item in (real, *real.parents) if item.exists())
        _check_writable(folder, there)
        if not self._overwrite and real.is_dir() and os.listdir(real):
            how = either("overwrite=True", "--overwrite")
            raise InputError(f"{folder}: the folder is not empty; give {how} to write into it, or {remedy}")
        self._folders.add(real)

    def add(self, path: PathLike, contents: str | bytes | Iterable[str]) -> None:
        """The contents of a declared file, whole or in pieces, put beside its place for now."""
        if path == "-" or _is_stream(path):
            self._sent.append((Path(path), b"".join(_encoded(contents))))
        else:
            self._stage(Path(path), _real(path), contents)

    def put(self, folder: PathLike, files: Mapping[str, str | bytes], below: str | None = None) -> list[Path]:
        """The contents of files of a declared folder, by name; returns their paths."""
        place = Path(folder) / safe_name(below) if below else Path(folder)
        paths = [place / name for name in files]
        for path, contents in zip(paths, files.values(), strict=True):
            real = _real(path.parent) / path.name
            self._check(path, real, "choose another folder")
            self._stage(path, real, contents)
        return paths

    @property
    def replaced(self) -> str:
        """What was replaced, in a few words; empty if nothing was."""
        return _listed(self._replaced)

    @property
    def written(self) -> str:
        """What was written where nothing was before, in a few words; empty if everything was replaced."""
        return _listed(self._written)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            if kind is None:
                self._commit()
        finally:
            for _, staged in self._staged.values():
                with contextlib.suppress(OSError):
                    staged.unlink()
            for made in reversed(self._made):
                with contextlib.suppress(OSError):  # it has files
                    made.rmdir()

    def _check(self, path: PathLike, real: Path, remedy: str) -> None:
        """Refuse a file that cannot be written, or must not be."""
        self._refuse_inputs(path, real, remedy)
        if real in self._files or real in self._folders or real in self._staged:
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

    def _stage(self, path: Path, real: Path, contents: str | bytes | Iterable[str]) -> None:
        with naming(path):
            self._made += reversed([one for one in (real.parent, *real.parent.parents) if not one.exists()])
            make_folder(real.parent)
            staged = temporary_name(real)
            self._staged[real] = path, staged
            with open(staged, "xb") as stream:
                write(stream, _encoded(contents))
            if real.exists():
                shutil.copymode(real, staged)

    def _commit(self) -> None:
        with contextlib.ExitStack() as held:
            for real, before in self._states.items():
                if real in self._staged:
                    held.enter_context(_locked(real.parent))
                    if _bytes_of(real) != before:
                        path = self._staged[real][0]
                        raise InputError(
                            f"{path}: changed since it was read, by another command; run this one again"
                        )
            for real, (path, staged) in self._staged.items():
                found = self._replaced if real.exists() else self._written
                with naming(path):
                    os.replace(staged, real)
                found[str(path if real in self._files else path.parent)] += 1
        self._staged.clear()
        self._made.clear()
        for path, data in self._sent:
            if str(path) == "-":
                with outliving_the_reader():
                    sys.stdout.write(data.decode())
                continue
            sys.stdout.flush()
            with naming(path), open(path, "ab") as stream:
                write(stream, [data])


def write_file(path: PathLike, contents: str | bytes, before: str | None = None) -> None:
    """Write a file that the user named, whole or not at all; with `before`, only over that text."""
    with Outputs() as outputs:
        outputs.state(path, before=before) if before is not None else outputs.file(path)
        outputs.add(path, contents)


def write_folder(folder: PathLike, files: Mapping[str, str | bytes], overwrite: bool = False) -> list[Path]:
    """Write files into a folder, made if need be; one that is not empty needs `overwrite`."""
    with Outputs(overwrite=overwrite) as outputs:
        outputs.folder(folder)
        return outputs.put(folder, files)


def write(stream: BinaryIO, data: Iterable[bytes]) -> None:
    """Write pieces to a file."""
    stream.writelines(data)


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
    """What a file holds; ``None`` if there is none."""
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
def naming(path: Path) -> Iterator[None]:
    """Name the file that the user knows in a failure to write."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error) from None
