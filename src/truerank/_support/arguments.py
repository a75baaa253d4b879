"""Arguments by name: in messages as their reader would type them, and refused with the nearest one."""

from __future__ import annotations

import functools
import inspect
import shlex
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from numbers import Integral
from typing import Any, ParamSpec, TypeVar

from truerank.errors import InputError, UnknownArgumentError, unknown_name

P = ParamSpec("P")
T = TypeVar("T")

_SHORT = {"measure": "-m", "covariates": "--covariate"}

_to_a_terminal = False

_SWITCHES = {
    ("lower_is_better", False): "--higher-is-better",
    ("lower_is_better", True): "--lower-is-better",
    ("transpose", False): "--no-transpose",
    ("transpose", True): "--transpose",
}
"""Options that say their value."""

_without_option: dict[str, Callable[[Any], str]] = {}
"""What an argument is called where it is no option, given its value or nothing."""


@contextmanager
def speaking_of_options() -> Iterator[None]:
    """While the block runs, messages name options, not arguments; one flag for all threads of a command."""
    global _to_a_terminal
    before, _to_a_terminal = _to_a_terminal, True
    try:
        yield
    finally:
        _to_a_terminal = before


@contextmanager
def said_as(**arguments: Callable[[Any], str]) -> Iterator[None]:
    """While the block runs, messages to a terminal call these arguments what these functions say."""
    global _without_option
    before, _without_option = _without_option, _without_option | arguments
    try:
        yield
    finally:
        _without_option = before


def either(in_python: str, on_command_line: str) -> str:
    """What a message says to a caller in Python, or to a user of the command line."""
    return on_command_line if _to_a_terminal else in_python


def setting(argument: str, value: Any = None) -> str:
    """How a message names an argument: as Python code, or, inside a command, as its option."""
    if _to_a_terminal and argument in _without_option:
        return _without_option[argument](value)
    if str(value).startswith("data_sets") and _to_a_terminal:
        value = str(value).replace("data_sets", "data-sets", 1)
    option = _SHORT.get(argument) or f"--{argument.replace('_', '-')}"
    if value is None:
        return either(f"{argument}=…", option)
    if _to_a_terminal and (switch := _SWITCHES.get((argument, value))):
        return switch
    text = shlex.quote(str(value))
    glue = "=" if text.startswith("-") and option.startswith("--") else " "
    return either(f"{argument}={value!r}", f"{option}{glue}{text}")


def doing(function: str, command: str | None = None, option: str = "", value: Any = None) -> str:
    """How a message names a part of truerank: a function in Python, or, inside a command, the command.

    >>> doing("plan"), doing("plan", option="cost"), doing("gate", option="baseline", value="bm25")
    ('truerank.plan', 'truerank.plan(scores, cost=…)', "truerank.gate(scores, baseline='bm25')")
    """
    if not option:
        return either(f"truerank.{function}", f"truerank {command or function}")
    given = setting(option, value)
    return either(f"truerank.{function}(scores, {given})", f"truerank {command or function} {given}")


_KEYWORDS: dict[str, list[str]] = {}
"""The keywords of each function that is checked."""


def keywords_checked(function: Callable[P, T]) -> Callable[P, T]:
    """The function, which refuses a keyword that it does not have with the nearest one that it has."""
    parameters = inspect.signature(function).parameters
    known = [name for name, item in parameters.items() if item.kind is not item.POSITIONAL_ONLY]
    if any(item.kind is item.VAR_KEYWORD for item in parameters.values()):
        raise TypeError(f"{function.__name__} takes any keyword, so none can be unknown")
    _KEYWORDS[function.__name__] = known

    @functools.wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> T:
        for name in kwargs:
            if name not in parameters:
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
