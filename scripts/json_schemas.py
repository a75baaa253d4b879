"""The JSON schemas of what commands write, which `scripts/json_pages.py` puts into the package.

A schema follows from the types of a dataclass alone (:mod:`truerank._support.plain`): its keys, whether
they may be null or left out, and ranges. What a key means stands in the docstring of its dataclass. Where a
command writes no result, the file in the package is itself the source.
"""

from __future__ import annotations

import inspect
import json
import re
import types
from dataclasses import dataclass, is_dataclass
from functools import reduce
from importlib import import_module
from operator import or_
from pathlib import Path
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin

from truerank._support.plain import (
    SCHEMA_VERSION,
    Absent,
    InFull,
    Length,
    Nullable,
    Within,
    attributes,
    keys,
    marker,
)
from truerank.errors import InputError

Schema: TypeAlias = dict[str, Any]

SCHEMAS = Path(__file__).parents[1] / "src" / "truerank" / "cli" / "schemas"

DIALECT = "https://json-schema.org/draft/2020-12/schema"
_PLAIN: dict[Any, str] = {str: "string", bool: "boolean", int: "integer", float: "number"}


@dataclass(frozen=True)
class Written:
    """The JSON document of a command."""

    kinds: tuple[str, ...] = ()  # modules and names of the dataclasses that a document may be
    each: str = ""  # what each of several results is for, which are written as a list
    parts: tuple[str, ...] = ()  # without kinds: the dataclasses in it


_ASSESSMENT = "reliability.results.Assessment"
_NOTE = "_support.notes.Note"
_GATES = (
    "comparison.gate.decision.Decision",
    "comparison.sequential.deciding.SequentialDecision",
    "comparison.gate.decision.UnpairedDecision",
)

# By command: `experiment` is of `run` and `show`.
WRITTEN = {
    "assess": Written((_ASSESSMENT, "reliability.one_system.MeanScore"), each="a measure"),
    "board": Written(("reliability.leaderboard.Leaderboard",), each="a measure"),
    "compare": Written(("comparison.against_reference.Comparison",), each="per ranking"),
    "documents": Written(("documents.analysis.DocumentAnalysis",), each="a measure and document model"),
    "evaluate": Written(parts=(_NOTE,)),
    "experiment": Written(parts=("_support.registry.Explanation",)),
    "experiment-list": Written(),
    "experiment-paper": Written(("experiments.paper.Paper",)),
    "gate": Written(_GATES, each="a candidate, measure and data set"),
    "import": Written(parts=(_NOTE, "reading.Reading")),
    "plan": Written(("planning.plan_results.Plan",), each="a measure"),
    "significance": Written(("comparison.significance.analysis.Significance",), each="a measure"),
    "simulate-fit": Written(),
    "simulate-sample": Written(),
    "simulate-show": Written(parts=("simulation.likeness.Diagnostics",)),
    "topics": Written(("reliability.topics.Topics",), each="a measure"),
}


def schema_of(name: str) -> Schema:
    """The schema of what a command writes."""
    written, made = WRITTEN[name], Schemas()
    if not written.kinds:
        for part in written.parts:
            made.of(_kind(part))
        kept = json.loads(SCHEMAS.joinpath(f"{name}.json").read_text(encoding="utf-8"))
        return kept | {"$defs": dict(sorted((kept["$defs"] | made.records).items()))}
    about = f"What truerank {name} finds: an object, or a list of one {written.each}." if written.each else ""
    result = [made.document(_kind(item)) for item in written.kinds]
    body = result[0] if len(result) == 1 else {"anyOf": result}
    if written.each:
        several = [{"type": "array", "minItems": 2, "items": one} for one in result]
        body = {"anyOf": [*result, *several]}
    return {
        "$schema": DIALECT,
        "$id": f"urn:truerank:schema:{name}",
        "title": f"truerank {name.replace('-', ' ')} --json",
        **({"description": about} if about else {}),
        **body,
        "$defs": dict(sorted(made.records.items())),
    }


def _kind(name: str) -> Any:
    module, _, kind = name.rpartition(".")
    return getattr(import_module(f"truerank.{module}"), kind)


class Schemas:
    """Schemas that go into one file, with the dataclasses in them as records, each once."""

    def __init__(self) -> None:
        self.records: dict[str, Schema] = {}
        self._kinds: dict[str, type] = {}

    def document(self, kind: type) -> Schema:
        """A dataclass as a whole document, which begins with the version of its schema."""
        reference = self.of(kind)
        record = self.records[self._title(kind)]
        version = {"description": "Version of this schema.", "const": SCHEMA_VERSION}
        record["properties"] = {"schema_version": version} | record["properties"]
        record["required"] = ["schema_version", *record["required"]]
        return reference

    def of(self, hint: Any) -> Schema:
        """What values of a type are in JSON."""
        origin, given = get_origin(hint), get_args(hint)
        if origin is Annotated:
            return self._marked(hint)
        if hint is Any:
            return {}
        if hint in _PLAIN:
            return {"type": _PLAIN[hint]}
        if origin is Literal:
            return {"enum": list(given)}
        if origin in (Union, types.UnionType):
            return self._any_of(given)
        if origin is tuple and given[-1] is not Ellipsis:
            size = len(given)
            return {"type": "array", "items": self.of(given[0]), "minItems": size, "maxItems": size}
        if origin in (tuple, list):
            return {"type": "array", "items": self.of(given[0])}
        if origin is dict:
            return {"type": "object", "additionalProperties": self.of(given[1])}
        if is_dataclass(hint) and isinstance(hint, type):
            return {"$ref": f"#/$defs/{self._title(hint)}"}
        raise TypeError(f"nothing says how {hint} is written")

    def _marked(self, hint: Any) -> Schema:
        result = self.of(_without_none(hint) if marker(hint, Absent) is not None else get_args(hint)[0])
        within = marker(hint, Within)
        if marker(hint, InFull) is not None:
            result = {"type": "integer"}
        if within is not None:
            low, high = ("exclusiveMinimum", "exclusiveMaximum") if within.open else ("minimum", "maximum")
            result |= {low: within.low} if within.low is not None else {}
            result |= {high: within.high} if within.high is not None else {}
        length = marker(hint, Length)
        if length is not None:
            result |= {"minItems": length.items, "maxItems": length.items}
        return _or_null(result) if marker(hint, Nullable) is not None else result

    def _any_of(self, given: tuple[Any, ...]) -> Schema:
        result = [self.of(item) for item in given if item is not types.NoneType]
        if all(set(item) == {"type"} for item in result):
            kinds = [item["type"] for item in result]
            made = {"type": kinds if len(kinds) > 1 else kinds[0]}
        else:
            made = result[0] if len(result) == 1 else {"anyOf": result}
        return _or_null(made) if types.NoneType in given else made

    def _title(self, kind: type) -> str:
        title = kind.__name__.removesuffix("Document")
        assert self._kinds.setdefault(title, kind) is kind, f"two records are called {title}"
        if title not in self.records:
            self.records[title] = {}  # of a record within itself
            self.records[title] = self._record(kind)
        return title

    def _record(self, kind: type) -> Schema:
        """An object with the keys of a dataclass and no others."""
        if not attributes(kind):
            raise InputError("The schemas need docstrings, which python -OO leaves out. Run it without -OO.")
        result: Schema = {
            "description": sentence((inspect.getdoc(kind) or "").partition("Attributes:")[0]),
            "type": "object",
            "properties": {},
            "required": [],
            "additionalProperties": False,
        }
        for key in keys(kind):
            if not key.inlined:
                result["properties"][key.name] = {"description": sentence(key.meaning)} | self.of(key.hint)
                result["required"] += [] if key.left_out else [key.name]
                continue
            record = self._record(_without_none(key.hint))
            result["properties"] |= record["properties"]
            result["required"] += record["required"]
        return result


def _without_none(hint: Any) -> Any:
    """A type within its markers, without ``None``."""
    inside = get_args(hint)[0] if get_origin(hint) is Annotated else hint
    if get_origin(inside) not in (Union, types.UnionType):
        return inside
    return reduce(or_, (item for item in get_args(inside) if item is not types.NoneType))


def _or_null(made: Schema) -> Schema:
    if "type" in made:
        kinds = made["type"] if isinstance(made["type"], list) else [made["type"]]
        return made | {"type": [*kinds, "null"]}
    if "enum" in made:
        return {"enum": [*made["enum"], None]}
    return {"anyOf": [*made.get("anyOf", [made]), {"type": "null"}]}


def sentence(about: str) -> str:
    """Words of a docstring as a sentence for readers of JSON.

    >>> sentence("of the :attr:`curve`; NaN where\\n    ``none`` is")
    'Of the curve; null where "none" is.'
    """
    text = " ".join(about.split())
    text = re.sub(r"``None``|\bNaN\b", "null", text)
    text = re.sub(r"\binfinite(ly many)?\b|−?∞", "null (infinite)", text)
    text = re.sub(r"``([^`]+)``", r'"\1"', text)
    text = re.sub(r":\w+:`[~.]?([^`]+)`", r"\1", text)
    text = text.replace("`", "").replace("\\|", "|")
    if text[1:2].isalpha() or text.startswith("a "):  # the symbols n and m stay small
        text = text[0].upper() + text[1:]
    return text.rstrip(".") + "."
