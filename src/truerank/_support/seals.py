"""A line inside a file that says which command wrote it, and proves that nobody changed it since.

The seal holds its command, the version, and a SHA-256 of these and of all else in the file. It stands
where the format has room for a remark: a key of a JSON document, a comment at the end of HTML, SVG,
LaTeX and PDF, a text chunk at the end of PNG. The format is told by the first bytes, not by the name.
"""

from __future__ import annotations

import hashlib
import json
import re
import zlib
from typing import Any

from truerank._support.version import __version__

KEY = "truerank"
"""The key of a JSON document that holds its seal."""

_PNG = b"\x89PNG\r\n\x1a\n"
_END = b"\0\0\0\0IEND\xaeB`\x82"
_KEYWORD = b"tEXtComment\0"
_SEAL = re.compile(
    rb"(?:\n<!-- |\n% |.{4}" + re.escape(_KEYWORD) + rb")"
    rb"written by truerank ([a-z ]+) \(version ([^ ()]+)\), sha256 [0-9a-f]{64}"
    rb"(?: -->\n|\n|.{4}(?P<end>" + re.escape(_END) + rb"))\Z",
    re.DOTALL,
)


def sealed(data: bytes, command: str) -> bytes:
    """The contents of a file with a seal: JSON (an object, or a list of them), HTML, SVG, LaTeX, PDF or PNG.

    Args:
        data: the whole contents, without a seal.
        command: lower-case words, e.g. ``simulate fit``.
    """
    if data[:1] in (b"{", b"["):
        return _sealed_json(data, command)
    return _stamped(data, command, __version__)


def _stamped(data: bytes, command: str, version: str) -> bytes:
    if not data.startswith(_PNG):
        data = data.rstrip(b"\n")
    line = f"written by truerank {command} (version {version}), sha256 ".encode()
    line += hashlib.sha256(data + line).hexdigest().encode()
    if data.startswith(_PNG):
        chunk = _KEYWORD + line
        sizes = (len(chunk) - 4).to_bytes(4), zlib.crc32(chunk).to_bytes(4)
        return data.removesuffix(_END) + sizes[0] + chunk + sizes[1] + _END
    if data[:1] == b"<":
        return data + b"\n<!-- " + line + b" -->\n"
    return data + b"\n% " + line + b"\n"


def sealed_by(data: bytes) -> tuple[str | None, bool]:
    """Which command's seal a file bears, ``None`` without one, and whether the rest is as it was sealed."""
    if data[:1] in (b"{", b"["):
        return _json_sealed_by(data)
    found = _SEAL.search(data)
    if found is None:
        return None, False
    rest = data[: found.start()] + (found["end"] or b"")
    command = found[1].decode()
    return command, _stamped(rest, command, found[2].decode(errors="replace")) == data


def _sealed_json(data: bytes, command: str) -> bytes:
    document = json.loads(data)
    seal = {"command": command, "version": __version__}
    seal["sha256"] = _digest([seal, document])
    for one in _objects(document):
        one[KEY] = seal
    indented = data[1:2] == b"\n"
    text = json.dumps(
        document,
        ensure_ascii=False,
        allow_nan=False,
        indent=1 if indented else None,
        separators=None if indented else (",", ":"),
    )
    return text.encode() + b"\n"


def _json_sealed_by(data: bytes) -> tuple[str | None, bool]:
    try:
        document = json.loads(data)
        seals = [one.pop(KEY) for one in _objects(document)]
        command = seals[0]["command"]
        rest = [({k: v for k, v in seal.items() if k != "sha256"}, seal["sha256"]) for seal in seals]
    except (ValueError, LookupError, TypeError, AttributeError, RecursionError):
        return None, False
    about, digest = rest[0]
    whole = digest == _digest([about, document]) and rest == rest[:1] * len(rest)
    return (command if isinstance(command, str) else None), whole


def _objects(document: Any) -> list[Any]:
    return document if isinstance(document, list) else [document]


def _digest(document: Any) -> str:
    text = json.dumps(document, ensure_ascii=True, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(text.encode()).hexdigest()
