"""A file or a folder that a user names: read as far as a format asks for, and no byte twice."""

from __future__ import annotations

import codecs
import csv
import io
import json
import os
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from fnmatch import fnmatch
from functools import cached_property
from pathlib import Path
from typing import Any, Literal
from unicodedata import normalize

from truerank._support.files import decode, read_bytes, unpacked
from truerank.errors import InputError, at
from truerank.readers.parquet_files import PARQUET_MAGIC, parquet_frame
from truerank.readers.separated import text_sheet
from truerank.readers.sheets import Sheet, frame_sheet

OPENING = 1 << 16
"""Bytes by which most formats are recognized."""

Content = Literal["text", "json", "parquet", "zip"]
"""What a file is by its first bytes; text is all that is none of the others."""

_READ = ("data", "opening", "_sheet", "text", "json", "document", "first_record")
"""The properties of a source that hold what was read."""


class Source:
    """What recognizers look at and readers read; each property is worked out when first asked for, once.

    `data`, `text` and `json` raise an :class:`InputError`; the others are empty or None for other content.
    """

    def __init__(
        self, path: str, folder: str | None = None, keep: bool = False, data: bytes | None = None
    ) -> None:
        """Name a path (``-`` is standard input) or `data` under that name, maybe found in a `folder`.

        Nothing is read yet. With `keep`, what is read is kept, as it will be read for several measures.
        """
        if not path:
            raise InputError("the name of a file is empty; check the variable that it comes from")
        self.path = path
        self.given = folder or path
        self.keep = keep
        self.line: int | None = None
        """The line of the record that was read last; None where there are no lines."""
        self.on_disk = path != "-" and data is None
        if data is not None:
            self.data = unpacked(data, path)
        self.is_folder = self.on_disk and Path(path).is_dir()

    @cached_property
    def inner(self) -> tuple[Source, ...]:
        """The files in a folder and its folders that are not hidden, by name."""
        return tuple(
            Source(str(path), self.path, self.keep) for path in self._listed("**/*") if path.is_file()
        )

    @cached_property
    def entries(self) -> tuple[Source, ...]:
        """What is in a folder and not hidden, by name."""
        known = {one.path: one for one in self.inner}
        found = [str(path) for path in self._listed("*")]
        if not found:
            raise InputError(f"{self.path}: no files in this folder; put one table for each data set there")
        return tuple(known.get(path) or Source(path, keep=self.keep) for path in found)

    def _listed(self, pattern: str) -> list[Path]:
        root = Path(self.path)
        try:
            os.scandir(root).close()
            found = sorted(root.glob(pattern))
        except OSError as error:
            raise InputError(
                f"{self.path}: the folder cannot be listed ({error.strerror}); change its mode"
            ) from None
        return [p for p in found if not any(part.startswith(".") for part in p.relative_to(root).parts)]

    def called(self, *patterns: str) -> list[Source]:
        """The files in a folder whose names fit a pattern."""
        return [one for one in self.inner if any(fnmatch(Path(one.path).name, p) for p in patterns)]

    def forget(self) -> None:
        """Let go of what was read, once its scores are taken: a folder may hold thousands of files."""
        for name in () if self.keep else _READ:
            self.__dict__.pop(name, None)

    @cached_property
    def data(self) -> bytes:
        """All bytes, unpacked where they are packed; none of a folder."""
        return b"" if self.is_folder else read_bytes(self.path)

    @cached_property
    def text(self) -> str:
        """All of it as text, in which an accented letter is one character."""
        text = decode(self.data, self.path)
        return text if text.isascii() else normalize("NFC", text)

    @cached_property
    def opening(self) -> str:
        """The first 64 KiB as text; empty where they are none."""
        start = self.data[:OPENING]
        try:
            return "" if b"\0" in start else codecs.getincrementaldecoder("utf-8-sig")().decode(start)
        except UnicodeDecodeError:
            return ""

    @property
    def first_line(self) -> str:
        """The first line that is not blank, as far as the first 64 KiB hold it; empty where there is none."""
        return next((line for line in self.opening.splitlines() if line.strip()), "")

    @property
    def header(self) -> list[str]:
        """The cells of the first line, of text between commas; empty where it is something else."""
        try:
            return [] if self.looks_like_json else next(csv.reader([self.first_line]), [])
        except csv.Error:
            return []

    @property
    def looks_like_json(self) -> bool:
        """Whether the text starts as a JSON object or array does."""
        return self.opening.lstrip()[:1] in ("{", "[")

    @property
    def content(self) -> Content:
        """What a file is, by its first bytes."""
        if self.data.startswith(PARQUET_MAGIC):
            return "parquet"
        if self.data.startswith(b"PK\x03\x04"):
            return "zip"
        return "json" if self.looks_like_json else "text"

    @cached_property
    def _sheet(self) -> Sheet:
        if self.content == "parquet":
            return frame_sheet(parquet_frame(self.data, self.path), self.path)
        return text_sheet(self.text, self.path, self.data if self.text.isascii() else None)

    @property
    def sheet(self) -> Sheet:
        """Its table, of separated text or Parquet, parsed once; with the notes of that alone."""
        return replace(self._sheet, notes=dict(self._sheet.notes))

    @cached_property
    def json(self) -> Any:
        """The whole as one JSON document."""
        return parse_json(self.text, self.path)

    @cached_property
    def document(self) -> Any:
        """The whole as one JSON document; None where it is none, or a broken one."""
        try:
            return self.json if self.looks_like_json and self.first_record is None else None
        except InputError:
            return None

    @cached_property
    def first_record(self) -> Any:
        """The first of several JSON objects, one a line; None where it is something else."""
        opening = self.opening.lstrip()
        if not opening.startswith("{") or opening.split("\n", 1)[0].strip() == "{":
            return None
        try:
            line, _, more = self.text.lstrip().partition("\n")
            several = more.lstrip().startswith("{") and line.rstrip().endswith("}")
            return parse_json(line, self.path) if several else None
        except InputError:
            return None

    @property
    def first(self) -> Any:
        """The first of several JSON documents, or the only one."""
        return self.document if self.first_record is None else self.first_record

    def records(self) -> Iterator[dict[str, Any]]:
        """The objects of JSON lines or of a list in JSON, or the rows of a table by column."""
        if self.first_record is not None:
            for line, text in enumerate(self.text.split("\n"), 1):
                self.line = line
                if text.strip():
                    yield an_object(parse_json(text, self.path, line), at(self.path, line))
        elif self.looks_like_json:
            found = self.json
            for record in found if isinstance(found, list) else [found]:
                yield an_object(record, f"{self.path}: ")
        else:
            rows = csv.reader(io.StringIO(self.text, newline=""), delimiter=",")
            header = next(rows)
            for cells in rows:
                self.line = rows.line_num
                if cells:
                    yield dict(zip(header, cells, strict=False))
        self.line = None

    @property
    def folder_name(self) -> str:
        """What the folder of a file is called; empty where it is in none."""
        return Path(os.path.abspath(self.path)).parent.name if self.on_disk else ""

    def beside(self, name: str) -> Any:
        """The JSON document `name` in the same folder as a file; None where it is none, or not there."""
        path = Path(self.path).parent / name
        return Source(str(path)).document if self.on_disk and path.is_file() else None


# JSON: parsed once, and refused in one line where it is broken


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """An object; of a name that is there twice, Python would keep the last without a word."""
    found = dict(pairs)
    if len(found) < len(pairs):
        ((twice, _),) = Counter(name for name, _ in pairs).most_common(1)
        raise InputError(f"the name {twice[:40]!r} is there twice in one JSON object; keep one")
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def parse_json(text: str, source: str, line: int | None = None) -> Any:
    """One JSON document; ``NaN`` is a number that is none, as Python's own writer has it."""
    where = at(source, line)
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        where = at(source, (line or 1) + error.lineno - 1)
        what = f"broken JSON at column {error.colno} ({error.msg}); write the file again"
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            what = "the JSON breaks off here; write or copy the file again"
        elif error.msg == "Extra data":
            what = "more text after the end of the JSON document; keep one of them"
    except InputError as error:
        what = str(error)
    except RecursionError:
        what = "JSON nested too deeply to hold scores; check the file"
    except ValueError:
        what = "a JSON number with thousands of digits; write numbers as scores have them"
    raise InputError(f"{where}{what}")


def an_object(value: Any, where: str) -> dict[str, Any]:
    """The value, which has to be a JSON object."""
    if not isinstance(value, dict):
        raise InputError(f"{where}{value!r:.40} where an object belongs; write the file again with the tool")
    return value


def a_name(value: Any, where: str, what: str) -> str:
    """The value as a name: text that is not blank, or a whole number."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise InputError(f"{where}{what} is {value!r:.40} where a name belongs; write the file again")
    return value


def within(document: Any, *keys: str) -> Any:
    """What lies at the end of a path of names in JSON objects; None where it breaks off."""
    for key in keys:
        document = document.get(key) if isinstance(document, dict) else None
    return document


def text_within(document: Any, *keys: str) -> str:
    """The same where it is text; empty where it is not."""
    found = within(document, *keys)
    return found.strip() if isinstance(found, str) else ""


def is_number(value: Any) -> bool:
    """Whether a JSON value is a number or a truth value."""
    return isinstance(value, (int, float))


def has_keys(document: Any, *keys: str) -> bool:
    """Whether a document is an object with all these keys."""
    return isinstance(document, dict) and document.keys() >= set(keys)
