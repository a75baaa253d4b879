"""Every public function and class says what it takes, gives and raises, and shows an example that runs.

Public is what ``__all__`` of truerank and of its rooms names. The linter checks the rest: docstrings that are
missing (D1), and parameters that an ``Args`` section lacks (D417) or makes up (DOC102).
"""

from __future__ import annotations

import ast
import dataclasses
import doctest
import importlib
import inspect
import pkgutil
import re
import textwrap
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

import truerank
from truerank.errors import MissingPackagesError, TruerankError, unknown_name

ERRORS = (truerank.TruerankError, truerank.InputError, truerank.UnknownNameError, MissingPackagesError)

HIDDEN = ("truerank._support", "truerank.cli", "truerank.experiments.studies", "truerank.report.charts")
"""Packages whose names users do not import."""


def public_objects() -> dict[str, Any]:
    """Functions and classes by the full name of where they are defined."""
    packages = [truerank] + [
        importlib.import_module(module.name)
        for module in pkgutil.walk_packages(truerank.__path__, "truerank.")
        if module.ispkg and not module.name.startswith(HIDDEN)
    ]
    found = {}
    for package in packages:
        for name in getattr(package, "__all__", ()):
            thing = getattr(package, name)
            if inspect.isfunction(thing) or inspect.isclass(thing):
                found[f"{thing.__module__}.{thing.__qualname__}"] = thing
    return dict(sorted(found.items()))


def sections(docstring: str) -> dict[str, list[str]]:
    """Lines of each Google-style section, dedented."""
    found: dict[str, list[str]] = {}
    lines: list[str] = []
    for line in docstring.splitlines():
        heading = re.fullmatch(r"(Args|Attributes|Returns|Yields|Raises|Example|Examples):", line)
        if heading:
            lines = found[heading[1]] = []
        elif line and not line.startswith(" "):
            lines = []
        else:
            lines.append(line)
    return {name: textwrap.dedent("\n".join(text)).split("\n") for name, text in found.items()}


def entries(section: list[str]) -> list[str]:
    """The names that a section of ``name: what it is`` explains."""
    return [m[1] for line in section if (m := re.match(r"\*{0,2}(\w+)(?: \([^)]*\))?:", line))]


def parameters(function: Callable[..., Any]) -> list[str]:
    return [name for name in inspect.signature(function).parameters if name not in ("self", "cls")]


@cache
def errors_of(function: Callable[..., Any], look_further: bool = True) -> frozenset[type[TruerankError]]:
    """The errors of truerank that a function raises itself or through the functions that it calls by name.

    What a called function documents is believed; one without a ``Raises`` section is looked into.
    """
    names = inspect.unwrap(function).__globals__
    found: set[type[TruerankError]] = set()
    for node in ast.walk(ast.parse(textwrap.dedent(inspect.getsource(function)))):
        if isinstance(node, ast.Raise):
            raised = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            found |= _errors_named(names.get(getattr(raised, "id", "")))
        elif look_further and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            called = names.get(node.func.id)
            if inspect.isfunction(called) and called.__module__.startswith("truerank"):
                found |= _documented_errors(called) or errors_of(called, look_further=False)
    return frozenset(found)


def _errors_named(thing: Any) -> set[type[TruerankError]]:
    if thing is unknown_name:
        return {truerank.UnknownNameError}
    return {thing} if inspect.isclass(thing) and issubclass(thing, TruerankError) else set()


def _documented_errors(function: Callable[..., Any]) -> set[type[TruerankError]]:
    names = entries(sections(inspect.getdoc(function) or "").get("Raises", []))
    return {error for error in ERRORS if error.__name__ in names}


def faults_of_function(function: Callable[..., Any]) -> Iterator[str]:
    """What its docstring lacks or makes up."""
    said = sections(inspect.getdoc(function) or "")
    expected, given = parameters(function), entries(said.get("Args", []))
    if sorted(expected) != sorted(given):
        yield f"Args names {given}, the parameters are {expected}"
    returns = inspect.signature(function).return_annotation
    if returns not in (None, "None") and not {"Returns", "Yields"} & said.keys():
        yield f"no Returns, though it gives {returns}"
    documented = _documented_errors(function)
    for error in errors_of(function):
        if not any(issubclass(error, one) for one in documented):
            yield f"Raises does not name {error.__name__}"


def faults_of_class(kind: type) -> Iterator[str]:
    said = sections(inspect.getdoc(kind) or "")
    if dataclasses.is_dataclass(kind):
        expected = [field.name for field in dataclasses.fields(kind) if not field.name.startswith("_")]
        bases = [base for base in kind.__mro__[1:] if dataclasses.is_dataclass(base)]
        inherited = [field.name for base in bases for field in dataclasses.fields(base)]
        given = entries(said.get("Attributes", []))
        if sorted({*given, *inherited}) != sorted({*expected, *inherited}):
            yield f"Attributes names {given}, the fields are {expected}"


def faults(thing: Any) -> list[str]:
    found = list(faults_of_class(thing) if inspect.isclass(thing) else faults_of_function(thing))
    if not is_error(thing) and not examples(thing):
        found.append("no example")
    return found


def is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def examples(thing: Any) -> list[doctest.Example]:
    return doctest.DocTestParser().get_examples(inspect.getdoc(thing) or "")


PUBLIC = public_objects()


@pytest.mark.parametrize("name", PUBLIC)
def test_the_docstring_is_whole(name: str) -> None:
    assert not faults(PUBLIC[name])


@pytest.mark.parametrize("name", [name for name, thing in PUBLIC.items() if hasattr(thing, "__wrapped__")])
def test_the_example_of_a_decorated_function_runs(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The doctests of its module pass it over, and run all others."""
    monkeypatch.chdir(tmp_path)
    thing = PUBLIC[name]
    names = vars(importlib.import_module(thing.__module__)).copy()
    test = doctest.DocTestParser().get_doctest(inspect.getdoc(thing) or "", names, name, None, 0)
    said: list[str] = []
    assert doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(test, out=said.append).failed == 0, (
        "".join(said)
    )
