"""What a command writes: never over an input or a file of somebody else's, and all of it or nothing.

Files are declared, which checks them before any work; then their contents are added, which puts
them into temporary files beside the targets; when all went well they are renamed together. An older
file is replaced only if the same command wrote it and nobody has changed it since. A file of its own
shows that by its seal (:mod:`truerank._support.seals`); files in folders, such as CSV tables that have no
room for one, are listed with their digests in a record beside them.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
import stat
import sys
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from truerank._support.files import PathLike, cannot_write, make_folder, temporary_name
from truerank._support.seals import sealed, sealed_by
from truerank.errors import InputError

RECORD = ".truerank-files.json"
"""The record in a folder: which command wrote which file, and its SHA-256. Hidden, because folders
of runs and patterns such as ``scores/*`` are read as they are."""

FORMAT = "truerank files"
VERSION = 1

Entry: TypeAlias = dict[str, str]
"""Of one file in a record: its ``command`` and its ``sha256``."""

Place: TypeAlias = tuple[int | str, ...]


@dataclass(frozen=True)
class _Target:
    """One file to be written.

    Attributes:
        path: as the user will read it; ``-`` for standard output.
        command: who must have written an older file here, as seals and records say it.
        folder: whose record lists it; none for a file with a seal.
        remedy: what to do where it is refused.
    """

    path: Path
    command: str
    folder: Path | None
    remedy: str

    @property
    def real(self) -> Path:
        """The file itself: a link stays in place, and what it points to is replaced."""
        return Path(os.path.realpath(self.path))


class Outputs:
    """All files of one run of a command; a context that writes them when its block ends well.

    Args:
        command: the words after ``truerank``, e.g. ``simulate fit``.
        inputs: files and folders that the run reads; ``-`` is standard input.

    Example:
        >>> import tempfile
        >>> folder = Path(tempfile.mkdtemp())
        >>> with Outputs("assess") as outputs:
        ...     outputs.file(folder / "result.json")
        ...     outputs.add(folder / "result.json", '{"measure": "AP"}')
        >>> sorted(path.name for path in folder.iterdir())
        ['result.json']
    """

    def __init__(self, command: str, inputs: Iterable[PathLike | None] = ()) -> None:
        self.command = command
        self._inputs: dict[Place, str] = {}
        self._input_folders: dict[Place, str] = {}
        for path in inputs:
            if path is not None:
                self._add_input(path)
        self._targets: dict[Path, _Target] = {}
        self._places: set[Place] = set()
        self._folders: dict[Place, Path] = {}
        self._records: dict[Path, _Record] = {}
        self._complete: set[tuple[Path, str]] = set()
        self._staged: dict[Path, tuple[Path, str]] = {}
        self._streams: list[tuple[_Target, bytes]] = []
        self._made: list[Path] = []
        self._written: Counter[str] = Counter()
        self._replaced: Counter[str] = Counter()
        self._removed: Counter[str] = Counter()

    # ── before the work ───────────────────────────────────────────────────────────────────────────

    def file(self, path: PathLike | None, option: str = "") -> None:
        """Declare a file of its own (JSON, HTML, SVG, PDF, PNG or LaTeX), which gets a seal; or ``None``.

        Args:
            path: where; ``-``, for JSON alone, is standard output.
            option: how the user said where, for messages.

        Raises:
            InputError: it is an input or another output, the folder is missing or not writable, or
                the file exists and is no unchanged result of the same command.
        """
        if path is None:
            return
        if str(path) == "":
            raise InputError(f"{option or 'the file'} is empty; name a file")
        if str(path) == "-" and option != "--json":
            raise InputError("only --json can go to standard output; name a file")
        remedy = f"choose another {option} file, or move this one away".replace("  ", " ")
        self._declare(_Target(Path(path), self.command, None, remedy))

    def folder(
        self, folder: PathLike | None, names: Iterable[str] = (), option: str = "", complete: bool = False
    ) -> None:
        """Declare files of a folder, which get listed in its record; ``None`` is none.

        Args:
            folder: where; made when it is written.
            names: of the files that may be written, as far as they are known before the work.
            option: how the user said where, for messages and the record.
            complete: the run makes all that there is: what an earlier one left and this one does
                not write again is removed, unless somebody changed it.

        Raises:
            InputError: as :meth:`file`.
        """
        if folder is None:
            return
        if str(folder) in ("", "-"):
            raise InputError(f"{option or 'the folder'} is {str(folder)!r}; name a folder")
        path = Path(folder)
        if path.exists() and not path.is_dir():
            raise InputError(f"{path}: cannot be made a folder (a file is in its place); name another")
        place = _place(path)
        if place in self._places:
            raise InputError(f"{path}: already another output, a file; choose another {option} folder")
        # One record for two spellings of a folder, or for two kinds of files in it.
        path = self._folders.setdefault(place, path)
        if path not in self._records:
            _check_writable(path, path)
            self._records[path] = _Record.read(path)
        command = f"{self.command} {option}".strip()
        if complete:
            self._complete.add((path, command))
        remedy = f"choose another {option} folder, or move the file away".replace("  ", " ")
        for name in names:
            self._declare(_Target(path / name, command, path, remedy))

    # ── after the work ────────────────────────────────────────────────────────────────────────────

    def add(self, path: PathLike, contents: str | bytes) -> None:
        """The contents of a declared file, put beside its place for now.

        Raises:
            InputError: it cannot be written, e.g. because the disk is full; nothing is left then.
        """
        target = self._targets[Path(path)]
        data = contents.encode() if isinstance(contents, str) else contents
        if str(target.path) == "-" or _is_stream(target.path):
            self._streams.append((target, data))
            return
        if target.folder is None:
            data = sealed(data, target.command)
        real = target.real
        self._make_folder(real.parent)
        temporary = temporary_name(real)
        self._staged[target.path] = (temporary, hashlib.sha256(data).hexdigest())
        with _naming(target.path):
            temporary.write_bytes(data)
        if os.path.lexists(temporary.with_name(temporary.name.swapcase())):
            self._refuse_names_that_meet(target)

    def put(self, folder: PathLike, files: Mapping[str, str | bytes], option: str = "") -> list[Path]:
        """The contents of files of a declared folder, by name; returns their paths.

        Raises:
            InputError: as :meth:`add`, and as :meth:`folder` for names not declared before.
        """
        path = self._folders.get(_place(folder), Path(folder))
        self.folder(path, [name for name in files if path / name not in self._targets], option)
        for name, contents in files.items():
            self.add(path / name, contents)
            # Made now, the folder is found in another way than while it was missing.
            self._folders[_place(path)] = path
        return [path / name for name in files]

    @property
    def said(self) -> str:
        """What was replaced and removed, in one line; empty where nothing was."""
        parts = []
        if self._replaced:
            parts.append(f"replaced results of an earlier truerank {self.command}: {_listed(self._replaced)}")
        if self._removed:
            parts.append(f"removed what it no longer writes: {_listed(self._removed)}")
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
        except BaseException:
            self._discard()
            raise
        if kind is not None:
            self._discard()

    # ── inputs ────────────────────────────────────────────────────────────────────────────────────

    def _add_input(self, path: PathLike) -> None:
        if str(path) == "-":
            with contextlib.suppress(OSError, ValueError, AttributeError):
                found = os.fstat(sys.stdin.fileno())
                if stat.S_ISREG(found.st_mode):
                    self._inputs[(found.st_dev, found.st_ino)] = "standard input"
            return
        self._inputs[_place(path)] = str(path)
        if os.path.isdir(path):
            self._input_folders[_place(path)] = str(path)
            with contextlib.suppress(OSError):  # the reader says why it cannot be listed
                self._inputs.update({_place(found.path): found.path for found in os.scandir(path)})

    def _declare(self, target: _Target) -> None:
        path = target.path
        if target.folder is not None and self._targets.get(path) == target:
            return
        if str(path) != "-" and not _is_stream(path):
            place = _place(path)
            if place in self._inputs:
                raise InputError(f"{path}: already an input; {target.remedy.partition(',')[0]}")
            holder = self._input_folders.get(_place(target.real.parent))
            if holder is not None:
                raise InputError(
                    f"{path}: would go into {holder}, a folder of inputs; {target.remedy.partition(',')[0]}"
                )
            if place in self._places or place in self._folders or path.name == RECORD:
                raise InputError(f"{path}: already another output; {target.remedy.partition(',')[0]}")
            if target.folder is None:
                _check_writable(target.real.parent, path, missing=False)
            _is_older_result(target, self._records)
            self._places.add(place)
        self._targets[path] = target

    def _refuse_names_that_meet(self, target: _Target) -> None:
        """Where upper and lower case are one, two outputs may have names that differ but one file."""
        own = str(target.real).casefold()
        others = [self._targets[path] for path in self._staged if path != target.path]
        if any(str(other.real).casefold() == own for other in others):
            raise InputError(f"{target.path}: already another output; {target.remedy.partition(',')[0]}")

    # ── writing ───────────────────────────────────────────────────────────────────────────────────

    def _make_folder(self, folder: Path) -> None:
        missing = [one for one in (folder, *folder.parents) if not one.exists()]
        self._made += reversed(missing)
        make_folder(folder)

    def _commit(self) -> None:
        moves = _Moves()
        targets = [self._targets[path] for path in self._staged]
        folders = sorted({t.folder for t in targets if t.folder is not None})
        with ExitStack() as stack:
            for folder in folders:
                stack.enter_context(_locked(folder))
            try:
                # Once more, because the work may have taken hours.
                records = {folder: _Record.read(folder) for folder in folders}
                older = [target for target in targets if _is_older_result(target, records)]
                stale = [path for record in records.values() for path in self._stale(record)]
                finals = []
                for record in records.values():
                    mine = {
                        record.name(t.path): {
                            "command": t.command,
                            "sha256": self._staged[t.path][1],
                        }
                        for t in targets
                        if t.folder == record.folder
                    }
                    gone = {record.name(path) for path in stale if path.is_relative_to(record.folder)}
                    finals.append((record, moves.write(record.path, record.text(mine, gone))))
                    # Should the machine stop between two renames, then old and new are both known.
                    with _naming(record.path):
                        moves.replace(moves.write(record.path, record.text({}, set(), mine)), record.path)
                for target in targets:
                    with _naming(target.path):
                        moves.replace(self._staged[target.path][0], target.real)
                for path in stale:
                    with _naming(path):
                        moves.remove(path)
                for record, final in finals:
                    with _naming(record.path):
                        moves.replace(final, record.path)
            except BaseException:
                moves.undo()
                raise
            moves.finish()
        self._staged.clear()
        self._made.clear()
        self._written.update(str(t.folder or t.path) for t in targets)
        self._replaced.update(str(t.folder or t.path) for t in older)
        self._removed.update(str(path.parent) for path in stale)
        for target, data in self._streams:
            _send(target, data)

    def _stale(self, record: _Record) -> list[Path]:
        """What an earlier run of this command left in a folder and this one does not write again."""
        return [
            path
            for name, entry in record.files.items()
            if (record.folder, entry["command"]) in self._complete
            and (path := record.folder / name) not in self._staged
            and path.is_file()
            and _place(path) not in self._inputs
            and entry["sha256"] == _file_digest(path)
        ]

    def _discard(self) -> None:
        for temporary, _ in self._staged.values():
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)
        for folder in reversed(self._made):
            with contextlib.suppress(OSError):  # somebody else uses it by now
                folder.rmdir()
        self._staged.clear()


def write_file(path: PathLike, contents: str | bytes, command: str) -> None:
    """Write a file of its own for `command`: sealed, whole or not at all, and over nothing of others'.

    Raises:
        InputError: as :meth:`Outputs.file` and :meth:`Outputs.add`.
    """
    with Outputs(command) as outputs:
        outputs.file(path)
        outputs.add(path, contents)


def write_folder(folder: PathLike, files: Mapping[str, str | bytes], command: str, option: str) -> list[Path]:
    """Write all files that `command` makes into a folder (made if need be), and its record.

    What an earlier run left there and this one does not write again is removed.

    Args:
        folder: where to.
        files: contents by name.
        command: the words after ``truerank``.
        option: the command's option for this folder, for the record.

    Raises:
        InputError: as :meth:`Outputs.folder` and :meth:`Outputs.add`.
    """
    with Outputs(command) as outputs:
        outputs.folder(folder, files, option, complete=True)
        return outputs.put(folder, files, option)


# ── records ───────────────────────────────────────────────────────────────────────────────────────


@dataclass(frozen=True)
class _Record:
    """The record of a folder: entries by name, and those of renames that were under way."""

    folder: Path
    files: dict[str, Entry]
    pending: dict[str, Entry]

    @property
    def path(self) -> Path:
        return self.folder / RECORD

    @classmethod
    def read(cls, folder: Path) -> _Record:
        """The record of a folder; empty where there is none.

        Raises:
            InputError: a file of that name which is no such record, or of a newer version.
        """
        path = folder / RECORD
        try:
            document = json.loads(path.read_bytes())
            if document["format"] != FORMAT or document["version"] != VERSION:
                raise ValueError
            found = [_entries(document["files"]), _entries(document.get("pending", {}))]
        except (FileNotFoundError, NotADirectoryError):
            return cls(folder, {}, {})
        except OSError as error:
            raise InputError(f"{path}: cannot be read ({error.strerror}); choose another folder") from None
        except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
            raise InputError(
                f"{path}: no record that this truerank can read; choose another folder, or move it away"
            ) from None
        return cls(folder, *found)

    def name(self, path: Path) -> str:
        """The name of a file in the record, the same on every system."""
        return path.relative_to(self.folder).as_posix()

    def knows(self, path: Path) -> list[Entry]:
        """What it says of a file: an entry, and another while it is being replaced."""
        name = self.name(path)
        return [entries[name] for entries in (self.files, self.pending) if name in entries]

    def text(
        self, mine: Mapping[str, Entry], gone: set[str], pending: Mapping[str, Entry] | None = None
    ) -> bytes:
        """The record with new entries and without those gone, to be written."""
        files = {name: entry for name, entry in {**self.files, **mine}.items() if name not in gone}
        document: dict[str, Any] = {"format": FORMAT, "version": VERSION, "files": files}
        if pending:
            document["pending"] = dict(pending)
        return json.dumps(document, ensure_ascii=False, indent=1, sort_keys=True).encode() + b"\n"


def recorded(folder: PathLike, command: str) -> bool:
    """Whether the record of a folder lists a file of that command.

    Raises:
        InputError: a record that cannot be read.
    """
    record = _Record.read(Path(folder))
    return any(entry["command"] == command for entry in [*record.files.values(), *record.pending.values()])


def _entries(found: Any) -> dict[str, Entry]:
    return {
        str(name): {"command": str(entry["command"]), "sha256": str(entry["sha256"])}
        for name, entry in found.items()
    }


# ── renames that can be taken back ────────────────────────────────────────────────────────────────


class _Moves:
    """Files put in place one by one, with what they replace set aside until all are there."""

    def __init__(self) -> None:
        self._done: list[tuple[Path, Path | None]] = []
        self._temporary: list[Path] = []

    def write(self, path: Path, data: bytes) -> Path:
        """A temporary file beside `path`."""
        temporary = temporary_name(path)
        self._temporary.append(temporary)
        with _naming(path):
            temporary.write_bytes(data)
        return temporary

    def replace(self, temporary: Path, target: Path) -> None:
        aside = self._set_aside(target)
        self._done.append((target, aside))
        os.replace(temporary, target)

    def remove(self, target: Path) -> None:
        aside = self._set_aside(target)
        self._done.append((target, aside))
        target.unlink(missing_ok=True)

    def undo(self) -> None:
        for target, aside in reversed(self._done):
            with contextlib.suppress(OSError):
                if aside is None:
                    target.unlink(missing_ok=True)
                else:
                    os.replace(aside, target)
                    aside.unlink(missing_ok=True)  # two links to one file: replacing did nothing
        self._sweep()

    def finish(self) -> None:
        for _, aside in self._done:
            if aside is not None:
                with contextlib.suppress(OSError):
                    aside.unlink(missing_ok=True)
        self._sweep()

    def _set_aside(self, target: Path) -> Path | None:
        if not target.exists():
            return None
        aside = temporary_name(target)
        try:
            os.link(target, aside)  # so that there is a file at every moment
        except OSError:
            os.replace(target, aside)
        return aside

    def _sweep(self) -> None:
        for temporary in self._temporary:
            with contextlib.suppress(OSError):
                temporary.unlink(missing_ok=True)


@contextmanager
def _naming(path: Path) -> Iterator[None]:
    """A failure to write, said of the file that the user knows."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise cannot_write(path, error) from None


@contextmanager
def _locked(folder: Path) -> Iterator[None]:
    """One writer of a folder's record at a time on this machine, e.g. of jobs that draw collections into it.

    The lock is a file among the machine's temporary ones, so that nothing strange is left in the folder.
    """
    from filelock import FileLock

    name = hashlib.sha256(os.fsencode(os.path.realpath(folder))).hexdigest()[:16]
    lock = FileLock(Path(tempfile.gettempdir()) / f"truerank-{name}.lock", fallback_to_soft=False)
    with ExitStack() as stack:
        with contextlib.suppress(OSError, NotImplementedError):  # no such locks, or no place for one
            stack.enter_context(lock)
        yield


def _send(target: _Target, data: bytes) -> None:
    if str(target.path) == "-":
        sys.stdout.write(data.decode())
        return
    with _naming(target.path), open(target.path, "ab") as stream:
        stream.write(data)


# ── whose file is it? ─────────────────────────────────────────────────────────────────────────────


def _is_older_result(target: _Target, records: Mapping[Path, _Record]) -> bool:
    """Whether a result of an earlier run is in the target's place; `records` are by folder.

    Raises:
        InputError: something else is.
    """
    path = target.path
    try:
        status = os.stat(target.real)
    except (FileNotFoundError, NotADirectoryError):
        return False
    except OSError as error:
        raise InputError(f"{path}: cannot be looked at ({error.strerror}); {target.remedy}") from None
    if stat.S_ISDIR(status.st_mode):
        raise InputError(f"{path}: this is a folder; name a file in it")
    if not stat.S_ISREG(status.st_mode) or status.st_size == 0:
        return False
    if target.folder is None:
        command, whole = sealed_by(_bytes_of(path))
        known = command == target.command
    else:
        entries = [e for e in records[target.folder].knows(path) if e["command"] == target.command]
        known = bool(entries)
        whole = known and _file_digest(path) in {entry["sha256"] for entry in entries}
    words = f"truerank {target.command}"
    if not known:
        raise InputError(f"{path}: exists and was not written by {words}; {target.remedy}")
    if not whole:
        raise InputError(f"{path}: was changed since {words} wrote it; {target.remedy}")
    return True


def _bytes_of(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(f"{path}: cannot be read to see what it is ({error.strerror})") from None


def _file_digest(path: Path) -> str:
    return hashlib.sha256(_bytes_of(path)).hexdigest()


def _check_writable(folder: Path, path: Path, missing: bool = True) -> None:
    """Refuse a folder that cannot be written to, or a missing one unless it may be made."""
    there = next((one for one in (folder, *folder.absolute().parents) if os.path.lexists(one)), folder)
    if there != folder and not missing:
        raise InputError(f"{path}: the folder {folder} does not exist; create it first")
    if not there.is_dir():
        raise InputError(f"{path}: {there} is not a folder; name another")
    if not os.access(there, os.W_OK | os.X_OK):
        raise InputError(f"{path}: no permission to write in {there}; choose another folder")


def _is_stream(path: Path) -> bool:
    """A device, a pipe, or standard output and error by their names: nothing that could be replaced."""
    if os.path.abspath(path).startswith(("/dev/std", "/dev/fd/")):
        return True
    try:
        mode = os.stat(path).st_mode
    except OSError:
        return False
    return not (stat.S_ISREG(mode) or stat.S_ISDIR(mode))


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
            rest.append(real.name)
            real = real.parent
            continue
        return (found.st_dev, found.st_ino, *rest)


def _listed(counts: Counter[str]) -> str:
    return ", ".join(
        f"{count} {'file' if count == 1 else 'files'} in {place}" if os.path.isdir(place) else place
        for place, count in sorted(counts.items())
    )
