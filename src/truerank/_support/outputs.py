"""The outputs of commands: all or nothing, never over an input, and nothing is ever deleted.

Outputs are declared, which checks them before any work. Their contents go into temporary files beside the
targets, which are renamed together at the end.

A file that the user named is replaced; a link to it is followed. In a folder, where truerank chooses the
names, an existing file is replaced only if the user says so or if the folder's marker, ``.truerank``, lists
the command. No link inside a folder is followed: a received folder must not lead out of itself. A replaced
file keeps its mode, and a read-only one is refused.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import signal
import stat
import sys
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Self

from truerank._support.arguments import either
from truerank._support.files import PathLike, cannot_write, make_folder, safe_name, temporary_name
from truerank._support.output_paths import (
    BINARY,
    MARKER,
    NO_FOLLOW,
    Inputs,
    Target,
    check_name,
    check_writable,
    key_of,
    look,
    marked_by,
    opened_stream,
    refuse_dangling,
)
from truerank.errors import InputError

ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Outputs:
    """All files of one run of a command; a context that writes them when its block ends well."""

    def __init__(self, command: str, inputs: Iterable[PathLike | None] = (), overwrite: bool = False) -> None:
        self.command = command
        self._overwrite = overwrite
        self._inputs = Inputs([path for path in inputs if path is not None])
        self._targets: dict[Path, Target] = {}
        self._taken: dict[str, Path] = {}
        self._above: dict[str, Path] = {}
        self._marked: dict[Path, frozenset[str]] = {}
        self._shown: dict[Path, Path] = {}
        self._possible: set[Target] = set()
        self._staged: dict[Path, Path] = {}
        self._states: dict[Path, bytes | None] = {}
        self._sent: list[tuple[Target, bytes]] = []
        self._made: list[Path] = []
        self._written: Counter[str] = Counter()
        self._replaced: Counter[str] = Counter()
        self._left: list[str] = []

    # ── before the work ───────────────────────────────────────────────────────────────────────────

    def state(self, path: PathLike | None, option: str = "", before: str | None = None) -> None:
        """Declare a file that this run reads and replaces, unless it holds another text by then."""
        self.file(path, option)
        target = None if path is None else self._targets[Path(path)]
        if target is not None and target.stream is None:
            held = _digest(target) if before is None else hashlib.sha256(before.encode()).digest()
            self._states[target.path] = held

    def file(self, path: PathLike | None, option: str = "") -> None:
        """Declare a file that the user named; ``None`` is none. An older file there will be replaced."""
        if path is None:
            return
        given = os.fspath(path)
        if given == "":
            raise InputError(f"{option or 'the file'} is empty; name a file")
        check_name(given)
        if given == "-":
            if option != "--json":
                raise InputError("only --json can go to standard output; name a file")
            self._inputs.refuse_open(1, "standard output")
            self._targets[Path("-")] = Target(Path("-"), Path("-"), (), None, option, 1)
            return
        shown = Path(path)
        known = self._targets.get(shown)
        if known is not None and (known.stream is not None or known.option == option):
            return
        refuse_dangling(shown)
        real = Path(os.path.realpath(path))
        if (stream := opened_stream(shown)) is not None:
            self._targets[shown] = Target(shown, real.parent, (real.name,), None, option, stream)
            self._inputs.refuse_open(stream, given)
            return
        self._declare(Target(shown, real.parent, (real.name,), None, option))

    def folder(
        self,
        folder: PathLike | None,
        names: Iterable[str] = (),
        option: str = "",
        below: str | None = None,
        sure: bool = True,
    ) -> None:
        """Declare files of a folder, whose names are truerank's own; ``None`` is none.

        A file that may not be written in the end (not `sure`) is not checked for an existing one.
        """
        if folder is None:
            return
        root = self._root(folder, option)
        owner = f"truerank {self.command} {option}".strip() if self.command else ""
        for name in names:
            inner = _below(Path(), below) / name
            target = Target(Path(folder) / inner, root, inner.parts, owner, option)
            if self._targets.get(target.path) != target:
                self._declare(target, sure)
            self._possible.add(target)

    # ── after the work ────────────────────────────────────────────────────────────────────────────

    def add(self, path: PathLike, contents: str | bytes | Iterable[str]) -> None:
        """The contents of a declared file, whole or in pieces, put beside its place for now."""
        target = self._targets[Path(path)]
        parts = [contents] if isinstance(contents, str | bytes) else contents
        data = (part.encode() if isinstance(part, str) else part for part in parts)
        if target.stream is not None:
            self._sent.append((target, b"".join(data)))
            return
        with naming(target.path):
            older, folder = look(target), target.real.parent
            self._made += reversed([item for item in (folder, *folder.parents) if not item.exists()])
            make_folder(folder)
            staged = self._staged[target.path] = temporary_name(target.real)
            mode = 0o666 if older is None else older.st_mode & 0o777
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | BINARY
            descriptor = os.open(staged, flags, mode)
            if older is not None and hasattr(os, "fchmod"):  # the umask may have reduced the mode
                os.fchmod(descriptor, mode)
            write(descriptor, data)

    def put(
        self, folder: PathLike, files: Mapping[str, str | bytes], option: str = "", below: str | None = None
    ) -> list[Path]:
        """The contents of files of a declared folder, by name; returns their paths."""
        self.folder(folder, files, option, below)
        paths = [_below(Path(folder), below) / name for name in files]
        for path, contents in zip(paths, files.values(), strict=True):
            self.add(path, contents)
        return paths

    @property
    def replaced(self) -> str:
        """What was replaced and what an earlier run left, in one line; empty if nothing was."""
        sections = []
        if self._replaced:
            sections.append(f"replaced {_listed(self._replaced)}")
        if self._left:
            sections.append(f"left from an earlier run, not written now: {', '.join(self._left)}")
        return "; ".join(sections)

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
            self._discard()

    # ── declaring ─────────────────────────────────────────────────────────────────────────────────

    def _root(self, folder: PathLike, option: str) -> Path:
        given = os.fspath(folder)
        if given in ("", "-"):
            raise InputError(f"{option or 'the folder'} is {given!r}; name a folder")
        check_name(given)
        path = Path(folder)
        refuse_dangling(path)
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: a file is in the place of the folder; name another {option} folder")
        root = Path(os.path.realpath(path))
        if root not in self._marked:
            if (file := self._taken.get(key_of(root))) is not None:
                raise InputError(f"{path}: already another output ({file}); choose another {option} folder")
            check_writable(root, path)
            self._marked[root] = marked_by(path)
            self._shown[root] = path
        return root

    def _declare(self, target: Target, sure: bool = True) -> None:
        key, path = key_of(target.real), target.path
        taken = self._taken.get(key) or self._above.get(key)
        if taken is not None:
            raise InputError(f"{path}: already another output ({taken}); {target.another}")
        for above in target.real.parents:
            if (file := self._taken.get(key_of(above))) is not None:
                raise InputError(f"{path}: {file} is already another output, a file; {target.another}")
        self._inputs.refuse(target)
        if target.parts[-1] == MARKER:
            raise InputError(
                f"{path}: a name for the list of commands that wrote to a folder; {target.another}"
            )
        if target.owner is None:
            check_writable(target.root, path, missing=False)
        if sure:
            self._exists(target)
        self._taken[key] = path
        self._above.update((key_of(above), path) for above in target.real.parents)
        self._targets[path] = target

    def _exists(self, target: Target) -> bool:
        """Whether there is a file that will be replaced."""
        status = look(target)
        if status is None:
            return False
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{target.path}: this is a folder; {target.another}")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{target.path}: not a regular file; {target.another}")
        # The superuser may write to a read-only file, but its mode says that it should stay.
        if not status.st_mode & ANY_WRITE or not os.access(target.real, os.W_OK):
            raise InputError(f"{target.path}: read-only; make it writable, or {target.another}")
        if not self._may_replace(target):
            how = either("overwrite=True", "--overwrite")
            raise InputError(
                f"{target.path}: exists, and {target.owner} did not write to this folder before; "
                f"give {how} to replace it, or {target.another}"
            )
        return True

    def _may_replace(self, target: Target) -> bool:
        return self._overwrite or target.owner is None or target.owner in self._marked[target.root]

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def _commit(self) -> None:
        targets = [self._targets[path] for path in self._staged]
        older = [target for target in targets if self._exists(target)]  # the work may have taken hours
        with contextlib.ExitStack() as held:
            for target in (item for item in targets if item.path in self._states):
                held.enter_context(_locked(target.real.parent))
                if _digest(target) != self._states[target.path]:
                    raise InputError(
                        f"{target.path}: changed since it was read, by another command; run this one again"
                    )
            held.enter_context(uninterrupted())
            # Markers first, so that the files are known as truerank's whatever happens.
            for root, owner in dict.fromkeys((t.root, t.owner) for t in targets):
                if owner and owner not in self._marked[root]:
                    with naming(self._shown[root] / MARKER):
                        _mark(root / MARKER, owner)
            for target in targets:
                with naming(target.path):
                    os.replace(self._staged[target.path], target.real)
        self._staged.clear()
        self._made.clear()
        self._written.update(_named(target) for target in targets if target not in older)
        self._replaced.update(_named(target) for target in older)
        self._left = sorted(str(t.path) for t in self._possible - set(targets) if self._is_left(t))
        for target, data in self._sent:
            _send(target, data)

    def _is_left(self, target: Target) -> bool:
        if target.owner not in self._marked[target.root]:
            return False
        with contextlib.suppress(InputError, OSError):
            status = look(target)
            return status is not None and stat.S_ISREG(status.st_mode)
        return False

    def _discard(self) -> None:
        for staged in self._staged.values():
            with contextlib.suppress(OSError):
                staged.unlink()
        for made in reversed(self._made):
            with contextlib.suppress(OSError):  # another process uses it by now
                made.rmdir()
        for target in self._targets.values():
            if target.stream is not None and str(target.path) != "-":
                with contextlib.suppress(OSError):
                    os.close(target.stream)
        self._staged.clear()


def write_file(path: PathLike, contents: str | bytes, before: str | None = None) -> None:
    """Write a file that the user named, whole or not at all; with `before`, only over that text."""
    with Outputs("") as outputs:
        outputs.state(path, before=before) if before is not None else outputs.file(path)
        outputs.add(path, contents)


def write_folder(
    folder: PathLike,
    files: Mapping[str, str | bytes],
    command: str,
    option: str = "",
    overwrite: bool = False,
) -> list[Path]:
    """Write files of truerank's own names into a folder, made if need be; all of them or none."""
    with Outputs(command, overwrite=overwrite) as outputs:
        return outputs.put(folder, files, option)


def write_inside(root: PathLike, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder that is known to be truerank's own; no link in it is followed."""
    with Outputs("", overwrite=True) as outputs:
        return outputs.put(root, files)


def _digest(target: Target) -> bytes | None:
    """The digest of a file; ``None`` if there is none."""
    try:
        return hashlib.sha256(target.real.read_bytes()).digest()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise InputError(f"{target.path}: cannot be read ({error.strerror}); {target.another}") from None


def _send(target: Target, data: bytes) -> None:
    if str(target.path) == "-":
        sys.stdout.write(data.decode())
        return
    assert target.stream is not None
    sys.stdout.flush()
    with naming(target.path):
        write(os.dup(target.stream), [data])


def _below(folder: Path, name: str | None) -> Path:
    return folder / safe_name(name) if name else folder


def _named(target: Target) -> str:
    """How messages name a written file: by itself, or as one of its folder."""
    return str(target.path if target.owner is None else target.path.parent)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(
        f"{count} {'file' if count == 1 else 'files'} in {place}" if os.path.isdir(place) else place
        for place, count in sorted(counts.items())
    )


def _mark(path: Path, owner: str) -> None:
    """Append a line to a folder's marker, whole or not at all."""
    descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_FOLLOW | BINARY, 0o666)
    before = os.fstat(descriptor).st_size
    try:
        write(descriptor, [owner.encode() + b"\n"])
    except OSError:
        os.truncate(path, before) if before else path.unlink()
        raise


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
def uninterrupted() -> Iterator[None]:
    """Ignore Ctrl-C: a command must not report an interruption after it has put its files in place."""
    try:
        before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    except ValueError:  # only the main thread is interrupted
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before or signal.SIG_DFL)


def write(descriptor: int, data: Iterable[bytes]) -> None:
    with os.fdopen(descriptor, "wb") as stream:
        stream.writelines(data)


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Name the file that the user knows in a failure to write."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error) from None
