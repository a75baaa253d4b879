"""Reading text that may be compressed, names fit for files, and models in files with a checksum."""

from __future__ import annotations

import errno
import gzip
import hashlib
import json
import math
import os
import re
import secrets
import sys
import zlib
from codecs import BOM_UTF16_BE, BOM_UTF16_LE
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO, TextIO, TypeAlias, cast

from truerank.errors import InputError, at

GZIP_MAGIC = b"\x1f\x8b"

# Files that are not tables, by their first bytes.
MAGIC = {
    b"PK\x03\x04": "an Excel workbook or a zip archive",
    b"BZh": "a bzip2 archive",
    b"\xfd7zXZ": "an xz archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
    b"\x04\x22\x4d\x18": "an lz4 archive",
    b"%PDF": "a PDF",
}

PathLike: TypeAlias = str | os.PathLike[str]


MAX_INPUT = "TRUERANK_MAX_INPUT"  # the environment variable that says how much is read of one file
MOST = 1 << 30  # bytes of one file, unpacked, that are read by default
_BLOCK = 1 << 20  # bytes that are unpacked at a time
_UNITS = {"": 0, "K": 10, "M": 20, "G": 30, "T": 40}


def input_limit() -> int:
    """Bytes that are read of one file at most, after unpacking; `MAX_INPUT` may say another number."""
    given = os.environ.get(MAX_INPUT)
    if not given:
        return MOST
    try:
        return parse_size(given)
    except ValueError:
        raise InputError(
            f"{MAX_INPUT} is {given!r}, which is not a valid size; write e.g. 500M or 4G"
        ) from None


def parse_size(text: str) -> int:
    """Bytes, from a number with or without K, M, G or T (powers of 1,024)."""
    match = re.fullmatch(r"(\d+(?:\.\d+)?)\s*([KMGT]?)(?:i?B)?", text.strip(), re.IGNORECASE | re.ASCII)
    size = float(match[1]) * 2 ** _UNITS[match[2].upper()] if match else 0.0
    if not 1 <= size < 2**62:
        raise ValueError(text)
    return int(size)


def refuse_more_than(limit: int, source: PathLike) -> InputError:
    """The error for a file that unpacks to more than the limit."""
    size = next(f"{limit / 2**p:.4g} {u}B" for u, p in reversed(_UNITS.items()) if limit >= 2**p)
    twice = next(f"{math.ceil(2 * limit / 2**p)}{u}" for u, p in reversed(_UNITS.items()) if limit >= 2**p)
    return InputError(
        f"{source}: holds more than {size} when unpacked, the most that is read of one file; "
        f"if that is not a mistake, set {MAX_INPUT}={twice} or more"
    )


def _read_all(stream: BinaryIO, path: PathLike, size: int = 0) -> bytes:
    """All of a stream, its size at once and the rest in blocks, so that memory stays within the limit."""
    limit, held = input_limit(), BytesIO()
    most = min(size, limit) + 1
    block = stream.read(most)
    if len(block) < most:
        return block
    while block:
        if held.tell() + len(block) > limit:
            raise refuse_more_than(limit, path)
        held.write(block)
        block = stream.read(_BLOCK)
    return held.getvalue()


def read_bytes(path: PathLike) -> bytes:
    """The bytes of a file (``-``: standard input), unpacked when their first ones say gzip."""
    try:
        if path == "-":
            if sys.stdin is None:
                raise InputError("-: standard input is closed; name a file, or pipe the scores in")
            data = _read_all(sys.stdin.buffer, path)
        else:
            with open(path, "rb") as file:
                data = _read_all(file, path, os.fstat(file.fileno()).st_size)
        return unpacked(data, path)
    except FileNotFoundError:
        raise InputError(f"{path}: no such file; check the path") from None
    except IsADirectoryError:
        raise InputError(f"{path}: this is a folder; name a file (folders of runs go with qrels)") from None
    except PermissionError:
        raise InputError(f"{path}: no permission to read it; change its mode or ask its owner") from None
    except InputError:
        raise
    except MemoryError:
        raise InputError(
            f"{path}: there is not enough memory to read it; free some, or give a smaller file"
        ) from None
    except (OSError, ValueError) as error:
        raise InputError(f"{path}: cannot be read ({error})") from None


def unpacked(data: bytes, path: PathLike) -> bytes:
    """The bytes of a file, unpacked when their first ones say gzip."""
    try:
        if data.startswith(GZIP_MAGIC):
            with gzip.GzipFile(fileobj=BytesIO(data)) as stream:
                data = _read_all(cast(BinaryIO, stream), path)
    except (gzip.BadGzipFile, EOFError, zlib.error) as error:
        raise InputError(f"{path}: broken gzip file ({error}); copy or compress it again") from None
    if data.startswith((BOM_UTF16_LE, BOM_UTF16_BE)):  # as Excel's "Unicode text"
        try:
            data = data.decode("utf-16").encode()
        except UnicodeError:
            raise InputError(f"{path}: broken UTF-16 text; save it as UTF-8 text") from None
    if not data:
        raise InputError(f"{path}: the file is empty; write it again")
    return data


def read_text(path: PathLike) -> str:
    return decode(read_bytes(path), str(path))


def decode(data: bytes, source: str) -> str:
    for magic, what in MAGIC.items():
        if data.startswith(magic):
            raise InputError(f"{source}: this is {what}; save the table as CSV")
    nul = data.find(b"\0")
    if nul >= 0:
        raise InputError(f"{at(source, _line(data, nul))}a binary file, not text; save it as UTF-8 text")
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        bad = data[error.start]
        raise InputError(
            f"{at(source, _line(data, error.start))}byte 0x{bad:02x} is not UTF-8; save it as UTF-8 text"
        ) from None
    if not text or text.isspace():
        raise InputError(f"{source}: the file holds only blank lines; write it again")
    return text


def _line(data: bytes, position: int) -> int:
    return data.count(b"\n", 0, position) + 1


def temporary_name(target: Path) -> Path:
    """A fresh hidden name beside `target`; opening it creates it with the mode of the umask."""
    return target.with_name(f".{target.stem[:40]}-{secrets.token_hex(6)}{target.suffix}")


def cannot_write(path: PathLike, error: OSError) -> InputError:
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    remedy = "make room, or write to another disk" if full else "name another place"
    return InputError(f"{path}: cannot be written ({error.strerror or error}); {remedy}")


_LONGEST = 80
_DEVICES = re.compile(r"(con|prn|aux|nul|com\d|lpt\d)(\..*)?", re.IGNORECASE)
_DIGEST = re.compile(r"-[0-9a-f]{12}$")


def make_folder(path: PathLike) -> Path:
    folder = Path(path)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError):
        raise InputError(f"{path}: cannot be made a folder (a file is in its place); name another") from None
    except OSError as error:
        raise InputError(f"{path}: cannot be made a folder ({error.strerror}); name another") from None
    return folder


def safe_name(name: str) -> str:
    """A file stem for any name; a plain one stays, and different names give different stems, by a digest."""
    plain = re.sub(r"[^A-Za-z0-9._+=@-]", "_", name)[:_LONGEST].strip(".")
    odd = (
        plain != name or not name or name.startswith("-") or _DEVICES.fullmatch(name) or _DIGEST.search(name)
    )
    if not odd:
        return name
    digest = hashlib.sha256(name.encode("utf-8", "surrogatepass")).hexdigest()[:12]
    return f"{plain.lstrip('-') or 'name'}-{digest}"


def checksum(document: Any) -> str:
    """SHA-256 of JSON data in one fixed spelling."""
    text = json.dumps(document, sort_keys=True, separators=(",", ":"), allow_nan=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


@dataclass(frozen=True)
class SavedModel:
    """A kind of model that is saved."""

    format: str  # its name in files
    version: int  # increased when old code cannot read new files
    what: str  # its name in messages
    command: str  # the command that writes one

    def document(self, model: dict[str, Any]) -> dict[str, Any]:
        return {"format": self.format, "version": self.version, "checksum": checksum(model), "model": model}

    def read(self, text: str, source: str) -> dict[str, Any]:
        """The model in a document's text; refuses another document, a newer one and one that was changed."""
        document = None
        with suppress(ValueError, RecursionError):
            document = json.loads(text)
        if not isinstance(document, dict) or document.get("format") != self.format:
            raise InputError(f"{source}: this is not a {self.what}; write one with '{self.command}'")
        version = document.get("version")
        if not isinstance(version, int) or isinstance(version, bool) or version < 1:
            raise InputError(f"{source}: no version in this {self.what}; run '{self.command}' again")
        if version > self.version:
            raise InputError(
                f"{source}: written by a newer truerank (format {version}; this one reads up to "
                f"{self.version}); upgrade truerank or run '{self.command}' again"
            )
        model, whole = document.get("model"), False
        with suppress(ValueError):  # NaN or an infinite number, which no model is saved with
            whole = document.get("checksum") == checksum(model)
        if not whole or not isinstance(model, dict):
            raise InputError(
                f"{source}: the model was changed or damaged after it was written (its checksum does not "
                f"match); get the file again, or run '{self.command}' again"
            )
        return model


@contextmanager
def outliving_the_reader() -> Iterator[None]:
    """Print; what the reader of a pipe that was closed does not take is lost, and the command goes on."""
    try:
        yield
        sys.stdout.flush()
    except BrokenPipeError:
        discard(sys.stdout)


def discard(stream: TextIO) -> None:
    """Discard what is written there from here on, also what Python still holds when it ends."""
    with suppress(OSError, ValueError):  # a replaced stream may have no descriptor
        os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
