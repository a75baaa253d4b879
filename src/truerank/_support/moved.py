"""Modules of version 0.1 that have another home now: who imports them is told where they went."""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import wraps
from typing import ParamSpec, TypeVar

from truerank.errors import InputError

P = ParamSpec("P")
T = TypeVar("T")

HOMES = {
    "assessment": "reliability.assessment",
    "bivariate": "numerics.bivariate_t",
    "demo": "cli.example",
    "dependence": "reliability.dependence",
    "diagnostics": "reliability.diagnostics",
    "distance": "comparison.distance",
    "estimators": "reliability.estimators",
    "exports": "report.tables.assessment",
    "files": "_support.files",
    "intervals": "numerics.intervals",
    "pairs": "numerics.pairs",
    "plain": "_support.plain",
    "registry": "_support.registry",
    "results": "reliability.results",
    "seeds": "_support.seeds",
    "significance": "comparison.significance",
    "swaps": "reliability.swaps",
    "variance": "reliability.variance",
    "version": "_support.version",
}


def new_home(module: str) -> str | None:
    """Where a module of version 0.1 is now, ``truerank.…``; ``None`` where it is no such module."""
    parent, _, name = module.partition(".")
    return f"truerank.{HOMES[name]}" if parent == "truerank" and name in HOMES else None


class MovedModules:
    """Asked by Python's import when nobody else knows a module; finds nothing, but says where it went."""

    @classmethod
    def find_spec(cls, name: str, path: object = None, target: object = None) -> None:
        """Refuse a module that moved.

        Raises:
            ModuleNotFoundError: with the module's new home.
        """
        home = new_home(name)
        if home is not None:
            raise ModuleNotFoundError(f"{name} is {home} now: import that instead")


def watch_imports() -> None:
    """Put :class:`MovedModules` last among Python's finders, once."""
    if MovedModules not in sys.meta_path:
        sys.meta_path.append(MovedModules)


def renamed(**names: str) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """A function whose keywords were renamed refuses the old ones, each with its new name.

    Args:
        names: old keyword to new.
    """

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        @wraps(function)
        def call(*args: P.args, **kwargs: P.kwargs) -> T:
            for old in names.keys() & kwargs.keys():
                raise InputError(
                    f"{function.__name__} has no {old!r}; it is called {names[old]!r} now: "
                    f"write {names[old]}={kwargs[old]!r}"
                )
            return function(*args, **kwargs)

        return call

    return decorate
