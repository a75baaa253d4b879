"""JSON documents from files: parsed once, and refused in one line where they are broken."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from typing import Any

from truerank.errors import InputError, at

_SHOWN = 40
"""Characters of a wrong value that a message shows."""


class _RepeatedError(ValueError):
    """A name that an object has twice: Python would keep the last without a word."""


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(name for name, _ in pairs)
        raise _RepeatedError(next(name for name, count in counts.items() if count > 1))
    return found


_DECODER = json.JSONDecoder(object_pairs_hook=_object)


def parse_json(text: str, source: str, line: int | None = None) -> Any:
    """One JSON document; ``NaN`` is a number that is none, as Python's own writer has it."""
    first = line or 1
    try:
        return _DECODER.decode(text)
    except json.JSONDecodeError as error:
        place = at(source, first + error.lineno - 1)
        if not text[error.pos :].strip() or error.msg.startswith("Unterminated string"):
            raise InputError(f"{place}the JSON breaks off here; write or copy the file again") from None
        if error.msg == "Extra data":
            raise InputError(
                f"{place}more text after the end of the JSON document; keep one of them"
            ) from None
        where = f"column {error.colno}"
        raise InputError(f"{place}broken JSON at {where} ({error.msg}); write the file again") from None
    except _RepeatedError as error:
        raise InputError(
            f"{at(source, line)}the name {str(error)[:_SHOWN]!r} is there twice in one JSON object; keep one"
        ) from None
    except RecursionError:
        raise InputError(f"{at(source, line)}JSON nested too deeply to hold scores; check the file") from None
    except ValueError:
        raise InputError(
            f"{at(source, line)}a JSON number with thousands of digits; write numbers as scores have them"
        ) from None


def json_lines(text: str, source: str) -> Iterator[tuple[int, Any]]:
    """Line number and document of each line that is not blank."""
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            yield number, parse_json(line, source, number)


def line_objects(text: str, source: str) -> Iterator[tuple[int, str, dict[str, Any]]]:
    """Line number, its place for messages, and the object of each line that is not blank."""
    for line, document in json_lines(text, source):
        where = at(source, line)
        yield line, where, an_object(document, where, "this line")


def an_object(value: Any, where: str, what: str) -> dict[str, Any]:
    """The value, which has to be a JSON object."""
    if not isinstance(value, dict):
        raise _wrong(value, where, what, "an object")
    return value


def a_list(value: Any, where: str, what: str) -> list[Any]:
    """The value, which has to be a JSON array; as :func:`an_object`."""
    if not isinstance(value, list):
        raise _wrong(value, where, what, "a list")
    return value


def a_name(value: Any, where: str, what: str) -> str:
    """The value as a name: text that is not blank, or a whole number; as :func:`an_object`."""
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    if not isinstance(value, str) or not value.strip():
        raise _wrong(value, where, what, "a name")
    return value


def _wrong(value: Any, where: str, what: str, kind: str) -> InputError:
    shown = "nothing" if value is None else f"{repr(value)[:_SHOWN]}"
    return InputError(f"{where}{what} is {shown} where {kind} belongs; write the file again with the tool")


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
