"""What commands write: all of it or nothing, never over an input, and nothing is ever deleted.

Outputs are declared, which checks them before any work; then their contents are added, which puts
them into temporary files beside the targets; when all went well these are renamed together.

A file that the user named is replaced; a link to it is followed. In a folder, where names are truerank's
own, an existing file is replaced only if the user says so or if the folder's marker, ``.truerank``, lists
the command. No link inside a folder is followed: a received folder must not lead out of itself.
"""

from __future__ import annotations

import contextlib
import errno
import os
import re
import stat
import sys
import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path
from types import TracebackType
from typing import Self, TypeAlias

from truerank._support.arguments import either
from truerank._support.files import PathLike, cannot_write, make_folder, safe_name, temporary_name
from truerank.errors import InputError

MARKER = ".truerank"
"""The file in a folder that lists the commands that wrote there, one a line."""

Place: TypeAlias = tuple[int | str, ...]

_LONGEST_MARKER = 1 << 16

_DESCRIPTOR = re.compile(r"/dev/(?:(std(?:in|out|err))|fd/(\d+))|/proc/(?:self|thread-self|\d+)/fd/(\d+)")
_STANDARD = {"stdin": 0, "stdout": 1, "stderr": 2}

_NO_FOLLOW = getattr(os, "O_NOFOLLOW", 0)
_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
_NONBLOCK = getattr(os, "O_NONBLOCK", 0)
_BINARY = getattr(os, "O_BINARY", 0)
_RELATIVE = {os.open, os.mkdir, os.unlink, os.stat, os.rename} <= os.supports_dir_fd and bool(_NO_FOLLOW)
"""Whether this system opens files relative to an open folder; elsewhere paths are checked instead."""


@dataclass(frozen=True)
class _Target:
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


class Outputs:
    """All files of one run of a command; a context that writes them when its block ends well.

    Args:
        command: the words after ``truerank``, e.g. ``simulate fit``; empty where no folder gets a marker.
        inputs: files and folders that the run reads; ``-`` is standard input.
        overwrite: whether files in folders are replaced whoever wrote them.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> with Outputs("assess") as outputs:
        ...     outputs.file(folder / "result.json")
        ...     outputs.add(folder / "result.json", '{"measure": "AP"}')
        >>> sorted(path.name for path in folder.iterdir())
        ['result.json']
    """

    def __init__(self, command: str, inputs: Iterable[PathLike | None] = (), overwrite: bool = False) -> None:
        self.command = command
        self._overwrite = overwrite
        self._inputs = _Inputs([path for path in inputs if path is not None])
        self._targets: dict[Path, _Target] = {}
        self._taken: dict[str, Path] = {}
        self._above: dict[str, Path] = {}
        self._marked: dict[Path, frozenset[str]] = {}
        self._shown: dict[Path, Path] = {}
        self._possible: set[_Target] = set()
        self._folders: dict[tuple[Path, tuple[str, ...]], _Folder] = {}
        self._staged: dict[Path, str] = {}
        self._sent: list[tuple[_Target, bytes]] = []
        self._made: list[Path] = []
        self._written: Counter[str] = Counter()
        self._replaced: Counter[str] = Counter()
        self._left: list[str] = []

    # ── before the work ───────────────────────────────────────────────────────────────────────────

    def file(self, path: PathLike | None, option: str = "") -> None:
        """Declare a file that the user named; ``None`` is none. An older file there will be replaced.

        Args:
            path: where; ``-``, for JSON alone, is standard output.
            option: how the user said where, for messages.

        Raises:
            InputError: it is an input, inside a folder that is read, or another output; or it cannot be
                written.
        """
        if path is None:
            return
        given = os.fspath(path)
        if given == "":
            raise InputError(f"{option or 'the file'} is empty; name a file")
        _check_name(given)
        if given == "-":
            if option != "--json":
                raise InputError("only --json can go to standard output; name a file")
            self._inputs.refuse_descriptor(1, given)
            self._targets[Path("-")] = _Target(Path("-"), Path("-"), (), None, option, 1)
            return
        shown = Path(path)
        known = self._targets.get(shown)
        if known is not None and (known.stream is not None or known.option == option):
            return
        if (number := _descriptor(given)) is not None:
            self._inputs.refuse_descriptor(number, given)
            self._targets[shown] = _Target(shown, shown, (), None, option, os.dup(number))
            return
        _refuse_dangling(shown)
        real = Path(os.path.realpath(path))
        if (stream := _opened_stream(real, shown)) is not None:
            self._targets[shown] = _Target(shown, real.parent, (real.name,), None, option, stream)
            return
        self._declare(_Target(shown, real.parent, (real.name,), None, option))

    def folder(
        self,
        folder: PathLike | None,
        names: Iterable[str] = (),
        option: str = "",
        below: str | None = None,
    ) -> None:
        """Declare files of a folder, whose names are truerank's own; ``None`` is none.

        Args:
            folder: where; made when it is written.
            names: of the files that may be written, as far as they are known before the work; those that an
                earlier run left and this one does not write are named at the end.
            option: how the user said where, for messages and the marker.
            below: the measure that has a folder of its own in this one.

        Raises:
            InputError: as :meth:`file`; also where a file is in the way that this command did not write.
        """
        if folder is None:
            return
        root = self._root(folder, option)
        owner = f"truerank {self.command} {option}".strip() if self.command else ""
        for name in names:
            target = self._target(folder, root, name, below, owner, option)
            if self._targets.get(target.path) != target:
                self._declare(target)
            self._possible.add(target)

    # ── after the work ────────────────────────────────────────────────────────────────────────────

    def add(self, path: PathLike, contents: str | bytes) -> None:
        """The contents of a declared file, put beside its place for now.

        Raises:
            InputError: it cannot be written, e.g. because the disk is full; nothing is left then.
        """
        target = self._targets[Path(path)]
        data = contents.encode() if isinstance(contents, str) else contents
        if target.stream is not None:
            self._sent.append((target, data))
            return
        with _naming(target.path):
            folder = self._opened(target)
            name = temporary_name(target.real).name
            self._staged[target.path] = name
            folder.write(name, data)

    def put(
        self,
        folder: PathLike,
        files: Mapping[str, str | bytes],
        option: str = "",
        below: str | None = None,
    ) -> list[Path]:
        """The contents of files of a declared folder, by name; returns their paths.

        Raises:
            InputError: as :meth:`add`, and as :meth:`folder` for names not declared before.
        """
        self.folder(folder, files, option, below)
        paths = [_below(Path(folder), below) / name for name in files]
        for path, contents in zip(paths, files.values(), strict=True):
            self.add(path, contents)
        return paths

    @property
    def said(self) -> str:
        """What was replaced, and what an earlier run left, in one line; empty where there is nothing."""
        parts = []
        if self._replaced:
            parts.append(f"replaced {_listed(self._replaced)}")
        if self._left:
            parts.append(f"left from an earlier run, not written now: {', '.join(self._left)}")
        return "; ".join(parts)

    @property
    def written(self) -> str:
        """What was written where, in a few words; empty where nothing was."""
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
        _check_name(given)
        path = Path(folder)
        _refuse_dangling(path)
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: a file is in the place of the folder; name another {option} folder")
        root = Path(os.path.realpath(path))
        if root not in self._marked:
            if (file := self._taken.get(_key(root))) is not None:
                raise InputError(f"{path}: already another output ({file}); choose another {option} folder")
            _check_writable(root, path)
            self._marked[root] = _marked(path)
            self._shown[root] = path
        return root

    def _target(
        self, folder: PathLike, root: Path, name: str, below: str | None, owner: str, option: str
    ) -> _Target:
        inner = _below(Path(), below) / name
        return _Target(Path(folder) / inner, root, inner.parts, owner, option)

    def _declare(self, target: _Target) -> None:
        key, path = _key(target.real), target.path
        taken = self._taken.get(key) or self._above.get(key)
        if taken is not None:
            apart = taken != path and str(taken).casefold() == str(path).casefold()
            why = f"differs from {taken}, another output, only in case" if apart else "already another output"
            raise InputError(f"{path}: {why}; {target.another}")
        for above in target.real.parents:
            if (file := self._taken.get(_key(above))) is not None:
                raise InputError(f"{path}: {file} is already another output, a file; {target.another}")
        self._inputs.refuse(target)
        if target.parts[-1] == MARKER:
            raise InputError(
                f"{path}: a name for the list of commands that wrote to a folder; {target.another}"
            )
        if target.owner is None:
            _check_writable(target.root, path, missing=False)
        self._exists(target)
        self._taken[key] = path
        self._above.update((_key(above), path) for above in target.real.parents)
        self._targets[path] = target

    def _exists(self, target: _Target) -> bool:
        """Whether there is a file that will be replaced.

        Raises:
            InputError: what is there must not be replaced.
        """
        status = _look(target)
        if status is None:
            return False
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{target.path}: this is a folder; {target.another}")
        if not stat.S_ISREG(status.st_mode):
            raise InputError(f"{target.path}: not a regular file; {target.another}")
        if not self._may_replace(target):
            how = either("overwrite=True", "--overwrite")
            raise InputError(
                f"{target.path}: exists, and {target.owner} did not write to this folder before; "
                f"give {how} to replace it, or {target.another}"
            )
        return True

    def _may_replace(self, target: _Target) -> bool:
        return self._overwrite or target.owner is None or target.owner in self._marked[target.root]

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def _opened(self, target: _Target) -> _Folder:
        place = (target.root, target.parts[:-1])
        if place not in self._folders:
            self._folders[place] = _Folder.entered(*place, self._made, target)
        return self._folders[place]

    def _commit(self) -> None:
        targets = [self._targets[path] for path in self._staged]
        older = [target for target in targets if self._exists(target)]  # the work may have taken hours
        moves = _Moves()
        try:
            for root, owner in dict.fromkeys((t.root, t.owner) for t in targets):
                if owner and owner not in self._marked[root]:
                    with _naming(self._shown[root] / MARKER):
                        moves.mark(root / MARKER, owner)
            for target in targets:
                with _naming(target.path):
                    moves.replace(self._opened(target), self._staged[target.path], target.parts[-1])
        except BaseException:
            moves.undo()
            raise
        moves.finish()
        self._staged.clear()
        self._made.clear()
        self._written.update(_named(target) for target in targets)
        self._replaced.update(_named(target) for target in older)
        self._left = sorted(str(t.path) for t in self._possible - set(targets) if self._is_left(t))
        for target, data in self._sent:
            _send(target, data)

    def _is_left(self, target: _Target) -> bool:
        if target.owner not in self._marked[target.root]:
            return False
        with contextlib.suppress(InputError, OSError):
            status = _look(target)
            return status is not None and stat.S_ISREG(status.st_mode)
        return False

    def _discard(self) -> None:
        for path, name in self._staged.items():
            with contextlib.suppress(OSError, KeyError):
                target = self._targets[path]
                self._folders[target.root, target.parts[:-1]].unlink(name)
        for folder in self._folders.values():
            folder.close()
        for made in reversed(self._made):
            with contextlib.suppress(OSError):  # somebody else uses it by now
                made.rmdir()
        for target in self._targets.values():
            if target.stream is not None and str(target.path) != "-":
                with contextlib.suppress(OSError):
                    os.close(target.stream)
        self._staged.clear()
        self._folders.clear()


def write_file(path: PathLike, contents: str | bytes) -> None:
    """Write a file that the user named, whole or not at all; an older one is replaced.

    Raises:
        InputError: as :meth:`Outputs.file` and :meth:`Outputs.add`.
    """
    with Outputs("") as outputs:
        outputs.file(path)
        outputs.add(path, contents)


def write_folder(
    folder: PathLike,
    files: Mapping[str, str | bytes],
    command: str,
    option: str = "",
    overwrite: bool = False,
) -> list[Path]:
    """Write files of truerank's own names into a folder, made if need be; all of them or none.

    Args:
        folder: where to.
        files: contents by name.
        command: the words after ``truerank``, for the folder's marker.
        option: the command's option for this folder, for the marker.
        overwrite: whether files are replaced whoever wrote them.

    Raises:
        InputError: as :meth:`Outputs.folder` and :meth:`Outputs.add`.
    """
    with Outputs(command, overwrite=overwrite) as outputs:
        return outputs.put(folder, files, option)


def write_inside(root: PathLike, files: Mapping[str, str | bytes]) -> list[Path]:
    """Write files into a folder that is known to be truerank's own; no link in it is followed.

    Args:
        root: the folder, made if need be.
        files: contents by path below it; files that are there are replaced.

    Raises:
        InputError: a link is in the way, or a file cannot be written.
    """
    with Outputs("", overwrite=True) as outputs:
        return outputs.put(root, files)


def refuse_links(root: PathLike, names: Iterable[str]) -> None:
    """Refuse a folder of truerank's own in which one of these files or folders is a link, or holds one.

    Raises:
        InputError: naming the link.
    """
    for name in names:
        path = Path(root) / name
        inner = [path] if path.is_symlink() or not path.is_dir() else [path, *path.iterdir()]
        for one in inner:
            if one.is_symlink():
                raise InputError(f"{one}: a link, which is not followed; remove it, or choose another folder")
            if one == path and path.exists() and not (path.is_file() or path.is_dir()):
                raise InputError(f"{one}: not a regular file; remove it, or choose another folder")


def move_inside(root: Path, source: Path, target: Path) -> None:
    """Rename a file in a folder of truerank's own to a name that is free there; no link in it is followed.

    Args:
        root: the folder.
        source: the file, relative to it.
        target: its new name, relative to the folder.

    Raises:
        InputError: a link is in the way.
        OSError: it cannot be moved.
    """
    real = Path(os.path.realpath(root))
    folders = []
    try:
        for one in (source, target):
            named = _Target(root / one, real, one.parts, "", "")
            folders.append(_Folder.entered(real, one.parts[:-1], [], named))
        folders[0].move(source.name, folders[1], target.name)
    finally:
        for folder in folders:
            folder.close()


# ── one folder, and files in it ───────────────────────────────────────────────────────────────────


class _Folder:
    """An open folder; what is done in it goes by names alone, so that no link can lead elsewhere."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    @classmethod
    def entered(cls, root: Path, parts: tuple[str, ...], made: list[Path], target: _Target) -> _Folder:
        """The folder `parts` below `root`, made if need be; `made` gets what was made.

        Raises:
            InputError: one of the parts is a link.
        """
        made += reversed([one for one in (root, *root.parents) if not one.exists()])
        make_folder(root)
        folder = cls(root, os.open(root, os.O_RDONLY | _DIRECTORY) if _RELATIVE else None)
        for part in parts:
            inner = folder._path / part
            try:
                os.mkdir(folder._name(part), dir_fd=folder._descriptor)
                made.append(inner)
            except FileExistsError:
                pass
            try:
                descriptor = None
                if _RELATIVE:
                    flags = os.O_RDONLY | _DIRECTORY | _NO_FOLLOW
                    descriptor = os.open(part, flags, dir_fd=folder._descriptor)
                elif inner.is_symlink():
                    raise _link(target, inner)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise _link(target, inner) from None
                raise
            finally:
                folder.close()
            folder = cls(inner, descriptor)
        return folder

    def write(self, name: str, data: bytes) -> None:
        """A new file."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | _NO_FOLLOW | _BINARY
        _write(os.open(self._name(name), flags, 0o666, dir_fd=self._descriptor), data)

    def replace(self, name: str, target: str) -> None:
        """Rename a file over another."""
        os.replace(
            self._name(name),
            self._name(target),
            src_dir_fd=self._descriptor,
            dst_dir_fd=self._descriptor,
        )

    def move(self, name: str, folder: _Folder, target: str) -> None:
        """Rename a file into another folder."""
        os.rename(
            self._name(name),
            folder._name(target),
            src_dir_fd=self._descriptor,
            dst_dir_fd=folder._descriptor,
        )

    def set_aside(self, name: str) -> str | None:
        """Another name for a file, which stays where it is; none where there is no file."""
        try:
            os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None
        aside = temporary_name(Path(name)).name
        try:
            os.link(
                self._name(name),
                self._name(aside),
                src_dir_fd=self._descriptor,
                dst_dir_fd=self._descriptor,
            )
        except OSError:  # a disk without hard links
            self.replace(name, aside)
        return aside

    def unlink(self, name: str) -> None:
        """Take away a file that this run made."""
        os.unlink(self._name(name), dir_fd=self._descriptor)

    def close(self) -> None:
        """Let go of it."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None

    def _name(self, name: str) -> str:
        return name if self._descriptor is not None else str(self._path / name)


class _Moves:
    """Files put in place one by one, with what they replace set aside until all are there."""

    def __init__(self) -> None:
        self._done: list[tuple[_Folder, str, str | None]] = []
        self._marks: list[tuple[Path, int, int]] = []

    def mark(self, path: Path, owner: str) -> None:
        """Add a line to a folder's marker, before the files: whatever happens then, they are known."""
        line = owner.encode() + b"\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | _NO_FOLLOW | _BINARY, 0o666)
        self._marks.append((path, os.fstat(descriptor).st_size, len(line)))
        _write(descriptor, line)

    def replace(self, folder: _Folder, name: str, target: str) -> None:
        """Put a file in its place."""
        aside = folder.set_aside(target)
        self._done.append((folder, target, aside))
        folder.replace(name, target)

    def undo(self) -> None:
        """Everything as it was."""
        for folder, target, aside in reversed(self._done):
            with contextlib.suppress(OSError):
                if aside is None:
                    folder.unlink(target)
                else:
                    folder.replace(aside, target)
                    folder.unlink(aside)  # two names of one file: replacing did nothing
        for path, before, added in self._marks:
            with contextlib.suppress(OSError):
                if path.stat().st_size <= before + added:  # nobody wrote behind it
                    os.truncate(path, before) if before else path.unlink()

    def finish(self) -> None:
        """Forget what was replaced."""
        for folder, _, aside in self._done:
            if aside is not None:
                with contextlib.suppress(OSError):
                    folder.unlink(aside)


def _write(descriptor: int, data: bytes) -> None:
    with os.fdopen(descriptor, "wb") as stream:
        stream.write(data)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A failure to write, said of the file that the user knows."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error) from None


def _send(target: _Target, data: bytes) -> None:
    if str(target.path) == "-":
        sys.stdout.write(data.decode())
        return
    assert target.stream is not None
    sys.stdout.flush()
    with _naming(target.path):
        _write(os.dup(target.stream), data)


# ── what is there already ─────────────────────────────────────────────────────────────────────────


class _Inputs:
    """What the run reads: files, folders, and all that is in these."""

    def __init__(self, paths: list[PathLike]) -> None:
        for path in paths:
            _check_name(os.fspath(path))
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

    def refuse(self, target: _Target) -> None:
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


def _look(target: _Target) -> os.stat_result | None:
    """What is in a target's place; ``None`` where nothing is.

    Raises:
        InputError: a link below the root, or it cannot be looked at.
    """
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
            raise _link(target, path)
        if place < len(target.parts) and not stat.S_ISDIR(status.st_mode):
            raise InputError(f"{target.path}: {path.name} is a file, not a folder; {target.another}")
    return status


def _link(target: _Target, path: Path) -> InputError:
    shown = path.relative_to(target.root) if path.is_relative_to(target.root) else path
    return InputError(
        f"{target.path}: {shown} is a link, which is not followed; remove it, or {target.another}"
    )


def _marked(folder: Path) -> frozenset[str]:
    """The commands that a folder's marker lists.

    Raises:
        InputError: a file of that name which is no marker.
    """
    path = folder / MARKER
    try:
        descriptor = os.open(path, os.O_RDONLY | _NO_FOLLOW | _NONBLOCK | _BINARY)
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


def _opened_stream(real: Path, shown: Path) -> int | None:
    """A device or a pipe, open for writing; ``None`` for a file or a folder, or where nothing is.

    Raises:
        InputError: a pipe that nobody reads, a disk, or one that cannot be opened.
    """
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
        descriptor = os.open(real, os.O_WRONLY | os.O_APPEND | _NONBLOCK | getattr(os, "O_NOCTTY", 0))
    except OSError as error:
        if error.errno == errno.ENXIO:
            raise InputError(f"{shown}: a pipe that nothing reads; start its reader first") from None
        raise cannot_write(shown, error) from None
    if _NONBLOCK:
        os.set_blocking(descriptor, True)
    return descriptor


def _descriptor(given: str) -> int | None:
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


def _check_name(given: str) -> None:
    """Refuse a path that no text file, page or JSON document could name."""
    try:
        given.encode()
    except UnicodeEncodeError:
        shown = os.fsencode(given).decode("utf-8", "backslashreplace")
        raise InputError(f"{shown}: this path is not UTF-8; rename it, or name another") from None
    if "\0" in given:
        raise InputError(f"{given!r}: no path has a zero byte; name another")


def _refuse_dangling(path: Path) -> None:
    for one in (path, *path.parents):
        if one.is_symlink() and not one.exists():
            raise InputError(f"{one}: a link to nothing; remove it, or name another place")


def _check_writable(folder: Path, path: Path, missing: bool = True) -> None:
    """Refuse a folder that cannot be written to, or a missing one unless it may be made."""
    there = next((one for one in (folder, *folder.absolute().parents) if os.path.lexists(one)), folder)
    if there != folder and not missing:
        raise InputError(f"{path}: the folder {path.parent} does not exist; create it first")
    if not there.is_dir():
        raise InputError(f"{path}: {there} is not a folder; name another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {there}; choose another folder")


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


def _key(real: Path) -> str:
    """The same for two names that are one file on some machines: upper and lower case, composed letters."""
    return unicodedata.normalize("NFC", str(real)).casefold()


def _below(folder: Path, name: str | None) -> Path:
    return folder / safe_name(name) if name else folder


def _named(target: _Target) -> str:
    """How a written file is spoken of: by itself, or as one of its folder."""
    return str(target.path if target.owner is None else target.path.parent)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(
        f"{count} {'file' if count == 1 else 'files'} in {place}" if os.path.isdir(place) else place
        for place, count in sorted(counts.items())
    )
