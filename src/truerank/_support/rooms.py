"""Modules that are taken for functions, and packages whose modules are imported when somebody uses them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping, Sequence
from importlib import import_module
from types import ModuleType
from typing import Any, NoReturn


def no_function(module: str, instead: str) -> None:
    """Let a call of a module say which function of ``truerank`` to call instead."""

    def refuse(self: ModuleType, *given: Any, **named: Any) -> NoReturn:
        raise TypeError(f"{module} is a module, not a function. Call truerank.{instead}.")

    sys.modules[module].__class__ = type("Module", (ModuleType,), {"__call__": refuse})


def opened_when_used(package: str, homes: Mapping[str, Sequence[str]]) -> Callable[[str], Any]:
    """The ``__getattr__`` of a package: its names, by the modules that they live in."""
    home_of = {name: f"{package}.{home}" for home, names in homes.items() for name in names}

    def opened(name: str) -> Any:
        if name not in home_of:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        return getattr(import_module(home_of[name]), name)

    return opened
