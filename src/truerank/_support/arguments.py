"""Names of arguments: as the reader of a message would type them, and the nearest one for an unknown name."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

from truerank.errors import InputError, UnknownArgumentError, unknown_name

P = ParamSpec("P")
T = TypeVar("T")
_SHORT = {
    "measure": "-m",
    "covariates": "--covariate",
    "ignore_columns": "--ignore-column",
    "plugins": "--plugin",
}

# Options that say their value.
_SWITCHES = {
    ("lower_is_better", False): "--higher-is-better",
    ("lower_is_better", True): "--lower-is-better",
    ("transpose", False): "--no-transpose",
    ("transpose", True): "--transpose",
}

Names = Mapping[str, Callable[[Any], str]]

# In a command, how arguments without an option are named, by their value; `None` in Python.
_names: ContextVar[Names | None] = ContextVar("names of arguments", default=None)


@contextmanager
def speaking_of_options(**names: Callable[[Any], str]) -> Iterator[None]:
    """In this block messages name options instead of arguments, or what these functions return."""
    token = _names.set({**(_names.get() or {}), **names})
    try:
        yield
    finally:
        _names.reset(token)


def either(in_python: str, on_command_line: str) -> str:
    """The text for a caller in Python, or for a user of the command line."""
    return in_python if _names.get() is None else on_command_line


def setting(argument: str, value: Any = None) -> str:
    """How a message names an argument: as Python code, or, inside a command, as its option."""
    names = _names.get()
    if names is not None and argument in names:
        return names[argument](value)
    if names is not None and str(value).startswith("data_sets"):
        value = str(value).replace("data_sets", "data-sets", 1)
    option = _SHORT.get(argument) or f"--{argument.replace('_', '-')}"
    if value is None:
        return either(f"{argument}=…", option)
    if names is not None and (switch := _SWITCHES.get((argument, value))):
        return switch
    text = shlex.quote(str(value))
    glue = "=" if text.startswith("-") and option.startswith("--") else " "
    return either(f"{argument}={value!r}", f"{option}{glue}{text}")


def doing(function: str, command: str | None = None, option: str = "", value: Any = None) -> str:
    """How a message names a function: in Python, or, inside a command, as the command.

    >>> doing("plan"), doing("plan", option="cost"), doing("gate", option="baseline", value="bm25")
    ('truerank.plan', 'truerank.plan(scores, cost=…)', "truerank.gate(scores, baseline='bm25')")
    """
    if not option:
        return either(f"truerank.{function}", f"truerank {command or function}")
    given = setting(option, value)
    return either(f"truerank.{function}(scores, {given})", f"truerank {command or function} {given}")


_KEYWORDS: dict[str, list[str]] = {}  # the keywords of each function that is checked


def keywords_checked(function: Callable[P, T], options: Sequence[str] = ()) -> Callable[P, T]:
    """The function, which refuses an unknown keyword and names the nearest one.

    `options` are the keywords of a function that takes any.
    """
    parameters = inspect.signature(function).parameters
    several = [name for name, item in parameters.items() if item.kind is item.VAR_KEYWORD]
    known = [
        name
        for name, item in parameters.items()
        if item.kind is not item.POSITIONAL_ONLY and name not in several
    ]
    known += [name for name in options if name not in known]
    if several and not options:
        raise TypeError(f"{function.__name__} takes any keyword, so none can be unknown")
    _KEYWORDS[function.__name__] = known

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in known:
                if known[0] == "scores" and name in _KEYWORDS.get("read_scores", ()):
                    raise UnknownArgumentError(
                        f"{function.__name__}: {name!r} is an argument of read_scores. Give what "
                        f"truerank.read_scores(…, {name}=…) returns as the scores"
                    )
                error = unknown_name("argument", name, known)
                raise UnknownArgumentError(f"{function.__name__}: {error}")
        return function(*args, **kwargs)

    return call


def check_whole(name: str, value: Any, least: int) -> None:
    """Refuse a value that is not a whole number, or is too small; ``None`` passes."""
    if value is None:
        return
    if isinstance(value, bool) or not isinstance(value, Integral):
        raise InputError(f"{setting(name)} takes a whole number, not {value!r}")
    if value < least:
        raise InputError(f"{setting(name)} takes a number of at least {least}, not {value}")
