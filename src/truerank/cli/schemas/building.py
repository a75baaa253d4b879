"""JSON schemas from the dataclasses that are written, and from what is written beside them.

What a key means stands once, in the docstring of its dataclass. From there it goes into the schema, and with
it whether the value may be null (the words say ``None``, NaN or infinite) and its range (``in [0, 1]``).
"""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterable, Mapping
from dataclasses import fields, is_dataclass
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from truerank._support.docstrings import attributes, unmarked
from truerank._support.tables import derived
from truerank._support.types import Nullable
from truerank.errors import InputError

Schema: TypeAlias = dict[str, Any]

DIALECT = "https://json-schema.org/draft/2020-12/schema"

_PLAIN = {str: "string", bool: "boolean", int: "integer", float: "number"}
_RANGE = re.compile(r"\bin ([\[(])(−?[\d.]+), (−?[\d.]+)([\])])")
_ABSENT = re.compile(r"``None``|\bNaN\b|\binfinite(ly many)?\b|−?∞")


def text(about: str, *choices: str) -> Schema:
    """A piece of text, one of the choices where there are some; null where the words say when."""
    return _said({"enum": list(choices)} if choices else {"type": "string"}, about)


def number(about: str) -> Schema:
    """A number, in the range that the words give; null where they say when."""
    return _said({"type": "number"}, about)


def whole(about: str) -> Schema:
    """A whole number, 0 or more; null where the words say when."""
    return _said({"type": "integer", "minimum": 0}, about)


def flag(about: str) -> Schema:
    """True or false."""
    return _said({"type": "boolean"}, about)


def array(items: Schema, about: str) -> Schema:
    """A list of things of one kind."""
    return _said({"type": "array", "items": items}, about)


def by_name(values: Schema, about: str) -> Schema:
    """An object whose keys are names that differ from one result to the next."""
    return _said({"type": "object", "additionalProperties": values}, about)


def given(schema: Schema, about: str) -> Schema:
    """A thing that was described, and what it is here; null where the words say when."""
    own = {} if "title" in schema else {"description": _sentence(about)}
    return _said(schema | own, about)


def either(*schemas: Schema, about: str = "") -> Schema:
    """One of several kinds."""
    found: Schema = {"anyOf": list(schemas)}
    return found | ({"description": _sentence(about)} if about else {})


def one_or_several(schema: Schema, about: str) -> Schema:
    """A document, or a list of at least two."""
    return {
        "description": _sentence(about),
        "anyOf": [schema, {"type": "array", "minItems": 2, "items": schema}],
    }


def record(
    title: str, about: str, optional: Mapping[str, Schema] | None = None, **properties: Schema
) -> Schema:
    """An object with these keys and no others.

    Args:
        title: of the record, in the schema's ``$defs``.
        about: what it is.
        optional: keys that are not always there.
        **properties: keys that are.
    """
    return {
        "title": title,
        "description": _sentence(about),
        "type": "object",
        "properties": properties | dict(optional or {}),
        "required": list(properties),
        "additionalProperties": False,
    }


def of(kind: type, *, without: Iterable[str] = (), title: str = "", **changed: Schema) -> Schema:
    """The record that a dataclass is written as: its fields by name, each with what its docstring says.

    Args:
        kind: the dataclass.
        without: fields that are not written.
        title: of the record; the name of the class unless given.
        **changed: fields that are written in another way than their type says, and keys beside them.

    Raises:
        InputError: there are no docstrings.
    """
    words, hints = attributes(kind), get_type_hints(kind, include_extras=True)
    if not words:
        raise InputError("the schemas are made from docstrings, which python -OO leaves out; run it without")
    names = [one.name for one in fields(kind) if one.name not in set(without)]
    made = {name: changed[name] if name in changed else _typed(hints[name], words[name]) for name in names}
    made |= {name: _typed(one.type, one.column.meaning) for name, one in derived(kind).items()}
    about = (inspect.getdoc(kind) or "").split("\n\n", 1)[0]
    return record(title or kind.__name__, about, None, **(made | changed))


def document(name: str, schema: Schema) -> Schema:
    """A whole schema: records in ``$defs``, each once, and an identifier."""
    records: dict[str, Schema] = {}
    body = _gathered(schema, records)
    return {
        "$schema": DIALECT,
        "$id": f"urn:truerank:schema:{name}",
        "title": f"truerank {name.replace('-', ' ')} --json",
        **body,
        "$defs": dict(sorted(records.items())),
    }


def _gathered(schema: Any, records: dict[str, Schema]) -> Any:
    """The schema with references in place of records, which are added to the others."""
    if isinstance(schema, list):
        return [_gathered(one, records) for one in schema]
    if not isinstance(schema, dict):
        return schema
    made = {key: _gathered(value, records) for key, value in schema.items()}
    if not isinstance(schema.get("title"), str):  # a property may be called title
        return made
    title = made.pop("title")
    about = made.pop("own description", None)
    known = records.setdefault(title, made)
    assert known == made, f"two records are called {title}"
    return {"$ref": f"#/$defs/{title}"} | ({"description": about} if about else {})


def _typed(hint: Any, about: str) -> Schema:
    return _said(_of_type(hint), about)


def _of_type(hint: Any) -> Schema:
    origin, arguments = get_origin(hint), get_args(hint)
    if origin is Annotated:
        found = _of_type(arguments[0])
        return _or_null(found) if any(isinstance(one, Nullable) for one in arguments[1:]) else found
    if hint in _PLAIN:
        return {"type": _PLAIN[hint]}
    if origin is Literal:
        return {"enum": list(arguments)}
    if origin in (Union, types.UnionType):
        (kind,) = [one for one in arguments if one is not types.NoneType]
        return _or_null(_of_type(kind))
    if origin is tuple:
        items = {"type": "array", "items": _of_type(arguments[0])}
        return (
            items
            if arguments[-1] is Ellipsis
            else items | dict.fromkeys(("minItems", "maxItems"), len(arguments))
        )
    if origin is dict:
        return {"type": "object", "additionalProperties": _of_type(arguments[1])}
    if is_dataclass(hint):
        assert isinstance(hint, type)
        return of(hint)
    raise TypeError(f"nothing says how {hint} is written")


def _said(schema: Schema, about: str) -> Schema:
    """A schema with its description, and what follows from its words."""
    found = dict(schema)
    bounds = _RANGE.search(about)
    if bounds and found.get("type") in ("number", ["number", "null"]):
        low, high = (float(one.replace("−", "-")) for one in (bounds[2], bounds[3]))
        found["exclusiveMinimum" if bounds[1] == "(" else "minimum"] = low
        found["exclusiveMaximum" if bounds[4] == ")" else "maximum"] = high
    if _ABSENT.search(about):
        found = _or_null(found)
    if isinstance(found.get("title"), str):
        return found | {"own description": _sentence(about)}
    return {"description": _sentence(about)} | found


def _or_null(schema: Schema) -> Schema:
    if "type" in schema and "title" not in schema:
        kinds = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        return schema | {"type": [*kinds, *(["null"] if "null" not in kinds else [])]}
    if "enum" in schema:
        return {"enum": [*schema["enum"], *([None] if None not in schema["enum"] else [])]}
    return {"anyOf": [schema, {"type": "null"}]}


def _sentence(about: str) -> str:
    """Words of a docstring as a sentence for readers of JSON.

    >>> _sentence("of the :attr:`curve`; NaN where\\n    ``none`` is")
    'Of the curve; null where "none" is.'
    """
    said = re.sub(r"``None``|\bNaN\b", "null", about)
    said = unmarked(re.sub(r"\binfinite(ly many)?\b|−?∞", "null (infinite)", said))
    if said[1:2].isalpha() or said.startswith("a "):  # the symbols n and m stay small
        said = said[0].upper() + said[1:]
    return said.rstrip(".") + "."
