"""Where the program says something with a probability: columns, keys of JSON, and what builds sentences."""

from __future__ import annotations

import ast
import json
import pkgutil
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from importlib import import_module
from pathlib import Path

import truerank
from truerank._support.tables import Bounded, Interval, PValue, Ranks, Share, columns_of

ROOT = Path(__file__).resolve().parents[2]
SOURCE = ROOT / "src" / "truerank"
MACHINERY = ("_support", "numerics")
"""How any value is shown, and kernels: they make no statements."""

KEYS = re.compile(
    r"(^|_)(low|high)$|^p($|_)|probab|verdict|letters|^best$|needed|chance|power$|tied|may_be|significant|better_than"
)
"""Keys of JSON that say something with a probability."""

WORDS = re.compile(
    r"probabilit|confiden|\bchance\b|\bintervals?\b|significan|\bexpected\b|\bp [=<]|\branges\b|rank range"
    r"|\bverdicts?\b|not separated?\b|may be first|surely|\blikely\b|% of\b",
    re.IGNORECASE,
)
"""Words of sentences with a probability."""

BLOCK = re.compile(r"{%-? (?:block|macro) (\w+).*?%}(.*?){%-? end(?:block|macro) -?%}", re.DOTALL)
"""A sentence of a template."""

HELPERS = {"share", "p_text", "p_equation", "p_relation", "a_chance", "ranks", "span"}
"""Functions that put a probability, a p-value or a range of ranks into words."""

KINDS = (Interval, Bounded, Ranks, Share, PValue)


def keys() -> dict[str, set[str]]:
    """All keys of JSON by their record, from the schemas."""
    found: dict[str, set[str]] = defaultdict(set)
    for file in (ROOT / "docs" / "json").glob("*.schema.json"):
        for title, record in json.loads(file.read_text(encoding="utf-8"))["$defs"].items():
            found[title] |= set(record.get("properties", {}))
    return found


def columns() -> set[str]:
    """The fields with a probability that columns declared on rows show, as Record.field."""
    return {
        f"{row.__name__}.{key}"
        for row in _rows()
        for column in columns_of(row)
        if isinstance(column.kind, KINDS)
        # A number between its bounds is what was computed; the bounds say how sure it is.
        for key in column.keys[isinstance(column.kind, Bounded) :]
    }


def _rows() -> set[type]:
    """All classes of rows in the package."""
    modules = [import_module(one.name) for one in pkgutil.walk_packages(truerank.__path__, "truerank.")]
    return {
        one
        for module in modules
        for one in vars(module).values()
        if isinstance(one, type)
        and is_dataclass(one)
        and one.__module__ == module.__name__
        and any("Column(" in str(item.type) for item in fields(one))
    }


def builders(source: Path = SOURCE) -> set[str]:
    """The functions that make a sentence or a column with a probability, as package.module.function."""
    found = set()
    for file in sorted(source.rglob("*.py")):
        name = file.relative_to(source).with_suffix("").as_posix().replace("/", ".")
        if not name.startswith(MACHINERY):
            found |= set(_spoken(ast.parse(file.read_text(encoding="utf-8")), name))
    for file in sorted(source.rglob("words/*.j2")):
        name = file.relative_to(source).with_suffix("").as_posix().replace("/", ".")
        for block, text in BLOCK.findall(file.read_text(encoding="utf-8")):
            text = re.sub("{#.*?#}", "", text)
            if WORDS.search(text) or HELPERS & set(re.findall(r"\|(\w+)", text)):
                found.add(f"{name}.{block}")
    for file in sorted(source.rglob("*.js")):
        if WORDS.search(re.sub(r"//.*", "", file.read_text(encoding="utf-8"))):
            found.add(file.relative_to(source).as_posix().replace("/", "."))
    return found


def _spoken(node: ast.AST, name: str) -> Iterator[str]:
    """The names of functions below a node that speak; what is raised, declared or documented does not."""
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Raise | ast.arguments):
            continue
        if isinstance(node, ast.ClassDef) and isinstance(child, ast.AnnAssign):
            continue  # a declared column
        if isinstance(child, ast.Expr) and isinstance(child.value, ast.Constant):
            continue  # a docstring
        if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from _spoken(child, f"{name}.{child.name}")
            continue
        if _speaks(child):
            yield name
        yield from _spoken(child, name)


def _speaks(node: ast.AST) -> bool:
    if isinstance(node, ast.Constant):
        return isinstance(node.value, str) and " " in node.value and bool(WORDS.search(node.value))
    if not isinstance(node, ast.Call):
        return False
    called = getattr(node.func, "id", "")
    kinds = {kind.__name__ for kind in KINDS} | {"Confidence"}
    return called in HELPERS or (
        called == "Column"
        and any(isinstance(one, ast.Call) and getattr(one.func, "id", "") in kinds for one in node.args)
    )
