"""An open folder: files are written and renamed in it so that no link can lead elsewhere."""

from __future__ import annotations

import contextlib
import errno
import os
import signal
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from truerank._support.files import PathLike, cannot_write, make_folder, temporary_name
from truerank._support.output_paths import BINARY, NO_FOLLOW, Target, link_in
from truerank.errors import InputError

_DIRECTORY = getattr(os, "O_DIRECTORY", 0)
# Whether this system opens files relative to an open folder; elsewhere paths are checked instead.
_RELATIVE = {os.open, os.mkdir, os.unlink, os.stat, os.rename} <= os.supports_dir_fd and bool(NO_FOLLOW)


class OpenFolder:
    """An open folder; files in it are addressed by name alone, so that no link can lead elsewhere."""

    def __init__(self, path: Path, descriptor: int | None) -> None:
        self._path, self._descriptor = path, descriptor

    @classmethod
    def entered(cls, root: Path, parts: tuple[str, ...], made: list[Path], target: Target) -> OpenFolder:
        """The folder `parts` below `root`, made if need be; `made` gets what was made."""
        made += reversed([item for item in (root, *root.parents) if not item.exists()])
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
                    flags = os.O_RDONLY | _DIRECTORY | NO_FOLLOW
                    descriptor = os.open(part, flags, dir_fd=folder._descriptor)
                elif inner.is_symlink():
                    raise link_in(target, inner)
            except OSError as error:
                if error.errno in (errno.ELOOP, errno.ENOTDIR):
                    raise link_in(target, inner) from None
                raise
            finally:
                folder.close()
            folder = cls(inner, descriptor)
        return folder

    def write(self, name: str, data: Iterable[bytes], like: str) -> None:
        """A new file, with the mode of the file that it will replace, if there is one."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | NO_FOLLOW | BINARY
        older = self._status(like)
        mode = 0o666 if older is None else older.st_mode & 0o777
        descriptor = os.open(self._name(name), flags, mode, dir_fd=self._descriptor)
        if older is not None and hasattr(os, "fchmod"):  # the umask may have reduced the mode
            os.fchmod(descriptor, mode)
        write(descriptor, data)

    def move(self, name: str, target: str, folder: OpenFolder | None = None) -> None:
        """Rename a file, over another if there is one; into another folder if one is given."""
        there = folder or self
        os.replace(
            self._name(name), there._name(target), src_dir_fd=self._descriptor, dst_dir_fd=there._descriptor
        )

    def keep(self, name: str) -> str | None:
        """Another name for a file, or a copy of it; it stays where it is. ``None`` where there is no file."""
        if self._status(name) is None:
            return None
        aside = temporary_name(Path(name)).name
        try:
            os.link(
                self._name(name), self._name(aside), src_dir_fd=self._descriptor, dst_dir_fd=self._descriptor
            )
        except OSError:  # a disk without hard links
            source = os.open(self._name(name), os.O_RDONLY | NO_FOLLOW | BINARY, dir_fd=self._descriptor)
            with os.fdopen(source, "rb") as older:
                self.write(aside, iter(lambda: older.read(1 << 20), b""), like=name)
        return aside

    @contextmanager
    def locked(self) -> Iterator[None]:
        """Lock the folder against others that lock it, where the system and the disk can do so."""
        if self._descriptor is None:
            yield
            return
        import fcntl

        with contextlib.suppress(OSError):  # a disk without locks
            fcntl.flock(self._descriptor, fcntl.LOCK_EX)
        try:
            yield
        finally:
            with contextlib.suppress(OSError):
                fcntl.flock(self._descriptor, fcntl.LOCK_UN)

    def _status(self, name: str) -> os.stat_result | None:
        try:
            return os.stat(self._name(name), dir_fd=self._descriptor, follow_symlinks=False)
        except FileNotFoundError:
            return None

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


class Moves:
    """Files put in place one by one, with what they replace kept until all are there."""

    def __init__(self) -> None:
        self._done: list[tuple[OpenFolder, str, str | None]] = []
        self._marks: list[tuple[Path, int, int]] = []

    def mark(self, path: Path, owner: str) -> None:
        """Add a line to a folder's marker before the files, so that they are known whatever happens."""
        line = owner.encode() + b"\n"
        descriptor = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | NO_FOLLOW | BINARY, 0o666)
        self._marks.append((path, os.fstat(descriptor).st_size, len(line)))
        write(descriptor, [line])

    def replace(self, folder: OpenFolder, name: str, target: str) -> None:
        """Put a file in its place."""
        aside = folder.keep(target)
        self._done.append((folder, target, aside))
        folder.move(name, target)

    def undo(self) -> None:
        """Restore everything as it was."""
        for folder, target, aside in reversed(self._done):
            with contextlib.suppress(OSError):
                if aside is None:
                    folder.unlink(target)
                else:
                    folder.move(aside, target)
                    folder.unlink(aside)  # two names of one file: replacing did nothing
        for path, before, added in self._marks:
            with contextlib.suppress(OSError):
                if path.stat().st_size <= before + added:  # nothing was appended since
                    os.truncate(path, before) if before else path.unlink()

    def finish(self) -> None:
        """Forget what was replaced."""
        for folder, _, aside in self._done:
            if aside is not None:
                with contextlib.suppress(OSError):
                    folder.unlink(aside)


def refuse_links(root: PathLike, names: Iterable[str]) -> None:
    """Refuse a folder of truerank's own in which one of these files or folders is or contains a link."""
    for name in names:
        path = Path(root) / name
        inner = [path] if path.is_symlink() or not path.is_dir() else [path, *path.iterdir()]
        for item in inner:
            if item.is_symlink():
                raise InputError(
                    f"{item}: a link, which is not followed; remove it, or choose another folder"
                )
            if item == path and path.exists() and not (path.is_file() or path.is_dir()):
                raise InputError(f"{item}: not a regular file; remove it, or choose another folder")


def move_inside(root: Path, source: Path, target: Path) -> None:
    """Rename a file in a folder of truerank's own to a name that is free there; no link in it is followed."""
    real = Path(os.path.realpath(root))
    folders = []
    try:
        for item in (source, target):
            named = Target(root / item, real, item.parts, "", "")
            folders.append(OpenFolder.entered(real, item.parts[:-1], [], named))
        folders[0].move(source.name, target.name, folders[1])
    finally:
        for folder in folders:
            folder.close()


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
