"""Modules that are taken for functions."""

from __future__ import annotations

import sys
from types import ModuleType
from typing import Any, NoReturn


def no_function(module: str, instead: str) -> None:
    """Let a call of a module say which function of ``truerank`` to call instead."""

    def refuse(self: ModuleType, *given: Any, **named: Any) -> NoReturn:
        raise TypeError(f"{module} is a module, not a function. Call truerank.{instead}.")

    sys.modules[module].__class__ = type("Module", (ModuleType,), {"__call__": refuse})
