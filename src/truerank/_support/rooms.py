"""Modules that are taken for functions, and packages whose modules are imported when somebody uses them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn


def no_function(module: str, instead: str) -> None:
    """Let a call of a module say which function of ``truerank`` to call instead."""

    def refuse(self: ModuleType, *given: Any, **named: Any) -> NoReturn:
        raise TypeError(f"{module} is a module, not a function. Call truerank.{instead}.")

    sys.modules[module].__class__ = type("Module", (ModuleType,), {"__call__": refuse})


def opened_when_used(
    package: str, homes: Mapping[str, str], rooms: str = ""
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """The ``__getattr__`` and ``__dir__`` of a package.

    Args:
        package: its name.
        homes: names with a space between, by the module of truerank that they live in.
        rooms: the package's own modules that are imported when they are named.
    """
    home_of = {name: f"truerank.{home}" for home, names in homes.items() for name in names.split()}

    def opened(name: str) -> Any:
        if name in home_of:
            return getattr(import_module(home_of[name]), name)
        if name in rooms.split():
            return import_module(f"{package}.{name}")
        raise AttributeError(f"module {package!r} has no attribute {name!r}")

    return opened, lambda: sorted([*sys.modules[package].__all__, *rooms.split()])
